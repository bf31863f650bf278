#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where the product's C files say in two ways what CONTRIBUTING wants said in one:

  - a pointer in a condition is `p` or `!p`, never compared with NULL; comparisons are for where
    the truth value itself is returned, assigned or passed;
  - a variable is declared where it gets its first value, not before.

Both are judged from the tokens, without types or macros: what this finds is wrong, but it need
not find everything.  Run by Meson, and by hand with or without the names of files.  First it
tries itself on right and wrong pieces of code.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ["libfc", "profile", "fcmanager", "control", "fcctl", "fctop", "fcrun", "symbols", "model", "gmon", "fcdump", "fcgprof"]

TOKEN = re.compile(r"""
    (?P<skip> /\*.*?\*/ | //[^\n]* | ^[ \t]*\#[^\n]*(?:\\\n[^\n]*)* | \s+ | \\\n )
  | (?P<text> "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<number> \.?\d[\w.]* )
  | (?P<sign> -> | \+\+ | -- | && | \|\| | <<= | >>= | \.\.\. | [-+*/%&|^=!<>]= | << | >> | . )
""", re.X | re.S | re.M)
OPENING, CLOSING = "([{", ")]}"
KEYWORDS = {"return", "goto", "else", "do", "break", "continue", "typedef", "extern", "static",
            "case", "default", "sizeof", "register"}
NOTHING = {"NULL", "0", "FALSE", "false"}


class Token(str):
    """Its text, where it stands, and for brackets the number of the other one."""
    start = 0
    kind = ""
    other = None


def tokens_of(text):
    """What the compiler's preprocessor would hand on, without directives; and at its end a
    semicolon, so that there is one behind everything."""
    tokens, still_open = [], []
    for found in TOKEN.finditer(text + ";"):
        if found.lastgroup == "skip":
            continue
        token = Token(found[0])
        token.start, token.kind = found.start(), found.lastgroup
        if token in OPENING and token.kind == "sign":
            still_open.append(len(tokens))
        elif token in CLOSING and token.kind == "sign" and still_open:
            token.other = still_open.pop()
            tokens[token.other].other = len(tokens)
        tokens.append(token)
    return tokens


def enclosing(tokens, at):
    """The number of the bracket that is open at a token; -1: none."""
    at -= 1
    while at >= 0:
        if tokens[at] in CLOSING and tokens[at].other is not None:
            at = tokens[at].other
        elif tokens[at] in OPENING and tokens[at].kind == "sign":
            return at
        at -= 1
    return -1


def after(tokens, at, ends):
    """The number of the first token from `at` on that is in `ends`, in no bracket that opens on
    the way, or that closes one that was open before."""
    while tokens[at] not in ends and tokens[at] not in CLOSING and at + 1 < len(tokens):
        at = (tokens[at].other or at) + 1 if tokens[at] in OPENING else at + 1
    return at


def is_condition(tokens, at):
    """Whether the comparison at that token decides where control goes, rather than that its
    value is used."""
    while True:
        end = after(tokens, at, ("?", ";", ",", ":"))
        if tokens[end] == "?":
            return True
        opener = enclosing(tokens, at)
        if opener < 0 or tokens[opener] != "(":
            return False
        before = tokens[opener - 1]
        if before == "for":
            return tokens[end] == ";" and ";" in tokens[opener:at]  # the second part
        if before in ("if", "while"):
            return True
        if before in (")", "]") or before.kind == "word" and before not in ("return", "else"):
            return False  # an argument
        at = tokens[opener].other + 1


def find_comparisons(tokens):
    """The number of each == and != that compares a pointer in a condition with NULL."""
    return [at for at, token in enumerate(tokens)
            if token in ("==", "!=") and "NULL" in (tokens[at - 1], tokens[at + 1])
            and is_condition(tokens, at)]


def declared(tokens, at):
    """If a statement at that token declares variables without values, or one with nothing for
    its value: the numbers of their names, and that of the semicolon."""
    end = at
    while tokens[end].kind == "word" or tokens[end] in ("*", ","):
        end += 1
    if tokens[end] == "=" and "," not in tokens[at:end] and tokens[end + 1] in NOTHING:
        names, _ = declared([*tokens[at:end], Token(";")], 0)
        return [at + name for name in names if tokens[end + 2] == ";"], end + 2
    words = [token for token in tokens[at:end] if token.kind == "word"]
    if tokens[end] != ";" or len(words) < 2 or words[0] in KEYWORDS or tokens[at].kind != "word":
        return [], end
    names = [i for i in range(at + 1, end)
             if tokens[i].kind == "word" and tokens[i + 1] in (",", ";")]
    return names, end


def is_code(tokens, opener):
    """Whether a brace opens statements that are run one after the other."""
    if opener < 0 or tokens[opener] != "{":
        return False
    before = tokens[opener - 1]
    if before == ")":
        return tokens[tokens[before.other] and before.other - 1] != "switch"
    return before in ("else", "do", ";", "{", "}")


def first_value(tokens, name, end, block_end):
    """If the variable that is declared before `end` gets its value first of all by a statement
    of its own, in a block that has all of its mentions: the number of its name there."""
    uses = [i for i in range(end, block_end) if tokens[i] == tokens[name]
            and tokens[i - 1] not in ("->", ".")]
    if not uses or tokens[uses[0] + 1] != "=":
        return None
    first = uses[0]
    block = enclosing(tokens, first)
    if tokens[block] == "(" and tokens[block - 1] == "for" and first == block + 1:
        last = after(tokens, tokens[block].other + 1, (";", "{"))
        last = tokens[last].other if tokens[last] == "{" else last
        return first if uses[-1] <= last and after(tokens, first, ",;") == after(
            tokens, first, ";") else None
    if tokens[first - 1] not in (";", "{", "}") or not is_code(tokens, block):
        return None
    last = after(tokens, first, (",", ";"))
    if tokens[last] != ";" or len(uses) > 1 and uses[1] < last or "=" in tokens[first + 2:last]:
        return None  # made of itself, or one of several that get a value
    return first if uses[-1] <= tokens[block].other else None


def find_declarations(tokens):
    """(the number of the name in a declaration without value, the number of the name where the
    declaration should be)."""
    found = []
    for at in range(1, len(tokens)):
        if tokens[at - 1] not in (";", "{", "}"):
            continue
        names, end = declared(tokens, at)
        block = enclosing(tokens, at) if names else -1
        if not is_code(tokens, block) or "goto" in tokens[block:tokens[block].other]:
            continue
        for name in names:
            place = first_value(tokens, name, end, tokens[block].other)
            if place is not None:
                found.append((name, place))
    return found


def faults_of(text):
    """(line, what is wrong)."""
    tokens = tokens_of(text)

    def line(at):
        return text.count("\n", 0, tokens[at].start) + 1

    for at in find_comparisons(tokens):
        yield line(at), "in a condition a pointer is `p` or `!p`"
    for name, place in find_declarations(tokens):
        yield line(name), f"`{tokens[name]}` can be declared in line {line(place)}"


# Statements of a function, and how many faults they have.
EXAMPLES = [
    ("if (p == NULL) f();", 1),
    ("if (a && (b || p->q[1] != NULL)) f();", 1),
    ("while ((p = f(x)) != NULL) f();", 1),
    ("for (p = f(); p != NULL && a; p = p->next) f();", 1),
    ("do f(); while (NULL != p);", 1),
    ("x = p != NULL ? 1 : 2;", 1),
    ("f(a, (p == NULL) ? 1 : 2);", 1),
    ("return p == NULL || q == NULL ? 1 : 2;", 2),
    ("if (!p && q) f();", 0),
    ("return p != NULL && a;", 0),
    ("bool is = p == NULL;", 0),
    ("x += (p == NULL);", 0),
    ("if (f(p == NULL)) f();", 0),
    ("f(a, p != NULL);", 0),
    ("x = a ? p != NULL : b;", 0),
    ("/* if (p == NULL) */ f(\"if (p == NULL)\");", 0),
    ("int x; f(); x = 1; f(x);", 1),
    ("const char *x, *y; y = f(&x);", 1),
    ("FcThing *x; while (a) { x = f(); g(x); }", 1),
    ("int i; for (i = 0; i < n; i++) f(i);", 1),
    ("int x; f(&x);", 0),
    ("int x; if (a) x = 1; else x = 2; f(x);", 0),
    ("int x; while (a) { x = f(); } g(x);", 0),
    ("int i; for (i = 0; i < n; i++) { f(i); } return i;", 0),
    ("int i, j; for (i = 0, j = 1; i < n; i++) f(i, j);", 0),
    ("int x; switch (a) { case 1: x = 1; f(x); }", 0),
    ("int x; f(); x = y = 1; g(&x); goto end;", 0),
    ("struct thing { int x; } y = {0}; y.x = 1;", 0),
    ("return x; y = 1;", 0),
    ("g_autofree char *x = NULL; if (a) return; x = f(); g(x);", 1),
    ("char *x = NULL; if (a) x = f(); g(x);", 0),
    ("char *x = NULL; x = f(y->x); g(x);", 1),
    ("int x = 1; x = 2;", 0),
    ("size_t x, y; f(&y); x = y = 1;", 0),
]


def main():
    for code, number in EXAMPLES:
        found = list(faults_of("static void f(void)\n{\n" + code + "\n}\n"))
        assert len(found) == number, f"{code}: {found}"
    paths = sys.argv[1:] or sorted(path for folder in FOLDERS
                                   for path in glob.glob(f"{ROOT}/{folder}/**/*.[ch]", recursive=True))
    assert paths, "no files"
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line, fault in faults_of(file.read()):
                print(f"{os.path.relpath(path, ROOT)}:{line}: {fault}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
