// SPDX-License-Identifier: GPL-3.0-or-later
//
// A function's short name in two parts: the scope, which is set in grey and cut first, and the name proper.

export function split(label) {
  let depth = 0;
  let at = 0;
  for (let i = 0; i < label.length; i++) {
    if (label.startsWith("operator", i) && !/\w/.test(label[i + 8] || "")) {
      i += 8;
      while (i < label.length && "<>=-!+*/%^&|~[](),".includes(label[i]))
        i++;
      i--;
    } else if (depth === 0 && label.startsWith(" › ", i)) {
      at = i + 3;
      i += 2;
    } else if ("<({[‹".includes(label[i]))
      depth++;
    else if (">)}]›".includes(label[i]))
      depth--;
    else if (depth === 0 && label.startsWith("::", i) && i > 0)
      at = i + 2;
  }
  return [label.slice(0, at), label.slice(at)];
}
