#!/usr/bin/env bash
# What the ladder's top was meant to reach, and what it reached on each published device: a table for README.md, made
# from committed data alone. Shares and ratios are of medians over the rounds, or over a run's repetitions.
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

# For awk: the exponent of a power of two.
exponent_awk='
    function exponent(n) { return int(log(n) / log(2) + 0.5) }
'

# The share of the read limit in a bench.dat, by wall time, median over the rounds, of the best of the rows that match;
# which one that is, the lowest and the highest round, and last the share by its kernel's time, as the limit is one.
bench() { # its folder, step (an expression), variant (an expression)
    awk -v step="$2" -v variant="$3" "$median_awk$columns_awk"'
        $at["step"] ~ step && $at["variant"] ~ variant {
            row = $at["step"] " " $at["variant"]
            list[row] = list[row] " " $at["percent_of_limit"] / 100
            if ("kernel_percent" in at) kernel[row] = kernel[row] " " $at["kernel_percent"] / 100
        }
        END {
            for (row in list) if (median(list[row]) > best) { best = median(list[row]); name = row }
            count = sorted(list[name], parts)
            if (!best) exit
            printf "%.3f %s; rounds %.3f to %.3f", best, name, parts[1], parts[count]
            print (name in kernel ? sprintf("; its kernel %.3f", median(kernel[name])) : "")
        }' "$1/bench.dat"
}

# The lowest and the highest of a column of a step's file, over the sizes from some n on; which sizes these are.
over_n() { # file, from, column
    awk -v from="$2" -v column="$3" "$exponent_awk$columns_awk"'
        $at["n"] >= from {
            x = $at[column] / 100
            if (!rows++ || x < low) low = x
            if (x > high) high = x
            if ($at["n"] > last) last = $at["n"] + 0
        }
        END { if (rows) printf "%.3f up to %.3f; %d sizes, to 2^%d\n", low, high, rows, exponent(last) }' "$1"
}

# The lowest share of the read limit by span over the sizes from n on: of the best variant of a step, and of its others.
best_over_n() { # folder, step, operator.type, n
    local file shares
    shares=$(for file in "$1/$2"_*."$3".dat; do
        read -r low high < <(over_n "$file" "$4" kernel_percent) || continue
        name=${file##*/"$2"_}
        echo "$low ${name%%.*} $high"
    done | sort -rn)
    awk 'NR == 1 { printf "%s %s, %s", $1, $2, substr($0, length($1 $2) + 3); next }
        { printf "%s%s %s", NR == 2 ? "; the others: " : ", ", $2, $1 }' <<<"$shares"
    echo
}

# Our best step's wall time over the floor that was measured beside it, an empty launch and the bytes at the read limit:
# the worst n, how far the rounds would let it be there, at how many n the goal is held.
over_floor() { # file of peers, goal
    awk -v goal="$2" "$exponent_awk"'/^# rounds: / { rounds = $3 }'"$columns_awk"'
        $at["kind"] == "ours" && (!($at["n"] in wall) || $at["wall"] < wall[$at["n"]]) {
            n = $at["n"]; wall[n] = $at["wall"]; over[n] = $at["wall"] / $at["floor"]
            low[n] = $at["wall_low"] / $at["floor"]; high[n] = $at["wall_high"] / $at["floor"]
        }
        END {
            for (n in over) {
                sizes++
                held += over[n] <= goal + 0.0005
                if (over[n] > worst) { worst = over[n]; where = n }
            }
            printf "%.3f at 2^%d, the worst, %d rounds: %.3f to %.3f; held at %d of %d sizes\n", worst, exponent(where), \
                rounds, low[where], high[where], held, sizes
        }' "$1"
}

# Theirs over our best, by wall time or span, over a range of n: the lowest, where, by which of ours, how far the rounds
# would let it be there, the highest, at how many n the goal is held. Of an n in two files the first one counts.
against() { # peer, column, from, to, goal, files
    awk -v peer="$1" -v column="$2" -v from="$3" -v to="$4" -v goal="$5" \
        "$exponent_awk"'/^# rounds: / { rounds[FILENAME] = $3 }'"$columns_awk"'
        { if (!($at["n"] in source)) source[$at["n"]] = FILENAME; else if (source[$at["n"]] != FILENAME) next }
        $at["n"] < from || $at["n"] > to || $at[column] == "nan" { next }
        # What finishes on the host is not in the span of the kernels.
        column == "span" && $at["program"] ~ /^(03|04|08)_/ { next }
        { n = $at["n"]; spread = (column "_low") in at }
        spread { low = $at[column "_low"]; high = $at[column "_high"] }
        $at["kind"] == "ours" && (!(n in best) || $at[column] < best[n]) {
            best[n] = $at[column]; best_low[n] = low; best_high[n] = high
            name[n] = substr($at["program"], 1, 2) " " $at["variant"]
        }
        $at["kind"] == "peer" && $at["program"] == peer { theirs[n] = $at[column]; their_low[n] = low; their_high[n] = high }
        END {
            for (n in theirs) if (n in best) {
                x = theirs[n] / best[n]
                if (!sizes++ || x < least) { least = x; where = n }
                if (x > most) most = x
                held += x >= goal - 0.0005
            }
            if (!sizes) exit
            many = rounds[source[where]]
            text = name[where] ", " (many == 1 ? "one round" : many " rounds")
            if (spread && many > 1)
                text = sprintf("%s: %.3f to %.3f", text, their_low[where] / best_high[where], their_high[where] / best_low[where])
            printf "%.3f at 2^%d, %s; up to %.3f; held at %d of %d sizes\n", least, exponent(where), text, most, held,
                sizes
        }' "${@:6}"
}

# A peer's lowest share of the read limit by wall time, over the sizes n from 2^27 on, of elements of 4 bytes.
peer_share() { # file of peers, peer, a file of ours, which has the limit
    awk -v peer="$2" "$median_awk$columns_awk"'
        "limit_GBps" in at { limits[$at["n"]] = limits[$at["n"]] " " $at["limit_GBps"]; next }
        $at["program"] == peer && $at["n"] >= 2 ^ 27 && $at["n"] in limits {
            x = 4e-9 * $at["n"] / $at["wall"] / median(limits[$at["n"]])
            if (!rows++ || x < low) low = x
        }
        END { if (rows) printf "%.4f\n", low }' "$3" "$1"
}

# Which steps were right, for each n: operators with the same steps together. From `$ ./step02 --check …` and its TAP.
right_at() { # file
    awk '
        $1 == "$" { step = substr($2, 7); for (i = 3; i < NF; i++) option[$i] = $(i + 1); next }
        /^ok / && !/ SKIP / {
            what = option["--n"] "\t" option["--op"] "\t" option["--type"]
            if (!(what in steps)) order[++count] = what
            if (!seen[what, step]++) steps[what] = steps[what] " " step
        }
        END {
            for (i = 1; i <= count; i++) {
                split(order[i], part, "\t")
                row = part[1] "\t%s\tsteps" steps[order[i]]
                if (!(row in list)) rows[++many] = row
                list[row] = list[row] (op[row] == part[2] ? ", " : (list[row] ? "; " : "") part[2] " of ") part[3]
                op[row] = part[2]
            }
            for (i = 1; i <= many; i++) printf rows[i] "\n", list[rows[i]]
        }' "$1"
}

echo '| what | device | goal | measured | reached |'
echo '| --- | --- | ---: | --- | --- |'
portable=() plain=() grid_stride=() clblast=()
cd "$results"
for device in *; do # CPUs: those with rounds at large n
    [ -f "$device/large/sum.int.27/bench.dat" ] || continue
    for what in sum.int.26 sum.int.27 sum.int.28 min.float.26 min.float.27 min.float.28; do
        read -r best name < <(bench "$device/large/$what" '^(0[1-9]|[1-9].)$' .) # but for 00, a peer
        case $what in sum*) text='int sum' ;; *) text='float min' ;; esac
        row "best step / read limit, $text, n = 2^${what##*.}" "$device" 0.97 "$best" "$name"
        [[ $device == intel* ]] || continue
        read -r best name < <(bench "$device/large/$what" '^11$' .)
        row "step 11 / read limit, $text, n = 2^${what##*.}" "$device" 0.97 "$best" "$name"
    done
    kernels=()
    for what in sum.int.27 sum.int.28; do
        for step in 10 11; do
            read -r best name < <(bench "$device/large/$what" "^$step\$" '^streams$') || continue # not measured
            row "step $step streams / read limit, int sum, n = 2^${what##*.}" "$device" 0.95 "$best" "$name"
        done
        kernels+=("${name##*its kernel }")
    done
    portable+=("$(printf '%s\n' "${kernels[@]}" | sort -n | head -n 1)")
    read -r best name < <(bench "$device" '^10$' '^plain$')
    plain+=("$best")
    row 'step 10 plain, one element at a time, / read limit, int sum, n = 2^27' "$device" 0.95 "$best" "$name"
    read -r best _ < <(bench "$device" '^06$' '^commutative$')
    grid_stride+=("$best")
    clblast+=("$(peer_share "$device/peers/sum.int.dat" clblast "$device/bench.dat")")
    for what in sum.int min.float; do
        file=$device/floor/peers/$what.dat # more rounds, where they were measured
        [ -f "$file" ] || file=$device/peers/$what.dat
        read -r high where < <(over_floor "$file" 1.25)
        row_below "best step / (empty launch + bytes / limit), wall, ${what/./ of }, n >= 2^10" "$device" 1.25 "$high" "$where"
        for peer in openmp std_reduce clblast; do
            file=$device/large/peers/$what.dat # more rounds, where they were measured
            grep -qs "^peer $peer " "$file" || file=$device/peers/$what.dat
            read -r low where < <(against "$peer" wall $((1 << 26)) $((1 << 40)) 1 "$file")
            row "$peer / best step, ${what/./ of }, n >= 2^26" "$device" 1 "$low" "$where"
        done
    done
done
for device in *; do # GPUs: those checked at large n and measured beside CUB
    { [ -f "$device/large/check.txt" ] && [ -d "$device/cub/peers" ]; } || continue
    for what in sum.int sum.float min.float; do
        read -r low text < <(best_over_n "$device" 11 $what $((1 << 29)))
        row "step 11 / read limit by span, ${what/./ of }, n >= 2^29" "$device" 0.99 "$low" "$text"
    done
    against_cub() { # folder, column, goal, from, to
        files=("$device/$1/$what.dat")
        more=$device/floor/peers/$what.dat # more rounds, where they were measured
        if grep -qs '^peer cub ' "$more"; then files=("$more" "${files[@]}"); fi
        read -r low where < <(against cub "$2" $((1 << $4)) $((1 << $5)) "$3" "${files[@]}")
        row "CUB / best step by $2, ${what/./ of }, 2^$4 to 2^$5" "$device" "$3" "$low" "$where"
    }
    for what in sum.int min.float; do
        for column in span wall; do
            against_cub cub/peers $column 1 10 28
            against_cub cub/peers $column 1.15 10 25
        done
        to=$(awk "$exponent_awk"'$2 == "cub" { n = $4 } END { print exponent(n) }' "$device/large/peers/$what.dat")
        against_cub large/peers span 1 29 $to
    done
    for step in 10 11; do
        [ -f "$device/${step}_streams.sum.int.dat" ] || continue
        read -r low high < <(over_n "$device/${step}_streams.sum.int.dat" $((1 << 27)) kernel_percent)
        row "step $step streams / read limit by span, int sum, n >= 2^27" "$device" 0.95 "$low" "$high"
    done
    portable+=("$low")
    read -r low high < <(over_n "$device/06_commutative.sum.int.dat" $((1 << 27)) kernel_percent)
    grid_stride+=("$low")
    clblast+=("$(peer_share "$device/peers/sum.int.dat" clblast "$device/11_streams.sum.int.dat")")
    read -r low high < <(over_n "$device/10_plain.sum.int.dat" $((1 << 27)) kernel_percent)
    row 'step 10 plain, one element at a time, / read limit by span, int sum, n >= 2^27' "$device" 0.95 "$low" "$high"
    plain+=("$low")
    while IFS=$'\t' read -r n what steps; do
        line "right at $n: $what" "$device" - "$steps" '' -
    done < <(right_at "$device/large/check.txt")
done
harmonic_mean() { printf '%s\n' "$@" | awk '{ sum += 1 / $1; n++ } END { printf "%.3f", n / sum }'; }
row 'step 11 streams, one text for every device, harmonic mean of the lowest shares, by kernel' all 0.96 "$(harmonic_mean "${portable[@]}")"
row 'step 10 plain, by wall time on CPUs' all 0.96 "$(harmonic_mean "${plain[@]}")"
line 'step 06 on the same devices, by wall time on CPUs, to compare' all - "$(harmonic_mean "${grid_stride[@]}")" '' -
line 'CLBlast on the same devices, sum of float by wall time, to compare' all - "$(harmonic_mean "${clblast[@]}")" '' -
