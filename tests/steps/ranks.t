#!/usr/bin/perl
# Tests step 13 with every MPI that is installed: each operator on 1, 2, 3, 4 and 7 ranks; results that must not depend on the
# number of ranks; sums of floats that must be the same in each run; data files; wrong input, a wrong result and a missing device on
# one rank, and a rank that is killed. `make test` calls the step that make has built. Each mpirun that ends with a result takes
# seconds, so `make test` has only one: --check of sums on 3 ranks. It also tries every sixth wrong input, the wrong kernels, and
# one message about lost runtimes, because each of these calls ends early.
use strict;
use warnings;
no warnings 'qw'; # because a comma in qw() is intended here
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my @devices = list_devices();
plan skip_all => 'no OpenCL device' unless @devices;
# Open MPI refuses root, and more ranks than cores. Tests must not be bound to a core, because other tests use it, too.
$ENV{$_} = 1 for qw(OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe);
$ENV{OMPI_MCA_hwloc_base_binding_policy} = $ENV{PRTE_MCA_hwloc_default_binding_policy} = 'none';
$ENV{PRTE_MCA_rmaps_default_mapping_policy} = ':oversubscribe'; # PRTE: from Open MPI 5 on
my $folder = make_folder();
my @files  = find_files($root, 'steps/beyond/ranks/*.c');
$ENV{REDUCE_KERNELS} = "$root/kernels";
# pocl keeps what it has compiled for the other ranks and for the next call.
my ($pocl) = grep { $_->{name} =~ /\[POCL\]/ } @devices;
$ENV{REDUCE_DEVICE} = ($test_all && $pocl ? $pocl : choose_fastest(@devices))->{number};

# Each MPI as { name, mpicc, mpirun, step }. Debian names the commands of each MPI: mpicc.mpich.
my @mpis;
for my $name (qw(openmpi mpich)) {
    push @mpis, { name => $name, mpicc => "mpicc.$name", mpirun => "mpirun.$name", step => "$folder/step13" }
        if $test_all && has_tool("mpicc.$name") && has_tool("mpirun.$name");
}
@mpis = { name => 'MPI', mpicc => 'mpicc', mpirun => 'mpirun', step => $test_all ? "$folder/step13" : "$root/step13" } unless @mpis;
plan skip_all => 'no MPI: make deps MPI=1 installs it' unless has_tool($mpis[0]{mpirun}) && (!$test_all || has_tool($mpis[0]{mpicc}));
plan skip_all => 'no step13: make step13 builds it' unless $test_all || -x $mpis[0]{step};

my $mpi; # the current one

sub build { # returns the path of the program
    my ($name, @sources) = @_;
    my ($status, $out, $err) = run($mpi->{mpicc}, cppflags(), cflags(), @sources, @files, find_library(), ldlibs(), '-o', $name);
    is($status, 0, "$mpi->{name}: $name compiles") or BAIL_OUT($out . $err);
    return $name;
}

sub build_c { # the text of a program
    my ($name, $text, @flags) = @_;
    my ($status, $out, $err) = run(qw(cc -x c), @flags, spew("$folder/text.c", $text), '-o', "$folder/$name");
    is($status, 0, "$name compiles") or diag($err);
    return "$folder/$name";
}

sub run_ranks { # the same command on each rank. Returns the exit status, standard output, and our own lines of standard error
    my ($ranks, @command) = @_;
    return run_each(map { [@command] } 1 .. $ranks);
}

sub run_each { # a command for each rank
    my @commands = @_;
    # mpirun gets a single command, because that of Open MPI 5.0.7, in Debian 13, crashes if it gets several.
    my $script = "case \${OMPI_COMM_WORLD_RANK-\$PMI_RANK} in\n";
    for my $rank (0 .. $#commands) {
        my @words = map { "'" . s/'/'\\''/gr . "'" } @{ $commands[$rank] };
        $script .= "$rank) exec @words ;;\n";
    }
    my ($status, $out, $err) = run($mpi->{mpirun}, '-n', scalar @commands, 'sh', spew("$folder/ranks.sh", "${script}esac\n"));
    return ($status, $out, join '', $err =~ /^step13.*\n/mg);
}

sub find_result { return ($_[0] =~ /^result (\S+): right before and during timing/m)[0] // $_[0] }

my @quick = qw(--reps 3 --seconds 0);
my %right = ( # by a loop on the host
    map { my ($op, $type, $n) = @$_;
        ("$op $type $n" => find_result((run("$root/step01", @quick, '--op', $op, '--type', $type, '--n', $n))[1])) }
        grep { $test_all } [qw(hash int 1000003)], [qw(sum float 100003)], [qw(min float 100003)]
);

for (@mpis) {
    $mpi = $_;
    my ($name, $step) = @$mpi{qw(name step)};
    build($step, find_step_source(13)) if $test_all;

    # ---- --check: TAP once. The first MPI checks all operations on 3 ranks. The ranks of MPICH never sleep while they wait, so
    # many of them on few cores take long.
    my @few = qw(--n 3,1000);
    my @checks = !$test_all ? [qw(3 --op sum --type int --n 2,1000)]
        : ($mpi == $mpis[0] ? [3] : [ qw(3 --type double), @few ], [qw(1 --type uint)], [ qw(2 --type float), @few ],
            [ qw(4 --type int), @few ], [ qw(7 --type uint), @few ], [ qw(7 --op max --type float), @few ]);
    for (@checks) {
        my ($ranks, @options) = @$_;
        my ($status, $out, $err) = run_ranks($ranks, $step, '--check', @options);
        my $planned = $out =~ /\A1\.\.(\d+)\n/ ? $1 : 'no plan';
        my $count = () = $out =~ /^ok \d+ - \w+, \w+ of \w+, $ranks ranks?$/mg;
        is("$status $err $count", "0  $planned", "$name, $ranks ranks: --check @options") or diag($out);
    }

    # ---- results
    for my $case (sort keys %right) {
        my ($op, $type, $n) = split ' ', $case;
        for my $ranks (1, 3) {
            my ($status, $out, $err) = run_ranks($ranks, $step, @quick, '--op', $op, '--type', $type, '--n', $n);
            is("$status $err" . find_result($out), "0 $right{$case}", "$name, $ranks ranks: $case, as step 01 computes it");
        }
    }
    if ($test_all) {
        my $program = build("$folder/ranks_float", "$root/tests/steps/ranks_float.c");
        for my $ranks (2, 3, 7) {
            my %sums = map { $_ => 1 } map { split /\n/, (run($mpi->{mpirun}, '-n', $ranks, $program))[1] } 1 .. 3;
            is(scalar keys %sums, 1, "$name, $ranks ranks: a sum of floats has the same bits on each rank and in each run")
                or diag(sort keys %sums);
        }
    }

    # ---- a data file
    my ($status, $out, $err);
    if ($test_all) {
        my $data = "$folder/data";
        ($status, $out, $err) = run_ranks(2, $step, @quick, qw(--n 1,1000 --type float --width 2 --evict 100 --out), $data);
        my $file = slurp("$data/13_counter.sum.float.dat");
        my ($names, @rows) = grep { !/^#/ } split /\n/, $file;
        is("$status $err" . @rows, '0 2', "$name: --out writes a row for each n");
        my %row;
        @row{ split ' ', $names } = split ' ', $rows[1];
        is("@row{qw(n bytes ranks devices verdict)}" =~ s/noisy|doubted/right/r, '1000 4000 2 1 right', '... of the whole array');
        like($file, qr/^# evicted bytes: 96$/m, '... with the bytes that clear the cache');
        like($out, qr/^counter x2 +1000 +2 /m, '... and the table names the width');
        ok($row{wall_min} > $row{collective_min} && $row{collective_min} > 0, '... with the time in MPI') or diag($rows[1]);
        my @lines = grep { !/^on / } split /\n/, $out; # without the device, whose name may be long
        cmp_ok((sort { $b <=> $a } map { length } @lines)[0], '<=', 80, '... and a table of 80 columns');
    }

    # ---- step 13 frees what it creates in MPI
    if ($test_all) {
        my $source = spew("$folder/operations.c", <<'END');
#include <mpi.h>
#include <stdio.h>
static int created, freed;
int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
    created++;
    return PMPI_Op_create(function, commute, op);
}
int MPI_Op_free(MPI_Op *op)
{
    freed++;
    return PMPI_Op_free(op);
}
int MPI_Finalize(void)
{
    fprintf(stderr, "step13: %d operations created, %d freed\n", created, freed);
    return PMPI_Finalize();
}
END
        my $program = build("$folder/operations", find_step_source(13), $source);
        ($status, $out, $err) = run_ranks(1, $program, qw(--check --n 3 --type uint));
        my ($created, $freed) = $err =~ /^step13: (\d+) operations created, (\d+) freed$/m;
        ok($status == 0 && ($created // 0) > 1 && $freed == $created, "$name: step 13 frees each operation that it has created")
            or diag("exit $status\n$out$err");
    }

    # ---- wrong input: one message, and no rank goes on
    my @on_rank_1 = ([ $step, '--n', '1000' ], [ 'env', 'REDUCE_DEVICE=nobody', $step, '--n', '1000' ]);
    for (choose_some(
        [ 'a device that rank 1 does not have', 2, qr/^step13: rank 1: no device 'nobody': /, @on_rank_1 ],
        [ 'other options on rank 1', 2, qr/^step13: rank 1: has the options '--n 2', but rank 0 has '--n 1': /,
            [ $step, '--n', 1 ], [ $step, '--n', 2 ] ],
        [ 'another last number of a long list on rank 1', 2,
            qr/^step13: rank 1: has the options '--n 1000000,.*', but rank 0 has '--n 1000000,.*': all ranks need /,
            map { [ $step, '--n', join ',', 1000000 .. 1000062, $_ ] } 1, 2 ],
        [ 'an option that does not exist on rank 1', 2, qr/^step13: rank 1: --nosuch: no such option/, [$step],
            [ $step, '--nosuch' ] ],
        [ 'an option of rows', 2, qr/^step13: --seconds: --check measures nothing: leave this option out$/,
            map { [ $step, qw(--check --seconds 1) ] } 0, 1 ],
        [ 'more elements than fit', 2, qr/^step13: n = 1125899906842624: .* have room for \d+ elements$/,
            map { [ $step, '--n', '2^50' ] } 0, 1 ],
        [ 'a value that is not valid on any rank', 2, qr/^step13: --n '0' is not valid/, map { [ $step, '--n', 0 ] } 0, 1 ],
        [ 'an option of the judge', 2, qr/^step13: --races: not for ranks: use it with \.\/judge11,/, map { [ $step, '--races' ] } 0, 1 ],
        [ 'an option of other steps, with its default', 2, qr/^step13: --limit-seconds: not for ranks: use it with \.\/step11,/,
            map { [ $step, qw(--limit-seconds 30) ] } 0, 1 ],
        [ 'the beginning of such an option', 2, qr/^step13: --kern: several options may begin like this: /,
            map { [ $step, qw(--kern mine.cl) ] } 0, 1 ],
        [ 'an option without effect', 2, qr/^step13: --width has no effect on associative: /,
            map { [ $step, qw(--op hash --width 2) ] } 0, 1 ],
        [ 'an operation that does not exist', 77, qr/^step13: there is no hash of float; /,
            map { [ $step, qw(--op hash --type float) ] } 0, 1 ],
        [ 'hash in another order', 77, qr/^step13: counter is not supported here: reorders /,
            map { [ $step, qw(--op hash --variant counter) ] } 0, 1 ],
    )) {
        my ($what, $expected, $says, @commands) = @$_;
        ($status, $out, $err) = run_each(@commands);
        ok($status == $expected && $out eq '' && $err =~ $says && $err =~ /\A[^\n]+\n\z/, "$name: $what: exit $expected, one line")
            or diag("exit $status\n$out$err");
    }

    # ---- a wrong kernel on one rank
    for (
        [ wrong => qr/^WRONG: counter at n = \d+: rank 1: expected /, 1, 'i < first + quarter;', 'i + 1 < first + quarter;' ],
        [ 'does not compile', qr/\A(?=[\s\S]*^step13: build log of )[\s\S]*^step13: rank 1: beyond\/11_counter\.cl: does not compile /m, 2, 'values a =', 'valuess a =' ],
    ) {
        my ($what, $says, $expected, $old, $new) = @$_;
        run('cp', '-r', "$root/kernels", "$folder/$what");
        my $kernel = "$folder/$what/beyond/11_counter.cl";
        spew($kernel, slurp($kernel) =~ s/\Q$old/$new/r);
        ($status, $out, $err) = run_each([ $step, '--n', 1000 ], [ 'env', "REDUCE_KERNELS=$folder/$what", $step, '--n', 1000 ]);
        ok($status == $expected && "$out$err" =~ $says && "$out$err" =~ /\A(?:.* build log of .*\n)?[^\n]+\n(?:.* build log of .*\n)?\z/,
            "$name: a kernel on rank 1, $what: one line, and the build log if there is one; mpirun may print either first")
            or diag("exit $status\n$out$err");
    }

    # ---- a rank that a signal ends, and a kernel that never ends: the judge of step 11 reads the same kernel
    if ($test_all) {
        run('cp', '-r', "$root/kernels", "$folder/endless");
        my $kernel = "$folder/endless/beyond/11_counter.cl";
        spew($kernel, slurp($kernel) =~ s/i < first \+ quarter; i\+\+/i < first + quarter; i += 0/r);
        my @never_ends = ('env', "REDUCE_KERNELS=$folder/endless", $step, qw(--n 2^20 --timeout 2 --variant counter));
        ($status, undef, $err) = run_each(\@never_ends, \@never_ends);
        ok($status != 0 && $err =~ /^step13: no result for 2 s .*\? make judge11 && REDUCE_KERNELS='?.*endless'? \.\/judge11 --variant counter --timeout 2 says where$/m,
            "$name: a kernel that never ends: the judge with the same kernel") or diag("exit $status\n$err");
        my @endless = ($step, qw(--n 2^20 --seconds 3000));
        local $Steps::limit = 600;
        ($status) = run_each(\@endless, [ qw(timeout -s KILL 5), @endless ]);
        ok($status != 0 && $status != 124, "$name: if a rank is killed, the others end") or diag("exit $status");
    }

    # ---- the launch
    {
        local $ENV{OCL_ICD_FILENAMES} = '/nowhere/a.so:/nowhere/b.so';
        (undef, undef, $err) = run_ranks(2, 'env', 'OCL_ICD_FILENAMES=/nowhere/a.so', $step, qw(--device nosuch));
        like($err, qr/\Astep13: OCL_ICD_FILENAMES names 1 of 2 .*\nstep13: no device 'nosuch'/,
            "$name: lost runtimes: one line, also before a device is missing");
        if ($test_all) {
            ($status, $out, $err) = run_ranks(2, 'env', 'OCL_ICD_FILENAMES=/nowhere/a.so', $step, @quick, qw(--n 1000));
            like("$status $err", qr/\A0 step13: OCL_ICD_FILENAMES names 1 of 2 runtimes, .*\n\z/, '... and before a result');
            ($status, $out, $err) = run_ranks(2, $step, @quick, qw(--n 1000));
            is("$status $err", '0 ', "$name: no line if no runtime is lost");
        }
    }
    if ($test_all) {
        # Starts the step as an mpirun does in which the loader of OpenCL has cut the list.
        my $cut = build_c('cut', <<'END', qq(-D PATH="PATH=$ENV{PATH}"), qq(-D HOME="HOME=$folder"));
#include <unistd.h>
#include <sys/wait.h>
int main(int count, char **words)
{
    char *cut[] = { "OCL_ICD_FILENAMES=/nowhere/a.so", "/nowhere/b.so:/nowhere/c.so", "HOME=/", NULL };
    if (count < 3) // the first call: begins again with a list of which only one name is left
        return execve(words[0], (char *[]) { words[0], words[1], "again", NULL }, cut);
    if (fork() == 0)
        return execl("/usr/bin/env", "env", "-i", cut[0], PATH, HOME, words[1], "--n", "1000", "--seconds", "0", NULL);
    wait(NULL);
}
END
        ($status, $out, $err) = run($cut, $step);
        like($err, qr/^step13: OCL_ICD_FILENAMES names 1 of 3 runtimes, /m,
            "$name: a list that the loader has cut in mpirun: one line");

        build_c('gpu.so', <<'END', '-shared', '-fPIC'); # a machine with a GPU
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
int access(const char *path, int mode)
{
    return strcmp(path, "/dev/nvidia0") == 0 ? 0 : faccessat(AT_FDCWD, path, mode, 0);
}
END
        for my $device ('', $ENV{REDUCE_DEVICE}) {
            my @on = ('env', "LD_LIBRARY_PATH=$folder", 'LD_PRELOAD=gpu.so', "REDUCE_DEVICE=$device");
            my ($says, $what) = $device ne '' ? (qr/\A0 \z/, 'no line, because the device was chosen')
                : (qr/\A0 step13: uses a CPU, although there is a GPU \(\/dev\/nvidia0\): .*\n\z/, 'one line');
            ($status, $out, $err) = run_ranks(2, @on, $step, @quick, qw(--n 1000));
            like("$status $err", $says, "$name: a GPU without a runtime: $what");
        }
    }
    if (my ($other) = grep { $_ ne $mpi } @mpis) {
        ($status, $out, $err) = run($other->{mpirun}, '-n', 2, $step, qw(--n 1000));
        like(join('', $err =~ /^step13.*\n/mg), qr/\Astep13: 2 processes were started, but MPI finds one rank in each: .*\n\z/,
            "$name: the mpirun of $other->{name}: one line");
        isnt($status, 0, '... and the exit status is not 0');
    }
}
done_testing();
