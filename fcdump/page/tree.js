// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trees of stacks by a weight: from callers down to callees, or from a function up to its callers.
// A node is {fn, total, self, kids()}; its kids are made when they are first asked for, as a page may
// hold 120,000 contexts of which a picture shows a thousand.
import { data, functions } from "./data.js";

const { parent, function: functionAt } = data.nodes;
const count = parent.length;

const children = (() => {
  const first = new Int32Array(count + 1);
  for (let node = 1; node < count; node++)
    first[parent[node] + 1]++;
  for (let node = 0; node < count; node++)
    first[node + 1] += first[node];
  const next = first.slice(0, count);
  const list = new Int32Array(Math.max(count - 1, 0));
  for (let node = 1; node < count; node++)
    list[next[parent[node]]++] = node;
  return { first, list };
})();

const totals = new Map();

// Of each context what it and all below it weigh.
function totalsOf(weight) {
  if (!totals.has(weight.key)) {
    const total = Float64Array.from(weight.self);
    for (let node = count - 1; node > 0; node--)
      total[parent[node]] += total[node];
    totals.set(weight.key, total);
  }
  return totals.get(weight.key);
}

const nameOrder = (fn) => fn >= 0 ? functions[fn].scope + functions[fn].base : "~";

class Node {
  constructor(fn, up) {
    this.fn = fn;
    this.up = up;
    this.total = 0;
    this.self = 0;
    this.contexts = []; // and of each what it adds, in a tree of callers
    this.adds = [];
    this.list = null;
  }

  // The way from the root.
  path() {
    return this.up ? [...this.up.path(), this.fn] : [];
  }
}

class Tree {
  constructor(order) {
    this.order = order;
  }

  kids(node) {
    if (!node.list) {
      const found = new Map();
      this.fill(node, (fn) => {
        if (!found.has(fn))
          found.set(fn, new Node(fn, node));
        return found.get(fn);
      });
      node.list = Array.from(found.values()).filter((kid) => kid.total > 0);
      if (this.order === "name")
        node.list.sort((a, b) => nameOrder(a.fn) < nameOrder(b.fn) ? -1 : 1);
      else
        node.list.sort((a, b) => b.total - a.total || a.fn - b.fn);
    }
    return node.list;
  }

  // The node at the end of that path, or the last one of it that there is.
  at(path) {
    let node = this.root;
    for (const fn of path) {
      const next = this.kids(node).find((kid) => kid.fn === fn);
      if (!next)
        break;
      node = next;
    }
    return node;
  }
}

class Down extends Tree {
  constructor(weight, order, fn, contexts) {
    super(order);
    this.weight = weight;
    this.total = totalsOf(weight);
    this.root = new Node(fn, null);
    for (const context of contexts)
      this.add(this.root, context);
  }

  add(node, context) {
    node.contexts.push(context);
    node.total += this.total[context];
    node.self += this.weight.self[context];
  }

  fill(node, kidOf) {
    for (const context of node.contexts)
      for (let i = children.first[context]; i < children.first[context + 1]; i++) {
        const below = children.list[i];
        if (this.total[below] > 0)
          this.add(kidOf(functionAt[below]), below);
      }
  }
}

// Each context that it begins with goes up to its callers, with what it adds.
class Up extends Tree {
  constructor(order, fn, top) {
    super(order);
    this.root = new Node(fn, null);
    this.top = top; // a function beyond whose contexts it does not go, or -1
  }

  add(node, context, value) {
    node.contexts.push(context);
    node.adds.push(value);
    node.total += value;
  }

  fill(node, kidOf) {
    node.contexts.forEach((context, i) => {
      const next = node.up || this.fn !== undefined ? parent[context] : context;
      const isTop = node.up && this.top >= 0 && functionAt[context] === this.top;
      if (next > 0 && !isTop)
        this.add(kidOf(functionAt[next]), next, node.adds[i]);
      else
        node.self += node.adds[i];
    });
  }
}

const contextsOf = (fn) => {
  const list = [];
  for (let node = 1; node < count; node++)
    if (functionAt[node] === fn)
      list.push(node);
  return list;
};

// All contexts, or (fn >= 0) those of that function and below it.
export function callees(weight, order, fn = -1) {
  return new Down(weight, order, fn, fn >= 0 ? contextsOf(fn) : [0]);
}

// From what ran up to who called it; fn >= 0: of what ran below that function.
export function inverted(weight, order, fn = -1) {
  const tree = new Up(order, -1, fn);
  const inside = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    inside[node] = fn < 0 || functionAt[node] === fn || (node > 0 && inside[parent[node]]) ? 1 : 0;
    if (inside[node] && node > 0 && weight.self[node] > 0)
      tree.add(tree.root, node, weight.self[node]);
  }
  return tree;
}

// Who called that function, with what it and all below it weigh from there.
export function callers(weight, order, fn) {
  const tree = new Up(order, fn, -1);
  tree.fn = fn;
  const total = totalsOf(weight);
  for (const context of contextsOf(fn))
    if (total[context] > 0)
      tree.add(tree.root, context, total[context]);
  return tree;
}

export const contextCount = count - 1;

// How much of the whole is below a function that fits, each part once.
export function weightBelow(weight, fits) {
  const total = totalsOf(weight);
  const inside = new Uint8Array(count);
  let sum = 0;
  for (let node = 1; node < count; node++) {
    inside[node] = inside[parent[node]];
    if (!inside[node] && functionAt[node] >= 0 && fits(functions[functionAt[node]])) {
      inside[node] = 1;
      sum += total[node];
    }
  }
  return { sum, whole: total[0] };
}
