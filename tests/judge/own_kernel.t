#!/usr/bin/perl
# Tests the judge with a learner's kernel. It must accept a copy of the step's own kernel. A kernel that is written for one type
# is judged for the types for which it compiles. n may have any integer type of 64 bits, except size_t. Each operation is compiled
# anew, so `make test` tries only sums of the main kernel of every sixth step, in one group size, and each kind of message once, on
# the CPU that compiles fastest. FULL=1 tries each kernel with every type, at all sizes, which takes minutes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $folder  = make_folder();
my @devices = list_devices();
plan skip_all => 'no OpenCL device' unless @devices;
my @few = ('--n', '1,97,4096');

# ---- a copy of every kernel, on the devices in turn: the main kernel without --variant, the others with the first variant that
# uses
# them. Only sums, because check.t tries all operators with the same kernels.
my $turn = 0;
for my $step (choose_some(@steps)) {
    my (%seen, $main);
    my @further = $full ? () : (@few, qw(--type int), $test_all ? () : qw(--op sum --group 96));
    for ((split /\n/, (run("$root/step$step", '--variants'))[1])) {
        my ($variant, $file) = split ' ';
        $main //= $variant;
        next if $step eq '01' || $seen{$file}++; # step 01 launches no kernel
        next unless $test_all || $variant eq $main;
        my $mine = spew("$folder/mine.cl", slurp("$root/kernels/$file"));
        for my $device ($full ? @devices : $test_all ? $devices[ $turn++ % @devices ] : choose_fastest(@devices)) {
            my @which = $variant eq $main ? () : ('--variant', $variant, $full ? () : qw(--op sum));
            my ($status, $out, $err) = run("$root/judge$step", '--device', $device->{number}, '--tap', $mine, @further,
                @which);
            my $plan = $out =~ /^1\.\.\d+/m ? 'planned' : 'no plan';
            my $expected = $out =~ /^ok \d+ - step.*sizes$/m ? 0 : 77; # of a device that supports nothing of it
            is("$status $err$plan", "$expected planned", "judge$step accepts $file, @which on $device->{name}") or diag($out);
            like($out, qr/^# .*mine\.cl replaces the kernel of variant \Q$variant\E;/m,
                '... and names the variant whose kernel it replaces');
        }
    }
}

@devices = choose_fastest(@devices) unless $test_all;

# ---- a kernel with static local memory, which leaves no room for scratch
my $own = spew("$folder/own.cl", <<'END');
#include "operator.clh"
kernel void reduce(global const input *in, ulong n, global value *out)
{
    local value part[64];
    uint id = get_local_id(0);
    ulong groups = get_num_groups(0), group = get_group_id(0);
    if (id < 64) {
        value all = identity();
        for (ulong i = n * group / groups + id; i < n * (group + 1) / groups; i += 64)
            all = combine(all, load(in, i));
        part[id] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        value all = part[0];
        for (uint k = 1; k < 64; k++)
            all = combine(all, part[k]);
        out[group] = all;
    }
}
END
for my $device (@devices) {
    my %facts = map { /^(\w+)=(.*)/ } split /\n/, (run("$root/step06", '--device', $device->{number}, '--facts'))[1];
    my ($status, $out, $err) = run("$root/judge06", '--device', $device->{number}, '--variant', 'associative', '--tap', $own,
        qw(--n 5000 --op sum --type int --group), $facts{group_limit});
    like($out, qr/^ok \d+ .*groups of $facts{group_limit}/m, "static local memory in the largest group on $device->{name}")
        or diag($out, $err);
}

# ---- a minimum whose last vector overlaps the previous one: no element is lost, and one that counts twice changes no minimum
my $overlapping = spew("$folder/overlapping.cl", slurp("$root/kernels/06_two_stage.cl")
        =~ s/(    for \(ulong i = get_global_id\(0\); )i < n(; .*\n).*/<<"LOOP"/er);
$1 4 * i < n$2        for (ulong k = min(4 * i, n < 4 ? 0 : n - 4), end = min(k + 4, n); k < end; k++)
            all = combine(all, load(in, k));
LOOP
spew("$folder/loses.cl", slurp($overlapping) =~ s/load\(in, k\)/load(in, k == 37 ? 36 : k)/r);
for my $device (@devices) {
    my @judge = ("$root/judge06", '--device', $device->{number}, qw(--tap --variant commutative --group 64 --type int --n),
        '65,4099');
    my ($status, $out) = run(@judge, $overlapping, qw(--op min));
    is($status, 0, "elements that count twice are right for a minimum on $device->{name}") or diag($out);
    is((run(@judge, $overlapping, qw(--op sum)))[0], 1, '... but wrong for a sum');
    is((run(@judge, "$folder/loses.cl", qw(--op min)))[0], 1, '... and a lost element is wrong for a minimum');
}

# ---- a maximum that compares by itself in the loop is no sum, and right. A lost element is found, because it becomes the extreme.
my $own_max = spew("$folder/own_max.cl", slurp("$root/kernels/06_two_stage.cl") =~ s/all = combine\(all, (load\(in, i\))\)/all = max(all, $1)/r);
my $filter = spew("$folder/filter.cl", slurp($own_max)
        =~ s/all = max\(all, (load\(in, i\))\);/{\n        value x = $1;\n        if (x > all)\n            all = combine(all, x);\n    }/r);
spew("$folder/own_max_loses.cl", slurp($own_max) =~ s/load\(in, i\)/load(in, i == 501 ? 500 : i)/r);
spew("$folder/max_loses.cl", slurp("$folder/own_max_loses.cl") =~ s/all = max\(/all = combine(/r);
for my $device (@devices) {
    my @judge = ("$root/judge06", '--device', $device->{number}, qw(--op max --groups 2 --group 64 --n), '1001,1024', '--type');
    for my $type ($test_all ? qw(int uint long double) : 'int') {
        for my $kernel ($own_max, $filter) {
            my ($status, $out) = run(@judge, $type, $kernel);
            is($status, 0, "a maximum of $type with a comparison of its own is right on $device->{name}") or diag($out);
        }
    }
    for my $loses ("$folder/own_max_loses.cl", "$folder/max_loses.cl") {
        my ($status, $out) = run(@judge, 'int', $loses);
        like("$status $out", qr/^1 WRONG: .*\n  n = 1001: .* \(the extreme is at 501\)$/m, '... and a lost element becomes the extreme')
            or diag($out);
    }
}

# ---- a float kernel with a mistake in a branch of its own: the elements that it loses are found as floats
my $tree_of_doubles = spew("$folder/doubles.cl", slurp("$root/kernels/06_two_stage.cl")
        =~ s/upper = \(active \+ 1\) \/ 2;/upper = sizeof(value) == 8 ? active \/ 2 : (active + 1) \/ 2;/r);
for my $device (@devices) {
    my (undef, $out) = run("$root/judge06", '--device', $device->{number}, qw(--tap --op sum --type double --group 7 --n 231),
        $tree_of_doubles);
    like($out, qr/^not ok .*\n(?:# .*\n)*# groups of 4 are right at n = 135\n# likely: does the tree lose/m,
        "a tree that is wrong for double only on $device->{name}")
        or diag($out);
}

# ---- a kernel that reads nothing but the last three elements of a small input: no accumulator of it is overwritten
my $reads_tail = spew("$folder/tail.cl", slurp("$root/kernels/08_vectorised.cl") =~ s/groups \* 4 \* quarter \* WIDTH/vectors * WIDTH/r);
for my $device (@devices) {
    local $ENV{REDUCE_CAUSE} = 1;
    my (undef, $out) = run("$root/judge08", '--device', $device->{number}, qw(--tap --variant vectorised --op sum --type int --n 65),
        $reads_tail);
    like($out, qr/^# elements 0\.\.\d+ are lost\n# .*\n# cause: vectors_lost$/m, "only a tail is read on $device->{name}")
        or diag($out);
}

# ---- an index of 16 bits: the elements that it can count may be read several times, the others are lost
my $short = spew("$folder/short.cl", slurp("$root/kernels/02_global.cl") =~ s/\b(?:ulong|size_t|uint|int) i = /short i = /r);
# ---- a kernel that reads float is tried as a sum of floats, not as a sum of words
my $names_float = spew("$folder/float.cl", slurp("$root/kernels/06_two_stage.cl")
        =~ s/global const input \*in/global const float *in/r =~ s/i < n;/i < n \/ 4;/r);
for my $device (@devices) {
    local $ENV{REDUCE_CAUSE} = 1;
    my @judge = ('--device', $device->{number}, qw(--op sum --n), 131715);
    my (undef, $out) = run("$root/judge02", @judge, qw(--tap --variant global --type int --group 256), $short);
    like($out, qr/^# elements 32768\.\.\d+ are lost.*\n(?:# .*\n)*# cause: n_truncated$/m, "an index of 16 bits on $device->{name}")
        or diag($out);
    (undef, $out) = run("$root/judge06", @judge[ 0 .. 4 ], qw(1000 --tap --variant commutative --type float), $names_float);
    like($out, qr/^# cause: rest_not_read$/m, "a kernel of floats is not tried with words on $device->{name}") or diag($out);
    next unless $device->{name} =~ /\[POCL\]/; # other compilers may give a division by 0 any value
    my $divides = spew("$folder/divides.cl", slurp("$root/kernels/02_blocked.cl") =~ s/get_global_size\(0\)/(get_global_size(0) \/ 4096)/gr);
    (my $status, $out, my $err) = run("$root/judge02", @judge, qw(--variant blocked --type int --group 32 --groups 1), $divides);
    like("$status $err", qr/^1 judge02: the kernel divides an integer by 0/, "a division by 0 on $device->{name}") or diag($out);
}

# ---- the command that draws the loads: a shell executes it, and it names the variant
{
    my $halved = spew("$folder/it's mine.cl",
        slurp("$root/kernels/06_two_stage.cl") =~ s/\+= get_global_size\(0\)/+= get_global_size(0) \/ 2/r);
    my (undef, $out) = run("$root/judge06", '--device', $devices[0]{number},
        qw(--variant associative --op sum --type int --n 1000 --group 64 --groups 4), $halved);
    my ($command) = $out =~ /^  (make picture .*) draws which work-item/m;
    like($command // '', qr/^make picture STEP=06 KERNEL='\Q$folder\E\/it'\\''s mine\.cl' VARIANT=associative$/, 'the command that draws it')
        or diag($out);
    if ($test_all) { # it writes into build/
        my ($status, $drawn, $err) = run('bash', '-c', "cd '$root' && $command");
        like("$status $drawn", qr/\A0 build\/.*\nAccess order of /, '... draws it') or diag($err);
    }
}

# ---- nothing could be judged: the first reason is printed, because the others follow from it, or are of other operations
{
    my $full = slurp("$root/kernels/06_two_stage.cl") =~ s/^\{\n\K/    local uchar big[BYTES];\n    big[get_local_id(0)] = n % 7;\n/mr
        =~ s/(?=    if \(id == 0\))/    if (big[n % get_local_size(0)] == 77)\n        return;\n/r;
    my %facts = map { /^(\w+)=(.*)/ } split /\n/, (run("$root/step06", '--device', $devices[0]{number}, '--facts'))[1];
    my ($status, $out) = run("$root/judge06", '--device', $devices[0]{number},
        spew("$folder/full.cl", "#define BYTES $facts{local_bytes}\n$full"));
    like("$status $out", qr/^77 skipped: commutative: .*leaves no room for scratch$/m, 'no operation fits: the first reason');
}

# ---- arguments that reduce() must not have: the message says which one, and why
for (
    [ 'global const input *in, global value *out',                           'reduce has 2 arguments' ],
    [ 'global const input *in, uint n, global value *out',                   'argument 2 of reduce is wrong' ],
    [ 'global const input *in, ulong n, local value *out',                   'argument 3 of reduce is wrong' ],
    [ 'global const short *in, ulong n, global value *out',                  'reads short, but the elements are int: write int' ],
    [ 'global const input *in, ulong n, global long *out',                   'takes long \*out, but out\[\] has .* 4 bytes, not of 8' ],
    [ 'global const input *in, ulong n, global value *out, local long *s',   'takes long \*scratch, but .* 4 bytes, not of 8' ],
    [ 'global const input *in, ulong n, global value *out, local float4 *s', 'takes float4 \*scratch, .*: vload4\(i, in\)', 'float' ],
) {
    my ($arguments, $sentence, $type) = @$_;
    my $file = spew("$folder/arguments.cl", qq(#include "operator.clh"\nkernel void reduce($arguments) { *out = 0; }\n));
    my ($status, $out, $err) = run("$root/judge06", '--device', $devices[0]{number}, qw(--n 1000 --op sum --type), $type // 'int',
        $file);
    my @sentences = "$out$err" =~ /$sentence/g;
    is("$status " . @sentences, '2 1', "wrong arguments: once '$sentence'") or diag("$out$err");
}

# ---- the log of the compiler names the files of the kernel's folder by the path that the user typed
{
    my $file = spew("$folder/broken.cl", qq(#include "broken.clh"\nkernel void reduce() { unknown(); }\n));
    spew("$folder/broken.clh", qq(#include "operator.clh"\nint f(void) { return missing; }\n));
    my ($status, $out, $err) = run("$root/judge06", '--device', $devices[0]{number}, qw(--op sum --type int), $file);
    like("$status $err", qr/^2 .*\Q$folder\E\/broken\.clh:2:22/s, 'an error in an included file: the folder')
        or diag($out);
    like($err, qr/\Q$folder\E\/broken\.cl:2:/, '... and one in the kernel');
}

# ---- Oclgrind compiles and runs a value in place of a pointer, but the compiler of the device says what is wrong
for my $device (@devices) {
    my $no_pointer = spew("$folder/no_pointer.cl", slurp("$root/kernels/02_global.cl") =~ s/combine_global\(\K&?out(?:\[0\])?/out[0]/r);
    my ($status, $out, $err) = run("$root/judge02", '--device', $device->{number}, qw(--op sum --type int), $no_pointer);
    like("$status $err", qr/^2 .*incompatible integer to pointer conversion .*; take the address with &$/ms,
        "a value in place of a pointer: the message of the compiler on $device->{name}")
        or diag($out);
    unlike($out, qr/Oclgrind/, '... and nothing that Oclgrind saw');
}

# ---- work_group_reduce_add() in a step whose own kernel does not need it: compiled for the OpenCL C of the device, or refused
my $work_group = spew("$folder/work_group.cl", <<'END');
#include "operator.clh"
kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));
    all = work_group_reduce_add(all);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
END
for my $device (list_devices()) {
    my %facts = read_facts($device);
    my ($status, $out, $err) = run("$root/judge06", '--device', $device->{number}, qw(--op sum --type int --n 1000 --group 64),
        $work_group);
    my $expected = $facts{work_group_reduce} eq 'yes' ? qr/^0 right: / : qr/^2 .*: this device has no work-group functions,/s;
    like("$status $out$err", $expected, "work_group_reduce_add() on $device->{name}");
    ($status, $out, $err) = run("$root/judge06", '--device', $device->{number}, qw(--op sum --type int --n 1000 --group 64),
        spew("$folder/sub_group.cl", slurp($work_group) =~ s/work_group_reduce/sub_group_reduce/r));
    next unless $err =~ /'sub_group_reduce_add'/; # it may compile, and is then wrong in larger groups
    like("$status $err", qr/^2 .*: sub_group_combine\(\), from subgroup\.clh,/s, "sub_group_reduce_add() on $device->{name}");
}

# ---- what the judge must not claim: that several work-items write the value, if it is the last one of groups of several sizes; that
# elements are lost, if all sums differ in their last digits, or if a later run finds them; that elements are those of some groups,
# if other groups read them, too. Which groups are right is evidence, so it has its n.
my $step_06 = slurp("$root/kernels/06_two_stage.cl");
my $half = $step_06 =~ s/i \+= get_global_size\(0\)/i += get_global_size(0) \/ 2/r;
my $two_groups = $step_06 =~ s/i \+= get_global_size\(0\)/i += 2 * get_local_size(0)/r;
my $block_3 = $step_06 =~ s/(?=    for .ulong i = get_global_id)/    ulong part = (n + get_num_groups(0) - 1) \/ get_num_groups(0);\n/r
    =~ s/i = get_global_id\(0\); i < n; i \+= get_global_size\(0\)/i = get_group_id(0) * part + get_local_id(0);
        get_group_id(0) != 3 && i < min(n, (get_group_id(0) + 1) * part); i += get_local_size(0)/r;
my $for_powers = $step_06 =~ s/upper = \(active \+ 1\) \/ 2;/upper = active \/ 2;/r;
# At n = 20000 the elements of work-item 0 are always lost. With fewer they are lost in six of seven runs, but not where Oclgrind
# looks.
my $alternates = $step_06 =~ s/all = combine\(all, (load\(in, i\))/all = max(all, $1/r =~ s/(?=\n *uint id)/<<'LOSE'/er;

    volatile global uint *run = (volatile global uint *)in + n + 100;
    if (get_global_id(0) == 0 && (n == 20000 || (n > 1100 && n < 4900 && (*run)++ % 7 < 6)))
        all = identity();
LOSE
my $scaled = slurp("$root/kernels/06_two_stage.cl") =~ s/(] = scratch\[0\])/$1 * 1.00000001/r;
my $last_writes = slurp("$root/kernels/06_two_stage.cl") =~ s/if \(id == 0\)/if (id == group_size - 1)/r;
my @claims = (
    [has_oclgrind() ? ($last_writes, 'int') : (), qr/: is a barrier or an atomic missing/, qr/several work-items of a group/],
    [$scaled, 'double', qr/likely: the operator/, qr/\blost\b/],
    [$two_groups, 'int', qr/ 512\.\.1023 are counted twice: those of groups 2 to 3, if the groups read in turn\n/, qr/ from \d+ on/],
    [$block_3, 'int', qr/ elements 1563\.\.2083 are lost: those of group 3, if each reads one block\n/, qr/read in turn/],
    [$half, 'int', qr/ are counted twice\n/, qr/\bgroups? (from )?\d+/],
    [$for_powers, 'int', qr/\n  groups of 64 are right at n = \d+\n  likely: does the tree lose/, qr/are wrong/, qw(--group 100)],
    [$alternates, 'int', qr/\n  two runs on the same input differ\n/, qr/\blost\b/, qw(--op max --n 20000)],
);
for (grep { @$_ >= 4 } @claims) {
    my ($text, $type, $says, $not, @further) = @$_;
    my ($status, $out) = run("$root/judge06", '--device', $devices[0]{number}, qw(--op sum --type), $type, @further,
        spew("$folder/claims.cl", $text));
    like("$status $out", qr/^1 .*$says/s, "$type: says $says") or diag($out);
    unlike($out, $not, "... and not $not");
}

# ---- what races at a place of the result, although the result is right inside Oclgrind: a value that work-items combine with an
# earlier one there needs an atomic, and a value that all of them write needs an if
if (has_oclgrind()) {
    my $plain_sum = slurp("$root/kernels/02_global.cl") =~ s/combine_global\(out, (.*)\);/out[0] = combine(out[0], $1);/r;
    my $all_write = slurp("$root/kernels/03_local_tree.cl") =~ s/if \(id == 0\)/barrier(CLK_LOCAL_MEM_FENCE);/r;
    for ([ '02', $plain_sum, 'is an atomic operation missing' ], [ '03', $all_write, 'is an if \(id == 0\) missing' ]) {
        my ($step, $text, $says) = @$_;
        my ($status, $out) = run("$root/judge$step", '--device', $devices[0]{number}, qw(--op sum --type int), spew("$folder/place.cl", $text));
        like("$status $out", qr/^1 [^\n]*Write-write data race in global memory[^\n]*: (?:several[^\n]*: )?$says/, "step $step: $says");
    }
}

# ---- a mistake that only the judge's own inputs show: the message names the input
my $zero_is_one = spew("$folder/zero_is_one.cl", <<'END');
#include "operator.clh"
kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
    if (get_global_id(0) == 0)
        for (ulong i = 0; i < n; i++)
            all = combine(all, load(in, i));
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = get_group_id(0) == 0 && all == 0 ? 1 : all;
}
END
{
    my ($status, $out) = run("$root/judge06", '--device', $devices[0]{number}, qw(--n 1000 --op sum --type int), $zero_is_one);
    like("$status $out", qr/^1 .*: expected 0, got 1, .* \(all elements are 0\)$/ms, 'a kernel whose sum of zeros is 1: the input')
        or diag($out);
}

# ---- an Oclgrind that cannot be loaded certifies nothing, and neither does another runtime
{
    local $ENV{OCL_ICD_VENDORS} = make_vendors(spew(make_folder() . '/empty.so', ''));
    my ($status, $out) = run("$root/judge06", '--device', $devices[0]{number}, qw(--tap --op sum --type int --n 1000),
        "$root/kernels/06_two_stage.cl");
    like($out, qr/^ok 1 - Oclgrind: .* # SKIP Oclgrind itself fails/m, 'an Oclgrind that cannot be loaded: the question is skipped')
        or diag($out);
    ($status, $out) = run("$root/judge06", qw(--races --n 1000), "$root/kernels/06_two_stage.cl");
    like("$status $out", qr/^77 .*: Oclgrind itself fails/, '... and --races finds nothing out');
}
{
    local $ENV{REDUCE_INSIDE_OCLGRIND} = 1; # as inside Oclgrind
    my ($status, $out, $err) = run("$root/judge06", '--device', $devices[0]{number}, qw(--races --n 1000));
    like("$status $err", qr/^2 judge06: the runtime .* is no Oclgrind: /, 'another runtime in its place: --races refuses it');
}

# ---- a wrong value whose printed part is right: the message must show its bits
(my $key = slurp("$root/kernels/08_serial_groups.cl")) =~ s/load\(in, i\)/(ulong)(uint)in[i] << 32 | (uint)i/ or die;
for my $device (@devices) {
    my ($status, $out) = run("$root/judge08", '--device', $device->{number}, '--tap', spew("$folder/key.cl", $key),
        qw(--n 1 --op argmin --type int));
    like($out, qr/: expected 0x(\w+), got 0x(?!\1\b)\w+ \(both are shown as 0\)/, "a wrong key: its bits on $device->{name}")
        or diag($out);
    unlike($out, qr/expected 0,|difference 0/, '... and not the values, which look equal');
}

# ---- which races are mistakes: a barrier or an atomic is missing, although there is a fence, or although Oclgrind's order of the
# work-items gives the right result. What only a fence orders is formally a race.
my $last_group = <<'END';
    int all = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all += in[i];
    uint id = get_local_id(0), groups = get_num_groups(0);
    volatile global uint *arrived = (volatile global uint *)out + 1 + groups;
    scratch[id] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 1; id == 0 && k < get_local_size(0); k++)
        scratch[0] += scratch[k];
    if (id == 0) {
        out[1 + get_group_id(0)] = scratch[0];
        ORDER;
        if (atomic_inc(arrived) == groups - 1) {
            out[0] = 0;
            for (uint g = 0; g < groups; g++)
                out[0] += out[1 + g];
            atomic_xchg(arrived, 0);
        }
    }
END
my $local_sum = <<'END';
    local int sum;
    uint id = get_local_id(0);
    if (id == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        ADD;
    BARRIER;
    if (id == get_local_size(0) - 1)
        out[get_group_id(0)] = sum;
END
my $tree = <<'END';
    uint id = get_local_id(0);
    scratch[id] = get_global_id(0) < n ? in[get_global_id(0)] : 0;
    for (uint offset = 1; offset < get_local_size(0); offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id % (2 * offset) == 0)
            scratch[id] += scratch[id + offset];
    }
    out[get_group_id(0)] = scratch[0];
END
my @races = (
    ['a fence in a comment', '11', $last_group =~ s/ORDER;/\/\/ mem_fence(CLK_GLOBAL_MEM_FENCE);/r, 'race'],
    ['a fence for local memory', '11', $last_group =~ s/ORDER/mem_fence(CLK_LOCAL_MEM_FENCE)/r, 'race'],
    ['a fence in #if 0', '11', $last_group =~ s/( *)ORDER;/#if 0\n$1mem_fence(CLK_GLOBAL_MEM_FENCE);\n#endif/r, 'race'],
    ['a fence in a macro without a use', '11', $last_group =~ s/( *)ORDER;/#define ORDER mem_fence(CLK_GLOBAL_MEM_FENCE)/r, 'race'],
    ['a fence in a macro', '11', $last_group =~ s/(?=.*ORDER)/#define ORDER mem_fence(CLK_GLOBAL_MEM_FENCE)\n/r, 'formal_race'],
    ['a fence', '11', $last_group =~ s/ORDER/mem_fence(CLK_GLOBAL_MEM_FENCE)/r, 'formal_race'],
    ['an addition and a fence', '02', <<'END', 'race'],
    ulong i = get_global_id(0);
    if (i < n) {
        *out = *out + in[i];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
END
    ['all work-items write the result', '03', $tree, 'race', qr/several work-items of a group .* an if \(id == 0\) missing/],
    ['all work-items write the result after a barrier', '03', $tree =~ s/(?= +out\[)/    barrier(CLK_LOCAL_MEM_FENCE);\n/r, 'race',
        qr/global memory, line \d+ .* several work-items of a group .* an if \(id == 0\) missing/],
    ['all work-items set an array to zeros', '03', "    for (uint k = 0; k < get_local_size(0); k++)\n        scratch[k] = 0;\n"
        . "    barrier(CLK_LOCAL_MEM_FENCE);\n" . $tree =~ s/(?=out\[)/if (id == 0) /r, ''],
    ['only the last work-item writes it', '03', $tree =~ s/(?=out\[)/if (id == get_local_size(0) - 1) /r, 'race',
        qr/: is a barrier or an atomic missing/],
    ['only work-item 0 writes it', '03', $tree =~ s/(?=out\[)/if (id == 0) /r, ''],
    ['no barrier after atomics', '06', $local_sum =~ s/ADD/atomic_add(&sum, in[i])/r =~ s/ +BARRIER;\n//r, 'race'],
    ['a barrier after atomics', '06', $local_sum =~ s/ADD/atomic_add(&sum, in[i])/r =~ s/BARRIER/barrier(CLK_LOCAL_MEM_FENCE)/r, ''],
    ['an old value that is only compared', '06', $local_sum =~ s/ADD/if (sum != 1 || in[i] != 0)\n            atomic_add(&sum, in[i])/r
        =~ s/BARRIER/barrier(CLK_LOCAL_MEM_FENCE)/r, 'formal_race'],
);
for (has_oclgrind() ? @races : ()) {
    my ($what, $step, $body, $cause, $sentence) = @$_;
    my $arguments = 'global const int *in, ulong n, global int *out' . ($step eq '02' ? '' : ', local int *scratch');
    my $kernel = spew("$folder/races.cl", "kernel void reduce($arguments)\n{\n$body}\n");
    local $ENV{REDUCE_CAUSE} = 1;
    my @options = (qw(--races --op sum --type int --n 1000 --group 64), $step =~ /0[23]/ ? () : qw(--groups 4));
    my ($status, $out, $err) = run("$root/judge$step", @options, $kernel);
    my %causes = map { $_ => 1 } $out =~ /# cause: (\w+)/g;
    is(join(' ', sort keys %causes), $cause, "--races: $what: " . ($cause || 'nothing found')) or diag($out, $err);
    like($out, $sentence, '... and the question') if $sentence;
}

# ---- a kernel that compiles only for some types: the others are not ok, and the check continues
sub replace_combine_by_plus {
    my ($file) = @_;
    my $text = slurp("$root/kernels/$file");
    $text =~ s/combine\((.*?), (.*)\);/$1 + $2;/g or die "$file has no combine() any more\n";
    return $text;
}
spew("$folder/plus.cl", replace_combine_by_plus('03_local_tree.cl')); # does not compile for hash, which has no +
my $four = spew("$folder/int4.cl", <<'END');
kernel void reduce(global const int4 *in, ulong n, global int *out, local int *scratch)
{
    int4 many = 0;
    for (ulong i = get_global_id(0); i < n / 4; i += get_global_size(0))
        many += in[i];
    int all = many.x + many.y + many.z + many.w;
    for (ulong i = n / 4 * 4 + get_global_id(0); i < n; i += get_global_size(0))
        all += ((global const int *)in)[i];

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] += scratch[id + upper];
    }
    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
END
for my $device ($test_all ? @devices : ()) {
    my @on = ('--device', $device->{number}, '--tap', @few);
    my ($status, $out, $err) = run("$root/judge03", @on, "$folder/plus.cl");
    my ($planned, $printed) = ($out =~ /^1\.\.(\d+)$/m, scalar(() = $out =~ /^(?:not )?ok /mg));
    is("$status $printed", "1 $planned", "+ instead of combine() on $device->{name}: prints as many tests as planned");
    unlike($out, qr/^not ok .*: sum /m, '... sums are right');
    like($out, qr/^not ok .*: hash int.*\n# .*cannot be used for hash of int/m, '... hash does not compile');
    like($out, qr/^# to check only this: --op sum --type int$/m, '... and a line says how to check only the sums');
    is(scalar(() = $err =~ /build log/g), 1, '... the build log is printed once') or diag($err);
    ($status, $out, $err) = run("$root/judge03", @on, qw(--op sum --type int), "$folder/plus.cl");
    is("$status$err", '0', '... and the sums alone pass') or diag($out);
    ($status, $out, $err) = run("$root/judge07", @on, qw(--op sum --type int), $four);
    is("$status$err", '0', "int4 on $device->{name}") or diag($out);

    spew("$folder/float.cl", "#define for_float 1\n#define FOR(type) for_##type\n#define IS(type) FOR(type)\n"
            . "#if !IS(ELEMENT)\n#error for float only\n#endif\n" . replace_combine_by_plus('06_two_stage.cl'));
    ($status, $out, $err) = run("$root/judge06", @on, qw(--op sum), "$folder/float.cl");
    my %judged = (); # 'int' or 'not int' and so on => the number of its lines that are ok, or not ok
    $judged{ ($1 // "") . $2 }++ while $out =~ /^(not )?ok \d+ - step06 commutative: sum (\w+)/mg;
    is($judged{'not int'}, 1, "only float compiles on $device->{name}: one line for each other type") or diag($out);
    cmp_ok($judged{float} // 0, '>', 5, '... float is checked in all group sizes');
    like($out, qr/^# to check only this: --op sum --type float$/m, '... and a line says how to check only float');

    # ---- the type of n: an integer of 64 bits, but not size_t
    my %statuses = ('size_t n' => 2, $test_all ? ('my_size n' => 0, 'long n' => 0) : (), 'uint n' => 2);
    for my $name (sort keys %statuses) {
        (my $text = slurp("$root/kernels/06_two_stage.cl")) =~ s/ulong n,/$name,/ or die "06_two_stage.cl takes no ulong n\n";
        my $named = spew("$folder/named.cl", "typedef ulong my_size;\n$text");
        ($status, $out, $err) = run("$root/judge06", '--device', $device->{number}, qw(--n 1000 --op sum --type int), $named);
        is($status, $statuses{$name}, "$name on $device->{name}: exit $statuses{$name}") or diag($err);
        like($err, qr/named\.cl.*: size_t is not allowed .*: write ulong$/m,
            '... and the message says what to write instead') if $name =~ /^size_t/;
        next if $status;
        ($status, $out, $err) = run("$root/step06", '--device', $device->{number}, qw(--n 1000 --reps 3 --seconds 0 --kernel),
            $named);
        like($out, qr/^for the step's own kernel, not for .*named\.cl:\npredicted/m,
            '... and step06 says that the predictions are those of its own kernel') or diag($err);
    }
}

done_testing();
