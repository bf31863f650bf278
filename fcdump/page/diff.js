// SPDX-License-Identifier: GPL-3.0-or-later
//
// The difference between runs: a sentence, then proven changes, other changes, noise; and a flame graph
// whose boxes have the colour of the change.
import { data, functionOf } from "./data.js";
import { choice, escape, find, nothing } from "./dom.js";
import { counted, exact, text } from "./format.js";
import { flameGraph } from "./flamegraph.js";
import { fits, link } from "./functions.js";
import { split } from "./names.js";
import { address, go } from "./state.js";

const difference = data.difference;
const CLOCK = difference ? { cpu: "CPU", waited: "waiting", elapsed: "elapsed" }[difference.clock] : "";

// The figures that can be compared: the number is that of the array `changes`.
const FIGURES = [
  { key: "own", at: 2, title: `Own ${CLOCK}`, kind: "ns" },
  { key: "total", at: 1, title: `Total ${CLOCK}`, kind: "ns" },
  { key: "each", at: 3, title: `${CLOCK.charAt(0).toUpperCase()}${CLOCK.slice(1)} per call`, kind: "ns" },
  { key: "calls", at: 0, title: "Calls", kind: "calls" },
  { key: "bytes", at: 4, title: "Allocated", kind: "bytes" },
];

const rows = difference ? difference.functions.map((row, index) => {
  const known = functionOf(row.name);
  const [scope, base] = known ? [known.scope, known.base] : split(row.label);
  return { ...row, index, known, scope, base, file: known ? known.file : null };
}) : [];

const [BEFORE, AFTER, MARGIN, VERDICT] = [0, 1, 2, 3];
const percent = (change) => change[BEFORE] > 0 ? 100 * (change[AFTER] - change[BEFORE]) / change[BEFORE] : 0;
const signed = (value, digits = 1) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(Math.abs(value) >= 1000 ? 0 : digits)} %`;

// ---- Rows ---------------------------------------------------------------------------------------

const [AXIS, SPAN, WIDTH] = [145, 45, 290]; // the middle, percent on either side

function whisker(change, hue) {
  const [before, after, margin] = change;
  if (!(before > 0) || !(after > 0))
    return `<svg class="whisker" viewBox="0 0 ${WIDTH} 24" aria-hidden="true"><path class="grid" d="M10 12H280"/></svg>`;
  const at = (value) => (AXIS + Math.max(-SPAN, Math.min(SPAN, value)) * 3).toFixed(1);
  const middle = percent(change);
  const half = margin > 0 ? 100 * margin / before : 0;
  const range = half > 0 ? `<path class="range" d="M${at(middle - half)} 12H${at(middle + half)}M${at(middle - half)} 8v8M${at(middle + half)} 8v8"/>` : "";
  const dot = Math.abs(middle) > SPAN ? `<path class="dot" d="${middle < 0 ? "M8 12l10 -6v12z" : "M282 12l-10 -6v12z"}"/>` : `<circle class="dot" cx="${at(middle)}" cy="12" r="5"/>`;
  return `<svg class="whisker ${hue}" viewBox="0 0 ${WIDTH} 24" aria-hidden="true"><path class="grid" d="M10 12H280M145 2V22"/>${range}${dot}</svg>`;
}

const isProven = (change) => change[VERDICT] === "found";
const hueOf = (change) => !isProven(change) || change[AFTER] === change[BEFORE] ? "dim" : change[AFTER] > change[BEFORE] ? "worse" : "better";

function rowMarkup(row, figure) {
  const change = row.changes[figure.at];
  const calls = row.changes[0];
  const hue = hueOf(change);
  const name = row.known ? link(row.known) : `<span class="fn"><span class="sc">${escape(row.scope)}</span><b>${escape(row.base)}</b></span>`;
  const by = change[BEFORE] > 0 && change[AFTER] > 0 ? signed(percent(change)) : change[AFTER] > 0 ? "new" : change[BEFORE] > 0 ? "gone" : "–";
  const margin = change[MARGIN] > 0 && change[BEFORE] > 0 && change[VERDICT] !== "unknown" ? ` <span class="pm">± ${(100 * change[MARGIN] / change[BEFORE]).toFixed(1)}</span>` : "";
  const calledBy = calls[AFTER] - calls[BEFORE];
  return `<div class="dr" data-name="${escape(row.name)}" data-finding="${escape(row.finding)}" title="${escape(row.name)}"><div>${name}<div class="at">${row.finding === "?" ? "" : escape(row.finding)}</div></div><span class="n">${text(change[BEFORE], figure.kind)} <span class="sc">→</span> ${
    text(change[AFTER], figure.kind)}</span>${whisker(change, hue)}<span class="by ${hue}"><b>${by}</b>${margin}</span><span class="wide">${
    calledBy === 0 ? `<span class="sc">${text(calls[BEFORE], "calls")}</span>` : `${calledBy > 0 ? "+" : "−"}${text(Math.abs(calledBy), "calls")}`}</span></div>`;
}

function heading(figure) {
  return `<div class="dr head wide"><div>Function</div><span>${escape(figure.title)}, before → after</span><div class="scale"><span>−45 %</span><span>same</span><span>+45 %</span></div><span>change</span><span>calls</span></div>`;
}

const SHOWN = 300;

function section(id, title, list, tag, about, figure, isClosed = false) {
  if (list.length === 0)
    return "";
  const body = heading(figure) + list.slice(0, SHOWN).map((row) => rowMarkup(row, figure)).join("")
    + (list.length > SHOWN ? `<div class="note">${exact(list.length - SHOWN)} more.</div>` : "");
  if (isClosed)
    return `<section class="card" id="${id}"><details><summary>${counted(list.length, "function")} ${title}</summary>${body}</details></section>`;
  return `<section class="card" id="${id}"><header><span class="tag ${tag}">${exact(list.length)}</span><h2>${title}</h2><span class="sub">${about}</span></header>${body}</section>`;
}

// What is gone under a name and new under the same one: a static function of a file that was renamed.
function pair(list) {
  const gone = new Map(list.filter((row) => row.finding === "vanished").map((row) => [row.scope + row.base, row]));
  const paired = [];
  const taken = new Set();
  for (const row of list) {
    const other = row.finding === "new" ? gone.get(row.scope + row.base) : null;
    if (!other || taken.has(other))
      continue;
    taken.add(row).add(other);
    paired.push({ ...row, finding: "compiled anew", changes: row.changes.map((change, i) => [other.changes[i][BEFORE], change[AFTER], 0, "unknown"]) });
  }
  return { paired, rest: list.filter((row) => !taken.has(row)) };
}

// ---- The sentence -------------------------------------------------------------------------------

// The values of each run, those after the change in another colour.
function sparkline(sides) {
  const values = sides.flat();
  if (values.length < 3)
    return "";
  const most = Math.max(...values, 1);
  const step = 10;
  let at = 0;
  const bars = sides.map((list, side) => list.map((value) => {
    const height = Math.max(1, 26 * value / most);
    const x = at++ * step + side * 6;
    return `<rect class="${side === 0 ? "before" : "after"}" x="${x}" y="${(28 - height).toFixed(1)}" width="${step - 3}" height="${height.toFixed(1)}"><title>${side === 0 ? "before" : "after"}: ${text(value)}</title></rect>`;
  }).join("")).join("");
  return `<svg class="spark" width="${Math.min(240, at * step + 6)}" height="30" viewBox="0 0 ${at * step + 6} 30" preserveAspectRatio="none" role="img" aria-label="${escape(`${CLOCK} time of each run: ${values.map((value) => text(value)).join(", ")}`)}">${bars}</svg>`;
}

function verdict(proven, figure) {
  const worse = proven.filter((row) => row.changes[figure.at][AFTER] > row.changes[figure.at][BEFORE]).length;
  const better = proven.length - worse;
  const words = figure.kind === "ns" ? ["slower", "faster"] : ["with more", "with fewer"];
  const whole = difference.whole[figure.at === 3 ? 2 : figure.at];
  const change = percent(whole);
  const all = whole[VERDICT] === "found" ? whole[AFTER] > whole[BEFORE] ? "the whole is more" : "the whole is less" : whole[VERDICT] === "same" ? "the whole is the same" : whole[VERDICT] === "unknown" ? "of the whole so few runs tell nothing" : "the whole within noise";
  const calls = difference.whole[0];
  return `<section class="card" id="verdict"><div class="verdict"><div class="big">${proven.length === 0 && whole[VERDICT] === "unknown" ? "So few runs tell nothing of time" : `${counted(worse, "function")} ${words[0]}, ${exact(better)} ${words[1]}; ${all}`}</div><div>${
    figure.kind === "ns" ? `${CLOCK} time` : escape(figure.title)} <b>${text(whole[BEFORE], figure.kind === "ns" ? "ns" : figure.kind)}</b> → <b>${text(whole[AFTER], figure.kind === "ns" ? "ns" : figure.kind)}</b>, ${signed(change)}${
    whole[MARGIN] > 0 && whole[BEFORE] > 0 ? ` <span class="pm">± ${(100 * whole[MARGIN] / whole[BEFORE]).toFixed(1)}</span>` : ""}</div>${difference.run_values ? sparkline(difference.run_values) : ""}
    <div class="sub">${counted(difference.runs[0], "run")} before, ${exact(difference.runs[1])} after · calls ${text(calls[BEFORE], "calls")} → ${text(calls[AFTER], "calls")}</div><span class="grow"></span>
    <button class="chip" data-help="difference"><b>±</b> 1 in 100 may be wrong</button></div>${difference.failed.map((reason) => `<div class="warning">${escape(reason)}</div>`).join("")}</section>`;
}

// ---- The differential flame graph ---------------------------------------------------------------

class SideTree {
  constructor(side) {
    const { parent, function: fn } = difference.nodes;
    this.nodes = parent.map((_, i) => ({ fn: fn[i], number: i, self: difference.nodes[side][i], total: difference.nodes[side][i], up: null, list: [],
                                        path() { return this.up ? [...this.up.path(), this.fn] : []; } }));
    for (let i = parent.length - 1; i > 0; i--) {
      this.nodes[i].up = this.nodes[parent[i]];
      this.nodes[parent[i]].total += this.nodes[i].total;
      if (this.nodes[i].total > 0)
        this.nodes[parent[i]].list.push(this.nodes[i]);
    }
    for (const node of this.nodes)
      node.list.sort((a, b) => b.total - a.total);
    this.root = this.nodes[0];
  }

  kids(node) {
    return node.list;
  }
}

const sides = new Map();
const sideTree = (side) => sides.get(side) || sides.set(side, new SideTree(side)).get(side);

function changeClass(node) {
  const [before, after] = ["before", "after"].map((side) => sideTree(side).nodes[node.number].total);
  if (["noise", "same"].includes(difference.nodes.verdict[node.number]) || before === after)
    return "noise";
  const strength = Math.min(1, 4 * Math.abs(after - before) / Math.max(before, after));
  return `${after > before ? "worse" : "better"}${strength > 0.5 ? 2 : 1}`;
}

function flamePart(state) {
  const side = state.order === "before" ? "before" : "after";
  return `<section class="card col fill"><header><h2>By context</h2>${choice("As wide as the time", [
    { text: "Before", href: address({ order: "before" }), on: side === "before", id: "width-before" },
    { text: "After", href: address({ order: "" }), on: side === "after", id: "width-after" }])}<span class="sub">as wide as the ${CLOCK} time ${side}</span><span class="grow"></span>
    <div class="legend"><span><span class="dot worse2"></span> slower</span><span><span class="dot better2"></span> faster</span><span><span class="dot noise"></span> noise</span></div></header>
    <div class="flame" id="diff-flame"></div>${difference.omitted > 0 ? `<div class="note">${exact(difference.omitted)} of the lightest contexts are left out.</div>` : ""}</section>`;
}

function drawFlame(state) {
  const side = state.order === "before" ? "before" : "after";
  const totals = (node) => ["before", "after"].map((other) => sideTree(other).nodes[node.number].total);
  const open = (fn) => {
    const f = fn >= 0 ? rows[fn].known : null;
    if (f)
      location.hash = link(f).match(/href="([^"]*)"/)[1].replace(/&amp;/g, "&");
  };
  flameGraph(find("#diff-flame"), {
    tree: sideTree(side), kind: "ns", functions: rows, colorOf: changeClass, rootName: "all contexts", label: "Difference by context",
    path: state.zoom ? state.zoom.split(".").map(Number) : [], isFound: state.search ? fits(state.search) : () => false,
    tip: ({ node }) => {
      const [before, after] = totals(node);
      return `<b>${escape(rows[node.fn].name)}</b><dl><dt>before</dt><dd>${text(before)}</dd><dt>after</dt><dd>${text(after)}</dd><dt>change</dt><dd>${
        before > 0 ? signed(100 * (after - before) / before) : "new"} ${difference.nodes.verdict[node.number] === "noise" ? "noise" : ""}</dd></dl>`;
    },
    on: { zoom: (path) => go({ zoom: path.join(".") }), select: (fn, box, isFocus) => !isFocus && go({ zoom: box.node.path().join(".") }), open },
  });
}

// ---- The view -----------------------------------------------------------------------------------

export function differenceView(state) {
  const figure = FIGURES.find((other) => other.key === state.by && (other.key !== "bytes" || difference.memory)) || FIGURES[0];
  const shown = rows.filter((row) => row.shown && (!state.search || fits(state.search)(row)));
  const size = (row) => Math.abs(row.changes[figure.at][AFTER] - row.changes[figure.at][BEFORE]);
  const bySize = (list) => list.slice().sort((a, b) => size(b) - size(a));
  const isThere = (row) => row.finding !== "new" && row.finding !== "vanished";
  const proven = bySize(shown.filter((row) => isThere(row) && isProven(row.changes[figure.at]) && size(row) > 0));
  const rest = shown.filter((row) => !proven.includes(row));
  const otherwise = bySize(rest.filter((row) => isThere(row) && row.changes.some((change, i) => isProven(change) && change[AFTER] !== change[BEFORE] && (i !== 4 || difference.memory))));
  const { paired, rest: alone } = pair(rest.filter((row) => !isThere(row)));
  const untold = bySize(rest.filter((row) => isThere(row) && !otherwise.includes(row) && row.changes[figure.at][VERDICT] === "unknown"));
  const noise = bySize(rest.filter((row) => isThere(row) && !otherwise.includes(row) && !untold.includes(row) && row.changes[figure.at][VERDICT] === "noise"));
  const same = rest.filter((row) => isThere(row) && !otherwise.includes(row) && !untold.includes(row) && !noise.includes(row)).length;
  const switches = choice("Figure", FIGURES.filter((other) => other.key !== "bytes" || difference.memory).map((other) => ({ text: escape(other.title), href: address({ by: other.key }), on: other === figure, id: "by-" + other.key })));
  const none = proven.length + otherwise.length + paired.length + alone.length + untold.length === 0
    ? `<section class="card">${nothing("No change is more than noise.")}</section>` : "";
  return {
    markup: `${verdict(proven, figure)}<div class="bar-of-choices">${switches}</div>${none}${section("proven", "Proven changes", proven, "r", "the whisker does not reach “same”", figure)}${
      section("otherwise", "Changed by other figures", otherwise, "w", "counts of calls are exact; this figure may be noise", figure)}${
      section("paired", "The same function, compiled anew", paired, "n", "gone and new under one name: paired", figure)}${
      section("alone", "New or gone", bySize(alone), "n", "in the runs of one side only", figure)}${
      section("untold", "Too few runs to tell", untold, "n", "one run on a side tells nothing of noise", figure)}${
      section("noise", "differ by noise only", noise, "n", "", figure, true)}${same > 0 ? `<div class="note">${counted(same, "function")} did not change.</div>` : ""}${flamePart(state)}`,
    after: () => drawFlame(state),
  };
}

