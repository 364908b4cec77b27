#!/usr/bin/perl
# The Makefile: what is built goes together, whatever compiler and flags came before; what is up to date stays.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($other) = grep { has_tool($_) } qw(clang gcc-11 gcc-10);
plan skip_all => 'no gcc, or no second compiler' unless has_tool('gcc') && $other;
delete @ENV{qw(CC CFLAGS)};
my $copy = copy_tree(qw(Makefile common kernels steps));

sub build { # settings and targets: the exit status, what it says, and how many files were compiled or linked
    my ($status, $out, $err) = run('make', '-j2', 'V=1', '-C', $copy, @_);
    return ($status, "$out$err", scalar(() = $out =~ / -o /g));
}
my @quick = ('CFLAGS=-std=c11 -O0', 'CC=gcc');
for (
    [ 'gcc', 'all', @quick ], [ 'again', 'none', @quick ],
    [ "$other over gcc's objects", 'all', $quick[0], "CC=$other" ], [ 'again', 'none', $quick[0], "CC=$other" ],
    [ "gcc over $other\'s", 'all', @quick ],
    [ 'other flags', 'all', 'CFLAGS=-std=c11 -O0 -DX="\'a b\'"', 'CC=gcc' ], [ 'again', 'none', 'CFLAGS=-std=c11 -O0 -DX="\'a b\'"', 'CC=gcc' ],
) {
    my ($what, $which, @settings) = @$_;
    my ($status, $said, $made) = build(@settings, qw(step00 step06));
    my @objects = split /\n/, (run('find', "$copy/build", qw(-name *.o)))[1]; # and two steps; a source may have several
    cmp_ok(scalar @objects, '>=', scalar(() = list_harness_sources()), "$what: an object for each source at least");
    my $expected = $which eq 'all' ? @objects + 2 : 0;
    is("$status $made", "0 $expected", "$what: builds, and as much as it must") or diag($said);
    is((run("$copy/step06", '--version'))[0], 0, '... and it runs');
}

rename "$copy/common/verify.c", "$copy/common/judge/verify.c" or die $!;
rename (glob("'$copy'/steps/06_*"), "$copy/steps/06_again.c") or die $!;
my ($status, $said) = build(@quick, 'step06');
is($status, 0, 'a source that moves and a step with another name: built over what is there') or diag($said);

done_testing();
