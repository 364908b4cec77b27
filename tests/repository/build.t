#!/usr/bin/perl
# Tests the Makefile: after a change of compiler or flags it builds everything again, otherwise it builds nothing. Tests also that a
# test runs in a folder whose name contains an apostrophe and a space.
use strict;
use warnings;
use File::Path qw(remove_tree);
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($other) = grep { has_tool($_) } qw(clang gcc-11 gcc-10);
plan skip_all => 'no gcc' unless has_tool('gcc');
delete @ENV{qw(CC CFLAGS)};

# ---- a copy with some of the folders is not built again, because several tests call make in such a copy at the same time
my $copy = copy_tree(qw(Makefile .ci common kernels steps build));
my ($status, $said) = run('make', '-C', $copy, 'build/libreduce.a', 'build/libjudge.a');
is($status, 0, 'make in a copy without plots/ works');
unlike($said, qr/^(?:CC|AR) /m, '... and builds nothing');
remove_tree("$copy/build");

# Calls make with these settings and targets. Returns its exit status, its output, and the number of commands that compile or
# link.
sub build {
    my ($status, $out, $err) = run('make', '-j2', 'V=1', '-C', $copy, @_);
    return ($status, "$out$err", scalar(() = $out =~ / -o /g));
}
my @quick = ('CFLAGS=-std=c11 -O0', 'CC=gcc');
my @other_flags = ('CFLAGS=-std=c11 -O0 -DX="\'a b\'"', 'CC=gcc');
for (
    [ 'gcc', 'all', @quick ],
    [ 'gcc again', 'none', @quick ],
    $other ? ([ "$other after gcc", 'all', $quick[0], "CC=$other" ], [ "$other again", 'none', $quick[0], "CC=$other" ],
        [ "gcc after $other", 'all', @quick ]) : (),
    [ 'other flags', 'all', @other_flags ],
    [ 'the same flags again', 'none', @other_flags ],
    [ 'make -B', 'all', @other_flags, '-B' ],
) {
    my ($what, $which, @settings) = @$_;
    my ($status, $said, $made) = build(@settings, qw(step00 step06 judge06));
    my @objects = split /\n/, (run('find', "$copy/build", qw(-name *.o)))[1]; # a source may have several objects
    cmp_ok(scalar @objects, '>=', scalar(() = list_harness_sources()), "$what: at least one object for each source");
    my $expected = $which eq 'all' ? @objects + 3 : 0; # three programs are linked
    is("$status $made", "0 $expected", "$what: make works, and compiles $which of the files") or diag($said);
    is((run("$copy/$_", '--version'))[0], 0, "$what: $_ starts") for qw(step06 judge06);
}

rename "$copy/common/verify.c", "$copy/common/again.c" or die $!;
rename((find_files($copy, 'steps/06_*'))[0], "$copy/steps/06_again.c") or die $!;
($status, $said) = build(@quick, 'step06');
is($status, 0, 'after a source and a step were renamed, make builds the step') or diag($said);

# ---- what is missing for a build is named
my $missing = qr/^make: the lines above say what is missing: .*make deps installs them$/m;
for (['no OpenCL loader', "LDLIBS=-lnosuch"], ['no headers', 'CPPFLAGS=-include nosuch.h'], ['no compiler', 'CC=nosuch']) {
    my ($what, $setting) = @$_;
    ($status, $said) = build($setting, 'step00');
    ok($status == 2 && $said =~ $missing, "$what: make says that make deps installs it") or diag($said);
}

# ---- no warning of clang becomes an error
for my $clang (grep { has_tool($_) } qw(clang clang-15)) { # newer releases than 14 warn of more options without effect
    ($status, $said) = build("CC=$clang", 'CFLAGS=-std=c11 -O0 -Wall -Wextra -Werror', 'V=', 'step00');
    ok($status == 0 && $said !~ /warning/, "make CC=$clang with -Werror") or diag($said);
}

# ---- a number of one digit, and a setting in small letters
for (['step7', qr/^LINK step07$/m], ['diff6', qr/^06 two_stage\n/m]) {
    my ($target, $pattern) = @$_;
    ($status, $said) = build(@quick, 'V=', $target);
    ok($status == 0 && $said =~ $pattern, "make $target") or diag($said);
}
($status, $said) = build('hint=1', 'exercise06');
ok($status == 2 && $said =~ /hint=1: write the name in capital letters/, 'make hint=1 is refused') or diag($said);
($status, $said) = build('WHEELS=~/wheels', 'wheels');
ok($status == 2 && $said =~ /WHEELS=~\/wheels: your shell did not replace ~/, 'make wheels refuses a folder ~') or diag($said);

# ---- deps comes first, also if it installs the compiler that make asks for its name and for the list of operations
($status, $said) = build();
ok($status == 0 && $said =~ /^make deps /m, 'make without a target lists the targets') or diag($said);
mkdir "$copy/bin" or die "$copy/bin: $!\n";
chmod 0755, spew("$copy/.ci/deps", "#!/bin/sh\necho deps\nln -sf \"\$(command -v gcc)\" bin/newcc\ntouch bin/newmpicc\nchmod +x bin/newmpicc\n") or die $!;
local $ENV{PATH} = "$copy/bin:$ENV{PATH}";
($status, $said) = build('CC=newcc', '-n', 'deps', 'step06');
ok(!-e "$copy/bin/newcc", 'make -n deps installs nothing') or diag($said);
for my $jobs ('-j1', '-j4') {
    run('rm', '-rf', "$copy/build", "$copy/bin", "$copy/step06");
    mkdir "$copy/bin";
    ($status, $said) = build('CC=newcc', $jobs, 'deps', 'step06');
    is("$status " . (() = $said =~ /^deps$/mg), '0 1', "make $jobs deps step06, without a compiler: deps is called once, and first")
        or diag($said);
}
($status, $said) = build('CC=newcc', 'MPICC=newmpicc', 'deps', 'step13');
ok($status == 0 && $said =~ /newmpicc .* -o step13 /s, 'make deps step13 links step 13 with the MPI that deps has installed') or diag($said);
SKIP: {
    skip 'only root can install for another user', 1 if $<;
    chown 65534, 65534, $copy, "$copy/Makefile";
    run('rm', '-r', "$copy/build");
    build('deps');
    is(join(' ', map { (stat)[4] } "$copy/build", "$copy/build/installed.mk"), '65534 65534',
        'if root calls make deps in the folder of a user, build/ belongs to the user');
}
chmod 0755, spew("$copy/.ci/deps", "#!/bin/sh\necho 'make deps: still missing: a compiler' >&2\nexit 2\n") or die $!;
($status, $said) = build('deps', 'step06');
ok($status == 2 && $said =~ /^make deps: still missing: a compiler\nmake: .*\n\z/m && $said !~ / -o /, 'make deps fails: make ends') or diag($said);

# ---- the set-up doctor needs one file of common/ only
spew($_, "#error \"$_ is broken\"\n") for grep { !m{/control_characters\.} } find_files($copy, 'common/{,*/}*.[ch]');
($status, $said) = build(@quick, 'step00');
ok($status == 0 && $said =~ / -o step00 /, 'make step00 works even if no other file of common/ compiles') or diag($said);

# ---- a clone whose path contains an apostrophe and spaces
my $clone = make_folder() . "/it's a clone";
mkdir $clone or die "$clone: $!\n";
run('cp', '-a', (map { "$root/$_" } qw(Makefile build common kernels steps step01 tests)), $clone);
($status, $said, my $err) = run("$clone/tests/common/small_program.t");
ok($status == 0 && $said =~ /^ok 5/m, "a test in $clone") or diag($said, $err);

done_testing();
