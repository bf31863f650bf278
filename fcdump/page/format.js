// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers as the first screen has them: three digits, a space, the unit.

const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
const COUNTS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function three(value) {
  const size = Math.abs(value);
  return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, steps, least, smallest) {
  if (Math.abs(value) < least)
    return [Math.round(value).toLocaleString("en"), smallest];
  const [size, unit] = steps.find(([step]) => Math.abs(value) >= 0.9995 * step) || steps[steps.length - 1];
  return [three(value / size), unit];
}

// The number and its unit.  kind: "ns", "bytes", "calls" or "blocks".
function parts(value, kind) {
  if (kind === "ns")
    return scaled(value, TIMES, 1000, "ns");
  if (kind === "bytes")
    return scaled(value, BYTES, 10000, "B");
  return scaled(value, COUNTS, 10000, "");
}

export function text(value, kind = "ns") {
  const [number, unit] = parts(value, kind);
  return unit ? number + " " + unit : number;
}

// With the unit set smaller.
export function html(value, kind = "ns") {
  const [number, unit] = parts(value, kind);
  return unit ? `${number}<span class="u">${unit}</span>` : number;
}

export function share(part, whole) {
  if (!(whole > 0))
    return "–";
  const percent = 100 * part / whole;
  return (percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)) + " %";
}

export const exact = (count) => count.toLocaleString("en");

// "1 block", "2 blocks", "3 processes".
export function counted(count, word) {
  return `${count < 10000 ? exact(count) : text(count, "calls")} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
}
