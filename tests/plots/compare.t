#!/usr/bin/perl
# make compare shows several results folders, such as those of a workshop's participants, in one table and one chart.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some seconds');
plan skip_all => 'no gnuplot' unless has_tool('gnuplot');
my $copy = copy_tree(qw(plots Makefile));
my $theirs = make_folder() . '/theirs'; # the folders of a participant
run('mkdir', '-p', "$theirs/pocl", "$theirs/empty");
run('sh', '-c', 'cp "$0"/plots/results/pocl/*.sum.int.dat "$1"', $root, "$theirs/pocl");
my $compare = sub { return run("$copy/plots/book/compare.sh", @_) };

my ($status, $out, $err) = $compare->("$copy/plots/results/pocl", "$copy/plots/results/h200", "$theirs/pocl");
is("$status$err", '0', 'three folders, one with a space in its path, two with the same name');
like($out, qr/^\| step \|.* h200: % of read limit \|.* pocl: % of read limit \|.* pocl_: % of read limit \|\n/i,
    'the table has a column for each folder');
my %cells = map { /^\| (\d\d) [^|]*\|[^|]*\| (.*) \|$/ ? ($1 => [ split / \| /, $2 ]) : () } split /\n/, $out;
is(scalar(grep { @$_ == 3 && !grep { !/^\d/ } @$_ } values %cells), scalar @steps, '... and a row for each step');
my ($chart) = $out =~ /^(\/.*\/all_devices\.svg)$/m;
my $drawn = slurp($chart);
like($drawn, qr/\(\Q$_\E\)/, "the chart contains $_") for qw(h200 pocl pocl_);

run('cp', '-r', "$theirs/pocl", "$theirs/$_-of-a-long-name-as-make-plots-gives-it-amd-epyc-vm") for qw(a b c d);
($status, $out, $err) = $compare->(find_files($theirs, '*-vm'));
is("$status$err", '0', 'four folders with names as long as those that make plots chooses');

my @two = map { "$copy/plots/results/$_" } qw(pocl h200);
($status, $out, $err) = run('make', '-s', '--no-print-directory', '-C', $copy, 'compare',
    'RESULTS=plots/results/pocl plots/results/h200');
is("$status$err", '0', 'make compare');
for ([ "$theirs/empty", 'no .dat of a step' ], [ "$copy/plots/peers", 'another folder' ], [ "$theirs/none", 'no folder' ]) {
    my ($folder, $name) = @$_;
    my $before = slurp($chart);
    ($status, $out, $err) = $compare->(@two, $folder);
    is("$status$out$err", "2compare.sh: $folder: not a results folder: it has no .dat file of a step; make plots writes one\n",
        "$name: one line");
    is(slurp($chart), $before, '... and the chart is unchanged');
}
my ($file) = find_files($theirs, 'pocl/05_*');
my $before = slurp($chart);
spew($file, substr slurp($file), 0, -99);
($status, $out, $err) = $compare->(@two, "$theirs/pocl");
like("$status$out$err", qr/\A2table\.py: \Q$file\E, line \d+: .*: was it cut short\?\n\z/, 'a truncated file: one line');
ok($before eq slurp($chart) && !-e "$copy/results/compare.part", '... the chart is unchanged, and no unfinished file is left');
($status, $out, $err) = $compare->($two[0]);
like("$status$out$err", qr/\A2compare\.sh: needs at least two folders: .*\n\z/, 'one folder: one line');

done_testing();
