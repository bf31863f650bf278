// SPDX-License-Identifier: GPL-3.0-or-later
//
// The views.  Each fills the given element from the profile and the state that the address has.
function add(parent, tag, text, attributes = {}) {
  const element = parent.appendChild(document.createElement(tag));
  if (text !== undefined && text !== null)
    element.textContent = text;
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, value);
  return element;
}

function linkTo(parent, index) {
  return index >= 0 ? add(parent, "a", nameOf(index), { href: hashOf({ f: nameOf(index) }) })
    : add(parent, "span", nameOf(index));
}

// ---- Tables ------------------------------------------------------------------------------------

const ROWS = 300; // shown at once; more on demand

// columns: [heading, value(row), text(value, row), fill(cell, row)]; the last is the name.
function table(parent, id, rows, columns, state) {
  const element = add(parent, "table", null, { id });
  const head = add(add(element, "thead"), "tr");
  const body = add(element, "tbody");
  const by = Math.max(columns.findIndex((column) => column.heading === state.sort), 0);
  const column = columns[by];
  const down = state.order !== "up";
  columns.forEach((c, i) => {
    const cell = add(head, "th", c.heading + (i === by ? (down ? " ▾" : " ▴") : ""), { tabindex: 0 });
    cell.classList.toggle("sorted", i === by);
    const sort = () => go({ sort: c.heading, order: i === by && down ? "up" : "down" });
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
  const compare = (a, b) => {
    const x = column.value(a);
    const y = column.value(b);
    const order = typeof x === "string" ? d3.ascending(x, y) : y - x;
    return down ? order : -order;
  };
  const sorted = rows.slice().sort(compare);
  let shown = 0;
  const more = add(parent, "button");
  function showRows() {
    for (const row of sorted.slice(shown, shown + ROWS)) {
      const line = add(body, "tr");
      columns.forEach((c) => {
        const cell = add(line, "td");
        if (c.fill)
          c.fill(cell, row);
        else
          cell.textContent = c.text ? c.text(c.value(row)) : c.value(row);
      });
    }
    shown = Math.min(shown + ROWS, sorted.length);
    more.textContent = `${shown} of ${sorted.length} shown; more`;
    more.hidden = shown === sorted.length;
  }
  more.addEventListener("click", showRows);
  showRows();
}

function bar(cell, part, whole) {
  cell.append(share(part, whole) + " ");
  add(cell, "span", "", { class: "share", style: `width:${whole > 0 ? 60 * Math.min(part / whole, 1) : 0}px` });
}

const wallColumns = [
  { heading: "local", value: (f) => f.local, fill: (cell, f) => cell.append(f.localMark + formatTime(f.local)) },
  { heading: "total", value: (f) => f.total, fill: (cell, f) => cell.append(f.totalMark + formatTime(f.total)) },
];
const cpuColumns = [
  { heading: "local CPU", value: (f) => f.localCpu, fill: (cell, f) => cell.append(f.localMark + formatTime(f.localCpu)) },
  { heading: "total CPU", value: (f) => f.totalCpu, fill: (cell, f) => cell.append(f.totalMark + formatTime(f.totalCpu)) },
];

// The times that are meant come first, with the share of them.
function timeColumns(times, isCpu) {
  const [local, total] = isCpu ? cpuColumns : wallColumns;
  const part = { heading: "local %", value: times.local, fill: (cell, f) => bar(cell, times.local(f), times.base) };
  return [local, part, total, ...(!hasCpu ? [] : isCpu ? wallColumns : cpuColumns)];
}

const columnsOf = (times, isCpu) => [
  ...timeColumns(times, isCpu),
  { heading: "calls", value: (f) => f.calls, text: formatCount },
  { heading: "longest", value: (f) => f.max, fill: (cell, f) => cell.append(f.boundMark + formatTime(f.max)) },
  ...(data.heap ? [{ heading: "allocated", value: (f) => f.bytes, text: formatBytes },
                   { heading: "live", value: (f) => f.live, text: formatBytes }] : []),
  { heading: "function", value: (f) => f.name, fill: (cell, f) => linkTo(cell, f.index) },
];

function showFunctions(parent, state) {
  const wanted = state.search.toLowerCase();
  const rows = functions.filter((f) => f.shown && f.name.toLowerCase().includes(wanted));
  add(parent, "h2", `Functions (${rows.length})`);
  const first = ["ns", "calls", "bytes", "blocks"].indexOf(weights[state.weight].unit);
  const natural = weights[state.weight].name === "cpu" ? "local CPU" : first === 1 ? "calls" : first >= 2 && data.heap ? "allocated" : "local";
  table(parent, "functions", rows, columnsOf(timesOf(state.weight), weights[state.weight].name === "cpu"), { ...state, sort: state.sort || natural });
}

// ---- Overview ----------------------------------------------------------------------------------

function showOverview(parent, state) {
  add(parent, "h2", "Overview");
  const list = add(parent, "dl");
  const item = (name, value) => {
    add(list, "dt", name);
    return add(list, "dd", value);
  };
  for (const process of data.processes.slice(0, 5))
    item("Process " + process.pid, (process.command || process.executable || process.file)
      + (process.end ? `; ${process.end}` : ""));
  if (data.start_realtime_ns > 0)
    item("Started", new Date(data.start_realtime_ns / 1e6).toLocaleString());
  const isCpu = weights[state.weight].name === "cpu";
  item(data.time_mode >= 3 ? "CPU time" : "Time", `${formatTime(data.run_ns)} from first to last event; `
    + `${formatTime(timesOf(state.weight).base)} in functions`
    + (!hasCpu ? "" : isCpu ? ", on the CPU" : ", waiting included"));
  item("Functions", `${formatCount(functions.length)}, ${counted(d3.sum(functions, (f) => f.calls), "call")}, `
    + counted(data.contexts, "context"));
  item("Threads", `${formatCount(data.threads.length)} in ${counted(data.processes.length, "process")}`);
  if (data.heap) {
    const bad = data.heap.bad.length + data.heap.bad_omitted;
    item("Heap", `${formatBytes(data.heap.peak_bytes)} at its peak; ${counted(data.heap.leaked_blocks, "block")} `
      + `of ${formatBytes(data.heap.leaked_bytes)} leaked` + (bad > 0 ? `; ${counted(bad, "bad free")}` : ""));
  }
  for (const note of data.notes)
    item("", note).className = "note";
  for (const [kind, count] of data.losses)
    item("Lost", `${kind}: ${formatCount(count)}`).className = "warning";
  const tree = treeOf(state.weight);
  const { name, unit } = weights[state.weight];
  add(parent, "h3", `Heaviest chain by ${name}`);
  const path = add(parent, "p", null, { id: "hot" });
  let node = 0;
  while (tree.first[node] < tree.first[node + 1]) {
    const child = tree.order[tree.first[node]];
    if (tree.total[child] < tree.total[0] / 10)
      break;
    if (node !== 0)
      path.append(" → ");
    linkTo(path, tree.fn[child]);
    path.append(` ${share(tree.total[child], tree.total[0])}`);
    node = child;
  }
  add(parent, "h3", `Heaviest functions by their own ${name}`);
  const own = new Map();
  for (let i = 1; i < tree.count; i++)
    own.set(tree.fn[i], (own.get(tree.fn[i]) || 0) + tree.self[i]);
  const rows = Array.from(own, ([fn, self]) => ({ fn, self })).filter((row) => row.self > 0)
    .sort((a, b) => b.self - a.self).slice(0, 15);
  table(parent, "top", rows, [
    { heading: name, value: (row) => row.self, fill: (cell, row) => cell.append(
      (unit === "ns" && row.fn >= 0 ? functions[row.fn].localMark : "") + format(row.self, unit)) },
    { heading: "%", value: (row) => row.self, fill: (cell, row) => bar(cell, row.self, tree.total[0]) },
    { heading: "function", value: (row) => nameOf(row.fn), fill: (cell, row) => linkTo(cell, row.fn) },
  ], {});
}

// ---- Flame graph, function ---------------------------------------------------------------------

function showFlame(parent, state) {
  const tree = treeOf(state.weight);
  const { name, unit } = weights[state.weight];
  const root = state.zoom > 0 && state.zoom < tree.count ? state.zoom : 0;
  add(parent, "h2", `Flame graph by ${name}: ${nameOf(tree.fn[root])}, ${format(tree.total[root], unit)}`);
  const line = add(parent, "p", "A click zooms, a double click opens the function. ", { class: "note" });
  if (root !== 0)
    add(line, "button", "Reset zoom", { id: "reset" }).addEventListener("click", () => go({ zoom: 0 }));
  drawFlame(add(parent, "div"), tree, { root, up: true, unit, pattern: state.search,
    zoom: (node) => go({ zoom: node }), open: (fn) => go({ f: nameOf(fn), zoom: 0 }) });
  // The root is at the bottom, which is where one begins to read.
  parent.querySelector("svg").scrollIntoView({ block: "end" });
}

// What arcs and the function in their middle weigh, and 100%.  Of memory the profile tells no arcs:
// it is that of the contexts below.
function weigherOf(state, f, tree, above, below) {
  const { unit } = weights[state.weight];
  const times = timesOf(state.weight);
  if (unit === "ns")
    return { arc: times.arc, own: times.total(f), base: times.base };
  if (unit === "calls")
    return { arc: (arc) => arc[2], own: f.calls, base: tree.total[0] };
  const next = (branch) => {
    const found = new Map();
    for (let i = branch.first[0]; i < branch.first[1]; i++)
      found.set(branch.fn[branch.order[i]], branch.total[branch.order[i]]);
    return found;
  };
  const callers = next(above);
  const callees = next(below);
  return { arc: (arc) => (arc[1] === f.index ? callers.get(arc[0]) : callees.get(arc[1])) || 0,
           own: below.total[0], base: tree.total[0] };
}

// Callers on the left, callees on the right, each as wide a line as its weight.
function showGraph(parent, f, unit, weigher) {
  const MOST = 10;
  const side = (list, other) => list.map((arc) => ({ fn: other(arc), calls: arc[2], weight: weigher.arc(arc), via: arc[4],
    mark: unit === "ns" ? arc[6] : "", counted: `${arc[7] ? "~" : ""}${formatCount(arc[2])}x` }))
    .sort((a, b) => b.weight - a.weight || b.calls - a.calls).slice(0, MOST);
  const textOf = (mark, weight, calls) => unit === "calls" ? calls : `${mark}${format(weight, unit)}, ${calls}`;
  const into = arcs.filter((arc) => arc[1] === f.index);
  const from = arcs.filter((arc) => arc[0] === f.index);
  const callers = side(into, (arc) => arc[0] < 0 ? OUTSIDE : arc[0]);
  const callees = side(from, (arc) => arc[1]);
  const width = Math.max(parent.clientWidth, 600);
  const height = Math.max(callers.length, callees.length, 1) * 46 + 10;
  const svg = d3.select(parent).append("svg").attr("class", "plain").attr("id", "graph").attr("height", height)
    .attr("viewBox", `-1 0 ${width + 2} ${height}`);
  const boxWidth = width * 0.26;
  const middle = { x: width / 2 - boxWidth / 2, y: height / 2 - 19 };
  const put = (x, y, fn, text) => {
    const group = svg.append("g").attr("transform", `translate(${x},${y})`);
    group.append("title").text(nameOf(fn));
    group.append("rect").attr("class", "box").attr("width", boxWidth).attr("height", 38).attr("rx", 4)
      .on("click", () => fn >= 0 && go({ f: nameOf(fn) }));
    const room = Math.floor(boxWidth / 7.5);
    const name = nameOf(fn);
    group.append("text").attr("x", 6).attr("y", 15)
      .text(name.length <= room ? name : name.slice(0, room / 2 - 1) + ".." + name.slice(1 - room / 2));
    group.append("text").attr("x", 6).attr("y", 31).text(text);
  };
  const line = d3.linkHorizontal().x((p) => p[0]).y((p) => p[1]);
  const draw = (list, isCaller) => list.forEach((arc, i) => {
    const x = isCaller ? 0 : width - boxWidth;
    const y = i * 46 + (height - list.length * 46) / 2 + 4;
    const ends = isCaller ? [[boxWidth, y + 19], [middle.x, middle.y + 19]]
      : [[middle.x + boxWidth, middle.y + 19], [x, y + 19]];
    svg.append("path").attr("class", "edge").attr("d", line({ source: ends[0], target: ends[1] }))
      .attr("stroke-width", 1 + 7 * (weigher.base > 0 ? Math.min(arc.weight / weigher.base, 1) : 0));
    put(x, y, arc.fn, textOf(arc.mark, arc.weight, arc.counted) + (arc.via ? " via " + arc.via : ""));
  });
  draw(callers, true);
  draw(callees, false);
  put(middle.x, middle.y, f.index, textOf(unit === "ns" ? f.totalMark : "", weigher.own, counted(f.calls, "call")));
  const more = into.length + from.length - callers.length - callees.length;
  if (more > 0)
    add(parent, "p", `${more} more callers and callees are not drawn.`, { class: "note" });
}

function showHistogram(parent, f) {
  const bars = d3.range(0, f.histogram.length, 2).map((i) => [f.histogram[i], f.histogram[i + 1]]);
  if (bars.length === 0)
    return;
  add(parent, "h3", (f.boundMark ? "How long those of its calls took that were timed" : "How long its calls took")
    + (hasCpu ? ", elapsed" : ""));
  const most = d3.max(bars, (b) => b[1]);
  const body = add(add(parent, "table", null, { id: "latency" }), "tbody");
  for (const [bucket, count] of bars) {
    const line = add(body, "tr");
    add(line, "td", bucket === 0 ? "0 ns" : `${formatTime(2 ** (bucket - 1))} to ${formatTime(2 ** bucket)}`);
    add(line, "td", formatCount(count));
    add(add(line, "td"), "span", "", { class: "share", style: `width:${80 * count / most}%` });
  }
}

// What several calls from a line have in common.
function markOf(marks) {
  return ["<", "~"].filter((letter) => marks.some((mark) => mark.includes(letter))).join("");
}

function showSource(parent, f) {
  const source = data.sources.find((s) => s.function === f.index);
  if (!source)
    return;
  add(parent, "h3", `${f.file}:${f.line}`);
  const lines = add(add(parent, "pre", null, { id: "source" }), "div", null, { class: "lines" });
  const marks = d3.nest().key((mark) => mark[0]).map(source.marks);
  source.lines.forEach((text, i) => {
    const here = marks.get(source.first + i) || [];
    add(lines, "span", source.first + i, { class: "number" });
    add(lines, "span", here.length === 0 ? ""
      : `${here.some((mark) => mark[4]) ? "~" : ""}${formatCount(d3.sum(here, (mark) => mark[1]))}x`);
    add(lines, "span", here.length === 0 ? ""
      : markOf(here.map((mark) => mark[3])) + formatTime(d3.sum(here, (mark) => mark[2])));
    add(lines, "span", text);
  });
}

function showFunction(parent, state) {
  const f = byName.get(state.f);
  if (!f) {
    add(parent, "p", `No function is called ${state.f}.`, { class: "warning" });
    return;
  }
  const { name, unit } = weights[state.weight];
  const tree = treeOf(state.weight);
  add(parent, "h2", f.name, { id: "name" });
  const times = timesOf(state.weight);
  add(parent, "p", `local ${f.localMark}${formatTime(times.local(f))} (${share(times.local(f), times.base)}), `
    + `total ${f.totalMark}${formatTime(times.total(f))} `
    + `(${share(times.total(f), times.base)}), `
    + (!hasCpu ? "" : name === "cpu" ? `elapsed ${f.localMark}${formatTime(f.local)} and ${f.totalMark}${formatTime(f.total)}, `
      : `of it on the CPU ${f.localMark}${formatTime(f.localCpu)} and ${f.totalMark}${formatTime(f.totalCpu)}, `)
    + counted(f.calls, "call")
    + (f.max > 0 || f.histogram.length > 0 ? `, ${f.boundMark}${formatTime(f.min)} to ${f.boundMark}${formatTime(f.max)} each` : "")
    + (data.heap ? `; ${formatBytes(f.bytes)} allocated, ${formatBytes(f.live)} live at the end` : ""),
      { id: "figures" });
  const open = (other) => go({ f: nameOf(other) });
  const above = callersOf(tree, f.index);
  const below = calleesOf(tree, f.index);
  showGraph(add(parent, "div"), f, unit, weigherOf(state, f, tree, above, below));
  add(parent, "h3", `Callers by ${name}`);
  drawFlame(add(parent, "div", null, { id: "callers" }), above, { up: true, unit, pattern: state.search, open,
    zoom: (node) => open(above.fn[node]) });
  add(parent, "h3", `Callees by ${name}`);
  drawFlame(add(parent, "div", null, { id: "callees" }), below, { unit, pattern: state.search, open,
    zoom: (node) => open(below.fn[node]) });
  showHistogram(parent, f);
  showSource(parent, f);
}
