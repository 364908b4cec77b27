#!/usr/bin/perl
# Deliberately wrong kernels, made from the real ones by one edit each: --kernel --check must find every one of them
# on one of the CPU devices here, and nothing wrong with the real one beside it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

# what is wrong, the step, its variant, the kernel, what is replaced by what, further options
my @mutants = (
    [ 'loses the last element',           '06', 'commutative', '06_two_stage',         'i < n;', 'i < n - 1;' ],
    [ 'reads beyond the end',             '02', 'global',      '02_global',            'if (i < n)', 'if (true)' ],
    [ 'no barrier in the tree',           '03', 'associative', '03_local_tree',        'barrier(CLK_LOCAL_MEM_FENCE);', '' ],
    [ 'no barrier before publishing',     '02', 'local',       '02_local',             qr/(combine_local\(.*\n *)barrier\(CLK_LOCAL_MEM_FENCE\);/, '$1' ],
    [ 'writes beyond the end of out',     '03', 'associative', '03_local_tree',        'out[get_group_id(0)] =', 'out[get_num_groups(0)] = out[get_group_id(0)] =' ],
    [ 'writes into its input',            '08', 'groups',      '08_serial_groups',     'all = combine(all, load(in, i));', 'all = combine(all, load(in, i)), ((global input *)in)[i] = 0;' ],
    [ 'does nothing',                     '05', 'commutative', '04_commutative_tree',  'if (id == 0)', 'if (id > group)' ],
    [ 'the identity of min under max',    '08', 'groups',      '08_serial_groups',     'identity()', '((value)HIGHEST)', qw(--op max) ],
    [ 'odd groups lose one',              '04', 'commutative', '04_commutative_tree',  'upper = (width + 1) / 2;', 'upper = width / 2;' ],
    [ 'vectors without their tail',       '07', 'width4',      '07_float4',            'i = whole + get_global_id(0); i < n;', 'i = n; i < n;' ],
    [ 'vectors that are not scaled',      '07', 'width4',      '07_float4',            'load_values(in, i)', '(values)(load(in, i), load(in, i + 1), load(in, i + 2), load(in, i + 3))' ],
    [ 'adds an element twice',            '06', 'commutative', '06_two_stage',         'value all = identity();', 'value all = get_global_id(0) == 0 ? load(in, 0) : identity();' ],
    [ 'no identity in local memory',      '07', 'local4',      '07_local',             'scratch[0] = identity();', ';' ],
    [ 'a turn that reads too soon',       '06', 'associative', '06_associative',       'barrier(CLK_LOCAL_MEM_FENCE); // all KEPT', '// all KEPT' ],
    [ 'swaps two neighbours',             '03', 'associative', '03_local_tree',        'combine(scratch[id], scratch[id + offset])', 'combine(scratch[id + offset], scratch[id])', qw(--op hash) ],
    [ 'the index of the last of equals',  '08', 'groups',      '08_serial_groups',     'load(in, i)', 'lift(in[i], n - 1 - i)', qw(--op argmin) ],
    [ 'components that never meet',       '10', 'vector_tree', '10_vector_tree',       'fold(scratch[0])', '((local value *)scratch)[0]' ],
    [ 'every lane publishes',             '09', 'leader_global', '09_leader_global',   'if (lane() == 0)', '', qw(--op sum --subgroups local:8) ],
    [ 'add where the maximum belongs',    '09', 'leader_local', '09_leader_local',     'combine_global(out, shared);', 'combine_global(out, shared + shared);', qw(--op max --subgroups local:8) ],
    [ 'two work-items publish',           '04', 'atomic_finish', '04_atomic_finish',   'if (id == 0)', 'if (id < 2)' ],
);

sub check {
    my ($device, $step, $variant, $kernel, @options) = @_;
    @options = qw(--op sum --type int) unless @options;
    return run("$root/step$step", '--device', $device->{number}, '--check', '--variant', $variant, '--kernel', $kernel,
        @options, '--n', '1,64,65,4097,100003', $step eq '08' ? () : qw(--group 48));
}

my @devices = grep { $_->{kind} eq 'CPU' } devices();
plan skip_all => 'no CPU device' unless @devices;

my %right;
for (@mutants) {
    my ($what, $step, $variant, $file, $old, $new, @options) = @$_;
    my $text = slurp("$root/kernels/$file.cl");
    my $mutant = $text;
    if (ref $old) {
        $mutant =~ s/$old/$1/;
    } else {
        $mutant =~ s/\Q$old\E/$new/;
    }
    if ($mutant eq $text) {
        fail("$what: $file.cl has no '$old' any more");
        next;
    }
    my $wrong = spew(temporary() . '/wrong.cl', $mutant);
    my ($found, @said);
    for my $device (@devices, @devices) { # twice: a race may be won by chance
        my ($status, $out, $err) = check($device, $step, $variant, $wrong, @options);
        $found = $device if $status == 1 && $out =~ /^not ok/m;
        push @said, "$device->{name}: exit $status\n$out$err";
        last if $found;
    }
    ok($found, "$what ($file.cl)" . ($found ? ": found on $found->{name}" : '')) or diag(@said), next;

    my $key = "$step, $variant @options on $found->{name}"; # the real one once is enough
    next if $right{$key}++;
    my ($status, $out, $err) = check($found, $step, $variant, "$root/kernels/$file.cl", @options);
    is($status, 0, "the real $file.cl, step $key: nothing found") or diag($out, $err);
}

# What only large or even sizes show must not get a row of times either: under min one element alone decides.
for (['everything after the first 6000000 is ignored', 'i < min(n, (ulong)6000000);', '2^23'],
    ['the last element is lost where n is even', 'i < n - (n % 2 == 0 && n > 4000);', '2^20']) {
    my ($what, $bound, $n) = @$_;
    my $mutant = slurp("$root/kernels/06_two_stage.cl");
    $mutant =~ s/i < n;/$bound/ or die "06_two_stage.cl has no such loop any more";
    my ($status, $out, $err) = run("$root/step06", '--device', $devices[-1]{number}, qw(--op min --seconds 0 --n), $n,
        '--kernel', spew(temporary() . '/wrong.cl', $mutant));
    is($status, 1, "$what: exit 1") or diag($out, $err);
    unlike($out, qr/GB\/s/, "$what: no times");
}

done_testing();
