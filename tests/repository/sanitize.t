#!/usr/bin/perl
# Compiles the steps and their judges with AddressSanitizer and UndefinedBehaviorSanitizer. Calls each judge, and lets some steps
# measure and write data files. Then does the checks of tests/steps/take_home.c in the same way. In test-all only.
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

# Without Intel's GPU runtime, because AddressSanitizer aborts while that runtime loads its compiler.
mkdir "$folder/vendors";
for my $icd (glob '/etc/OpenCL/vendors/*.icd') {
    my $text = slurp($icd);
    spew("$folder/vendors/" . ($icd =~ m{([^/]+)$})[0], $text) unless $text =~ /igdrcl/;
}
$ENV{OCL_ICD_VENDORS} = "$folder/vendors";
my @devices = list_devices();
plan skip_all => 'no OpenCL device except those of Intel\'s GPU runtime' unless @devices;

# The runtimes and their compilers do not free all their memory. Leaks of the steps and of the harness are errors.
my @foreign_libraries = qw(libpocl libLLVM libclang-cpp libhwloc libintelocl libOpenCL libcommon_clang libOclCpuBackEnd libtbb);
spew("$folder/leaks", join '', map { "leak:$_\n" } @foreign_libraries);
$ENV{LSAN_OPTIONS}  = "suppressions='$folder/leaks':print_suppressions=0";
$ENV{ASAN_OPTIONS}  = 'detect_leaks=1:malloc_context_size=6'; # deep enough to show the library that allocated the memory
$ENV{UBSAN_OPTIONS} = 'print_stacktrace=1';
symlink "$root/kernels", "$folder/kernels" or die "symlink: $!\n";

my $copy = copy_tree(qw(Makefile common kernels));
{ # without OpenMP, because the sanitizers do not understand its threads
    my ($status, $out, $err) = run('make', '-s', '-j2', '-C', $copy, 'build/libreduce.a', 'build/libjudge.a', "CC=$cc", "CFLAGS=@flags", 'OPENMP=');
    BAIL_OUT("the harness does not compile: $err") if $status;
}

for my $i (0 .. $#steps) {
    my $step = $steps[$i];
    my $device = $devices[ $i % @devices ]; # each device in turn
    my @on = ('--device', $device->{number});
    my @group = $step =~ /^(01|08)$/ ? () : qw(--group 64);
    my ($status, $out, $err);
    for my $program ("step$step", "judge$step") {
        my @libraries = map { "$copy/build/lib$_.a" } $program =~ /judge/ ? 'judge' : (), 'reduce';
        ($status, $out, $err) = run($cc, @flags, cppflags(), find_step_source($step), @libraries, qw(-lOpenCL -lm -o),
            "$folder/$program");
        is($status, 0, "$program compiles with sanitizers") or diag($err);
    }
    ($status, $out, $err) = run("$folder/judge$step", @on, '--tap', '--n', '1,1000', @group, qw(--op min --type float));
    is("$status $err", '0 ', "judge$step on $device->{name}") or diag($out);
    next unless $step =~ /^(01|02|06|10)$/; # the other steps measure and report with the same code
    ($status, $out, $err) = run("$folder/step$step", @on, qw(--n 1000 --reps 3 --seconds 0 --variant all --out),
        "$folder/data", @group);
    $err =~ s/^.* is not supported here: .*\n//mg;
    is("$status $err", '0 ', "step$step --out on $device->{name}") or diag($out);
}
my ($status, $out, $err);
for my $device (@devices) { # a wrong result, so that the diagnosis runs under the sanitizers too
    (my $text = slurp("$root/kernels/06_two_stage.cl")) =~ s/i < n;/i < n - n % 2;/
        or die "06_two_stage.cl has no such loop any more";
    ($status, $out, $err) = run("$folder/judge06", '--device', $device->{number}, qw(--n 4097 --group 48 --op max --type long),
        spew("$folder/wrong.cl", $text));
    ok($status == 1 && $err eq '' && $out =~ /off by one/, "a diagnosis on $device->{name}") or diag("$out$err");
}
($status, $out, $err) = run("$folder/step06", qw(--n 1000x));
is($status, 2, 'a wrong option: exit 2, and the sanitizers find nothing') or diag($err);

# ---- the two files that a project can copy
($status, $out, $err) = run($cc, @flags, cppflags(), "$root/tests/steps/take_home.c", "$copy/build/libreduce.a",
    qw(-lOpenCL -lm -pthread -o), "$folder/take_home");
is($status, 0, 'take_home compiles with sanitizers') or diag($err);
for my $device (@devices) {
    for my $as ($device->{kind} eq 'CPU' ? ([], ['gpu']) : []) {
        ($status, $out, $err) = run("$folder/take_home", $device->{number}, @$as);
        ok($status == 0 && $err eq '' && $out =~ /, 0 mistakes$/, join ' ', "take_home on $device->{name}", @$as)
            or diag("$out$err");
    }
}
done_testing();
