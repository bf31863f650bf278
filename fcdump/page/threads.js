// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads and processes: a lane for each thread on the run's time axis, with when it ran, was preempted and was
// blocked; and what the chosen one ran and waited in.
import { data, functions, kindsText, knowsWaits, lastMoment, offOf, roles, threads, weights } from "./data.js";
import { escape, find } from "./dom.js";
import { counted, exact, html, text } from "./format.js";
import { link } from "./functions.js";
import { address } from "./state.js";

const FILLS = [["cpu", (thread) => thread.running], ["pre", (thread) => thread.preempted], ["mgr", (thread) => thread.manager]];

const fill = (thread) => FILLS.map(([hue, value]) => value(thread) > 0.004 * thread.life
  ? `<i style="height:${(100 * value(thread) / thread.life).toFixed(1)}%;background:var(--${hue})"></i>` : "").join("");

const place = (thread) => `left:${(100 * thread.from / lastMoment).toFixed(2)}%;width:${(100 * thread.life / lastMoment).toFixed(2)}%`;

// The thread's life in equal pieces, from the profile's buckets: what each was spent on.  The last one ends with the
// thread, and libfc's own time, of which it is not known when it was, is in what ran.
function* buckets({ lanes, start_ns, life }) {
  const end = start_ns + life;
  for (let i = 0; i < lanes.blocked_ns.length; i++) {
    const from = Math.max(start_ns, lanes.start_ns + i * lanes.width_ns);
    const span = Math.min(end, lanes.start_ns + (i + 1) * lanes.width_ns) - from;
    const [blocked, preempted] = [lanes.blocked_ns[i], lanes.preempted_ns[i]];
    const whole = Math.max(span, blocked + preempted);
    if (span > 0)
      yield { from: from - start_ns, span, blocked, preempted, running: whole - blocked - preempted, whole };
  }
}

function bucketMarkup(bucket, life) {
  const [cpu, cpuAndPreempted] = [bucket.running, bucket.running + bucket.preempted].map((ns) => (100 * ns / bucket.whole).toFixed(1));
  return `<i class="slot" style="left:${(100 * bucket.from / life).toFixed(3)}%;width:calc(${(100 * bucket.span / life).toFixed(3)}% + 0.5px);--on:${cpu}%;--ready:${cpuAndPreempted}%"></i>`;
}

const knowsMoments = ({ lanes, life }) => Boolean(lanes) && lanes.blocked_ns.length > 0 && life > 0;

// By height where it is not known when: its share of the thread's life.
const run = (thread) => knowsMoments(thread) ? `<span class="run timed" style="${place(thread)}">${
  Array.from(buckets(thread), (bucket) => bucketMarkup(bucket, thread.life)).join("")}</span>`
  : `<span class="run${knowsWaits ? "" : " unknown"}" style="${place(thread)}">${fill(thread)}</span>`;

const knowsWhen = threads.some(knowsMoments);

// What is under the pointer, instead of what is said of the whole lane.
function tellMoments(host) {
  host.addEventListener("pointermove", (event) => {
    const track = event.target.closest(".track");
    const lane = track && track.closest("[data-thread]");
    const thread = lane && threads[Number(lane.dataset.index)];
    if (!thread || !knowsMoments(thread))
      return;
    const { left, width } = track.getBoundingClientRect();
    const at = (event.clientX - left) / width * lastMoment - thread.from;
    const found = Array.from(buckets(thread)).find((bucket) => at >= bucket.from && at < bucket.from + bucket.span);
    track.dataset.tip = found ? `from ${text(thread.from + found.from)} on, of ${text(found.span)}: on the CPU ${text(found.running)}, blocked ${text(found.blocked)}, preempted ${
      text(found.preempted)}` : lane.dataset.tip;
  });
}

// Where the trace has calls of each thread, by its number: what is nearly beside one another is one piece.  Calls
// that were made before its first record are those around it.
const EARLY = 2;
const traced = new Map();
for (const [index, , , , from, to, flags] of data.trace ? data.trace.calls : []) {
  if (flags & EARLY)
    continue;
  if (!traced.has(index))
    traced.set(index, []);
  const pieces = traced.get(index);
  const last = pieces[pieces.length - 1];
  if (last && from <= last.to + lastMoment / 500)
    last.to = Math.max(last.to, to);
  else
    pieces.push({ from, to });
}

const tracedPart = (thread) => (traced.get(thread.index) || []).map(({ from, to }) => `<span class="traced" style="left:${
  (100 * from / lastMoment).toFixed(2)}%;width:${(100 * (to - from) / lastMoment).toFixed(2)}%"></span>`).join("");

const key = () => knowsWaits ? `<div class="legend">${[["cpu", "on the CPU"], ["pre", "preempted"], ...(knowsWhen ? [] : [["mgr", "profiler"]]), ["block2", "blocked"]].map(([hue, name]) =>
  `<span><span class="dot" style="background:var(--${hue})"></span> ${name}</span>`).join("")}</div>` : "";

const STEPS = [1, 2, 5];

export function axis(from, to) {
  const span = to - from;
  let step = 1;
  for (let i = 0; span / step > 9; i++)
    step = STEPS[i % 3] * 10 ** Math.floor(i / 3);
  const marks = [];
  for (let at = Math.ceil(from / step) * step; at < from + span * 0.97; at += step)
    marks.push(`<i style="left:${(100 * (at - from) / span).toFixed(2)}%">${at === 0 ? "0 s" : text(at).replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ")}</i>`);
  return `<div class="axis">${marks.join("")}</div>`;
}

const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);
const LANES = 8; // of a group, where there is little room

export function shortLanes() {
  const head = knowsWaits ? ["CPU", "blocked", "preempted"] : ["elapsed", "", ""];
  const rows = roles.map((role) => {
    const cells = knowsWaits ? [sum(role.threads, (thread) => thread.running), sum(role.threads, (thread) => thread.blocked), sum(role.threads, (thread) => thread.preempted)]
      : [sum(role.threads, (thread) => thread.life)];
    const rest = role.threads.length - LANES;
    return `<div class="fn" title="${escape(role.name)}"><b>${escape(role.name)}</b><span class="ct">×${role.threads.length}</span></div><div class="tracks">${
      role.threads.slice().sort((a, b) => b.has_lane - a.has_lane).slice(0, LANES).map((thread) => `<div>${run(thread)}</div>`).join("")}${rest > 0 ? `<span class="sub">${exact(rest)} more threads</span>` : ""}</div>${
      [0, 1, 2].map((i) => `<div class="s" data-k="${head[i]}">${cells[i] === undefined ? "" : html(cells[i])}</div>`).join("")}`;
  });
  return `<section class="card" id="lanes"><header><h2>Threads</h2><span class="sub">each line is one thread’s life; its fill shows how that time was spent${knowsWhen ? "" : ", not when"}</span><span class="grow"></span>${
    key()}<a href="${escape(address({ view: "threads" }))}">all figures →</a></header><div class="mini"><span class="h">Runs</span><span class="h"></span>${
    head.map((name) => `<span class="s h">${name}</span>`).join("")}${rows.join("")}<span class="wide"></span>${axis(0, lastMoment)}</div></section>`;
}

// ---- The view -----------------------------------------------------------------------------------

function lane(thread, number, of, chosen) {
  const name = of > 1 ? `${escape(thread.roleName)} ${number}` : `<b>${escape(thread.roleName)}</b>`;
  const cell = (title, value, kind = "ns") => `<span data-k="${title}">${value === null ? "–" : html(value, kind)}</span>`;
  return `<a class="lane t${thread === chosen ? " on" : ""}" href="${escape(address({ lane: String(thread.index) }))}" data-thread="${thread.tid}" data-index="${thread.index}" data-tip="${
    escape(`${thread.name || "no name"}, ${thread.tid}: from ${text(thread.from)} to ${text(thread.to)}${thread.ended ? "" : ", alive at the end"}`)}"><span class="who">${name} <span class="pm">${
    thread.tid}</span></span><div class="track">${run(thread)}${tracedPart(thread)}</div>${cell("on the CPU", thread.has_waits ? thread.running : null)}${cell("blocked", thread.has_waits ? thread.blocked : null)}${
    cell("preempted", thread.has_waits ? thread.preempted : null)}${cell("calls", thread.calls, "calls")}</a>`;
}

function functionList(rows, hue) {
  const most = rows.length > 0 ? rows[0][1] : 1;
  return rows.map(([fn, ns, about]) => `<div class="arc two-columns"${about ? ` data-tip="${escape(about)}"` : ""}>${link(functions[fn])}<span class="bar ${hue}"><i class="ow" style="width:${(100 * ns / most).toFixed(1)}%"></i></span><span class="v">${
    html(ns)}</span></div>`).join("") || `<div class="none">Nothing to show.</div>`;
}

const [CPU, WAIT] = [3, 4]; // in a row of a thread's functions

function ofThread(thread) {
  const aboutWait = (off) => `blocked ${text(off.blocked)}${kindsText(off) ? ` (${kindsText(off)})` : ""}, preempted ${text(off.preempted)}`;
  const by = (at) => thread.functions.map((row) => [row[0], row[at], at === WAIT ? aboutWait(offOf(row[5])) : ""]).filter((row) => row[1] > 0).sort((a, b) => b[1] - a[1]).slice(0, 10);
  const clock = weights[0];
  const waits = by(WAIT);
  const open = thread.open.length > 0 && data.processes.some((process) => /kill|signal/i.test(process.end || ""))
    ? `<section class="card"><header><h2>Where thread ${thread.tid} was at the end</h2><span class="sub">innermost first</span></header>${
      thread.open.map((fn) => `<div class="arc two-columns">${link(functions[fn])}</div>`).join("")}</section>` : "";
  return `${open}<div class="two"><section class="card" id="ran"><header><h2>Where thread ${thread.tid} ran</h2><span class="sub">own ${escape(clock.phrase)}, ${text(clock.key === "cpu" ? thread.local_cpu_ns : thread.local_ns)} in all</span></header>${
    functionList(by(CPU), clock.hue)}</section><section class="card" id="waited"><header><h2>Where it waited</h2><span class="sub">blocked or preempted, in the function itself</span></header>${
    waits.length > 0 ? functionList(waits, "block") : `<div class="none">${thread.has_waits ? "It did not wait in any function." : "It is not known when it waited."}</div>`}</section></div>`;
}

const PROCESSES = 500;
const hasRanks = data.processes.some((process) => process.job);

// The rank of a job's process, and where it ran.
function jobCells({ job }) {
  if (!hasRanks)
    return "";
  return job ? `<td title="${escape([job.launcher, job.name, job.cpus && `processors ${job.cpus}`].filter(Boolean).join(", "))}">${job.rank}${job.size ? `<span class="sc"> of ${job.size}</span>` : ""}</td><td class="l wide">${
    escape(job.host || "")}</td>` : "<td></td><td></td>";
}

function processTable() {
  const rows = data.processes.slice().sort((a, b) => b.run_ns - a.run_ns).slice(0, PROCESSES);
  const commandOf = (process) => escape(process.command || process.executable || process.file);
  const row = (process) => `<tr><td>${html(process.run_ns)}</td><td>${process.pid}</td>${jobCells(process)}<td class="wide">${process.ppid}</td><td class="wide">${process.threads}</td><td class="l">${
    escape(process.end || "")}</td><td class="l cut" title="${commandOf(process)}">${commandOf(process)}</td></tr>`;
  return `<section class="card"><header><h2>${counted(data.processes.length, "process")}</h2>${rows.length < data.processes.length ? `<span class="sub">the ${PROCESSES} longest ones</span>` : ""}${data.start_realtime_ns > 0 ? `<span class="sub">started ${escape(new Date(data.start_realtime_ns / 1e6).toLocaleString())}</span>` : ""}</header><div class="scroll">
    <table id="processes"><thead><tr><th>elapsed</th><th>pid</th>${hasRanks ? '<th>rank</th><th class="l wide">host</th>' : ""}<th class="wide">parent</th><th class="wide">threads</th><th class="l">end</th><th class="l">command</th></tr></thead>
    <tbody>${rows.map(row).join("")}</tbody></table></div></section>`;
}

// Of those that have no lane.
function restMarkup(rest) {
  const all = (title, value, kind = "ns") => `${text(sum(rest, value), kind)} ${title}`;
  return `<div class="note">${exact(rest.length)} more ${rest.length === 1 ? "thread" : "threads"} of this kind${rest.length === 1 ? "" : ", together"}: ${
    knowsWaits ? `${all("on the CPU", (thread) => thread.running)}, ${all("blocked", (thread) => thread.blocked)}, ${all("preempted", (thread) => thread.preempted)}, ` : ""}${
    all("calls", (thread) => thread.calls, "calls")}.</div>`;
}

export function threadsView(state) {
  if (threads.length === 0)
    return { markup: `<section class="card"><div class="none">The profile does not tell threads apart.</div></section>${processTable()}` };
  const heaviest = threads.slice().sort((a, b) => b.local_cpu_ns - a.local_cpu_ns)[0];
  const chosen = threads[Number(state.lane)] && state.lane !== "" ? threads[Number(state.lane)] : heaviest;
  const lanes = threads.filter((thread) => thread.has_lane).length;
  const group = (role) => {
    const shown = role.threads.filter((thread) => thread.has_lane);
    const rest = role.threads.filter((thread) => !thread.has_lane);
    const idle = role.threads.every((thread) => thread.idle);
    const title = role.threads.length > 1
      ? `<div class="grp"><b>${escape(role.name)}</b>×${role.threads.length}${idle ? ' <span class="tag n">only waited</span>' : ""}</div>` : "";
    return title + shown.map((thread, i) => lane(thread, i + 1, role.threads.length, chosen)).join("")
      + (rest.length > 0 ? restMarkup(rest) : "");
  };
  const about = knowsWhen ? "the height of a colour is its share of that moment" : knowsWaits ? "the height of a fill is its share of the thread’s life, not when it happened"
    : "it is not known when threads waited";
  return { markup: `<section class="card"><header><h2>${counted(threads.length, "thread")}</h2><span class="sub">${lanes < threads.length ? `the ${exact(lanes)} that ran most have lanes; ` : ""}named by what they run; ${about}${
    data.trace ? "; the line below is where the trace has calls" : knowsWhen ? "" : " (<code>FC_TRACE</code> records when)"}</span><span class="grow"></span>${key()}</header><div class="lanes" id="threads"><div class="lane h"><span class="who">Thread</span>${
    axis(0, lastMoment)}<span data-tip="Time that the thread ran, hooks included">on the CPU</span><span data-tip="Waited of its own accord: lock, I/O, sleep, join">blocked</span><span data-tip="Was ready to run, but others had the processors">preempted</span><span>calls</span></div>${
    roles.map(group).join("")}</div></section>${ofThread(chosen)}${processTable()}`, after: () => tellMoments(find("#threads")) };
}

