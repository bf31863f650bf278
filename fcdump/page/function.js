// SPDX-License-Identifier: GPL-3.0-or-later
//
// A function: its figures, who calls it, what its time went to, how long its calls took, its source, and
// the flame graphs of all its callers and callees.
import { arcs, data, doubtOf, functionOf, functions, kindsText, nameOf, OUTSIDE, placeOf, weights } from "./data.js";
import { escape, find, nothing } from "./dom.js";
import { counted, exact, html, share, text } from "./format.js";
import { flameGraph, legend } from "./flamegraph.js";
import { facts } from "./flame-card.js";
import { bar, fits, link, nameMarkup } from "./functions.js";
import { sourceCard } from "./source.js";
import { address } from "./state.js";
import { callees as calleesOf, callers as callersOf } from "./tree.js";

const cpu = weights[0];
const waited = weights.find((weight) => weight.key === "waited");

const figure = (key, value, more = "") => `<div data-figure="${escape(key)}"><div class="k">${key}</div><div class="n">${value}${more ? `<em>${more}</em>` : ""}</div></div>`;

function figures(f) {
  const doubt = doubtOf(f);
  const list = [
    figure(`Own ${cpu.title}`, html(cpu.own(f)), `${share(cpu.own(f), cpu.base)}${doubt.text ? ` · <span class="${doubt.isLarge ? "amber" : ""}">${doubt.text}</span>` : ""}`),
    figure(`Total ${cpu.title}`, html(cpu.total(f)), share(cpu.total(f), cpu.base)),
  ];
  if (waited) {
    list.push(figure("Waited itself", html(waited.own(f)), `${share(waited.own(f), waited.base)} of waiting`));
    if (waited.own(f) > 0)
      list.push(figure("of it blocked", html(f.off.blocked), escape(kindsText(f.off))), figure("and preempted", html(f.off.preempted)));
    if (f.waitsAt)
      list.push(figure("Waits mostly at", escape(placeOf(f.waitsAt)), text(f.waitsAt.ns)));
    list.push(figure("Waited in all", html(waited.total(f)), share(waited.total(f), waited.base)));
  }
  list.push(f.isUncounted ? figure("Calls", "–", "not counted: only samples show it") : figure("Calls", html(f.calls, "calls"), data.misses_calls ? "at least" : "exact"));
  if (f.percentiles)
    list.push(figure("Half take up to", f.boundMark + html(f.percentiles[0]), "elapsed"), figure("99 % up to", f.boundMark + html(f.percentiles[2]), "elapsed"));
  if (f.max > 0)
    list.push(figure("Fastest", f.boundMark + html(f.min), "elapsed"), figure("Slowest", f.boundMark + html(f.max), "elapsed"));
  if (data.heap)
    list.push(figure("Allocated itself", html(f.memory.bytes, "bytes"), `${counted(f.memory.blocks, "block")}, ${text(f.memory["live-bytes"], "bytes")} never freed`));
  return `<div class="stats" id="figures">${list.join("")}</div>`;
}

// ---- Callers, callees --------------------------------------------------------------------------

// Of memory the profile tells no arcs: it is that of the contexts.
function arcValue(f, weight) {
  if (weight.arc)
    return weight.arc;
  const above = callersOf(weight, "", f.index);
  const below = calleesOf(weight, "", f.index);
  const byFunction = (tree) => new Map(tree.kids(tree.root).map((node) => [node.fn, node.total]));
  const [callers, callees] = [byFunction(above), byFunction(below)];
  return (arc) => (arc.callee === f.index ? callers.get(arc.caller < 0 ? OUTSIDE : arc.caller) : callees.get(arc.callee)) || 0;
}

const ROWS = 10;

function arcRow(arc, other, weight, value, whole) {
  const via = arc.via ? `<span class="ct" title="${escape(arc.via)}">via ${escape(arc.via)}</span>` : "";
  const name = other >= 0 ? nameMarkup(functions[other]) : `<span class="sc">${escape(nameOf(OUTSIDE))}</span>`;
  const mark = weight.kind === "ns" ? arc.mark : "";
  const slow = arc.percentiles ? ` data-tip="p50 ${text(arc.percentiles[0])}, p90 ${text(arc.percentiles[1])}, p99 ${text(arc.percentiles[2])} of its calls from there, elapsed"` : "";
  const inner = `<span class="fn">${name}${via}</span>${bar(value, whole, weight)}<span class="v">${escape(mark)}${html(value, weight.kind)}</span><span class="sc">${
    functions[arc.callee].isUncounted ? "" : `${arc.isApportioned ? "~" : ""}${text(arc.calls, "calls")}×`}</span>`;
  return other >= 0 ? `<a class="arc" href="${link(functions[other]).match(/href="([^"]*)"/)[1]}"${slow}>${inner}</a>` : `<div class="arc"${slow}>${inner}</div>`;
}

function arcList(list, otherOf, weight, valueOf, whole, first = "") {
  const rows = list.map((arc) => [arc, valueOf(arc)]).sort((a, b) => b[1] - a[1] || b[0].calls - a[0].calls);
  const markup = rows.map(([arc, value]) => arcRow(arc, otherOf(arc), weight, value, whole));
  const more = markup.length - ROWS;
  return first + markup.slice(0, ROWS).join("") + (more > 0 ? `<details><summary>${exact(more)} more</summary>${markup.slice(ROWS).join("")}</details>` : "")
    || nothing("None that was recorded.");
}

// ---- How long calls took ------------------------------------------------------------------------

// Buckets by powers of two, with the empty ones between: {from, calls, time}; their time is estimated.
function bucketsOf(f) {
  const counts = new Map();
  for (let i = 0; i < f.histogram.length; i += 2)
    counts.set(f.histogram[i], f.histogram[i + 1]);
  const numbers = Array.from(counts.keys());
  const list = [];
  for (let bucket = Math.min(...numbers); bucket <= Math.max(...numbers); bucket++) {
    const calls = counts.get(bucket) || 0;
    const from = bucket === 0 ? 0 : 2 ** (bucket - 1);
    list.push({ from, to: bucket === 0 ? 1 : 2 * from, calls, time: calls * (f.max > 0 ? Math.min(1.42 * from, f.max) : 1.42 * from) });
  }
  return list;
}

const [HEIGHT, AXIS, WIDEST] = [78, 24, 64];

function histogram(f, width) {
  const buckets = bucketsOf(f);
  const calls = buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  const time = buckets.reduce((sum, bucket) => sum + bucket.time, 0) || 1;
  const mostCalls = Math.max(...buckets.map((bucket) => bucket.calls));
  const mostTime = Math.max(...buckets.map((bucket) => bucket.time), 1);
  const step = Math.min((width - 16) / buckets.length, WIDEST);
  const middle = HEIGHT + 26;
  const least = Math.max(buckets[0].from, 1);
  const bars = buckets.map((bucket, i) => {
    const up = bucket.calls ? Math.max(1.5, HEIGHT * bucket.calls / mostCalls) : 0;
    const down = bucket.calls ? Math.max(1.5, HEIGHT * bucket.time / mostTime) : 0;
    const x = (8 + i * step).toFixed(1);
    const tip = `${text(bucket.from)} to ${text(bucket.to)}: ${exact(bucket.calls)} calls (${share(bucket.calls, calls)}), about ${share(bucket.time, time)} of the time`;
    return `<g class="bucket" data-from="${bucket.from}" data-calls="${bucket.calls}" data-tip="${tip}"><rect x="${x}" y="0" width="${step.toFixed(1)}" height="${middle + HEIGHT + AXIS}" class="hit"/>
      <rect x="${x}" y="${(middle - up).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}" height="${up.toFixed(1)}" class="calls"/><rect x="${x}" y="${middle + AXIS - 6}" width="${
      Math.max(1, step - 2).toFixed(1)}" height="${down.toFixed(1)}" class="time"/></g>`;
  });
  const every = Math.ceil(buckets.length * 62 / width);
  const labels = buckets.map((bucket, i) => i % every === 0 && 8 + i * step < width - 50 ? `<text x="${(9 + i * step).toFixed(1)}" y="${middle + 13}">${text(bucket.from)}</text>` : "");
  const placeX = (ns) => Math.min(8 + step * (Math.log2(Math.max(ns, least) / least) + (buckets[0].from === 0 ? 1 : 0)), width - 3);
  const lines = f.percentiles ? [["p50", f.percentiles[0]], ["p90", f.percentiles[1]], ["p99", f.percentiles[2]], ["max", f.max]] : [];
  let free = 0;
  const marks = lines.map(([name, ns]) => {
    const x = placeX(ns);
    const isLast = name === "max" && x - 34 > free; // else it stands behind the others
    const at = isLast ? x - 4 : Math.max(x + 3, free);
    free = at + 28;
    return `<path d="M${x.toFixed(1)} 14V${middle}" class="mark"/><text class="b" x="${at.toFixed(1)}" y="10"${isLast ? ' text-anchor="end"' : ""}>${name}</text>`;
  });
  return `<svg width="100%" height="${middle + HEIGHT + AXIS}" viewBox="0 0 ${width} ${middle + HEIGHT + AXIS}" role="img" aria-label="How many calls took how long"><g>${bars.join("")}</g><g class="labels">${
    labels.join("")}${marks.join("")}</g></svg><div class="sub">above <span class="dot ow cpu"></span> share of calls, below <span class="dot ow block"></span> share of their time, about</div>`;
}

function moment(ns) {
  const since = data.start_realtime_ns > 0 ? ns - data.start_realtime_ns : 0;
  return since >= 0 ? `after ${text(since)}` : "before the start";
}

function slowestList(f) {
  if (f.slowest.length === 0)
    return "";
  return `<div class="slow" id="slowest"><h3>Slowest calls, elapsed</h3>${f.slowest.map(([total, realtime, tid, chain]) =>
    `<div><b>${text(total)}</b> ${moment(realtime)} in thread ${tid}${chain.length > 1
      ? `<span class="at" title="${escape(chain.slice().reverse().map(nameOf).join(" › "))}">by ${chain.slice(1, 5).map((fn) => link(functions[fn])).join(" ‹ ")}</span>` : ""}</div>`).join("")}</div>`;
}

function latencyCard(f) {
  const about = f.boundMark ? "those of its calls that were timed" : "elapsed, waiting included";
  const body = f.histogram.length > 0 ? `<div id="latency" class="pad"></div>` : nothing("No call was timed to its end.");
  const percentiles = f.percentiles
    ? `<table class="plain" id="percentiles"><tr><th>p50<th>p90<th>p99<th>p99.9<th>slowest</tr><tr>${[...f.percentiles, f.max].map((ns) => `<td>${f.boundMark}${text(ns)}</td>`).join("")}</tr></table>`
    : f.histogram.length > 0 && !data.has_latency ? `<p class="note"><code>FC_LATENCY=1</code> adds percentiles, <code>FC_SLOWEST=5</code> the slowest calls.</p>` : "";
  return `<section class="card"><header><h2>How long calls took</h2><span class="sub">${about}</span></header>${body}${percentiles}${slowestList(f)}</section>`;
}

// ---- The view -----------------------------------------------------------------------------------

export function functionView(state, weight) {
  const f = functionOf(state.f);
  if (!f)
    return { markup: `<section class="card">${nothing(`No function is called ${escape(state.f)}.`)}</section>` };
  const valueOf = arcValue(f, weight);
  const whole = Math.max(weight.total(f), 1);
  const itself = `<div class="arc" data-itself><span class="fn"><i>itself</i></span>${bar(0, whole, weight, weight.own(f))}<span class="v">${html(weight.own(f), weight.kind)}</span><span class="sc">${
    share(weight.own(f), whole)}</span></div>`;
  const into = arcs.filter((arc) => arc.callee === f.index);
  const from = arcs.filter((arc) => arc.caller === f.index);
  const markup = `<section class="card"><header class="title"><span class="dot c${f.color}"></span><h1 id="name" title="${escape(f.name)}"><span class="sc">${escape(f.scope)}</span>${escape(f.base)}</h1>
    <span class="sub">${escape(placeOf(f))}</span><span class="grow"></span><a class="btn wide" href="${escape(address({ view: "flame" }))}" data-pick="${f.index}">Show in flame graph</a></header>
    ${f.name !== f.scope + f.base ? `<div class="whole-name" tabindex="0">${escape(f.name)}</div>` : ""}${figures(f)}</section>
    <div class="split f"><div class="column"><section class="card" id="callers"><header><h2>Called by</h2><span class="sub">${escape(weight.phrase)} of ${escape(f.base)} from there</span></header>${
    arcList(into, (arc) => arc.caller, weight, valueOf, whole)}</section><section class="card" id="callees"><header><h2>Its ${weight.kind === "ns" ? "time" : escape(weight.phrase)}</h2><span class="sub">itself and what it calls${
    weight.kind === "ns" ? `, ${escape(weight.phrase)}` : ""}</span></header>${arcList(from, (arc) => arc.callee, weight, valueOf, whole, itself)}</section>${latencyCard(f)}</div>${sourceCard(f)}</div>
    <section class="card"><header><h2>Above: who called it. Below: what it calls.</h2><span class="sub">${escape(weight.phrase)}</span><span class="grow"></span>${legend(weight)}</header>
    <div class="flame whole" id="above"></div><div class="flame whole" id="below"></div></section>`;
  const after = (on) => {
    const host = find("#latency");
    if (host)
      host.innerHTML = histogram(f, Math.max(260, host.clientWidth - 16));
    const common = { kind: weight.kind, phrase: weight.phrase, facts, quiet: true, rowLeast: 20, rowMost: 26, room: () => 400, rootName: nameOf(f.index),
                     isFound: state.search ? fits(state.search) : () => false,
                     on: { zoom: (path) => path.length > 0 && on.open(path[path.length - 1]), select: (fn, box, isFocus) => fn >= 0 && fn !== f.index && !isFocus && on.open(fn) } };
    const above = callersOf(weight, state.order, f.index);
    const pictures = [];
    if (above.kids(above.root).length > 0)
      pictures.push(flameGraph(find("#above"), { ...common, tree: above, upwards: true, label: `Callers by ${weight.phrase}` }));
    pictures.push(flameGraph(find("#below"), { ...common, tree: calleesOf(weight, state.order, f.index), hasSelf: true, label: `Callees by ${weight.phrase}` }));
    return pictures;
  };
  return { markup, after };
}

