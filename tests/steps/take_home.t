#!/usr/bin/perl
# Tests steps/beyond/take_home/: its two files compile without warnings and without common/, the example prints the right result, and
# take_home.c, which includes reduce.c, finds no mistake on any CPU, also if the CPU says that it is a GPU. `make test` tries each CPU
# in one of these two ways. `make test-all` also tries more than 2^32 elements, and races in Oclgrind. sanitize.t does the checks of
# take_home.c under sanitizers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
my $folder = make_folder();
my $home   = "$root/steps/beyond/take_home";
my @strict = qw(-Wall -Wextra -pedantic -Werror);
$ENV{REDUCE_KERNELS} = "$root/kernels";

# ---- compilers, with nothing of this repository in the path of includes
my $in_c_plus_plus = spew("$folder/user.cpp", "#include \"reduce.h\"\nint main() { reducer_release(0); }\n");
for (['gcc', '-std=c11', "$home/reduce.c"], ['clang', '-std=c11', "$home/reduce.c"], ['g++', '-std=c++11', "-I$home", $in_c_plus_plus]) {
    my ($compiler, @options) = @$_;
SKIP: {
        skip "no $compiler", 1 unless has_tool($compiler);
        my ($status, $out, $err) = run($compiler, @options, @strict, qw(-fsyntax-only));
        is("$status$out$err", '0', "$compiler accepts the files without a warning");
    }
}
like(slurp("$home/reduce.c"), qr/atomic_xchg\(values [^}]*? mem_fence\(CLK_GLOBAL_MEM_FENCE\);[^}]*? atomic_inc\(arrived\)/,
    'the kernel has a fence between a value and its arrival: no device here shows that the fence is missing');
unlike(slurp("$home/$_"), qr/#include "(?!reduce\.h")/, "$_ includes no other file of this repository") for qw(reduce.h reduce.c example.c);
my $license = slurp("$root/LICENSE") =~ s/\s+/ /gr =~ s/ $//r;
ok(index(slurp("$home/reduce.h") =~ s/\n \*/\n/gr =~ s/\s+/ /gr, $license) >= 0, 'reduce.h contains the licence');

my ($status, $out, $err) = run("$root/take_home");
is("$status$out", "0the sum of 1000003 numbers is 499500003\n", 'the example prints the right result') or diag($err);

# ---- the checks in take_home.c
sub compile { # with these flags; returns the path of the program
    my ($name, @flags) = @_;
    my ($status, $out, $err) = run($ENV{CC} // 'cc', cppflags(), @flags, "$root/tests/steps/take_home.c", find_library(), ldlibs(),
        qw(-pthread -o), "$folder/$name");
    is("$status$out$err", '0', "$name: compiles") or BAIL_OUT($err);
    return "$folder/$name";
}
my $program = compile('take_home', cflags());
for my $device (@devices) { # as a GPU a group has 256 work-items; pocl runs them in turn, so it shows missing barriers
    for my $as ($test_all || @devices == 1 ? ([], ['gpu']) : $device->{name} =~ /POCL/ ? ['gpu'] : []) {
        local $ENV{CL_CONFIG_CPU_FORCE_MAX_MEM_ALLOC_SIZE} = '20GB'; # of Intel's runtime, for `large`
        my ($status, $out, $err) = run($program, $device->{number}, @$as, $test_all ? 'large' : ());
        like("$status$out", qr/^0(?:#.*\n)?\d{4,} checks, 0 mistakes\n\z/, join ' ', "$device->{name}:", @$as, 'no mistake')
            or diag("$out$err");
    }
}

SKIP: {
    skip 'only make test-all tries Oclgrind', 1 unless $test_all && has_oclgrind();
    my ($status, $out, $err) = run_inside_oclgrind({ DATA_RACES => 1 }, $program, 0, 'once');
    ok($status == 0 && $out =~ /^\d{3,} checks, 0 mistakes\n\z/ && $err eq '', 'Oclgrind finds no race and no invalid access')
        or diag("exit $status\n$out", substr $err, 0, 2000);
}
done_testing();
