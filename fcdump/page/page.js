// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory and threads, and the page around all views: its state is the address, so that the back
// button and links work.

// ---- Memory ------------------------------------------------------------------------------------

function showStack(parent, stack) {
  const list = add(parent, "ul");
  (stack || ["(not known)"]).forEach((frame) => add(list, "li", frame));
}

function showSites(parent, id, title, rows, value, blocks) {
  add(parent, "h3", title);
  if (rows.length === 0)
    add(parent, "p", "None.", { class: "note" });
  const box = add(parent, "div", null, { id });
  for (const site of rows.slice(0, 100)) {
    const details = add(box, "details");
    add(details, "summary", `${formatBytes(value(site))}${blocks ? ` in ${counted(blocks(site), "block")}` : ""}: `
      + `${site.call} in ${site.stack ? site.stack[0] : "(not known)"}`);
    showStack(details, site.stack);
  }
}

function showMemory(parent) {
  const heap = data.heap;
  add(parent, "h2", "Memory");
  if (!heap) {
    add(parent, "p", "The profile has no memory records: run the program with FC_MEMORY=1.");
    return;
  }
  add(parent, "p", `${formatCount(heap.allocations)} allocations of ${formatBytes(heap.bytes)}, `
    + `${formatCount(heap.frees)} frees; ${formatBytes(heap.peak_bytes)} at the peak, `
    + `after ${formatTime(heap.peak_ns)}`);
  const width = Math.max(parent.clientWidth - 40, 300);
  const height = 220;
  const svg = d3.select(parent).append("svg").attr("class", "plain").attr("id", "heap").attr("height", height)
    .attr("viewBox", `0 0 ${width} ${height}`);
  const x = d3.scaleLinear([0, d3.max(heap.samples, (s) => s[0]) || 1], [80, width - 20]);
  const y = d3.scaleLinear([0, heap.peak_bytes || 1], [height - 25, 10]);
  const step = 2 ** Math.ceil(Math.log2((heap.peak_bytes || 1) / 6)); // 4 to 7 marks at round numbers
  svg.append("path").attr("class", "area").attr("d", d3.area().x((s) => x(s[0])).y0(y(0)).y1((s) => y(s[1]))
    .curve(d3.curveStepBefore)(heap.samples));
  svg.append("g").attr("transform", `translate(0,${height - 25})`).call(d3.axisBottom(x).ticks(8).tickFormat(formatTime));
  svg.append("g").attr("transform", "translate(80,0)").call(d3.axisLeft(y)
    .tickValues(d3.range(0, (heap.peak_bytes || 1) + 1, Math.max(step, 1))).tickFormat(formatMark));
  const by = (value) => heap.sites.filter((site) => value(site) > 0).sort((a, b) => value(b) - value(a));
  showSites(parent, "holders", "Who held it at the peak", by((site) => site.peak_bytes), (site) => site.peak_bytes);
  showSites(parent, "leaks", `Leaks: ${counted(heap.leaked_blocks, "block")} of ${formatBytes(heap.leaked_bytes)}`,
    by((site) => site.leaked_bytes), (site) => site.leaked_bytes, (site) => site.leaked_blocks);
  add(parent, "h3", "Bad frees");
  const box = add(parent, "div", null, { id: "bad" });
  if (heap.bad.length === 0)
    add(box, "p", "None.", { class: "note" });
  for (const bad of heap.bad) {
    const details = add(box, "details");
    add(details, "summary", `${bad.pointer}, ${bad.kind}: ${bad.here ? bad.here[0] : "(not known)"}`);
    for (const [title, stack] of [["freed here", bad.here], ["allocated", bad.allocated], ["freed first", bad.freed]]) {
      if (!stack)
        continue;
      add(details, "p", title);
      showStack(details, stack);
    }
  }
  if (heap.sites_omitted + heap.bad_omitted > 0)
    add(parent, "p", `Left out: ${heap.sites_omitted} of the smallest allocation sites, ${heap.bad_omitted} bad frees.`,
      { class: "note" });
}

// ---- Threads and processes -----------------------------------------------------------------------

function showThreads(parent, state) {
  const isCpu = weights[state.weight].name === "cpu";
  const localOf = (t) => isCpu ? t.local_cpu_ns : t.local_ns;
  add(parent, "h2", `Threads (${data.threads.length})`);
  table(parent, "threads", data.threads, [
    { heading: "in functions", value: localOf, text: formatTime },
    { heading: "run", value: (t) => t.run_ns, text: formatTime },
    { heading: "start", value: (t) => t.start_ns, text: formatTime },
    { heading: "end", value: (t) => t.end_ns, text: formatTime },
    { heading: "calls", value: (t) => t.calls, text: formatCount },
    { heading: "thread", value: (t) => t.tid },
    { heading: "name and heaviest functions", value: (t) => t.name || "", fill: (cell, t) => {
      cell.append(t.name || "");
      const local = isCpu ? 3 : 2;
      for (const row of t.functions.slice().sort((a, b) => b[local] - a[local]).slice(0, 5)) {
        cell.append(cell.textContent === "" ? "" : " · ");
        linkTo(cell, row[0]);
        cell.append(" " + functions[row[0]].localMark + formatTime(row[local]));
      }
    } },
  ], state);
  add(parent, "h2", `Processes (${data.processes.length})`);
  table(parent, "processes", data.processes, [
    { heading: "run", value: (p) => p.run_ns, text: formatTime },
    { heading: "pid", value: (p) => p.pid },
    { heading: "parent", value: (p) => p.ppid },
    { heading: "threads", value: (p) => p.threads },
    { heading: "end", value: (p) => p.end || "" },
    { heading: "command", value: (p) => p.command || p.executable || p.file },
  ], {});
}

// ---- State -------------------------------------------------------------------------------------

const views = { ...(data.difference ? { difference: showDifference } : {}), overview: showOverview, functions: showFunctions, flame: showFlame, memory: showMemory,
                threads: showThreads };
// As the reports: by time on the CPU where that is known, so that who waits does not swallow the picture.
const start = { view: Object.keys(views)[0], f: "", weight: Math.max(weights.findIndex((weight) => weight.name === "cpu"), 0), zoom: 0, search: "", sort: "", order: "" };

// The part of the address behind #, from the state and what is to change in it.
function hashOf(changes) {
  const next = { ...readState(), ...changes };
  if (changes.view)
    Object.assign(next, { f: "", zoom: 0, sort: "", order: "", ...changes });
  if (changes.f)
    Object.assign(next, { view: "overview", zoom: 0, sort: "", order: "" });
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(next))
    if (String(value) !== String(start[key]))
      words.set(key, key === "weight" ? weights[value].name : value);
  return "#" + words;
}

function readState() {
  const words = new URLSearchParams(location.hash.slice(1));
  const state = { ...start };
  for (const key of Object.keys(start))
    if (words.has(key))
      state[key] = words.get(key);
  state.zoom = Number(state.zoom) || 0;
  const named = weights.findIndex((weight) => weight.name === words.get("weight"));
  state.weight = named >= 0 ? named : start.weight;
  if (!(state.view in views))
    state.view = start.view;
  return state;
}

function go(changes) {
  location.hash = hashOf(changes);
}

function show() {
  const state = readState();
  const view = document.getElementById("view");
  hideTip();
  view.replaceChildren();
  document.getElementById("weight").value = state.weight;
  if (document.activeElement !== document.getElementById("search"))
    document.getElementById("search").value = state.search;
  document.querySelectorAll("#tabs a").forEach((tab) => {
    tab.classList.toggle("here", state.f === "" && tab.dataset.view === state.view);
    tab.href = hashOf({ view: tab.dataset.view });
  });
  document.title = `${state.f || state.view} - ${data.program || "FunctionCheck"}`;
  if (state.f)
    showFunction(view, state);
  else
    views[state.view](view, state);
  const found = state.search === "" ? null : searchShare(treeOf(state.weight), state.search);
  document.getElementById("found").textContent = found
    ? `${formatCount(found.count)} functions, ${found.share} of ${weights[state.weight].name}` : "";
}

function begin() {
  document.getElementById("program").textContent = data.program || "FunctionCheck";
  Object.keys(views).forEach((name) =>
    add(document.getElementById("tabs"), "a", name[0].toUpperCase() + name.slice(1), { "data-view": name }));
  weights.forEach((weight, i) => add(document.getElementById("weight"), "option",
    weight.name === "cpu" || (weight.name === "time" && data.time_mode >= 3) ? "CPU time"
      : weight.name === "time" && hasCpu ? "wall time" : weight.name, { value: i }));
  document.getElementById("weight").addEventListener("change", (event) => go({ weight: Number(event.target.value), sort: "" }));
  // once no key has come for a moment: a large page takes its time to draw
  let typed = 0;
  document.getElementById("search").addEventListener("input", (event) => {
    clearTimeout(typed);
    typed = setTimeout(() => location.replace(hashOf({ search: event.target.value.trim() })), 60);
  });
  const omitted = [];
  if (data.omitted > 0)
    omitted.push(`${formatCount(data.omitted)} of the lightest contexts are left out; what they weigh is in grey `
      + `boxes "(left out)" of their callers. The tables of functions hold all.`);
  if (data.deep > 0)
    omitted.push(`${formatCount(data.deep)} contexts deeper than 1,000 levels are added to their caller there.`);
  const has = (mark) => functions.some((f) => f.totalMark === mark || f.localMark === mark);
  if (has("~") || has("?"))
    omitted.push("~ is a time that was estimated, or calls that were apportioned, of which the sum is exact.");
  if (has("?"))
    omitted.push("? is a time that is mostly uncertain, as hooks took several times as long or few calls were timed.");
  if (arcs.some((arc) => arc[6].startsWith("<")))
    omitted.push("< is the most that it may be: call sites that are active at the same time.");
  document.getElementById("omitted").textContent = `FunctionCheck ${data.tool_version}. ${omitted.join(" ")} `
    + `Keys: / search, Escape back to the whole, 1 to ${Object.keys(views).length} views.`;
  window.addEventListener("hashchange", show);
  window.addEventListener("resize", show);
  window.addEventListener("keydown", (event) => {
    const search = document.getElementById("search");
    if (event.key === "Escape") {
      search.value = "";
      search.blur();
      go({ zoom: 0, search: "" });
    } else if (document.activeElement === search || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (event.key >= "1" && event.key <= String(Object.keys(views).length)) {
      go({ view: Object.keys(views)[event.key - 1] });
    }
  });
  show();
}

begin();
