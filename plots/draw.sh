#!/bin/sh
# Draws every picture of a results folder from its .dat files alone: no OpenCL, no clock, no host.
#   plots/draw.sh RESULTS [INTO]        INTO: another folder for the pictures, for a comparison
set -eu
export LC_ALL=C.UTF-8 # the same picture whatever the locale

fail() { echo "draw.sh: $*" >&2; exit 2; }

case $# in 1 | 2) ;; *) fail "usage: plots/draw.sh RESULTS [INTO]" ;; esac
command -v gnuplot >/dev/null || fail "gnuplot is missing: make deps installs it"
[ -d "$1" ] || fail "$1: no such folder; make plots measures one"
plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "${2:-$1}" 2>/dev/null || fail "${2:-$1}: cannot be made"
into=$(CDPATH='' cd -- "${2:-$1}" && pwd)
CDPATH='' cd -- "$1" # the scripts are given ".", so that no path needs quoting inside them
grep -lqs '^# main: yes' [0-9][0-9]_*.sum.int.dat || fail "$1: no .dat file of a main variant of sum of int"

draw() { # picture, script, settings
    if ! gnuplot -e "results='.'; $3" "$plots/style.gp" "$plots/$2.gp" >"$into/$1.svg.part"; then
        rm -f "$into/$1.svg.part"
        fail "$1.svg could not be drawn"
    fi
    mv "$into/$1.svg.part" "$into/$1.svg"
}

draw all all ''
draw bars bars ''
draw wall wall ''
for file in [0-9][0-9]_*.sum.int.dat; do
    grep -q '^# main: yes' "$file" || continue
    number=${file%%_*}
    draw "pair_$number" pair "step=${number#0}"
done
