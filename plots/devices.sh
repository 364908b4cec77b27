#!/bin/sh
# Prints the chosen devices, one a line: number, a tab, the folder of a user's own results on it.
#   plots/devices.sh [DEVICE…]      numbers, or parts of names that --list shows; without any: every CPU
set -eu

fail() { echo "devices.sh: $*" >&2; exit 2; }

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
[ -x "$root/step01" ] || fail "the programs are not built yet: make"
list=$("$root/step01" --list) || fail "step01 --list failed"
case $list in [0-9]*) ;; *) fail "$list" ;; esac

# A line is: 0  CPU  Platform [SUFFIX] / device, 2 compute units. The suffix is the platform's own short name.
choose() { # "" or what a user calls a device
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
            number = wanted ~ /^[0-9]+$/
            if (wanted == "" ? $2 != "CPU" : number ? $1 != wanted : !index(tolower(name), tolower(wanted)))
                next
            platform = device = name
            sub(/ \/ .*/, "", platform)
            sub(/^.* \/ /, "", device)
            if (match(platform, /\[[^]]+\]/))
                platform = substr(platform, RSTART, RLENGTH)
            print $1 "\tresults/" slug(platform) "-" slug(device) "-" slug(ENVIRON["HOST"])
            if (wanted != "")
                exit # as the programs do: the first that fits
        }' | grep . || {
        [ -n "$1" ] || fail "no CPU among the OpenCL devices: name one of ./step01 --list"
        fail "no device '$1': ./step01 --list shows them"
    }
}

[ $# -gt 0 ] || set -- ''
for wanted; do choose "$wanted"; done
