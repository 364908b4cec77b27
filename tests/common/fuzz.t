#!/usr/bin/perl
# Tries random command lines under AddressSanitizer and UndefinedBehaviorSanitizer: see tests/common/fuzz.c.
#   FUZZ=10000000   the number of command lines; by default a million for each program, which takes about ten seconds
#   FUZZ_SEED=7     the seed of the random command lines
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my $cc = $ENV{CC} // 'cc';
plan skip_all => "no C compiler ($cc)" unless has_tool($cc);
my $folder = make_folder();
my @flags  = find_sanitizer_flags($cc) or plan skip_all => "$cc has no sanitizers here";

# If the harness refuses a command line, it calls exit(), which is compiled as come_back() here, so the next command line is
# tried. fuzz.c includes device.c, so the linker does not use that of the library. For the judge, the linker replaces the two
# functions that would start a process.
my %libraries = (step => ['libreduce.a'], judge => [qw(libjudge.a libreduce.a)]);
my $copy = copy_tree(qw(Makefile common kernels));
my ($status, $out, $err) = run('make', '-s', '-j2', '-C', $copy, (map { "build/$_" } @{ $libraries{judge} }), "CC=$cc",
    "CFLAGS=@flags -Dexit=come_back", 'OPENMP=');
BAIL_OUT("the harness does not compile: $err") if $status;

mkdir "$folder/none";
$ENV{OCL_ICD_VENDORS} = "$folder/none"; # without a device the harness computes nothing
$ENV{ASAN_OPTIONS}    = 'detect_leaks=0:abort_on_error=1'; # a refused command line does not free its memory
$ENV{UBSAN_OPTIONS}   = 'abort_on_error=1:print_stacktrace=1';
my $count = $ENV{FUZZ} || 1_000_000;
my $seed  = $ENV{FUZZ_SEED} // 1;
$Steps::limit = 86400 if $ENV{FUZZ};
for my $program (sort keys %libraries) {
    ($status, $out, $err) = run($cc, @flags, cppflags(), "$root/tests/common/fuzz.c",
        (map { "$copy/build/$_" } @{ $libraries{$program} }),
        '-Wl,--wrap=supervise,--wrap=find_races', qw(-lOpenCL -lm -o), "$folder/fuzz");
    is($status, 0, "tests/common/fuzz.c compiles with the $program") or diag($err);
    # The program is called in the test's folder, because a random command line may create a file.
    ($status, $out, $err) = run('env', '-C', $folder, "$folder/fuzz", $seed, $count);
    is("$status$err", '0', "seed $seed: the $program accepts or refuses each command line, and never crashes");
    my ($all, $understood) = $out =~ /^seed $seed: (\d+) command lines, (\d+) understood$/;
    cmp_ok($all // 0, '>=', $count, "$count command lines were tried");
    cmp_ok($understood // 0, '>', $count / 20, 'enough command lines pass the first check');
}

done_testing();
