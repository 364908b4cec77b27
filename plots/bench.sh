#!/usr/bin/env bash
# All variants of all steps in turn, and on a CPU the OpenMP peer, at one large n with a cold cache, several rounds over:
# prints the median of the rounds and its spread, and what the best of steps 08, 10 and on and the read limit come to.
#   plots/bench.sh [DEVICE…]      without any: every CPU, one after the other
# Set N (2^27), OP (sum), TYPE (int), ROUNDS (5), ROW_SECONDS (0.3: how long a row is repeated; 5 times at least, a very
# slow one 3 times), OURS (such as "10:streams 11:tiles"; without: all), and RESULTS, the folder of bench.dat for one
# device (results/<platform>-<device>-<host>).
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
rounds=${ROUNDS:-5} n=${N:-2^27}
check_count ROUNDS "$rounds"
check_one_n
[ -x "$root/build/peer_openmp" ] || fail "build/peer_openmp is missing: make bench builds it"
export REDUCE_KERNELS=${REDUCE_KERNELS:-$root/kernels}
export OMP_WAIT_POLICY=passive # its threads would spin on, and slow the OpenCL kernels that come next

check_ours
devices=$("$plots/devices.sh" "$@")
[ -z "${RESULTS:-}" ] || [ "$(wc -l <<<"$devices")" -eq 1 ] || fail "RESULTS is for one device: bench.sh DEVICE"
programs=() variants=()
for program in "$root"/step0[1-9] "$root"/step[1-9][0-9] "$root/build/peer_openmp"; do
    while read -r variant rest; do
        [ -z "${OURS:-}" ] || [[ $program == */peer_* || " $OURS " == *" ${program##*step}:$variant "* ]] || continue
        programs+=("$program") variants+=("$variant")
    done < <("$program" --variants)
done
work=$(mktemp -d)
trap 'rm -rf "$work" "$unfinished"' EXIT

# The last row of a data file as one of bench.dat; the first file gives the header too.
collect() { # round, file
    awk -v round="$1" -v rounds="$rounds" -v head="$header" '
        /^# / { text = $0; sub(/^# [^:]*: /, "", text); about[substr($0, 3, index($0, ":") - 3)] = text }
        '"$columns_awk"'
        { row = $0 }
        END {
            if (!named) exit 2
            $0 = row
            split("operator,type,date,device,driver,opencl,compute units,last-level cache,seed,repetitions," \
                "evicted bytes", keys, ",")
            if (head) {
                print "# bench: all variants in turn\n# rounds: " rounds "\n# n: " $at["n"]
                for (i = 1; i in keys; i++) print "# " keys[i] ": " about[keys[i]]
                print "# seconds; GB = 1e9 B; percent 0-100"
                print "step name variant round n bytes wall_min wall_med wall_p90 GBps limit_GBps percent_of_limit", \
                    "kernel_percent verdict"
            }
            print about["step"], about["variant"], round, $at["n"], $at["bytes"], $at["wall_min"], $at["wall_med"], \
                $at["wall_p90"], $at["GBps"], $at["limit_GBps"], $at["percent_of_limit"], $at["kernel_percent"], \
                $at["verdict"]
        }' "$2" >>"$work/bench.dat"
    header=
}

rows=0 all=$((${#programs[@]} * rounds * $(wc -l <<<"$devices")))
measure() { # device's number, folder
    local round i status facts device_kind
    facts=$(device_facts "$1")
    read -r device_kind _ <<<"$facts"
    rm -f "$work/bench.dat" && header=yes
    mkdir -p -- "$2" 2>/dev/null || fail "$2: cannot be made"
    for ((round = 1; round <= rounds; round++)); do
        for i in "${!programs[@]}"; do
            # OpenMP is for elements that lie with the host.
            [[ "$device_kind ${programs[$i]}" != "GPU "*/peer_openmp ]] || continue
            show_round "${programs[$i]##*/} ${variants[$i]}" $rows $all
            rm -rf "$work/out" && status=0
            "${programs[$i]}" --device "$1" --variant "${variants[$i]}" --op "${OP:-sum}" --type "${TYPE:-int}" \
                --n "$n" --seconds "${ROW_SECONDS:-0.3}" --limit-seconds 600 --out "$work/out" >"$work/log" 2>&1 || status=$?
            case $status in
                0) collect "$round" "$work"/out/*.dat ;;
                77) [ "$round" -gt 1 ] || say "${programs[$i]##*/} $(grep 'not supported' "$work/log")" ;;
                *) say "$(cat "$work/log")"; exit "$status" ;;
            esac
            rows=$((rows + 1))
        done
        [ -f "$work/bench.dat" ] || fail "nothing to measure: none of the chosen variants does this"
        whole "$2/bench.dat" cat "$work/bench.dat" # whole rounds only
    done
}

folders=()
while IFS=$'\t' read -r number folder; do
    folder=${RESULTS:-$root/$folder}
    folders+=("$folder")
    measure "$number" "$folder"
done <<<"$devices"
say "$(clock $SECONDS) in all; bench.dat is in:"
printf '  %s\n' "${folders[@]}" >&2
"$plots/table.sh" --bench "${folders[@]}"
