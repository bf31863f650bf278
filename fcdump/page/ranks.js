// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ranks of a job: how much of each function each rank has, as a map of its time on the CPU, and how many
// ranks have how much of the chosen function.
import { data, functions } from "./data.js";
import { escape, nothing } from "./dom.js";
import { counted, exact, html, text } from "./format.js";
import { link } from "./functions.js";
import { address } from "./state.js";

const BINS = 12;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function cell(row, rank, most, index) {
  const ns = row.cpu_ns[index];
  const name = functions[row.function].base;
  return `<i class="rank-cell" data-ns="${ns}" style="--heat:${most > 0 ? (ns / most).toFixed(3) : 0}" data-tip="${
    escape(`${name}, rank ${rank.rank}${rank.host ? ` on ${rank.host}` : ""}: ${text(ns)}`)}"></i>`;
}

// The functions' shares are each of its own most: what is even has one colour.
function map(ranks, rows, chosen) {
  return rows.map((row) => {
    const most = Math.max(...row.cpu_ns);
    const late = ranks[row.cpu_ns.indexOf(most)].rank;
    return `<div class="rank-row${row === chosen ? " on" : ""}" data-function="${row.function}">${link(functions[row.function])}<a class="rank-cells" href="${
      escape(address({ lane: String(row.function) }))}">${ranks.map((rank, index) => cell(row, rank, most, index)).join("")}</a><span class="s">${
      html(mean(row.cpu_ns))}</span><span class="s">${html(most)}</span><span class="s">${late}</span></div>`;
  }).join("");
}

function histogram(row) {
  const [least, most] = [Math.min(...row.cpu_ns), Math.max(...row.cpu_ns)];
  const width = (most - least) / BINS || 1;
  const bins = Array(BINS).fill(0);
  for (const ns of row.cpu_ns)
    bins[Math.min(BINS - 1, Math.floor((ns - least) / width))]++;
  const top = Math.max(...bins);
  return `<div class="rank-bins">${bins.map((count, i) => `<i data-count="${count}" data-tip="${
    escape(`${text(least + i * width)} to ${text(least + (i + 1) * width)}: ${counted(count, "rank")}`)}" style="height:${(100 * count / top).toFixed(1)}%"></i>`).join("")}</div>
    <div class="rank-ends"><span>${html(least)}</span><span>${html(most)}</span></div>`;
}

export function ranksView(state) {
  const { ranks, functions: rows } = data.ranks;
  if (rows.length === 0)
    return { markup: nothing("No rank has time on the CPU.") };
  const chosen = rows.find((row) => String(row.function) === state.lane) || rows[0];
  return {
    markup: `<section class="card" id="ranks"><header><h2>${exact(ranks.length)} ranks</h2><span class="sub">own time on the CPU of the ${
      counted(rows.length, "function")} with most, by rank: the darker, the nearer to the function’s most</span></header><div class="rank-row"><span class="h">Function</span><span class="h">rank ${
      ranks[0].rank} to ${ranks[ranks.length - 1].rank}</span><span class="s h">mean</span><span class="s h">most</span><span class="s h">of rank</span></div>${
      map(ranks, rows, chosen)}</section><section class="card" id="rank-histogram"><header><h2>${escape(functions[chosen.function].base)}</h2><span class="sub">how many ranks have how much of it</span></header>${
      histogram(chosen)}</section>`,
  };
}
