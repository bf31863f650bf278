// SPDX-License-Identifier: GPL-3.0-or-later
//
// The source of a function: each line with what its calls took, with all that they call.
import { data, hasBoth, nameOf, placeOf, weights } from "./data.js";
import { escape, nothing } from "./dom.js";
import { text } from "./format.js";

const KEYWORDS = /\b(?:alignas|auto|bool|break|case|catch|char|class|const|constexpr|continue|co_await|co_return|co_yield|default|delete|do|double|else|enum|explicit|extern|false|float|fn|for|goto|if|impl|inline|int|let|long|match|mut|namespace|new|noexcept|nullptr|operator|private|protected|pub|public|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while)\b/g;

function colored(line) {
  const comment = line.search(/\/\/|\/\*/);
  const code = comment >= 0 ? line.slice(0, comment) : line;
  const marked = escape(code).replace(KEYWORDS, (word) => `<span class="kw">${word}</span>`);
  return marked + (comment >= 0 ? `<span class="cm">${escape(line.slice(comment))}</span>` : "");
}

// What several calls from a line have in common.
const common = (marks) => ["<", "~"].filter((letter) => marks.some((mark) => mark.sign.includes(letter))).join("");

export const hasSource = (f) => data.sources.some((source) => source.function === f.index);

// The columns: each in its own unit always.
const TIMES = weights.filter((weight) => weight.kind === "ns" && (!hasBoth || weight.key !== "elapsed"));

export function sourceCard(f) {
  const source = data.sources.find((other) => other.function === f.index);
  const head = `<header><h2>Source</h2><span class="sub">${escape(placeOf(f))}</span></header>`;
  if (!source) {
    const why = !f.file ? "No debug information: build with <code>-g</code> to see the source."
      : `The page holds the source of the heaviest functions, as far as fcdump could read it; this one begins at <code>${escape(f.file)}:${f.line}</code>.`;
    return `<section class="card col source-card">${head}${nothing(why)}</section>`;
  }
  const lines = new Map();
  for (const [line, calls, total, sign, isApportioned, cpu, caller, callee] of source.marks) {
    if (!lines.has(line))
      lines.set(line, []);
    lines.get(line).push({ calls, total, sign, isApportioned, cpu, caller, callee });
  }
  const sumOf = (marks, value) => marks.reduce((sum, mark) => sum + value(mark), 0);
  const most = TIMES.map((weight) => Math.max(1, ...Array.from(lines.values(), (marks) => sumOf(marks, weight.line))));
  const cells = (marks) => TIMES.map((weight, i) => {
    const value = sumOf(marks, weight.line);
    return value > 0 ? `<span class="hot ${weight.hue}" style="--w:${Math.max(3, 100 * value / most[i]).toFixed(0)}%">${common(marks)}${text(value)}</span>` : "<span></span>";
  }).join("") + `<span>${marks.some((mark) => mark.isApportioned) ? "~" : ""}${text(sumOf(marks, (mark) => mark.calls), "calls")}×</span>`;
  const tipOf = (marks) => Array.from(new Set(marks.map((mark) => (mark.caller === f.index ? "" : `${nameOf(mark.caller)} calls `) + nameOf(mark.callee)))).slice(0, 6).join(", ");
  const none = "<span></span>".repeat(TIMES.length + 1);
  const rows = source.lines.map((line, i) => {
    const number = source.first + i;
    const marks = lines.get(number);
    return `<div class="ln${number === f.line ? " def" : ""}" data-line="${number}"${marks ? ` data-tip="${escape(tipOf(marks))}"` : ""}>${
      marks ? cells(marks) : none}<span class="no">${number}</span><code>${colored(line) || " "}</code></div>`;
  });
  const missing = source.whole ? "" : `<div class="note">Where the function ends is not known, or it is longer than the page shows.</div>`;
  const inside = new Set(source.marks.map((mark) => mark[6]).filter((caller) => caller !== f.index));
  return `<section class="card col source-card">${head}<pre class="src" id="source" tabindex="0" style="--times:${TIMES.length}"><div class="ln hd">${
    TIMES.map((weight) => `<span>${weight.title}</span>`).join("")}<span>calls</span><span></span><code>what the line’s calls took, with all that they call${
    inside.size > 0 ? "; calls by functions within too" : ""}</code></div>${rows.join("")}</pre>${missing}</section>`;
}

