// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is shown is the page's address, behind its #: so the back button works, and a view can be sent.
// Words are percent-encoded; a plus is a plus, as names of operators have it.

// Of each word what holds where it is not given.
export const START = {
  view: "", // the first one
  f: "", // a function: its name, as the profile has it
  weight: "",
  inverted: "", // 1
  order: "", // name
  thread: "", // of the flame graph: the name of what its threads were started for
  zoom: "", // the way from the root: numbers of functions
  search: "",
  sort: "",
  up: "", // 1
  columns: "",
  heap: "", // leaked, allocated
  site: "",
  lane: "", // a thread: its number
  by: "", // of a difference: a figure
  theme: "", // dark, light
};

function decode(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // a stray percent sign
  }
}

export function read() {
  const state = { ...START };
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    if (at > 0 && key in START)
      state[key] = decode(part.slice(at + 1));
  }
  return state;
}

// What belongs to one view alone, and goes with it.
const OF_VIEW = ["zoom", "sort", "up", "site", "thread", "lane"];

// The address of a state that differs by `changes` from that of now.
export function address(changes) {
  const next = read();
  if ("view" in changes || "f" in changes)
    for (const key of [...OF_VIEW, "view", "f"])
      next[key] = "";
  Object.assign(next, changes);
  // commas, colons and the like may stand as they are: addresses are read by people
  const encode = (word) => encodeURIComponent(word).replace(/%(2C|3A|2F|2B|3B|40|24)/g, (code) => decodeURIComponent(code));
  return "#" + Object.keys(START).filter((key) => String(next[key]) !== "")
    .map((key) => `${key}=${encode(next[key])}`).join("&");
}

export function go(changes) {
  location.hash = address(changes);
}

// Without a step for the back button.
export function replace(changes) {
  location.replace(address(changes));
}
