// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flame graphs and icicles: one box for each node of a tree, as wide as its share.
const LEVEL = 18;
const FRAMES_MAX = 6000; // what a browser moves without trouble

function colorOf(fn) {
  if (fn < 0)
    return "#bbb";
  let hash = 0;
  for (const letter of functions[fn].name)
    hash = (hash * 31 + letter.charCodeAt(0)) | 0;
  return d3.hsl(15 + (hash >>> 4) % 40, 0.75, 0.58 + (hash >>> 12 & 15) / 100);
}

// The boxes that are seen when `root` is as wide as the picture: {node, x, width, level}, in
// shares of the whole; narrower ones than `least` are not.
function layOut(tree, root, least) {
  const boxes = [];
  const above = [];
  for (let node = tree.parent[root]; node >= 0; node = tree.parent[node])
    above.push(node);
  above.reverse().forEach((node, level) => boxes.push({ node, x: 0, width: 1, level, above: true }));
  const whole = tree.total[root];
  const waiting = [{ node: root, x: 0, width: 1, level: above.length }];
  let hidden = 0;
  // Wide boxes first, so that what has no room is narrow.
  for (let done = 0; done < waiting.length; done++) {
    const box = waiting[done];
    boxes.push(box);
    let x = box.x;
    for (let i = tree.first[box.node]; i < tree.first[box.node + 1]; i++) {
      const node = tree.order[i];
      const width = whole > 0 ? tree.total[node] / whole : 0;
      if (width < least || waiting.length >= FRAMES_MAX) {
        for (let rest = i; rest < tree.first[box.node + 1] && tree.total[tree.order[rest]] > 0; rest++)
          hidden++;
        break;
      }
      waiting.push({ node, x, width, level: box.level + 1 });
      x += width;
    }
  }
  return { boxes, hidden, levels: d3.max(boxes, (box) => box.level) + 1 };
}

function showTip(event, text) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + "px";
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

function tipOf(tree, node, unit) {
  return `${nameOf(tree.fn[node])}: ${format(tree.total[node], unit)}, `
    + `${share(tree.total[node], tree.total[0])}; ${format(tree.self[node], unit)} itself`;
}

// Draws `tree` into `parent`.  up: callees stand above their callers; zoom(node): what a click
// does, open(fn) what a double click does.
function drawFlame(parent, tree, { root = 0, up = false, unit, zoom, open, pattern = "",
                                   name = (node) => nameOf(tree.fn[node]), color = (node) => colorOf(tree.fn[node]),
                                   tip = (node) => tipOf(tree, node, unit) }) {
  const width = Math.max(parent.clientWidth, 300);
  const { boxes, hidden, levels } = layOut(tree, root, 0.6 / width);
  const height = levels * LEVEL;
  const svg = d3.select(parent).append("svg").attr("class", "flame").attr("height", height)
    .attr("viewBox", `0 0 ${width} ${height}`);
  const wanted = pattern.toLowerCase();
  const frames = svg.selectAll("g").data(boxes).join("g")
    .attr("class", "frame")
    .attr("data-name", (box) => name(box.node))
    .attr("data-total", (box) => tree.total[box.node])
    .classed("above", (box) => box.above === true)
    .classed("found", (box) => wanted !== "" && name(box.node).toLowerCase().includes(wanted))
    .attr("transform", (box) =>
      `translate(${box.x * width},${(up ? levels - 1 - box.level : box.level) * LEVEL})`)
    .on("click", (box) => zoom(box.node))
    .on("dblclick", (box) => tree.fn[box.node] >= 0 && open(tree.fn[box.node]))
    .on("mousemove", (box) => showTip(d3.event, tip(box.node)))
    .on("mouseleave", hideTip);
  frames.append("rect").attr("width", (box) => Math.max(box.width * width - 0.5, 0.5))
    .attr("height", LEVEL - 1).attr("fill", (box) => color(box.node));
  frames.filter((box) => box.width * width > 28).append("text").attr("x", 3).attr("y", 13)
    .text((box) => {
      const room = Math.floor((box.width * width - 6) / 7.3);
      const text = name(box.node);
      return text.length <= room ? text : text.slice(0, room - 2) + "..";
    });
  if (hidden > 0)
    d3.select(parent).append("p").attr("class", "note")
      .text(hidden === 1 ? "1 box too narrow to be seen is not drawn; zoom shows it."
        : `${formatCount(hidden)} boxes too narrow to be seen are not drawn; zoom shows them.`);
}

// How much of the whole is below a function that fits, each part once.
function searchShare(tree, pattern) {
  const wanted = pattern.toLowerCase();
  const fits = functions.map((f) => f.name.toLowerCase().includes(wanted));
  const inside = new Uint8Array(tree.count);
  let sum = 0;
  for (let i = 1; i < tree.count; i++) {
    inside[i] = inside[tree.parent[i]];
    if (!inside[i] && tree.fn[i] >= 0 && fits[tree.fn[i]]) {
      inside[i] = 1;
      sum += tree.total[i];
    }
  }
  return { count: d3.sum(fits), share: share(sum, tree.total[0]) };
}
