#!/usr/bin/perl
# Command lines that nobody would write, under AddressSanitizer and UndefinedBehaviorSanitizer: see tests/common/fuzz.c.
#   FUZZ=10000000   as many as that; without it a million, which takes some ten seconds
#   FUZZ_SEED=7     other ones: they follow from the seed
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my $cc = $ENV{CC} // 'cc';
plan skip_all => "no C compiler ($cc)" unless have($cc);
my $folder = temporary();
my @flags  = sanitizer_flags($cc) or plan skip_all => "$cc has no sanitizers here";

# A refusal ends in exit(): here that is come_back(), which goes on with the next one. What fuzz.c defines itself, device.c
# and what would start a process, is not taken from the library.
my $copy = copied(qw(Makefile common kernels));
my ($status, $out, $err) = run('make', '-s', '-j2', '-C', $copy, 'build/libreduce.a', "CC=$cc", "CFLAGS=@flags -Dexit=come_back", 'OPENMP=');
BAIL_OUT("the harness does not compile: $err") if $status;
($status, $out, $err) = run($cc, @flags, cppflags(), "$root/tests/common/fuzz.c", "$copy/build/libreduce.a",
    qw(-lOpenCL -lm -o), "$folder/fuzz");
is($status, 0, 'tests/common/fuzz.c compiles') or diag($err);

mkdir "$folder/none";
$ENV{OCL_ICD_VENDORS} = "$folder/none"; # no device: nothing is run
$ENV{ASAN_OPTIONS}    = 'detect_leaks=0:abort_on_error=1'; # what a refusal leaves, the end of a process would have freed
$ENV{UBSAN_OPTIONS}   = 'abort_on_error=1:print_stacktrace=1';
my $count = $ENV{FUZZ} || 1_000_000;
my $seed  = $ENV{FUZZ_SEED} // 1;
$Steps::limit = 86400 if $ENV{FUZZ};
# In its folder: should a command line ever come as far as to make one, it is made there.
($status, $out, $err) = run('env', '-C', $folder, "$folder/fuzz", $seed, $count);
is("$status$err", '0', "seed $seed: each is understood or refused, none breaks anything");
my ($all, $understood) = $out =~ /^seed $seed: (\d+) command lines, (\d+) understood$/;
cmp_ok($all // 0, '>=', $count, "$count command lines were tried");
cmp_ok($understood // 0, '>', $count / 20, 'enough of it makes sense to get behind the first check');

done_testing();
