// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings, as the first screen has them, with links to what shows more: fcdump made the sentences.
import { data, functions, wordOf } from "./data.js";
import { escape } from "./dom.js";
import { address } from "./state.js";

// Of the option that fcdump names: where the page shows the same, and its colour.
const VIEWS = {
  "--threads": ["threads", { view: "threads" }, "mgr"],
  ...(data.ranks ? { "--ranks": ["ranks", { view: "ranks" }, "cpu"] } : {}),
  "--mem-leaks": ["leaks", { view: "memory", heap: "leaked" }, "bad"],
  "--mem-free": ["bad frees", { view: "memory" }, "bad"],
  "--waits": ["waiting", { view: "functions", weight: "waited", columns: "own,blocked,preempted,lock,threads,input,sleep,disk,unknown,calls" }, "block"],
  "--time=wait": ["waiting", { view: "flame", weight: "waited", inverted: "1" }, "block"],
};

// The longest name of a function in the sentence.
function functionIn(sentence) {
  let best = null;
  for (const f of functions)
    if (f.shown && sentence.includes(f.scope + f.base) && (!best || f.base.length + f.scope.length > best.base.length + best.scope.length))
      best = f;
  return best;
}

const FIGURE = /(?<![\w:.])(\d[\d.,]*(?: ?(?:%|ns|µs|us|ms|s|B|KiB|MiB|GiB)(?!\w))?)/g;
const bold = (words) => escape(words.replace(/\bus\b/g, "µs")).replace(FIGURE, "<b>$1</b>");

function markup(finding) {
  const f = functionIn(finding.text);
  const [word, where, hue] = VIEWS[finding.option] || (f ? ["callers", { f: wordOf(f) }, "cpu"] : ["", null, "cpu"]);
  const label = f ? f.scope + f.base : "";
  const [before, after] = f ? [finding.text.slice(0, finding.text.indexOf(label)), finding.text.slice(finding.text.indexOf(label) + label.length)] : [finding.text, ""];
  const name = f ? `<a href="${escape(address({ f: wordOf(f) }))}"><span class="sc">${escape(f.scope)}</span><b>${escape(f.base)}</b></a>` : "";
  const go = where ? `<a class="go" href="${escape(address(where))}">${word} →</a>`
    : finding.option ? `<code class="go">${finding.option.startsWith("-") ? "fcdump " : ""}${escape(finding.option)}</code>` : "";
  return `<li><span class="dot" style="background:var(--${hue})"></span><span class="sentence">${bold(before)}${name}${bold(after)}${
    finding.reason ? `<span class="why">${escape(finding.reason.replace(/\bus\b/g, "µs"))}</span>` : ""}</span>${go}</li>`;
}

const SHOWN = 3;

export function findings() {
  const list = data.findings;
  if (list.length === 0)
    return `<section class="card finds" id="findings"><h2>Findings</h2><p class="sub">Nothing stands out.</p></section>`;
  const rest = list.slice(SHOWN);
  return `<section class="card finds" id="findings"><div><h2>Findings</h2>${rest.length > 0
    ? `<button class="link" data-more>${rest.length} more</button>` : ""}</div><ol>${list.slice(0, SHOWN).map(markup).join("")}</ol>${
    rest.length > 0 ? `<ol class="rest" hidden>${rest.map(markup).join("")}</ol>` : ""}</section>`;
}
