#!/usr/bin/perl
# Command lines that nobody would write, under AddressSanitizer and UndefinedBehaviorSanitizer: see tests/fuzz.c.
#   FUZZ=1000000   as many as that, however long they take; without it, as many as 10 seconds allow
#   FUZZ_SEED=7    other ones: they follow from the seed
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

my $cc = $ENV{CC} // 'cc';
plan skip_all => "no C compiler ($cc)" unless have($cc);
my $folder = temporary();
my @flags  = sanitizer_flags($cc) or plan skip_all => "$cc has no sanitizers here";

# A refusal ends in exit(): here that is leave(), which goes on with the next one. device.c is part of fuzz.c.
my @objects;
for my $source (grep { !/device\.c$/ } glob "'$root'/common/*.c") {
    push @objects, "$folder/" . ($source =~ m{([^/]+)\.c$})[0] . '.o';
    my ($status, $out, $err) = run($cc, @flags, '-Dexit=leave', '-c', $source, '-o', $objects[-1]);
    BAIL_OUT("$source does not compile: $err") if $status;
}
my ($status, $out, $err) = run($cc, @flags, "-I$root/tests", "$root/tests/fuzz.c", @objects, qw(-lOpenCL -lm -o), "$folder/fuzz");
is($status, 0, 'tests/fuzz.c compiles') or diag($err);

mkdir "$folder/none";
$ENV{OCL_ICD_VENDORS} = "$folder/none"; # no device: nothing is run
$ENV{ASAN_OPTIONS}    = 'detect_leaks=0:abort_on_error=1'; # what a refusal leaves, the end of a process would have freed
$ENV{UBSAN_OPTIONS}   = 'abort_on_error=1:print_stacktrace=1';
$Steps::limit = 86400 if $ENV{FUZZ};
my $seed = $ENV{FUZZ_SEED} // 1;
my @much = $ENV{FUZZ} ? ($ENV{FUZZ}, 86400) : (100_000_000, 10);
# In its folder: should a command line ever come as far as to make one, it is made there.
($status, $out, $err) = run('env', '-C', $folder, "$folder/fuzz", $seed, @much);
is("$status$err", '0', "seed $seed: each is understood or refused, none breaks anything");
like($out, qr/^seed $seed: (\d+) command lines, (\d+) understood$/, 'what was tried: ' . $out =~ tr/\n//dr);
my ($all, $understood) = $out =~ /(\d+) command lines, (\d+)/;
ok(($understood // 0) > ($all // 0) / 20, 'enough of it makes sense to get behind the first check');

done_testing();
