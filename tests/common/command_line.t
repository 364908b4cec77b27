#!/usr/bin/env -S bash -c 'command -v bats >/dev/null || exec echo "1..0 # SKIP no bats"; set -o pipefail; bats --tap "$0" | sed -un -e "/^#/w /dev/stderr" -e "/^#/!p"'
# Tests the command line: exit statuses (0: right result, 1: wrong result, 2: wrong usage or set-up, 77: not supported here), and
# one clear line for each failure. `make test` tries each kind of refusal, but it skips the tests that call skip_unless_test_all,
# because they compile many kernels; it tries kernels that are wrong or that print on the first device only.
#
# Bats prints why a test fails as a comment on standard output, which prove does not show. So the first line of this file moves
# comments to standard error.
#
# Bats ends a test at the first command that fails. But it does not notice a failure of `! command`, of any but the last command
# of `a && b` or `a | b`, or of a command inside a condition. So each line has one command. A command that must fail is called by
# bats' `run`, and the next line tests its status.

setup_file() {
    unset REDUCE_DEVICE REDUCE_KERNELS
    export LC_ALL=C root
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export devices steps
    steps=$(cd "$root/steps" && grep -l 'step_main(' [0-9][0-9]_*.c | sed 's/_.*//')
    "$root/step01" --list >"$BATS_FILE_TMPDIR/list"
    devices=$(grep -c 'compute units' "$BATS_FILE_TMPDIR/list" || true) # grep fails if it counts 0
}

setup() { # each test has its own working folder, which bats removes
    work="$BATS_TEST_TMPDIR/with a space"
    mkdir -p "$work"
    cd "$work"
    # Tests without a device have "no device" in their names.
    if [ "$devices" -eq 0 ] && [[ "$BATS_TEST_DESCRIPTION" != *"no device"* ]]; then
        skip "no OpenCL device"
    fi
}

# try STATUS step05 options...: calls the step, writes ./out and ./err, and fails if the exit status is not STATUS. Bats shows the
# command and its output if the test fails.
try() {
    local expected=$1 program=$2 status=0
    shift 2
    "$root/$program" "$@" >out 2>err || status=$?
    echo "$program $*: exit $status, expected $expected"
    sed 's/^/    /' out err
    [ "$status" -eq "$expected" ]
}

in_test_all() {
    [ -n "${TEST_ALL-}${FULL-}" ]
}

skip_unless_test_all() {
    if ! in_test_all; then skip "only make test-all tries it"; fi
}

list_some_devices() { # in `make test` only the first, because each further device compiles the same kernels once more
    if in_test_all; then seq 0 $((devices - 1)); else echo 0; fi
}

use_fastest_device() { # for tests that do not depend on the device: pocl starts fastest
    if grep -q POCL "$BATS_FILE_TMPDIR/list"; then export REDUCE_DEVICE=pocl; fi
}

has_row() { # does ./out contain a row of the table, that is, times?
    grep -Eq '[0-9] (ns|us|ms|s)( |$)' out
}

has_no_row() {
    run has_row
    [ "$status" -eq 1 ]
}

# expect_refusal STATUS WORD step05 options...: expects this exit status, one line with this word on standard error, and no row.
# On a busy machine a judge may also print that it is still waiting, after five seconds.
expect_refusal() {
    local expected=$1 word=$2
    shift 2
    try "$expected" "$@"
    [ "$(grep -vc '^judge..: still waiting for the kernel' err)" -eq 1 ]
    grep -q -e "$word" err
    has_no_row
}

count_processes() { # how many processes in this folder have $1.cl on their command line?
    for process in /proc/[0-9]*; do
        if [ "$process/cwd" -ef . ]; then cat "$process/cmdline" 2>/dev/null || true; fi
    done | tr '\0' '\n' | grep -c -e "^\(./\)\?${1}[.]cl\$" || true
}

wait_until() { # for a minute at most, until $1 processes judge endless.cl
    for _ in $(seq 600); do
        if [ "$(count_processes endless)" -eq "$1" ]; then
            return 0
        fi
        sleep 0.1
    done
    return 1
}

quick=(--n 1000 --reps 3 --seconds 0 --warm)

@test "--help, --version, --variants and --list print something and exit 0, even if there is no device" {
    mkdir none
    for step in $steps; do
        for option in --help --version --variants --list; do
            for program in step$step judge$step; do
                OCL_ICD_VENDORS=$work/none try 0 $program $option
                [ -s out ]
                [ ! -s err ]
            done
        done
    done
}

@test "--list names every device, numbered from 0" {
    try 0 step01 --list
    [ "$(grep -c '' out)" -eq "$devices" ]
    [ "$(sed -n '1s/ .*//p' out)" = 0 ]
}

@test "--help names every option of the command line" {
    common='list facts variants help version device variant op type n sweep group groups width subgroups timeout seed force'
    try 0 step05 --help
    for option in $common reps seconds limit-seconds warm evict out kernel; do
        echo "--$option"
        grep -q -e "--$option\b" out
    done
    [ "$(grep -c '^  --' out)" -eq 25 ]
    try 0 judge05 --help
    for option in $common tap races; do
        echo "--$option"
        grep -q -e "--$option\b" out
    done
    [ "$(grep -c '^  --' out)" -eq 20 ]
    grep -q '^usage: judge05 .*FILE.cl' out
}

@test "a right result: exit 0, one row, nothing on standard error" {
    try 0 step05 "${quick[@]}"
    [ ! -s err ]
    has_row
}

@test "--warm and --evict: the line above the rows says how the cache is cleared, and the data file how many bytes are written" {
    try 0 step05 "${quick[@]}" --out warm
    grep -q ', warm cache$' out
    grep -qx '# evicted bytes: 0' warm/*.dat
    try 0 step05 --n 1000 --reps 3 --seconds 0 --evict 100 --out cold # whole vectors of 16 bytes
    grep -q ', cache cleared by 96 B$' out
    grep -qx '# evicted bytes: 96' cold/*.dat
    expect_refusal 2 'choose one' step05 --warm --evict 1000
}

@test "no OpenCL platform, so no device: one line that says what to install, exit 2" {
    mkdir none
    OCL_ICD_VENDORS=$work/none expect_refusal 2 'make deps' step05
    OCL_ICD_VENDORS=$work/none expect_refusal 2 'make deps' judge01
    OCL_ICD_VENDORS=$work/none expect_refusal 2 'make deps' judge01 --tap
}

@test "a platform without devices does not hide other platforms" {
    others=$(POCL_DEVICES=nosuch "$root/step01" --list | grep -c 'compute units' || true)
    if [ "$others" -eq "$devices" ]; then skip "no pocl here whose device the test could hide"; fi
    if [ "$others" -eq 0 ]; then skip "pocl is the only runtime here"; fi
    export POCL_DEVICES=nosuch
    try 0 step01 --list
    run grep -i pocl out
    [ "$status" -eq 1 ]
    try 0 step03 "${quick[@]}"
    expect_refusal 2 pocl step03 --device pocl
}

# Calls a function of Steps.pm, and prints what it returns. Bats removes the folders that it makes, so Perl must not (_exit).
call_in_perl() {
    TMPDIR=$BATS_TEST_TMPDIR perl -I "$root/tests" -MSteps -MPOSIX=_exit \
        -e '$| = 1; my $function = shift; print &$function(@ARGV); _exit(0)' "$@"
}

hide_tools() {
    PATH=$(call_in_perl hide_tools "$@")
}

hide_oclgrind() { # or makes a library take its place
    OCL_ICD_VENDORS=$(call_in_perl make_vendors "$@")
    export OCL_ICD_VENDORS
}

has_oclgrind() {
    python3 "$root/common/judge/oclgrind.py" true
}

needs_oclgrind() {
    if ! has_oclgrind; then skip "no Oclgrind"; fi
}

@test "--races: exit 0 if nothing is found, 77 if Oclgrind is missing or lacks a function, 2 for an option without effect" {
    skip_unless_test_all
    local path=$PATH
    hide_tools setpriv
    expect_refusal 77 'make deps' judge06 --races
    PATH=$path
    mkdir none
    OCL_ICD_VENDORS=$work/none expect_refusal 77 'make deps' judge06 --races
    needs_oclgrind
    try 0 judge06 --races --n 100
    grep -q 'nothing found' out
    try 77 judge09 --races --variant work_group
    grep -q 'work_group_reduce' out
    expect_refusal 2 '--group' judge08 --races --group 48
    try 0 judge02 --races --variant all --groups 2 --n 100
    grep -qx 'judge02 global at n = 100: --groups has no effect on global: leave it out' out
    expect_refusal 2 'no kernel file' judge06 --races nosuch.cl
    sed 's/i < n;/i < n - 1;/' "$root/kernels/06_two_stage.cl" >wrong.cl
    try 1 judge06 --races --n 100 --seed 3 wrong.cl
    grep -q '^  expected .*, got ' out
    mv out first
    try 1 judge06 --races --n 100 --seed 3 wrong.cl
    cmp out first # the same data
    for useless in '--out data' --warm '--evict 64' '--reps 3'; do
        expect_refusal 2 "${useless%% *}" judge06 --races --n 100 $useless
    done
    [ ! -e data ]
    expect_refusal 2 nosuch judge06 --races --device nosuch
    try 0 judge06 --races --n 100 --device 0
}

@test "--races of a kernel that never ends: exit 1 after 20 s of processor time, or at --timeout" {
    skip_unless_test_all
    needs_oclgrind
    head='kernel void reduce(global const int *in, ulong n, global int *out, local int *scratch)'
    echo "$head { volatile int one = 1; while (one && get_global_id(0) == 0) {} }" >mine.cl
    REDUCE_CAUSE=1 try 1 judge04 --races mine.cl
    grep -q 'no result within 20 seconds of processor time$' out
    grep -q '^  does each loop end' out
    [ "$(grep -c 'cause: timeout' out)" -eq 1 ]
    try 1 judge04 --races --timeout 2 mine.cl
    grep -q 'no result within --timeout' out
    try 0 judge04 --races --timeout 1e9 --n 100 # longer than Python's clock
    status=0 # a parent may ignore the ends of its children, but a status must not be lost
    python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
        "$root/judge04" --races --timeout 2 --n 100 mine.cl >out || status=$?
    [ "$status" -eq 1 ]
    grep -q 'no result within --timeout' out
}

@test "--races of a kernel that is written for int: exit 0, although it cannot be judged for other types" {
    skip_unless_test_all
    needs_oclgrind
    sed -e 's/value/int/g; s/input/int/g; s/identity()/0/; s/load(in, i)/in[i]/' \
        -e 's/combine(\(.*\), \(.*\));/\1 + \2;/' "$root/kernels/06_two_stage.cl" >mine.cl
    try 0 judge06 --races mine.cl
    [ "$(grep -c 'nothing found' out)" -eq 2 ]
    grep -q 'min of float: not under Oclgrind, where the kernel does not compile' out
    [ ! -s err ]
}

@test "--races: cases in which Oclgrind crashes, gives up, or cannot execute the variant" {
    skip_unless_test_all
    needs_oclgrind
    try 0 judge07 --races --variant vector --width 2 --n 1000
    try 0 judge10 --races --variant block --width 2 --n 1000
    for operation in '--type float' '--type long' '--op argmin'; do
        try 77 judge11 --races --variant word --n 300 $operation
        grep -q 'not under Oclgrind: the groups meet in one word' out
    done
    try 0 judge07 --races --op argmin --n 1000
    try 0 judge11 --races --variant all --type float --n 300 # Oclgrind cannot execute one variant, but the others are tried
    grep -q '^judge11 word .*not under Oclgrind' out
    grep -q '^judge11 counter .*nothing found' out
}

@test "an Oclgrind that hangs: a question ends after a minute, and the judge goes on" {
    skip_unless_test_all
    use_fastest_device
    echo 'int sleep(unsigned); __attribute__((constructor)) void hang(void) { sleep(1000); }' >hang.c
    "${CC:-cc}" -shared -fPIC hang.c -o hang.so
    hide_oclgrind "$work/hang.so"
    try 0 judge06 --tap --n 100 --op sum --type int "$root/kernels/06_two_stage.cl"
    grep -q '^ok 1 - Oclgrind: .* # SKIP no answer of Oclgrind after 60 seconds: is the machine very busy' out
}

@test "--races: a compare-exchange loop is no race, a plain access mixed with atomics is one; each place is printed once" {
    skip_unless_test_all
    needs_oclgrind
    cat >mine.cl <<'END'
#include "operator.clh"
static void my_add(volatile global uint *to, uint v)
{
    uint old, seen = *to;
    do {
        old = seen;
        seen = atomic_cmpxchg(to, old, old + v);
    } while (seen != old);
}
kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong i = get_global_id(0);
    if (i < n)
        my_add((volatile global uint *)out, load(in, i));
}
END
    try 0 judge02 --races mine.cl
    sed -e '/^    do {/,/^    }/c\    while (atomic_cmpxchg(to, seen, seen + v) != seen)\n        seen = *to;' \
        -e 's/old, seen/seen/' mine.cl >short.cl
    grep -q '^    while .*seen + v' short.cl
    try 0 judge02 --races short.cl --n 1000
    sed 's/^        my_add(.*/        out[0] += load(in, i);/' mine.cl >plain.cl
    REDUCE_CAUSE=1 try 1 judge02 --races plain.cl
    [ "$(grep -c '^  # cause: race$' out)" -eq 2 ]
    sed -i '/# cause: race/d' out
    [ "$(grep -c 'line 14 of' out)" -eq "$(grep -c '^  ' out)" ]
    [ "$(grep -c '^  ' out)" -eq 2 ]
    grep -q 'Read-write .*times)' out
    grep -q 'Write-write .*times)' out
    sed 's/ = atomic_cmpxchg.*/ = *to, *to = old + v;/' mine.cl >no_exchange.cl
    try 1 judge02 --races no_exchange.cl --n 1000
}

@test "--races prints the kind of finding first that causes the others, whatever the name of the file" {
    skip_unless_test_all
    needs_oclgrind
    sed '/barrier(/d' "$root/kernels/06_two_stage.cl" >race.cl
    REDUCE_CAUSE=1 try 1 judge06 --races --n 300 race.cl
    [ "$(sed -n 's/^  # cause: //p' out | uniq | tr '\n' ' ')" = 'race uninitialized ' ]
}

@test "--races: after an interrupt no file and no process is left" {
    skip_unless_test_all
    needs_oclgrind
    sed 's/i += get_global_size(0)/i += 0/' "$root/kernels/06_two_stage.cl" >endless.cl
    mkdir folders
    ls -A /tmp >before
    TMPDIR=$work/folders "$root/judge06" --races endless.cl &
    wait_until 2 # this process, and the one inside Oclgrind; oclgrind.py has no arguments
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls -A folders)" ]
    ls -A /tmp >after
    comm -13 before after >new
    run grep -i -e race -e oclgrind new
    [ "$status" -eq 1 ]
    wait_until 0
}

@test "a wrong result: the step prints the value and names the judge, which prints the lost elements, the likely cause and its kind" {
    use_fastest_device
    export REDUCE_CAUSE=1
    sed 's/i < n;/i < n - 1;/' "$root/kernels/06_two_stage.cl" >wrong.cl
    for op in sum max; do
        try 1 step06 "${quick[@]}" --kernel wrong.cl --op $op
        has_no_row
        grep -q '^WRONG: commutative at n = [0-9]*: expected .*, got ' out
        [ "$(sed -n 2p out)" = "  make judge06 && ./judge06 wrong.cl --op $op says why" ]
        [ "$(grep -c '' out)" -eq 2 ]
        [ ! -s err ]
        try 1 judge06 --op $op wrong.cl
        grep -q '^WRONG: commutative: '$op' int, groups of ' out
        grep -q '^  n = [0-9]*: expected .*, got ' out
        grep -q '^  element.* lost: the last one' out
        grep -q '^  likely: a bound is off by one' out
        [ "$(grep -c '^  # cause: off_by_one$' out)" -eq 1 ]
        [ "$(grep -c '^WRONG' out)" -eq 1 ]
        grep -q '^  --seed [0-9]* repeats this data$' out
        try 1 judge06 --tap --n 1000 --group 48 --type float --op $op --variant commutative wrong.cl
        grep -q '^not ok [0-9]* - step06 commutative: '$op' float, groups of 48$' out
        grep -q '^# likely: a bound is off by one' out
        grep -q '^# cause: off_by_one$' out
        if ! in_test_all; then break; fi # because both operators are checked by the same functions
    done
    unset REDUCE_CAUSE
    try 1 judge06 --op sum --type int wrong.cl
    run grep 'cause:' out
    [ "$status" -eq 1 ]
    try 1 step06 "${quick[@]}" --variant commutative --kernel ./wrong.cl
    [ "$(sed -n 2p out)" = '  make judge06 && ./judge06 wrong.cl --variant commutative says why' ]
    try 1 step06 "${quick[@]}" --variant all --kernel wrong.cl # each command names the variant that is wrong
    [ "$(sed -n 2p out)" = '  make judge06 && ./judge06 wrong.cl --variant commutative says why' ]
    [ "$(sed -n 4p out)" = '  make judge06 && ./judge06 wrong.cl --variant associative says why' ]
    # The judge needs the options without which the mistake does not exist.
    sed -i 's/const input/const float/' wrong.cl
    try 1 step06 "${quick[@]}" --type float --kernel wrong.cl
    [ "$(sed -n 2p out)" = '  make judge06 && ./judge06 wrong.cl --type float says why' ]
    try 1 step06 "${quick[@]}" --op hash --force
    [ "$(sed -n 2p out)" = '  make judge06 && ./judge06 --op hash --force says why' ]
    # Other devices may give the right result. A shell would divide a name with a blank.
    mv wrong.cl 'a wrong.cl'
    try 1 step06 "${quick[@]}" --type float --kernel 'a wrong.cl' --device 0
    [ "$(sed -n 2p out)" = "  make judge06 && ./judge06 'a wrong.cl' --type float --device 0 says why" ]
    mv 'a wrong.cl' "it's wrong.cl"
    try 1 step06 "${quick[@]}" --type float --kernel "it's wrong.cl"
    [ "$(sed -n 2p out)" = "  make judge06 && ./judge06 'it'\\''s wrong.cl' --type float says why" ]
}

# A reader pastes the command that a wrong row names, in the folder of the programs.
paste_command() {
    sed -n 's/^  \(make .*\) says why$/\1/p' out >command.sh
    cd "$root"
    bash "$work/command.sh" >"$work/pasted" 2>&1
}

@test "the command after a wrong row has the options of the row, and a shell executes it: the judge finds the mistake" {
    use_fastest_device
    # wrong only in three groups of 48
    sed 's/i < n;/i < n - (get_local_size(0) == 48 \&\& get_num_groups(0) == 3);/' "$root/kernels/06_two_stage.cl" >"it's \$wrong.cl"
    try 1 step06 "${quick[@]}" --kernel "$work/it's \$wrong.cl" --op sum --type int --group 64,48 --groups 3 --seed 7
    grep -qF "/it'\\''s \$wrong.cl' --op sum --type int --group 48 --groups 3 --seed 7 says why" out
    run paste_command
    [ "$status" -eq 1 ]
    grep -q '^WRONG: ' pasted
    # The judge reads the same kernels, and a row's n, if smaller ones are right.
    cp -r "$root/kernels" 'my kernels'
    sed -i 's/i < n;/i < n - (n == 5001);/' 'my kernels/06_two_stage.cl'
    REDUCE_KERNELS="$work/my kernels" try 1 step06 --n 5001 --reps 3 --seconds 0 --warm --op sum --type int
    grep -qF " && REDUCE_KERNELS='$work/my kernels' ./judge06 --op sum --type int --n 5001 says why" out
    run paste_command
    [ "$status" -eq 1 ]
    grep -q '^WRONG: ' pasted
    # or a size that only the step tries before a row
    sed 's/i < n;/i < n - (n == 4097);/' "$root/kernels/06_two_stage.cl" >once.cl
    try 1 step06 --n 5000 --reps 3 --seconds 0 --warm --op sum --type int --kernel "$work/once.cl"
    grep -q "/once.cl'\? --op sum --type int --n 4097 says why$" out
    run paste_command
    [ "$status" -eq 1 ]
    grep -q '^WRONG: ' pasted
    # without ./ the name would look like an option
    mv "it's \$wrong.cl" -- -wrong.cl
    try 1 step06 "${quick[@]}" --kernel -wrong.cl --group 48 --groups 3
    [ "$(sed -n 2p out)" = '  make judge06 && ./judge06 ./-wrong.cl --group 48 --groups 3 says why' ]
}

@test "a right kernel: the judge prints one line, exit 0; --tap prints a line for each test" {
    use_fastest_device
    cp "$root/kernels/03_local_tree.cl" mine.cl
    one=(--n 1000 --op sum --type int --group 64)
    try 0 judge03 "${one[@]}" mine.cl
    grep -Eq '^right: mine.cl passes ([2-9] tests|1 test)(; --tap shows what was skipped)?$' out
    [ "$(cat out err | grep -c '')" -eq 1 ]
    try 0 judge03 "${one[@]}"
    [ "$(cat out err)" = 'right: local_tree passes 1 test' ]
    try 0 judge03 "${one[@]}" --tap mine.cl
    [ ! -s err ]
    grep -q '^# --seed [0-9]* repeats this data$' out
    grep -q '^# mine.cl replaces the kernel of variant associative; --variant names another$' out
    grep -q '^ok 1 - Oclgrind: no work-item leaves the arrays, misses a barrier, or races' out
    [ "$(grep '^ok 2' out)" = 'ok 2 - step03 associative: sum int, groups of 64, 1 sizes' ]
    [ "$(tail -n 1 out)" = 1..2 ]
    try 0 judge03 "${one[@]}" --seed 7 --tap
    [ "$(head -n 1 out)" = '# --seed 7 repeats this data' ]
}

@test "the judge inside Oclgrind, where no guard follows the input: exit 1, and the verdict" {
    needs_oclgrind
    sed 's/load(in, i)/load(in, i == 500 ? 0 : i)/' "$root/kernels/06_two_stage.cl" >lost.cl
    try 1 common/judge/oclgrind.py "$root/judge06" --tap --op max --type uint --n 1001 --group 64 lost.cl
    grep -q '^# n = 1001: expected .* (the extreme is at 500)$' out
    [ ! -s err ]
}

@test "a row inside Oclgrind, where no guard follows the input: no kernel of the harness reads past it or races" {
    needs_oclgrind
    OCLGRIND_DATA_RACES=1 try 0 common/judge/oclgrind.py "$root/step06" --n 3,1001 --reps 3 --seconds 0 --evict 1000
    [ "$(grep -c '^commutative' out)" -eq 2 ]
    [ ! -s err ]
}

@test "n = 0: exit 2" {
    expect_refusal 2 'at least 1' step05 --n 0
    expect_refusal 2 'at least 1' step05 --n=0
    expect_refusal 2 'at least 1' judge01 --tap --n 0
}

@test "n needs more than the device's memory: exit 2, and the step prints how much the device has" {
    use_fastest_device
    expect_refusal 2 GiB step05 --n 2^50
    expect_refusal 2 elements step05 --n 2^62
    expect_refusal 2 GiB judge03 --tap --n 2^45
}

@test "a number with further characters after it or before it, or no number: exit 2" {
    for n in 100x 2^24k 1e6 -5 +5 ' 7' '' 10,,20 10, ,10 2^ 2^64 3^4 16M 0x10 18446744073709551616 17179869184Gi; do
        expect_refusal 2 '--n' step05 --n "$n"
    done
    for option in --group --groups --reps --evict --seed --seconds --limit-seconds --timeout; do
        expect_refusal 2 "$option" step06 $option 4x
        if ! in_test_all; then continue; fi
        expect_refusal 2 "$option" step06 $option ''
        expect_refusal 2 "$option" step06 $option -1
        expect_refusal 2 "$option" step06 $option ' 0'
    done
    expect_refusal 2 'at least 1' step06 --timeout 0
    expect_refusal 2 'at least 1' step06 --seed 0
    expect_refusal 2 'at least 1' judge06 --seed 0
    for bytes in 0 1 15; do
        expect_refusal 2 'at least 16' step06 --evict $bytes # and --warm leaves the cache warm
    done
    expect_refusal 2 'below 2^32' step06 --seed 2^32
    expect_refusal 2 '1, 2, 4, 8 or 16' step07 --width 4,3
    expect_refusal 2 '--limit-seconds' step06 --limit-seconds nan
    for sweep in 2^10 2^10.. ..2^10 2^12..2^10 5..7 2^10..2^12x 2^10...2^12; do
        expect_refusal 2 '--sweep' step05 --sweep $sweep
    done
}

@test "a group size above the device's limit: exit 2, and the step prints the limit" {
    use_fastest_device
    expect_refusal 2 'at most' step05 --group 100000000
    expect_refusal 2 'at most' judge03 --tap --group 2^40
}

@test "an unknown device, variant, operator or type: exit 2, and the step says how to list the known ones" {
    expect_refusal 2 list step05 --device nosuch
    expect_refusal 2 list step05 --device 99
    expect_refusal 2 list step05 --device 4294967296
    expect_refusal 2 '--variants' step05 --variant nosuch
    expect_refusal 2 'sum, min' step05 --op nosuch
    expect_refusal 2 'int, uint' step05 --type nosuch
    expect_refusal 2 'intel, khr' step09 --subgroups nosuch
    expect_refusal 2 'intel, khr' step09 --subgroups local:3
    expect_refusal 2 'intel, khr' step09 --subgroups local:
    expect_refusal 2 'intel, khr' step09 --subgroups local:8x
    expect_refusal 2 'intel, khr' step09 --subgroups 'local: 8'
}

@test "unknown options, stray words, a missing argument: exit 2" {
    expect_refusal 2 help step05 --nosuch
    expect_refusal 2 'write --kernel FILE$' step05 stray
    expect_refusal 2 '^step12: stray: an option begins with --' step12 stray --n 64 # in front of options, too
    expect_refusal 2 '^step12: stray: an option begins with --' step12 --n 64 stray
    expect_refusal 2 'no such option; --help' judge05 --nosuch
    expect_refusal 2 'no such option; --help' judge05 -x
    expect_refusal 2 'no such option; --help' judge05 '-- '
    expect_refusal 2 'needs a value' judge05 --n
    expect_refusal 2 help step05 -x
    expect_refusal 2 help step05 --n
    expect_refusal 2 help step05 --warm=yes
    expect_refusal 2 '^step05: --se: several options may begin like this: write the whole name' step05 --se 5 # --seed or --seconds
    for program in step05 judge05 step12; do # an empty argument, as from a shell variable that is not set
        expect_refusal 2 "^$program: an argument is empty: is a variable" $program --device 0 ''
    done
    try 0 step05 --vers
}

@test "an option that is given twice: only its last value counts" {
    use_fastest_device
    try 0 judge03 --tap --n 7,1000 --sweep 2^10..2^10 --op sum --type int --group 64,128 --group 32
    [ "$(grep 'step03' out)" = 'ok 1 - step03 associative: sum int, groups of 32, 1 sizes' ]
}

@test "a value that is longer than any path: the message still says what is wrong" {
    long=$(printf '%09000d' 0) # 9000 zeros
    expect_refusal 2 'must be at least 1' step05 --n "${long}x"
    expect_refusal 2 'such as a newline$' step05 --out "$long"$'\n'
    expect_refusal 2 'must be a number above 0' step12 --tolerance "${long}x"
    expect_refusal 2 'path of 9000 characters' step06 --kernel "$long"
    REDUCE_KERNELS=$long expect_refusal 2 'path of 9000 characters' step06
    doctor 2 "^  library '/last.so'" OCL_ICD_VENDORS=/nosuch OCL_ICD_FILENAMES="$(printf '/nosuch.so:%.0s' {1..500})/last.so" "$root/step00"
}

@test "an option that has no effect: exit 2, and its name; --variant all skips such a variant" {
    use_fastest_device
    expect_refusal 2 'groups has no effect on commutative: leave it out' step05 --groups 4 "${quick[@]}"
    expect_refusal 2 'groups has no effect on baseline: leave it out' judge05 --groups 4 --n 100 --op sum --type int --group 64
    expect_refusal 2 'groups has no effect' judge05 --tap --groups 4 --n 100 --op sum --type int --group 64
    expect_refusal 2 '--group' step01 --group 64 "${quick[@]}"
    expect_refusal 2 '--group' judge01 --group 64 --n 100 --op sum --type int
    expect_refusal 2 '--width' step06 --width 4 "${quick[@]}"
    expect_refusal 2 '--width' judge06 --width 4 --n 100 --op sum --type int
    expect_refusal 2 '--subgroups' step06 --subgroups local "${quick[@]}"
    expect_refusal 2 'loop on the host' step01 --kernel "$root/kernels/02_global.cl" "${quick[@]}"
    expect_refusal 2 'loop on the host' judge01 "$root/kernels/02_global.cl"
    expect_refusal 2 'choose one' judge06 --tap --races
    try 0 step02 "${quick[@]}" --variant all --groups 8
    [ "$(grep -c '^step02: --groups has no effect on global: leave it out$' err)" -eq 1 ]
    grep -q '^strided ' out
    # If no variant is left, such an option counts more than a variant that is not supported, whatever their order.
    for step in 05 06; do
        try 2 step$step "${quick[@]}" --variant all --op hash --width 4
    done
    expect_refusal 2 '--width' step05 --width 4 --group 64,128 "${quick[@]}" # one line, not one for each geometry
    try 0 judge02 --tap --groups 8 --n 100 --op sum --type int --group 64
    grep -qx 'ok 1 - step02 global: sum int # SKIP --groups has no effect on global: leave it out' out
    grep -q '^ok 2 - step02 blocked: sum int, groups of 64, 1 sizes$' out
    try 0 judge10 --width 4 --n 100 --op sum --type int --group 64 --subgroups local:4
}

@test "the judge was a part of the step: each refuses what the other does now, and a line says what to type" {
    expect_refusal 2 ' make judge06 && ./judge06$' step06 --check
    expect_refusal 2 " takes the step's options: make judge06 && ./judge06 'my mine.cl' --races$" step06 --races --group 64 --kernel 'my mine.cl'
    expect_refusal 2 '^step06: --binary: .* make build/compile06 && build/compile06 --help$' step06 --binary saved
    expect_refusal 2 ' make build/compile08 && build/compile08 --help$' step08 --binary saved
    expect_refusal 2 '^step06: --build-options: .* make build/compile06 && build/compile06 --help$' step06 --build-options
    expect_refusal 2 '^judge06: --kernel: write the name of the file without --kernel$' judge06 --kernel mine.cl
    expect_refusal 2 '^judge06: --check: leave it out' judge06 --check
    expect_refusal 2 '^step06: mine.cl: to measure the kernel of a file, write --kernel FILE$' step06 mine.cl
    for option in --warm '--reps 3' '--out data' '--evict 64' '--seconds 1' '--limit-seconds 1'; do
        expect_refusal 2 "^judge06: ${option%% *}: no such option; --help lists the options" judge06 $option
    done
}

@test "a file for the judge that is missing, of the wrong kind, or one too many: exit 2, and its name" {
    for option in '' --tap; do
        expect_refusal 2 "no kernel file 'nosuch.cl'" judge06 $option nosuch.cl
        expect_refusal 2 "no kernel file 'nosuch.cl' in /," judge06 $option /nosuch.cl
    done
    expect_refusal 2 '^judge06: b.cl: one FILE is enough; a.cl is given already$' judge06 a.cl b.cl
    mkfifo pipe
    for file in . .. "$work" pipe /dev/full; do
        expect_refusal 2 'not an ordinary file' judge06 "$file"
    done
    cp "$root/kernels/03_local_tree.cl" .hidden.cl # a name that begins with a dot is no path
    try 0 judge03 --n 100 --op sum --type int --group 64 .hidden.cl
    try 0 step03 "${quick[@]}" --kernel .hidden.cl
    if [ "$(id -u)" -ne 0 ]; then # root may read every file
        chmod 0 .hidden.cl
        expect_refusal 2 'that you may read' judge03 .hidden.cl
        expect_refusal 2 'that you may read' step03 --kernel .hidden.cl
    fi
}

@test "a kernel file that is missing, empty or of the wrong kind: exit 2, and its name" {
    expect_refusal 2 'nosuch.cl' step06 --kernel ./nosuch.cl
    expect_refusal 2 'not an ordinary file' step06 --kernel "$work"
    expect_refusal 2 'not an ordinary file' step06 --kernel .
    mkfifo pipe
    expect_refusal 2 'not an ordinary file' step06 --kernel pipe
    expect_refusal 2 'not an ordinary file' step06 --kernel /dev/full
    expect_refusal 2 'not an ordinary file' step06 --kernel ''
    echo > empty.cl
    expect_refusal 2 reduce step06 --kernel ./empty.cl
    for file in 'a"b.cl' 'a\'; do # names that an #include cannot contain
        cp "$root/kernels/06_two_stage.cl" "$file"
        expect_refusal 2 'rename the file$' step06 --kernel "$file"
        expect_refusal 2 'rename the file$' judge06 "$file"
    done
    printf '%s\n' '#include "operator.clh"' 'kernel void reduce(global const input *in) {}' > short.cl
    expect_refusal 2 argument step06 --kernel ./short.cl
}

@test "comments, a byte order mark, and headers that include each other are read as a compiler reads them" {
    skip_unless_test_all # because it compiles the same tree five times
    use_fastest_device
    tree=$(sed 1,/operator.clh/d "$root/kernels/06_two_stage.cl")
    printf '#pragma once\n#include "two.h"\nconstant int one = 1;\n' >one.h
    printf '#pragma once\n#include "one.h"\nconstant int two = 2;\n' >two.h
    for first in '\xef\xbb\xbf' '// work-items/*groups\n' '/* a comment */ ' '/* two\nlines */ ' '#include "one.h"\n#include "two.h"\n'; do
        printf "$first#include \"operator.clh\"\n%s\n" "$tree" >mine.cl
        try 0 step06 "${quick[@]}" --kernel mine.cl
    done
}

@test "a part that is skipped, a file that includes itself, a byte 0: the text of a kernel is read as a compiler reads it" {
    use_fastest_device
    echo 'constant int one = 1;' >one.h
    printf '#if 0\n#include "one.h"\n# endif // a part that is skipped\n#include "one.h"\nint x = nothing;\n' >mine.cl
    try 2 step06 "${quick[@]}" --kernel mine.cl
    grep -q 'mine.cl:5:' err
    printf '#include "mine.cl"\n' >mine.cl
    try 2 step06 "${quick[@]}" --kernel mine.cl
    grep -qE 'mine.cl:1:10: (error: )?#include nested too deeply' err
    printf '#include "mine.cl"\n#include "mine.cl"\n#include "mine.cl"\n' >mine.cl
    try 2 step06 "${quick[@]}" --kernel mine.cl
    grep -qE 'mine.cl:1:10: (error: )?#include nested too deeply' err
    printf 'kernel\0void\n' >mine.cl
    expect_refusal 2 'byte 0' step06 "${quick[@]}" --kernel mine.cl
}

@test "an #include by a macro, in two lines, or with %: works, and messages name the right line" {
    tree=$(sed 1,/operator.clh/d "$root/kernels/06_two_stage.cl")
    printf '#pragma once\nconstant int one = 1;\n' >one.h
    # Without TEST_ALL one kernel has all forms.
    forms=('#define FILE "one.h"\n#include FILE\n#include \\\n"one.h"\n#inc\\\nlude <one.h>\n%%:include "operator.clh"')
    if in_test_all; then
        forms+=('#define FILE "operator.clh"\n#include FILE' '#include \\\n"operator.clh"' '#inc\\\nlude <operator.clh>'
            '%%:include "operator.clh"' '#include "one.h"\n#define ONE "one.h"\n#include ONE\n#include "operator.clh"')
    fi
    for device in $(list_some_devices); do
        for form in "${forms[@]}"; do
            printf "$form\n%s\n" "$tree" >mine.cl
            try 0 step06 --device "$device" "${quick[@]}" --kernel mine.cl
        done
    done
    if has_oclgrind; then try 0 judge06 --races --op sum --type int mine.cl; fi
    echo 'mistake;' >>one.h
    echo 'another;' >>mine.cl
    for device in $(list_some_devices) oclgrind; do
        if [ "$device" != oclgrind ]; then
            try 2 step06 --device "$device" "${quick[@]}" --kernel mine.cl
        elif has_oclgrind; then
            try 2 judge06 --races mine.cl
        fi
        grep -Eq '(^| |/)one.h:3:1' err
        grep -Eq "(^| )mine.cl:$(wc -l <mine.cl):1" err
    done
}

@test "a file beside a learner's kernel replaces a file of kernels/ that another file of kernels/ includes" {
    mkdir operators types
    cp "$root/kernels/06_two_stage.cl" mine.cl
    sed 's/return left + right/return left - right/' "$root/kernels/operators/sum.clh" >operators/sum.clh
    for device in $(list_some_devices); do
        try 1 step06 --device "$device" "${quick[@]}" --kernel mine.cl
    done
    echo '#error of this folder' >operators/min.clh # pocl defines min as a macro
    for device in $(list_some_devices); do
        try 2 step06 --device "$device" "${quick[@]}" --op min --kernel mine.cl
        grep -q 'operators/min.clh:1:2.*of this folder' err
    done
    if has_oclgrind; then
        try 2 judge06 --races --op min mine.cl
        grep -q 'operators/min.clh:1:2.*of this folder' err
    fi
    rm -r operators
    { cat "$root/kernels/operator.clh"; echo '#error of this folder'; } >operator.clh
    try 2 step06 --device 0 "${quick[@]}" --kernel mine.cl
    grep -q "operator.clh:$(wc -l <operator.clh):2.*of this folder" err
}

@test "REDUCE_KERNELS names no folder, and --kernel a file: exit 2, one line" {
    cp "$root/kernels/06_two_stage.cl" mine.cl
    REDUCE_KERNELS=nowhere expect_refusal 2 'nowhere: No such file or directory.*is REDUCE_KERNELS right' step06 --kernel mine.cl
}

@test "text of CUDA in a kernel: one line says what its words are in OpenCL C" {
    one=(--n 1000 --op sum --type int)
    for line in '__global__ void reduce(const int *in, int n, int *out) { }' 'kernel void other(void) { __syncthreads(); }' \
        'kernel void other(void) { int i = threadIdx.x; }'; do
        { echo '#include "operator.clh"'; echo "$line"; sed 1,/operator.clh/d "$root/kernels/06_two_stage.cl"; } >mine.cl
        try 2 judge06 "${one[@]}" mine.cl
        [ "$(grep -c '^judge06: mine.cl: this is CUDA: __global__ is kernel, .*threadIdx.x is get_local_id(0)' err)" -eq 1 ]
    done
    echo 'kernel void other(void) { nothing(); /* not threadIdx.x */ }' >>mine.cl
    sed -i 's/int i = threadIdx.x;//' mine.cl
    try 2 judge06 "${one[@]}" mine.cl
    run grep CUDA err
    [ "$status" -eq 1 ]
}

@test "an unknown name that a header defines: the message names the header" {
    grep -v operator.clh "$root/kernels/06_two_stage.cl" >mine.cl
    try 2 judge06 --n 1000 --op sum --type int mine.cl
    grep -q 'include operator.clh, which defines `' err
    { echo 'kernel void other(void) { values all; }'; cat "$root/kernels/06_two_stage.cl"; } >mine.cl
    try 2 judge06 --n 1000 --op sum --type int mine.cl
    grep -q 'include vectors.clh, which defines `values`' err
}

@test "what a kernel prints is not among the tests of the judge, whatever the kernel does to the word printf" {
    cat >mine.cl <<'END'
#undef printf
kernel void reduce(global const int *in, ulong n, global int *out)
{
    if (get_global_id(0) == 0)
        printf("ok 1 - step02 global: sum int\n1..1\n");
}
END
    for device in $(list_some_devices); do
        try 1 judge02 --tap --n 100 --op sum --type int --group 64 --device $device mine.cl
        grep -q '^not ok [12] - ' out
        [ "$(grep -c '^ok .*step02' out)" -eq 0 ]
        [ "$(grep -c '^1[.][.]' out)" -eq 1 ]
        grep -q '^ok 1 - step02' err
        REDUCE_NO_PRINTF=1 try 1 judge02 --n 100 --op sum --type int --group 64 --device $device mine.cl
        run grep '^ok' out err
        [ "$status" -eq 1 ]
    done
    if has_oclgrind; then # it prints its own findings among the output of the kernel
        sed -i 's/^kernel/#include "word.h"\n&/; 1d' mine.cl
        echo '#undef printf' >word.h
        try 1 common/judge/oclgrind.py "$root/step02" --n 100 --kernel mine.cl
        grep -q '^ok 1' out
        REDUCE_NO_PRINTF=1 try 1 common/judge/oclgrind.py "$root/step02" --n 100 --kernel mine.cl
        run grep '^ok' out err
        [ "$status" -eq 1 ]
    fi
}

@test "control characters in an option, a variable or a name do not reach a message" {
    line=$'x\nok 1 - \e[32mright'
    for option in --device --variant --op --type --subgroups --out --kernel --n --group --seconds --sweep --seed; do
        expect_refusal 2 "$option 'x?ok 1 - ?.32mright'" step06 $option "$line"
    done
    for option in "--$line" "$line" "--warm=$line"; do
        expect_refusal 2 'x?ok 1 - ?.32mright' step06 "$option"
    done
    for control in $'\xc2\x9b' $'\x9b' $'\xc2\x80' $'ü\xc2\x9f' $'ü\x9b'; do # a terminal obeys U+009B as it obeys ESC [
        for option in --device --kernel --out; do
            expect_refusal 2 "$option '.*?32m': the value contains a control character" step06 $option "${control}32m"
        done
        expect_refusal 2 '?32m: no such' step12 "--${control}32m"
        expect_refusal 2 '?32m' step12 --matrix "${control}32m"
        REDUCE_DEVICE="${control}32m" expect_refusal 2 "'.*?32m'" step06
        REDUCE_DEVICE="${control}32m" expect_refusal 2 "'.*?32m'" step00
    done
    for option in --matrix --version --out --n --device --tolerance; do
        expect_refusal 2 "x?ok 1 - ?.32mright" step12 $option "$line"
    done
    REDUCE_DEVICE=$line expect_refusal 2 "'x?ok 1" step06
    REDUCE_KERNELS=$line expect_refusal 2 "x?ok 1" step06
    for name in 'ä b' 'Ü €' '𝛛ñ'; do # all other characters are shown, whatever bytes they have
        expect_refusal 2 "'$name'" step06 --device "$name"
        REDUCE_DEVICE=$name expect_refusal 2 "'$name'" step00
    done
}

hides_local_bytes() { # pocl 4 to 6 answer 0 if asked how much local memory a kernel declares, and abort if it is too much
    [ "$("$root/step01" --device $1 --facts | grep -c '^name=.*\[POCL\]\|^driver=[456]\.')" -eq 2 ]
}

@test "a kernel that needs more local memory than the device has: exit 2, and 77 if only scratch has no room" {
    one=(--n 100 --op sum --type int --group 64)
    for program in 'step03 --kernel' judge03 'judge03 --tap'; do
        for device in $(list_some_devices); do
            limit=$("$root/step01" --device $device --facts | sed -n 's/^local_bytes=//p')
            for bytes in $limit $((4 * limit)); do
                { echo "#define BYTES $bytes"; sed 's/^{/{ USE_ALL_LOCAL_MEMORY/' "$root/kernels/03_local_tree.cl"; } >mine.cl
                sed -i '1i #define USE_ALL_LOCAL_MEMORY local uchar big[BYTES]; big[get_local_id(0)] = n % 7; \\\n    barrier(CLK_LOCAL_MEM_FENCE); if (big[n % get_local_size(0)] > 7) return;' mine.cl
                expected=2 says="declares $bytes .* $limit"
                if [ $bytes -eq $limit ]; then
                    expected=77
                    if hides_local_bytes $device; then continue; fi
                elif hides_local_bytes $device; then
                    if [[ $program == step* ]]; then continue; fi # pocl ends the step
                    expected=1 says='does the kernel .* have large private or local arrays'
                fi
                try $expected $program mine.cl --device $device "${one[@]}"
                grep -q "$says" out err
            done
        done
    done
}

@test "private arrays that leave room for one work-item only: exit 2, and the runtimes that say so name the size" {
    skip_unless_test_all # because a compiler takes seconds for such an array
    sed 's/^{/{ volatile uint big[1 << 26]; big[n % (1 << 26)] = 0;/' "$root/kernels/03_local_tree.cl" >mine.cl
    for program in 'step03 --kernel' judge03 'judge03 --tap'; do
        for device in $(sed -n 's/^\([0-9]*\) .*\[INTEL\].*/\1/p' "$BATS_FILE_TMPDIR/list"); do
            try 2 $program mine.cl --device $device --n 100 --op sum --type int
            grep -q 'the runtime counts 268[0-9]* bytes of private arrays in the kernel' err
        done
    done
}

@test "the judge says why Oclgrind cannot look at a kernel" {
    needs_oclgrind
    use_fastest_device
    one=(--tap --n 100 --op sum --type int --group 64)
    echo 'kernel void reduce(global const int *in, ulong n, global int *out) { out[0] = nothing; }' >mine.cl
    try 2 judge02 "${one[@]}" mine.cl
    grep -q '^ok 1 - Oclgrind: .* # SKIP the device cannot use the kernel' out
    sed 's/{/{ if (__builtin_popcount((uint)n) > 32) return;/' "$root/kernels/02_global.cl" >mine.cl
    try 0 judge02 "${one[@]}" mine.cl
    grep -q '^ok 1 - Oclgrind: .* # SKIP not under Oclgrind, which gives up: Undefined external function: llvm.ctpop' out
    hide_oclgrind
    for path in "$PATH" /nowhere; do # without Oclgrind, and without python3 either
        PATH=$path "$root/judge02" "${one[@]}" mine.cl >out
        grep -q '^ok 1 - Oclgrind: .* # SKIP python3, setpriv or Oclgrind is missing or fails' out
    done
}

@test "Oclgrind's findings name the file of a kernel as the command line does" {
    needs_oclgrind
    use_fastest_device
    echo 'kernel void reduce(global const int *in, ulong n, global int *out) { out[n + 10000] = 1; }' >mine.cl
    cp mine.cl "it's.cl"
    for name in mine.cl ./mine.cl "$PWD/mine.cl" "../with a space/mine.cl" "it's.cl"; do
        shown=${name#./}
        try 1 judge02 --n 100 "$name"
        grep -Fq "line 1 of $shown (" out
        try 1 judge02 --n 100 --races "$name"
        grep -Fq "line 1 of $shown (" out
        (cd / && "$root/judge02" --n 100 "$work/mine.cl" || true) >out
        grep -Fq "line 1 of $work/mine.cl (" out
        if ! in_test_all; then break; fi # because each finding starts Oclgrind once more
    done
}

@test "a compiler that never ends: the judge asks about macros and the plan, and blames no loop of the kernel, exit 2" {
    skip_unless_test_all # because the compiler takes 60 seconds of processor time for each line
    { # The sum in #if has 2^60 terms, which the preprocessor adds one by one.
        echo '#define A0 +1'
        for i in $(seq 60); do echo "#define A$i A$((i - 1)) A$((i - 1))"; done
        printf '#if 1 A60\n#endif\n'
        cat "$root/kernels/06_two_stage.cl"
    } >endless.cl
    hide_oclgrind # its question would take long, too
    for ((device = 0; device < devices; device++)); do
        try 2 judge06 --device $device --timeout 1 --op sum --type int endless.cl # Intel's compiler crashes instead
        grep -Eq '^judge06: the plan or the compiler of the OpenCL runtime (has not ended|crashed) at n = 1' err
        if grep -q 'has not ended' err; then grep -q 'Does a macro of the kernel expand too often' err; fi
    done
}

write_kernel() { # $1: type of the elements; $2: attribute; $3: first statement
    echo "kernel $2 void reduce(global const $1 *in, ulong n, global $1 *out)
          { $3 if (get_global_id(0) == 0) { $1 all = 0; for (ulong i = 0; i < n; i++) all += in[i]; out[0] = all; }
            else if (get_local_id(0) == 0) out[get_group_id(0)] = 0; }" >mine.cl
}

@test "arguments of another type: the judge says so before it launches; too much local memory: so does the step" {
    use_fastest_device
    one=(--n 1000 --op sum --group 64)
    write_kernel float
    try 2 judge06 "${one[@]}" --type int mine.cl
    grep -q '^  the kernel reads float, but the elements are int: try --type float$' out
    [ ! -s err ]
    try 0 judge06 "${one[@]}" --type float mine.cl
    try 0 step06 "${quick[@]}" --type float --kernel mine.cl
    for type in int32_t long_name; do # types that the judge does not know
        write_kernel $type
        sed -i "1i typedef int $type;" mine.cl
        try 0 judge06 "${one[@]}" --type int mine.cl
    done
    write_kernel int '' 'volatile local int box[1 << 24]; box[n] = in[0]; if (box[1] == 7) out[0] = 0;'
    if ! hides_local_bytes "${REDUCE_DEVICE:-0}"; then
        expect_refusal 2 'declares 67108864 bytes of local memory' step06 "${quick[@]}" --kernel mine.cl
        expect_refusal 2 'declares 67108864 bytes of local memory' judge06 "${one[@]}" --type int mine.cl
    fi
}

@test "a kernel that requires a group size: the step launches it in no other size" {
    skip_unless_test_all # because few kernels have this attribute
    use_fastest_device
    write_kernel uint '__attribute__((reqd_work_group_size(48, 1, 1)))'
    try 0 step06 "${quick[@]}" --kernel mine.cl
    grep -q '^groups of 48, because the kernel requires them' out
    expect_refusal 77 'launches groups of two dimensions' step10 "${quick[@]}" --kernel mine.cl --variant plain
    expect_refusal 77 'requires groups of 48' step06 "${quick[@]}" --kernel mine.cl --group 64
    try 0 judge06 mine.cl --tap --op sum --type int --n 1000
    grep -q '^ok 2 - .*groups of 48, ' out
    try 77 judge06 mine.cl --tap --op sum --type int --group 64
    grep -q '^ok 2 .* # SKIP .*requires groups of 48' out
}

@test "a kernel that does not compile: exit 2, the whole build log with the file's name" {
    # Both mistakes are names, because pocl's log contains the compiler's sentences, but no line of the kernel.
    { cat "$root/kernels/02_global.cl"; echo 'constant first_mistake one = 1; kernel void other(void) { second_mistake(); }'; } > mine.cl
    try 2 step02 --kernel ./mine.cl
    has_no_row
    grep -q 'mine.cl:17' err
    grep -q first_mistake err
    grep -q second_mistake err
    [ "$(grep -c '^step02: mine.cl: does not compile' err)" -eq 1 ]
    try 2 judge02 --n 100 --op sum --type int ./mine.cl
    grep -q 'mine.cl:17' err
    grep -q first_mistake err
    grep -q second_mistake err
    [ "$(grep -c '^judge02: mine.cl: does not compile' err)" -eq 1 ]
}

# The warning cannot come from #warning: the key of pocl's cache is the preprocessed text, which does not contain #warning, so
# pocl would return the log of the kernel without it.
@test "a step prints the warnings of a kernel that compiles, on every device" {
    skip_unless_test_all
    { cat "$root/kernels/02_global.cl"; echo '__attribute__((look_here)) void other(void);'; } > mine.cl
    for device in $(seq 0 $((devices - 1))); do
        try 0 step02 --device "$device" --kernel ./mine.cl "${quick[@]}"
        grep -q "mine.cl:17.*look_here" err
    done
}

@test "a kernel includes files from its own folder or from kernels/, and each message names the right line" {
    skip_unless_test_all
    use_fastest_device
    echo 'first_mistake in_words;' > words.clh
    { printf '/*\n#include "nosuch.clh"\n*/ // #include "nosuch.clh"\n'
        printf ' # include "words.clh" /* and\n#include "nosuch.clh" */\n'
        cat "$root/kernels/02_global.cl"; echo 'second_mistake;'; } > mine.cl
    last=$(wc -l < mine.cl)
    for device in $(seq 0 $((devices - 1))); do
        try 2 step02 --device "$device" --kernel mine.cl
        grep -q 'words.clh:1:1.*first_mistake\|words.clh:1:1.*unknown type' err
        grep -q "mine.cl:$last:1" err
    done
    printf '%s\n' '#if defined NOT' '#if defined X' '#endif' '#include "operator.clh"' '#else' 'a_mistake;' '#endif' \
        '#include "operator.clh"' '#if defined NOT' '#include "atomics.clh"' '#endif' 'a_mistake;' > words.clh
    for device in $(seq 0 $((devices - 1))); do # a part that the preprocessor removes does not change the numbers of later lines
        try 2 step02 --device "$device" --kernel mine.cl
        grep -q 'words.clh:6:1' err
        grep -q 'words.clh:12:1' err
    done
    printf '%s\n' '#if !defined WORDS' '#define WORDS' '#include "words.clh"' '#endif' > words.clh # includes itself
    sed -i '$d' mine.cl
    try 0 step02 "${quick[@]}" --kernel mine.cl
    mkdir operators # the operator in the kernel's own folder must replace the one in kernels/
    sed 's/return left + right/return left - right/' "$root/kernels/operators/sum.clh" > operators/sum.clh
    cp "$root/kernels/06_two_stage.cl" .
    try 1 step06 "${quick[@]}" --kernel 06_two_stage.cl
}

@test "a kernel includes a missing file: exit 2, and the compiler names the line" {
    skip_unless_test_all
    for name in '"atomic.clh"' '<atomic.clh>'; do
        sed "s/\"atomics.clh\"/$name/" "$root/kernels/02_global.cl" > mine.cl
        for device in $(seq 0 $((devices - 1))); do
            try 2 step02 --device "$device" --kernel mine.cl
            grep -q 'mine.cl:9.*atomic.clh' err
        done
    done
}

@test "--out with a folder that cannot be written: exit 2, no file" {
    skip_unless_test_all
    use_fastest_device
    echo precious > file
    for out in file file/below nosuch/below /proc/nosuch; do
        expect_refusal 2 "--out $out" step05 "${quick[@]}" --out "$out"
    done
    expect_refusal 2 'cannot' step05 "${quick[@]}" --out /proc/self
    [ "$(cat file)" = precious ]
    [ ! -e nosuch ]
    if [ "$(id -u)" -ne 0 ]; then # root may write to every folder
        mkdir locked
        chmod 500 locked
        expect_refusal 2 '--out locked' step05 "${quick[@]}" --out locked
    fi
}

@test "a call that fails leaves no file in --out" {
    skip_unless_test_all
    use_fastest_device
    sed 's/i < n;/i < n - 1;/' "$root/kernels/06_two_stage.cl" > lost.cl
    echo nonsense > broken.cl
    mkdir data
    try 1 step06 "${quick[@]}" --out data --kernel ./lost.cl
    try 2 step06 "${quick[@]}" --out data --kernel ./broken.cl
    try 2 step06 --n 2^50 --out data
    try 2 step06 --op nosuch --out data
    try 77 step05 "${quick[@]}" --group 1 --out data
    find data -type f
    [ -z "$(ls -A data)" ]
    try 2 step06 --n 2^50 --out new
    try 2 step06 "${quick[@]}" --device nosuch --out new
    try 2 step06 "${quick[@]}" --out new --kernel ./broken.cl
    run timeout -s TERM 0.3 "$root/step06" --n 2^24 --seconds 1000 --out new
    [ "$status" -eq 124 ]
    [ -z "$(ls -A new)" ]
}

@test "a kernel that drops its last element: exit 1, no row" {
    skip_unless_test_all # because the test of a wrong result tries this kernel, too
    use_fastest_device
    sed 's/i < n;/i < n - 1;/' "$root/kernels/06_two_stage.cl" > lost.cl
    run cmp -s lost.cl "$root/kernels/06_two_stage.cl"
    [ "$status" -eq 1 ]
    try 1 step06 --kernel ./lost.cl "${quick[@]}"
    has_no_row
    grep -qi wrong out err
    try 1 judge06 ./lost.cl --tap --n 1000 --op sum --type int
    grep -q '^not ok' out
    try 0 step06 --kernel "$root/kernels/06_two_stage.cl" "${quick[@]}"
}

@test "Oclgrind finds what does not change the result here: exit 1, no row, the line of the kernel, and nothing else" {
    skip_unless_test_all
    needs_oclgrind
    tree=$root/kernels/06_two_stage.cl
    sed 's/^        barrier(CLK_LOCAL_MEM_FENCE);/        if (id < 32)\n    &/' "$tree" > divergent.cl
    sed 's/^    scratch\[id\] = all;$/    local value box[256];\n    box[id] = scratch[id] = all;/' "$tree" > beyond.cl
    run cmp -s divergent.cl "$tree"
    [ "$status" -eq 1 ]
    run cmp -s beyond.cl "$tree"
    [ "$status" -eq 1 ]
    for device in $(seq 0 $((devices - 1))); do
        try 1 judge06 --n 1000 --device "$device" divergent.cl
        [ "$(grep -c '^WRONG: Oclgrind: Work-group divergence.*, line [0-9]* of divergent.cl' out)" -eq 1 ]
        [ "$(grep -c '' out)" -eq 2 ]
        grep -q '^  --seed [0-9]* repeats this data$' out
        try 1 judge06 beyond.cl --tap --device "$device" # with groups of 256 at most it is right
        grep -q '^not ok 1 - Oclgrind' out
        grep -q '^# Oclgrind: Invalid write .* local memory, line [0-9]* of beyond.cl' out
        [ "$(tail -n 1 out)" = 1..1 ]
    done
    try 0 judge06 beyond.cl --n 1000 --op sum --type int --group 256 # its only group size
}

@test "a kernel that crashes the runtime: the judge ends with exit 1, and a line that says so, by Oclgrind if it is there" {
    skip_unless_test_all
    sed 's/^    if (.* == 0)$/    ((volatile global uint *)out)[1ul << 40] = 1;\n&/' "$root/kernels/06_two_stage.cl" > far.cl
    run cmp -s far.cl "$root/kernels/06_two_stage.cl"
    [ "$status" -eq 1 ]
    if has_oclgrind; then
        try 1 judge06 ./far.cl --n 1000
        grep -q '^WRONG: Oclgrind: Invalid write .*of far.cl' out
    fi
    hide_oclgrind
    for option in '' --tap; do
        try 1 judge06 ./far.cl $option
        [ "$(grep -c '^judge06: the OpenCL runtime crashed.*out of bounds.*without far.cl.*; --seed [0-9]* repeats this data$' err)" -eq 1 ]
    done
    grep -q '^Bail out!' out
}

@test "more repetitions than a row keeps: it says of how many its median is" {
    use_fastest_device
    try 0 step06 --n 1 --warm --seconds 0 --reps 4100
    grep -q '^median of 4096: ' out
}

@test "a kernel that never ends: the step ends with exit 1 at --timeout, and names the judge" {
    use_fastest_device
    sed 's/i += get_global_size(0)/i += 0/' "$root/kernels/06_two_stage.cl" >endless.cl
    expect_refusal 1 'does each loop end, .*? make judge06 && ./judge06 endless.cl --timeout 2 says where$' \
        step06 --kernel endless.cl --timeout 2 --n 1000
    grep -q '^step06: no result for 2 s (--timeout): ' err
    [ "$(count_processes endless)" -eq 0 ]
    name=$(printf 'x%.0s' {1..3000}) # the handler of the signal prints a name of any length
    status=0
    (exec -a "$name" "$root/step06" --kernel endless.cl --timeout 2 --n 1000) >out 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q "^$name: no result for 2 s (--timeout): .*says where\$" err
    # The first variant is wrong, and the second one never ends: the step prints WRONG before SIGALRM ends it.
    sed 's/i < n;/i < n - 1;/; s/i += get_global_size(0)/i += STEP/' "$root/kernels/06_two_stage.cl" >endless.cl
    sed -i '1i #if defined KEPT // in the second variant\n#define STEP 0\n#else\n#define STEP get_global_size(0)\n#endif' endless.cl
    try 1 step06 --kernel endless.cl --variant all --timeout 2 --n 1000
    grep -q '^WRONG: commutative at n = ' out
    grep -q '^step06: no result for 2 s (--timeout): ' err
    # --groups has no effect in the first variant, whose kernel would never end.
    sed 's/if (i < n)/while (n)/' "$root/kernels/02_global.cl" >endless.cl
    try 1 step02 --kernel endless.cl --variant all --groups 8 --timeout 2 --n 100
    grep -q '^step02: no result for 2 s (--timeout): does each loop end.* ./judge02 endless.cl --variant blocked --groups 8 --timeout 2 says where$' err
}

@test "a kernel that never ends: the judge prints a message after 5 s, exit 1 at --timeout or sooner, and leaves no process" {
    skip_unless_test_all
    sed 's/i += get_global_size(0)/i += 0/' "$root/kernels/06_two_stage.cl" >endless.cl
    # A parent may ignore the signals that end the judge's own process.
    for option in '' --tap; do
        # So many elements may take any processor time, so without --timeout the judge would never end.
        status=0
        timeout 200 env --ignore-signal=ALRM "$root/judge06" endless.cl --n 10000 --timeout 15 $option >out 2>err || status=$?
        cat out err
        [ "$status" -eq 1 ]
        [ "$(grep -c '^judge06: still waiting for the kernel at n = 10000.*; does each of its loops end?' err)" -eq 1 ]
        [ "$(grep -c '^judge06: no result for 15 s (--timeout) at n = 10000' err)" -eq 1 ]
        grep -q '\(Oclgrind: \|does each loop end\).*; --seed [0-9]* repeats this data$' err
        [ "$(count_processes endless)" -eq 0 ]
    done
    grep -q '^Bail out!' out
    trap '' PROF
    try 1 judge06 endless.cl --op sum --type int # 10 s of processor time, because n is small
    [ "$(grep -c '^judge06: no result for [0-9]* s of processor time at n = 1' err)" -eq 1 ]
}

@test "if the runtime fails before a kernel has run, the judge does not blame the learner's kernel: exit 2, and a command that tells" {
    skip_unless_test_all
    cp "$root/kernels/06_two_stage.cl" mine.cl
    status=0 # with so little memory a runtime may crash, or report that it has no device
    (ulimit -v 20000 && "$root/judge06" mine.cl --n 1000 >out 2>err) || status=$?
    cat err
    [ "$status" -eq 2 ]
    grep -Eq "^judge06: (.* the runtime is at fault if the same command without mine.cl fails, too|no OpenCL device)" err
    "$root/step01" --list | grep -q POCL || skip "no pocl here"
    export POCL_CACHE_DIR=$work/cache
    mkdir cache
    hide_tools ld
    status=0
    "$root/judge06" --device pocl mine.cl --n 1000 >out 2>err || status=$? # pocl 3.1 needs ld
    cat err
    if [ "$status" -ne 0 ]; then
        [ "$status" -eq 2 ]
        grep -q "^judge06: .* the runtime is at fault if .* without mine.cl fails, too; .* such as ld" err
    fi
    POCL_CACHE_DIR=/proc/nosuch try 2 step06 --device pocl --n 1000
    grep -q 'write to' err
}

@test "--facts prints lines key=value about the chosen device" {
    try 0 step06 --facts --device 0
    grep -q '^number=0$' out
    grep -q '^compute_units=[1-9]' out
    grep -q '^sub_groups=' out
    run grep -v '^[a-z_0-9]*=' out
    [ "$status" -eq 1 ]
    for ((device = 0; device < devices; device++)); do # by default a step uses sub-groups only if the hardware has them
        try 0 step09 --facts --device $device
        if grep -q '^sub_groups=emulated' out; then grep -q '^back_end=local' out; fi
        if grep -q '^sub_groups=hardware' out; then grep -Eq '^back_end=(intel|khr)' out; fi
    done
}

@test "a variant that is not supported here: exit 77 and the reason; --variant all and the judge skip it" {
    skip_unless_test_all
    use_fastest_device
    expect_refusal 77 'groups of one' step05 --group 1 --n 1000
    expect_refusal 77 'groups of one' step05 --group 1 # the reason must not be that it would take too long
    expect_refusal 77 'NVIDIA' step10 --subgroups nvidia --n 1000
    expect_refusal 77 'its types are int, uint, float' step02 --op argmin --type long --n 1000
    expect_refusal 77 'its types are int, uint' step03 --op hash --type float
    try 77 step05 --group 1 "${quick[@]}" --variant all # because it has no other variant
    [ "$(grep -c 'groups of one' err)" -eq 3 ]
    try 0 step05 --op hash "${quick[@]}" --variant all
    [ "$(grep -c '^step05: commutative is not supported here' err)" -eq 1 ]
    grep -q '^associative ' out
    try 77 judge05 --group 1 --n 1000 --op sum --type int # every test is skipped
    grep -q '^skipped: .*groups of one' out
    try 0 judge05 --group 1 --n 1000 --tap --op sum --type int
    run grep -v '# SKIP groups of one\|^#\|^1\.\.' out
    [ "$status" -eq 1 ]
    try 0 judge05 --group 1,2 --n 1000 --tap --op sum --type int
    grep -q '^ok [0-9]* - .*# SKIP groups of one' out
    grep -q '^1\.\.[1-9]' out
}

@test "sub-groups on a device without them: exit 77, but emulated sub-groups work" {
    skip_unless_test_all
    "$root/step01" --list | grep -qi pocl || skip "no pocl here"
    if "$root/step09" --device pocl --subgroups khr "${quick[@]}"; then skip "this pocl has sub-groups"; fi
    expect_refusal 77 'use --subgroups local' step09 --device pocl --subgroups khr --n 1000
    expect_refusal 77 'use --subgroups local' step10 --device pocl --subgroups intel --n 1000
    try 0 step09 --device pocl "${quick[@]}"
    try 0 step09 --device pocl --subgroups local:4 "${quick[@]}"
    try 0 step09 --device pocl --variant all "${quick[@]}"
}

@test "REDUCE_DEVICE is the default device, but --device takes precedence" {
    REDUCE_DEVICE=0 try 0 step03 "${quick[@]}"
    grep -q '^on 0 ' out
    REDUCE_DEVICE=nosuch expect_refusal 2 nosuch step03
    REDUCE_DEVICE=nosuch try 0 step03 --device 0 "${quick[@]}"
    REDUCE_DEVICE= try 0 step03 "${quick[@]}"
    last=$((devices - 1))
    try 0 step03 --device $last "${quick[@]}"
    grep -q "^on $last " out
}

@test "steps read their kernels from the folder REDUCE_KERNELS" {
    use_fastest_device
    cp -r "$root/kernels" 'my kernels'
    REDUCE_KERNELS="$work/my kernels" try 0 step06 "${quick[@]}"
    REDUCE_KERNELS='my kernels' try 0 step06 "${quick[@]}"
    sed -i 's/i < n;/i < n - 1;/' 'my kernels/06_two_stage.cl'
    REDUCE_KERNELS="$work/my kernels" try 1 step06 "${quick[@]}"
    REDUCE_KERNELS="$work/none" expect_refusal 2 'REDUCE_KERNELS' step06 "${quick[@]}"
}

@test "a step works from any folder, and in a path with spaces" {
    use_fastest_device
    mkdir 'a copy'
    cp -r "$root/step06" "$root/kernels" 'a copy'
    cd /
    "$work/a copy/step06" "${quick[@]}"
    sed -i 's/i < n;/i < n - 1;/' "$work/a copy/kernels/06_two_stage.cl"
    status=0
    "$work/a copy/step06" "${quick[@]}" || status=$?
    [ $status -eq 1 ] # so the step has read the kernels next to it
}

@test "numbers: 2^10, 1Ki and 1024 are the same; a list gives a row for each number" {
    skip_unless_test_all
    use_fastest_device
    try 0 step03 --n 2^10,1Ki,1024 --group 32,64 --reps 3 --seconds 0 --warm
    [ "$(grep -c '^associative  *1024 ' out)" -eq 6 ]
}

@test "a step leaves out rows that would take too long, and prints a line that says so" {
    skip_unless_test_all
    use_fastest_device
    try 0 step03 --n 2^20 --reps 3 --seconds 0 --warm --limit-seconds 0
    has_no_row
    grep -q 'left out' out
}

@test "if one size would take too long, the smaller sizes are still measured" {
    skip_unless_test_all
    use_fastest_device
    try 0 step01 --n 2^10,2^26 --reps 3 --seconds 0 --warm --limit-seconds 0.001
    grep -q '^host  *1024 ' out
    grep -q '67108864 left out' out
}

# doctor STATUS PATTERN [variable=value...] options...: calls step 00, and expects this exit status and this line.
doctor() {
    local expected=$1 pattern=$2 status=0
    shift 2
    env "$@" >out 2>err || status=$?
    echo "$*: exit $status, expected $expected and $pattern"
    sed 's/^/    /' out err
    [ "$status" -eq "$expected" ]
    cat out err >both
    grep -q -e "$pattern" both
}

@test "the set-up doctor names the variable that hides a runtime, and accepts the kind of a device (no device needed)" {
    doctor 2 'because of OCL_ICD_VENDORS: unset' OCL_ICD_VENDORS=/nosuch "$root/step00"
    grep -q '^  not usable: No such file' out
    doctor 2 'because of OPENCL_VENDOR_PATH: unset' -u OCL_ICD_VENDORS OPENCL_VENDOR_PATH=/nosuch "$root/step00"
    doctor 2 '^no platform from nosuch.icd$' OCL_ICD_VENDORS=nosuch.icd "$root/step00"
    doctor 2 "^  library 'libnosuch.so'" OCL_ICD_VENDORS=libnosuch.so "$root/step00"
    doctor 2 '^  /x?step00: all is well$' OCL_ICD_VENDORS=$'/x\nstep00: all is well' "$root/step00"
    mkdir vendors
    echo libnosuch.so >vendors/one.icd
    doctor 2 'The lines above say why' OCL_ICD_VENDORS=vendors OCL_ICD_FILENAMES=/nosuch.so:libc.so.6 "$root/step00"
    grep -q "^no platform from vendors/one.icd" out
    grep -q "^  library '/nosuch.so'" out
    grep -q "^  library 'libc.so.6'" out
    doctor 2 'The lines above say why' OCL_ICD_VENDORS=vendors OCL_ICD_FILENAMES= "$root/step00"
    run grep OCL_ICD_FILENAMES out
    [ "$status" -eq 1 ]
    if [ "$devices" -eq 0 ]; then skip "no OpenCL device"; fi
    if grep -q '^[0-9]*  CPU' "$BATS_FILE_TMPDIR/list"; then
        doctor 0 right "$root/step00" --device cpu
        try 0 step03 "${quick[@]}" --device CPU
        number=$(sed -n 's/^on \([0-9]*\) .*/\1/p' out)
        grep -q "^$number  CPU" "$BATS_FILE_TMPDIR/list"
    fi
    if ! grep -q '^[0-9]*  GPU' "$BATS_FILE_TMPDIR/list"; then
        expect_refusal 2 "no device 'gpu'" step03 --device gpu
        doctor 2 "matches 'gpu'" "$root/step00" gpu
    fi
}

@test "the set-up doctor names the folder into which pocl cannot write" {
    if ! grep -q POCL "$BATS_FILE_TMPDIR/list"; then skip "no pocl here"; fi
    others=2 # the exit status without pocl
    if grep 'compute units' "$BATS_FILE_TMPDIR/list" | grep -qv POCL; then others=0; fi
    for variable in POCL_CACHE_DIR HOME XDG_CACHE_HOME; do
        doctor $others '^    /proc/nosuch.*: No such file' -u POCL_CACHE_DIR -u XDG_CACHE_HOME $variable=/proc/nosuch "$root/step00" --list
    done
    doctor $others "because POCL_DEVICES is set to 'nosuch'" POCL_DEVICES=nosuch "$root/step00" --list
    # A limit of 0 bytes for files: pocl can create them, but not write them, as on a full disk.
    full=(bash -c 'ulimit -f 0; trap "" XFSZ; exec "$@" 2>&1 | cat; exit ${PIPESTATUS[0]}' bash)
    run env POCL_CACHE_DIR="$work/cache" "${full[@]}" "$root/step00" --device pocl
    [ "$status" -eq 2 ]
    [[ "$output" == *"pocl cannot compile, because pocl cannot write"*"$work/cache: File too large"* ]]
    run env POCL_CACHE_DIR="$work/cache" "${full[@]}" "$root/step06" --device pocl --n 1000
    [ "$status" -eq 2 ]
    [[ "$output" == *"the log names no error"*"disk full"*step00* ]]
}

@test "a full disk: the doctor chooses another device than pocl, and the judge blames the disk" {
    if ! grep -q POCL "$BATS_FILE_TMPDIR/list"; then skip "no pocl here"; fi
    mkdir full
    full=(unshare -m sh -c 'mount -t tmpfs -o size=300k none full && exec "$@"' sh env POCL_CACHE_DIR="$work/full")
    "${full[@]}" true 2>err || skip "no folder can be mounted here: $(cat err)"
    run "${full[@]}" "$root/step00"
    [[ "$output" == *"pocl cannot compile, because pocl cannot write"*"$work/full: No space left on device"* ]]
    if grep 'compute units' "$BATS_FILE_TMPDIR/list" | grep -qv POCL; then [ "$status" -eq 0 ]; else [ "$status" -eq 2 ]; fi
    cp "$root/kernels/03_local_tree.cl" mine.cl
    run "${full[@]}" "$root/step03" --device pocl --n 1000 # LLVM itself ends it, with exit 1
    [ "$status" -ne 0 ]
    [[ "$output" == *"No space left on device"* ]]
    for program in judge03 'judge03 --tap'; do
        run "${full[@]}" "$root/"$program --device pocl --n 1000 mine.cl
        [ "$status" -eq 2 ]
        [[ "$output" == *"is the disk full (HOME, POCL_CACHE_DIR)? ./step00 tests "* ]]
    done
}

@test "every step and the set-up doctor end with exit 0" {
    skip_unless_test_all
    for step in $steps; do
        try 0 step$step "${quick[@]}"
        [ ! -s err ]
        has_row
    done
    try 0 step00
}
