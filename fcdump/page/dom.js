// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all views need of the browser: elements, text that is no markup, the box that follows the pointer.

export const find = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escape = (text) => String(text).replace(/[&<>"]/g, (letter) => MARKUP[letter]);

export const isPhone = () => innerWidth <= 700;

let tip = null;

// Shows that markup beside the pointer of `event`; without: hides it.
export function showTip(event, markup) {
  tip = tip || find("#tip");
  if (!event) {
    tip.hidden = true;
    return;
  }
  tip.innerHTML = markup;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const below = event.clientY + 18 + box.height <= innerHeight;
  tip.style.left = Math.max(6, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(6, below ? event.clientY + 16 : event.clientY - box.height - 10) + "px";
}

// A box in place of a view's content: why there is nothing.
export const nothing = (markup) => `<div class="none">${markup}</div>`;

// Two or more words of which one holds: links that change the state.
export function choice(label, options) {
  return `<div class="seg" role="group" aria-label="${label}">${options.map(({ text, href, on, tip: title, id }) =>
    `<a href="${escape(href)}" role="button" aria-pressed="${on}"${on ? ' class="on"' : ""}${id ? ` id="${id}"` : ""}
      ${title ? `data-tip="${escape(title)}"` : ""}>${text}</a>`).join("")}</div>`;
}
