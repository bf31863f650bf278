# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tools say of themselves: the options in the text of --help, which each prints from its
own table, and the variables in libfc/base/variables.h.  Read by tools/completion.py and tools/man.py,
when FunctionCheck is built."""

import dataclasses
import re

FILES = {"FILE", "PATH", "FOLDER", "MAP", "OLD"}
FOLDERS = {"DIRS"}
CHOICES = {"TYPE", "STYLE", "WHAT", "WHEN", "UNIT"}


@dataclasses.dataclass
class Option:
    names: list  # as they are typed: -p, --flat-profile
    argument: str  # "" where it takes none
    optional: bool  # the argument may be left out
    help: str
    choices: list  # what the argument can be; empty: anything

    def takes_files(self):
        return self.argument in FILES

    def takes_folders(self):
        return self.argument in FOLDERS


@dataclasses.dataclass
class Help:
    """The text in pieces: what stands before the options, the options by section, and behind."""
    before: list
    sections: list  # (title, [Option])
    after: list

    def options(self):
        return [option for _, options in self.sections for option in options]


def find_choices(argument, says, previous):
    if "|" in argument and not argument.isupper():
        return argument.split("|")
    if argument not in CHOICES:
        return []
    if says.startswith("the same"):
        return previous
    plain = re.sub(r"\([^)]*\)", "", says)
    words = [re.sub(r"^.*: *", "", part).strip() for part in re.split("[,;]", plain)]
    found = [word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)]
    return found if len(found) > 1 else []


def take_option(spelling, says, previous):
    names, argument, optional = [], "", False
    for part in spelling.split(", "):
        found = re.fullmatch(r"(-[A-Za-z]|--[a-z][a-z-]*)(?:(\[?)[= ](.+?)(\]?))?", part)
        if not found:
            raise SystemExit(f"this is no option: {part}")
        names.append(found[1])
        if found[3]:
            argument, optional = found[3], bool(found[2])
    return Option(names, argument, optional, says, find_choices(argument, says, previous))


def read_help(path):
    """What a tool printed with --help into the file PATH.  Options are lines that begin with two
    blanks or more and a dash, then two blanks or a new line, then what they do, which may go on in
    lines that begin with ten blanks or more."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    before, sections, after, choices = [], [], [], []
    for line in text.splitlines():
        option = re.fullmatch(r"\s{2,6}(-\S.*?)(?:\s{2,}(\S.*))?", line)
        more = re.fullmatch(r"\s{10,}(\S.*)", line)
        if option:
            taken = take_option(option[1], option[2] or "", choices)
            choices = taken.choices or choices
            sections[-1][1].append(taken)
        elif more and sections and sections[-1][1]:
            last = sections[-1][1][-1]
            last.help = (last.help + " " + more[1]).strip()
            last.choices = find_choices(last.argument, last.help, choices)
        elif re.fullmatch(r"[A-Z].*:", line):
            sections.append((line[:-1], []))
        elif not sections:
            before.append(line)
        elif line or after:
            after.append(line)
    return Help(before, [section for section in sections if section[1]], after)


def variables(path):
    """(name, argument or None, help) of each variable."""
    with open(path, encoding="utf-8") as stream:
        text = re.sub(r"\\\n", " ", stream.read())
    rows = re.findall(r'ROW\((\w+), (NULL|"\w+"),((?:\s*"[^"]*")+)\)', text)
    return [("FC_" + name, None if argument == "NULL" else argument.strip('"'),
             "".join(re.findall(r'"([^"]*)"', words))) for name, argument, words in rows]
