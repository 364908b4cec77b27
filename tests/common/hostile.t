#!/usr/bin/perl
# Tests the steps with unusual runtimes: platforms without devices, entries of the loader that do not lead to a runtime, and
# Mesa's rusticl on llvmpipe. In Mesa 22, rusticl ends every loop silently after 65535 iterations, and its event times are invented.
# Mesa 25 has neither fault. Each runtime is tested alone and together with the usual runtimes.
#
# `make deps` does not install mesa-opencl-icd: if Clover were registered with the loader, it would be the first GPU on many
# machines and thus the default of the steps, and the package replaces the graphics libraries with its own release. This test
# needs the package installed, but not registered:
#   apt-get install -o Dpkg::Options::=--path-exclude=/etc/OpenCL/vendors/* mesa-opencl-icd
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('a minute');
my $folder  = make_folder();
my $vendors = $ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors';
my @quick   = qw(--n 1000 --reps 3 --seconds 0 --warm);
my @usual   = list_devices();
plan skip_all => 'no OpenCL device' unless @usual;

# Creates a folder for the loader that contains these files (name => text). Returns its path.
sub make_loader_folder {
    my ($name, %files) = @_;
    mkdir "$folder/$name";
    spew("$folder/$name/$_.icd", $files{$_}) for keys %files;
    return "$folder/$name";
}
my %usual = map { m{([^/]+)\.icd$} ? ($1 => slurp($_)) : () } find_files($vendors, '*.icd');

# Returns the path of a package's library on this machine. The package need not be registered with the loader.
sub find_installed { return (map { find_files('/usr/lib', "{*/,}$_") } @_)[0] }
my %hostile = (
    rusticl => [ 'mesa-opencl-icd',  'rusticl', find_installed('libRusticlOpenCL.so.1') ],
    clover  => [ 'mesa-opencl-icd',  'clover',  find_installed('libMesaOpenCL.so.1') ],
    intel   => [ 'intel-opencl-icd', 'intel(r) opencl hd', find_installed('intel-opencl/libigdrcl.so') ],
);
$ENV{MESA_SHADER_CACHE_DIR} = "$folder/cache";

sub join_names { return join "\n", map { "$_->{kind} $_->{name}" } @_ }
sub join_sorted_names { return join_names(sort { $a->{name} cmp $b->{name} } @_) }
sub find_chosen_device { return $_[0] =~ /^on (\d+)  (.*)/m ? "$1 $2" : 'none' }

# ---- entries without a runtime, before and after the usual ones
{
    my %nowhere = (missing => '/nowhere/libnosuch.so', empty => '', words => "this is no library\nnor is this\n",
        libc => 'libc.so.6', folder => $folder);
    my @entries = map { ("0$_" => $nowhere{$_}, "z$_" => $nowhere{$_}) } keys %nowhere;
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('nowhere', @entries, %usual);
    is(join_sorted_names(list_devices()), join_sorted_names(@usual), 'entries without a runtime change nothing in --list');
    my ($status, $out, $err) = run("$root/step03", @quick);
    is("$status$err", '0', '... and a step works');

    $ENV{OCL_ICD_VENDORS} = make_loader_folder('nothing', %nowhere);
    ($status, $out, $err) = run("$root/step03", '--list');
    like("$status$out$err", qr/\A0no OpenCL device: .*make deps.*\n\z/, 'with only those, --list says what to install');
    ($status, $out, $err) = run("$root/step03", @quick);
    like("$status$out$err", qr/\A2step03: no OpenCL device found: .*make deps.*\n\z/, '... and a step says so too: exit 2');

    # The set-up doctor names each of these files, and the reason.
    ($status, $out, $err) = run("$root/step00");
    like("$status$err", qr/\A2step00: no OpenCL device .*make deps.*\n\z/, 'with only those, the doctor: exit 2, one line');
    my %reason = (
        missing =>
            qr/  library '\/nowhere\/libnosuch\.so'\n.*it cannot be loaded:\n    cannot open shared object file: No such file/,
        empty   => qr/  the file is empty/,
        words   => qr/  library 'this is no library'\n.*it cannot be loaded:/,
        libc    => qr/  library 'libc\.so\.6'\n.*it is not an OpenCL runtime/,
        folder  => qr/  library '\Q$folder\E'\n.*it cannot be loaded:\n    .*directory/,
    );
    like($out, qr/^no platform from \Q$ENV{OCL_ICD_VENDORS}\E\/$_\.icd\n$reason{$_}/m,
        "the doctor explains the entry '$_'") for sort keys %nowhere;

    # One of the usual files has Windows line ends. The doctor must print a command that repairs it.
    my ($name) = sort keys %usual;
    $ENV{OCL_ICD_VENDORS} = make_loader_folder('crlf', %usual, $name => $usual{$name} =~ s/\n?\z/\r\n/r);
    ($status, $out, $err) = run("$root/step00", '--list');
    like($out, qr/^no platform from .*\/\Q$name\E\.icd\n  library '[^'\r]+'\n.*because a carriage return follows its name/m,
        'the doctor explains Windows line ends');
    is(join("\n", grep { length > 80 } split /\n/, $out), '', '... in 80 columns');
    my ($repair) = $out =~ /^ +(sed .*)/m;
    run('sh', '-c', $repair // 'false');
    unlike((run("$root/step00", '--list'))[1], qr/carriage return/, '... and the printed command repairs the file');

    mkdir "$folder/empty";
    $ENV{OCL_ICD_VENDORS} = "$folder/empty";
    ($status, $out, $err) = run("$root/step00");
    like("$out$err", qr/^OCL_ICD_VENDORS is set.*\n  \Q$folder\E\/empty\nno runtime is registered.*\n.*\nstep00: .* because of /,
        'the doctor explains that no runtime is registered');
}

# ---- platforms without devices, each alone and all together
my %all = %usual;
for my $name (sort keys %hostile) {
    my ($package, $part, $library) = @{ $hostile{$name} };
SKIP: {
        skip "no $name: install the package $package, see the first comment", 3 unless $library;
        $all{"0$name"} = $library; # '0' makes it the first entry, if the loader reads its folder in order
        delete local $ENV{RUSTICL_ENABLE};
        local $ENV{OCL_ICD_VENDORS} = make_loader_folder($name, $name => $library);
        my ($status, $out, $err) = run("$root/step03", '--list');
        skip "$name has a device here", 3 if $out =~ /compute units/;
        like("$status$out$err", qr/\A0no OpenCL device: .*make deps.*\n\z/, "$name alone, without a device: --list says so");
        ($status, $out, $err) = run("$root/step03", @quick);
        like("$status$out$err", qr/\A2step03: no OpenCL device found: .*\n\z/, "$name alone: exit 2 and one line");
        ($status) = run("$root/step00");
        is($status, 2, "$name alone: the set-up doctor ends with 2");
    }
}

# ---- without a GPU, Intel's GPU runtime has no platform. The set-up doctor must say so, and name the GPUs that its compiler
# supports.
SKIP: {
    my $library = $hostile{intel}[2];
    skip "no Intel GPU runtime: install the package intel-opencl-icd", 5 unless $library;
    my $reason = qr/not usable, because Intel's GPU runtime finds no GPU that you may use/;
    my $found  = qr/^no platform from .*intel\.icd\n  library .*\n    $reason\n/m;
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('intel beside', %usual, '0intel' => $library);
    skip "Intel's GPU runtime has a GPU here", 5 if (run("$root/step00"))[1] =~ /^platform \d+: .*Graphics\n  device/m;
    mkdir "$folder/bin";
    local $ENV{PATH} = "$folder/bin:$ENV{PATH}";
    my %said = ( # a script that replaces ocloc => what the doctor must print about it
        "echo ' -device <type> can be: bdw, skl, kbl, adl-s, dg10'; echo 'can be: dg1'" => qr/    Its compiler, .*: bdw kbl\n/,
        'exit 127' => qr/(?!    Its compiler)/,
        'exec yes' => qr/(?!    Its compiler)/,
    );
    for my $ocloc (sort keys %said) {
        chmod 0755, spew("$folder/bin/ocloc", "#!/bin/sh\n$ocloc\n");
        like((run("$root/step00"))[1], qr/$found$said{$ocloc}/, "the doctor with this ocloc: $ocloc");
    }
    unlink "$folder/bin/ocloc";
    my ($status, $out, $err) = run("$root/step00");
    is("$status$err" . join('', grep { length > 80 } split /\n/, $out), '0',
        'the doctor with the installed ocloc, if any: exit 0, 80 columns');
    $ENV{OCL_ICD_VENDORS} = make_loader_folder('no intel', map { $usual{$_} =~ /igdrcl/ ? () : ($_ => $usual{$_}) } keys %usual);
    unlike((run("$root/step00"))[1], $found, 'without that runtime the doctor does not mention it');
}
{
    delete local $ENV{RUSTICL_ENABLE};
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('all', %all);
    local $ENV{OCL_ICD_PLATFORM_SORT} = 'none'; # otherwise the loader puts platforms without devices last
    is(join_sorted_names(list_devices()), join_sorted_names(@usual),
        'these platforms without devices hide no device: ' . join ', ', grep { !$usual{$_} } sort keys %all);
    my ($status, $out, $err) = run("$root/step03", @quick, '--device', 'nosuch');
    is("$status " . ($err =~ tr/\n//), '2 1', '... and an unknown device: exit 2, one line');
}

# ---- rusticl on llvmpipe
SKIP: {
    my ($package, $part, $library) = @{ $hostile{rusticl} };
    skip "no rusticl: install the package $package, see the first comment", 10 unless $library;
    local $ENV{RUSTICL_ENABLE}  = 'llvmpipe';
    local $ENV{OCL_ICD_VENDORS} = "$folder/all";
    my @devices = list_devices();
    my ($rusticl) = grep { $_->{name} =~ /rusticl/ } @devices;
    skip "rusticl has no llvmpipe here", 10 unless $rusticl;
    is(join_sorted_names(grep { $_->{name} !~ /rusticl/ } @devices), join_sorted_names(@usual),
        'with rusticl, all other devices are still listed');
    is(join(' ', map { $_->{number} } @devices), join(' ', 0 .. $#devices), '... numbered from 0');
    for my $device (@devices) { # --device accepts the numbers that --list prints
        my ($status, $out) = run("$root/step03", @quick, '--device', $device->{number});
        is("$status " . find_chosen_device($out), "0 $device->{number} $device->{name}",
            "--device $device->{number} is $device->{name}");
    }
    is(find_chosen_device((run("$root/step03", @quick, qw(--device rusticl)))[1]), "$rusticl->{number} $rusticl->{name}",
        '--device rusticl');
    my ($previous_default) = do {
        local $ENV{OCL_ICD_VENDORS} = $vendors;
        find_chosen_device((run("$root/step03", @quick))[1]) =~ /^\d+ (.*)/;
    };
    like(find_chosen_device((run("$root/step03", @quick))[1]), qr/^\d+ \Q$previous_default\E$/,
        'the default device is the same as without rusticl');

    # Short loops give the right result. Variants that the runtime does not support must be skipped. A group has at most 32
    # work-items.
    for my $step (@steps) {
        my @group = $step =~ /^(01|08)$/ ? () : qw(--group 16);
        my ($status, $out, $err) = run("$root/judge$step", qw(--device rusticl --tap --n 1000 --op sum --type int), @group);
        my $passed = grep { /^ok / && !/ # SKIP / } split /\n/, $out;
        is($status, 0, "judge$step on rusticl: exit 0") or diag($out, $err);
        unlike($out, qr/^not ok/m, '... each test passes or is skipped');
        cmp_ok($passed, '>', 0, "... tests that pass: $passed");
    }
    my $driver    = { read_facts($rusticl) }->{driver};
    my $has_fault = $driver =~ /^22\./;
SKIP: {
        skip "Mesa $driver runs long loops to their end", 3 unless $has_fault;
        my ($status, $out, $err) = run("$root/step08", qw(--device rusticl --n 2^21 --reps 3 --seconds 0 --warm --out),
            "$folder/lost");
        is($status, 1, 'loops of more than 65535 iterations: exit 1');
        like($out, qr/^WRONG: \w+ at n = \d+: /m, '... and the step says that the result is wrong');
        is_deeply([ find_files("$folder/lost", '*') ], [], '... and writes no data file');
    }

    my %row;
    my $measure = sub { # sets %row to the only row of the data file, and returns the output of the step
        my ($step, $n) = @_;
        my ($status, $out, $err) = run("$root/step$step", qw(--device rusticl), @quick, '--n', $n, '--out', "$folder/timed");
        is("$status$err", '0', "step$step, n = $n: exit 0");
        my ($names, $row) = map { grep { !/^#/ } split /\n/, slurp($_) } find_files("$folder/timed", "${step}_*.dat");
        @row{ split ' ', $names } = split ' ', $row;
        return $out;
    };
    $measure->('06', 1000);
SKIP: {
        skip "Mesa $driver invents no event times", 1 unless $has_fault;
        is(join(' ', @row{qw(kernel_min kernel_med kernel_p90 span_med kernel_percent)}), 'nan nan nan nan nan',
            'the row does not contain the invented event times');
    }
    ok($row{wall_med} > 0 && $row{limit_GBps} > 0 && $row{limit_GBps} < 100,
        '... and the read limit comes from the wall clock: ' . $row{limit_GBps});

    my ($units) = (run("$root/step01", qw(--device rusticl --list)))[1] =~ /(\d+) compute units/;
    my $n = $units * 2**23; # a loop of 2^15 iterations; with one stream instead of four, 2^17
    $measure->('01', $n);
    ok($row{limit_GBps} > 0, "n = $n: a read limit, $row{limit_GBps}");
    skip "Mesa $driver runs long loops to their end", 2 unless $has_fault;
    run('cp', '-r', "$root/kernels", "$folder/kernels");
    (my $text = slurp("$folder/kernels/limit.cl")) =~ s/quarter = length \/ 4;/quarter = 0;/
        or die "limit.cl has no quarters any more\n";
    spew("$folder/kernels/limit.cl", $text);
    local $ENV{REDUCE_KERNELS} = "$folder/kernels";
    like($measure->('01', $n), qr/^read limit unknown: .* misses elements here$/m, 'if the loop is too long, the limit is unknown');
    is($row{limit_GBps}, 'nan', '... and it is nan in the data file');
}

done_testing();
