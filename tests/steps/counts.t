#!/usr/bin/perl
# Oclgrind, a simulator, counts barriers, atomics and bytes read. The counts must equal those that the plans predict. Oclgrind
# must also find no race, no read of uninitialised memory, no divergent barrier and no address out of bounds. `make test` counts
# only in the main variants of steps 03, 07 and 11, and looks for races only in step 03.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

plan skip_all => 'no oclgrind' unless has_tool('oclgrind');

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
    return 'tiles' if @options && $options[0] eq '--op';
    return 'block' if @options && $options[0] eq '--width';
    my %some = ( # fmin and min share a kernel; Oclgrind does not know work_group_reduce
        '07' => [qw(vector local)],
        '09' => [qw(sub_group leader_global leader_local)],
    );
    return @{ $some{$step} }[ $test_all ? 0 .. $#{ $some{$step} } : 0 ] if $some{$step};
    my @all = map { /^(\S+)/ } split /\n/, (run("$root/step$step", '--variants'))[1];
    return $test_all ? @all : $all[0];
}

# Returns a hash of counts for each launch of `reduce`, in the order of the launches, from the output of Oclgrind 21.10.
sub count_launches {
    my ($text) = @_;
    local $ENV{PYTHONPATH} = "$root/steps/exercises";
    my ($status, $out) = run('python3', '-Bc', <<'PYTHON', spew(make_folder() . '/counts', $text));
import accesses, sys
for launch in accesses.count_instructions(open(sys.argv[1]).read()):
    print(*(f"{name}={count}" for name, count in launch.items()))
PYTHON
    return map { my %launch = map { split /=/ } split / /; delete $launch{loads}; \%launch } split /\n/, $out;
}

# Formats a number of bytes as the steps do.
sub format_bytes {
    my ($bytes) = @_;
    return "$bytes B" if $bytes < 1024;
    return sprintf($bytes % 1024 ? '%.1f KiB' : '%d KiB', $bytes / 1024);
}

for (grep { $test_all || $_->[0] % 4 == 3 && "@$_" !~ /--op/ } @cases) {
    my ($step, @options) = @$_;
    for my $variant (choose_variants(@$_)) {
        my $name = "step$step $variant" . (@options ? " @options" : '');
        my @geometry = $step eq '08' ? () : ('--group', $group_size);
        my ($status, $out, $err) = run('oclgrind', '--inst-counts', "$root/step$step", '--variant', $variant, '--n', $n,
            @geometry, @options, qw(--reps 3 --seconds 0 --warm));
        my @predicted = map { /^kernel\s+(\d+) x\s+(\d+)\s+([\d.]+ \w+)\s+(\d+|-)\s+(\d+)\s+(\d+)/ ? [ $1, $2, $4, $5, $6,
            $3 ] : () }
            split /\n/, $out;
        if ($status || !@predicted) {
            fail("$name: ends with 0 under Oclgrind and prints its predictions");
            diag("exit $status\n", substr($out, 0, 2000), $err);
            next;
        }
        my @all = count_launches($out);
        my @last = splice @all, -@predicted; # the last reduction, which the second verdict checks, is of n elements
        my $read = "@options" =~ /--n (\d+)/ ? $1 : $n;
        my @expected;
        for (@predicted) {
            my ($groups, $items, $barriers, $local, $global, $printed) = @$_;
            my $counted = $last[@expected];
            $counted->{printed} = $printed;
            delete $counted->{local_loads}; # the exercises ask for them; no plan predicts them
            # -: the last group has more barriers
            $barriers = $barriers eq '-' ? $counted->{barriers} : $barriers * $items * $groups;
            push @expected, { barriers => $barriers, local_atomics => $local,
                global_atomics => $global, bytes => 4 * $read, printed => format_bytes(4 * $read) };
            $read = $groups; # the next launch reads the partial results of this one
        }
        is_deeply(\@last, \@expected, "$name: barriers, atomics and bytes read are as predicted");
    }
}

# ---- races
# One process under Oclgrind tries all sizes and writes a log, which must be empty. It tries only one width, because wider loads
# cause no further races. The log also covers the launches that generate the data.
#
# Then --races, which also finds reads of uninitialised memory, but starts a process for each n. The main variants of three steps
# get the three cases that --races chooses itself. In test-all the other variants get one case, and one of another operation if
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
        my ($status, $out) = run('oclgrind', '--data-races', '--log', $log, "$root/step$step", '--check', '--n', '1,49,1000',
            ($step eq '08' ? () : ('--group', '7,48,64')), ($width ? qw(--width 4) : ()), qw(--op sum --type int --variant),
                $variant, @options);
        my $found = -e $log ? slurp($log) : '';
        ok($status == 0 && $found eq '' && $out =~ /^ok (?!.*# SKIP)/m, "$name: no data race at any n and group size")
            or diag("exit $status\n$out", substr($found, 0, 2000));
        my $all = $full || $main || "@options" =~ /--n /;
        my @cases = $all ? [] : [qw(--n 5000)];
        push @cases, [qw(--op min --type float --n 1000)] if !$all && slurp("$root/kernels/$file") =~ /atomics\.clh/;
        for ($main || $test_all ? @cases : ()) {
            my @case = (@options, @$_);
            ($status, $out) = run("$root/step$step", '--races', '--variant', $variant, ($step eq '08' ? () : ('--group',
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
    my ($status, $out) = run("$root/step$step", '--races', '--variant', $variant, '--group', $group_size, '--kernel',
        spew(make_folder() . '/racing.cl', $text));
    ok($status == 1 && $out =~ /^  .*$says/m, "$what: --races finds it, exit 1") or diag("exit $status\n$out");
}

done_testing();
