#!/usr/bin/perl
# Tests plots/claims.py: every experiment that fits the device can be measured, which needs the lines of the kernels that it
# changes; and a wrong name gives one line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($device) = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless $device;
local @ENV{qw(DEVICE N ROUNDS)} = ($device->{number}, '2^12', 1);
my $claims = "$root/plots/claims.py";

my ($status, $out, $err) = run($claims);
is($status, 0, 'claims.py measures all experiments of a CPU') or diag($out, $err);
is(join("\n", grep { !/^step\d\d -/ } split /\n/, $err), '', '... and prints only its calls');
like($out, qr/\A# device: \Q$device->{name}\E; lanes of a sub-group: \d+$/m, '... and names the device');
my %cases;
for (split /\n\n/, $out) {
    next unless my ($name) = /^(\w+), n = 4096, 1 rounds/m;
    $cases{$name} = () = / ms +[\d.]+ \([\d.]+ … [\d.]+\)$/mg;
}
is_deeply(\%cases, { tree => 2, barriers => 2, trees => 2, merged => 2, banks => 4, groups => 3, stride => 8, chunks => 4, batches => 2, vload4 => 2 }, '... with a ratio for each case');
($status, $out, $err) = run($claims, 'nosuch');
like("$status $err", qr/\A2 claims\.py: nosuch: must be one of tree, barriers, .*\n\z/, 'an experiment that does not exist: one line');
done_testing();
