#!/usr/bin/env bash
# An article's own experiment on this machine: its kernels in its order, its n, type, operator and group sizes, 16
# repetitions with a cold cache; then its chart, with the published figures in plots/published/ beside ours.
#   plots/article.sh peri|jin|catz [RESULTS DEVICE]
# Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
# The data goes into article-NAME/ in there. N=2^24 takes that n; without, a small machine takes fewer, and says so.
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale

plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$plots/shared.sh"
usage="usage: plots/article.sh peri|jin|catz [RESULTS DEVICE]"
case $# in 1 | 3) ;; *) fail "$usage" ;; esac
article=$1 results=${2:-} device=${3:-}
[ -x "$root/step00" ] || fail "the programs are not built yet: make all"

# Step, variant with its widths, group size, and what a work-item or the whole launch takes: as the articles have it, "-"
# leaves it to the step. "largest" is the largest group that the kernel can have; "256 each" means 256 elements for each
# work-item, whatever n is, "4 unit" four groups for each compute unit.
case $article in
peri) published=2^29 kind=(--op sum --type int) rows='
    02 global        -       -
    02 blocked       256     1024 each
    02 strided       256     512 each
    04 atomic_finish largest -
    09 work_group    256     1 each
    10 vector_tree   largest 256 each
    07 local         largest -' ;;
jin) published=2^25 kind=(--op sum --type int) rows='
    02 global        -       -
    02 local         wgs     -
    07 local:2,4,8,16 wgs    -
    05 baseline      wgs     -' ;;
catz) published=2^25 kind=(--op min --type float) rows='
    05 associative   256     -
    05 commutative   256     -
    06 commutative   256     4 unit
    07 vector        256     4 unit
    08 one_group     -       -
    08 groups        -       1 unit
    08 vectorised    -       1 unit' ;;
*) fail "$usage" ;;
esac

elements() { # 2^20, 16Mi, 1000
    local -A shift=([Ki]=10 [Mi]=20 [Gi]=30)
    if [[ $1 =~ ^2\^([1-3]?[0-9])$ ]]; then echo $((1 << BASH_REMATCH[1]))
    elif [[ $1 =~ ^([1-9][0-9]{0,8})([KMG]i)?$ ]]; then echo $((BASH_REMATCH[1] << ${shift[${BASH_REMATCH[2]:-x}]:-0}))
    else fail "N=$1: must be one number such as 2^24, 16Mi or 1000"; fi
}
asked=$(elements "${N:-$published}")

# What step 00 says about the device: "CPU, 2 compute units, groups up to 4096, buffers up to 2.00 GiB".
choose_n() {
    local why=
    n=$asked
    if awk "BEGIN { exit !($n * 4 * 1.01 > $gib * 2^30) }"; then why="a buffer here holds $gib GiB at most"
    elif [ -z "${N:-}" ] && ((n > 1 << 26 && units < 8)); then
        why="only $units compute units; N=$published measures it nevertheless"
    fi
    if [ -n "$why" ]; then
        [ -z "${N:-}" ] || fail "N=$N: $why"
        n=$((1 << 24))
        echo "scaled down: n = 2^24, not $published: $why"
    fi
    if ((n < $(elements $published))) && [ "$article" = peri ]; then
        echo "scaled down: work-items of blocked, strided and vector_tree, each with as many elements as in the article"
    fi
}

call() { "$root/step$1" --device "$number" --variant "$2" "${kind[@]}" --seconds 0 "${@:3}" 2>&1; }

measure() { # step, variant with its widths, group, count, each or unit
    local variant=${2%:*} widths=${2#"${2%:*}"} group=$3 count=$4 options out status=0
    case $group in wgs) group=$wgs ;; largest) group=$most ;; esac
    while :; do
        case ${5:-} in
            each) count=$(((n + $4 * group - 1) / ($4 * group))) ;;
            unit) count=$(($4 * units)) ;;
        esac
        options=()
        [ "$group" = - ] || options+=(--group "$group")
        [ "$count" = - ] || options+=(--groups "$count")
        [ -z "$widths" ] || options+=(--width "${widths#:}")
        out=$(call "$1" "$variant" --n "$n" --reps 16 --limit-seconds 600 --out "$folder" "${options[@]}") || status=$?
        # A kernel may take less than the device: its local memory decides.
        if [ "$3 $status" != "largest 77" ] || ((group < 64)); then break; fi
        group=$((group / 2)) status=0
    done
    case $status in
        0) grep "^$variant " <<<"$out" | sed "s/^/$1 /" || fail "step$1 --variant $variant printed no row: $out" ;;
        77) echo "$1 $variant left out: ${out#*not supported here: }" ;;
        *) echo "$out" >&2; exit "$status" ;;
    esac
}

devices=$(chosen_devices)
while IFS=$'\t' read -r number own; do
    results_here=${results:-$root/$own}
    folder=$results_here/article-$article
    facts=$(device_facts "$number")
    read -r type units most gib <<<"$facts"
    wgs=$([ "$type" = GPU ] && echo 256 || echo 512)
    echo "$article on device $number, $type, $units compute units"
    choose_n
    mkdir -p -- "$folder" 2>/dev/null || fail "$folder: cannot be made"
    rm -f -- "$folder"/*.dat # one n, one device
    echo "   variant                 n    groups  x group    kernels      wall   GB/s %limit"
    while read -r step variant group count per; do
        [ -z "$step" ] || measure "$step" "$variant" "$group" "$count" "$per"
    done <<<"$rows"
    echo "data: $folder"
    pictures "$results_here" "article_$article.svg"
done <<<"$devices"
