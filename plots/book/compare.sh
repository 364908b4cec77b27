#!/bin/sh
# `make compare RESULTS="a b c"` shows results folders, such as those of a workshop's participants, in one table and one chart: each
# step's percent of the read limit of its own device. results/compare/ gets a link to each folder.
set -eu
[ $# -ge 2 ] || { echo 'compare.sh: needs at least two folders: make compare RESULTS="results/a results/b"' >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
for folder; do
    ls "$folder"/[0-9][0-9]_*.sum.int.dat >/dev/null 2>&1 || {
        echo "compare.sh: $folder: no results folder, as make plots writes one: it has no .dat file of a step" >&2
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
"$root/plots/table.py" "$@" >/dev/null # an error names the file by the path that the user gave
"$root/plots/table.py" "$new"/*/
"$root/plots/draw.py" "$new"
rm -rf "$into"
mv "$new" "$into"
echo "$into/all_devices.svg"
