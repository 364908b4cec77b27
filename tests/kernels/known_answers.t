#!/usr/bin/perl
# Computes the data and the operators independently, in Perl. The host's reference and the devices must compute the same values.
# Also runs tests/kernels/units.c: hand-computed cases of the operators, the number parser and the statistics. Perl takes long for
# integers of 64 bits, so `make test` compares the reference of each operation with one result only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Math::BigInt;
use Steps;
use Test::More;

my $word = 0xffffffff;
my $highest = 0x7fffffff;
my $two_to_63 = Math::BigInt->new(2)**63;

# kernels/data.clh defines this word: it is computed from the index i and the seed.
sub scramble {
    my ($i, $seed) = @_;
    my $x = ($i & $word) ^ ((($i >> 32) * 0x9e3779b9) & $word) ^ (($seed * 0x85ebca6b) & $word);
    $x = (($x ^ ($x >> 16)) * 0x85ebca6b) & $word;
    $x = (($x ^ ($x >> 13)) * 0xc2b2ae35) & $word;
    return $x ^ ($x >> 16);
}

sub to_signed { return $_[0] > $highest ? $_[0] - 2**32 : $_[0] }

sub to_signed_wide { return $_[0] >= $two_to_63 ? $_[0] - $two_to_63 * 2 : $_[0] }

sub make_raw { # one word; or two words for a type of 64 bits, the lower one computed from the upper one
    my ($type, $i, $seed) = @_;
    my $random = scramble($i, $seed);
    return $random if $type !~ /long|double/;
    my $lower = ((($random ^ $seed) * 0x9e3779b9) & $word) ^ ($random >> 15);
    return Math::BigInt->new($random)->blsft(32)->badd($lower);
}

sub to_float { return unpack 'f', pack 'L', $_[0] } # the float with these bits

# An element for min, max, argmin and argmax: the extreme (rank 1), the value next to it (2), a value that differs from it in one
# bit (3), or any other value (0).
sub make_candidate {
    my ($op, $type, $raw, $rank, $seed) = @_;
    my $least = $op =~ /min$/;
    my $steps = 2 * ($seed % 8);
    my $eighth = ref $raw ? $raw->copy->brsft(3) : $raw >> 3;
    if ($type eq 'float') {
        my $most = 0x7f7fffff - $steps;
        return ($least ? -1 : 1) * to_float($rank == 3 ? $most ^ (1 << (5 + $eighth % 18)) : $most + 1 - $rank) if $rank;
        my $finite = $raw & 0xff7fffe0;
        return to_float($raw % 16 == 1 ? $finite & 0x80000000 : $finite);
    }
    my $range = $type =~ /long/ ? $two_to_63 * 2 : 2**32;
    my $lowest = $type =~ /^u/ ? 0 : -$range / 2;
    my $highest = $lowest + $range - 1;
    my $below = $steps + ($rank == 3 ? 2 + Math::BigInt->new(2)->bpow(5 + $eighth % ($type =~ /long/ ? 58 : 26)) : 1 + $rank);
    return $least ? $lowest + $below : $highest - $below if $rank;
    my $half = ref $raw ? $raw->copy->brsft(1) : $raw >> 1;
    return $half + ($type =~ /^u/ ? $range / 4 : -$range / 8);
}

sub make_element {
    my ($op, $type, $n, $i, $seed, $planted) = @_;
    my $raw = make_raw($type, $i, $seed);
    if ($op !~ /min|max/) {
        return $type eq 'int' && $op eq 'sum' ? to_signed($raw) : $type eq 'long' ? to_signed_wide($raw) : $raw
            if $type ne 'float';
        my $log = int(log($n) / log(2) + 1e-9);
        my $usual = int($log / 2) + 3;
        my $fewer = $log + 1 < $usual ? $log + ($n > 1) : $usual;
        use integer;
        my $multiple = (to_signed($raw) >> (7 + $fewer)) | 1;
        my $top = 1 << (23 - $fewer);
        $multiple = $multiple < 0 ? $multiple & ~$top : $multiple | $top if $fewer < $usual;
        no integer;
        return $multiple * 2**(27 - ($n + $seed) % 3 * 60);
    }
    my $is_planted = $planted ne 'nowhere' && ($op =~ /^arg/ ? $i >= $planted && ($i - $planted) % 257 == 0 : $i == $planted);
    return make_candidate($op, $type, $raw, $is_planted ? 1 : $raw % 4 ? 0 : $raw % 8 ? 3 : 2, $seed);
}

sub to_number { return $_[0] =~ /long/ ? Math::BigInt->new($_[1]) : $_[1] }

sub compute_result {
    my ($op, $type, $n, $seed, $planted) = @_;
    my $all = make_element($op, $type, $n, 0, $seed, $planted);
    my $where = 0;
    for my $i (1 .. $n - 1) {
        my $x = make_element($op, $type, $n, $i, $seed, $planted);
        if ($op eq 'sum') { $all += $x }
        elsif ($op eq 'hash') { $all = ($all * 31 + $x) & $word }
        elsif ($op =~ /min$/ ? $x < $all : $x > $all) { ($all, $where) = ($x, $i) } # of equal elements the first one wins
    }
    return $where if $op =~ /^arg/;
    if ($op eq 'sum' && $type =~ /long/) {
        my $wrapped = $all % ($two_to_63 * 2);
        return $type eq 'long' ? to_signed_wide($wrapped) : $wrapped;
    }
    return $all if $op ne 'sum' || $type !~ /int/;
    return $type eq 'int' ? to_signed($all & $word) : $all & $word;
}

# ---- the C side
my $cc = $ENV{CC} // 'cc';
my $units = make_folder() . '/units';
if (has_tool($cc)) {
    my @c = ($cc, '-std=c11', cppflags());
    my ($status, $out, $err) = (0);
    my @laws;
    for ((run('ar', 't', find_library()))[1] =~ /^operation_(\w+)\.o$/mg) { # with the same options as the library
        my ($op, $type) = split /_/; # laws.c also needs them in capitals
        my @options = map { ('-D', $_) } "OPERATOR=$op", "ELEMENT=$type", uc $op, uc $type;
        push @laws, make_folder() . "/laws_$_.o";
        ($status, $out, $err) = run(@c, @options, '-c', "$root/tests/kernels/laws.c", '-o', $laws[-1]) if !$status;
    }
    ($status, $out, $err) = run(@c, "$root/tests/kernels/units.c", @laws, find_library(), ldlibs(), '-o', $units) if !$status;
    is($status, 0, 'tests/kernels/units.c compiles, and tests/kernels/laws.c for each operation') or diag($err);
}

SKIP: {
    skip "no C compiler ($cc)", 1 unless -x $units;
    my ($status, $out) = run($units);
    my ($printed, $plan) = (0);
    for (split /\n/, $out) {
        ok(!$1, "units: $2"), $printed++ if /^(not )?ok \d+ - (.*)/;
        $plan = $1 if /^1\.\.(\d+)/;
    }
    is("$status $printed", '0 ' . ($plan // 'no plan'), 'units: prints as many tests as planned, exit 0');

    my %types = (hash => [qw(int uint)], (map { $_ => [qw(int uint float)] } qw(argmin argmax)),
        map { $_ => [qw(int uint float long ulong)] } qw(sum min max));
    for my $op (sort keys %types) {
        my $usual = $op =~ /sum|hash/ ? 'nowhere' : 999;
        for my $type (@{ $types{$op} }) {
            for (grep { $test_all || "$_->[0] $_->[2]" eq "1000 $usual" }
                [ 1, 1, 'nowhere' ], [ 2, 7, 'nowhere' ], [ 1000, 1, 'nowhere' ], [ 4099, 4294967295, 'nowhere' ], [ 1000, 1, 0 ],
                [ 1000, 1, 999 ]) {
                my ($n, $seed, $planted) = @$_;
                next if $op =~ /sum|hash/ && $planted ne 'nowhere';
                my ($status, $out) = run($units, $op, $type, $n, $seed, $planted);
                cmp_ok(to_number($type, !$status && length $out ? $out : 'nan'), '==', compute_result($op, $type, $n, $seed,
                    $planted),
                    "reference: $op of $type, n = $n, seed $seed, extreme at $planted");
            }
        }
    }
}

# ---- the devices: the value that a step prints with its times. Then min and max have their extreme at n / 3. `make test` tries
# each operator once, on the device that compiles fastest, because check.t compares each device with the host's reference.
# `make test-all` uses all devices.
my ($n, $seed) = (1001, 3);
my @devices = list_devices();
SKIP: { skip 'no OpenCL device', 1 unless @devices }
my %seen;
for (grep { $test_all || !$seen{ $_->[1] }++ }
    [qw(02 sum int)], [qw(05 sum uint)], [qw(07 sum float)], [qw(06 min int)], [qw(08 min float)], [qw(10 max uint)],
    [qw(03 hash int)], [qw(06 argmin float)], [qw(10 argmax int)], [qw(04 sum long)], [qw(07 max ulong)]) {
    my ($step, $op, $type) = @$_;
    for my $device ($test_all || !@devices ? @devices : choose_fastest(@devices)) {
        my ($status, $out, $err) = run("$root/step$step", '--device', $device->{number}, '--op', $op, '--type', $type,
            '--n', $n, '--seed', $seed, qw(--reps 3 --seconds 0 --warm));
        my ($result) = $out =~ /^result (\S+):/m;
        cmp_ok(to_number($type, $result // 'nan'), '==', compute_result($op, $type, $n, $seed, int($n / 3)),
            "$device->{name}, step $step: $op of $type")
            or diag("exit $status\n", $out, $err);
    }
}

done_testing();
