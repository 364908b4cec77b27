#!/usr/bin/perl
# Tests the programs of make accuracy. The error of a sum of floats must equal the error that exact arithmetic gives, and must be
# within the bound that follows from the order of the additions. The program must find a wrong kernel even if its error is within
# the bound.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
my $folder = make_folder() . '/data';
my $copy = copy_tree(qw(Makefile .ci common kernels steps plots build), (map { "step$_" } '00', @steps), @judges);
my ($status, $out, $err) = run('make', '-s', '-C', $copy, map { "build/accuracy$_" } qw(01 02 03 05 06 08));
is($status, 0, 'make build/accuracy06 and others') or diag($out, $err);
sub make_command { return ("$copy/build/accuracy$_[0]", @_[1 .. $#_]) }

sub read_rows { # the rows of a data file, each as a hash
    my (@names, @rows);
    for (grep { !/^#/ } split /\n/, slurp($_[0])) {
        my @fields = split ' ';
        @names = @fields, next unless @names;
        push @rows, { map { $names[$_] => $fields[$_] } 0 .. $#names };
    }
    return @rows;
}

sub gamma { my ($ku) = $_[0] * 2**-24; return $ku / (1 - $ku) } # the largest relative error of k roundings
sub is_about { my ($a, $b) = @_; return abs($a - $b) <= 1e-5 * abs($b) } # equal in the digits that a file has

# ---- computes the data and the sequential sum independently
my $word = 0xffffffff;

sub compute_element { # for seed 1, as described in plots/accuracy/accuracy.c
    my $x = $_[0] ^ 0x85ebca6b;
    $x = (($x ^ ($x >> 16)) * 0x85ebca6b) & $word;
    $x = (($x ^ ($x >> 13)) * 0xc2b2ae35) & $word;
    return (($x ^ ($x >> 16)) >> 8) * 2**-24;
}

my ($n, $sum, $single) = (5000, 0, 0);
for (map { compute_element($_) } 0 .. $n - 1) {
    $sum += $_; # exact, because 53 bits are enough
    $single = unpack 'f', pack 'f', $single + $_;
}
($status, $out, $err) = run(make_command('01', '--n', $n, '--out', $folder));
is($status, 0, 'step 01: exit 0') or diag($out, $err);
my ($row) = read_rows("$folder/01_host.sum.float.dat");
ok(is_about($row->{error}, abs($single - $sum) / $sum),
    "step 01: the error is that of the loop in single precision: $row->{error}");
ok(is_about($row->{bound}, gamma($n)), "step 01: the bound is that of n roundings: $row->{bound}");
like(slurp("$folder/01_host.sum.float.dat"), qr/^# end\n\z/m, 'step 01: the data file is complete');
($status, $out) = run(make_command('01', '--n', $n));
like($out, qr/^result \Q$single\E\d*: off by \S+ of the sum; /m, 'step 01: the program prints the sum and its error');
($status, $out, $err) = run(make_command('01', '--n', $n, '--seed', 2, '--out', $folder));
isnt((read_rows("$folder/01_host.sum.float.dat"))[0]{error}, $row->{error}, 'step 01: another seed gives another error');

# ---- errors, bounds and verdicts of each order of additions
my %roundings = ( # the number of roundings on the longest path, from the columns of a row
    '01 host'        => sub { $_[0]{n} },
    '02 blocked'     => sub { my $items = $_[0]{groups} * $_[0]{group}; int(($_[0]{n} + $items - 1) / $items) + $items },
    '02 local'       => sub { 256 + $_[0]{groups} },
    '03 associative' => sub { 1 + 8 + $_[0]{groups} },
    '05 commutative' => sub { 2 * (1 + 8) },
);
for my $device (@devices) {
    my (%bound, %error);
    for (sort(keys %roundings), '06 commutative') {
        my ($step, $variant) = split;
        my @group = $step eq '01' ? () : qw(--group 256);
        ($status, $out, $err) = run(make_command($step, '--device', $device->{number}, '--variant', $variant, @group,
            qw(--sweep 2^10..2^14 --out), $folder));
        is($status, 0, "$device->{name}, step $_: exit 0") or diag($out, $err);
        my @rows = read_rows("$folder/${step}_$variant.sum.float.dat");
        is(scalar @rows, 5, "$_: a row for each size");
        is(scalar(grep { $_->{verdict} !~ /^right$/ } @rows), 0, "$_: each row is right");
        is(scalar(grep { !($_->{error} <= $_->{bound}) } @rows), 0, "$_: no error above its bound");
        ok((grep { $_->{error} > 0 } @rows) >= 3, "$_: at least three sums are not exact");
        my $k = $roundings{$_};
        is(join(' ', map { $_->{bound} } grep { !is_about($_->{bound}, gamma($k->($_))) } @rows), '',
            "$_: each bound is that of its number of roundings") if $k;
        $bound{$_} = $rows[-1]{bound};
    }
    ok($bound{'01 host'} > 100 * $bound{'05 commutative'}, 'n additions in a row have a larger bound than a tree');
    ok($bound{'03 associative'} > $bound{'05 commutative'},
        'a tree whose partial results the host adds has a larger bound than a tree alone');
}

# ---- if k u > 0.01 there is no bound. The row says so, but still contains the error.
($status, $out, $err) = run(make_command('01', '--n', '2^17,2^18', '--out', $folder));
my @rows = read_rows("$folder/01_host.sum.float.dat");
is("$status @{[map { $_->{verdict} } @rows]}", '0 right no-bound', 'n = 2^18: the verdict is no-bound');
is($rows[1]{bound}, 'nan', '... the bound is nan');
ok($rows[1]{error} > 0 && $rows[1]{error} < 1e-4, '... and the row contains the error');

# ---- wrong kernels
# Replaces $old by $new in a kernel, and calls the program with it. The program must print $message, but no result and no data.
sub check_wrong_kernel {
    my ($what, $step, $variant, $kernel, $old, $new, $message, @options) = @_;
    (my $text = slurp("$root/kernels/$kernel.cl")) =~ s/\Q$old\E/$new/ or return fail("$what: no '$old' in $kernel.cl");
    my $data = make_folder() . '/none';
    my ($status, $out, $err) = run(make_command($step, '--variant', $variant, '--kernel',
        spew(make_folder() . '/wrong.cl', $text), '--out', $data, @options));
    is($status, 1, "$what: exit 1") or diag($out, $err);
    like($out, $message, "$what: the program says so");
    unlike($out, qr/of the sum;/, "$what: no result");
    ok(!-e $data, "$what: no data");
}
my @two_stage = qw(06 commutative 06_two_stage);
check_wrong_kernel('the last element is lost', @two_stage, 'i < n;', 'i < n - 1;', qr/^WRONG/m, qw(--n 2^12));
check_wrong_kernel('one element in a million is lost', @two_stage, 'i < n;', 'i < n - (n == 1048576);',
    qr/^WRONG.*1048576: expected/m,
    qw(--n 2^20));
check_wrong_kernel('an element is lost at an n without a bound', qw(08 one_group 08_serial_groups), 'i < end;',
    'i < end - (n == 262144);',
    qr/^WRONG.*262144: expected/m, qw(--n 2^18));
# The data of the first check, whose sums are exact, contains no elements near 1.
check_wrong_kernel('elements near 1 are lost', @two_stage, 'load(in, i)',
    '(load(in, i) < 0.75f || load(in, i) > 1 ? load(in, i) : 0)',
    qr/^WRONG.*expected \S+, off by at most \S+ of it, got/m, qw(--n 2^12));
check_wrong_kernel('the result is NaN at an n without a bound', qw(08 one_group 08_serial_groups), 'load(in, i)',
    '(value)(n == 262144 && in[i] != (int)in[i] ? NAN : in[i])', qr/^WRONG.*got -?nan/m, qw(--n 2^18));

# ---- a kernel that cannot be judged by its result
my $mine = spew(make_folder() . '/mine.cl', "kernel void reduce(global const float *in, ulong n, global float *out) { while (n) out[0] = in[0]; }\n");
($status, $out, $err) = run(make_command('06', qw(--timeout 2 --n 1000 --kernel), $mine));
is("$status$out", 1, 'a kernel that never ends: exit 1 after --timeout');
like($err, qr/\A[^\n]*: no result for 2 s \(--timeout\): .*\.\/judge06 '?\Q$mine\E'? --op sum --type float.* says where\n\z/, '... and a line that names the judge');
spew($mine, 'mistake;');
($status, $out, $err) = run(make_command('06', qw(--n 1000 --kernel), $mine));
ok($status == 2 && $err =~ /^[^\n]*: \Q$mine\E: does not compile/m && $err =~ /mine\.cl:1:1/, 'a kernel that does not compile: exit 2, and the log')
    or diag("$status $out$err");

# ---- unsupported options and wrong use: one line
($status, $out, $err) = run(make_command('05', '--group', 2**30));
ok($status == 77 && $err =~ /\A.* is not supported here: .*\n\z/,
    'a group larger than the device allows: exit 77') or diag("$status $out$err");
for ([qw(--type double)], [qw(--type int)], [qw(--op min)], ['--check'], ['--list'], ['--warm'], [qw(--reps 3)], [qw(--width 4)],
    [qw(--n 2^30)], ['--group', '64,128']) {
    ($status, $out, $err) = run(make_command('06', qw(--n 1000), @$_));
    is("$status $out", '2 ', "@$_: exit 2");
    like($err, qr/\A.*\Q@{[$_->[0] =~ s{--n}{n = }r]}\E.*\n\z/, "@$_: one line that names it");
}

# ---- make accuracy must build the programs of all steps that the chart needs
my %listed = slurp("$root/plots/experiments.ini") =~ /^\[accuracy\]\n.*\n.*\n((?: +\d.*\n)+)/m ? map { $_ => 1 } split /\n/, $1 : ();
my @made = slurp("$root/plots/plots.mk") =~ /^accuracy: .*?build\/accuracy%,([\d ]+)\)/m;
is(join(' ', map { (split)[0] } sort keys %listed), "@made", 'make accuracy builds the programs of the steps in experiments.ini');

# ---- make accuracy uses N, and says which other settings it does not use
{
    local @ENV{qw(N OP DEVICE RESULTS)} = ('2^10..2^11', 'min', $devices[0]{number}, make_folder() . '/results');
    ($status, $out, $err) = run("$copy/plots/measure.py", 'accuracy');
    is($status, 0, 'N=2^10..2^11: exit 0') or diag($out, $err);
    is(join(' ', map { $_->{n} } read_rows("$ENV{RESULTS}/accuracy/06_commutative.sum.float.dat")), '1024 2048', '... two rows');
    like($err, qr/^measure\.py: OP has no effect on accuracy, which uses N$/m, '... a line says that OP has no effect');
    @ENV{qw(N RESULTS)} = ("gar\nbage", make_folder() . '/refused');
    ($status, $out, $err) = run("$copy/plots/measure.py", 'accuracy');
    ok($status == 2 && $err =~ /^accuracy01: --sweep 'gar\?bage': [^\n]+\n\z/m && !-e $ENV{RESULTS}, 'N=garbage: exit 2, no file')
        or diag("exit $status\n$err");
}

done_testing();
