#!/usr/bin/perl
# Tests make scaling: the charts and the model of made data, settings that are wrong, and a measurement with one and two ranks on
# a CPU, which needs MPI. If PyTorch is installed, plots/peers/nccl.py must be right, too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $folder = make_folder();
my $python = (run('python3', '-c', 'import sys; print(sys.executable)'))[1] =~ s/\n//r; # python3 may be a script
@ENV{qw(OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM)} = (1) x 2; # otherwise Open MPI refuses root
my @oversubscribe = qw(OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy);
delete @ENV{qw(N RANKS PLACES PEERS ROUNDS ROW_SECONDS STRIDE RESULTS DEVICE OCL_ICD_FILENAMES), @oversubscribe};

# ---- made data: a launch of 16 us, 4000 GB/s, and 3 us for each doubling of the ranks
sub make_data { # rows of a program that needs `extra` seconds more
    my ($program, $extra, @ranks) = @_;
    return map {
        my ($n, $r) = @$_;
        my $mpi = 3e-6 * log($r) / log 2;
        my ($one, $part, $wall) = map { 16e-6 + 4 * $_ / 4e12 } $n, $n / $r, $n / $r;
        $wall += $mpi + $extra;
        join(' ', $program, $n, $r, 4 * $n, ($wall) x 3, ($mpi) x 3, ($one / $wall) x 3, ($n > 1024 || $r == 1 ? 100 * $part / $wall : 'nan') x 3, 'right') . "\n";
    } map { my $n = $_; map { [ $n, $_ ] } @ranks } 1024, 2**26, 2**28;
}
my $head = "# operator: sum\n# type: float\n# rounds: 1\n# device: Platform / Device\n";
my $columns = (slurp("$root/plots/columns.ini") =~ /^\[scaling.*\ncolumns = (.*)/m)[0] . "\n";
sub draw { # writes these files, and calls draw.py
    my ($name, %files) = @_;
    run('mkdir', '-p', "$folder/$name/scaling");
    spew("$folder/$name/scaling/$_.dat", join '', $head, $columns, @{ $files{$_} }, "# end\n") for keys %files;
    return run("$root/plots/draw.py", "$folder/$name");
}

SKIP: {
    skip 'no gnuplot', 1 unless has_tool('gnuplot');
    my @own = (make_data('nccl', 2e-5, 1, 2, 4), make_data('step13', 0, 1, 2, 4));
    my ($status, $out, $err) = draw('made', own => \@own, shared => [ make_data('step13', 0, 1, 2, 4) ]);
    is("$status$err", '0', 'draw.py draws made data');
    my ($strong, $weak, $model) = map { slurp("$folder/made/scaling_$_.svg") } qw(strong weak model);
    like($strong, qr/a device for each rank .*one device for all ranks/s, 'strong scaling: the shared device is beside it');
    like($strong, qr/>ideal<.*>step13<.*>nccl</s, '... with the ideal line and both programs');
    like($weak, qr/>ideal<.*>step13, 2\^26 each<.*>nccl, 2\^26 each</s, 'weak scaling: n for each rank');
    unlike($weak, qr/2\^10 each/, '... without an n that only one rank measured');
    like($model =~ s/<[^>]*>//gr =~ s/\s+/ /gr, qr{launch 16 us \+ bytes / ranks / \(4000 GB/s\) \+ log ?2 ?\(ranks\) \* 3 us},
        'the model finds the launch, the limit and the latency of the data');
    like($model, qr/n = 2\^40/, '... and has a line for more elements than were measured');
    draw('alone', own => \@own);
    unlike(slurp("$folder/alone/scaling_strong.svg"), qr/one device for all ranks/, 'without shared.dat: one panel');
    draw('few', own => [ map { s/^(step13 \d+ 2 .*)( \S+){3} right$/$1 nan nan nan right/mr } make_data('step13', 0, 1, 2) ]);
    is(join(' ', map { m{([^/]*)$} } find_files($folder, 'few/*.svg')), 'scaling_model.svg scaling_strong.svg',
        'without more elements for more ranks: no chart of weak scaling');
    ($status, $out, $err) = draw('one', own => [ make_data('step13', 0, 1) ]);
    is("$status$err" . join(' ', map { m{([^/]*)$} } find_files($folder, 'one/*.svg')), '0scaling_strong.svg',
        'with one device: no chart of weak scaling, and no model');
    # With one n there is no model, and neither if the times do not grow with n.
    my @flat = map { s/^(step13 \d+ \d \d+)( \S+)/$1 2e-5/r } make_data('step13', 0, 1, 2);
    for ([ 'one n', grep { /^step13 1024 / } make_data('step13', 0, 1, 2) ], [ 'equal times', @flat ]) {
        my ($name, @rows) = @$_;
        ($status, $out, $err) = draw($name, own => \@rows);
        is($status, 0, "$name: exit 0");
        like($err, qr/\Adraw\.py: [^\n]*own\.dat: no chart of the model, which needs two sizes[^\n]*\n\z/,
            '... one line says what the model needs');
        ok(-e "$folder/$name/scaling_strong.svg" && !-e "$folder/$name/scaling_model.svg", '... and the other chart is drawn');
    }
    ($status, $out, $err) = draw('no one', own => [ make_data('step13', 0, 2) ]);
    like("$status $err", qr/\A2 draw\.py: [^\n]*own\.dat: no row of step13 with one rank[^\n]*\n\z/,
        'without a row of one rank: one line');
}

# ---- settings, and a machine without MPI
my ($pocl) = grep { $_->{name} =~ /POCL/ } list_devices();
sub measure { # with these settings
    my ($name, %settings) = @_;
    local %ENV = (%ENV, DEVICE => 'pocl', RESULTS => "$folder/$name", N => '2^11..2^13', ROUNDS => 1, ROW_SECONDS => 0, PEERS => 0,
        RANKS => '1 2');
    return run('env', (map { "$_=$settings{$_}" } sort keys %settings), $python, "$root/plots/measure.py", 'scaling');
}
SKIP: {
    skip 'no pocl', 6 unless $pocl;
    for my $n (qw(2^99999999999 2^10..2^99999999999 2^12..2^10 1..2..3 2^10.. many), "gar\nbage") { # peers and scaling share this setting
        my ($status, $out, $err) = run('env', 'DEVICE=pocl', "N=$n", 'PEERS=', "RESULTS=$folder/huge", 'timeout', 300, $python,
            "$root/plots/measure.py", 'peers');
        is("$status$out" . ($err =~ /^measure\.py: N=\Q@{[$n =~ tr{\n}{?}r]}\E: must be a size .*\n\z/ ? '' : $err), 2, "N=$n: one line, exit 2");
    }
    my ($status, $out, $err) = measure('none', PATH => hide_tools('mpirun'));
    is("$status$err", "2measure.py: mpirun is missing; make deps MPI=1 installs it\n", 'without mpirun: one line, exit 2');
    skip 'no MPI: make deps MPI=1 installs it', 4 unless has_tool('mpirun');
    for my $wrong ('2 4', '1 one', '1 4 2', '0') {
        ($status, $out, $err) = measure('wrong', RANKS => $wrong);
        is("$status$err", "2measure.py: RANKS=$wrong: must begin with 1 and increase, such as 1 2 4\n",
            "RANKS=$wrong: one line, exit 2");
    }
    ($status, $out, $err) = measure('wrong', PLACES => 'own any');
    is("$status$err", "2measure.py: PLACES=own any: knows own and shared\n", 'PLACES=own any: one line, exit 2');
}

# ---- a measurement
SKIP: {
    skip 'no pocl', 1 unless $pocl;
    skip 'no MPI, or no step13: make deps MPI=1 all installs and builds both', 1 unless has_tool('mpirun') && -x "$root/step13";
    mkdir "$folder/bin"; # with an mpirun that writes its arguments and two variables into a file
    my $real = (run('sh', '-c', 'command -v mpirun'))[1] =~ s/\n//r;
    spew("$folder/bin/mpirun", "#!/bin/sh\necho \"\$* " . join(' ', map { "\$$_" } @oversubscribe)
        . "\" >>'$folder/calls'\nexec '$real' \"\$@\"\n");
    chmod 0755, "$folder/bin/mpirun";
    my $drivers = 'libone.so:libtwo.so'; # none of them exists, but OpenCL's loader also reads its folder of drivers
    my ($status, $out, $err) = measure('measured', PATH => "$folder/bin:$ENV{PATH}", OCL_ICD_FILENAMES => $drivers);
    is($status, 0, 'one and two ranks on pocl') or diag($out, $err);
    like(slurp("$folder/calls"), qr/^-n 2 --bind-to none env OCL_ICD_FILENAMES=\Q$drivers\E /m,
        'the ranks get the whole list of drivers');
    unlike(slurp("$folder/calls"), qr/(?<! 1 :oversubscribe)\n/, 'Open MPI may start more ranks than there are cores');
    for my $place (qw(own shared)) {
        like(slurp("$folder/measured/scaling/$place.dat"), qr/^# end\n\z/m, "$place.dat is complete");
        my @rows = map { [ split ] } slurp("$folder/measured/scaling/$place.dat") =~ /^(step13 .* right)$/mg;
        my %ranks; # n -> numbers of ranks
        push @{ $ranks{ $_->[1] } }, $_->[2] for @rows;
        is(join(' ', sort { $a <=> $b } keys %ranks), $place eq 'own' ? '1024 2048 4096 8192' : '1024 2048 8192',
            "$place.dat has a right row for each n");
        is("@{ $ranks{8192} }", '1 2', '... and number of ranks');
        is_deeply([ map { $_->[10] } grep { $_->[2] == 1 } @rows ], [ 1, 1, 1 ], '... and one rank is as fast as itself');
    }
}

# ---- the peer: without a GPU it uses Gloo
SKIP: {
    skip 'no PyTorch', 3 if (run('python3', '-c', 'import torch'))[0];
    my ($status, $out, $err) = run('python3', "$root/plots/peers/nccl.py", qw(--ranks 1 --seconds 0 --evict 1000),
        '--n', '1,1000', '--out', "$folder/peer");
    is("$status$out", '0', 'nccl.py with one rank') or diag($err);
    like(slurp("$folder/peer/nccl.sum.float.dat"), qr/^1 $_->[0] $_->[1] (?:[\d.e-]+ ){3}right$/m, "... n = $_->[0]")
        for [ 1, 4 ], [ 1000, 4000 ];
}

done_testing();
