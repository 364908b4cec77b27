#!/usr/bin/env bash
# What the ladder's top was meant to reach, and what it reached on each published device: a table for README.md, made
# from committed data alone. Shares are medians; a range is over the sizes n, or over the rounds of bench.dat.
#   plots/goals.sh
set -euo pipefail
export LC_ALL=C # decimal points, whatever the locale
plots=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
results=$plots/results
. "$plots/shared.sh"

row() { line "$1" "$2" "$3" "$4" "${5:-}" "$(reached "$3" "$4")"; }
row_below() { line "$1" "$2" "$3" "$4" "${5:-}" "$(reached "$4" "$3")"; }
reached() { awk -v low="$1" -v high="$2" 'BEGIN { print (high - low >= -0.0005 ? "yes" : "no") }'; } # as printed
line() { # what, device, goal, measured, remark, reached
    printf '| %s | %s | %s | %s%s | %s |\n' "$1" "$2" "$3" "$4" "${5:+ ($5)}" "$6"
}

# Median over the rounds of one column of bench.dat, for the best of the rows that match.
bench() { # device, step (an expression), variant (an expression), column
    awk -v step="$2" -v variant="$3" -v column="$4" "$median_awk$columns_awk"'
        $at["step"] ~ step && $at["variant"] ~ variant { list[$at["step"] " " $at["variant"]] = list[$at["step"] " " $at["variant"]] " " $at[column] }
        END { for (row in list) if (median(list[row]) > best) { best = median(list[row]); name = row }
            if (best) printf "%.4g %s\n", best, name }' "$results/$1/bench.dat"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# The lowest and the highest of a column of a step's file, over the sizes from some n on.
over_n() { # file, from, column
    awk -v from="$2" -v column="$3" "$columns_awk"'
        $at["n"] >= from && $at["verdict"] == "right" {
            x = $at[column] / 100
            if (!rows++ || x < low) low = x
            if (x > high) high = x
        }
        END { if (rows) printf "%.3f %.3f\n", low, high }' "$1"
}

# The best step's share of the read limit, over the sizes from some n on: the lowest, at which n.
best_over_n() { # from, files
    local from=$1
    shift
    awk -v from="$from" "$columns_awk"'
        $at["n"] >= from { x = $at["percent_of_limit"] / 100; n = $at["n"]; if (x > best[n]) best[n] = x }
        END { for (n in best) if (!low || best[n] < low) { low = best[n]; where = n }
            if (low) printf "%.3f 2^%d\n", low, log(where) / log(2) + 0.5 }' "$@"
}

# The best launched step's wall time over the floor, an empty launch and the bytes at the read limit: the worst n.
over_floor() { # folder
    awk "$columns_awk"'
        $at["n"] >= 1024 { x = $at["wall_med"] / $at["floor_seconds"]; n = $at["n"]; if (!(n in best) || x < best[n]) best[n] = x }
        END { for (n in best) if (best[n] > worst) { worst = best[n]; where = n }
            if (worst) printf "%.3f 2^%d\n", worst, log(where) / log(2) + 0.5 }' \
        "$1"/0[2-9]_*.sum.int.dat "$1"/10_*.sum.int.dat
}

# Theirs over our best, by wall time or span, over a range of n: lowest, where, highest, at how many n the goal is held.
# With a step's file its span is taken, measured apart, instead of the best in turn.
against() { # file, peer, column, from, to, goal, [step's file]
    awk -v peer="$2" -v column="$3" -v from="$4" -v to="$5" -v goal="$6" -v apart="${7:+yes}" "$columns_awk"'
        $at["n"] < from || $at["n"] > to { next }
        "span_med" in at { best[$at["n"]] = $at["span_med"]; next }
        $at[column] == "nan" || (apart && $at["kind"] == "ours") { next }
        # What finishes on the host is not in the span of the kernels.
        column == "span" && $at["program"] ~ /^(03|04|08)_/ { next }
        $at["kind"] == "ours" && (!($at["n"] in best) || $at[column] < best[$at["n"]]) { best[$at["n"]] = $at[column] }
        $at["kind"] == "peer" && $at["program"] == peer { theirs[$at["n"]] = $at[column] }
        END {
            for (n in theirs) if (n in best) {
                x = theirs[n] / best[n]
                if (!rows++ || x < low) { low = x; where = n }
                if (x > high) high = x
                held += x >= goal - 0.0005
            }
            if (rows) printf "%.3f 2^%d %.3f %d of %d\n", low, log(where) / log(2) + 0.5, high, held, rows
        }' "$1" ${7:+"$7"}
}

echo '| what | device | goal | measured | reached |'
echo '| --- | --- | ---: | --- | --- |'
portable=() grid_stride=()
for device in pocl intel-cpu; do
    [ -f "$results/$device/bench.dat" ] || continue
    read -r best name < <(bench "$device" '^(0[2-9]|10)$' . percent_of_limit)
    row 'best step / read limit, int sum, n = 2^27' "$device" 0.97 "$(ratio "$best" 100)" "$name"
    read -r best name < <(bench "$device" '^(0[2-9]|10)$' . GBps)
    read -r other _ < <(bench "$device" "^00$" . GBps)
    row 'best step / OpenMP simd, int sum, n = 2^27' "$device" 1 "$(ratio "$best" "$other")" "$name"
    read -r best name < <(bench "$device" '^10$' . percent_of_limit)
    row 'step 10 / read limit, int sum, n = 2^27' "$device" 0.97 "$(ratio "$best" 100)" "$name"
    read -r best name < <(bench "$device" '^10$' '^one_launch$' percent_of_limit)
    row 'step 10 in plain loads / read limit, int sum, n = 2^27' "$device" 0.95 "$(ratio "$best" 100)" "$name"
    portable+=("$best")
    read -r best _ < <(bench "$device" '^06$' '^commutative$' percent_of_limit)
    grid_stride+=("$best")
    read -r low where < <(best_over_n $((1 << 26)) "$results/$device"/{08,10}_*.min.float.dat)
    row 'best step / read limit, float min, n >= 2^26' "$device" 0.97 "$low" "at $where"
    read -r high where < <(over_floor "$results/$device")
    row_below 'best step / (empty launch + bytes / limit), wall, n >= 2^10' "$device" 1.25 "$high" "at $where, the worst"
    for what in sum.int min.float; do
        file=$results/$device/peers/$what.dat
        for peer in openmp std_reduce clblast; do
            read -r low where high held < <(against "$file" "$peer" wall $((1 << 26)) $((1 << 40)) 1 || true) || continue
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
    against_cub() { # column, goal, from, to, what is compared, [step's file]
        local file=$results/$device/peers/$what.dat
        [ "$1" = wall ] || file=$results/$device/spans/$what.dat
        read -r low where high held < <(against "$file" cub "$1" $((1 << $3)) $((1 << $4)) "$2" "${6:-}" || true) || return 0
        row "CUB / $5 by $1, ${what/./ of }, 2^$3 to 2^$4" "$device" "$2" "$low" "at $where, up to $high; held at $held sizes"
    }
    for what in sum.int min.float; do
        for column in span wall; do
            against_cub $column 1 10 28 'best step'
            against_cub $column 1.15 10 25 'best step'
        done
    done
    what=sum.int
    against_cub span 1 29 30 'best step'
    for range in '1 10 28' '1.15 10 25' '1 29 30'; do
        # shellcheck disable=SC2086 # three words
        against_cub span $range 'step 09 one_word, apart,' "$results/$device/09_one_word.sum.int.dat"
    done
    read -r low high < <(over_n "$results/$device/10_one_launch.sum.int.dat" $((1 << 27)) kernel_percent)
    row 'step 10 in plain loads / read limit by span, int sum, n >= 2^27' "$device" 0.95 "$low" "up to $high"
    portable+=("$(awk -v x="$low" 'BEGIN { print 100 * x }')")
    read -r low high < <(over_n "$results/$device/06_commutative.sum.int.dat" $((1 << 27)) kernel_percent)
    grid_stride+=("$(awk -v x="$low" 'BEGIN { print 100 * x }')")
fi
harmonic_mean() { printf '%s\n' "$@" | awk '{ sum += 1 / $1; n++ } END { printf "%.3f", n / sum / 100 }'; }
row 'step 10 in plain loads (one_launch), harmonic mean of the shares' all 0.96 "$(harmonic_mean "${portable[@]}")"
line 'step 06 on the same devices, to compare' all - "$(harmonic_mean "${grid_stride[@]}")" '' -
