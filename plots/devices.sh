#!/bin/sh
# Prints the chosen devices, one a line: number, a tab, the folder of a user's own results on it.
#   plots/devices.sh [DEVICE…]      numbers, or parts of names that --list shows; without any: every CPU
set -eu

fail() { echo "devices.sh: $*" >&2; exit 2; }

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
[ -x "$root/step01" ] || fail "the programs are not built yet: make"
"$root/step01" --list | grep -q '^[0-9]' || fail "no OpenCL device: ./step00 says what is missing"

# A line is: 0  CPU  Platform [SUFFIX] / device, 2 compute units. The suffix is the platform's own short name.
choose() { # "" or what a user calls a device
    list=$("$root/step01" --list ${1:+--device "$1"}) || exit 2
    printf '%s\n' "$list" | WANTED=$1 HOST=$(uname -n) awk '
        function slug(text) {
            text = tolower(text)
            gsub(/[^a-z0-9]+/, "-", text)
            gsub(/^-|-$/, "", text)
            return text
        }
        {
            wanted = ENVIRON["WANTED"]
            name = $0
            sub(/^[0-9]+ +[^ ]+ +/, "", name)
            sub(/, [0-9]+ compute units$/, "", name)
            if (wanted == "" && $2 != "CPU")
                next
            platform = device = name
            sub(/ \/ .*/, "", platform)
            sub(/^.* \/ /, "", device)
            if (match(platform, /\[[^]]+\]/))
                platform = substr(platform, RSTART, RLENGTH)
            print $1 "\tresults/" slug(platform) "-" slug(device) "-" slug(ENVIRON["HOST"])
        }' | grep . || fail "no CPU among the OpenCL devices: name one of ./step01 --list"
}

[ $# -gt 0 ] || set -- ''
for wanted; do choose "$wanted"; done
