// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is said when asked: the keys, how sure the figures are, what "proven" means.
import { all, escape, find } from "./dom.js";
import { allCalls, data, doubtOf, functions, timeWeight, weights } from "./data.js";
import { exact, share } from "./format.js";

const KEYS = [["1 … 7", "the views"], ["/", "find a function: arrows, then ↵"], ["w", "next weight"], ["i", "inverted, or callees"],
              ["o", "left heavy, or by name"], ["← ↑ ↓ →", "move in the flame graph"], ["z", "zoom to the selected box"],
              ["Esc", "back out of a zoom, a search, this"], ["↵", "open the selected function"], ["Backspace", "back"],
              ["t", "light or dark"], ["?", "this list"]];

function keysText() {
  return `<h2>Keys</h2><div class="keys">${KEYS.map(([keys, meaning]) =>
    `<span>${keys.split(" ").map((key) => key === "…" ? key : `<kbd>${escape(key)}</kbd>`).join(" ")}</span><span>${meaning}</span>`).join("")}</div>
    <p class="sub">The address holds what is shown: it can be sent, with the page.</p>`;
}

// An error of a time, as the tables have it.
export const percent = (error, time) => error >= 0.005 * time ? `${Math.min(100, 100 * error / Math.max(time, 1)).toFixed(0)} %` : "<1 %";

// The part of the own time on the CPU that is in rows of which the error is large, and the sum of all errors.
export function doubtfulShare() {
  const own = weights.find((weight) => weight.key === "cpu") || timeWeight(weights[0]);
  const whole = functions.reduce((sum, f) => sum + own.own(f), 0);
  const rough = functions.filter((f) => f.calls > 0 && doubtOf(f).isLarge);
  return { whole, part: rough.reduce((sum, f) => sum + own.own(f), 0), count: rough.length,
           error: functions.reduce((sum, f) => sum + f.ownError, 0) };
}

function accuracyText() {
  const { part, whole, count, error } = doubtfulShare();
  const items = [data.misses_calls ? "<b>Calls are at least these</b>: records were lost."
    : `<b>Calls are exact</b>: all ${exact(allCalls)} were counted.`];
  items.push("<b>±</b> is the standard error of own time on the CPU, of functions whose calls were counted and timed at random. No ± : it was measured."
    + (error > 0 ? ` The mean of all, by time, is ± ${percent(error, whole)}.` : ""));
  items.push(`<b>Amber or ?</b>: the error, or what the hooks took, is more than half of the figure. That holds for ${exact(count)} functions with ${share(part, whole)} of the time.`);
  items.push(...data.notes.map(escape));
  if (data.deep > 0)
    items.push(`${exact(data.deep)} contexts deeper than 1,000 levels are added to their caller there.`);
  for (const [kind, times] of [...data.losses, ...data.repairs])
    items.push(`${escape(kind)}: ${exact(times)}`);
  return `<h2>How sure the figures are</h2><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>
    <p class="sub">FunctionCheck ${escape(data.tool_version)}. <code>fcdump --raw</code> shows times as measured.</p>`;
}

function differenceText() {
  return `<h2>What “proven” means</h2><p>All runs before are compared with all runs after, by Welch’s test. Of the changes that are called proven,
    1 in 100 may be wrong; the level is fitted to the number of functions. The whisker is that margin: where it reaches “same”, the change is
    noise. Counts of calls need no test: they are exact.</p>`;
}

const TEXTS = { keys: keysText, accuracy: accuracyText, difference: differenceText };

let before = null;

export function openHelp(kind) {
  closeHelp();
  before = document.activeElement;
  const box = document.createElement("div");
  box.className = "pop";
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-modal", "true");
  box.innerHTML = `<div>${TEXTS[kind]()}<p class="end"><button class="btn" data-close>Close <kbd>Esc</kbd></button></p></div>`;
  box.addEventListener("click", (event) => {
    if (event.target === box || event.target.closest("[data-close]"))
      closeHelp();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Tab")
      event.preventDefault(); // one thing can be reached, and it is
  });
  document.body.append(box);
  find("[data-close]", box).focus();
}

// Whether there was one.
export function closeHelp() {
  const open = all(".pop");
  for (const box of open)
    box.remove();
  if (open.length > 0 && before && before.isConnected)
    before.focus();
  return open.length > 0;
}
