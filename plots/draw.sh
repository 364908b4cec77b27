#!/bin/sh
# Draws every picture of a results folder from its .dat files alone: no OpenCL, no clock, no host.
#   plots/draw.sh RESULTS [INTO]        INTO: another folder for the pictures, for a comparison
set -eu
export LC_ALL=C.UTF-8 # the same picture whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
case $# in 1 | 2) ;; *) fail "usage: plots/draw.sh RESULTS [INTO]" ;; esac
command -v gnuplot >/dev/null || fail "gnuplot is missing: make deps installs it"
[ -d "$1" ] || fail "$1: no such folder; make plots measures one"
mkdir -p -- "${2:-$1}" 2>/dev/null || fail "${2:-$1}: cannot be made"
into=$(CDPATH='' cd -- "${2:-$1}" && pwd)
CDPATH='' cd -- "$1" # the scripts are given ".", so that no path needs quoting inside them
draw() { # picture, script, settings
    whole "$into/$1.svg" gnuplot -e "results='.'; $3" "$plots/style.gp" "$plots/$2.gp" || fail "$1.svg could not be drawn"
}

published=$(printf '%s\n' "$plots/published" | sed "s/'/''/g") # as gnuplot quotes it
others=
for what in sum.int min.float; do
    [ -f "peers/$what.dat" ] || continue
    others=yes
    draw "peers_${what%.*}_${what#*.}" peers "results='peers'; files='$what.dat'"
done
for article in peri jin catz; do
    main=$(grep -ls '^# main: yes' "article-$article"/*.dat | tail -n 1) # what it reduces is in its name
    [ "$main" ] || continue
    what=${main#*/*.} others=yes
    draw "article_$article" "article_$article" \
        "results='article-$article'; published='$published'; what='${what%.dat}'"
done
if grep -lqs '^# main: yes' accuracy/*.sum.float.dat; then
    draw accuracy accuracy "results='accuracy'; what='sum.float'"
    others=yes # a folder may hold nothing but these
fi
for file in tune/step*.dat; do
    [ -f "$file" ] || continue
    number=${file#tune/step} others=yes
    draw "tune_${number%.dat}" tune "results='tune'; files='${file#tune/}'"
done
if ! grep -lqs '^# main: yes' [0-9][0-9]_*.sum.int.dat; then
    [ "$others" ] || fail "$1: no .dat file of a main variant of sum of int"
    exit 0
fi

# Each step measured the read limit and the floor in turn with itself, at a time of its own: the charts that show all
# steps show the median over them, for each n.
medians=$(mktemp)
trap 'rm -f "$unfinished" "$medians"' EXIT
{
    echo n limit_GBps floor_seconds
    grep -l '^# main: yes' [0-9][0-9]_*.sum.int.dat | xargs awk "$median_awk$columns_awk"'
        { limits[$1] = limits[$1] " " $at["limit_GBps"]; floors[$1] = floors[$1] " " $at["floor_seconds"] }
        END { for (n in limits) print n, median(limits[n]), median(floors[n]) }' | sort -n
} >"$medians"

draw all all "medians='$medians'"
draw bars bars ''
draw wall wall "medians='$medians'"
for file in [0-9][0-9]_*.sum.int.dat; do
    grep -q '^# main: yes' "$file" || continue
    number=${file%%_*}
    draw "pair_$number" pair "step=${number#0}"
done
