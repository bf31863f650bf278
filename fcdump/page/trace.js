// SPDX-License-Identifier: GPL-3.0-or-later
//
// The last calls of each thread, as FC_TRACE kept them: when each began and ended, in their real place.
import { data, functions, nameOf, threads, wordOf } from "./data.js";
import { escape, find } from "./dom.js";
import { exact, text } from "./format.js";
import { address, go } from "./state.js";
import { axis } from "./threads.js";

const [OPEN, EARLY] = [1, 2];
const calls = data.trace ? data.trace.calls.map(([thread, fn, level, stack, from, to, flags]) => ({ thread, fn, level, stack, from, to, flags })) : [];
const ROW = 18;
const LEVELS_MAX = 40; // of a thread
const LEAST = 2; // pixels: of narrower calls beside one another one box is drawn, which says how many they are

const first = calls.reduce((least, call) => Math.min(least, call.from), Infinity);
const last = calls.reduce((most, call) => Math.max(most, call.to), 0);

// "1000-2500": in nanoseconds since the start.
function rangeOf(state) {
  const found = /^(\d+)-(\d+)$/.exec(state.zoom);
  return found && Number(found[2]) > Number(found[1]) ? [Number(found[1]), Number(found[2])] : [first, Math.max(last, first + 1)];
}

function boxesOf(list, from, to, width) {
  const scale = width / (to - from);
  const open = new Map(); // level -> the merged box that may grow
  const boxes = [];
  for (const call of list) {
    if (call.to < from || call.from > to || call.level > LEVELS_MAX)
      continue;
    const left = Math.max(0, (call.from - from) * scale);
    const right = Math.min(width, (call.to - from) * scale);
    if (right - left >= LEAST) {
      boxes.push({ call, left, right, level: call.level, many: 1 });
      continue;
    }
    const before = open.get(call.level);
    if (before && left <= before.right + 1) {
      before.right = Math.max(before.right, right, before.left + 1);
      before.many++;
      continue;
    }
    const box = { call, left, right: Math.max(right, left + 1), level: call.level, many: 1 };
    open.set(call.level, box);
    boxes.push(box);
  }
  return boxes;
}

function markup(box) {
  const f = functions[box.call.fn];
  const wide = box.right - box.left;
  const flags = `${box.call.flags & OPEN ? ", did not return" : ""}${box.call.flags & EARLY ? ", called before the first record" : ""}`;
  const tip = box.many > 1 ? `${box.many} short calls` : `${nameOf(box.call.fn)}: ${text(box.call.to - box.call.from)} elapsed, from ${text(box.call.from)}${flags}`;
  return `<a class="box ${box.many > 1 ? "small" : "c" + f.color}" href="${escape(address({ f: wordOf(f) }))}" data-tip="${escape(tip)}" data-fn="${box.call.fn}" style="left:${box.left.toFixed(1)}px;top:${
    (box.level - 1) * ROW}px;width:${Math.max(1, wide - 0.5).toFixed(1)}px;height:${ROW - 1}px">${wide > 30 && box.many === 1 ? `<span class="line"><span class="sc">${escape(f.scope)}</span><span class="nm">${
    escape(f.base)}</span></span>` : ""}</a>`;
}

export function traceView(state) {
  const [from, to] = rangeOf(state);
  const isZoomed = Boolean(state.zoom);
  const omitted = data.trace.omitted > 0 ? `; ${exact(data.trace.omitted)} earlier ones are left out` : "";
  const html = `<section class="card"><header><h2>Trace</h2><span class="sub">the last ${exact(calls.length)} calls${omitted}; elapsed, ${text(from)} to ${text(to)} after the start. A drag zooms.</span><span class="grow"></span>${
    isZoomed ? `<a class="btn" id="trace-reset" href="${escape(address({ zoom: "" }))}">Whole trace</a>` : ""}</header><div class="trace" id="trace"></div></section>`;
  const after = () => {
    const host = find("#trace");
    const width = Math.max(200, host.clientWidth - 24);
    const byTrack = new Map();
    for (const call of calls) {
      const track = call.thread + "." + call.stack;
      if (!byTrack.has(track))
        byTrack.set(track, []);
      byTrack.get(track).push(call);
    }
    host.innerHTML = axis(from, to) + Array.from(byTrack, ([track, list]) => {
      const thread = threads[Number(track.split(".")[0])];
      const levels = Math.min(LEVELS_MAX, list.reduce((most, call) => Math.max(most, call.level), 1));
      const deeper = list.filter((call) => call.level > LEVELS_MAX).length;
      const stack = track.split(".")[1] === "0" ? "" : `, stack ${track.split(".")[1]}`;
      return `<div class="grp"><b>${escape(thread ? thread.roleName : "thread")}</b> <span class="pm">${thread ? thread.tid : ""}${stack}</span>${
        deeper > 0 ? `<span class="sub">${exact(deeper)} calls deeper than ${LEVELS_MAX} levels are not drawn</span>` : ""}</div><div class="boxes trace-row" style="height:${levels * ROW}px">${
        boxesOf(list, from, to, width).map(markup).join("")}</div>`;
    }).join("");
    drag(host, from, to, width);
  };
  return { markup: html, after };
}

// From where the pointer goes down to where it goes up.
function drag(host, from, to, width) {
  let begin = null;
  const at = (event) => from + (to - from) * Math.max(0, Math.min(1, (event.clientX - host.getBoundingClientRect().left - 12) / width));
  host.addEventListener("pointerdown", (event) => { begin = [at(event), event.clientX]; });
  host.addEventListener("dragstart", (event) => event.preventDefault());
  host.addEventListener("pointerup", (event) => {
    if (!begin || Math.abs(event.clientX - begin[1]) < 6) {
      begin = null;
      return;
    }
    const [low, high] = [begin[0], at(event)].sort((a, b) => a - b);
    begin = null;
    host.addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
    go({ zoom: `${Math.floor(low)}-${Math.ceil(Math.max(high, low + 1))}` });
  });
}
