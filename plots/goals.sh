#!/usr/bin/env bash
# What the ladder's top was meant to reach, and what it reached on each published device: a table for README.md, made
# from committed data alone. Shares are medians; a range is over the sizes n, or over the rounds of bench.dat.
#   plots/goals.sh
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale
plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
results=$plots/results
. "$plots/shared.sh"

row() { # what, device, goal, measured, remark
    local reached
    reached=$(awk -v goal="$3" -v got="$4" 'BEGIN { print (got + 0 >= goal - 0.0005 ? "yes" : "no") }')
    printf '| %s | %s | %s | %s%s | %s |\n' "$1" "$2" "$3" "$4" "${5:+ ($5)}" "$reached"
}

# Median over the rounds of one column of bench.dat, for the best of the rows that match.
bench() { # device, step (an expression), variant (an expression), column
    awk -v step="$2" -v variant="$3" -v column="$4" "$median_awk"'
        /^#/ { next }
        !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }
        $at["step"] ~ step && $at["variant"] ~ variant { list[$at["step"] " " $at["variant"]] = list[$at["step"] " " $at["variant"]] " " $at[column] }
        END { for (row in list) if (median(list[row]) > best) { best = median(list[row]); name = row }
            if (best) printf "%.4g %s\n", best, name }' "$results/$1/bench.dat"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# The lowest and the highest of a column of a step's file, over the sizes from some n on.
over_n() { # file, from, column
    awk -v from="$2" -v column="$3" '
        /^#/ { next }
        !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }
        $at["n"] >= from && $at["verdict"] == "right" {
            x = $at[column] / 100
            if (!rows++ || x < low) low = x
            if (x > high) high = x
        }
        END { if (rows) printf "%.3f %.3f\n", low, high }' "$1"
}

# Theirs over our best, by wall time or span, over a range of n: lowest, where, highest.
against() { # file, peer, column, from, to
    awk -v peer="$2" -v column="$3" -v from="$4" -v to="$5" '
        /^#/ { next }
        !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }
        $at["n"] < from || $at["n"] > to || $at[column] == "nan" { next }
        $at["kind"] == "ours" && (!($at["n"] in best) || $at[column] < best[$at["n"]]) { best[$at["n"]] = $at[column] }
        $at["kind"] == "peer" && $at["program"] == peer { theirs[$at["n"]] = $at[column] }
        END {
            for (n in theirs) if (n in best) {
                x = theirs[n] / best[n]
                if (!rows++ || x < low) { low = x; where = n }
                if (x > high) high = x
            }
            if (rows) printf "%.3f 2^%d %.3f\n", low, log(where) / log(2) + 0.5, high
        }' "$1"
}

echo '| what | device | goal | measured | reached |'
echo '| --- | --- | ---: | --- | --- |'
portable=()
for device in pocl intel-cpu; do
    [ -f "$results/$device/bench.dat" ] || continue
    read -r best name < <(bench "$device" '^(0[2-9]|10)$' . percent_of_limit)
    row 'best step / read limit, int sum, n = 2^27' "$device" 0.97 "$(ratio "$best" 100)" "$name"
    read -r best name < <(bench "$device" '^(0[2-9]|10)$' . GBps)
    read -r other _ < <(bench "$device" "^00$" . GBps)
    row 'best step / OpenMP simd, int sum, n = 2^27' "$device" 1 "$(ratio "$best" "$other")" "$name"
    read -r best name < <(bench "$device" '^10$' . percent_of_limit)
    row 'step 10 / read limit, int sum, n = 2^27' "$device" 0.97 "$(ratio "$best" 100)" "$name"
    read -r best name < <(bench "$device" '^10$' '^(plain|one_launch)$' percent_of_limit)
    row 'step 10 in plain loads / read limit, n = 2^27' "$device" 0.95 "$(ratio "$best" 100)" "$name"
    portable+=("$best")
    for what in sum.int min.float; do
        file=$results/$device/peers/$what.dat
        [ -f "$file" ] || continue
        for peer in openmp std_reduce; do
            read -r low where high < <(against "$file" "$peer" wall $((1 << 26)) $((1 << 40)) || true) || continue
            row "$peer / best step, ${what/./ of }, n >= 2^26" "$device" 1 "$low" "at $where, up to $high"
        done
    done
done
device=h200
if [ -d "$results/$device" ]; then
    for file in 07_one_launch 10_one_launch; do
        for what in sum.int sum.float min.float; do
            read -r low high < <(over_n "$results/$device/$file.$what.dat" $((1 << 29)) kernel_percent)
            row "step ${file%%_*} / read limit by span, ${what/./ of }, n >= 2^29" "$device" 0.99 "$low" "up to $high"
        done
    done
    for what in sum.int min.float; do
        file=$results/$device/peers/$what.dat
        for column in span wall; do
            read -r low where high < <(against "$file" cub "$column" 1024 $((1 << 28)))
            row "CUB / best step by $column, ${what/./ of }, 2^10 to 2^28" "$device" 1 "$low" "at $where, up to $high"
            read -r low where high < <(against "$file" cub "$column" 1024 $((1 << 25)))
            row "CUB / best step by $column, ${what/./ of }, up to 2^25" "$device" 1.15 "$low" "at $where, up to $high"
        done
    done
    read -r low high < <(over_n "$results/$device/10_one_launch.sum.int.dat" $((1 << 27)) kernel_percent)
    row 'step 10 in plain loads / read limit by span, n >= 2^27' "$device" 0.95 "$low" "up to $high"
    portable+=("$(awk -v x="$low" 'BEGIN { print 100 * x }')")
fi
row 'the same text on all of them: harmonic mean' all 0.96 "$(printf '%s\n' "${portable[@]}" |
    awk '{ sum += 1 / $1; n++ } END { printf "%.3f", n / sum / 100 }')"
