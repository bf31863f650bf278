// SPDX-License-Identifier: GPL-3.0-or-later
//
// The flame graph of the whole, with what can be chosen of it, its legend, and the strip of the function
// that is selected.
import { contextCount, callees, inverted } from "./tree.js";
import { data, doubtOf, functions, hasBoth, placeOf, roles, weights, wordOf } from "./data.js";
import { choice, escape, find, isPhone } from "./dom.js";
import { exact, text } from "./format.js";
import { flameGraph, legend } from "./flamegraph.js";
import { fits, nameMarkup } from "./functions.js";
import { address } from "./state.js";

// What a tip and the strip say of a function, whichever weight is chosen.
export function facts(f) {
  const list = weights.filter((weight) => weight.kind === "ns").slice(0, hasBoth ? 2 : 1)
    .flatMap((weight, i) => [[`own ${weight.title}`, `${text(weight.own(f))} ${i === 0 ? doubtOf(f).text : ""}`],
                             [`total ${weight.title}`, text(weight.total(f))]]);
  return [...list, ["calls", f.isUncounted ? "not counted" : exact(f.calls)]];
}

export function strip(fn) {
  const f = functions[fn];
  if (!f)
    return `<span class="sub">${isPhone() ? "A tap selects, a second tap zooms."
      : "A click selects, a double click zooms, <kbd>↵</kbd> opens the function, <kbd>Esc</kbd> goes back out."}</span>`;
  return `<span class="dot c${f.color}"></span><span class="fn" title="${escape(f.name)}">${nameMarkup(f)}</span><span class="sub">${escape(placeOf(f))}</span>${
    facts(f).map(([key, value]) => `<span>${key} <b>${value}</b></span>`).join("")}<span class="grow"></span><button class="btn" data-zoom>Zoom <kbd>z</kbd></button>
    <a class="btn" href="${escape(address({ f: wordOf(f) }))}">Open <kbd>↵</kbd></a>`;
}

function threadChoice(state) {
  const known = roles.filter((role) => role.fn >= 0 && contextCount > 0);
  if (known.length < 2)
    return "";
  return `<select class="sel" id="role" aria-label="Threads"><option value="">All threads</option>${known.map((role) =>
    `<option value="${escape(role.name)}"${role.name === state.thread ? " selected" : ""}>${escape(role.name)} ×${role.threads.length}</option>`).join("")}</select>`;
}

// What is not in the picture, and where.
function leftOut() {
  const list = [];
  if (data.omitted > 0)
    list.push(`${exact(data.omitted)} of the lightest contexts are left out: what they weigh is in boxes “left out” of their callers`);
  if (data.deep > 0)
    list.push(`${exact(data.deep)} contexts deeper than 1,000 levels are added to their caller there`);
  return list.length > 0 ? `<div class="note" id="omitted">${list.join("; ")}.</div>` : "";
}

export function flameCard(state, weight, size) {
  const role = roles.find((other) => other.name === state.thread && other.fn >= 0);
  const isInverted = state.inverted === "1";
  const switches = choice("Direction", [
    { text: "Callees", href: address({ inverted: "", zoom: "" }), on: !isInverted, tip: "From the threads’ entries down to what they call" },
    { text: "Inverted", href: address({ inverted: "1", zoom: "" }), on: isInverted, tip: "From the functions that ran up to who called them", id: "invert" }]);
  const order = `<span class="wide">${choice("Order", [
    { text: "Left heavy", href: address({ order: "", zoom: "" }), on: state.order !== "name", tip: "The heaviest callee first" },
    { text: "By name", href: address({ order: "name", zoom: "" }), on: state.order === "name", tip: "A fixed order, for two profiles side by side" }])}</span>`;
  const markup = `<section class="card col ${size}" aria-label="Flame graph by ${escape(weight.phrase)}"><header>${switches}${order}${threadChoice(state)}<span class="grow"></span>${
    legend(weight)}</header><div class="flame" id="flame"></div>${leftOut()}<div class="strip" id="strip">${strip(-1)}</div></section>`;
  const after = (on, selected) => {
    const host = find("#flame");
    const tree = (isInverted ? inverted : callees)(weight, state.order, role ? role.fn : -1);
    const picture = flameGraph(host, {
      tree, kind: weight.kind, phrase: weight.phrase, selected, facts, hasSelf: !isInverted,
      path: state.zoom ? state.zoom.split(".").map(Number) : [],
      rootName: isInverted ? "all, by what ran" : role ? role.name : "all threads",
      isFound: state.search ? fits(state.search) : () => false, on,
      ...(isPhone() ? { rowLeast: 26, rowMost: 34 } : {}),
      label: `Flame graph by ${weight.phrase}`,
    });
    if (functions[selected])
      find("#strip").innerHTML = strip(selected);
    return picture;
  };
  return { markup, after };
}

export function flameView(state, weight) {
  return flameCard(state, weight, "fill");
}

