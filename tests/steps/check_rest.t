#!/bin/sh
# The steps without a check_NN.t, which the others have so that two of them can run side by side: a new step is checked here.
cd "$(dirname "$0")" || exit 2
rest=
for source in ../../steps/[0-9][0-9]_*.c ../../steps/beyond/[0-9][0-9]_*.c; do
    number=${source##*/} number=${number%%_*}
    grep -q 'step_main(' "$source" || continue # the doctor and capstones have tests of their own
    [ -e "check_$number.t" ] || rest="$rest $number"
done
# shellcheck disable=SC2086 # a list
exec ./check.pl $rest
