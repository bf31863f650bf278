// SPDX-License-Identifier: GPL-3.0-or-later
//
// The script of the flame graphs that fcdump --flame writes: zoom, search, reset.  Each frame is a
// group f with its place in d: left edge and width, in units of 1/1000 of a pixel of the whole
// picture.  Without it the picture is complete, with a tooltip for each frame.
"use strict";
(function () {
  const svg = document.documentElement;
  const frames = Array.from(svg.querySelectorAll("g.f"), (group) => {
    const [left, width] = group.getAttribute("d").split(" ").map(Number);
    const title = group.querySelector("title").textContent;
    return { group, left, width, title, name: title.slice(0, title.lastIndexOf(" (")),
             level: Number(group.getAttribute("l")), rect: group.querySelector("rect"),
             text: group.querySelector("text") };
  });
  const whole = frames.length > 0 ? frames[0].width / 1000 : 1;
  const status = svg.getElementById("status");
  let zoomed = null;
  let pattern = "";

  function place(frame, left, width) {
    frame.group.style.display = "";
    frame.rect.setAttribute("x", left.toFixed(2));
    frame.rect.setAttribute("width", Math.max(width, 0.2).toFixed(2));
    const room = Math.floor((width - 6) / 7);
    frame.text.setAttribute("x", (left + 3).toFixed(2));
    frame.text.textContent = room < 3 ? ""
      : frame.name.length <= room ? frame.name : frame.name.slice(0, room - 2) + "..";
  }

  // Shows `focus` as wide as the picture, its callers as well, and what it called in proportion.
  function zoom(focus) {
    const start = focus ? focus.left : 0;
    const scale = focus && focus.width > 0 ? whole * 1000 / focus.width : 1;
    zoomed = focus && focus !== frames[0] ? focus : null;
    for (const frame of frames) {
      const isCaller = zoomed !== null && frame.level < focus.level && frame.left <= start
        && frame.left + frame.width >= start + focus.width;
      frame.group.classList.toggle("caller", isCaller);
      if (isCaller) {
        place(frame, 10, whole);
        continue;
      }
      const isInside = zoomed === null || (frame.level >= focus.level && frame.left >= start
        && frame.left + frame.width <= start + focus.width);
      if (isInside)
        place(frame, 10 + (frame.left - start) * scale / 1000, frame.width * scale / 1000);
      else
        frame.group.style.display = "none";
    }
    svg.getElementById("reset").style.display = zoomed ? "" : "none";
  }

  // Colours the frames whose name has `text` in it, and says their share: frames within others
  // that fit count once.
  function search(text) {
    pattern = text;
    const wanted = text.toLowerCase();
    let share = 0;
    let count = 0;
    let covered = -1;
    const found = frames.filter((frame) => {
      const fits = wanted !== "" && frame.name.toLowerCase().includes(wanted);
      frame.group.classList.toggle("found", fits);
      return fits;
    });
    found.sort((a, b) => a.left - b.left || b.width - a.width);
    for (const frame of found) {
      count++;
      if (frame.left < covered)
        continue;
      share += frame.width;
      covered = frame.left + frame.width;
    }
    status.textContent = wanted === "" ? ""
      : `${count} frames with "${text}": ${(share / whole / 10).toFixed(1)}%`;
  }

  function ask() {
    const text = window.prompt("Show the functions whose name has this in it:", pattern);
    if (text !== null)
      search(text.trim());
  }

  frames.forEach((frame) => frame.group.addEventListener("click", () => zoom(frame)));
  svg.getElementById("reset").addEventListener("click", () => zoom(null));
  svg.getElementById("search").addEventListener("click", ask);
  svg.getElementById("search").style.display = "";
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      zoom(null);
      search("");
    } else if (event.key === "/" || (event.key === "f" && event.ctrlKey)) {
      event.preventDefault();
      ask();
    }
  });
}());
