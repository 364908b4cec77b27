#!/usr/bin/perl
# make plots measures every step at the sizes that N names, on one device. With a wrong N it prints one line and writes no file.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($device) = sort { ($b->{name} =~ /pocl/i) <=> ($a->{name} =~ /pocl/i) } list_devices();
plan skip_all => 'no OpenCL device' unless $device;
my $results = make_folder() . '/not yet/results';
my @plots   = ('make', '-s', '-C', $root, 'plots', "RESULTS=$results", "DEVICE=$device->{number}");
$ENV{ROW_SECONDS} = 0;

for my $n ('many', '2^10', '2^10..', '5..7', '2^12..2^10', '2^10..2^11..2^12', '1 2', '2^40..2^41') {
    my ($status, $out, $err) = run(@plots, "N=$n");
    my $said = () = grep { !/^step01 |^make: / } split /\n/, $err; # without the called commands and the lines of make
    ok($status == 2 && $said == 1 && !-e $results,
        "N=$n: one line, exit 2, no file is written") or diag("exit $status\n$out$err");
}

my ($status, $out, $err) = run(@plots, 'N=2^10..2^11');
is($status, 0, 'N=2^10..2^11: exit 0') or diag($out, $err);
my %sizes = map { m{/(\d\d)_[^/]*$} => join ' ', slurp($_) =~ /^(\d+) /mg } find_files($results, '*.dat');
is_deeply(\%sizes, { map { $_ => '1024 2048' } @steps }, 'the data file of every step has both sizes');
is(join(' ', $out =~ /^\| (\d\d) /mg), "@steps", 'each step is in the table');
SKIP: {
    skip 'no gnuplot', 1 unless has_tool('gnuplot');
    is(join(' ', grep { !-s "$results/pair_$_.svg" } @steps), '01',
        'each step has a picture, except step 01, which is not compared with another step');
}

# ---- two devices of the same name: each has a folder of results
SKIP: {
    my @python = ('python3', '-c', 'import sys; sys.path.insert(0, sys.argv[1]); import calls; '
            . 'print(*(facts["folder"].name for facts in calls.find_devices()))', "$root/plots");
    delete @ENV{qw(DEVICE RESULTS)};
    my ($icd) = grep { slurp($_) =~ /pocl/ } glob "'@{[$ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors']}'/*.icd";
    my $vendors = make_folder() . '/vendors'; # with pocl only
    mkdir $vendors;
    spew("$vendors/pocl.icd", slurp($icd)) if $icd;
    local @ENV{qw(OCL_ICD_VENDORS POCL_DEVICES)} = ($vendors, 'pthread pthread');
    my @names = $icd ? map { $_->{name} } list_devices() : ();
    skip 'no pocl here that shows the same device twice', 2 unless @names == 2 && $names[0] eq $names[1];
    ($status, $out, $err) = run(@python);
    like("$status$err$out", qr/\A0(\S+) \1-2\n\z/, 'two devices of the same name: two folders');
    local $ENV{DEVICE} = 1;
    like((run(@python))[1], qr/\A\S+-2\n\z/, '... and the second device has the same folder if it is chosen alone');
}

done_testing();
