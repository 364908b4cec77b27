#!/bin/sh
# Markdown tables from .dat files alone.
#   plots/table.sh RESULTS…             the ladder: each step's main variant at the largest n
#   plots/table.sh --bench RESULTS…     what bench.sh measured: every variant, and OpenMP
#   plots/table.sh --tune DATA          what tune.sh wrote, for people: the best geometries, and the default beside them
#   plots/table.sh --readme             writes the tables of plots/results/* into README.md, between its markers
#   plots/table.sh --check              exits 1 with the difference if README.md is not what --readme would write
set -eu
export LC_ALL=C # decimal points, whatever the locale

fail() { echo "table.sh: $*" >&2; exit 2; }

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
readme=${README:-$root/README.md}
results=${PUBLISHED:-$root/plots/results} # both can be set for a trial

# In all awk programs below: at("GBps") is that column of this line, about["device"] the header's line.
columns='
    function at(name) { return $column[name] }
    FNR == 1 { named = 0 }
    /^# / { text = $0; sub(/^# [^:]*: /, "", text); about[substr($0, 3, index($0, ":") - 3)] = text }
    /^#/ { next }
    !named { named = 1; for (i = 1; i <= NF; i++) column[$i] = i; next }
    # the name of a device in a column: its platform'"'"'s own suffix, or the folder
    function short() {
        return match(about["device"], /\[[^]]+\]/) ? substr(about["device"], RSTART + 1, RLENGTH - 2) : folder
    }
'

# Every row of the main variants in this folder, for the table below.
rows() {
    awk -v folder="$1" -v OFS='\t' "$columns"'
        about["main"] == "yes" {
            print folder, short(), about["device"] ", driver " about["driver"], about["step"], about["compared with"], \
                at("n"), at("GBps"), at("percent_of_limit"), at("limit_GBps"), at("verdict"), about["evicted bytes"]
        }' [0-9][0-9]_*.sum.int.dat
}
ladder_table='
    !($1 in number) {
        number[$1] = ++devices
        label[devices] = $2; folder[devices] = $1; device[devices] = $3; used[$2]++
    }
    {
        d = number[$1]; step = substr($4, 1, 2); n = $6 + 0
        name[step] = $4; other[step] = $5
        gbps[d, step, n] = $7; percent[d, step, n] = $8; limit[d, n] = $9
        noisy[d, step, n] = $10 == "noisy" ? " ~" : ""
        if ($11 == 0) warm[d] = 1
        if (n > largest[d]) largest[d] = n
    }
    function figures(x) { return sprintf(x < 0.1 ? "%.3f" : x < 10 ? "%.2f" : "%.1f", x) }
    function share(x) { return x == "nan" ? "-" : sprintf("%.1f", x) }
    END {
        head = "| step | compared with |"; line = "| --- | --- |"
        for (d = 1; d <= devices; d++) {
            if (used[label[d]] > 1) label[d] = folder[d]
            head = head " " label[d] ": GB/s | % of read limit | times as fast |"
            line = line " ---: | ---: | ---: |"
        }
        print head; print line
        for (i = 1; i <= 99; i++) {
            step = sprintf("%02d", i)
            if (!(step in name)) continue
            with = other[step]
            row = "| " name[step] " | " (with == step ? "-" : with) " |"
            for (d = 1; d <= devices; d++) {
                n = largest[d]
                if (!((d, step, n) in gbps)) { row = row " - | - | - |"; continue }
                times = with != step && (d, with, n) in gbps ? figures(gbps[d, step, n] / gbps[d, with, n]) : "-"
                if (noisy[d, step, n] != "") any_noisy = 1
                row = row " " figures(gbps[d, step, n]) noisy[d, step, n] \
                    " | " share(percent[d, step, n]) " | " times " |"
            }
            print row
        }
        print ""
        for (d = 1; d <= devices; d++)
            print "* " label[d] ": " device[d] "; sum of int, n = " sprintf("%.0f", largest[d]) ", " (d in warm ? "warm" : "cold") \
                " cache, median wall time."
        if (any_noisy) print "* ~: noisy, 90 % quantile above twice the minimum."
    }
'
ladder() {
    all=$(for folder; do (
        CDPATH='' cd -- "$folder" 2>/dev/null || fail "$folder: no such folder"
        grep -qs '^# main: yes' [0-9][0-9]_*.sum.int.dat || fail "$folder: no .dat file of a main variant of sum of int"
        rows "$(basename -- "$folder")"
    ) || exit 2; done) || exit 2
    printf '%s\n' "$all" | awk -F '\t' "$ladder_table"
}

# Median (lowest … highest) over the rounds, of every program and variant in the order in which they ran.
bench_table='
    {
        id = at("step") " " at("name") " | " at("variant")
        if (!(id in rounds)) order[++count] = id
        k = ++rounds[id]
        gbps[id, k] = at("GBps"); percent[id, k] = at("percent_of_limit")
    }
    function spread(values, id, form,   sorted, i, j, x, n, middle) {
        for (i = 1; i <= rounds[id]; i++) {
            if (values[id, i] == "nan") continue
            x = values[id, i] + 0
            for (j = n++; j >= 1 && sorted[j] > x; j--) sorted[j + 1] = sorted[j]
            sorted[j + 1] = x
        }
        median = 0
        if (!n) return "- | -"
        median = n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
        return sprintf(form " | " form " … " form, median, sorted[1], sorted[n])
    }
    function ratio(what, value) { printf "* %s: %.3f\n", what, value }
    END {
        print "| step | variant | " short() ": GB/s | lowest … highest | % of read limit | lowest … highest |"
        print "| --- | --- | ---: | ---: | ---: | ---: |"
        for (i = 1; i <= count; i++) {
            id = order[i]
            form = gbps[id, 1] < 10 ? "%.2f" : "%.1f"
            text = spread(gbps, id, form) " | " spread(percent, id, "%.1f")
            step = substr(id, 1, 2)
            if (median > best[step]) { best[step] = median; which[step] = id; sub(/.* \| /, "", which[step]) }
            if (rounds[id] > most) most = rounds[id]
            sub(/^00 /, "", id) # a peer is no step
            print "| " id " | " text " |"
        }
        print ""
        print "* " about["device"] ", driver " about["driver"] "; " about["operator"] " of " about["type"] ", n = " \
            about["n"] ", cold cache; median of " most " round" (most == 1 ? "." : "s.")
        for (step = 8; step <= 99; step++) {
            if (step == 9) continue # the grid stride of 06
            s = sprintf("%02d", step)
            if (best[s]) ratio("best of step " s " (" which[s] ") / read limit", best[s] / 100)
        }
        if (best["00"]) ratio("read limit / OpenMP", 100 / best["00"])
    }
'
bench() {
    first=1
    for folder; do (
        CDPATH='' cd -- "$folder" 2>/dev/null || fail "$folder: no such folder"
        [ -f bench.dat ] || fail "$folder: no bench.dat; make bench measures it"
        [ $first = 1 ] || echo
        awk -v folder="$(basename -- "$folder")" "$columns$bench_table" bench.dat
    ) || exit 2; first=0; done
}

# The default's geometry is among the tuner's too. If one of the two reaches the best in a round, who would know?
tune_table='
    function speed(x) { return sprintf(x < 100 ? "%.3g" : "%.0f", x) }
    {
        name[NR] = at("variant"); width[NR] = at("width"); v = name[NR] " " width[NR]
        gbps[NR] = at("GBps"); limit[NR] = at("percent_of_limit")
        share[NR] = at("percent_of_best"); low[NR] = at("best_min"); high[NR] = at("best_max")
        shape[NR] = sprintf("%g/unit x %d", at("groups_per_unit"), at("group"))
        if (!(v in best)) { order[++count] = v; widths[name[NR]]++ }
        if (!(v in best) || gbps[NR] > gbps[best[v]]) best[v] = NR
        if (!top || gbps[NR] > gbps[top]) top = NR
        if (at("by") == "step") own[v] = NR
    }
    END {
        print about["step"] ": " about["operator"] " of " about["type"] ", n = " about["n"] \
            "\non " about["device"] "\ncold cache, median of rounds: " about["rounds"] "\n"
        line = "%-13s %5s %14s %5s %6s  %14s %5s %8s\n"
        printf line, "variant", "width", "best: groups", "GB/s", "%limit", "default", "GB/s", "of best"
        for (i = 1; i <= count; i++) {
            b = best[order[i]]; d = own[order[i]]
            printf line, name[b], width[b], shape[b], speed(gbps[b]), limit[b] == "nan" ? "-" : sprintf("%.1f", limit[b]), \
                d ? shape[d] : "-", d ? speed(gbps[d]) : "-", d ? sprintf("%.1f", 100 * share[d] / share[b]) : "-"
        }
        d = own[order[1]]
        for (i in name) of[i] = widths[name[i]] > 1 ? name[i] " of width " width[i] : name[i]
        for (i in shape) if (of[i] == of[d] && shape[i] == shape[d] && low[d] != "nan" && low[i] != "nan") {
            if (low[i] < low[d]) low[d] = low[i]
            if (high[i] > high[d]) high[d] = high[i]
        }
        print "\nbest of all: " of[top] ", " shape[top] ", " gbps[top] " GB/s"
        if (!d) exit # too slow to be measured
        printf "default: %s, %s, %.1f %% of it%s: %s\n", of[d], shape[d], share[d], \
            low[d] == "nan" ? "" : sprintf(" (%.1f-%.1f)", low[d], high[d]), \
            of[top] shape[top] == of[d] shape[d] ? "the same" : about["rounds"] == 1 || low[d] == "nan" ? \
            "no spread known" : high[d] < 100 ? "slower" : "within the noise"
    }
'
tune() {
    grep -qs '^# group sizes:' "$1" || fail "$1: no such data; make tune STEP=07 measures it"
    awk "$columns$tune_table" "$1"
}

published() { # with a file in it: the folders of plots/results, one function after them
    file=$1 make=$2
    set --
    for folder in "$results"/*/; do
        for found in "$folder"$file; do
            [ ! -f "$found" ] || { set -- "$@" "${folder%/}"; break; }
        done
    done
    [ $# -eq 0 ] || "$make" "$@"
}

# README.md with each table between its markers made anew.
updated() {
    grep -q '^<!-- ladder -->' "$readme" || fail "$readme has no line <!-- ladder -->"
    { ladder_text=$(published '[0-9][0-9]_*.dat' ladder) && bench_text=$(published bench.dat bench) &&
        goals_text=$("$root/plots/goals.sh"); } || exit 2
    [ -n "$ladder_text" ] || fail "no measured data in $results: make plots RESULTS=plots/results/NAME DEVICE=NAME"
    LADDER=$ladder_text BENCH=$bench_text GOALS=$goals_text awk '
        /^<!-- \/(ladder|bench|goals) -->/ { skip = 0 }
        !skip { print }
        /^<!-- ladder -->/ { print ENVIRON["LADDER"]; skip = 1 }
        /^<!-- bench -->/ { print ENVIRON["BENCH"]; skip = 1 }
        /^<!-- goals -->/ { print ENVIRON["GOALS"]; skip = 1 }
        END { exit skip }' "$readme" || fail "$readme: a marker is not closed, as in <!-- /ladder -->"
}

case ${1:-} in
--readme | --check)
    [ $# -eq 1 ] || fail "$1 takes nothing behind it"
    [ -f "$readme" ] || fail "no $readme"
    new=$(mktemp)
    trap 'rm -f "$new"' EXIT
    updated >"$new"
    if [ "$1" = --check ]; then
        diff -u "$readme" "$new" || { echo "table.sh: $readme is not up to date: plots/table.sh --readme" >&2; exit 1; }
    else
        cat "$new" >"$readme"
    fi ;;
--bench)
    shift
    [ $# -gt 0 ] || fail "usage: plots/table.sh --bench RESULTS…"
    bench "$@" ;;
--tune)
    [ $# -eq 2 ] || fail "usage: plots/table.sh --tune DATA"
    tune "$2" ;;
'' | -*) fail "usage: plots/table.sh [--bench] RESULTS… | --tune DATA | --readme | --check" ;;
*) ladder "$@" ;;
esac
