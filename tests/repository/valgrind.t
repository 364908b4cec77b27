#!/usr/bin/perl
# Calls one step under Valgrind's memcheck, and lets it measure and write a data file. Memcheck also finds mistakes inside the
# runtimes, which are not compiled with AddressSanitizer: uninitialised values, and writes of a runtime past the end of the
# harness's memory. In test-all only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
plan skip_all => 'no valgrind: install the package valgrind' unless has_tool('valgrind');
my $folder  = make_folder();
my $vendors = $ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors';
plan skip_all => 'no pocl: install the package pocl-opencl-icd' unless -e "$vendors/pocl.icd";
mkdir "$folder/vendors"; # only pocl, because it supports many kinds of CPU, also the one that Valgrind simulates
spew("$folder/vendors/pocl.icd", slurp("$vendors/pocl.icd"));
$ENV{OCL_ICD_VENDORS} = "$folder/vendors";
plan skip_all => 'pocl has no device here' unless list_devices();

# Suppressed errors: the dynamic loader reads whole words, and the loader and the runtimes do not free all their memory. An error
# while a runtime reads or writes memory of the harness is not suppressed.
my @libraries = qw(libpocl libLLVM libclang-cpp libhwloc libOpenCL);
my $suppressions = join '',
    map { "{\n   dlopen reads words\n   Memcheck:$_\n   ...\n   fun:_dl_open*\n   ...\n}\n" }
    qw(Addr8 Addr16 Addr32 Cond);
$suppressions .= "{\n   kept by dlopen\n   Memcheck:Leak\n   ...\n   fun:_dl_open*\n   ...\n}\n";
$suppressions .= "{\n   kept by $_\n   Memcheck:Leak\n   ...\n   obj:*/$_*\n   ...\n}\n" for @libraries;
spew("$folder/suppressions", $suppressions);

my ($status, $out, $err) = run(
    'valgrind', '--quiet', "--suppressions=$folder/suppressions", '--num-callers=40', '--leak-check=full',
    '--errors-for-leak-kinds=definite', '--show-leak-kinds=definite', '--error-exitcode=99', "--log-file=$folder/found",
    "$root/step06", qw(--n 300 --reps 3 --seconds 0 --warm --out), "$folder/data"
);
is($status . slurp("$folder/found"), '0', 'step06 --out: memcheck finds no error') or diag($out, $err);
ok(-s "$folder/data/06_commutative.sum.int.dat", '... and the data file is written');

done_testing();
