// SPDX-License-Identifier: GPL-3.0-or-later
//
// The difference between runs: what changed by function, and as a flame graph whose boxes have the
// colour of the change.
const METRICS = ["calls", "total", "local", "per call", "allocated"];
const UNITS = ["calls", "ns", "ns", "ns", "bytes"];

function changeText(change) {
  const [before, after, , verdict] = change;
  if (after === before)
    return "=";
  const sign = after > before ? "+" : "-";
  const by = before > 0 ? `${sign}${(100 * Math.abs(after - before) / before).toFixed(1)}%` : "new";
  return by + (verdict === "noise" ? " noise" : verdict === "unknown" ? " ?" : "");
}

// Red is slower, blue is faster, grey is noise.
function changeColor(before, after, verdict) {
  if (verdict === "noise" || verdict === "same" || before === after)
    return "#cfcfcf";
  const strength = Math.min(1, Math.abs(after - before) / Math.max(before, after) * 4);
  return d3.hsl(after > before ? 5 : 215, 0.8, 0.85 - 0.3 * strength);
}

function differenceColumns(difference) {
  const columns = [];
  for (const metric of [2, 1, 3, 0, 4]) {
    if (metric === 4 && !difference.memory)
      continue;
    const text = (value) => metric === 0 ? formatCount(value) : format(value, UNITS[metric]);
    columns.push({ heading: METRICS[metric], value: (row) => Math.abs(row.changes[metric][1] - row.changes[metric][0]),
      fill: (cell, row) => {
        const change = row.changes[metric];
        cell.append(change[0] === change[1] ? text(change[0])
          : `${text(change[0])} → ${text(change[1])}, ${changeText(change)}`);
      } });
  }
  columns.push({ heading: "finding", value: (row) => row.finding });
  columns.push({ heading: "function", value: (row) => row.name, fill: (cell, row) => {
    const known = byName.get(row.name);
    if (known)
      linkTo(cell, known.index);
    else
      add(cell, "span", row.name);
  } });
  return columns;
}

// As wide as the time on that side.
function showDifferentialFlame(parent, difference, state) {
  const nodes = difference.nodes;
  const sides = ["before", "after"].map((side) => makeTree(nodes.parent, nodes.function, nodes[side]));
  let side = 1;
  let root = 0;
  const name = (node) => nodes.function[node] >= 0 ? difference.functions[nodes.function[node]].name
    : nameOf(nodes.function[node]);
  const totals = (node) => sides.map((tree) => tree.total[node]);
  const bar = add(parent, "p", "Red: slower, blue: faster, grey: noise. As wide as the time ", { class: "note" });
  const buttons = ["before", "after"].map((text, i) => {
    const button = add(bar, "button", text, { id: "width-" + text });
    button.addEventListener("click", () => { side = i; root = 0; draw(); });
    return button;
  });
  const whole = add(bar, "button", "Reset zoom", { id: "diff-reset" });
  whole.addEventListener("click", () => { root = 0; draw(); });
  const box = add(parent, "div", null, { id: "diff-flame" });
  function draw() {
    box.replaceChildren();
    buttons.forEach((button, i) => { button.disabled = i === side; });
    whole.hidden = root === 0;
    drawFlame(box, sides[side], { root, up: true, unit: "ns", pattern: state.search, name,
      color: (node) => node === 0 ? "#bbb" : changeColor(...totals(node), nodes.verdict[node]),
      tip: (node) => `${name(node)}: ${totals(node).map(formatTime).join(" before, ")} after, `
        + changeText([...totals(node), 0, nodes.verdict[node]]),
      zoom: (node) => { root = node; draw(); },
      open: (fn) => byName.has(difference.functions[fn].name) && go({ f: difference.functions[fn].name }) });
  }
  draw();
}

function showDifference(parent, state) {
  const difference = data.difference;
  const wanted = state.search.toLowerCase();
  const rows = difference.functions.filter((row) => row.shown && row.name.toLowerCase().includes(wanted));
  add(parent, "h2", `Difference: ${difference.runs[0]} runs before, ${difference.runs[1]} after`);
  for (const reason of difference.failed)
    add(parent, "p", reason, { class: "warning" });
  const list = add(parent, "dl", null, { id: "diff-whole" });
  difference.whole.forEach((change, metric) => {
    if (metric === 3 || (metric === 4 && !difference.memory))
      return;
    add(list, "dt", ["Calls", "Run time", "In functions", "", "Allocated"][metric]);
    add(list, "dd", `${format(change[0], UNITS[metric])} before, ${format(change[1], UNITS[metric])} after, `
      + changeText(change));
  });
  add(parent, "h3", "By context");
  showDifferentialFlame(parent, difference, state);
  if (difference.omitted > 0)
    add(parent, "p", `${formatCount(difference.omitted)} of the lightest contexts are left out.`, { class: "note" });
  add(parent, "h3", "By function");
  table(parent, "differences", rows, differenceColumns(difference), state);
}
