#!/usr/bin/perl
# What the plans predict, against what Oclgrind, a simulator, counts: barriers, atomics, bytes read. And nothing that it
# can find wrong: no races, no reads of what nobody wrote, no divergent barriers, no addresses out of bounds. `make test`
# counts the main variant of 03, 07 and 11, and looks for races in one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

plan skip_all => 'no oclgrind' unless has_tool('oclgrind');

my ($n, $group) = (1000, 48); # neither a power of two, and n no multiple of the group

# Steps and further options; 01 launches nothing. One lane (in test-all) and eight through the stand-in: Oclgrind has no
# sub-groups. In one word a minimum is held in another way than a sum, and one group alone has no need of it.
sub has_sub_groups { return slurp(find_step_source($_[0])) =~ /\bSUB_GROUPS\b/ }
my @runs = (
    (map { [$_] } grep { !has_sub_groups($_) } @steps[ 1 .. $#steps ]),
    [qw(10 --width 4 --subgroups local:8)],
    [qw(11 --op min --subgroups local:8)],
    [qw(11 --op sum --n 40 --subgroups local:8)],
    map { my $lanes = $_; map { [ $_, '--subgroups', "local:$lanes" ] } grep { has_sub_groups($_) } @steps } $test_all ? (1, 8) : 8
);

sub choose_variants {
    my ($step, @options) = @_;
    return 'tiles' if @options && $options[0] eq '--op';
    return 'block' if @options && $options[0] eq '--width';
    my %some = ( # fmin and min have the same text; work_group_reduce is too new for Oclgrind
        '07' => [qw(vector local)],
        '09' => [qw(sub_group leader_global leader_local)],
    );
    return @{ $some{$step} }[ $test_all ? 0 .. $#{ $some{$step} } : 0 ] if $some{$step};
    my @all = map { /^(\S+)/ } split /\n/, (run("$root/step$step", '--variants'))[1];
    return $test_all ? @all : $all[0];
}

# Each launch of `reduce` in the order of running, as counted by Oclgrind 21.10: a table of counts by name.
sub count_launches {
    my ($text) = @_;
    local $ENV{PYTHONPATH} = "$root/common/judge";
    my ($status, $out) = run('python3', '-Bc', <<'PYTHON', spew(make_folder() . '/counts', $text));
import oclgrind, sys
for launch in oclgrind.count_instructions(open(sys.argv[1]).read()):
    print(*(f"{name}={count}" for name, count in launch.items()))
PYTHON
    return map { my %launch = map { split /=/ } split / /; delete $launch{loads}; \%launch } split /\n/, $out;
}

# As the table prints it.
sub format_bytes {
    my ($bytes) = @_;
    return "$bytes B" if $bytes < 1024;
    return sprintf($bytes % 1024 ? '%.1f KiB' : '%d KiB', $bytes / 1024);
}

for (grep { $test_all || $_->[0] % 4 == 3 && "@$_" !~ /--op/ } @runs) {
    my ($step, @options) = @$_;
    for my $variant (choose_variants(@$_)) {
        my $name = "step$step $variant" . (@options ? " @options" : '');
        my @geometry = $step eq '08' ? () : ('--group', $group);
        my ($status, $out, $err) = run('oclgrind', '--inst-counts', "$root/step$step", '--variant', $variant, '--n', $n,
            @geometry, @options, qw(--reps 3 --seconds 0 --warm));
        my @predicted = map { /^kernel\s+(\d+) x\s+(\d+)\s+([\d.]+ \w+)\s+(\d+|-)\s+(\d+)\s+(\d+)/ ? [ $1, $2, $4, $5, $6, $3 ] : () }
            split /\n/, $out;
        if ($status || !@predicted) {
            fail("$name: runs under Oclgrind and prints what it predicts");
            diag("exit $status\n", substr($out, 0, 2000), $err);
            next;
        }
        my @all = count_launches($out);
        my @last = splice @all, -@predicted; # the last reduction is of n elements: the second verdict
        my $read = "@options" =~ /--n (\d+)/ ? $1 : $n;
        my @expected;
        for (@predicted) {
            my ($groups, $items, $barriers, $local, $global, $printed) = @$_;
            my $counted = $last[@expected];
            $counted->{printed} = $printed;
            $barriers = $barriers eq '-' ? $counted->{barriers} : $barriers * $items * $groups; # -: the last group has more
            push @expected, { barriers => $barriers, local_atomics => $local,
                global_atomics => $global, bytes => 4 * $read, printed => format_bytes(4 * $read) };
            $read = $groups; # what the next launch finds
        }
        is_deeply(\@last, \@expected, "$name: barriers, atomics and bytes read as predicted");
    }
}

# ---- races: all sizes in one process, and its log tells. In one width, as a wider load races with nobody. Then --races, which
# reads what is not initialised as well, and takes a process for each n: its own three cases for the main variants of three steps,
# for the others, in test-all, one of them, and one of another operation where that has other atomics. A kernel once.
# FULL=1: all widths, and all three for all. The launches of make() are Oclgrind's too, and as clean.
my %raced;
for ($test_all ? @runs : ['03']) {
    my ($step, @options) = @$_;
    next if "@options" =~ /local:1\b/ && !$test_all; # eight lanes race as one does, and among themselves
    for my $variant (choose_variants(@$_)) {
        my $name = "step$step $variant" . (@options ? " @options" : '');
        my $log = make_folder() . '/log';
        unlink $log;
        my $listed = (run("$root/step$step", '--variants'))[1];
        my $main = $listed =~ /^$variant / && $step =~ /0[37]|11/ && "@options" !~ /local:1\b/;
        my ($file) = $listed =~ /^$variant +(\S+)/m;
        next if ($raced{"$file @options"}++ || @options && $listed !~ /^$variant /) && !$test_all; # of sub-groups the main one
        my ($width) = $full || "@options" =~ /--width/ ? 0 : map { $_->[0] } grep { $_->[1] eq $file } read_variants($step);
        my ($status, $out) = run('oclgrind', '--data-races', '--log', $log, "$root/step$step", '--check', '--n', '1,49,1000',
            ($step eq '08' ? () : ('--group', '7,48,64')), ($width ? qw(--width 4) : ()), qw(--op sum --type int --variant), $variant, @options);
        my $found = -e $log ? slurp($log) : '';
        ok($status == 0 && $found eq '' && $out =~ /^ok (?!.*# SKIP)/m, "$name: no data race at any n and group size")
            or diag("exit $status\n$out", substr($found, 0, 2000));
        my $all = $full || $main || "@options" =~ /--n /;
        my @cases = $all ? [] : [qw(--n 5000)];
        push @cases, [qw(--op min --type float --n 1000)] if !$all && slurp("$root/kernels/$file") =~ /atomics\.clh/;
        for ($main || $test_all ? @cases : ()) {
            my @case = (@options, @$_);
            ($status, $out) = run("$root/step$step", '--races', '--variant', $variant, ($step eq '08' ? () : ('--group', $group)), @case);
            ok($status == 0 && $out =~ ("@case" =~ /min/ ? qr/nothing found; / : qr/nothing found$/m), "$name: --races @$_ finds nothing")
                or diag("exit $status\n$out");
        }
    }
}

# What it must see. All but the last can come out right on a device that runs work-items one after the other.
for (['03', 'associative', 'a tree without barriers', '03_local_tree', 'barrier(CLK_LOCAL_MEM_FENCE);', '', 'data race in local memory'],
    ['02', 'global', 'an atomic that is none', '02_global', 'combine_global(out, load(in, i));', 'out[0] = combine(out[0], load(in, i));', 'data race in global memory, line \d+ of .*\.cl'],
    ['07', 'local', 'an identity after the first atomic', '07_local', 'barrier(CLK_LOCAL_MEM_FENCE); // scratch', '// scratch', 'data race'],
    ['04', 'commutative', 'a barrier that not all reach', '04_commutative_tree', 'scratch[id] = all;', 'scratch[id] = all; if (id < 3) barrier(CLK_LOCAL_MEM_FENCE);', 'divergence'],
    ['03', 'associative', 'local memory that nobody has set', '03_local_tree', 'scratch[id] = all;', 'if (i < n) scratch[id] = all;', 'Uninitialized'],
    ['06', 'commutative', 'a read far out of bounds', '06_two_stage', 'load(in, i)', 'load(in, i + 9000)', 'Invalid read']) {
    my ($step, $variant, $what, $file, $old, $new, $says) = @$_;
    next unless $test_all || $what =~ /without barriers/;
    (my $text = slurp("$root/kernels/$file.cl")) =~ s/\Q$old\E/$new/ or die "$file.cl has no '$old' any more";
    my ($status, $out) = run("$root/step$step", '--races', '--variant', $variant, '--group', $group, '--kernel',
        spew(make_folder() . '/racing.cl', $text));
    ok($status == 1 && $out =~ /^  .*$says/m, "$what: --races sees it, exit 1") or diag("exit $status\n$out");
}

done_testing();
