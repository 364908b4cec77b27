#!/bin/sh
# Runs the commands of a text's ```console blocks and puts what they print where the old output stood: so no number
# in README.md or TUTORIAL.md comes from the keyboard, and none outlives the program that printed it.
#   plots/transcripts.sh FILE...            new outputs for "$ ./step…" and "$ make step…"; all other lines stay
#   plots/transcripts.sh --check FILE...    the same commands on few elements; only their exit status counts: for a test
# A command runs in the repository's folder, and must succeed unless it ends in "# exit status N".
set -eu
check=
[ "${1:-}" != --check ] || { check=yes; shift; }
[ $# -gt 0 ] || { echo "usage: plots/transcripts.sh [--check] FILE..." >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export MAKEFLAGS=-s # what the compiler is called with is not the point

run() # command, words to add; leaves what it prints in $temp/output
{
    wanted=$(echo "$1" | sed -n 's/.*# exit status \([0-9]*\)$/\1/p') status=0
    (cd "$root" && sh -c "$1$2") </dev/null >"$temp/output" 2>&1 || status=$?
    [ "$status" != "${wanted:-0}" ] || return 0
    cat "$temp/output" >&2
    echo "transcripts.sh: exit status $status, not ${wanted:-0}: $1$2" >&2
    exit 1
}

run_small() # command
{
    device=$(echo "$1" | sed -n 's/.*--device \([a-z]*\).*/\1/p')
    case $1 in
    *'# exit status'* | *--check* | *--list* | *--variants* | *--help* | *step00*) run "$1" '' ;;
    *./step*) # of two --n the last one counts
        if "$root/step01" --list | grep -qi "$device"; then run "$1" ' --n 1000 --seconds 0'
        else echo "skipped, no device $device: $1" >&2; fi ;;
    *) run "$1" '' ;;
    esac
}

for file; do
    inside= fresh= # in a console block; behind a command that has been run, whose old output is dropped
    while IFS= read -r line; do
        case $inside$line in
        '```console') inside=yes ;;
        'yes```') inside= fresh= ;;
        'yes$ ./step'* | 'yes$ make step'*)
            fresh=yes
            [ -z "$check" ] || { run_small "${line#\$ }"; continue; }
            run "${line#\$ }" ''
            printf '%s\n' "$line"
            cat "$temp/output"
            awk -v file="$file" 'length > 80 { print file ": over 80 columns: " $0 }' "$temp/output" >&2
            continue ;;
        'yes$ '*) fresh= ;;
        esac
        [ "$fresh" ] || printf '%s\n' "$line"
    done <"$file" >"$temp/text"
    [ "$check" ] || cat "$temp/text" >"$file"
done
