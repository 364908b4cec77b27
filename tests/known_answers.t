#!/usr/bin/perl
# The data and the operators once more, written down independently: the host's reference and the devices must arrive
# at the same values. And tests/units.c: hand-computed cases of the operators, the number parser, the statistics.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

my $word = 0xffffffff;
my ($lowest, $highest) = (-0x80000000, 0x7fffffff);
my $largest_float = unpack 'f', pack 'L', 0x7f7fffff;

# What kernels/data.cl promises: element i of seed, a word that is scrambled from both.
sub scramble {
    my ($i, $seed) = @_;
    my $x = ($i & $word) ^ ((($i >> 32) * 0x9e3779b9) & $word) ^ (($seed * 0x85ebca6b) & $word);
    $x = (($x ^ ($x >> 16)) * 0x85ebca6b) & $word;
    $x = (($x ^ ($x >> 13)) * 0xc2b2ae35) & $word;
    return $x ^ ($x >> 16);
}

sub signed { return $_[0] > $highest ? $_[0] - 2**32 : $_[0] }

sub single { return unpack 'f', pack 'f', $_[0] } # rounded to a float

sub made {
    my ($op, $type, $i, $seed, $planted) = @_;
    my $random = scramble($i, $seed);
    if ($op eq 'sum') {
        return $type eq 'int' ? signed($random) : $type eq 'uint' ? $random : (-4, -3, -2, -1, 1, 2, 3, 4)[$random % 8];
    }
    if ($planted ne 'nowhere' && $i == $planted) {
        return $op eq 'min' ? { int => $lowest + 1, uint => 1, float => -$largest_float }->{$type}
            : { int => $highest - 1, uint => $word - 1, float => $largest_float }->{$type};
    }
    my $half = int($random / 2);
    return { int => $half - 0x40000000, uint => $half + 0x40000000, float => single(signed($random)) }->{$type};
}

sub reduced {
    my ($op, $type, $n, $seed, $planted) = @_;
    my $all = made($op, $type, 0, $seed, $planted);
    for my $i (1 .. $n - 1) {
        my $x = made($op, $type, $i, $seed, $planted);
        $all = $op eq 'sum' ? $all + $x : ($op eq 'min') == ($x < $all) ? $x : $all;
    }
    return $all if $op ne 'sum' || $type eq 'float';
    return $type eq 'int' ? signed($all & $word) : $all & $word;
}

# ---- the C side
my $cc = $ENV{CC} // 'cc';
my $units = temporary() . '/units';
if (have($cc)) {
    my ($status, $out, $err) = run(
        $cc, '-std=c11', cppflags(), "-I$root/tests", "$root/tests/units.c", (map { "$root/build/$_.o" } qw(operator options clock fail)),
        qw(-lOpenCL -lm -o), $units
    );
    is($status, 0, 'tests/units.c compiles') or diag($err);
}

SKIP: {
    skip "no C compiler ($cc)", 1 unless -x $units;
    my ($status, $out) = run($units);
    my ($ran, $plan) = (0);
    for (split /\n/, $out) {
        ok(!$1, "units: $2"), $ran++ if /^(not )?ok \d+ - (.*)/;
        $plan = $1 if /^1\.\.(\d+)/;
    }
    is($ran, $plan // 'no plan', 'units: ran what it planned');

    for my $op (qw(sum min max)) {
        for my $type (qw(int uint float)) {
            for ([ 1, 1, 'nowhere' ], [ 2, 7, 'nowhere' ], [ 1000, 1, 'nowhere' ], [ 4099, 4294967295, 'nowhere' ],
                [ 1000, 1, 0 ], [ 1000, 1, 999 ]) {
                my ($n, $seed, $planted) = @$_;
                next if $op eq 'sum' && $planted ne 'nowhere';
                my ($status, $out) = run($units, $op, $type, $n, $seed, $planted);
                cmp_ok($out, '==', reduced($op, $type, $n, $seed, $planted),
                    "reference: $op of $type, n $n, seed $seed, extreme $planted");
            }
        }
    }
}

# ---- the devices: a kernel that also prints what it arrives at, and three of its elements. All in one work-item.
my $text = slurp("$root/kernels/08_serial_groups.cl");
$text =~ s/(out\[get_global_id\(0\)\] = all;)/$1
    printf("value %x of %x %x %x.\\n", as_uint(all), as_uint(in[0]), as_uint(in[n \/ 2]), as_uint(in[n - 1]));/
    or die "08_serial_groups.cl has changed: this test no longer knows where its result is\n";
my $kernel = spew(temporary() . '/printing.cl', $text);
my %bits = (int => 'l', uint => 'L', float => 'f');

for my $device (devices()) {
    for ([qw(sum int)], [qw(sum uint)], [qw(sum float)], [qw(min int)], [qw(min float)], [qw(max uint)]) {
        my ($op, $type) = @$_;
        my ($n, $seed) = (1001, 3);
        my ($status, $out) = run("$root/step08", '--device', $device->{number}, '--check', '--variant', 'one_group',
            '--op', $op, '--type', $type, '--n', $n, '--seed', $seed, '--kernel', $kernel);
        my %seen = map { $_ => 1 } $out =~ /(value [0-9a-f]+ of [0-9a-f ]+)\./g;
        my $name = "$device->{name}: $op of $type";
    SKIP: {
            skip "$name: this runtime's printf prints nothing", 1 unless %seen;
            my %right; # a line for each place where the extreme may stand
            for my $planted (0, $n >> 1, $n - 1, 1, 'nowhere') {
                my @values = (reduced($op, $type, $n, $seed, $planted),
                    map { made($op, $type, $_, $seed, $planted) } 0, $n >> 1, $n - 1);
                $right{ sprintf 'value %x of %x %x %x', map { unpack 'L', pack $bits{$type}, $_ } @values } = 1;
            }
            my @wrong = grep { !$right{$_} } keys %seen;
            ok($status == 0 && !@wrong, "$name: the value, and elements 0, n / 2, n - 1")
                or diag("exit $status; printed: @wrong; right: ", join ', ', sort keys %right);
        }
    }
}

done_testing();
