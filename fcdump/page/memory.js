// SPDX-License-Identifier: GPL-3.0-or-later
//
// The heap: its size over time, who held it at its peak, leaks, what was allocated, bad frees.
import { data, fileOf, lastMoment } from "./data.js";
import { choice, escape, find, nothing } from "./dom.js";
import { counted, exact, html, share, text } from "./format.js";
import { address } from "./state.js";

const heap = data.heap;

const KINDS = {
  "": { title: "Held at the peak", bytes: (site) => site.peak_bytes, blocks: null, hue: "mem", all: () => heap.peak_bytes },
  leaked: { title: "Leaked", bytes: (site) => site.leaked_bytes, blocks: (site) => site.leaked_blocks, hue: "bad", all: () => heap.leaked_bytes },
  allocated: { title: "Allocated", bytes: (site) => site.bytes, blocks: (site) => site.blocks, hue: "mem", all: () => heap.bytes },
};

const tile = (id, title, value, below, isBad) => `<div class="tile" id="${id}"><div class="k">${title}</div><div class="n${isBad ? " bad" : ""}">${value}</div><div class="s">${below}</div></div>`;

const frameOf = ([name, place, isSystems]) => ({ name, place: place || "", isSystems });
const shortPlace = (place) => {
  const at = place.lastIndexOf(":");
  return at > 0 ? fileOf(place.slice(0, at)) + place.slice(at) : place;
};

// The program's own line, and the library's that the call went through.
function ownFrame(site) {
  const frames = (site.stack || []).map(frameOf);
  return { frame: frames[site.own] || { name: "not known", place: "" }, through: site.own > 0 ? frames[0] : null };
}

const frameMarkup = (frame) => `<div class="frame${frame.isSystems ? " library" : ""}"><div>${escape(frame.name)}</div><div class="at" title="${escape(frame.place)}">${escape(shortPlace(frame.place))}</div></div>`;

function stackCard(site) {
  if (!site)
    return `<section class="card"><header><h2>Came from</h2></header>${nothing("No site is chosen.")}</section>`;
  const frames = site.stack ? site.stack.map(frameOf) : [];
  return `<section class="card col"><header><h2>Came from</h2><span class="sub">innermost first; ${escape(site.call)}</span></header><div class="scroll" id="stack">${
    frames.map(frameMarkup).join("")
    || nothing("Where it came from is not known.")}</div></section>`;
}

function siteTable(rows, kind, chosen, state) {
  const most = rows.length > 0 ? kind.bytes(rows[0]) : 1;
  const row = (site) => {
    const { frame, through } = ownFrame(site);
    const number = heap.sites.indexOf(site);
    return `<tr class="${site === chosen ? "on" : ""}"><td class="l name"><a class="fn" href="${escape(address({ site: String(number) }))}"><b>${escape(frame.name)}</b></a><div class="at">${
      escape(shortPlace(frame.place))} · <span class="sc">${escape(site.call)}${through ? ` via ${escape(through.name)}${through.place ? ` in ${escape(shortPlace(through.place))}` : ""}` : ""}</span></div></td>
      <td class="wide bars"><span class="bar ${kind.hue}"><i class="ow" style="width:${(100 * kind.bytes(site) / most).toFixed(1)}%"></i></span></td><td>${html(kind.bytes(site), "bytes")}<div class="pc">${
      share(kind.bytes(site), kind.all())}</div></td>${kind.blocks ? `<td class="wide">${html(kind.blocks(site), "blocks")}</td>` : ""}<td class="wide">${site.temporary > 0 ? share(site.temporary, site.blocks) : "–"}</td></tr>`;
  };
  if (rows.length === 0)
    return nothing(state.heap === "leaked" ? "Nothing leaked." : "Nothing was held.");
  return `<table id="sites"><thead><tr><th class="l">Site: your own line</th><th class="wide"></th><th class="on">bytes</th>${kind.blocks ? '<th class="wide">blocks</th>' : ""}
    <th class="wide" data-tip="Freed before the thread allocated anything else">short-lived</th></tr></thead><tbody>${rows.map(row).join("")}</tbody></table>`;
}

function badFrees() {
  if (heap.bad.length === 0)
    return "";
  const stack = (title, frames) => frames ? `<div class="sub">${title}</div>${frames.map(frameOf).map(frameMarkup).join("")}` : "";
  return `<section class="card" id="bad"><header><h2>${counted(heap.bad.length + heap.bad_omitted, "bad free")}</h2>${heap.bad_omitted > 0 ? `<span class="sub">${exact(heap.bad_omitted)} are left out</span>` : ""}</header>${
    heap.bad.map((bad) => `<details><summary>${escape(bad.pointer)}, ${escape(bad.kind)}: ${escape(bad.here && bad.here[0] ? bad.here[0][0] : "not known")}</summary>${
      stack("freed here", bad.here)}${stack("allocated", bad.allocated)}${stack("freed first", bad.freed)}</details>`).join("")}</section>`;
}

// ---- Over time ----------------------------------------------------------------------------------

function curve(host) {
  const width = Math.max(260, host.clientWidth - 16);
  const height = 150;
  const samples = heap.samples;
  const end = Math.max(samples.length > 0 ? samples[samples.length - 1][0] : 0, heap.peak_ns, lastMoment, 1);
  const top = Math.max(heap.peak_bytes * 1.06, 1);
  const x = (ns) => 62 + (width - 70) * ns / end;
  const y = (bytes) => height - 18 - (height - 34) * bytes / top;
  const step = 2 ** Math.ceil(Math.log2(Math.max(top, 4) / 4));
  let line = `M${x(0)} ${y(0)}`;
  for (const [ns, bytes] of samples)
    line += `V${y(bytes).toFixed(1)}H${x(ns).toFixed(1)}`;
  const levels = [];
  for (let bytes = 0; bytes <= top; bytes += step)
    levels.push(`<path d="M62 ${y(bytes).toFixed(1)}H${width - 8}" class="grid"/><text x="56" y="${(y(bytes) + 4).toFixed(1)}" text-anchor="end">${bytes >= 1024 ? mark(bytes) : bytes + " B"}</text>`);
  const peak = x(heap.peak_ns);
  host.innerHTML = `<svg width="100%" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Bytes in live blocks over time: peak ${text(heap.peak_bytes, "bytes")}"><g>${levels.join("")}</g>
    <path class="area" d="${line}H${x(end).toFixed(1)}V${y(0)}Z"/><path class="edge" d="${line}"/><path d="M${peak} 14V${y(0)}" class="mark"/><circle cx="${peak}" cy="${y(heap.peak_bytes)}" r="4"/>
    <text class="b" x="${peak + (peak > width * 0.7 ? -8 : 8)}" y="14" text-anchor="${peak > width * 0.7 ? "end" : "start"}">peak ${text(heap.peak_bytes, "bytes")}</text>
    <g>${[0, 0.25, 0.5, 0.75, 1].map((part) => `<text x="${x(part * end).toFixed(1)}" y="${height - 3}" text-anchor="${part === 0 ? "start" : part === 1 ? "end" : "middle"}">${text(part * end)}</text>`).join("")}</g>
    <path id="cursor" class="mark" d=""/></svg><div class="sub" id="held">&nbsp;</div>`;
  const svg = find("svg", host);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const ns = Math.max(0, ((event.clientX - box.left) * width / box.width - 62) / (width - 70) * end);
    const sample = samples.find((other) => other[0] >= ns) || samples[samples.length - 1];
    if (!sample)
      return;
    find("#cursor", svg).setAttribute("d", `M${x(Math.min(ns, end)).toFixed(1)} 14V${y(0)}`);
    find("#held", host).textContent = `at most ${text(sample[1], "bytes")} up to ${text(sample[0])}`;
  });
}

// A power of two, or a small multiple of one.
function mark(bytes) {
  const at = Math.floor(Math.log2(bytes) / 10);
  return `${+(bytes / 2 ** (10 * at)).toFixed(2)} ${["B", "KiB", "MiB", "GiB", "TiB"][at]}`;
}

// ---- The view -----------------------------------------------------------------------------------

export function memoryView(state) {
  if (!heap)
    return { markup: `<section class="card"><header><h2>Memory</h2></header>${nothing("Run the program with <code>FC_MEMORY=1</code> to see what it allocates, holds and leaks.")}</section>` };
  const kind = KINDS[state.heap] || KINDS[""];
  const rows = heap.sites.filter((site) => kind.bytes(site) > 0).sort((a, b) => kind.bytes(b) - kind.bytes(a));
  const chosen = rows.find((site) => String(heap.sites.indexOf(site)) === state.site) || rows[0];
  const tiles = [
    tile("heap-peak", "Peak", html(heap.peak_bytes, "bytes"), `after ${text(heap.peak_ns)}`),
    tile("heap-all", "Allocated in all", html(heap.bytes, "bytes"), `${counted(heap.allocations, "block")}${heap.allocations > 0 ? `, ${text(heap.bytes / heap.allocations, "bytes")} each` : ""}; ${exact(heap.frees)} freed`),
    tile("heap-leaked", "Leaked", html(heap.leaked_bytes, "bytes"), counted(heap.leaked_blocks, "block"), heap.leaked_bytes > 4096),
    tile("heap-bad", "Bad frees", exact(heap.bad.length + heap.bad_omitted), heap.bad.length > 0 ? "" : "none", heap.bad.length > 0),
  ];
  const switches = choice("Sites by", Object.entries(KINDS).map(([word, { title }]) => ({ text: title, href: address({ heap: word, site: "" }), on: kind.title === title })));
  const omitted = heap.sites_omitted > 0 ? `<div class="note" id="omitted">${exact(heap.sites_omitted)} of the smallest allocation sites are left out.</div>` : "";
  return {
    markup: `<section class="tiles" style="--tiles:4">${tiles.join("")}</section><section class="card"><header><h2>Held over time</h2><span class="sub">bytes in live blocks</span></header>
      <div id="curve" class="pad"></div></section><div class="split m"><section class="card col sites"><header>${switches}<span class="sub">by your own line; the library’s that it went through is grey</span></header>
      <div class="scroll">${siteTable(rows, kind, chosen, state)}</div>${omitted}</section>${stackCard(chosen)}</div>${badFrees()}`,
    after: () => curve(find("#curve")),
  };
}
