// SPDX-License-Identifier: GPL-3.0-or-later
//
// The flame graph: its root on top, a row for each level, rows as high as there is room for.  Boxes that are
// too narrow are merged to one at the end of their caller, which says how many they are.
import { functions, groups, nameOf, placeOf } from "./data.js";
import { escape, find, showTip, isPhone } from "./dom.js";
import { share, text } from "./format.js";

const LETTER = 6.8; // pixels, on average
const LEAST = 4; // pixels: narrower boxes are merged
const BOXES_MAX = 6000; // what a browser draws without trouble
const [ROW_LEAST, ROW_MOST, ROW_OF_TWO_LINES] = [19, 58, 33];
export const SMALL = -9; // in a path: those that are merged

// What is drawn when boxes narrower than `least` are not: {node, left, width, level}; `small`: so many merged.
function layOut(tree, top, width, least) {
  const boxes = [];
  let levels = 0;
  const waiting = [{ node: top, left: 0, width, level: 0 }];
  for (let done = 0; done < waiting.length && boxes.length <= BOXES_MAX; done++) {
    const box = waiting[done];
    boxes.push(box);
    levels = Math.max(levels, box.level + 1);
    if (box.small)
      continue;
    let left = box.left;
    const kids = kidsOf(tree, box.node);
    const rest = { count: 0, total: 0, list: [] };
    for (const kid of kids) {
      const wide = box.width * kid.total / box.node.total;
      if (wide < least) {
        rest.count++;
        rest.total += kid.total;
        rest.list.push(kid);
        continue;
      }
      waiting.push({ node: kid, left, width: wide, level: box.level + 1 });
      left += wide;
    }
    const wide = box.width * rest.total / box.node.total;
    if (rest.count > 0)
      waiting.push({ node: smallNode(box.node, rest), left, width: Math.max(wide, 1), level: box.level + 1, small: rest.count });
  }
  return { boxes, levels, isWhole: boxes.length === waiting.length };
}

const kidsOf = (tree, node) => node.fn === SMALL ? node.list : tree.kids(node);

// Stands for what was merged; a zoom to it shows that.
function smallNode(up, rest) {
  return { fn: SMALL, up, total: rest.total, self: 0, list: rest.list, path: () => [...up.path(), SMALL] };
}

// The node at the end of that path; of what was merged at the width of now.
function nodeAt(tree, path, width) {
  let node = tree.root;
  for (const fn of path) {
    const kids = kidsOf(tree, node);
    let next = kids.find((kid) => kid.fn === fn);
    if (fn === SMALL) {
      const list = kids.filter((kid) => width * kid.total / node.total < LEAST);
      next = list.length > 0 ? smallNode(node, { list, total: list.reduce((sum, kid) => sum + kid.total, 0) }) : null;
    }
    if (!next)
      break;
    node = next;
  }
  return node;
}

// Neighbours of one colour are told apart by a little lightness.
function shade(f) {
  let hash = 0;
  for (const letter of f.base)
    hash = (hash * 31 + letter.charCodeAt(0)) & 255;
  return ((hash / 255 - 0.5) * 6).toFixed(1);
}

export function card(fn, rows) {
  const f = functions[fn];
  return `<div class="fn"><span class="sc">${escape(f.scope)}</span><b>${escape(f.base)}</b></div><div class="at">${escape(placeOf(f))}</div><dl>${
    rows.map(([key, value]) => `<dt>${key}</dt><dd>${value}</dd>`).join("")}</dl>${
    f.name !== f.scope + f.base ? `<div class="full">${escape(f.name)}</div>` : ""}`;
}

function labelOf(picture, box) {
  const { node, small } = box;
  if (small || node.fn === SMALL)
    return `<span class="many">${small || node.list.length} small</span>`;
  if (node.fn < 0)
    return `<b>${escape(node.up ? nameOf(node.fn) : picture.rootName)}</b>`;
  const f = picture.functions[node.fn];
  const hasRoom = box.width - 12 > LETTER * (f.base.length + 3); // else of the scope there would be a letter, or half of one
  return `<span class="sc">${hasRoom ? escape(f.scope) : ""}</span><span class="nm">${escape(f.base)}</span>`;
}

// What a reader that sees nothing is told.
function spoken(picture, box) {
  const f = picture.functions[box.node.fn];
  const name = box.small ? `${box.small} small` : f ? f.scope + f.base : box.node.up ? nameOf(box.node.fn) : picture.rootName;
  return `${name}: ${text(box.node.total, picture.kind)}, ${share(box.node.total, picture.tree.root.total)}`;
}

function boxMarkup(picture, box, number, row) {
  const { node, small } = box;
  const isFunction = node.fn >= 0 && !small;
  const f = isFunction ? picture.functions[node.fn] : null;
  const top = picture.upwards ? picture.height - (box.level + 1) * row : box.level * row;
  const classes = ["box", small || node.fn === SMALL ? "small" : !isFunction ? "other" : picture.colorOf(node),
                   isFunction && picture.isFound(f) ? "found" : "", isFunction && node.fn === picture.selected ? "on" : ""];
  const twoLines = row >= ROW_OF_TWO_LINES && box.width > 64 && !small;
  return `<div class="${classes.filter(Boolean).join(" ")}" role="button" tabindex="-1" data-box="${number}" data-fn="${node.fn}" data-name="${
    escape(small ? `${small} small` : isFunction ? f.name : node.up ? nameOf(node.fn) : "all")}" data-total="${node.total}" data-level="${box.level}" aria-label="${
    escape(spoken(picture, box))}" ${isFunction ? `data-group="${escape(f.group || "")}"` : ""} style="left:${box.left.toFixed(1)}px;top:${top}px;width:${
    Math.max(1, box.width - 1).toFixed(1)}px;height:${row - 1}px${isFunction ? `;--l:${shade(f)}%` : ""}">${
    box.width < 26 ? "" : `<span class="line">${labelOf(picture, box)}</span>${twoLines
      ? `<span class="line two">${text(node.total, picture.kind)} · ${share(node.total, picture.tree.root.total)}</span>` : ""}`}</div>`;
}

function wayUp(picture) {
  const names = [];
  for (let node = picture.zoomed.up; node; node = node.up)
    names.unshift(node.fn >= 0 ? picture.functions[node.fn].base : node.fn === SMALL ? "small" : node.up ? nameOf(node.fn) : "all");
  return names.length === 0 ? "" : `<button class="crumbs" id="reset" title="To the whole">↑ ${names.map(escape).join(" › ")}</button>`;
}

/* Draws into `host`, which may change its width later, and gives the picture:
   tree; kind of its weight; path: what is zoomed to; height: to fill, or 0: what it needs; upwards: the root
   is below; rootName; functions, which its nodes name; colorOf(node): a class; selected: a function; isFound(f); on: {zoom(path), select(fn), open(fn)}. */
export function flameGraph(host, wanted) {
  const picture = { upwards: false, path: [], height: 0, selected: -1, isFound: () => false, rootName: "all threads", functions,
                    colorOf: (node) => "c" + functions[node.fn].color, ...wanted, boxes: [] };
  const pane = document.createElement("div");
  pane.className = "pane";
  pane.setAttribute("role", "group");
  pane.setAttribute("aria-label", wanted.label || "Flame graph");
  host.append(pane);

  picture.draw = () => {
    const width = Math.max(host.clientWidth - 12, 60);
    picture.zoomed = nodeAt(picture.tree, picture.path, width);
    const crumbs = picture.quiet ? "" : wayUp(picture);
    if (!(picture.zoomed.total > 0)) {
      pane.innerHTML = `${crumbs}<div class="none">Nothing by this weight.</div>`;
      pane.style.height = "";
      return;
    }
    let least = LEAST;
    let plan = layOut(picture.tree, picture.zoomed, width, least);
    while (!plan.isWhole)
      plan = layOut(picture.tree, picture.zoomed, width, least *= 1.5);
    const room = (picture.room ? picture.room() : host.clientHeight - 14) - (crumbs ? 24 : 0);
    const most = picture.rowMost || ROW_MOST;
    const row = Math.max(picture.rowLeast || ROW_LEAST, Math.min(most, Math.floor(room / plan.levels)));
    picture.boxes = plan.boxes;
    picture.height = row * plan.levels;
    pane.innerHTML = `${crumbs}<div class="boxes${row >= 38 ? " large" : ""}" style="height:${picture.height}px">${
      plan.boxes.map((box, number) => boxMarkup(picture, box, number, row)).join("")}</div>`;
    const first = find('.box.on', pane) || find('.box[data-box="0"]', pane);
    if (first)
      first.tabIndex = 0;
    picture.width = width;
  };

  picture.mark = (fn) => {
    picture.selected = fn;
    for (const box of pane.querySelectorAll(".box"))
      box.classList.toggle("on", fn >= 0 && Number(box.dataset.fn) === fn && !box.classList.contains("small"));
  };

  const boxAt = (event) => {
    const element = event.target.closest && event.target.closest(".box");
    return element ? picture.boxes[Number(element.dataset.box)] : null;
  };
  pane.addEventListener("click", (event) => {
    if (event.target.closest("#reset"))
      return picture.on.zoom([]);
    const box = boxAt(event);
    if (!box)
      return undefined;
    if (isPhone() && box.node.fn >= 0 && box.node.fn === picture.selected)
      return picture.on.zoom(box.node.path());
    return picture.on.select(box.node.fn >= 0 ? box.node.fn : -1, box);
  });
  pane.addEventListener("dblclick", (event) => {
    const box = boxAt(event);
    if (box)
      picture.on.zoom(box.node.path());
  });
  pane.addEventListener("mousemove", (event) => {
    const box = boxAt(event);
    showTip(box ? event : null, box ? tipOf(picture, box) : "");
  });
  pane.addEventListener("mouseleave", () => showTip());
  pane.addEventListener("focusin", (event) => {
    const box = boxAt(event);
    if (box && box.node.fn >= 0)
      picture.on.select(box.node.fn, box, true);
  });
  pane.addEventListener("keydown", (event) => {
    const box = boxAt(event);
    if (box && event.key === " ") {
      event.preventDefault();
      picture.on.zoom(box.node.path());
    }
  });

  // The arrow keys: to the caller, the heaviest callee, the neighbours.
  picture.move = (key) => {
    const element = pane.contains(document.activeElement) && document.activeElement.closest(".box")
      || find(".box.on", pane) || find('.box[data-box="0"]', pane);
    const box = element ? picture.boxes[Number(element.dataset.box)] : null;
    if (!box)
      return;
    const [up, down] = picture.upwards ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
    const next = key === up ? picture.boxes.find((other) => other.node === box.node.up)
      : key === down ? picture.boxes.find((other) => other.node.up === box.node && other.level === box.level + 1)
      : neighbour(picture.boxes, box, key === "ArrowLeft" ? -1 : 1);
    const target = next ? find(`.box[data-box="${picture.boxes.indexOf(next)}"]`, pane) : null;
    if (target) {
      for (const other of pane.querySelectorAll('.box[tabindex="0"]'))
        other.tabIndex = -1;
      target.tabIndex = 0;
      target.focus();
    }
  };

  picture.zoomTo = (fn) => {
    const box = picture.boxes.find((other) => other.node.fn === fn && !other.small);
    if (box)
      picture.on.zoom(box.node.path());
  };

  picture.dim = (group) => {
    for (const box of pane.querySelectorAll(".box[data-group]"))
      box.classList.toggle("dim", group !== null && box.dataset.group !== group);
  };

  picture.draw();
  new ResizeObserver(() => {
    if (host.isConnected && Math.max(host.clientWidth - 12, 60) !== picture.width)
      picture.draw();
  }).observe(host);
  return picture;
}

function neighbour(boxes, box, step) {
  const row = boxes.filter((other) => other.level === box.level).sort((a, b) => a.left - b.left);
  return row[row.indexOf(box) + step];
}

function tipOf(picture, box) {
  const { node, small } = box;
  const whole = `${text(node.total, picture.kind)} · ${share(node.total, picture.tree.root.total)}`;
  if (small)
    return `<b>${small} small</b> below ${escape(node.up.fn >= 0 ? picture.functions[node.up.fn].base : "the root")}<dl><dt>together</dt><dd>${whole}</dd></dl>
      <div class="sub">a double click shows them</div>`;
  if (node.fn < 0)
    return `<b>${escape(node.up ? nameOf(node.fn) : picture.rootName)}</b><dl><dt>${picture.phrase || "in all"}</dt><dd>${whole}</dd></dl>`;
  if (picture.tip)
    return picture.tip(box);
  const kids = picture.upwards ? [] : picture.tree.kids(node);
  const itself = node.total - kids.reduce((sum, kid) => sum + kid.total, 0);
  return card(node.fn, [["here", whole], ...(picture.hasSelf ? [["itself here", text(Math.max(0, itself), picture.kind)]] : []),
                        ...picture.facts(functions[node.fn])]);
}

const LEGEND_MAX = 9; // seven functions, others, libraries

// A box for each group, with its share: a click shows it alone.
export function legend(weight) {
  const shares = new Map();
  let whole = 0;
  for (const f of functions) {
    const value = weight.own(f);
    shares.set(f.group, (shares.get(f.group) || 0) + value);
    whole += value;
  }
  const colors = new Map(functions.map((f) => [f.group, f.color]));
  const shown = groups.names.filter((name) => shares.get(name) > 0).sort((a, b) => (a === "libraries") - (b === "libraries") || (a === "others") - (b === "others") || shares.get(b) - shares.get(a));
  const more = shown.length - LEGEND_MAX;
  return `<div class="legend" aria-label="Colours by ${groups.kind}">${shown.slice(0, LEGEND_MAX).map((name) =>
    `<button data-legend="${escape(name)}" aria-pressed="false" data-tip="Own ${escape(weight.phrase)} by ${groups.kind}; a click shows it alone"><span class="dot c${
      colors.get(name)}"></span><span>${escape(name)}</span> ${share(shares.get(name), whole)}</button>`).join("")}${more > 0 ? `<span>${more} more</span>` : ""}</div>`;
}

