#!/usr/bin/perl
# Makes OpenCL calls, allocations, writes to the disk and the clock fail, and interrupts the harness. After a failure the harness
# must print one line that names the failed call, and exit with status 2. It must not leave a half-written file or a number from a
# bad clock. Without a failure it must release all objects that it creates. tests/common/shim.c makes the calls fail. FAULTS=all
# makes every call fail, which starts about 6000 programs, instead of one call for each call path.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some minutes');
my $cc = $ENV{CC} // 'cc';
my $folder = make_folder();
my $shim   = './shim.so'; # relative, because LD_PRELOAD allows no space in a path
chdir $folder or die "$folder: $!\n";
build_shim($shim);

my @devices = list_devices();
plan skip_all => 'no OpenCL device' unless @devices;
my ($pocl)  = grep { $_->{name} =~ /pocl|portable/i } @devices; # pocl starts fastest, and is the most common runtime
# the harness asks this runtime for the number of lanes of a sub-group
my ($khr)   = grep { $_->{name} =~ /intel.*opencl/i } @devices;
my $device  = $pocl // $devices[0];
my $vendors = $ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors';
our @only   = $pocl && -e "$vendors/pocl.icd" ? (OCL_ICD_VENDORS => "$folder/vendors") : ();
if (@only) { # load no other runtime, because starting them takes longer than the tests
    mkdir "$folder/vendors";
    spew("$folder/vendors/pocl.icd", slurp("$vendors/pocl.icd"));
} else {
    @only = (REDUCE_DEVICE => $device->{number});
}

# Calls a step under the shim with these settings. Returns the result of run(), and the lines of the shim's log.
sub call_under_shim {
    my ($settings, @command) = @_;
    my %all = (@only, OPENCL_LAYERS => "$folder/shim.so", SHIM_LOG => "$folder/log", %$settings);
    unlink "$folder/log";
    my ($status, $out, $err) = run('env', (map { "$_=$all{$_}" } sort keys %all), @command);
    return ($status, $out, $err, -e "$folder/log" ? split /\n/, slurp("$folder/log") : ());
}

sub is_balanced { # has every created object been released?
    my ($made, $released) = map { /^made (\d+) released (\d+)/ ? ($1, $2) : () } @_;
    return $made && $made == $released;
}

# Lists the damage in a folder of data files: a .part file, or a row that is not whole.
sub find_damage {
    my ($data) = @_;
    my @damage = map { "$_ is left" } find_files($data, '*.part');
    for my $file (grep { -f } find_files($data, '*.dat')) {
        my $text = slurp($file);
        my ($names, @rows) = grep { !/^#/ } split /\n/, $text;
        push @damage, "$file: cut short" if $text !~ /\n\z/ || !@rows;
        push @damage, map { "$file: no whole row: $_" }
            grep { split(' ', $names) != split(' ', $_) || !/ (right|noisy)$/ } @rows;
    }
    return @damage;
}

# Questions that a device need not answer, so the harness must also work without the answer.
my %optional = map { $_ => 1 } 'clGetPlatformInfo 0x920', 'clGetKernelArgInfo 0x1196', 'clGetKernelArgInfo 0x1198',
    map { "clGetDeviceInfo $_" } qw(0x105c 0x1068 0x4000 0x4231 0x4232 0x4108);

# Makes one OpenCL call of a command fail. Returns undef if the harness reacts as it should; otherwise a complaint.
sub find_complaint {
    my ($call, $number, $name, @command) = @_;
    my $data = "$folder/faulty";
    my @out  = grep { /^--out$/ } @command;
    my ($status, $out, $err, @log) = call_under_shim({ SHIM_CALL => $number }, @command, @out ? $data : ());
    my @damage = @out ? find_damage($data) : ();
    unlink find_files($data, '*');
    if ($optional{$call}) {
        # the answer decides whether the step is supported
        my $is_refused = $status == 77 && "$out$err" =~ /(?:^step\d\d: \w+ is not supported here|^skipped): .*\n\z/m;
        return ($is_refused || $status == 0 && $err eq '') && is_balanced(@log) && !@damage ? undef
            : "the harness must also work without this answer: exit $status $err @damage";
    }
    # the doctor asks about sub-groups by building a kernel
    if ($call =~ /^clBuildProgram/ && $out =~ /^    sub-groups: none/m && $status == 0) {
        return $err eq '' && is_balanced(@log) ? undef : join ' ', "the doctor must also work without this answer: $err",
            grep { /^made/ } @log;
    }
    my $line = qr/\A(?:step|judge|compile)\d\d: $name\b.*CL_OUT_OF_RESOURCES \(-5\)\n\z/;
    # step 00 prints the number of an error, not its name
    $line = qr/\Astep00: .*\b$name\b.* -5\b.*\n\z/ if $command[0] =~ /step00$/;
    return $status == 2 && $err =~ $line && !@damage ? undef : "exit $status, said: $err@damage";
}

# Repeats a command and makes another OpenCL call fail each time. `choose` selects these calls from all calls of the command. A
# call is [ number, "name asked", "name asked path" ].
my %tried; # names of the calls that have failed
sub fail_calls {
    my ($what, $choose, @command) = @_;
    my @out = grep { /^--out$/ } @command;
    my ($status, $out, $err, @log) = call_under_shim({}, @command, @out ? "$folder/good" : ());
    is("$status$err", '0', "$what: exit 0 if no call fails") or return;
    ok(is_balanced(@log), "$what: releases as many objects as it creates") or diag(grep { /^made/ } @log);
    my $number = 0;
    my @calls  = map { /^(cl\w+ \S+) (\S+)/ ? [ ++$number, $1, "$1 $2" ] : () } @log;
    my @chosen = ($ENV{FAULTS} // '') eq 'all' ? @calls : $choose->(@calls);
    my @wrong;
    for (@chosen) {
        my ($number, $call) = @$_;
        my ($name) = split ' ', $call;
        $tried{$name}++;
        my $complaint = find_complaint($call, $number, $name, @command);
        push @wrong, "call $number, $call: $complaint" if defined $complaint;
    }
    is(join("\n", @wrong), '', sprintf '%s: %d of its %d calls fail, one each time', $what, scalar @chosen, scalar @calls);
}

sub choose_first_of_each_path { my %seen; return grep { !$seen{ $_->[2] }++ } @_ }
sub choose_last_of_each { my %seen; return reverse grep { !$seen{ $_->[1] }++ } reverse @_ }
sub choose_new_names { my %seen; return grep { my ($name) = split ' ', $_->[1]; !$tried{$name} && !$seen{$name}++ } @_ }

my @quick = qw(--reps 3 --seconds 0);
fail_calls('judge', \&choose_first_of_each_path, "$root/judge05",
    qw(--n 3 --group 2 --variant commutative --op min --type float));
fail_calls('sweep', \&choose_last_of_each, "$root/step06", qw(--sweep 8..16), @quick, '--out');
fail_calls('host loop',    \&choose_new_names, "$root/step01", qw(--n 20),          @quick);
fail_calls('atomics',      \&choose_new_names, "$root/step02", qw(--n 20 --warm),   @quick);
fail_calls('one launch',   \&choose_new_names, "$root/step11", qw(--variant word --n 20 --warm), @quick);
fail_calls('binary',       \&choose_new_names, "$root/build/compile06", '--binary', "$folder/binary");
fail_calls('host finish',  \&choose_new_names, "$root/step04", qw(--n 1000 --warm), @quick);
{ # on a GPU wall times and times of the device come from different queues, and the result is mapped
    local @only = (@only, SHIM_GPU => 1);
    fail_calls('as on a GPU', sub { grep { $_->[1] !~ /^clGet\w+(?<!Profiling)Info / } choose_last_of_each(@_) }, "$root/step11",
        qw(--variant word --n 20 --warm), @quick);
    my ($status, $out, $err, @log) = call_under_shim({}, "$root/step07", qw(--n 20 --warm), @quick);
    is(scalar(grep { /^clCreateCommandQueue/ } @log), 2, 'as on a GPU: two queues');
    unlike($out, qr/\bnan\b|kernels -/, 'as on a GPU: times of all three clocks') or diag($out);
}
fail_calls('set-up doctor', \&choose_first_of_each_path, "$root/step00", $device->{number} && !$pocl ? $device->{number} : ());
{ # a kernel of step 00 that skips the last element: the device's sum differs from the host's
    (my $text = slurp(find_step_source('00'))) =~ s/i < n;/i < n - 1;/ or die "step 00's kernel has no such loop any more\n";
    my ($status, $out, $err) = run($cc, cppflags(), '-std=c11', "-I$root/steps", spew("$folder/00.c", $text),
        "$root/.ci/doctor.c", "$root/common/control_characters.c",
        '-lOpenCL', '-o', "$folder/00");
    is("$status$err", '0', 'step 00 compiles without the Makefile') or diag($err);
    ($status, $out, $err) = call_under_shim({}, "$folder/00");
    is("$status$err", '1', 'step 00 with a wrong kernel: exit 1');
    like($out, qr/: WRONG\n/, '... and it says so');
}
for ('1.1', '1.2', '1.10', '3.0 with words', '10.0', 'none') { # a device is usable from OpenCL C 1.2 on
    my $usable = !/^1\.1$|none/;
    my ($status, $out, $err) = call_under_shim({ SHIM_C => $_ }, "$root/step00");
    is($status, $usable ? 0 : 2, "set-up doctor: a device with OpenCL C $_") or diag($out, $err);
    like($out, $usable ? qr/^    usable, because/m : qr/^    not usable, because .*\b1\.2$/m,
        '... is usable, or the doctor says why not');
    like($err, $usable ? qr/\A\z/ : qr/\Astep00: no device is usable\b.*\n\z/,
        '... and if not, one line says that no device is usable');
}

SKIP: {
    skip "no device with sub-groups here: Intel's CPU runtime has them, see make deps", 1 unless $khr;
    # load no other runtime, because then the number of the device may change
    my ($icd) = grep { slurp($_) =~ /intelocl/ } find_files($vendors, '*.icd');
    mkdir "$folder/intel";
    spew("$folder/intel/cpu.icd", slurp($icd)) if $icd;
    local @only = $icd ? (OCL_ICD_VENDORS => "$folder/intel") : (REDUCE_DEVICE => $khr->{number});
    fail_calls('sub-groups', \&choose_new_names, "$root/step09", qw(--n 1000 --warm --subgroups khr), @quick);
    my ($status, $out, $err) = call_under_shim({ SHIM_LANES => 1 }, 'timeout', 600, "$root/step09",
        qw(--n 1000 --warm --subgroups khr), @quick);
    like("$status $err", qr/\A77 step09: .*: sub-groups of one lane.*\n\z/, 'sub-groups of one lane');
}

# Every OpenCL call in the source of the harness must have failed once.
my %called = map { $_ => 1 } map { slurp($_) =~ /\b(cl[A-Z]\w+)\(/g } list_harness_sources();
delete $called{clGetKernelSubGroupInfo} unless $khr;
delete $called{clGetEventInfo}; # it is called until a kernel has begun, so the number of its calls varies
is(join(' ', grep { !$tried{$_} } sort keys %called), '', 'every OpenCL call in the harness has failed once');

# ---- wrong clocks: from the first event on, or in the middle of a row
my @timed = ("$root/step06", qw(--n 1000 --warm), @quick, '--out');
my $times = 0;
sub read_row { # the columns of the one row, by name
    my ($data) = @_;
    my @lines = grep { !/^#/ } map { split /\n/, slurp($_) } find_files($data, '*.dat');
    my %row;
    @row{ split ' ', $lines[0] } = split ' ', $lines[1];
    return \%row;
}
sub expect_no_kernel_times { # only the wall times are numbers; everything else is as usual
    my ($what, $settings) = @_;
    my $data = "$folder/clock" . ++$times;
    my ($status, $out, $err) = call_under_shim($settings, @timed, $data);
    my $row  = $status ? {} : read_row($data);
    my @from = qw(kernel_min kernel_med kernel_p90 span_med kernel_percent);
    is("$status$err " . join(' ', map { $row->{$_} } @from), '0 nan nan nan nan nan', "$what: the times of kernels are nan");
    ok($row->{wall_med} > 0 && $row->{GBps} > 0 && $row->{limit_GBps} < 1e5 && $row->{limit_GBps} > 0,
        "$what: the row has wall times and the limit by the wall clock") or diag(join ' ', map { $_ // '?' } %$row);
}
for my $how (qw(zero equal reversed absurd early tiny)) {
    expect_no_kernel_times("event times $how", { SHIM_CLOCK => $how });
    expect_no_kernel_times("event times $how, from event 30 on", { SHIM_CLOCK => $how, SHIM_FROM => 30 });
}
{ # the read limit has two clocks, and a row needs only the host's
    local @only = (@only, SHIM_GPU => 1);
    my $data = "$folder/gpu_clock";
    my ($status, $out, $err) = call_under_shim({ SHIM_CLOCK => 'reversed' }, @timed, $data);
    my $row = $status ? {} : read_row($data);
    is("$status$err " . join(' ', @$row{qw(kernel_med span_med read_kernel)}), '0 nan nan nan',
        'as on a GPU, event times reversed: no times of kernels');
    ok($row->{percent_of_limit} > 0 && $row->{read_wall} > 0, '... but a read limit by the host\'s clock') or diag($out);
}

{ # the groups of this GPU do not divide the work-items that read and fill, but all of them count
    my ($status, $out, $err) = call_under_shim({ SHIM_GPU => 1, SHIM_GROUP => 37 }, "$root/step06", qw(--n 100000 --warm), @quick);
    is("$status$err", '0', 'as on a GPU, groups of 37 at most: exit 0');
    like($out, qr/^read limit \d/m, '... and a read limit') or diag($out);
}

# ---- the kernel of the read limit does not read all elements, because some runtimes end long loops too early
for my $gpu (0, 1) {
    local @only = (@only, SHIM_GPU => $gpu);
    my $as = $gpu ? 'as on a GPU, ' : '';
    my $kernels = "$folder/limit $gpu";
    run('cp', '-r', "$root/kernels", $kernels);
    my $text = slurp("$kernels/limit.cl");
    ($text =~ s/^kernel void read_.*\n\{\n\K/    count -= count \/ 8;\n/mg) >= 2 or die "limit.cl has no such kernels any more\n";
    spew("$kernels/limit.cl", $text);
    my $data = "$folder/limit$gpu";
    my ($status, $out, $err) = call_under_shim({ REDUCE_KERNELS => $kernels }, "$root/step06", qw(--n 2^24 --warm), @quick,
        '--out', $data);
    my $row = $status ? {} : read_row($data);
    like("$status$err $row->{verdict}", qr/^0 (right|noisy)$/,
        "${as}the kernel of the read limit misses elements: the step still prints a row");
    is(join(' ', @$row{qw(limit_GBps percent_of_limit kernel_percent read_wall read_kernel)}), 'nan nan nan nan nan', '... without a limit');
    like($out, qr/^read limit unknown: .* misses elements here$/m, '... and it says why') or diag($out);
}
{
    my ($status, $out, $err, @log) = call_under_shim({}, @timed, "$folder/calls");
    my ($start) = grep { $log[ $_ - 1 ] =~ /^clGetEventProfilingInfo 0x1282/ } 60 .. @log;
    my ($last) = reverse grep { $log[ $_ - 1 ] =~ /^clGetEventProfilingInfo 0x1282/ } 1 .. @log - 100;
    is(read_row("$folder/calls")->{kernel_med} =~ /^[0-9.e-]+$/ && 'a number', 'a number', 'a good clock is used');
    for ([ 'the start', 0 ], [ 'the end', 1 ]) { # CL_PROFILING_INFO_NOT_AVAILABLE is not an error
        my ($status, $out, $err) = call_under_shim({ SHIM_CALL => $start + $_->[1], SHIM_STATUS => -7 }, "$root/step06",
            qw(--n 1000 --warm), @quick);
        is("$status$err", '0', "a device that cannot tell $_->[0] of an event: exit 0");
    }
}

# ---- pocl fails to build a program, and names no error, if another process writes the same program to its cache
{
    my @command = ("$root/step06", qw(--n 1000 --warm), @quick);
    my ($status, $out, $err, @log) = call_under_shim({}, @command);
    my ($call) = grep { $log[ $_ - 1 ] =~ /^clBuildProgram/ } 1 .. @log;
    ($status, $out, $err) = call_under_shim({ SHIM_CALL => $call, SHIM_STATUS => -11, SHIM_MADE => 1 }, @command);
    is("$status$err", '0', 'one build of a program fails without an error in its log: exit 0, because it is built again');
}

# ---- memory: allocations of the program itself fail, one each time
for ([ 'judge', "$root/judge05", qw(--n 3 --group 2 --variant commutative --op sum --type int) ],
    [ 'sweep', "$root/step04", qw(--sweep 8..16 --warm), @quick, '--out' ]) {
    my ($what, @command) = @$_;
    my @out = grep { /^--out$/ } @command;
    my ($status, $out, $err, @log) = call_under_shim({ LD_PRELOAD => $shim }, @command, @out ? "$folder/memory" : ());
    my ($count) = map { /^allocations (\d+)/ ? $1 : () } @log;
    cmp_ok($count // 0, '>', 5, "$what: more than five allocations") or next;
    my @which = ($ENV{FAULTS} // '') eq 'all' ? 1 .. $count : (1 .. 6, map { $_ * 15 } 1 .. $count / 15);
    my @wrong;
    for my $number (@which) {
        my ($status, $out, $err) = call_under_shim({ LD_PRELOAD => $shim, SHIM_MALLOC => $number }, @command,
            @out ? "$folder/less" : ());
        my @damage = @out ? find_damage("$folder/less") : ();
        unlink find_files("$folder/less", '*');
        push @wrong, "allocation $number: exit $status, said: $err@damage"
            unless $status == 2 && $err =~ /\A(?:step|judge)\d\d: the host has no (?:\d+ bytes of )?memory left\b.*\n\z/ && !@damage;
    }
    is(join("\n", @wrong), '', "$what: " . @which . " of $count allocations fail, one each time");
}

# ---- the disk
my $name = '06_commutative.sum.int.dat';
my @sweep = ("$root/step06", qw(--sweep 8..16 --warm), @quick, '--out');
{
    my $data = "$folder/disk";
    call_under_shim({}, @sweep, $data);
    my $before = slurp("$data/$name");
    my ($status, $out, $err) = call_under_shim({ LD_PRELOAD => $shim, SHIM_FULL => 1 }, @sweep, $data);
    is($status, 2, 'a full disk: exit 2');
    like($err, qr/\Astep06: cannot write \Q$data\/$name\E: No space left on device\n\z/, 'a full disk: one line that says so');
    is(slurp("$data/$name"), $before, 'a full disk: the previous file is unchanged');
    is_deeply([ find_damage($data) ], [], 'a full disk: no half-written file');
}
# A real disk of two pages: one for the data file, one for its replacement. There is room for some rows and for a part of the next
# one.
SKIP: {
    my $data = "$folder/small";
    mkdir $data;
    my @mount = ('unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=8k none "$0" && cd "$0" && "$@"; status=$?;'
            . ' ls -a "$0" >"$0.names"; cat "$0"/*.dat >"$0.text"; exit $status', $data);
    skip 'this user may not mount a small file system', 4 if !has_tool('unshare') || (run(@mount, 'true'))[0];
    my @rows = ("$root/step06", '--n', join(',', (8) x 40), '--warm', @quick, '--out');
    my ($status, $out, $err) = call_under_shim({}, @mount, @rows, $data);
    is($status, 2, 'a small disk: exit 2');
    like($err, qr/\Astep06: cannot write .*: No space left on device\n\z/, 'a small disk: one line that says so');
    is_deeply([ grep { /part/ } split /\n/, slurp("$data.names") ], [], 'a small disk: no half-written file');
    my ($names, @whole) = grep { !/^#/ } split /\n/, my $text = slurp("$data.text");
    my @cut = grep { split(' ', $_) != split(' ', $names) } @whole;
    ok(@whole > 2 && !@cut && $text =~ /\n\z/, 'a small disk: the file contains the first rows, and all of them are whole')
        or diag($text);
}
for my $program (qw(step00 step01 step06 judge01 judge06)) { # lost output must be reported, too
    my @work = $program eq 'step00' ? '' : $program =~ /step/ ? '--n 20 --warm --reps 3 --seconds 0'
        : ('--n 3 --type int --op sum', '--tap --n 3 --type int --op sum');
    for my $options ('--list', '--help', @work) {
        my ($status, $out, $err) = call_under_shim({}, 'sh', '-c', "exec \"\$0\" $options >/dev/full", "$root/$program");
        is($status, 2, "$program $options >/dev/full: exit 2");
        like($err, qr/\A$program: cannot write [^\n]*\n\z/, "$program $options >/dev/full: one line");
    }
}

# ---- an interrupt keeps the finished rows, and never leaves a half-written file
{
    my $data = "$folder/interrupted";
    my ($status, $out, $err, @log) = call_under_shim({}, @sweep, $data);
    my @calls = grep { $log[ $_ - 1 ] =~ /^cl/ } 1 .. @log;
    my @reads = grep { $log[ $_ - 1 ] =~ /^clEnqueueReadBuffer/ } @calls;
    my ($first, $second) = ($reads[ @reads / 2 ], $reads[-2]); # in the middle of each of the two rows
    my ($before, %rows, @wrong) = 0;
    my @which = ($ENV{FAULTS} // '') eq 'all' ? @calls : ($first, $second);
    for my $at (@which) {
        unlink find_files($data, '*');
        my ($status, $out, $err) = call_under_shim({ SHIM_INTERRUPT => $at }, @sweep, $data);
        my @damage = find_damage($data);
        $rows{$at} = grep { /^\d/ } map { split /\n/, slurp($_) } find_files($data, '*.dat');
        push @wrong, "call $at: exit $status, $rows{$at} rows after $before, @damage"
            unless $status == 130 && $rows{$at} >= $before && !@damage;
        $before = $rows{$at};
    }
    is(join("\n", @wrong), '',
        'an interrupt ends the sweep, and all written rows are whole: at ' . @which . ' of ' . @calls . ' calls');
    is("$rows{$first} $rows{$second}", '0 1', '... the finished row is in the file');
}

# ---- missing kernels
{
    my ($status, $out, $err) = call_under_shim({ REDUCE_KERNELS => "$folder/nowhere" }, @sweep, "$folder/unused");
    like("$status $err", qr/\A2 step06: no kernel file \S+ in \Q$folder\E\/nowhere, or .*REDUCE_KERNELS.*\n\z/,
        'no kernels: exit 2, one line that names the file');
    is_deeply([ find_files("$folder/unused", '*') ], [], 'no kernels: no data');
    ($status, $out, $err) = call_under_shim({}, "$root/step06", '--kernel', "$folder/nowhere/06_two_stage.cl", qw(--n 3), @quick);
    like("$status $err", qr/\A2 step06: no kernel file '06_two_stage.cl' in \Q$folder\E\/nowhere, or .*\n\z/,
        '--kernel with a wrong folder: the file of this name in kernels/ does not replace it');
    mkdir "$folder/some";
    spew("$folder/some/operator.clh", ''), spew("$folder/some/06_two_stage.cl", '');
    ($status, $out, $err) = call_under_shim({ REDUCE_KERNELS => "$folder/some" }, @sweep, "$folder/unused");
    is("$status " . ($err =~ tr/\n//), '2 1', 'half of the kernels: exit 2, one line') or diag($err);
}

chdir "/"; # otherwise the temporary folder cannot be removed
done_testing();
