#!/usr/bin/perl
# The Makefile: what is built goes together, whatever compiler and flags came before; what is up to date stays.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

my ($other) = grep { have($_) } qw(clang gcc-11 gcc-10);
plan skip_all => 'no gcc, or no second compiler' unless have('gcc') && $other;
delete @ENV{qw(CC CFLAGS MAKEFLAGS MAKELEVEL)};
my $copy = temporary() . '/copy';
mkdir $copy;
run('cp', '-r', (map { "$root/$_" } qw(Makefile common kernels steps)), $copy);

sub built { # settings and targets: the exit status, what it says, and how many files were compiled or linked
    my ($status, $out, $err) = run('make', '-j2', '-C', $copy, @_);
    return ($status, "$out$err", scalar(() = $out =~ / -o /g));
}
my @quick = ('CFLAGS=-std=c11 -O0', 'CC=gcc');
my $files = (() = harness()) + 2;
for (
    [ 'gcc', $files, @quick ], [ 'again', 0, @quick ],
    [ "$other over gcc's objects", $files, $quick[0], "CC=$other" ], [ 'again', 0, $quick[0], "CC=$other" ],
    [ "gcc over $other\'s", $files, @quick ],
    [ 'other flags', $files, 'CFLAGS=-std=c11 -O0 -DX="\'a b\'"', 'CC=gcc' ], [ 'again', 0, 'CFLAGS=-std=c11 -O0 -DX="\'a b\'"', 'CC=gcc' ],
) {
    my ($what, $expected, @settings) = @$_;
    my ($status, $said, $made) = built(@settings, qw(step00 step06));
    is("$status $made", "0 $expected", "$what: builds, and as much as it must") or diag($said);
    is((run("$copy/step06", '--version'))[0], 0, '... and it runs');
}

done_testing();
