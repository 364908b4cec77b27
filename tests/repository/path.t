#!/usr/bin/perl
# Counts the functions that a run enters, and the files that a reader opens to follow it: "The path of a run" must stay short. The
# compiler inserts a call of record_entry() at the beginning of each function (-finstrument-functions). In test-all only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

# step => the largest number of functions, of files, of nested calls, and of changes from one file to another. The other steps may
# enter six functions and one file more than step 06, nest one call more, and change the file five times more.
my @most_of_06 = (81, 12, 8, 26);
my @further = (6, 1, 1, 5);
my %most = ('06' => \@most_of_06, map { $_ => [ map { $most_of_06[$_] + $further[$_] } 0 .. 3 ] } qw(01 03 10));

needs_test_all('half a minute');
for (qw(gcc addr2line)) { plan skip_all => "no $_" unless has_tool($_) }

my $copy = copy_tree(qw(Makefile common kernels steps));
spew("$copy/record.c", <<'END');
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#define NOT_RECORDED __attribute__((no_instrument_function))
extern char __executable_start; /* from the linker */
static _Thread_local int depth;
static void *known[4096];
static int count;
NOT_RECORDED void __cyg_profile_func_enter(void *function, void *caller)
{
    static FILE *file;
    (void)caller;
    depth++;
    for (int i = 0; i < count; i++)
        if (known[i] == function)
            return;
    known[count++] = function;
    file = file ? file : fopen(getenv("PATH_FILE"), "w");
    fprintf(file, "%d 0x%lx\n", depth, (unsigned long)((char *)function - &__executable_start));
    fflush(file);
}
NOT_RECORDED void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
    depth--;
}
END
is((run('gcc', '-O1', '-c', "$copy/record.c", '-o', "$copy/record.o"))[0], 0, 'the recording functions compile');
my ($status, $out, $err) = run('make', '-s', '-j2', '-C', $copy, map({ "step$_" } sort keys %most),
    'CFLAGS=-std=gnu11 -O0 -g -finstrument-functions', "LDLIBS=record.o -lOpenCL -lm -lgomp");
is($status, 0, 'the steps compile with recorded functions') or diag($err);

for my $step (sort keys %most) {
    my ($functions, $files, $depth, $changes, $last) = (0, 0, 0, 0, '');
    my %seen;
    local $ENV{PATH_FILE} = "$copy/path.txt";
    ($status, $out, $err) = run("$copy/step$step", qw(--reps 3 --seconds 0 --n 2^20));
    is($status, 0, "step $step runs") or diag($out, $err);
    for (split /\n/, slurp($ENV{PATH_FILE})) {
        my ($at, $address) = split;
        my ($name, $place) = split /\n/, (run('addr2line', '-f', '-e', "$copy/step$step", $address))[1];
        # operation.c includes the operator. gcc 12 says that the functions of its macros are in the former, gcc 14 in the latter.
        my $file = $place =~ s/:.*//r =~ s{\.\./kernels/operators/.*}{operation.c}r;
        next if $seen{"$name $file"}++;
        $functions++;
        $files++ unless $seen{$file}++;
        $depth = $at if $at > $depth;
        $changes++ if $last ne '' && $last ne $file;
        $last = $file;
    }
    my @counts = ($functions, $files, $depth, $changes);
    my @names = ('functions', 'files', 'calls inside each other', 'changes of file');
    cmp_ok($counts[$_], '<=', $most{$step}[$_], "step $step: $counts[$_] $names[$_], at most $most{$step}[$_]") for 0 .. 3;
}
done_testing();
