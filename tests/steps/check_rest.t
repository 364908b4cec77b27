#!/bin/sh
# Checks the steps that have no check_NN.t, such as a new step. The other steps have one test each, so that make can start two
# tests at the same time.
cd "$(dirname "$0")" || exit 2
rest=
for source in ../../steps/[0-9][0-9]_*.c ../../steps/beyond/[0-9][0-9]_*.c; do
    number=${source##*/} number=${number%%_*}
    grep -q 'step_main(' "$source" || continue # other tests check the doctor and the capstones
    [ -e "check_$number.t" ] || rest="$rest $number"
done
# shellcheck disable=SC2086 # a list
exec ./check.pl $rest
