// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page around its views: the bar on top, what the address says, keys.
import { data, functionOf, functions, nameOf, weightOf, weights, wordOf } from "./data.js";
import { differenceView } from "./diff.js";
import { all, choice, escape, find, showTip } from "./dom.js";
import { card } from "./flamegraph.js";
import { facts, flameView, strip } from "./flame-card.js";
import { exact, share, text } from "./format.js";
import { fits, functionsView, nameMarkup } from "./functions.js";
import { functionView } from "./function.js";
import { closeHelp, doubtfulShare, openHelp, percent } from "./help.js";
import { memoryView } from "./memory.js";
import { overviewView } from "./overview.js";
import { ranksView } from "./ranks.js";
import { address, go, read, replace } from "./state.js";
import { threadsView } from "./threads.js";
import { traceView } from "./trace.js";
import { weightBelow } from "./tree.js";

const VIEWS = {
  ...(data.difference ? { diff: ["Diff", differenceView] } : {}),
  overview: ["Overview", overviewView],
  flame: ["Flame", flameView],
  functions: ["Functions", functionsView],
  threads: ["Threads", threadsView],
  ...(data.ranks ? { ranks: ["Ranks", ranksView] } : {}),
  ...(data.trace ? { trace: ["Trace", traceView] } : {}),
  memory: ["Memory", memoryView],
};
const [FIRST] = Object.keys(VIEWS);
const UNWEIGHED = ["threads", "ranks", "memory", "trace", "diff"]; // views that no weight changes

let selected = -1; // a function
let pictures = []; // flame graphs that are shown
let shown = {}; // the view that is there
let lastKey = "";

// ---- The bar on top -------------------------------------------------------------------------------

const LOGO = `<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="4" fill="var(--cpu)"/><path d="M4 6h12M4 10h8M4 14h4" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

function weightChoice(state, weight) {
  const times = weights.filter((other) => other.kind === "ns" || other.key === "calls");
  const memory = weights.filter((other) => !times.includes(other));
  const tips = { cpu: "Time on the CPU", waited: "Time off the CPU: blocked and preempted", elapsed: "Both together", calls: "Counts" };
  const isElsewhere = UNWEIGHED.includes(state.view) && !state.f;
  if (isElsewhere)
    return "";
  return choice("Weight", times.map((other) => ({ text: other.title, href: address({ weight: other === weights[0] ? "" : other.key, zoom: "" }), on: other === weight,
                                                  tip: tips[other.key], id: "weight-" + other.key })))
    + (memory.length > 0 ? `<select class="sel" id="weight-memory" aria-label="Memory"><option value="">Memory</option>${memory.map((other) =>
      `<option value="${other.key}"${other === weight ? " selected" : ""}>${escape(other.title)}</option>`).join("")}</select>` : "");
}

function commands() {
  return data.processes.slice(0, 5).map((process) => `${process.command || process.executable || process.file}${process.end ? `; ${process.end}` : ""}`).join("\n");
}

// Once: what is typed in must stay where it is.
function makeTopBar() {
  const { part, whole, count, error } = doubtfulShare();
  const doubt = count > 0 ? `${share(part, whole)} rough` : error > 0 ? percent(error, whole) : "measured";
  find("#bar").innerHTML = `<div class="prog" title="${escape(commands())}">${LOGO}<span id="program">${escape(data.program || "FunctionCheck")}</span></div>
    <nav class="tabs" id="tabs" aria-label="Views"></nav><span class="grow"></span><div id="weights"></div><div class="find"><input id="search" type="search" placeholder="Find a function" aria-label="Find a function"
    autocomplete="off"><kbd>/</kbd><div id="hits" class="hits" hidden></div></div><button class="chip" data-help="accuracy" data-tip="How sure the figures are"><b>±</b> ${doubt}</button>
    <button class="icon" id="theme" aria-label="Light or dark" title="Light or dark (t)">◐</button><button class="icon wide" data-help="keys" aria-label="Keys" title="Keys (?)">?</button>`;
}

function topBar(state, weight) {
  find("#tabs").innerHTML = Object.entries(VIEWS).map(([key, [title]]) => {
    const isHere = state.f ? key === "functions" : key === state.view;
    return `<a href="${escape(address({ view: key === FIRST ? "" : key }))}" id="tab-${key}"${isHere ? ' class="on" aria-current="page"' : ""}>${title}</a>`;
  }).join("");
  find("#weights").innerHTML = weightChoice(state, weight);
  const search = find("#search");
  if (search !== document.activeElement)
    search.value = state.search;
}

// What changes the meaning of all figures stands in all views.
function warnings() {
  const lines = [];
  if (data.misses_calls || data.losses.length > 0)
    lines.push(`${data.misses_calls ? "Records were lost: calls and times may be too low." : "Something is missing."} ${data.losses.map(([kind, count]) => `${escape(kind)}: ${exact(count)}`).join(", ")}`);
  const failed = data.processes.filter((process) => /kill|signal/i.test(process.end || ""));
  if (failed.length > 0)
    lines.push(failed.length === 1 ? `${escape(failed[0].end[0].toUpperCase() + failed[0].end.slice(1))}: the profile ends there.` : `${exact(failed.length)} processes were killed.`);
  return lines.map((line) => `<div class="warning" role="alert">${line}</div>`).join("");
}

// ---- Showing --------------------------------------------------------------------------------------

function theme(state) {
  const wanted = state.theme || (matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = wanted;
}

const on = {
  zoom: (path) => go({ zoom: path.join(".") }),
  open: (fn) => fn >= 0 && go({ f: wordOf(functions[fn]) }),
  select: (fn) => {
    selected = fn;
    mark();
  },
};

function mark() {
  const place = find("#strip");
  if (place)
    place.innerHTML = strip(selected);
  for (const row of all("tr[data-row]"))
    row.classList.toggle("on", Number(row.dataset.row) === selected);
  for (const picture of pictures)
    if (picture.facts === facts && !picture.quiet)
      picture.mark(selected);
}

function show() {
  const state = read();
  if (!(state.view in VIEWS))
    state.view = FIRST;
  const weight = weightOf(state.weight);
  const key = state.f ? "f " + state.f : state.view;
  const focused = document.activeElement && document.activeElement.id;
  const scrolled = key === lastKey ? all(".scroll, #view").map((box) => box.scrollTop) : null;
  const [x, y] = [scrollX, scrollY];
  const isSearching = focused === "filter";
  const caret = isSearching ? document.activeElement.selectionStart : 0;
  theme(state);
  showTip();
  topBar(state, weight);
  shown = state.f ? functionView(state, weight) : VIEWS[state.view][1](state, weight, selected);
  find("#view").innerHTML = warnings() + shown.markup;
  pictures = [];
  const made = shown.after ? shown.after(on, selected) : null;
  if (made)
    pictures = Array.isArray(made) ? made : [made];
  document.title = `${state.f ? functionOf(state.f) ? nameOf(functionOf(state.f).index) : state.f : VIEWS[state.view][0]} – ${data.program || "FunctionCheck"}`;
  if (scrolled) {
    all(".scroll, #view").forEach((box, i) => { box.scrollTop = scrolled[i] || 0; });
    scrollTo(x, y);
  } else
    scrollTo(0, 0);
  lastKey = key;
  const again = focused && document.getElementById(focused);
  if (again && again !== document.activeElement) {
    again.focus({ preventScroll: true });
    if (isSearching)
      again.setSelectionRange(caret, caret);
  }
  if (focused === "search")
    hits();
}

// ---- Finding --------------------------------------------------------------------------------------

const HITS = 9;

function hits() {
  const box = find("#hits");
  const words = find("#search").value.trim();
  box.hidden = words === "";
  if (box.hidden)
    return;
  const weight = weightOf(read().weight);
  const found = functions.filter((f) => f.shown && fits(words)(f)).sort((a, b) => weight.own(b) - weight.own(a));
  const { sum, whole } = weightBelow(weight, fits(words));
  box.innerHTML = found.slice(0, HITS).map((f, i) => `<a href="${escape(address({ f: wordOf(f), search: "" }))}"${i === 0 ? ' class="on"' : ""}><span class="fn">${nameMarkup(f)}</span><span class="v">${
    text(weight.own(f), weight.kind)}</span></a>`).join("") + (found.length > 0
    ? `<div class="sub" id="found" role="status">${found.length === 1 ? "1 function" : `${exact(found.length)} functions`}, with callees ${share(sum, whole)} of ${escape(weight.phrase)}</div>`
    : `<div class="none" id="found" role="status">No function has “${escape(words)}” in its name or file.</div>`);
}

// Once no key has come for a moment: a large page takes its time to draw.
let typing = 0;

function typed(input) {
  clearTimeout(typing);
  typing = setTimeout(() => replace({ search: input.value.trim() }), 80);
}

function hitKeys(event) {
  const list = all("#hits a");
  const at = list.findIndex((hit) => hit.classList.contains("on"));
  if (event.key === "Enter" && list[at]) {
    clearTimeout(typing);
    event.target.blur();
    location.hash = list[at].getAttribute("href");
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && list.length > 0) {
    event.preventDefault();
    const next = (at + (event.key === "ArrowDown" ? 1 : -1) + list.length) % list.length;
    list.forEach((hit, i) => hit.classList.toggle("on", i === next));
  } else if (event.key === "Escape") {
    clearTimeout(typing);
    event.target.value = "";
    event.target.blur();
    find("#hits").hidden = true;
    replace({ search: "" });
  }
}

// ---- Keys -----------------------------------------------------------------------------------------

function nextWeight(state) {
  const list = weights.filter((weight) => weight.kind === "ns" || weight.key === "calls");
  const next = list[(list.indexOf(weightOf(state.weight)) + 1) % list.length];
  go({ weight: next === weights[0] ? "" : next.key, zoom: "" });
}

function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  replace({ theme: next });
}

// What a reader wants rid of first goes first.
function escapeKey(state) {
  if (closeHelp())
    return;
  if (state.zoom)
    history.length > 1 && state.zoom.includes(".") ? go({ zoom: state.zoom.split(".").slice(0, -1).join(".") }) : go({ zoom: "" });
  else if (state.search)
    replace({ search: "" });
  else if (selected >= 0)
    on.select(-1);
}

const KEYS = {
  "/": () => { find("#search").focus(); find("#search").select(); },
  "?": () => openHelp("keys"),
  t: toggleTheme,
  w: nextWeight,
  i: (state) => go({ inverted: state.inverted === "1" ? "" : "1", zoom: "" }),
  o: (state) => go({ order: state.order === "name" ? "" : "name", zoom: "" }),
  z: () => pictures[0] && selected >= 0 && pictures[0].zoomTo(selected),
  Escape: escapeKey,
  Backspace: () => history.back(),
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (event.target.id === "search")
    hitKeys(event);
  else if (event.target.id === "filter") {
    if (event.key === "Escape") {
      clearTimeout(typing);
      event.target.value = "";
      replace({ search: "" });
    }
  } else if (event.target.matches("input, select, textarea"))
    return;
  else if (event.key.startsWith("Arrow") && pictures.length > 0 && !event.target.closest(".scroll, pre")) {
    event.preventDefault();
    pictures[0].move(event.key);
  } else if (event.key === "Enter" && !find(".pop") && selected >= 0 && !event.target.closest("a, button:not(.box), summary"))
    on.open(selected);
  else if (/^[1-9]$/.test(event.key)) {
    const view = Object.keys(VIEWS)[Number(event.key) - 1];
    if (view)
      go({ view: view === FIRST ? "" : view });
  } else if (event.key in KEYS) {
    event.preventDefault();
    KEYS[event.key](read());
  }
}

// ---- Clicks ---------------------------------------------------------------------------------------

function clicked(event) {
  const at = (selector) => event.target.closest(selector);
  const help = at("[data-help]");
  if (help)
    openHelp(help.dataset.help);
  else if (at("#theme"))
    toggleTheme();
  else if (at("[data-more]")) {
    find("#findings .rest").hidden = false;
    at("[data-more]").remove();
  } else if (at("[data-rows]"))
    shown.more(at("[data-rows]"));
  else if (at("[data-zoom]"))
    KEYS.z();
  else if (at("[data-pick]"))
    selected = Number(at("[data-pick]").dataset.pick);
  else if (at("[data-legend]")) {
    const button = at("[data-legend]");
    const isOn = button.getAttribute("aria-pressed") === "true";
    for (const other of all("[data-legend]"))
      other.setAttribute("aria-pressed", String(other === button && !isOn));
    for (const picture of pictures)
      picture.dim(isOn ? null : button.dataset.legend);
  } else if (at("tr[data-row]") && !at("a"))
    on.select(Number(at("tr[data-row]").dataset.row));
  if (!at(".find"))
    find("#hits").hidden = true;
}

function pointed(event) {
  if (event.target.closest(".flame"))
    return;
  const row = event.target.closest("tr[data-row] .name");
  const said = event.target.closest("[data-tip]");
  if (row)
    showTip(event, card(Number(row.parentNode.dataset.row), facts(functions[Number(row.parentNode.dataset.row)])));
  else
    showTip(said ? event : null, said ? escape(said.dataset.tip) : "");
}

function chosen(event) {
  if (event.target.id === "role")
    go({ thread: event.target.value, zoom: "" });
  else if (event.target.id === "weight-memory")
    go({ weight: event.target.value, zoom: "" });
}

document.addEventListener("click", clicked);
document.addEventListener("mousemove", pointed);
document.addEventListener("change", chosen);
document.addEventListener("keydown", pressed);
document.addEventListener("input", (event) => {
  if (event.target.id === "search")
    hits();
  if (event.target.id === "search" || event.target.id === "filter")
    typed(event.target);
});
addEventListener("hashchange", show);
let resizing = 0;
let width = innerWidth;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    if (width !== innerWidth)
      show();
    width = innerWidth;
  }, 150);
});
matchMedia("(prefers-color-scheme:dark)").addEventListener("change", show);
makeTopBar();
show();

