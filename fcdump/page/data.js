// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile of the page, as fcdump wrote it, and what all views ask of it.
const data = JSON.parse(document.getElementById("profile").textContent);
const OUTSIDE = -2;
const OMITTED = -3;
const FOLDED = -4;

const functions = data.functions.map((row, index) => ({
  index, name: row[0], shown: row[1], file: row[2], line: row[3], calls: row[4], total: row[5],
  local: row[6], min: row[7], max: row[8], bytes: row[9], blocks: row[10], live: row[11],
  peak: row[12], histogram: row[13], totalMark: row[14], localMark: row[15],
  totalCpu: row[16], localCpu: row[17], boundMark: row[18],
}));
const byName = new Map(functions.map((f) => [f.name, f]));
const weights = data.weights;
// A row: caller, callee, calls, time, through what it came, time on the CPU, the mark of both, whether the calls are apportioned.
const arcs = data.arcs;
const hasCpu = weights.some((weight) => weight.name === "cpu"); // beside the time, which is all of it then

// The times that are meant: with the weight "cpu" those on the CPU, where both are known.
function timesOf(weight) {
  return weights[weight].name === "cpu"
    ? { local: (f) => f.localCpu, total: (f) => f.totalCpu, arc: (arc) => arc[5], base: data.base_cpu_ns }
    : { local: (f) => f.local, total: (f) => f.total, arc: (arc) => arc[3], base: data.base_ns };
}

function nameOf(index) {
  return index >= 0 ? functions[index].name
    : index === OUTSIDE ? "<outside>" : index === OMITTED ? "(left out)"
    : index === FOLDED ? "(folded contexts)" : "all";
}

// ---- Numbers as the reports have them ----------------------------------------------------------

function digits(value) {
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(4);
}

function formatTime(ns) {
  for (const [size, unit] of [[3600e9, "h"], [1e9, "s"], [1e6, "ms"], [1e3, "us"]])
    if (ns >= size)
      return digits(ns / size) + " " + unit;
  return Math.round(ns) + " ns";
}

function formatBytes(bytes) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (bytes >= 10 * size || (size > 2 ** 10 && bytes >= size))
      return digits(bytes / size) + " " + unit;
  return bytes + " B";
}

// A power of two, or a small multiple of one, as the marks of an axis are.
function formatMark(bytes) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (bytes >= size)
      return bytes / size + " " + unit;
  return bytes + " B";
}

const formatCount = d3.format(",d");

// "1 block", "2 blocks".
function counted(count, word) {
  return `${formatCount(count)} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
}

function format(value, unit) {
  return unit === "ns" ? formatTime(value) : unit === "bytes" ? formatBytes(value)
    : formatCount(value) + " " + unit;
}

function share(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + "%" : "-";
}

// ---- Trees of stacks ---------------------------------------------------------------------------
//
// A tree has arrays by node: parent, fn, self and total of one weight, and for each node the
// range of its children in `order`, the heaviest first.

function makeTree(parent, fn, self) {
  const count = parent.length;
  const total = Float64Array.from(self);
  for (let i = count - 1; i > 0; i--)
    total[parent[i]] += total[i];
  const first = new Int32Array(count + 1);
  for (let i = 1; i < count; i++)
    first[parent[i] + 1]++;
  for (let i = 0; i < count; i++)
    first[i + 1] += first[i];
  const next = first.slice(0, count);
  const order = new Int32Array(Math.max(count - 1, 0));
  for (let i = 1; i < count; i++)
    order[next[parent[i]]++] = i;
  for (let i = 0; i < count; i++)
    if (first[i + 1] - first[i] > 1)
      order.subarray(first[i], first[i + 1]).sort((a, b) => total[b] - total[a] || a - b);
  return { parent, fn, self, total, first, order, count };
}

const trees = new Map();

function treeOf(weight) {
  if (!trees.has(weight))
    trees.set(weight, makeTree(data.nodes.parent, data.nodes.function, weights[weight].self));
  return trees.get(weight);
}

// Adds up stacks that come one after the other to a new tree.
class TreeMaker {
  constructor(fn) {
    this.parent = [-1];
    this.fn = [fn];
    this.self = [0];
    this.known = new Map();
  }

  child(parent, fn) {
    const key = parent * 4194304 + fn + 4;
    let node = this.known.get(key);
    if (node === undefined) {
      node = this.parent.length;
      this.parent.push(parent);
      this.fn.push(fn);
      this.self.push(0);
      this.known.set(key, node);
    }
    return node;
  }

  tree() {
    return makeTree(this.parent, this.fn, this.self);
  }
}

// What the activations of `fn` called, and through which callers it was reached; a function is in
// no context below itself.
function calleesOf(tree, fn) {
  const maker = new TreeMaker(fn);
  const at = new Int32Array(tree.count).fill(-1);
  for (let i = 1; i < tree.count; i++) {
    if (tree.fn[i] === fn)
      at[i] = 0;
    else if (at[tree.parent[i]] >= 0)
      at[i] = maker.child(at[tree.parent[i]], tree.fn[i]);
    if (at[i] >= 0)
      maker.self[at[i]] += tree.self[i];
  }
  return maker.tree();
}

function callersOf(tree, fn) {
  const maker = new TreeMaker(fn);
  for (let i = 1; i < tree.count; i++) {
    if (tree.fn[i] !== fn)
      continue;
    let node = 0;
    for (let up = tree.parent[i]; up > 0; up = tree.parent[up])
      node = maker.child(node, tree.fn[up]);
    maker.self[node] += tree.total[i];
  }
  return maker.tree();
}
