#!/usr/bin/perl
# Steps under AddressSanitizer and UndefinedBehaviorSanitizer: checked, and some timed into data files. In test-all only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my $cc = $ENV{CC} // 'cc';
plan skip_all => "no C compiler ($cc)" unless has_tool($cc);
my $folder = make_folder();
my @flags  = find_sanitizer_flags($cc) or plan skip_all => "$cc has no sanitizers here";

# Not Intel's GPU runtime: its way of loading its compiler aborts under AddressSanitizer.
mkdir "$folder/vendors";
for my $icd (glob '/etc/OpenCL/vendors/*.icd') {
    my $text = slurp($icd);
    spew("$folder/vendors/" . ($icd =~ m{([^/]+)$})[0], $text) unless $text =~ /igdrcl/;
}
$ENV{OCL_ICD_VENDORS} = "$folder/vendors";
my @devices = list_devices();
plan skip_all => 'no OpenCL device besides those of Intel GPUs' unless @devices;

# The runtimes and what they compile with keep memory until the end. Ours has no such excuse.
my @theirs = qw(libpocl libLLVM libclang-cpp libhwloc libintelocl libOpenCL libcommon_clang libOclCpuBackEnd libtbb);
spew("$folder/leaks", join '', map { "leak:$_\n" } @theirs);
$ENV{LSAN_OPTIONS}  = "suppressions='$folder/leaks':print_suppressions=0";
$ENV{ASAN_OPTIONS}  = 'detect_leaks=1:malloc_context_size=6'; # deep enough to see whose it is
$ENV{UBSAN_OPTIONS} = 'print_stacktrace=1';
symlink "$root/kernels", "$folder/kernels" or die "symlink: $!\n";

my $copy = copy_tree(qw(Makefile common kernels));
{ # by one thread: the sanitizers do not know OpenMP's
    my ($status, $out, $err) = run('make', '-s', '-j2', '-C', $copy, 'build/libreduce.a', "CC=$cc", "CFLAGS=@flags", 'OPENMP=');
    BAIL_OUT("the harness does not compile: $err") if $status;
}

for my $i (0 .. $#steps) {
    my $step = $steps[$i];
    my $device = $devices[ $i % @devices ]; # in turn
    my @on = ('--device', $device->{number});
    my @group = $step =~ /^(01|08)$/ ? () : qw(--group 64);
    my ($status, $out, $err) = run($cc, @flags, cppflags(), find_step_source($step), "$copy/build/libreduce.a", qw(-lOpenCL -lm -o),
        "$folder/step$step");
    is($status, 0, "step$step compiles with sanitizers") or diag($err), next;

    ($status, $out, $err) = run("$folder/step$step", @on, '--check', '--n', '1,1000', @group, qw(--op min --type float));
    is("$status $err", '0 ', "step$step --check on $device->{name}") or diag($out);
    next unless $step =~ /^(01|02|06|10)$/; # timing and reporting is the same for all the others
    ($status, $out, $err) = run("$folder/step$step", @on, qw(--n 1000 --reps 3 --seconds 0 --variant all --out),
        "$folder/data", @group);
    $err =~ s/^.* is not supported here: .*\n//mg;
    is("$status $err", '0 ', "step$step --out on $device->{name}") or diag($out);
}
my ($status, $out, $err);
for my $device (@devices) { # and a wrong result, with all that the diagnosis does then
    (my $text = slurp("$root/kernels/06_two_stage.cl")) =~ s/i < n;/i < n - n % 2;/ or die "06_two_stage.cl has no such loop any more";
    ($status, $out, $err) = run("$folder/step06", '--device', $device->{number}, qw(--check --n 4097 --group 48 --op max --type long),
        '--kernel', spew("$folder/wrong.cl", $text));
    ok($status == 1 && $err eq '' && $out =~ /off by one/, "a diagnosis on $device->{name}") or diag("$out$err");
}
($status, $out, $err) = run("$folder/step06", qw(--n 1000x));
is($status, 2, 'a mistake in the options ends cleanly') or diag($err);

done_testing();
