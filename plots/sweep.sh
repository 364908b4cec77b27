#!/usr/bin/env bash
# The main job: every step's main variant over a range of sizes, then the pictures and the ladder table.
#   plots/sweep.sh [RESULTS DEVICE] [FROM..TO]       2^10..2^26, unless said otherwise
# Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
# Set OP (sum), TYPE (int): the pictures show sums of int, the others are data only.
# ROW_SECONDS (0.3) is how long a row is repeated; at least 5 times, a very slow one 3 times.
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
results='' device=''
if [ $# -ge 2 ]; then results=$1 device=$2; shift 2; fi
[ $# -le 1 ] || fail "usage: plots/sweep.sh [RESULTS DEVICE] [FROM..TO]"
range=${1:-2^10..2^26}

number() { # 2^20, 16Mi, 1000; else 0
    case $1 in
        2^[0-9] | 2^[1-5][0-9]) echo $((1 << ${1#2^})) ;;
        *Ki) number_of "${1%Ki}" 10 ;;
        *Mi) number_of "${1%Mi}" 20 ;;
        *Gi) number_of "${1%Gi}" 30 ;;
        *) number_of "$1" 0 ;;
    esac
}
number_of() { case $1 in '' | *[!0-9]*) echo 0 ;; *) echo $((10#$1 << $2)) ;; esac }
sizes=()
from=$(number "${range%%..*}") to=$(number "${range#*..}")
for ((n = 1; from > 0 && n > 0 && n <= to; n *= 2)); do
    if ((n >= from)); then sizes+=("$n"); fi
done
[[ ${#sizes[@]} -gt 0 && $range == *..* ]] || fail "$range: must be FROM..TO with a power of two in between, as in 2^10..2^26"

# Time left: a row costs as much as 8 Mi elements by itself, and then what its elements cost.
total=0 measured=0
measured_size() { measured=$((measured + 8 + (sizes[$1] >> 20))); }

show_size() { # step, index of the size, folder: less than 80 columns
    show "$(printf '%-7.7s  n = %-10s %6s%-12s  %-34.34s' "$1" "${sizes[$2]}" "$(clock $SECONDS)" \
        "$(time_left $measured $total)" "${3##*/}")"
}

sweep() { # program, device's number, folder
    local step="step ${1##*step}" first second rest status=2 i=0
    show_size "$step" 0 "$3"
    while read -r first second rest; do
        case "$first $second" in
            status\ *) status=$second; continue ;;
            ' ' | [0-9][0-9]\ * | on\ * | variant\ *) continue ;; # the head of the table
            *\ [0-9]*) ;;                                         # a row
            *\ n) say "$step: $first $second $rest" ;;            # a size left out
            *) say "$step: $first $second $rest"; continue ;;     # what went wrong, or why not here
        esac
        measured_size $i
        i=$((i + 1))
        # A line for every size is for a terminal; a log gets one for every step.
        if [ -t 2 ] && ((i < ${#sizes[@]})); then show_size "$step" $i "$3"; fi
    done < <("$1" --device "$2" --op "${OP:-sum}" --type "${TYPE:-int}" --sweep "$range" --seconds "${ROW_SECONDS:-0.3}" --out "$3" 2>&1 && s=0 || s=$?
        echo "status $s")
    for (( ; i < ${#sizes[@]}; i++)); do measured_size $i; done
    case $status in 0 | 77) ;; *) exit "$status" ;; esac
}

devices=$(chosen_devices)
programs=("$root"/step0[1-9] "$root"/step[1-9][0-9])
folders=() numbers=()
trap 'rmdir -- "${folders[@]}" 2>/dev/null || true' EXIT # those that nothing came into
while IFS=$'\t' read -r number folder; do
    numbers+=("$number") folders+=("${results:-$root/$folder}")
done <<<"$devices"
for i in "${!sizes[@]}"; do measured_size "$i"; done
total=$((measured * ${#programs[@]} * ${#folders[@]})) measured=0

for d in "${!folders[@]}"; do
    mkdir -p -- "${folders[$d]}" 2>/dev/null || fail "${folders[$d]}: cannot be made"
    for program in "${programs[@]}"; do sweep "$program" "${numbers[$d]}" "${folders[$d]}"; done
done
say "$(clock $SECONDS) in all"
for folder in "${folders[@]}"; do
    echo "data: $folder" >&2
    pictures "$folder" '*.svg' >&2
done
"$plots/table.sh" "${folders[@]}"
