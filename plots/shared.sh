# What the scripts beside this one share; they read it with ".".
# shellcheck shell=bash disable=SC2154 # the names without a value are theirs

root=$(dirname -- "$plots")
SECONDS=0 # of progress

fail() { echo "${0##*/}: $*" >&2; exit 2; }

# What a command prints becomes a file when all of it is there. Until then its name is this run's own: another run may be
# writing the same file. Whatever ends a script, its trap on EXIT removes what is half written: some shells pass it over
# when a signal comes, unless that has a trap too.
unfinished=
whole() { # file, command
    unfinished=$1.$$.part
    shift
    "$@" >"$unfinished" && mv "$unfinished" "${unfinished%".$$.part"}"
}
trap 'rm -f "$unfinished"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

check_count() { case $2 in '' | 0* | *[!0-9]*) fail "$1=$2: must be a number of at least 1" ;; esac } # name, value
check_one_n() { case $n in *,*) fail "N=$n: must be one number such as 2^24" ;; esac }

# What of ours takes part, where the caller says it: steps and their variants.
check_ours() {
    local choice
    for choice in ${OURS:-}; do
        "$root/step${choice%%:*}" --variants 2>&1 | grep "^${choice#*:} " >/dev/null ||
            fail "OURS: $choice: must be a step and one of its variants, such as 11:tiles"
    done
}

# What devices.sh prints for $device; $results, if given, is for one.
chosen_devices() {
    [ -z "$results" ] || [ -n "$device" ] || fail "RESULTS is for one device: say which (./step01 --list shows them)"
    if [ -n "$device" ]; then "$plots/devices.sh" "$device"; else "$plots/devices.sh"; fi
}

# Of a device: its kind, compute units, largest group, and the GiB of its largest buffer.
device_facts() { # number
    "$root/step01" --facts --device "$1" | awk -F= '
        { fact[$1] = $2 }
        END { printf "%s %s %s %.2f\n", fact["kind"], fact["compute_units"], fact["group_limit"], fact["buffer_bytes"] / 2 ^ 30 }'
}

# What was measured stays without its pictures where there is no gnuplot.
pictures() { # folder, what is new of them
    if command -v gnuplot >/dev/null; then "$plots/draw.sh" "$1"; echo "picture: $1/$2"
    else echo "no picture: that needs gnuplot; then make draw RESULTS=$1"; fi
}

# Progress, on a terminal all in one line.
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }
time_left() { # done, of all: at the pace so far
    if [ "$1" -gt 0 ]; then echo ", $(clock $((SECONDS * ($2 - $1) / $1))) left"; fi
}
show() { if [ -t 2 ]; then printf '\r%s' "$1" >&2; else printf '%s\n' "$1" >&2; fi }
show_round() { # what, rows measured, rows in all: less than 80 columns
    show "$(printf 'round %d of %d  %-28.28s %6s%-14s' "$round" "$rounds" "$1" "$(clock $SECONDS)" \
        "$(time_left "$2" "$3")")"
}
say() { if [ -t 2 ]; then echo >&2; fi; printf '%s\n' "$1" >&2; }

# For awk, behind what is made of comments: a data file's columns by name, $at["n"]. For one file after the other, too.
# shellcheck disable=SC2034
columns_awk='
    FNR == 1 { split("", at); named = 0 }
    /^#/ { next }
    !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }'

# For awk: the numbers of a list in order, how many there are, and the middle one; what is missing (nan) does not count.
# Not every awk takes "nan" for a number: digits() is for what may be missing.
# shellcheck disable=SC2034
median_awk='
    function digits(x) { return x == "nan" ? x : sprintf("%.4g", x) }
    function sorted(list, parts,   count, i, j, swap) {
        gsub(/nan/, "", list)
        count = split(list, parts, " ")
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && parts[j - 1] + 0 > parts[j] + 0; j--) {
                swap = parts[j]; parts[j] = parts[j - 1]; parts[j - 1] = swap
            }
        return count
    }
    function median(list,   parts, count) {
        count = sorted(list, parts)
        return !count ? "nan" : (parts[int((count + 1) / 2)] + parts[int(count / 2) + 1]) / 2
    }'
