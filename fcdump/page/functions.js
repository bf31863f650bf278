// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables of functions, and the view of all.
import { data, doubtOf, fileOf, functions, hasBoth, placeOf, timeWeight, weights, wordOf } from "./data.js";
import { escape, nothing } from "./dom.js";
import { exact, html, share } from "./format.js";
import { address } from "./state.js";

const ROWS = 200; // so many more with each press

export const nameMarkup = (f) => `<span class="sc">${escape(f.scope)}</span><b>${escape(f.base)}</b>`;

export const link = (f, markup = nameMarkup(f)) => `<a class="fn" href="${escape(address({ f: wordOf(f) }))}">${markup}</a>`;

export function bar(part, whole, weight, strong = 0, more = "") {
  const percent = (value) => (whole > 0 ? Math.min(100, 100 * value / whole) : 0).toFixed(1);
  return `<span class="bar ${weight.hue} ${more}" aria-hidden="true"><i class="tt" style="width:${percent(part)}%"></i><i class="ow" style="width:${percent(strong)}%"></i></span>`;
}

const cpu = weights.find((weight) => weight.key === "cpu");
const waited = weights.find((weight) => weight.key === "waited");
const hasLatency = functions.some((f) => f.percentiles);

// By key: heading, meaning, value, kind, and what is special of the cell.
export const COLUMNS = {
  own: { title: (weight) => `own ${weight.kind === "ns" ? weight.title : weight.phrase}`, short: "own", tip: "In the function itself, without what it calls and what the hooks took.", weighed: "own" },
  doubt: { title: () => "±", tip: "The standard error of own CPU time, where calls were timed at random; amber where it is more than half, ? where hooks took more.", value: (f) => doubtOf(f).percent || 0 },
  total: { title: (weight) => `total ${weight.kind === "ns" ? weight.title : weight.phrase}`, short: "total", tip: "In the function and all that it calls; recursion is counted once.", weighed: "total" },
  other: { title: (weight) => other(weight).title.toLowerCase(), tip: "In the function itself, by the other clock: off the CPU in locks, I/O, sleep and preemption, or on it.", value: (f, weight) => other(weight).own(f), kind: "ns", shared: true, has: hasBoth },
  blocked: { title: () => "blocked", tip: "Off the CPU of its own accord, in the function itself.", value: (f) => f.off.blocked, kind: "ns", has: hasBoth, hidden: true },
  preempted: { title: () => "preempted", tip: "Ready to run, in the function itself, but others had the processors.", value: (f) => f.off.preempted, kind: "ns", has: hasBoth, hidden: true },
  ...Object.fromEntries([["lock", "a lock that another thread has"], ["threads", "a sign or the end of another thread"], ["input", "input or output"], ["sleep", "a sleep"], ["disk", "the disk"], ["unknown", "what is not known"]].map(([kind, what]) =>
    [kind, { title: () => kind === "unknown" ? "blocked by unknown" : kind, tip: `Blocked by ${what}, by samples of waiting threads.`, value: (f) => f.off.kinds.get(kind), kind: "ns", has: hasBoth, hidden: true }])),
  calls: { title: () => "calls", tip: "How often it was called.", value: (f) => f.calls, kind: "calls" },
  each: { title: (weight) => `${timeWeight(weight).title} per call`, tip: "Total time of a call, on average.", value: (f, weight) => f.calls ? timeWeight(weight).total(f) / f.calls : 0, kind: "ns" },
  p50: { clock: "elapsed", title: () => "p50", tip: "Half of its calls took no longer, waiting included.", value: (f) => f.percentiles ? f.percentiles[0] : 0, kind: "ns", has: hasLatency },
  p90: { clock: "elapsed", title: () => "p90", tip: "90 % of its calls took no longer, waiting included.", value: (f) => f.percentiles ? f.percentiles[1] : 0, kind: "ns", has: hasLatency, hidden: true },
  p99: { clock: "elapsed", title: () => "p99", tip: "99 % of its calls took no longer, waiting included.", value: (f) => f.percentiles ? f.percentiles[2] : 0, kind: "ns", has: hasLatency },
  p999: { clock: "elapsed", title: () => "p99.9", tip: "99.9 % of its calls took no longer, waiting included.", value: (f) => f.percentiles ? f.percentiles[3] : 0, kind: "ns", has: hasLatency, hidden: true },
  min: { clock: "elapsed", title: () => "fastest", tip: "Its shortest call, waiting included.", value: (f) => f.min, kind: "ns", mark: true, hidden: true },
  max: { clock: "elapsed", title: () => "slowest", tip: "Its longest call, waiting included.", value: (f) => f.max, kind: "ns", mark: true },
  bytes: { title: () => "allocated", tip: "Bytes that it allocated itself.", value: (f) => f.memory.bytes, kind: "bytes", has: Boolean(data.heap) },
  live: { title: () => "never freed", tip: "Bytes that it allocated itself and that were never freed.", value: (f) => f.memory["live-bytes"], kind: "bytes", has: Boolean(data.heap), hidden: true },
};

const other = (weight) => weight.key === "waited" ? cpu : waited;
export const known = Object.keys(COLUMNS).filter((key) => COLUMNS[key].has !== false);

const valueOf = (key, f, weight) => {
  const column = COLUMNS[key];
  return column.weighed ? weight[column.weighed](f) : column.value(f, weight);
};

function cellOf(key, f, weight) {
  const column = COLUMNS[key];
  if (key === "doubt") {
    const doubt = doubtOf(f);
    return `<td class="pm${doubt.isLarge ? " amber" : ""}">${doubt.text}</td>`;
  }
  const value = valueOf(key, f, weight);
  const kind = column.weighed ? weight.kind : column.kind;
  if (!(value > 0))
    return `<td class="z">–</td>`;
  const mark = column.mark ? f.boundMark : "";
  const under = column.weighed ? share(value, weight.base) : column.shared ? share(value, other(weight).base) : "";
  return `<td>${mark}${html(value, kind)}${under ? `<div class="pc">${under}</div>` : ""}</td>`;
}

// Columns that a phone has no room for.
const ON_PHONE = ["own"];

/* The rows sorted as the state says; columns: keys; weight; limit: so many rows; id; selected: a function. */
export function table(rows, { columns, weight, state, limit = ROWS, id, selected = -1, brief = false }) {
  const sort = columns.includes(state.sort) || state.sort === "name" ? state.sort : "own";
  const up = Boolean(state.up) !== (sort === "name");
  const value = (f) => sort === "name" ? f.scope + f.base : valueOf(sort, f, weight);
  const sorted = rows.map((f) => [value(f), f])
    .sort(([a, f], [b, g]) => (up ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0) || f.index - g.index).map(([, f]) => f);
  const largest = Math.max(1, ...rows.slice(0, 20000).map((f) => weight.total(f)));
  const heading = (key, title, tip, clock) => {
    const on = key === sort;
    const href = address({ sort: key, up: on && !state.up ? "1" : "" });
    return `<th scope="col" class="${key === "name" ? "l" : ON_PHONE.includes(key) ? "" : "wide"}${on ? " on" : ""}"${on ? ` aria-sort="${up ? "ascending" : "descending"}"` : ""}><a href="${
      escape(href)}" data-tip="${escape(tip)}">${escape(title)}${on ? up ? " ↑" : " ↓" : ""}${clock ? `<span class="pc">${clock}</span>` : ""}</a></th>`;
  };
  const head = [heading("name", "Function", "Its short name; below it where it begins. Hover shows the whole name."),
    `<th class="wide" data-tip="Strong: itself. Light: with all that it calls.">own · total</th>`,
    ...columns.map((key) => heading(key, brief && COLUMNS[key].short || COLUMNS[key].title(weight), COLUMNS[key].tip, COLUMNS[key].clock))];
  const row = (f) => `<tr data-row="${f.index}" data-name="${escape(f.name)}"${f.index === selected ? ' class="on"' : ""}><td class="l name">${link(f)}${
    bar(weight.total(f), largest, weight, weight.own(f), "slim")}<div class="at">${escape(placeOf(f))}</div></td><td class="wide bars">${
    bar(weight.total(f), largest, weight, weight.own(f))}</td>${columns.map((key) => ON_PHONE.includes(key) ? cellOf(key, f, weight)
    : cellOf(key, f, weight).replace(/^<td(?: class="([^"]*)")?/, '<td class="wide $1"')).join("")}</tr>`;
  const markup = (from, to) => sorted.slice(from, to).map(row).join("");
  return {
    markup: `<table id="${id}"><thead><tr>${head.join("")}</tr></thead><tbody>${markup(0, limit)}</tbody></table>${
      sorted.length > limit && !brief ? `<button class="btn more" data-rows="${limit}">${exact(limit)} of ${exact(sorted.length)} shown; more</button>` : ""}`,
    more: (button) => {
      const from = Number(button.dataset.rows);
      button.previousElementSibling.tBodies[0].insertAdjacentHTML("beforeend", markup(from, from + ROWS));
      const shown = Math.min(from + ROWS, sorted.length);
      button.dataset.rows = shown;
      button.textContent = `${exact(shown)} of ${exact(sorted.length)} shown; more`;
      button.hidden = shown === sorted.length;
    },
  };
}

export function fits(search) {
  const wanted = search.toLowerCase();
  return (f) => f.name.toLowerCase().includes(wanted) || (f.scope + f.base).toLowerCase().includes(wanted)
    || fileOf(f.file).toLowerCase().includes(wanted);
}

const shownColumns = (state) => {
  const asked = state.columns ? state.columns.split(",").filter((key) => known.includes(key)) : [];
  return asked.length > 0 ? known.filter((key) => asked.includes(key)) : known.filter((key) => !COLUMNS[key].hidden);
};

function chooser(columns, weight) {
  const item = (key) => {
    const next = columns.includes(key) ? columns.filter((column) => column !== key) : [...columns, key];
    return `<a role="menuitemcheckbox" aria-checked="${columns.includes(key)}" href="${escape(address({ columns: next.join(",") }))}">${
      columns.includes(key) ? "☑" : "☐"} ${escape(COLUMNS[key].title(weight))}</a>`;
  };
  return `<details class="menu" id="chooser"><summary class="btn">Columns</summary><div role="menu">${known.map(item).join("")}</div></details>`;
}

export function functionsView(state, weight) {
  const columns = shownColumns(state);
  const shown = functions.filter((f) => f.shown);
  const rows = state.search ? shown.filter(fits(state.search)) : shown;
  const body = rows.length > 0 ? table(rows, { columns, weight, state, id: "functions" }) : null;
  const hidden = functions.length - shown.length;
  return {
    markup: `<section class="card col fill"><header><h2>${exact(rows.length)} of ${exact(shown.length)} functions</h2><input class="filter" id="filter"
      type="search" placeholder="Filter by name or file" aria-label="Filter by name or file" value="${escape(state.search)}">
      <span class="sub">${hidden > 0 ? `${exact(hidden)} more are not shown, as the command line says` : ""}</span><span class="grow"></span>${chooser(columns, weight)}</header>
      <div class="scroll">${body ? body.markup : nothing(`No function has “${escape(state.search)}” in its name or file. <kbd>Esc</kbd> clears the filter.`)}</div></section>`,
    more: body ? body.more : null,
  };
}

