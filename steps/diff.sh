#!/bin/sh
# `make diff06`: the idea of step 06, then how its main kernel and its plan differ from those of the step it is compared
# with, comments and blank lines left out. The step's own header says which one that is: "Change   (against 05)".
set -eu
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

step_file()
{
    echo steps/"$1"_*.c
}

main_kernel() # the first one that the step's table of variants names
{
    echo "kernels/$(grep -o '"[0-9][0-9]_[a-z0-9_]*\.cl"' "$(step_file "$1")" | head -n 1 | tr -d '"')"
}

bare() # a string is kept whole, so that a // inside it is no comment
{
    perl -0pe 's{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*}{$1 // ""}gse; s/[ \t]+$//mg; s/\n+/\n/g; s/^\n//' "$1"
}

compare()
{
    bare "$1" >"$temp/old"
    bare "$2" >"$temp/new"
    removed=$(diff "$temp/old" "$temp/new" | grep -c '^<' || true)
    added=$(diff "$temp/old" "$temp/new" | grep -c '^>' || true)
    printf '\n%s\n' "$1 -> $2: $removed lines out, $added in"
    diff -u --color=auto --label "$1" --label "$2" "$temp/old" "$temp/new" || true
}

new=$1
[ -e "$(step_file "$new")" ] || { echo "no step $new: steps/ holds $(cd steps && echo [0-9]*.c)" >&2; exit 2; }
sed -n '/^ \* Expect/q; s/^.\* //p' "$(step_file "$new")"
old=$(sed -n 's/^ \* Change *(against \([0-9]*\)).*/\1/p' "$(step_file "$new")")
if [ -n "$old" ]; then
    compare "$(main_kernel "$old")" "$(main_kernel "$new")"
    compare "$(step_file "$old")" "$(step_file "$new")"
fi
