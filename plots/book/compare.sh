#!/bin/sh
# `make compare RESULTS="a b c"` shows results folders, such as those of the participants of a
# workshop, in one table and one chart: for each step the percent of the read limit of its device.
# The script writes a link to each folder into results/compare/.
set -eu
[ $# -ge 2 ] || { echo 'compare.sh: needs at least two folders: make compare RESULTS="results/a results/b"' >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
for folder; do
    ls "$folder"/[0-9][0-9]_*.sum.int.dat >/dev/null 2>&1 || {
        echo "compare.sh: $folder: not a results folder: it has no .dat file of a step; make plots writes one" >&2
        exit 2
    }
done
into=$root/results/compare
new=$into.part
trap 'rm -rf "$new"' EXIT
rm -rf "$new"
mkdir -p "$new"
for folder; do
    path=$(realpath "$folder")
    name=$(basename "$path" | tr ' ' _)
    while [ -e "$new/$name" ]; do name=${name}_; done # two folders may have the same name
    ln -s "$path" "$new/$name"
done
"$root/plots/table.py" "$@" >/dev/null # so that an error message has the path that the user typed
"$root/plots/table.py" "$new"/*/
"$root/plots/draw.py" "$new"
rm -rf "$into"
mv "$new" "$into"
echo "$into/all_devices.svg"
