// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first view: what the run took, what stands out, the heaviest functions, the flame graph, threads.
import { allCalls, data, functions, hasBoth, knowsWaits, threads, weights } from "./data.js";
import { escape, isPhone } from "./dom.js";
import { findings } from "./findings.js";
import { counted, exact, html, share, text } from "./format.js";
import { flameCard } from "./flame-card.js";
import { table } from "./functions.js";
import { address } from "./state.js";
import { shortLanes } from "./threads.js";

const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);

function tile(id, { title, hue, value, kind, below, changes, isBad = false }) {
  return `<a class="tile" id="${id}" href="${escape(address(changes))}" data-value="${value}"><div class="k">${hue ? `<span class="dot" style="background:var(--${hue})"></span>` : ""}${
    title}</div><div class="n${isBad ? " bad" : ""}">${value === null ? "–" : html(value, kind)}</div><div class="s" title="${escape(below.replace(/<[^>]*>/g, ""))}">${below}</div></a>`;
}

function tiles() {
  const elapsed = data.elapsed_ns || data.run_ns;
  const clock = weights[0];
  const inFunctions = sum(functions, clock.own);
  const working = threads.filter((thread) => !thread.idle);
  const idle = sum(threads.filter((thread) => thread.idle), (thread) => thread.blocked);
  const preempted = sum(threads, (thread) => thread.preempted);
  const life = sum(threads, (thread) => thread.life);
  const list = [
    tile("tile-elapsed", { title: "Elapsed", value: elapsed, kind: "ns", changes: { view: "threads" },
                           below: `${counted(threads.length, "thread")}, ${counted(data.processes.length, "process")}` }),
    tile("tile-time", { title: clock.key === "cpu" ? "On the CPU" : clock.key === "waited" ? "Waited" : "In functions", hue: clock.hue, value: inFunctions, kind: "ns",
                        changes: { view: "flame" }, below: elapsed > 0 && clock.key === "cpu" ? `${(inFunctions / elapsed).toFixed(2)} processors busy` : "in all functions" }),
  ];
  if (knowsWaits) {
    list.push(tile("tile-blocked", { title: "Blocked", hue: "block", value: sum(working, (thread) => thread.blocked), kind: "ns",
                                     changes: hasBoth ? { view: "flame", weight: "waited", inverted: "1" } : { view: "threads" },
                                     below: idle > 0 ? `idle threads ${text(idle)} more` : "of their own accord" }));
    list.push(tile("tile-preempted", { title: "Preempted", hue: "pre", value: preempted, kind: "ns", changes: { view: "threads" },
                                       below: `${share(preempted, life)} of all threads’ time` }));
  }
  list.push(tile("tile-calls", { title: "Calls", value: allCalls, kind: "calls", changes: { view: "functions", sort: "calls" },
                                 below: `of ${counted(functions.length, "function")}; ${data.misses_calls ? "at least" : "exact"}` }));
  if (data.heap)
    list.push(tile("tile-heap", { title: "Allocated", hue: "mem", value: data.heap.bytes, kind: "bytes", changes: { view: "memory" },
                                  below: `<span class="${data.heap.leaked_bytes > 4096 ? "bad" : ""}">${text(data.heap.leaked_bytes, "bytes")} leaked</span> · peak ${
                                    text(data.heap.peak_bytes, "bytes")}` }));
  return `<section class="tiles" style="--tiles:${list.length}">${list.join("")}</section>`;
}

export function overviewView(state, weight, selected) {
  const shown = functions.filter((f) => f.shown);
  const rows = shown.slice().sort((a, b) => weight.own(b) - weight.own(a)).slice(0, isPhone() ? 10 : 40);
  const columns = ["own", "total", ...(hasBoth ? ["other"] : ["calls"])];
  const card = flameCard(state, weight, "middle");
  const body = table(rows, { columns, weight, state, limit: rows.length, id: "top", selected, brief: true });
  return {
    markup: `${tiles()}${findings()}<div class="split"><section class="card col middle"><header><h2>Functions</h2><span class="sub">${escape(weight.phrase)}: own
      <span class="dot ow ${weight.hue}"></span> and with callees <span class="dot tt ${weight.hue}"></span></span><span class="grow"></span><a href="${
      escape(address({ view: "functions" }))}">all ${exact(shown.length)} →</a></header><div class="scroll">${body.markup}</div></section>${card.markup}</div>${
      threads.length > 1 ? shortLanes() : ""}`,
    after: card.after,
  };
}
