#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""completion.py SHELL NAME HELP FILES OUTPUT: how bash, zsh or fish completes the command line of the
tool NAME, from what it printed with --help into the file HELP.  FILES: patterns of what it reads, by
commas."""

import sys

import toolhelp


# Options whose argument is names of functions, by commas: these come from the profile, and are strangers' words,
# which no shell may expand.  fcdump --functions prints none that has more than letters, digits and ":_~.".
OF_FUNCTIONS = {"--only", "--not", "--peek", "--path", "--base"}


def takes_functions(option):
    return bool(OF_FUNCTIONS & set(option.names))


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ------------------------------------------------------------------------------------

BASH_FUNCTIONS = """_fcdump_functions()
{
    local word name profiles=() before= last=$1
    for word in $COMP_LINE; do
        [[ $word != *.fc && $word != *.fcd || ! -e $word ]] || profiles+=("$word")
    done
    [[ $1 != *,* ]] || before=${1%,*}, last=${1##*,}
    while IFS= read -r name; do
        [[ $name != "$last"* ]] || COMPREPLY+=("$before$name")
    done < <(command fcdump --functions -- "${profiles[@]}" 2> /dev/null)
    # readline replaces what stands behind the last `:`, if that parts words
    [[ $1 != *:* || $COMP_WORDBREAKS != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${1%"${1##*:}"}"}")
}
"""

BASH = """# bash completion of {name}; made from its --help
{functions}_{function}()
{{
    local line=${{COMP_LINE:0:COMP_POINT}} option= value= word
    COMPREPLY=()
    # bash splits words at `=` as well; what counts is what blanks part
    word=${{line##*[[:space:]]}}
    case $word in
    -*=*)
        option=${{word%%=*}} value=${{word#*=}}
        ;;
    -*)
        mapfile -t COMPREPLY < <(compgen -W {words} -- "$word")
        [[ ${{#COMPREPLY[@]}} != 1 || ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace
        return
        ;;
    *)
        line=${{line%"$word"}} line=${{line%"${{line##*[![:space:]]}}"}}
        option=${{line##*[[:space:]]}} value=$word
        case $option in
        {separate}) ;;
        *) option= ;;
        esac
        ;;
    esac
    case $option in
{cases}    '')
        {rest}
        ;;
    esac
    # readline replaces what stands behind the `=`, if that parts words
    [[ $word != -*=* || $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${{COMPREPLY[@]/#/$option=}}")
}}
complete -F _{function} {name}
"""


def bash_completion(option):
    if option.takes_folders():
        return "compopt -o dirnames"
    if option.takes_files():
        return "compopt -o default"
    if takes_functions(option):
        return '_fcdump_functions "$value"'
    if option.choices:
        return f'mapfile -t COMPREPLY < <(compgen -W {quoted(" ".join(option.choices))} -- "$value")'
    return ": # anything"


def bash(name, options, files):
    words, separate, cases = [], [], {}
    for option in options:
        for spelling in option.names:
            is_long = spelling.startswith("--")
            if not option.argument or option.optional or not is_long:
                words.append(spelling)
            if option.argument and is_long:
                words.append(spelling + "=")
        if option.argument:
            cases.setdefault(bash_completion(option), []).extend(option.names)
            if not option.optional:
                separate += option.names
    rest = ": # nothing else"
    if files:
        found = "; ".join(f"""compgen -f -X '!{pattern}' -- "$value\"""" for pattern in files)
        rest = (f'mapfile -t COMPREPLY < <(compgen -d -- "$value"; {found})\n'
                "        compopt -o filenames -o default")
    functions = BASH_FUNCTIONS if any(takes_functions(option) for option in options) else ""
    return BASH.format(name=name, functions=functions, function=name.replace("-", "_"), words=quoted(" ".join(words)), rest=rest,
                       separate=" | ".join(separate) or "''",
                       cases="".join(f"    {' | '.join(names)})\n        {body}\n        ;;\n"
                                     for body, names in cases.items()))


# ---- zsh -------------------------------------------------------------------------------------

ZSH_FUNCTIONS = """_fcdump_functions()
{
    local -a names
    names=(${(f)"$(command fcdump --functions -- ${(M)words:#*.(fc|fcd)} 2> /dev/null)"})
    compset -P '*,'
    compadd -q -S '' -- $names
}
"""


def zsh_action(option):
    if option.takes_files():
        return "_files"
    if option.takes_folders():
        return "_files -/"
    if takes_functions(option):
        return "_fcdump_functions"
    if option.choices:
        return "(" + " ".join(option.choices) + ")"
    return " "


def zsh(name, options, files):
    lines = []
    for option in options:
        says = option.help
        for character in "\\[]:":
            says = says.replace(character, "\\" + character)
        for spelling in option.names:
            spec = spelling
            if option.argument:
                is_long = spelling.startswith("--")
                spec += ("=-" if option.optional else "=") if is_long else ("-" if option.optional else "+")
            spec += f"[{says}]"
            if option.argument:
                kind = option.argument.replace(":", "\\:")
                spec += f"{'::' if option.optional else ':'}{kind}:{zsh_action(option)}"
            lines.append("    " + quoted(spec))
    pattern = "|".join(files)
    if files:
        lines.append("    " + quoted(f'*:file:_files -g "({pattern})(-.)"'))
    functions = ZSH_FUNCTIONS if any(takes_functions(option) for option in options) else ""
    return f"#compdef {name}\n# made from its --help\n{functions}_arguments -s \\\n" + " \\\n".join(lines) + "\n"


# ---- fish ------------------------------------------------------------------------------------

def fish(name, options, files):
    lines = [f"# fish completion of {name}; made from its --help"]
    for option in options:
        for spelling in option.names:
            words = ["complete -c", name, "-l" if spelling.startswith("--") else "-s", spelling.lstrip("-")]
            if option.takes_files() or option.takes_folders():
                words.append("-r -F")
            elif option.argument and not option.optional:
                words.append("-x")
            if takes_functions(option):
                words.append("-f -a " + quoted("(command fcdump --functions 2> /dev/null)"))
            if option.choices:
                words.append("-f -a " + quoted(" ".join(option.choices)))
            words.append("-d " + quoted(option.help))
            lines.append(" ".join(words))
    if not files:
        lines.append(f"complete -c {name} -f")
    for pattern in files:
        if pattern.startswith("*"):  # others are among all files, which come behind
            lines.append(f"complete -c {name} -k -a '(__fish_complete_suffix {pattern[1:]})'")
    return "\n".join(lines) + "\n"


def main():
    shell, name, printed, files, output = sys.argv[1:]
    options = toolhelp.read_help(printed).options()
    text = {"bash": bash, "zsh": zsh, "fish": fish}[shell](name, options, [f for f in files.split(",") if f])
    with open(output, "w", encoding="utf-8") as stream:
        stream.write(text)


main()
