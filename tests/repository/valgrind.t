#!/usr/bin/perl
# One step under Valgrind's memcheck, from the command line to the data file: what AddressSanitizer cannot see, as the
# runtimes are not compiled with it, is a value that nobody has set, or what a runtime writes beyond memory of ours. In
# test-all only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
plan skip_all => 'not here: valgrind, of the package of that name' unless has_tool('valgrind');
my $folder  = make_folder();
my $vendors = $ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors';
plan skip_all => 'no pocl here: the package pocl-opencl-icd' unless -e "$vendors/pocl.icd";
mkdir "$folder/vendors"; # pocl alone: it is written for more machines than this one
spew("$folder/vendors/pocl.icd", slurp("$vendors/pocl.icd"));
$ENV{OCL_ICD_VENDORS} = "$folder/vendors";
plan skip_all => 'pocl has no device here' unless list_devices();

# Theirs: the loader of libraries reads whole words, and what it and a runtime keep until the end. An error while a
# runtime reads or writes memory of ours has no excuse.
my @libraries = qw(libpocl libLLVM libclang-cpp libhwloc libOpenCL);
my $theirs = join '', map { "{\n   dlopen reads words\n   Memcheck:$_\n   ...\n   fun:_dl_open*\n   ...\n}\n" } qw(Addr8 Addr16 Addr32 Cond);
$theirs .= "{\n   kept by dlopen\n   Memcheck:Leak\n   ...\n   fun:_dl_open*\n   ...\n}\n";
$theirs .= "{\n   kept by $_\n   Memcheck:Leak\n   ...\n   obj:*/$_*\n   ...\n}\n" for @libraries;
spew("$folder/theirs", $theirs);

my ($status, $out, $err) = run(
    'valgrind', '--quiet', "--suppressions=$folder/theirs", '--num-callers=40', '--leak-check=full',
    '--errors-for-leak-kinds=definite', '--show-leak-kinds=definite', '--error-exitcode=99', "--log-file=$folder/found",
    "$root/step06", qw(--n 300 --reps 3 --seconds 0 --warm --out), "$folder/data"
);
is($status . slurp("$folder/found"), '0', 'step06 --out under memcheck') or diag($out, $err);
ok(-s "$folder/data/06_commutative.sum.int.dat", '... and the data is there');

done_testing();
