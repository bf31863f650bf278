// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile of the page, as fcdump wrote it, and what all views ask of it.
import { find } from "./dom.js";
import { split } from "./names.js";
import { text } from "./format.js";

export const data = JSON.parse(find("#profile").textContent);

// What stands in place of a function in a tree of stacks.
export const OUTSIDE = -2;
const OMITTED = -3;
const FOLDED = -4;
const OTHERS = { [OUTSIDE]: "outside of all functions", [OMITTED]: "left out", [FOLDED]: "folded contexts" };

const KINDS_OF_WAIT = ["lock", "threads", "input", "sleep", "disk", "other", "unknown"]; // as fcdump --waits has them

// Of what a function waited itself: blocked and preempted apart, and what it was blocked by.
export function offOf([preempted, ...kinds]) {
  return { preempted, blocked: kinds.reduce((all, ns) => all + ns, 0), kinds: new Map(KINDS_OF_WAIT.map((kind, i) => [kind, kinds[i]])) };
}

// "lock 319 ms, sleep 2 ms": what is known of it, the longest first.
export const kindsText = (off) => Array.from(off.kinds).filter(([kind, ns]) => ns > 0 && (kind !== "unknown" || ns < off.blocked))
  .sort((a, b) => b[1] - a[1]).slice(0, 3).map(([kind, ns]) => `${kind} ${text(ns)}`).join(", ");

export const functions = data.functions.map((row, index) => {
  const f = {
    index, name: row[0], shown: row[1], file: row[2], line: row[3], module: row[4], calls: row[5],
    total: row[6], own: row[7], totalCpu: row[8], ownCpu: row[9],
    totalMark: row[10], totalError: row[11], ownMark: row[12], ownError: row[13], isKnown: row[14],
    min: row[15], max: row[16], boundMark: row[17], histogram: row[18], percentiles: row[19], slowest: row[20],
    memory: { bytes: row[21][0], blocks: row[21][1], "live-bytes": row[21][2], "peak-bytes": row[21][3] },
  };
  [f.scope, f.base] = split(row[22]);
  f.off = offOf(row[23]);
  f.isUncounted = row[24];
  f.waitsAt = row[25] && row[25][0] ? { file: row[25][0], line: row[25][1], ns: row[25][2] } : null;
  return f;
});

const byName = new Map();
for (const f of functions)
  if (!byName.has(f.name))
    byName.set(f.name, f);
// In an address: the name, or, for a further one of the same name, the number.
export const functionOf = (word) => byName.get(word) || (/^#\d+$/.test(word) ? functions[Number(word.slice(1))] : undefined);
export const wordOf = (f) => byName.get(f.name) === f ? f.name : "#" + f.index;

export const arcs = data.arcs.map((row) => ({
  caller: row[0], callee: row[1], calls: row[2], total: row[3], via: row[4], totalCpu: row[5], mark: row[6],
  isApportioned: row[7], percentiles: row[8],
}));

export function nameOf(fn) {
  return fn >= 0 ? functions[fn].scope + functions[fn].base : OTHERS[fn] || "all threads";
}

// ---- Files -------------------------------------------------------------------------------------

const isLibraryPath = (path) => /^\/(usr|lib|lib64|opt|nix)\//.test(path) && !/^\/usr\/(src|local\/src)\//.test(path);
const own = functions.map((f) => f.file).filter((file) => file && file.startsWith("/") && !isLibraryPath(file));
const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);

// What all source folders of the program begin with.
function commonFolder(files) {
  let common = files.length > 0 ? folderOf(files[0]) : "";
  for (const file of files)
    while (!file.startsWith(common))
      common = folderOf(common.slice(0, -1));
  return common;
}
const root = commonFolder(own);

export function fileOf(file) {
  if (!file)
    return "";
  if (root && file.startsWith(root))
    return file.slice(root.length);
  return file.replace(/^\/usr\/(?:local\/)?(?:include|lib)\/(?:c\+\+\/\d+\/)?/, "");
}

export const placeOf = (f) => f.file && f.line ? `${fileOf(f.file)}:${f.line}` : f.file ? fileOf(f.file) : "no debug line";

const moduleOf = (f) => f.module >= 0 ? data.modules[f.module] : "";
const isLibrary = (f) => f.file ? isLibraryPath(f.file) : /\.so(\.|$)/.test(moduleOf(f)) || /\.so[.\d]*\+0x/.test(f.name) || /^0x/.test(f.name);

// ---- Weights -----------------------------------------------------------------------------------

const nodesOf = new Map(data.weights.map((weight) => [weight.name, weight.self]));
const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);
export const allCalls = sum(functions, (f) => f.calls);
export const hasBoth = nodesOf.has("cpu"); // times on the CPU and off it are known apart
const onlyClock = data.clock === "cpu" || (data.clock === "elapsed" && data.time_mode >= 3) ? "cpu" : data.clock;

function timeWeights() {
  const elapsed = {
    key: "elapsed", title: "Elapsed", phrase: "elapsed time", hue: "cpu", own: (f) => f.own, total: (f) => f.total,
    arc: (arc) => arc.total, line: (mark) => mark.total, base: data.base_ns, self: nodesOf.get("time"),
  };
  if (!hasBoth) {
    const title = { cpu: "CPU", waited: "Waited", elapsed: "Elapsed" }[onlyClock];
    return [{ ...elapsed, key: onlyClock, title, phrase: { cpu: "CPU time", waited: "waiting", elapsed: "elapsed time" }[onlyClock],
              hue: onlyClock === "waited" ? "block" : "cpu" }];
  }
  const cpu = {
    key: "cpu", title: "CPU", phrase: "CPU time", hue: "cpu", own: (f) => f.ownCpu, total: (f) => f.totalCpu,
    arc: (arc) => arc.totalCpu, line: (mark) => mark.cpu, base: data.base_cpu_ns, self: nodesOf.get("cpu"),
  };
  const waited = {
    key: "waited", title: "Waited", phrase: "waiting", hue: "block", own: (f) => f.own - f.ownCpu,
    total: (f) => f.total - f.totalCpu, arc: (arc) => arc.total - arc.totalCpu, line: (mark) => mark.total - mark.cpu,
    base: data.base_ns - data.base_cpu_ns, self: elapsed.self.map((ns, i) => Math.max(0, ns - cpu.self[i])),
  };
  return [cpu, waited, elapsed];
}

const MEMORY = { bytes: "bytes allocated", blocks: "blocks allocated", "live-bytes": "bytes never freed",
                 "live-blocks": "blocks never freed", "peak-bytes": "bytes held at the peak" };

// Of a memory weight functions have what their own contexts have; of others the profile tells nothing.
function memoryWeight(weight) {
  const owns = new Float64Array(functions.length);
  data.nodes.function.forEach((fn, node) => { if (fn >= 0) owns[fn] += weight.self[node]; });
  const totals = () => totalsBelow(weight.self);
  let below = null;
  return {
    key: weight.name, title: MEMORY[weight.name], phrase: MEMORY[weight.name], kind: weight.unit, hue: "mem",
    own: (f) => owns[f.index], total: (f) => (below = below || totals())[f.index], arc: null, line: null,
    base: sum(Array.from(weight.self), (value) => value), self: weight.self,
  };
}

// Of each function what its contexts and all below them have: it is in no context below itself.
function totalsBelow(self) {
  const { parent, function: fn } = data.nodes;
  const total = Float64Array.from(self);
  const of = new Float64Array(functions.length);
  for (let node = parent.length - 1; node > 0; node--) {
    total[parent[node]] += total[node];
    if (fn[node] >= 0)
      of[fn[node]] += total[node];
  }
  return of;
}

export const weights = [
  ...timeWeights().map((weight) => ({ kind: "ns", ...weight })),
  { key: "calls", title: "Calls", phrase: "calls", kind: "calls", hue: "cpu", own: (f) => f.calls, total: (f) => f.calls,
    arc: (arc) => arc.calls, line: (mark) => mark.calls, base: allCalls, self: nodesOf.get("calls") },
  ...data.weights.filter((weight) => weight.name in MEMORY).map(memoryWeight),
];

const ALIASES = { time: "elapsed", wall: "elapsed", wait: "waited" };

export function weightOf(word) {
  return weights.find((weight) => weight.key === (ALIASES[word] || word)) || weights[0];
}

export const timeWeight = (weight) => weight.kind === "ns" ? weight : weights[0];

// ---- How sure times are ------------------------------------------------------------------------

// The standard error of a function's own time on the CPU as the first screen tells it: "± 12 %", "?".
export function doubtOf(f) {
  if (!f.isKnown)
    return { text: "unknown", isLarge: true };
  if (f.ownError > 0 && f.ownCpu > 0) {
    const percent = 100 * f.ownError / f.ownCpu;
    return { percent, text: percent < 1 ? "± <1 %" : percent > 99.5 ? "± >99 %" : `± ${percent.toFixed(0)} %`,
             isLarge: percent > 50 || f.ownMark === "?" };
  }
  return f.ownMark === "?" ? { text: "?", isLarge: true } : { percent: 0, text: "", isLarge: false };
}

// ---- Groups of colours -------------------------------------------------------------------------

// The module; if one has most of the time, the source folder; if one has that, the class or namespace, or in a
// program of one file the function itself.
const MOST = 0.85;

const classOf = (f) => {
  const scopes = f.scope.replace(/[›\s]+$/, "").split("::").filter(Boolean);
  return scopes.length > 0 ? scopes.join("::") : f.file ? fileOf(f.file).split("/").pop() : "other";
};
const KINDS = [
  ["module", (f) => moduleOf(f).split("/").pop() || "unknown"],
  ["folder", (f) => { const file = fileOf(f.file); return file.includes("/") ? file.slice(0, file.indexOf("/") + 1) : file || "no source"; }],
  ["class", classOf],
  ["function", (f) => f.scope + f.base],
];
const COLORS = 8;

function makeGroups() {
  const weight = weights[0];
  const cost = (f) => weight.own(f);
  const users = functions.filter((f) => !isLibrary(f));
  const whole = sum(users, cost) || 1;
  for (const [kind, groupOf] of KINDS) {
    const costs = new Map();
    for (const f of users)
      costs.set(groupOf(f), (costs.get(groupOf(f)) || 0) + cost(f));
    const sorted = Array.from(costs).sort((a, b) => b[1] - a[1]);
    if (kind === "function" || (sorted.length > 1 && sorted[0][1] <= MOST * whole)) {
      const colors = new Map(sorted.slice(0, kind === "function" ? COLORS - 1 : Infinity).map(([name], i) => [name, i % COLORS]));
      functions.forEach((f) => {
        f.group = isLibrary(f) ? "libraries" : colors.has(groupOf(f)) ? groupOf(f) : "others";
        f.color = isLibrary(f) ? "s" : String(colors.has(f.group) ? colors.get(f.group) : COLORS - 1);
      });
      return { kind, names: [...colors.keys(), "others", "libraries"] };
    }
  }
  return { kind: "class", names: [] };
}

export const groups = makeGroups();

// ---- Threads -----------------------------------------------------------------------------------

export const threads = data.threads.map((thread, index) => {
  const blocked = thread.has_waits ? thread.wait_ns - thread.preempted_ns : 0;
  const life = Math.max(thread.end_ns - thread.start_ns, thread.run_ns);
  const from = thread.process_ns + thread.start_ns;
  const manager = Math.min(thread.manager_ns, Math.max(0, life - thread.wait_ns));
  return { ...thread, index, from, to: from + life, life, blocked, preempted: thread.preempted_ns, manager,
           running: Math.max(0, life - thread.wait_ns - manager) };
});
export const lastMoment = Math.max(data.elapsed_ns || data.run_ns, ...threads.map((thread) => thread.to), 1);
export const knowsWaits = threads.some((thread) => thread.has_waits);

// The system's name where it tells threads apart, else the function that each was started for.
function roleNames() {
  const named = new Set(threads.map((thread) => thread.name));
  const program = (data.program || "").slice(0, 15);
  const tells = named.size > 1 && !named.has(null) && Array.from(named).filter((name) => name !== program).length >= Math.min(2, threads.length - 1);
  return (thread) => tells ? thread.name : thread.role >= 0 ? nameOf(thread.role) : thread.name || "thread";
}
const roleOf = roleNames();

export const roles = [];
for (const thread of threads) {
  const name = roleOf(thread);
  let role = roles.find((other) => other.name === name);
  if (!role)
    roles.push(role = { name, fn: thread.role, threads: [] });
  thread.roleName = name;
  role.threads.push(thread);
}

// ---- Marks as the reports have them -------------------------------------------------------------

// A time of the function with what stands before it: "~", "?".
export function ownText(f, weight) {
  const mark = weight.key === "cpu" || weight.key === "elapsed" ? f.ownMark : "";
  return mark + text(weight.own(f), weight.kind);
}
