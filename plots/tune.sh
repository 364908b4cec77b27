#!/usr/bin/env bash
# Where a step's defaults stand: its variants over group size x groups for each compute unit, the main one over the
# widths of a load, too, at one n with a cold cache, several rounds over, in turn with what the step takes by itself
# (by: step). Prints the best of each variant and width and how far the default is from it; RESULTS/tune/stepNN.dat
# holds all rows, RESULTS/tune_NN.svg is their map.
#   plots/tune.sh STEP [RESULTS DEVICE]      07, or any other step that takes --groups; --group, where it takes that too
# Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
# Set N (2^26), ROUNDS (3), ROW_SECONDS (0.1: how long a row is repeated; 3 times at least).
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
case $# in 1 | 3) ;; *) fail "usage: plots/tune.sh STEP [RESULTS DEVICE]" ;; esac
results=${2:-} device=${3:-} n=${N:-2^26} rounds=${ROUNDS:-3} row_seconds=${ROW_SECONDS:-0.1}
case $1 in [1-9]) step=0$1 ;; 0[1-9] | [1-9][0-9]) step=$1 ;; *) fail "STEP=$1: must be a step's number, as 07" ;; esac
program=$root/step$step
[ -x "$program" ] || fail "STEP=$1: no program step$step; make all builds those that there are"
check_count ROUNDS "$rounds"
check_one_n
said=$("$program" --n "$n" --seconds "$row_seconds" --list 2>&1) || fail "$said"
devices=$(chosen_devices)
work=$(mktemp -d)
folder=$work
trap 'rm -rf "$work" "$unfinished"; rmdir -- "$folder/tune" "$folder" 2>/dev/null || true' EXIT # empty where nothing came of it

call() { # options: leaves what the step prints in $said, and its exit status in $status
    status=0
    said=$("$program" --device "$number" --variant "$variant" "$@" 2>&1) || status=$?
    case $status in 0 | 77) ;; *) [[ $said == *'has no use for it here'* ]] || { say "$said"; exit "$status"; } ;; esac
}

# Those that take both options here, else those that take --groups alone; fmin and min are nothing else for a sum. Widths
# are those that the main variant takes beside its own.
choose_variants() {
    local all option && all=$("$program" --variants | sed 's/ .*//')
    for option in --group=64 ''; do
        variants=()
        for variant in $all; do
            case $variant in fmin | min) continue ;; esac
            call --n 1 --reps 3 --seconds 0 --groups 1 ${option:+"$option"}
            if [ $status = 0 ]; then variants+=("$variant"); fi
        done
        if [ ${#variants[@]} -gt 0 ]; then
            [ -n "$option" ] || sizes=
            variant=${variants[0]} widths=
            call --n 1 --reps 3 --seconds 0 --width 1 # exit status 2 where it has no use for widths
            [ $status != 0 ] || widths=1,2,4,8,16
            return
        fi
    done
    fail "STEP=$step: none of its variants takes --groups here"
}

# Powers of four on a CPU, where groups of one make sense and large ones are allowed; else powers of two from 32 on.
choose_sizes() {
    local group=32 factor=2 most type rest
    read -r rest type rest < <("$program" --list --device "$number")
    rest=${rest% compute units} units=${rest##* }
    if [ "$type" = CPU ]; then group=1 factor=4; fi
    most=$("$program" --device "$number" --group 2^40 2>&1 || true) # "… this device has groups of at most 4096"
    for ((sizes = group; group * factor <= ${most##* }; )); do group=$((group * factor)) sizes+=,$group; done
}

measure() { # by whom the geometry is chosen, options
    rm -rf "$work/out"
    call --n "$n" --reps 3 --seconds "$row_seconds" --out "$work/out" "${@:2}"
    [ -d "$work/out" ] || return 0 # no row: not supported, or too slow
    [ -s "$work/head" ] || grep -E "^# ($keys):" "$work"/out/*.dat >"$work/head"
    awk -v by="$1" -v variant="$variant" -v round="$round" -v units="$units" -v OFS='\t' "$columns_awk"'
        { print variant " " $at["width"] " " by " " $at["group"] " " $at["groups"] " " $at["groups"] / units, round,
            $at["GBps"], $at["percent_of_limit"], $at["n"] }' "$work"/out/*.dat >>"$work/rows"
}
keys='step|operator|type|date|device|driver|opencl|compute units|last-level cache|seed|repetitions|evicted bytes'

# Percent are of the best median; their spread is by round: where the machine is slow, it is so for both.
summarise() {
    cat "$work/head"
    awk -F '\t' -v rounds="$rounds" -v sizes="${sizes//,/ }" "$median_awk"'
        !($1 in speeds) { id[++ids] = $1 }
        { in_round[$1, $2] = $3; speeds[$1] = speeds[$1] " " $3; limits[$1] = limits[$1] " " $4; n = $5 }
        END {
            print "# rounds: " rounds "\n# n: " n "\n# group sizes: " sizes "\n# GB = 1e9 B; percent 0-100; nan: missing"
            print "variant width by group groups groups_per_unit rounds GBps GBps_min GBps_max percent_of_limit",
                "percent_of_best best_min best_max"
            for (i = 1; i <= ids; i++) {
                middle[id[i]] = sprintf("%.4g", median(speeds[id[i]]))
                if (!best || middle[id[i]] + 0 > middle[best] + 0) best = id[i]
            }
            for (i = 1; i <= ids; i++) {
                shares = ""
                for (r = 1; r <= rounds; r++)
                    if ((id[i], r) in in_round && (best, r) in in_round)
                        shares = shares sprintf(" %.4g", 100 * in_round[id[i], r] / in_round[best, r])
                k = sorted(speeds[id[i]], speed); m = sorted(shares, share)
                print id[i], k, middle[id[i]], speed[1], speed[k], digits(median(limits[id[i]])),
                    digits(100 * middle[id[i]] / middle[best]), m ? share[1] " " share[m] : "nan nan"
            }
        }' "$work/rows"
}

while IFS=$'\t' read -r number own; do
    choose_sizes
    choose_variants
    folder=${results:-$root/$own}
    mkdir -p -- "$folder/tune" 2>/dev/null || fail "$folder/tune: cannot be made"
    rm -f "$work/head" "$work/rows" && maps=0
    for ((round = 1; round <= rounds; round++)); do
        for variant in "${variants[@]}"; do
            show_round "step$step $variant" $((maps++)) $((rounds * ${#variants[@]}))
            measure step
            wide=
            if [ "$variant" = "${variants[0]}" ] && [ -n "$widths" ]; then
                wide=--width=$widths
                default=$(awk '{ width = $2 } END { print width }' "$work/rows")
                measure step --width="$(tr , '\n' <<<"$widths" | grep -vx "$default" | paste -sd ,)"
            fi
            for per in 1 2 4 8 16 32; do measure tuner ${sizes:+--group="$sizes"} --groups $((per * units)) ${wide:+"$wide"}; done
        done
    done
    [ -s "$work/rows" ] || fail "not one row on device $number"
    [ -n "$sizes" ] || sizes=$(cut -d ' ' -f 4 "$work/rows" | sort -nu | paste -sd ,) # the step's own
    whole "$folder/tune/step$step.dat" summarise
    say "$(clock $SECONDS) so far; data: $folder/tune/step$step.dat"
    "$plots/table.sh" --tune "$folder/tune/step$step.dat"
    pictures "$folder" "tune_$step.svg"
done <<<"$devices"
