# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Work for a shell under test: forks, pipes, command substitutions, jobs, traps, here
# documents and executed programs, itself ($1) among them.  Prints the same each time.
shell=$1

fibonacci()
{
    if [ "$1" -lt 2 ]; then
        echo "$1"
    else
        echo $(($(fibonacci $(($1 - 1))) + $(fibonacci $(($1 - 2)))))
    fi
}

sorted_words()
{
    for word in lorem ipsum dolor sit amet elit sed magna; do
        echo "$word"
    done | while read -r line; do
        echo "${line%?} ${line#?} ${#line}"
    done | sort | tr '\n' ' '
}

jobs_at_once()
{
    pids=
    for number in 1 2 3 4 5 6 7 8 9 10; do
        (exit "$number") &
        pids="$pids $!"
    done
    sum=0
    for pid in $pids; do
        wait "$pid" || sum=$((sum + $?))
    done
    echo "$sum"
}

trapped()
{
    (
        trap 'echo caught; exit 7' USR1
        kill -USR1 "$("$shell" -c 'echo $PPID')"
        while :; do :; done
    )
    echo "status $?"
}

documents()
{
    count=0
    while read -r line; do
        count=$((count + ${#line}))
    done <<EOF
$(for i in 1 2 3; do echo "line $i of $(echo three)"; done)
EOF
    echo "$count characters"
}

deep()
{
    [ "$1" = 0 ] && { echo "the depths"; return; }
    "$shell" -c "$2" deep "$(($1 - 1))" "$2"
}

echo "fibonacci: $(fibonacci 9)"
for turn in 1 2 3 4 5; do
    echo "$turn: $(sorted_words)"
    jobs_at_once
done
trapped
documents
# shellcheck disable=SC2016 # expanded by the shell that it starts
deep 20 '[ "$1" = 0 ] && echo "the depths" || exec '"$shell"' -c "$2" deep "$(($1 - 1))" "$2"'
eval 'for name in a b c; do case $name in [ab]) echo "$name";; *) /bin/echo other;; esac; done'
exit 3
