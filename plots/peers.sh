#!/usr/bin/env bash
# Our fastest variants against other people's reductions, in turn: sum of int and minimum of float over a range of n,
# for each the wall time, and how many times as long as our fastest a peer takes.
#   plots/peers.sh [RESULTS DEVICE]        as sweep.sh; the data goes into RESULTS/peers/
#   plots/peers.sh --table RESULTS         prints the tables of what was measured again
# Set N (2^10..2^28, on fewer than 8 compute units 2^10..2^24; every STRIDEth power of two of it, 2), ROUNDS (3),
# ROW_SECONDS (0.1: how long a row is repeated; 5 times at least), LIMIT_SECONDS (10: longer rows are left out),
# PEERS (names, or paths of programs; without: what is built, but for the floors), OURS (such as "10:streams 11:tiles";
# without: those that a trial finds the fastest).
# A process takes four sizes of one program, because it starts in a second and measures a small n in a tenth of one;
# then the next program takes the same sizes, then come the next sizes, then the next round. So what is compared was
# measured within a minute or two of each other, once in each round.
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"

# Two lines for each n, six peers side by side: wall times, and below them the ratios.
table='
    function text(s) {
        return s == "" || s == "nan" ? "-" : s < 1e-3 ? form(1e6 * s) "us" : s < 1 ? form(1e3 * s) "ms" : form(s) "s"
    }
    function form(x) { return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x) }
    function power(n,   p) { for (p = 0; n > 1; p++) n /= 2; return "2^" p }
    function upper(name) { return name ~ /_/ ? substr(name, 1, index(name, "_")) : "" }
    function lower(name) { sub(/.*_/, "", name); return name }
    /^# / { key = $2; sub(/:$/, "", key); line = $0; sub(/^# [^:]*: /, "", line); about[key] = line; next }
    '"$columns_awk"'
    {
        n = $at["n"]; program = $at["program"]; wall = $at["wall"]
        if (!(n in seen)) { seen[n] = 1; sizes[++count] = n }
        if ($at["kind"] == "peer") {
            if (!(program in known)) { known[program] = 1; peers[++many] = program }
            times[program, n] = $at["verdict"] == "wrong" ? "wrong" : text(wall)
            ratios[program, n] = $at["ratio"] == "nan" ? "" : "x" form($at["ratio"])
        } else if ($at["ratio"] == 1 && !(n in ours)) {
            ours[n] = sprintf("%-14.14s %8s", substr(program, 1, 2) " " $at["variant"], text(wall))
        }
    }
    END {
        printf "%s of %s: wall time, and times as long as our fastest\n%.80s\n", about["operator"], about["type"], \
            about["device"]
        if ("note" in about) print about["note"]
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && sizes[j - 1] + 0 > sizes[j] + 0; j--) {
                n = sizes[j]; sizes[j] = sizes[j - 1]; sizes[j - 1] = n
            }
        for (from = 1; from == 1 || from <= many; from += 6) {
            head = sprintf("\n%28s", ""); line = sprintf("%-5s%-14s %8s", "n", "our fastest", "")
            for (p = from; p < from + 6 && p <= many; p++) {
                head = head sprintf(" %7s", upper(peers[p])); line = line sprintf(" %7s", lower(peers[p]))
            }
            sub(/\n? +$/, "", head); sub(/ +$/, "", line) # no peers: no line for what they are
            print head "\n" line
            for (i = 1; i <= count; i++) {
                n = sizes[i]
                line = sprintf("%-5s%-23s", power(n), n in ours ? ours[n] : "-"); below = sprintf("%28s", "")
                for (p = from; p < from + 6 && p <= many; p++) {
                    line = line sprintf(" %7s", (peers[p], n) in times ? times[peers[p], n] : "-")
                    below = below sprintf(" %7s", ratios[peers[p], n])
                }
                sub(/ +$/, "", below)
                print line
                if (below != "") print below
            }
        }
        printf "\nmedian of the rounds (%s), cold cache; x above 1: ours is faster\n", about["rounds"]
    }'
print_tables() { # RESULTS
    local file any=''
    for file in "$1/peers/sum.int.dat" "$1/peers/min.float.dat"; do
        [ -f "$file" ] || fail "$file is missing; make peers measures it"
        [ -z "$any" ] || echo
        any=yes
        awk "$table" "$file"
    done
}
if [ "${1:-}" = --table ]; then
    [ $# -eq 2 ] || fail "usage: plots/peers.sh --table RESULTS"
    print_tables "$2"
    exit
fi

case $# in 0 | 2) ;; *) fail "usage: plots/peers.sh [RESULTS DEVICE] | --table RESULTS" ;; esac
results=${1:-} device=${2:-}
range=${N:-2^10..2^28} rounds=${ROUNDS:-3} stride=${STRIDE:-2}
host_peers=' openmp serial std_reduce tbb ' # that read the elements on the host
check_count ROUNDS "$rounds"
[[ $range =~ ^2\^([0-9]+)(\.\.2\^([0-9]+))?$ ]] || fail "N=$range: must be a range such as 2^10..2^20, or one such as 2^10"
from=${BASH_REMATCH[1]} to=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
((from <= to && to <= 40)) || fail "N=$range: must go up, to 2^40 at most"
check_count STRIDE "$stride"
[ -x "$root/step00" ] || fail "the programs are not built yet: make all"
check_ours
devices=$(chosen_devices)
export REDUCE_KERNELS=${REDUCE_KERNELS:-$root/kernels}
export OMP_WAIT_POLICY=passive # its threads would spin on, and slow the OpenCL kernels that come next

work=$(mktemp -d)
trap 'rm -rf "$work" "$unfinished"' EXIT
peers=()
if [ -z "${PEERS+given}" ]; then
    PEERS=$(find "$root/build" -maxdepth 1 -name 'peer_*' ! -name '*.*' ! -name 'peer_floor_*' -printf '%f\n' | sed 's/^peer_//' | sort)
fi
for peer in $PEERS; do
    program=$peer
    [[ $peer == */* ]] || program=$root/build/peer_$peer
    if [ -x "$program" ] && [ ! -d "$program" ]; then peers+=("$program")
    else say "peer $peer left out: it did not compile, see above"; fi
done

# Some runtimes bring a newer TBB than a peer is linked with: then that one serves both, or the platform is not there.
declare -A preload=()
find_preloads() {
    local program icd tbb list
    list=$("$root/step01" --list)
    for program in "${peers[@]}"; do
        [ "$("$program" --list 2>/dev/null)" != "$list" ] || continue
        for icd in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
            tbb=$(dirname -- "$(head -n 1 "$icd")")/libtbb.so.12
            if [ -f "$tbb" ] && [ "$(LD_PRELOAD=$tbb "$program" --list 2>/dev/null)" = "$list" ]; then
                preload[$program]=$tbb
            fi
        done
        [ -n "${preload[$program]:-}" ] || preload[$program]=none
    done
}

# As far as the device's largest buffer goes.
choose_sizes() { # device's number
    local facts units gib p
    facts=$(device_facts "$1")
    read -r device_kind units _ gib <<<"$facts"
    if [ -z "${N:-}" ] && ((units < 8)); then
        to=24
        say "up to 2^24, not 2^28: only $units compute units (N=2^10..2^28 measures them nevertheless, and takes long)"
    fi
    sizes=()
    for ((p = from; p <= to; p += stride)); do
        if awk "BEGIN { exit !((2^$p + 4096) * 4 > $gib * 2^30) }"; then
            say "2^$p left out: a buffer holds $gib GiB at most"
            break
        fi
        sizes+=($((1 << p)))
    done
    [ ${#sizes[@]} -gt 0 ] || fail "N=$range: too much for this device"
}

joined() { local IFS=,; echo "$*"; }

# The rows of a folder of data files, one a line: kind program variant n wall verdict span floor. What they say of the
# device goes into $work/header.
collect() { # kind, folder
    local file
    for file in "$2"/*.dat; do
        [ -f "$file" ] || continue
        [ -f "$work/header" ] ||
            grep -E '^# (date|device|driver|opencl|compute units|last-level cache|seed|evicted bytes): ' "$file" \
                >"$work/header"
        awk -v kind="$1" '
            /^# step: / { program = kind == "peer" ? $4 : $3 "_" $4 }
            /^# variant: / { variant = $3 }
            '"$columns_awk"'
            { print kind, program, kind == "peer" ? "-" : variant, $at["n"], $at["wall_med"], $at["verdict"], $at["span_med"], \
                $at["floor_seconds"] }' "$file"
    done
}

# One program over some sizes. After a wrong result it goes on with the sizes behind it.
declare -A told=()
measure() { # kind, program, variant, operator, type, sizes…
    local kind=$1 program=$2 variant=$3 name status at n rest line trusted
    local left=("${@:6}")
    name=${program##*/} && name=${name#peer_}
    if [ "$kind $device_kind" = "peer GPU" ] && [[ $host_peers == *" $name "* ]]; then
        tell "$name" "left out: the elements are the GPU's, it is for those of a CPU"
        return
    fi
    [ "${preload[$program]:-}" != none ] || { tell "$name" "left out: it does not see this device"; return; }
    while [ ${#left[@]} -gt 0 ]; do
        rm -rf "$work/out" && status=0
        LD_PRELOAD=${preload[$program]:-} "$program" --device "$number" --variant "$variant" --op "$4" --type "$5" \
            --n "$(joined "${left[@]}")" --seconds "${ROW_SECONDS:-0.1}" --limit-seconds "${LIMIT_SECONDS:-10}" \
            --out "$work/out" >"$work/log" 2>&1 || status=$?
        collect "$kind" "$work/out" >>"$work/rows"
        line=$(grep -v '^ *$' "$work/log" | tail -n 1)
        case $status in
            0)
                while read -r n; do
                    tell "$name $4 $5" "n = $n left out: more than ${LIMIT_SECONDS:-10} s (LIMIT_SECONDS)"
                done < <(sed -n 's/^.* n = \([0-9]*\) left out: .*/\1/p' "$work/log")
                return ;;
            77) tell "$name $4 $5" "left out: ${line##*not supported here: }"; return ;;
            1)
                line=$(grep -m 1 '^WRONG: ' "$work/log")
                tell "$name $4 $5" "$line"
                [ "$kind" = peer ] || exit 1
                at=$(sed 's/^WRONG: .* at n = \([0-9]*\): .*/\1/' <<<"$line") rest=()
                trusted=yes # no row, and not at the first size: it was wrong in the check before all rows
                [ -d "$work/out" ] || [ "$at" = "${left[0]}" ] || trusted=
                for n in "${left[@]}"; do
                    if [ -z "$trusted" ] || ((n == at)); then
                        echo "$kind $name - $n nan wrong nan nan" >>"$work/rows"
                    elif ((n > at)); then rest+=("$n"); fi
                done
                left=("${rest[@]}") ;;
            *) [ "$kind" = peer ] || { cat "$work/log" >&2; exit "$status"; }
                tell "$name $4 $5" "failed: $line"; return ;;
        esac
    done
}
tell() { # once for each
    [ -z "${told[$1 $2]:-}" ] || return 0
    told[$1 $2]=yes
    say "$1: $2"
}

# Which of our variants can be the fastest here: all are tried at three sizes, the best three of each take part. Not
# above 2^24, where the check of a minimum takes longer than all the rest.
choose_ours() { # operator, type
    local program status size trial=("${sizes[0]}" "${sizes[${#sizes[@]} / 2]}" "${sizes[-1]}")
    ours=()
    for program in ${OURS:-}; do ours+=("${program/:/ }"); done
    [ ${#ours[@]} = 0 ] || return 0
    for size in "${!trial[@]}"; do
        if ((trial[size] > 1 << 24)); then trial[size]=$((1 << 24)); fi
    done
    : >"$work/trial"
    for program in "$root"/step0[2-9] "$root"/step[1-9][0-9]; do
        show_now "trying ${program##*/}, $1 of $2"
        rm -rf "$work/out" && status=0
        "$program" --device "$number" --variant all --op "$1" --type "$2" --n "$(joined "${trial[@]}")" --reps 9 \
            --seconds 0 --limit-seconds "${TRIAL_SECONDS:-1}" --out "$work/out" >"$work/log" 2>&1 || status=$?
        [ $status = 0 ] || { cat "$work/log" >&2; exit "$status"; }
        collect ours "$work/out" >>"$work/trial"
    done
    mapfile -t ours < <(sort -k4,4n -k5,5g "$work/trial" |
        awk '++seen[$4] <= 3 { print substr($2, 1, 2), $3 }' | sort -u)
    say "ours, $1 of $2: $(IFS=,; echo "${ours[*]}" | sed 's/,/, /g')"
}

show_now() { show "$(printf '%s  %-66.66s' "$(clock $SECONDS)" "$1")"; }

# Medians over the rounds, programs one below the other as gnuplot draws them, ratios to the fastest of ours.
summary() {
    sort -s -k1,1 -k2,2 -k3,3 -k4,4n -k5,5g "$work/rows" | awk "$median_awk"'
        function finish(   middle, many, each) {
            if (!count) return
            middle = median(walls)
            if (wrong) line[++lines] = id " nan nan nan"
            else {
                line[++lines] = id sprintf(" %.4g %.4g %.4g", middle, low, high)
                if (id ~ /^ours/ && (!(n in best) || middle < best[n])) best[n] = middle
            }
            wall[lines] = wrong ? "nan" : middle; at[lines] = n; verdict[lines] = wrong ? "wrong" : "right"
            many = sorted(spans, each)
            span[lines] = wrong || spans ~ /nan/ ? "nan nan nan" : median(spans) " " each[1] " " each[many]
            span[lines] = span[lines] " " (wrong ? "nan" : digits(median(floors)))
        }
        { now = $1 " " $2 " " $3 " " $4 }
        now != id { finish(); id = now; n = $4; low = $5; walls = spans = floors = ""; count = wrong = 0 }
        {
            count++; high = $5; wrong += $6 == "wrong"
            walls = walls " " $5; spans = spans " " $7; floors = floors " " $8
        }
        END {
            finish()
            print "kind program variant n wall wall_low wall_high ratio verdict span span_low span_high floor"
            for (i = 1; i <= lines; i++) {
                ratio = wall[i] == "nan" || !(at[i] in best) ? "nan" : sprintf("%.4g", wall[i] / best[at[i]])
                print line[i], ratio, verdict[i], span[i]
            }
        }'
}

compare() { # operator, type, folder
    local round first part i program type
    choose_ours "$1" "$2"
    : >"$work/rows"
    for ((round = 1; round <= rounds; round++)); do
        for ((first = 0; first < ${#sizes[@]}; first += 4)); do
            part=("${sizes[@]:first:4}")
            show_now "$1 of $2, round $round of $rounds, n = $(joined "${part[@]}")"
            for i in "${ours[@]}"; do
                measure ours "$root/step${i% *}" "${i#* }" "$1" "$2" "${part[@]}"
            done
            grep -q '^ours ' "$work/rows" || fail "OURS: none of these does the $1 of $2; what was measured before is in $3"
            for program in "${peers[@]}"; do
                type=$2
                [ "${program##*/} $1 $2" != "peer_clblast sum int" ] || type=float
                measure peer "$program" all "$1" "$type" "${part[@]}"
            done
            whole "$3/$1.$2.dat" data "$1" "$2" "$round" # a run that ends early leaves these
        done
    done
}

data() { # operator, type, rounds
    local note='clblast: the sum of floats, as it knows no sum of ints'
    printf '# peers: ours and theirs in turn\n# operator: %s\n# type: %s\n# rounds: %s\n' "$@"
    cat "$work/header"
    if [ "$1 $2" = "sum int" ] && grep -q '^peer clblast ' "$work/rows"; then echo "# note: $note"; fi
    echo "# seconds of wall time: median of the rounds, lowest, highest; ratio: to the fastest of ours at that n; span: of the kernels, likewise; floor: an empty launch and the bytes at the read limit, measured beside it"
    summary
}

find_preloads
folders=()
while IFS=$'\t' read -r number folder; do
    folder=${results:-$root/$folder}
    folders+=("$folder")
    mkdir -p -- "$folder/peers" 2>/dev/null || fail "$folder: cannot be made"
    rm -f "$work/header"
    choose_sizes "$number"
    compare sum int "$folder/peers"
    compare min float "$folder/peers"
done <<<"$devices"
say "$(clock $SECONDS) in all"
for folder in "${folders[@]}"; do
    echo
    print_tables "$folder"
    echo "data: $folder/peers"
    pictures "$folder" 'peers_*.svg'
done
