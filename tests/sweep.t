#!/usr/bin/perl
# make plots: every step over the sizes that N names, on one device; a wrong N is one line, and nothing is left of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

my ($device) = sort { ($b->{name} =~ /pocl/i) <=> ($a->{name} =~ /pocl/i) } devices();
plan skip_all => 'no OpenCL device' unless $device;
my $sweep   = "$root/plots/sweep.py";
my $results = temporary() . '/not yet/results';
$ENV{ROW_SECONDS} = 0;

like((run('make', '-n', '-C', $root, 'plots', 'N=2^10..2^12'))[1], qr{sweep\.py .*"2\^10\.\.2\^12"$}m, 'make plots N=2^10..2^12');
like((run('make', '-n', '-C', $root, 'plots'))[1], qr{sweep\.py "" ""$}m, 'make plots');

for my $n ('many', '2^10', '2^10..', '5..7', '2^12..2^10', '2^10..2^11..2^12', '1 2', '2^40..2^41') {
    my ($status, $out, $err) = run($sweep, $results, $device->{number}, $n);
    my $said = () = grep { !/^ *\d+:\d\d / } split /\n/, $err; # but for the progress
    ok($status == 2 && $said == 1 && !-e $results, "N=$n: one line, exit 2, nothing written") or diag("exit $status\n$out$err");
}

my ($status, $out, $err) = run($sweep, $results, $device->{number}, '2^10..2^11');
is($status, 0, 'N=2^10..2^11: exit 0') or diag($out, $err);
my %sizes = map { m{/(\d\d)_[^/]*$} => join ' ', slurp($_) =~ /^(\d+) /mg } glob "'$results'/*.dat";
is_deeply(\%sizes, { map { $_ => '1024 2048' } @steps }, 'both sizes, of every step');
is(join(' ', $out =~ /^\| (\d\d) /mg), "@steps", 'each is in the table');
SKIP: {
    skip 'no gnuplot', 1 unless have('gnuplot');
    is(join(' ', grep { !-s "$results/pair_$_.svg" } @steps), '', 'and has a picture');
}

done_testing();
