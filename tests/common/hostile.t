#!/usr/bin/perl
# Runtimes that workshops meet: platforms without devices, entries of the loader that lead nowhere, and Mesa's rusticl on
# llvmpipe, which stops every loop after 65535 turns without a word and whose event times are made up. All side by side.
#
# `make deps` leaves mesa-opencl-icd out: registered with the loader, Clover would be the first GPU of many machines and so
# the steps' default, and the package replaces the graphics libraries with its own release. This test needs it installed,
# not registered: apt-get install -o Dpkg::Options::=--path-exclude=/etc/OpenCL/vendors/* mesa-opencl-icd
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

# The loader's folder with these files in it: name => text.
sub make_loader_folder {
    my ($name, %files) = @_;
    mkdir "$folder/$name";
    spew("$folder/$name/$_.icd", $files{$_}) for keys %files;
    return "$folder/$name";
}
my %usual = map { m{([^/]+)\.icd$} ? ($1 => slurp($_)) : () } glob "'$vendors'/*.icd";

# The library of a package, wherever this machine has it. The package need not be registered with the loader.
sub find_installed { return (map { glob } map { ("/usr/lib/*/$_", "/usr/lib/$_") } @_)[0] }
my %hostile = (
    rusticl => [ 'mesa-opencl-icd',  'rusticl', find_installed('libRusticlOpenCL.so.1') ],
    clover  => [ 'mesa-opencl-icd',  'clover',  find_installed('libMesaOpenCL.so.1') ],
    intel   => [ 'intel-opencl-icd', 'intel(r) opencl hd', find_installed('intel-opencl/libigdrcl.so') ],
);
$ENV{MESA_SHADER_CACHE_DIR} = "$folder/cache";

sub join_names { return join "\n", map { "$_->{kind} $_->{name}" } @_ }
sub join_sorted_names { return join_names(sort { $a->{name} cmp $b->{name} } @_) }
sub find_chosen_device { return $_[0] =~ /^on (\d+)  (.*)/m ? "$1 $2" : 'none' }

# ---- entries that lead nowhere, in front of the usual ones and behind them
{
    my %nowhere = (missing => '/nowhere/libnosuch.so', empty => '', words => "this is no library\nnor is this\n",
        libc => 'libc.so.6', folder => $folder);
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('nowhere', (map { ("0$_" => $nowhere{$_}, "z$_" => $nowhere{$_}) } keys %nowhere), %usual);
    is(join_sorted_names(list_devices()), join_sorted_names(@usual), 'entries that lead nowhere change nothing in --list');
    my ($status, $out, $err) = run("$root/step03", @quick);
    is("$status$err", '0', '... and a step runs');

    $ENV{OCL_ICD_VENDORS} = make_loader_folder('nothing', %nowhere);
    ($status, $out, $err) = run("$root/step03", '--list');
    like("$status$out$err", qr/\A0no OpenCL device: .*make deps.*\n\z/, 'with nothing but those, --list says what to install');
    ($status, $out, $err) = run("$root/step03", @quick);
    like("$status$out$err", qr/\A2step03: no OpenCL device found: .*make deps.*\n\z/, '... and a step too: exit 2');

    # The set-up doctor names each of these files, and the reason.
    ($status, $out, $err) = run("$root/step00");
    like("$status$err", qr/\A2step00: no OpenCL device .*make deps.*\n\z/, 'with nothing but those, the doctor: exit 2, one line');
    my %reason = (
        missing => qr/  library '\/nowhere\/libnosuch\.so'\n.*it cannot be loaded:\n    cannot open shared object file: No such file/,
        empty   => qr/  the file is empty/,
        words   => qr/  library 'this is no library'\n.*it cannot be loaded:/,
        libc    => qr/  library 'libc\.so\.6'\n.*it is not an OpenCL runtime/,
        folder  => qr/  library '\Q$folder\E'\n.*it cannot be loaded:\n    .*directory/,
    );
    like($out, qr/^no platform from \Q$ENV{OCL_ICD_VENDORS}\E\/$_\.icd\n$reason{$_}/m, "the doctor on the entry: $_") for sort keys %nowhere;

    # A file that was saved with Windows line ends, beside the usual ones; the command that is shown repairs it.
    my ($name) = sort keys %usual;
    $ENV{OCL_ICD_VENDORS} = make_loader_folder('crlf', %usual, $name => $usual{$name} =~ s/\n?\z/\r\n/r);
    ($status, $out, $err) = run("$root/step00", '--list');
    like($out, qr/^no platform from .*\/\Q$name\E\.icd\n  library '[^'\r]+'\n.*because a carriage return follows its name/m,
        'the doctor on Windows line ends');
    is(join("\n", grep { length > 80 } split /\n/, $out), '', '... in 80 columns');
    my ($repair) = $out =~ /^ +(sed .*)/m;
    run('sh', '-c', $repair // 'false');
    unlike((run("$root/step00", '--list'))[1], qr/carriage return/, '... its command repairs the file');

    $ENV{OCL_ICD_VENDORS} = '/nonexistent';
    like((run("$root/step00"))[1], qr/^OCL_ICD_VENDORS is set.*\n  \/nonexistent\nno runtime is registered/, 'the doctor without any entry');
}

# ---- platforms that have no device, one by one and all together
my %all = %usual;
for my $name (sort keys %hostile) {
    my ($package, $part, $library) = @{ $hostile{$name} };
SKIP: {
        skip "$name: not here, it is in the package $package", 3 unless $library;
        $all{"0$name"} = $library; # in front, where the loader reads its folder in order
        delete local $ENV{RUSTICL_ENABLE};
        local $ENV{OCL_ICD_VENDORS} = make_loader_folder($name, $name => $library);
        my ($status, $out, $err) = run("$root/step03", '--list');
        skip "$name: has a device here", 3 if $out =~ /compute units/;
        like("$status$out$err", qr/\A0no OpenCL device: .*make deps.*\n\z/, "$name alone, without a device: --list says so");
        ($status, $out, $err) = run("$root/step03", @quick);
        like("$status$out$err", qr/\A2step03: no OpenCL device found: .*\n\z/, "$name alone: exit 2 and one line");
        ($status) = run("$root/step00");
        is($status, 2, "$name alone: the set-up doctor ends with 2");
    }
}

# ---- Intel's GPU runtime without a GPU shows no platform: the set-up doctor says so, and for which GPUs its compiler builds
SKIP: {
    my $library = $hostile{intel}[2];
    skip 'intel: not here, it is in the package intel-opencl-icd', 5 unless $library;
    my $found = qr/^no platform from .*intel\.icd\n  library .*\n    not usable, because Intel's GPU runtime finds no GPU that you may use\n/m;
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('intel beside', %usual, '0intel' => $library);
    skip 'intel: has a GPU here', 5 if (run("$root/step00"))[1] =~ /^platform \d+: .*Graphics\n  device/m;
    mkdir "$folder/bin";
    local $ENV{PATH} = "$folder/bin:$ENV{PATH}";
    my %said = ( # what ocloc --help prints => what the doctor says of it
        "echo ' -device <type> can be: bdw, skl, kbl, adl-s, dg10'; echo 'can be: dg1'" => qr/    Its compiler, .*: bdw kbl\n/,
        'exit 127' => qr/(?!    Its compiler)/,
        'exec yes' => qr/(?!    Its compiler)/,
    );
    for my $ocloc (sort keys %said) {
        chmod 0755, spew("$folder/bin/ocloc", "#!/bin/sh\n$ocloc\n");
        like((run("$root/step00"))[1], qr/$found$said{$ocloc}/, "the doctor, where ocloc says: $ocloc");
    }
    unlink "$folder/bin/ocloc";
    my ($status, $out, $err) = run("$root/step00");
    is("$status$err" . join('', grep { length > 80 } split /\n/, $out), '0', 'the doctor with the ocloc that is here: 80 columns');
    $ENV{OCL_ICD_VENDORS} = make_loader_folder('no intel', map { $usual{$_} =~ /igdrcl/ ? () : ($_ => $usual{$_}) } keys %usual);
    unlike((run("$root/step00"))[1], $found, 'the doctor without that runtime is silent');
}
{
    delete local $ENV{RUSTICL_ENABLE};
    local $ENV{OCL_ICD_VENDORS} = make_loader_folder('all', %all);
    local $ENV{OCL_ICD_PLATFORM_SORT} = 'none'; # else the loader puts platforms without devices behind the others
    is(join_sorted_names(list_devices()), join_sorted_names(@usual), 'platforms without devices hide none: ' . join ', ', grep { !$usual{$_} } sort keys %all);
    my ($status, $out, $err) = run("$root/step03", @quick, '--device', 'nosuch');
    is("$status " . ($err =~ tr/\n//), '2 1', '... and a device that is not there: exit 2, one line');
}

# ---- rusticl on llvmpipe
SKIP: {
    my ($package, $part, $library) = @{ $hostile{rusticl} };
    skip "rusticl: not here, it is in the package $package", 10 unless $library;
    local $ENV{RUSTICL_ENABLE}  = 'llvmpipe';
    local $ENV{OCL_ICD_VENDORS} = "$folder/all";
    my @devices = list_devices();
    my ($rusticl) = grep { $_->{name} =~ /rusticl/ } @devices;
    skip "rusticl has no llvmpipe here", 10 unless $rusticl;
    is(join_sorted_names(grep { $_->{name} !~ /rusticl/ } @devices), join_sorted_names(@usual), 'rusticl beside the others: all are there');
    is(join(' ', map { $_->{number} } @devices), join(' ', 0 .. $#devices), '... numbered from 0');
    for my $device (@devices) { # what --list numbers, --device takes; by name too where only one has it
        my ($status, $out) = run("$root/step03", @quick, '--device', $device->{number});
        is("$status " . find_chosen_device($out), "0 $device->{number} $device->{name}", "--device $device->{number} is $device->{name}");
    }
    is(find_chosen_device((run("$root/step03", @quick, qw(--device rusticl)))[1]), "$rusticl->{number} $rusticl->{name}", '--device rusticl');
    my ($was) = do {
        local $ENV{OCL_ICD_VENDORS} = $vendors;
        find_chosen_device((run("$root/step03", @quick))[1]) =~ /^\d+ (.*)/;
    };
    like(find_chosen_device((run("$root/step03", @quick))[1]), qr/^\d+ \Q$was\E$/, 'the default is what it was without rusticl');

    for my $step (@steps) { # short loops are right, whatever the runtime cannot do is a skip; its groups end at 32
        my @group = $step =~ /^(01|08)$/ ? () : qw(--group 16);
        my ($status, $out, $err) = run("$root/step$step", qw(--device rusticl --check --n 1000 --op sum --type int), @group);
        my $ran = grep { /^ok / && !/ # SKIP / } split /\n/, $out;
        is($status, 0, "step$step on rusticl: exit 0") or diag($out, $err);
        unlike($out, qr/^not ok/m, '... right or skipped');
        cmp_ok($ran, '>', 0, "... variants that ran: $ran");
    }
    my ($status, $out, $err) = run("$root/step08", qw(--device rusticl --n 2^21 --reps 3 --seconds 0 --warm --out), "$folder/lost");
    is($status, 1, 'loops of more than 65535 turns: exit 1');
    like($out, qr/^WRONG: \w+ at n = \d+: /m, '... and the result is said to be wrong');
    is_deeply([ glob "'$folder/lost'/*" ], [], '... no row of it in a file');

    my %row;
    my $timed = sub { # its only row; what it prints
        my ($step, $n) = @_;
        my ($status, $out, $err) = run("$root/step$step", qw(--device rusticl), @quick, '--n', $n, '--out', "$folder/timed");
        is("$status$err", '0', "step$step, n = $n, timed");
        my ($names, $row) = map { grep { !/^#/ } split /\n/, slurp($_) } glob "'$folder/timed/${step}_'*.dat";
        @row{ split ' ', $names } = split ' ', $row;
        return $out;
    };
    $timed->('06', 1000);
    is(join(' ', @row{qw(kernel_min kernel_med kernel_p90 span_med kernel_percent)}), 'nan nan nan nan nan',
        'made-up event times are missing in the row');
    ok($row{wall_med} > 0 && $row{limit_GBps} > 0 && $row{limit_GBps} < 100, '... and the read limit is by the wall: ' . $row{limit_GBps});

    # At this n one of the shapes in which the limit is measured has loops of 2^17 turns, the other of 2^15; all in one
    # stream instead of four, 2^19 and 2^17.
    my ($units) = (run("$root/step01", qw(--device rusticl --list)))[1] =~ /(\d+) compute units/;
    my $n = $units * 2**23;
    $timed->('06', 2**23);
    ok($row{limit_GBps} > 0, "n = 2^23: a read limit, $row{limit_GBps}");
    $timed->('01', $n);
    ok($row{limit_GBps} > 0, "n = $n: a read limit by the shape that can, $row{limit_GBps}");
    run('cp', '-r', "$root/kernels", "$folder/kernels");
    (my $text = slurp("$folder/kernels/limit.cl")) =~ s/quarter = length \/ 4;/quarter = 0;/ or die "limit.cl has no quarters any more\n";
    spew("$folder/kernels/limit.cl", $text);
    local $ENV{REDUCE_KERNELS} = "$folder/kernels";
    like($timed->('01', $n), qr/^read limit unknown: .* miss elements/m, 'where no shape can, the limit is unknown');
    is($row{limit_GBps}, 'nan', '... and nan in the data');
}

done_testing();
