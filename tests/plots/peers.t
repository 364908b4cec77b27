#!/usr/bin/perl
# Tests the peers, which are reductions of other libraries. Each peer that can be built here must be right, or say which
# operations it has. If its library is missing, make build-peers must name the peer and what it needs. A wrong peer must be marked
# as wrong, and its times must not be shown.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some minutes');
plan skip_all => 'no g++' unless has_tool('g++');
my ($device) = grep { $_->{name} =~ /POCL/i } list_devices();
plan skip_all => 'no pocl' unless $device;
my $folder = make_folder();
my $copy   = copy_tree(qw(Makefile .ci common kernels steps plots), (map { "step$_" } '00', @steps), @judges);
mkdir "$copy/build"; # with the files that make has already built, so only the peers are built
run('cp', '-a', find_files($root, 'build/{*.[oda],flags,common,kernels}'), "$copy/build");
$ENV{REDUCE_KERNELS}  = "$copy/kernels";
$ENV{OMP_WAIT_POLICY} = 'passive';
delete $ENV{PEERS};
chdir $copy or die "$copy: $!\n";
END { chdir '/' } # otherwise the temporary folder cannot be removed

# ---- make build-peers builds each peer, or says that it is left out
my ($status, $out, $err) = run(qw(make -s -j2 all build-peers NVCC=none)); # nvcc takes minutes, and its programs need a GPU
is($status, 0, 'make build-peers') or diag($out, $err);
my %left_out = $out =~ /^peer (\w+) is skipped: it needs (.*)$/mg;
my @all   = split ' ', (slurp('plots/peers/peers.mk') =~ /^PEERS \?= (.*)/m)[0];
my @built = grep { !$left_out{$_} } @all;
ok(-x "build/peer_$_", "$_ is built") for @built;

# The device is chosen by name, because with Debian's TBB Intel's runtime does not start, which changes the numbers of the
# devices.
for my $peer (grep { -x "build/peer_$_" } @built) {
    my @on = ("build/peer_$peer", qw(--device pocl));
    for my $kind ([qw(sum int)], [qw(sum float)], [qw(min float)], [qw(argmin int)]) {
        my ($op, $type) = @$kind;
        my @what = ('--op', $op, '--type', $type);
        ($status, $out, $err) = run(@on, @what, '--n', '1,2,1000,4096,4097,100003', qw(--reps 3 --seconds 0));
        if ($status == 77) {
            like($err, qr/it has (sum|min) of|it needs a device of NVIDIA/, "$peer has no $op of $type: a line says which it has");
        } else {
            is($status, 0, "$peer: $op of $type is right") or diag($out, $err);
            is(scalar(() = $out =~ /^\S+ +(?:1|2|1000|4096|4097|100003) /mg), 6, "$peer: $op of $type, all sizes")
                or diag($out);
        }
    }
}

# ---- a ratio is the median of the ratios of the rounds: here 1.5, 1.5 and 1.1, although the medians of the times are 2.2 and 2
($status, $out, $err) = run('python3', '-c', <<'END', "$root/plots");
import sys
from types import SimpleNamespace
sys.path.append(sys.argv[1])
import peers
peers.make_header = lambda *_, **__: "#"
make_rounds = lambda *walls: {turn: SimpleNamespace(wall_med=wall, file=None) for turn, wall in enumerate(walls)}
rows = {("ours", "11", "word", 4): make_rounds(1, 4, 2), ("ours", "10", "block", 4): make_rounds(1, 5, 3),
        ("peer", "any", "-", 4): make_rounds(1.5, 6, 2.2), ("peer", "bad", "-", 4): {}}
print(*[" ".join(line.split()[1:]) for line in peers.format_table("sum", "int", 3, rows)][-4:], sep="\n")
END
is("$status$err$out", "010 block 4 3 1 5 1.25 right\n11 word 4 2 1 4 1 right\nany - 4 2.2 1.5 6 1.5 right\nbad - 4 nan nan nan nan wrong\n",
    'a ratio is the median of the ratios of the rounds');

# ---- a missing library
for (['tbb', 'HEADER_tbb=no/such.h', 'g++ libtbb-dev'], ['cub', 'NVCC=no_nvcc', 'the CUDA toolkit (nvcc)'],
    ['any', 'PEERS=any', 'plots/peers/any.c']) {
    my ($peer, $without, $package, @which) = @$_;
    ($status, $out, $err) = run('make', '-s', 'build-peers', 'NVCC=none', $without, @which);
    is($status, 0, "without the library of $peer: make build-peers ends with 0");
    like($out, qr/^peer $peer is skipped: it needs \Q$package\E$/m, "$peer is skipped, with the name of what it needs");
}
($status, $out, $err) = run('make', '-s', 'build-peers', 'NVCC=none', 'PEERS=cub pytorch');
is($status . $out =~ s/^peer \w+ is skipped: .*\n//mgr, '0',
    'if all chosen peers are left out, make builds nothing and prints nothing else');

# ---- PEERS may be set in the environment or on make's command line
{
    local $ENV{PEERS} = 'serial';
    like((run('make', '-s', '-n', 'peers'))[1], qr/PEERS="serial"/, 'PEERS=serial make peers');
    like((run('make', '-s', '-n', 'peers', 'PEERS=openmp'))[1], qr/PEERS="openmp"/, 'make peers PEERS=openmp');
}

# ---- a peer that is wrong at one n, a peer that is always wrong, and a program that is right
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
for (['once', 'WRONG=8192'], ['always', 'WRONG=n']) {
    my ($name, $wrong) = @$_;
    ($status, $out, $err) = run('gcc', '-std=c11', cppflags(), '-Iplots/peers', '-D', qq(NAME="$name"), '-D', $wrong,
        "$folder/wrong.c", 'plots/peers/library.c', 'build/libreduce.a', '-o', "$folder/peer_$name", ldlibs());
    is($status, 0, "peer $name compiles") or diag($err);
}

SKIP: {
    skip 'no gnuplot', 1 unless has_tool('gnuplot');
    sub measure { # calls measure.py with this command, and writes into this folder
        local @ENV{qw(RESULTS DEVICE)} = ($_[1], 'pocl');
        return run('plots/measure.py', $_[0]);
    }

    # The test's folder has a space in its path, but PEERS separates paths by spaces. So PEERS names a symbolic link.
    my $plain = "/tmp/peers-test-$$";
    symlink $folder, $plain or die "$plain: $!\n";
    local %ENV = (%ENV, N => '2^11..2^15', ROUNDS => 1, ROW_SECONDS => 0, PEERS => "$plain/peer_once $plain/peer_always serial");
    ($status, $out, $err) = measure('peers', "$folder/results");
    unlink $plain;
    is($status, 0, 'after a wrong result the other peers are measured') or diag($out, $err);
    like($err, qr/^once: (?:.*\n)*WRONG: once at n = 8192: expected -?\d+, got -?\d+/m, 'a message shows the wrong result');
    my $data = slurp("$folder/results/peers/sum.int.dat");
    like($data, qr/^# end\n\z/m, 'a complete file ends with # end');
    like($data, qr/^peer once - 8192 nan nan nan nan wrong$/m, 'the data file has no times for that n');
    like($data, qr/^peer once - 2048 \S+ \S+ \S+ [\d.e+-]+ right$/m, '... but for smaller n');
    like($data, qr/^peer once - 32768 \S+ \S+ \S+ [\d.e+-]+ right$/m, '... and for larger n');
    is(scalar(() = $data =~ /^peer always - \d+ nan nan nan nan wrong$/mg), 3,
        'a peer that fails its check has no times at all');
    like($data, qr/^ours \w+ \w+ 32768 \S+ \S+ \S+ 1 right$/m,
        'one of the steps is the base of the comparison');
    my $before = slurp("$folder/results/peers_sum_int.svg");
    ok(scalar($before =~ />once, wrong at 1 n</), 'the key of the picture marks the wrong peer');
    ok(scalar($before =~ />always, wrong at 3 n</), '... even if the peer has no point');
    unlink "$folder/results/peers_sum_int.svg";
    ($status, undef, $err) = run('plots/draw.py', "$folder/results");
    is($status, 0, 'draw.py draws the picture again') or diag($err);
    ok($before eq slurp("$folder/results/peers_sum_int.svg"), '... and gives the same picture');

    ($status, $out, $err) = measure('peers', "$folder/none");
    is("$status$err", "2measure.py: PEERS=$plain/peer_once: no such program\n", 'a path in PEERS that does not exist: one line');
    @ENV{qw(OURS N OP TYPE PEERS)} = ('08:groups', '2^11..2^11', 'min', 'float', 'serial');
    ($status, $out, $err) = measure('peers', "$folder/chosen");
    is($status, 0, 'OURS selects a variant of a step') or diag($out, $err);
    my %ours = map { $_ => 1 } slurp("$folder/chosen/peers/sum.int.dat") =~ /^ours (\w+ \w+)/mg;
    is(join(' ', keys %ours), '08_serial_cpu_groups groups', '... and no other variant is measured');
    $ENV{N} = '2^11';
    ($status, $out, $err) = measure('bench', "$folder/chosen");
    is($status, 0, 'OURS also works for bench') or diag($out, $err);
    like(slurp("$folder/chosen/bench.dat"), qr/^# end\n\z/m, '... and its file ends with # end');
    like($out, qr/^\| 08 serial_cpu_groups \| groups .*\n\| openmp .*\n\n.*min of float, n = 2\^11/m,
        '... with another operator') or diag($out);
    like($out, qr/; median of 1 round\.$/m, '... and prints 1 round, not 1 rounds');
    $ENV{OP} = 'hash';
    ($status, $out, $err) = measure('bench', "$folder/chosen");
    like("$status $err",
        qr/\A2 .*^measure.py: nothing to measure: no chosen variant supports this operator and type on this device; .*\n\z/ms,
        'bench with an operator that no chosen variant has: one line');
    {
        local @ENV{qw(OURS PEERS N STRIDE)} = ('09:work_group', 'serial', '2^11..2^11', 1);
    SKIP: {
            skip 'this pocl has work_group_reduce', 1
                if (run("./step09", qw(--device pocl --variant work_group --n 2048 --reps 3)))[0] != 77;
            ($status, $out, $err) = measure('peers', "$folder/word");
            like("$status $err", qr/\A2 .*^measure.py: no row of the sum of int: no chosen variant supports it; choose other values of OURS$/ms,
                'peers with an operation that no chosen variant supports here: one line') or diag($err);
        }
        {
            local @ENV{qw(OURS LIMIT_SECONDS)} = ('08:groups', '1e-9');
            ($status, $out, $err) = measure('peers', "$folder/slow");
            like($err, qr/^step08 --variant groups .*--n 2048 .*: skipped, .* --limit-seconds$/m,
                'a line names each n that is left out because it would take too long');
        }
        # A signal ends a peer. A line must say so, and the other peers must be measured.
        spew("$folder/peer_dies", "#!/bin/sh\nkill -SEGV \$\$\n");
        chmod 0755, "$folder/peer_dies";
        symlink $folder, $plain or die "$plain: $!\n";
        {
            local @ENV{qw(OURS PEERS)} = ('08:groups', "$plain/peer_dies serial");
            ($status, $out, $err) = measure('peers', "$folder/dies");
        }
        unlink $plain;
        like("$status $err", qr/\A0 .*^dies: ended with status -11$/ms, 'a signal ends a peer: a line says so');
        like(slurp("$folder/dies/peers/sum.int.dat"), qr/^peer serial - 2048 /m, '... and the other peers are measured');
        # One call of a peer measures four sizes. At the fifth size this peer ends measure.py.
        spew("$folder/peer_deadly",
            "#!/bin/sh\ncase \"\$*\" in *16384*) kill \$PPID; exit 1 ;; esac\nexec '$copy/build/peer_serial' \"\$@\"\n");
        chmod 0755, "$folder/peer_deadly";
        symlink $folder, $plain or die "$plain: $!\n";
        local @ENV{qw(OURS PEERS N)} = ('08:groups', "$plain/peer_deadly", '2^10..2^14');
        measure('peers', "$folder/ended");
        unlink $plain;
        my @left = -e "$folder/ended/peers/sum.int.dat" ? slurp("$folder/ended/peers/sum.int.dat") =~ /^peer deadly - (\d+) /mg
            : ();
        is("@left", '1024 2048 4096 8192', 'if measure.py is ended, the file contains the sizes that were measured');
        unlike(slurp("$folder/ended/peers/sum.int.dat"), qr/^# (?:end|rows)\b/m, '... and no line that says that it is complete');
        ($status, undef, $err) = run('plots/draw.py', "$folder/ended");
        like("$status $err", qr/\A0 draw\.py: [^\n]*sum\.int\.dat has no line '# end': the measurement was interrupted[^\n]*\n\z/,
            '... which draw.py says');
        @ENV{qw(PEERS STRIDE)} = ('serial', 0);
        ($status, $out, $err) = measure('peers', "$folder/word");
        like("$status $err", qr/\A2 (?:measure\.py: \w+ has no effect .*\n)*measure.py: STRIDE=0: must be a number from 1 on, .*\n\z/, 'STRIDE=0: one line');
    }
    for my $wrong ('99:groups', '08:no', '08') {
        $ENV{OURS} = $wrong;
        for my $what (qw(peers bench)) {
            local @ENV{qw(N OP)} = ('2^11', 'min');
            ($status, $out, $err) = measure($what, "$folder/chosen");
            like("$status $err", qr/\A2 (?:measure\.py: \w+ has no effect .*\n)*(?:step\d\d --.*\n)?.*(?:step99|--variant no|--variant ).*\n\z/,
                "$what, OURS=$wrong: one line, exit 2");
        }
    }
}

done_testing();
