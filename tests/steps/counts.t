#!/usr/bin/perl
# Oclgrind, a simulator, counts barriers, atomics and bytes read. For every kernel that it can execute, the counts must equal those
# that the plans predict. Oclgrind must also find no race, no read of uninitialised memory, no divergent barrier and no address out
# of bounds. Oclgrind takes seconds for each variant, so `make test` counts steps 03, 07, 08 and 11 at one n, and looks for races
# only in step 03, at one n: these steps have a tree, vectors, no groups, and one launch.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

plan skip_all => 'no Oclgrind' unless has_oclgrind();

my ($n, $group_size) = (1000, 48); # neither is a power of two, and n is not a multiple of the group size

# Steps and further options. Step 01 launches no kernel. Oclgrind has no sub-groups, so these are emulated, with eight lanes (in
# test-all also with one). Step 11 stores a minimum in its word in another way than a sum, and does not use the word if there is
# only one group.
sub has_sub_groups { return slurp(find_step_source($_[0])) =~ /\bSUB_GROUPS\b/ }
my @cases = (
    (map { [$_] } grep { !has_sub_groups($_) } @steps[ 1 .. $#steps ]),
    [qw(10 --width 4 --subgroups local:8)],
    [qw(11 --op min --subgroups local:8)],
    [qw(11 --op sum --n 40 --subgroups local:8)],
    map { my $lanes = $_; map { [ $_, '--subgroups', "local:$lanes" ] } grep { has_sub_groups($_) } @steps } $test_all ? (1,
        8) : 8
);

sub choose_variants {
    my ($step, @options) = @_;
    return 'word' if @options && $options[0] eq '--op';
    return 'block' if @options && $options[0] eq '--width';
    my %some = ( # fmin and min share a kernel; Oclgrind does not know work_group_reduce
        '07' => [qw(vector local)],
        '09' => [qw(sub_group leader_global leader_local)],
    );
    return @{ $some{$step} }[ $test_all ? 0 .. $#{ $some{$step} } : 0 ] if $some{$step};
    my @all = map { /^(\S+)/ } split /\n/, (run("$root/step$step", '--variants'))[1];
    return $test_all ? @all : $all[0];
}

# Returns the rows of counts.dat for some settings, after plots/counts.py has compared them with the predictions. $expected names the
# variants that Oclgrind cannot count, with the reasons.
sub count {
    my ($name, $expected, %settings) = @_;
    local @ENV{ keys %settings } = values %settings;
    my $data = make_folder() . '/counts.dat';
    unlink $data;
    my ($status, $out, $err) = run("$root/plots/counts.py", $data);
    ok($status == 0 && $err !~ /predicted/, "$name: barriers, atomics and bytes read are as predicted") or diag($out, $err);
    unlike($err, qr/^\s*Kernel: /m, '... and Oclgrind finds no mistake, not even in the kernels that measure the read limit');
    my ($columns, @rows) = map { [split] } grep { !/^#/ } -e $data ? split /\n/, slurp($data) : ();
    my %reasons = -e $data ? slurp($data) =~ /^# (.*) left out: (.*)/mg : ();
    is_deeply(\%reasons, $expected, '... of all other variants than ' . join ', ', sort keys %$expected);
    return map { my $row = $_; +{ map { $columns->[$_] => $row->[$_] } 0 .. $#$row } } @rows;
}

my %cannot = ('01 host' => 'it launches no kernel', '09 work_group' => 'this device has no work_group_reduce functions');
my %no_groups = map { ($_ => '--group has no effect on ' . s/^\d+ //r . ': leave it out') } '01 host', '08 groups', '08 one_group',
    '08 vectorised';
my %without_rows = (%cannot, %no_groups);
my %in_groups = (N => $n, OPTIONS => "--group $group_size");
my @counted_steps = $test_all ? @steps : qw(03 07 11);
my @rows = ($test_all ? count("all steps in groups of $group_size", \%without_rows, %in_groups)
    : count("steps @counted_steps in groups of $group_size", {}, %in_groups, STEP => "@counted_steps"),
    count('step 08', {}, N => $n, STEP => '08'));
my %counted = map { ("$_->{step} $_->{variant}" => 1) } @rows;
my @missing = grep { !$counted{$_} && !$cannot{$_} } map { my $step = $_;
    map { /^(\S+)/ ? "$step $1" : () } split /\n/, (run("$root/step$step", '--variants'))[1] } @counted_steps;
is("@missing", '', 'every variant of these steps is counted, or listed with a reason');
# The prediction shows only two digits of the bytes.
is_deeply([ map { $_->{bytes} } grep { $_->{launch} == 1 } @rows ], [ map { 4 * $n } keys %counted ],
    'each variant reads each element exactly once');
if ($test_all) {
    count('one emulated lane', { '09 work_group' => $cannot{'09 work_group'} }, N => $n, STEP => '09 10 11',
        SUBGROUPS => 'local:1', OPTIONS => "--group $group_size");
    count('a width of 4', { '10 plain' => '--width has no effect on plain: leave it out' }, N => $n,
        STEP => '10', OPTIONS => '--width 4');
    my @rows = count('a single group', {}, N => 40, STEP => '11', OPTIONS => "--group $group_size");
    is(join(' ', map { $_->{predicted_barriers} } @rows), '8 8', '... and the barriers of both variants are predicted');
    count('minima in one word', {}, N => $n, STEP => '11', OPTIONS => "--op min --group $group_size --groups 2");
    count('the sizes of plots/results/counts.dat', \%cannot);
}

{
    my ($folder, $path) = (make_folder(), $ENV{PATH});
    local $ENV{PATH} = hide_tools('ocloc');
    my ($status, $out, $err) = do {
        local $ENV{OCL_ICD_VENDORS} = make_vendors();
        run("$root/plots/counts.py", "$folder/none.dat");
    };
    like("$status $err", qr/\A2 (?:.*\n)?counts\.py: Oclgrind is missing: try make deps\n\z/, 'without Oclgrind: one line');
    ok(!-e "$folder/none.dat", '... and no data');

    # make counts: this ocloc makes the same listing of every kernel
    my $copy = copy_tree(qw(Makefile .ci common kernels plots steps build), (map { "step$_" } '00', @steps, @built_capstones), @judges);
    my ($new, @make) = ("$copy/new folder", 'make', '-s', '-C', $copy, 'counts');
    for my $setting ('N=1000', 'STEP=02', 'SUBGROUPS=local:1', 'OPTIONS=--group 48') {
        ($status, $out, $err) = run(@make, $setting);
        like("$status $out$err", qr/\A2 [^\n]*add RESULTS=folder[^\n]*\n\z/, "make counts $setting: one line");
    }
    push @make, 'N=1000', 'STEP=02', "RESULTS=$new";
    ($status, $out, $err) = run(@make);
    like("$status $err", qr/\A2 (?:.*\n)?asm\.py: no ocloc: .*\nmake: .*\n\z/, 'make counts without ocloc: one line of asm.py');
    ok(!-e $new, '... before anything is counted');
SKIP: {
        skip 'no gnuplot', 2 unless has_tool('gnuplot');
        mkdir "$folder/bin";
        $ENV{PATH} = "$folder/bin:$path";
        chmod 0755, spew("$folder/bin/ocloc", "#!/bin/sh\nmkdir dump\ncat >dump/a_simd16_b.asm <<'END'\n//.kernel reduce\n"
            . "send.dc1 (16|M0) r9 r8 null 0x0 0x04205EFE // surface read with x\nEND\n");
        chmod 0755, spew("$folder/bin/dpkg-query", "#!/bin/sh\necho intel-opencl-icd 1\n"); # asm.dat names the package
        ($status, $out, $err) = run(@make);
        is(join(' ', $status, map { s{.*/}{}r } find_files($new, '*')), '0 asm.dat counts.dat counts.svg',
            'make counts RESULTS=folder: data and chart are in the folder') or diag($out, $err);
        is((run('diff', '-r', "$root/plots/results", "$copy/plots/results"))[1], '', '... and the published data are as before');
    }
}

# ---- races
# One process under Oclgrind tries all sizes and writes a log, which must be empty. It tries only one width, because wider loads
# cause no further races. The log also covers the launches that generate the data.
#
# Then --races, which also finds reads of uninitialised memory, but starts a process for each n. In test-all the main variants of
# three steps get the three cases that --races chooses itself. The other variants get one case, and one of another operation if
# that uses other atomics. Each kernel is tried once. FULL=1 tries all widths, and all three cases for all variants.
my %seen;
for ($test_all ? @cases : ['03']) {
    my ($step, @options) = @$_;
    next if "@options" =~ /local:1\b/ && !$test_all; # with eight lanes every race of one lane can occur, and further ones
    for my $variant (choose_variants(@$_)) {
        my $name = "step$step $variant" . (@options ? " @options" : '');
        my $log = make_folder() . '/log';
        unlink $log;
        my $listed = (run("$root/step$step", '--variants'))[1];
        my $main = $listed =~ /^$variant / && $step =~ /0[37]|11/ && "@options" !~ /local:1\b/;
        my ($file) = $listed =~ /^$variant +(\S+)/m;
        # with sub-groups only the main variant
        next if ($seen{"$file @options"}++ || @options && $listed !~ /^$variant /) && !$test_all;
        my ($width) = $full || "@options" =~ /--width/ ? 0 : map { $_->[0] } grep { $_->[1] eq $file } read_variants($step);
        my ($status, $out) = run_inside_oclgrind({ DATA_RACES => 1, LOG => $log }, "$root/judge$step", '--tap', '--n', '1,49,1000',
            ($step eq '08' ? () : ('--group', '7,48,64')), ($width ? qw(--width 4) : ()), qw(--op sum --type int --variant),
                $variant, @options);
        my $found = -e $log ? slurp($log) : '';
        ok($status == 0 && $found eq '' && $out =~ /^ok (?!.*# SKIP)/m, "$name: no data race at any n and group size")
            or diag("exit $status\n$out", substr($found, 0, 2000));
        my $all = $full || $main && $test_all || "@options" =~ /--n /;
        my @cases = $all ? [] : [ '--n', $test_all ? 5000 : 1000 ];
        push @cases, [qw(--op min --type float --n 1000)] if !$all && slurp("$root/kernels/$file") =~ /atomics\.clh/;
        for ($main || $test_all ? @cases : ()) {
            my @case = (@options, @$_);
            ($status, $out) = run("$root/judge$step", '--races', '--variant', $variant, ($step eq '08' ? () : ('--group',
                $group_size)), @case);
            ok($status == 0 && $out =~ ("@case" =~ /min/ ? qr/nothing found; / : qr/nothing found$/m),
                "$name: --races @$_ finds nothing")
                or diag("exit $status\n$out");
        }
    }
}

# Mistakes that --races must find. On a device that executes work-items one after another, each but the last may still give the
# right result.
for (['03', 'associative', 'a tree without barriers', '03_local_tree', 'barrier(CLK_LOCAL_MEM_FENCE);', '',
    'data race in local memory'],
    ['02', 'global', 'an addition to out[0] that is not atomic', '02_global', 'combine_global(out, load(in, i));',
        'out[0] = combine(out[0], load(in, i));', 'data race in global memory, line \d+ of .*\.cl'],
    ['07', 'local', 'a missing barrier after the identity is stored', '07_local', 'barrier(CLK_LOCAL_MEM_FENCE); // scratch',
        '// scratch', 'data race'],
    ['04', 'commutative', 'a barrier that not all work-items reach', '04_commutative_tree', 'scratch[id] = all;',
        'scratch[id] = all; if (id < 3) barrier(CLK_LOCAL_MEM_FENCE);', 'divergence'],
    ['03', 'associative', 'a read of uninitialised local memory', '03_local_tree', 'scratch[id] = all;',
        'if (i < n) scratch[id] = all;', 'Uninitialized'],
    ['06', 'commutative', 'a read far out of bounds', '06_two_stage', 'load(in, i)', 'load(in, i + 9000)', 'Invalid read']) {
    my ($step, $variant, $what, $file, $old, $new, $says) = @$_;
    next unless $test_all || $what =~ /without barriers/;
    (my $text = slurp("$root/kernels/$file.cl")) =~ s/\Q$old\E/$new/ or die "$file.cl has no '$old' any more";
    my ($status, $out) = run("$root/judge$step", '--races', '--variant', $variant, '--group', $group_size,
        spew(make_folder() . '/racing.cl', $text));
    ok($status == 1 && $out =~ /^  .*$says/m, "$what: --races finds it, exit 1") or diag("exit $status\n$out");
}

done_testing();
