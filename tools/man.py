#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""man.py TEMPLATE HELP VARIABLES VERSION OUTPUT: a man page, in which the line @OPTIONS@ stands for
the options in the file HELP, which the tool printed with --help, @VARIABLES@ for the variables in the
file VARIABLES."""

import re
import sys

import toolhelp


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def option_lines(found):
    """Sections of --help as such, each option as a paragraph."""
    lines = []
    for title, options in found.sections:
        lines.append(".SS " + escaped(title))
        for option in options:
            argument = escaped(option.argument)
            spellings = []
            for name in option.names:
                between = "=" if name.startswith("--") else " "
                if option.optional:
                    between = between.strip()
                value = f"{between}\\fI{argument}\\fR" if argument else ""
                spellings.append(f"\\fB{escaped(name)}\\fR" + (f"[{value}]" if option.optional else value))
            lines += [".TP", ", ".join(spellings), escaped(option.help)]
    return lines


def variable_lines(path):
    lines = []
    for name, argument, says in toolhelp.variables(path):
        lines += [".TP", f"\\fB{name}\\fR" + (f"=\\fI{argument}\\fR" if argument else ""), escaped(says)]
    return lines


def main():
    template, printed, variables, version, output = sys.argv[1:]
    with open(template, encoding="utf-8") as stream:
        lines = stream.read().replace("@VERSION@", version).splitlines()
    made = []
    for line in lines:
        if line == "@OPTIONS@":
            made += option_lines(toolhelp.read_help(printed))
        elif line == "@VARIABLES@":
            made += variable_lines(variables)
        else:
            made.append(line)
    with open(output, "w", encoding="utf-8") as stream:
        stream.write("\n".join(made) + "\n")


main()
