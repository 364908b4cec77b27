#!/usr/bin/perl
# Other people's reductions: each that can be built here is right, says what it has not, and is left out by name where
# its library is not there; one that is wrong is shown as wrong, without a number.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some minutes');
plan skip_all => 'no g++' unless have('g++');
my ($device) = grep { $_->{name} =~ /POCL/i } devices();
plan skip_all => 'no pocl' unless $device;
my $folder = temporary();
my $copy   = copied(qw(Makefile common kernels steps plots), map { "step$_" } '00', @steps);
mkdir "$copy/build"; # with what `make test` has built: make has the peers alone to make
run('cp', '-a', glob("'$root'/build/*.[oda] '$root'/build/flags '$root'/build/common '$root'/build/kernels"), "$copy/build");
$ENV{REDUCE_KERNELS}  = "$copy/kernels";
$ENV{OMP_WAIT_POLICY} = 'passive';
delete $ENV{PEERS};
chdir $copy or die "$copy: $!\n";
END { chdir '/' } # or the temporary folder cannot go

# ---- what is built, and what is left out: every peer is one or the other
my ($status, $out, $err) = run(qw(make -s -j2 all build-peers NVCC=none)); # nvcc takes minutes, and what it builds runs on a GPU only
is($status, 0, 'make build-peers') or diag($out, $err);
my %left_out = $out =~ /^peer (\w+) is skipped: it needs (.*)$/mg;
my @all   = split ' ', (slurp('plots/peers/peers.mk') =~ /^PEERS \?= (.*)/m)[0];
my @built = grep { !$left_out{$_} } @all;
ok(-x "build/peer_$_", "$_ is built") for @built;

# Debian's TBB is too old for Intel's runtime, and numbers devices differently then: by name.
for my $peer (grep { -x "build/peer_$_" } @built) {
    my @on = ("build/peer_$peer", qw(--device pocl));
    for my $kind ([qw(sum int)], [qw(sum float)], [qw(min float)], [qw(argmin int)]) {
        my ($op, $type) = @$kind;
        my @what = ('--op', $op, '--type', $type);
        ($status, $out, $err) = run(@on, @what, '--check', '--n', '1,2,1000,4096,4097,100003');
        if ($out =~ /^(?:1\.\.0|ok 1 - .*) # SKIP (.*)/m) {
            my $why = $1;
            ($status, $out, $err) = run(@on, @what, qw(--n 1000));
            is($status, 77, "$peer: no $op of $type: exit status 77");
            like($err, qr/it has (sum|min) of|it needs a device of NVIDIA/, "$peer: and says what it has") or diag($why);
        } else {
            is($status, 0, "$peer: $op of $type is right") or diag($out, $err);
            like($out, qr/^ok 1 - .*, 6 sizes$/m, "$peer: $op of $type, all sizes");
        }
    }
}

# ---- what is no reduction is built by name only
ok(!grep({ /^floor_/ } @all), 'no floor among the peers');

# ---- a library that is not there
for (['tbb', 'HEADER_tbb=no/such.h', 'g++ libtbb-dev'], ['cub', 'NVCC=no_nvcc', 'the CUDA toolkit (nvcc)'],
    ['floor_cuda', 'NVCC=no_nvcc', 'the CUDA toolkit (nvcc)', 'PEERS=floor_cuda'],
    ['any', 'PEERS=any', 'plots/peers/any.c']) {
    my ($peer, $without, $package, @which) = @$_;
    ($status, $out, $err) = run('make', '-s', 'build-peers', 'NVCC=none', $without, @which);
    is($status, 0, "without the library of $peer: make build-peers");
    like($out, qr/^peer $peer is skipped: it needs \Q$package\E$/m, "$peer is skipped, with the name of what it needs");
}
($status, $out, $err) = run('make', '-s', 'build-peers', 'NVCC=none', 'PEERS=cub thrust');
is($status . $out =~ s/^peer \w+ is skipped: .*\n//mgr, '0', 'all that are asked for are left out: nothing else is made or said');

# ---- which peers: by the environment, as every other setting, and by make's own
{
    local $ENV{PEERS} = 'serial';
    like((run('make', '-s', '-n', 'peers'))[1], qr/PEERS="serial"/, 'PEERS=serial make peers');
    like((run('make', '-s', '-n', 'peers', 'PEERS=openmp'))[1], qr/PEERS="openmp"/, 'make peers PEERS=openmp');
}

# ---- one that is wrong at a single n, one that always is, and one that is right
spew("$folder/wrong.c", <<'END');
#include "outside.h"
#include <stddef.h>
#include <string.h>
static void sum(const void *elements, uint64_t n, void *value)
{
    const uint32_t *x = elements;
    uint32_t all = n == WRONG;
    for (uint64_t i = 0; i < n; i++)
        all += x[i];
    memcpy(value, &all, sizeof all);
}
const char peer_name[] = NAME, peer_device[] = "";
const struct library_call peer_calls[] = { { "sum", "int", sum, NULL, NULL }, { NULL, NULL, NULL, NULL, NULL } };
END
my $floor = "$copy/build/peer_floor_none"; # as a floor is built: there, but nobody has asked for it
for (['once', 'WRONG=8192'], ['always', 'WRONG=n'], ['floor_none', 'WRONG=0', $floor]) {
    my ($name, $wrong, $program) = @$_;
    ($status, $out, $err) = run('gcc', '-std=c11', cppflags(), '-Iplots/peers', '-D', qq(NAME="$name"), '-D', $wrong,
        "$folder/wrong.c", 'plots/peers/library.c', 'build/libreduce.a', '-o', $program // "$folder/peer_$name", ldlibs());
    is($status, 0, "peer $name compiles") or diag($err);
}

SKIP: {
    skip 'no gnuplot', 1 unless have('gnuplot');
    sub measured { # what, into which folder
        local @ENV{qw(RESULTS DEVICE)} = ($_[1], 'pocl');
        return run('plots/measure.py', $_[0]);
    }

    # Paths in PEERS are separated by spaces, and the folder's name has one.
    my $plain = "/tmp/peers-test-$$";
    symlink $folder, $plain or die "$plain: $!\n";
    local %ENV = (%ENV, N => '2^11..2^15', ROUNDS => 1, ROW_SECONDS => 0, PEERS => "$plain/peer_once $plain/peer_always serial");
    ($status, $out, $err) = measured('peers', "$folder/results");
    unlink $plain;
    is($status, 0, 'peers go on after a wrong result') or diag($out, $err);
    like($err, qr/^once: (?:.*\n)*WRONG: once at n = 8192: expected -?\d+, got -?\d+/m, 'it is told what is wrong');
    my $data = slurp("$folder/results/peers/sum.int.dat");
    like($data, qr/^peer once - 8192 nan nan nan nan wrong nan nan nan nan$/m, 'no number in the data');
    like($data, qr/^peer once - 2048 \S+ \S+ \S+ [\d.e+-]+ right \S+ \S+ \S+ [\d.e+-]+$/m, 'the size before has one');
    like($data, qr/^peer once - 32768 \S+ \S+ \S+ [\d.e+-]+ right \S+ \S+ \S+ [\d.e+-]+$/m, 'and the size after');
    is(scalar(() = $data =~ /^peer always - \d+ nan nan nan nan wrong nan nan nan nan$/mg), 3, 'no number at all where the check failed');
    like($data, qr/^ours \w+ \w+ 32768 \S+ \S+ \S+ 1 right \S+ \S+ \S+ [\d.e+-]+$/m, 'one of ours is the measure');
    my $before = slurp("$folder/results/peers_sum_int.svg");
    ok(scalar($before =~ />once, wrong at 1 n</), 'and the key of the picture');
    ok(scalar($before =~ />always, wrong at 3 n</), 'even where the peer has no point');
    unlink "$folder/results/peers_sum_int.svg";
    ($status, undef, $err) = run('plots/draw.py', "$folder/results");
    is($status, 0, 'drawn again') or diag($err);
    ok($before eq slurp("$folder/results/peers_sum_int.svg"), '... the same picture');

    ($status, $out, $err) = measured('peers', "$folder/none");
    is("$status$err", "2measure.py: PEERS=$plain/peer_once: no such program\n", 'a path in PEERS at which there is nothing: one line');
    @ENV{qw(OURS N OP TYPE PEERS)} = ('08:groups', '2^11..2^11', 'min', 'float', 'serial');
    ($status, $out, $err) = measured('peers', "$folder/chosen");
    is($status, 0, 'OURS chooses among ours') or diag($out, $err);
    my %ours = map { $_ => 1 } slurp("$folder/chosen/peers/sum.int.dat") =~ /^ours (\w+ \w+)/mg;
    is(join(' ', keys %ours), '08_serial_cpu_groups groups', 'and no other takes part');
    $ENV{N} = '2^11';
    ($status, $out, $err) = measured('bench', "$folder/chosen");
    is($status, 0, 'of bench too') or diag($out, $err);
    like($out, qr/^\| 08 serial_cpu_groups \| groups .*\n\| openmp .*\n\n.*min of float, n = 2\^11/m, 'with another operator') or diag($out);
    like($out, qr/; median of 1 round\.$/m, '1 round, not 1 rounds');
    $ENV{OP} = 'hash';
    ($status, $out, $err) = measured('bench', "$folder/chosen");
    like("$status $err", qr/\A2 .*^measure.py: nothing to measure: no chosen variant supports this operator and type on this device; .*\n\z/ms, 'an operator that nothing chosen does');
    {
        local @ENV{qw(OURS PEERS N STRIDE)} = ('09:work_group', 'serial', '2^11..2^11', 1);
    SKIP: {
            skip 'this pocl has work_group_reduce', 1
                if (run("./step09", qw(--device pocl --variant work_group --n 2048 --reps 3)))[0] != 77;
            ($status, $out, $err) = measured('peers', "$folder/word");
            like("$status $err", qr/\A2 .*^measure.py: no row of the sum of int: no chosen variant supports it; choose other values of OURS$/ms, 'nor in peers') or diag($err);
        }
        {
            local @ENV{qw(OURS LIMIT_SECONDS)} = ('08:groups', '1e-9');
            ($status, $out, $err) = measured('peers', "$folder/slow");
            like($err, qr/^step08 --variant groups .*--n 2048 .*: skipped, .* --limit-seconds$/m, 'what is too slow is said');
        }
        # A foreign program that a signal ends is told of, and the others go on.
        spew("$folder/peer_dies", "#!/bin/sh\nkill -SEGV \$\$\n");
        chmod 0755, "$folder/peer_dies";
        symlink $folder, $plain or die "$plain: $!\n";
        {
            local @ENV{qw(OURS PEERS)} = ('08:groups', "$plain/peer_dies serial");
            ($status, $out, $err) = measured('peers', "$folder/dies");
        }
        unlink $plain;
        like("$status $err", qr/\A0 .*^dies: ended with status -11$/ms, 'a program that a signal ends is told of');
        like(slurp("$folder/dies/peers/sum.int.dat"), qr/^peer serial - 2048 /m, '... and the others are measured');
        # A program takes four sizes; at the fifth this peer ends the whole run.
        spew("$folder/peer_deadly", "#!/bin/sh\ncase \"\$*\" in *16384*) kill \$PPID; exit 1 ;; esac\nexec '$copy/build/peer_serial' \"\$@\"\n");
        chmod 0755, "$folder/peer_deadly";
        symlink $folder, $plain or die "$plain: $!\n";
        local @ENV{qw(OURS PEERS N)} = ('08:groups', "$plain/peer_deadly", '2^10..2^14');
        measured('peers', "$folder/ended");
        unlink $plain;
        my @left = -e "$folder/ended/peers/sum.int.dat" ? slurp("$folder/ended/peers/sum.int.dat") =~ /^peer deadly - (\d+) /mg : ();
        is("@left", '1024 2048 4096 8192', 'a run that is ended leaves what it has measured');
        @ENV{qw(PEERS STRIDE)} = ('serial', 0);
        ($status, $out, $err) = measured('peers', "$folder/word");
        like("$status $err", qr/\A2 measure.py: STRIDE=0: must be a number from 1 on, .*\n\z/, 'a stride of nothing');
    }
    for my $wrong ('99:groups', '08:no', '08') {
        $ENV{OURS} = $wrong;
        for my $what (qw(peers bench)) {
            local @ENV{qw(N OP)} = ('2^11', 'min');
            ($status, $out, $err) = measured($what, "$folder/chosen");
            like("$status $err", qr/\A2 (?:step\d\d --.*\n)?.*(?:step99|--variant no|--variant ).*\n\z/, "$what, OURS=$wrong: one line, exit 2");
        }
    }
}

done_testing();
