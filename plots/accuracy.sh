#!/usr/bin/env bash
# How exact a float sum is: uniform floats, one variant for each order of additions, each over n; then the chart.
#   plots/accuracy.sh [RESULTS DEVICE]
# Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
# The data goes into accuracy/ in there. Nothing is timed with care: the error is what counts.
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
case $# in 0 | 2) ;; *) fail "usage: plots/accuracy.sh [RESULTS DEVICE]" ;; esac
results=${1:-} device=${2:-}

devices=$(chosen_devices)
while IFS=$'\t' read -r number own; do
    results_here=${results:-$root/$own}
    folder=$results_here/accuracy
    mkdir -p -- "$folder" 2>/dev/null || fail "$folder: cannot be made"
    rm -f -- "$folder"/*.dat # one device
    # The variants that accuracy.gp draws. One that cannot run here says why, and has no curve.
    while read -r step variant; do
        status=0
        "$root/step$step" --device "$number" --variant "$variant" --type float --uniform --sweep 2^10..2^26 --reps 3 \
            --seconds 0 --warm --out "$folder" || status=$?
        case $status in 0 | 77) echo ;; *) exit "$status" ;; esac
    done <<<"01 host
02 blocked
03 associative
05 commutative
06 commutative"
    echo "data: $folder"
    pictures "$results_here" accuracy.svg
done <<<"$devices"
