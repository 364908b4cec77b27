#!/bin/sh
# The same steps on all published devices: percent of each device's own read limit, at the largest n that it was given.
#   plots/all_devices.sh [INTO]      draws plots/results/all_devices.svg, or INTO/all_devices.svg, from committed data
# What is compared is how well a step suits a device, not how fast the devices are: each has its own 100 %.
set -eu
export LC_ALL=C.UTF-8 # the same picture whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
[ $# -le 1 ] || fail "usage: plots/all_devices.sh [INTO]"
command -v gnuplot >/dev/null || fail "gnuplot is missing: make deps installs it"
into=${1:-$plots/results}
[ -d "$into" ] || fail "$into: no such folder"
into=$(CDPATH='' cd -- "$into" && pwd)
table=$(mktemp)
trap 'rm -f "$unfinished" "$table"' EXIT
CDPATH='' cd -- "$plots/results"

# A line for each step: number, name, then a percentage for each device; a size left out as too slow is "nan".
for folder in */; do
    set -- "$folder"[0-9][0-9]_*.sum.int.dat
    [ -f "$1" ] || continue
    awk '
        FNR == 1 { named = main = 0 }
        /^# step: / { step = $3 " " $4 }
        /^# device: / { device = $0; sub(/^# device: (.* \/ )?/, "", device); gsub(/ /, "-", device) }
        /^# main: yes/ { main = 1 }
        /^#/ || !main { next }
        !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }
        { share[step, $at["n"]] = $at["percent_of_limit"]; steps[step] = 1; if ($at["n"] > n) n = $at["n"] }
        END {
            for (step in steps)
                print folder, log(n) / log(2), device, step, (step, n) in share ? share[step, n] : "nan"
        }' folder="${folder%/}" "$@"
done | sort -k1,1 -k4,4n >"$table"
[ -s "$table" ] || fail "plots/results has no data of a main variant of sum of int"
cd "$plots/results"
whole "$into/all_devices.svg" gnuplot -e "results='${1:-pocl}'; table='$table'" "$plots/all_devices.gp" ||
    fail "all_devices.svg could not be drawn"
