#!/usr/bin/perl
# Tests plots/compile.c: the build options for Intel's GPUs, without any device; the file that --binary saves; and one line for
# wrong usage.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $compile = "$root/build/compile06";
my $folder  = make_folder() . '/work';
mkdir $folder;
chdir $folder or die "$folder: $!\n";
delete $ENV{REDUCE_DEVICE};

sub expect_refusal { # one line on standard error, and no other output
    my ($name, $status, $word, @command) = @_;
    like(join(' ', run(@command)), qr/\A$status  compile\d\d: [^\n]*$word[^\n]*\n\z/, "$name: exit $status and one line");
}

# ---- build options for Intel's GPUs
{
    mkdir 'none';
    local $ENV{OCL_ICD_VENDORS} = "$folder/none";
    my ($status, $out, $err) = run("$root/build/compile10", qw(--variant all));
    is("$status$err " . (() = $out =~ /\n/g), '0 4', 'without a device: a line for each variant');
    like($out, qr/^block 10_block_reads\.cl -cl-std=CL3\.0 .*-D WIDTH=4 -D INTEL -D LANES=16 -D BATCH=4 *$/m, '... with its options');
    ($status, $out, $err) = run("$root/build/compile10", qw(--width 4 --subgroups khr --op min --type float));
    like("$status$err $out", qr/^0 block .*-D OPERATOR=min -D ELEMENT=float -D WIDTH=4 -D KHR -D LANES=0 -D BATCH=4 *\n\z/,
        'the options follow --op, --type, --width and --subgroups');
    ($status, $out, $err) = run("$root/build/compile01", qw(--variant all));
    like("$status$out $err", qr/^77 compile01: host is not supported here: it is a loop on the host/, 'a step without a kernel: exit 77');
    is(join(' ', run("$root/build/compile05", '--variants')), join(' ', run("$root/step05", '--variants')), '--variants');
    my $help = join ' ', run($compile, '--help');
    like($help, qr/\A0 usage: compile06 \[options\]\n[^ ].*^  --binary FILE .*^  --kernel FILE .*^  --force .* \z/ms, '--help');
    unlike($help, qr/--(?:n|sweep|group|groups|timeout|seed) /, '... lists no option that is refused');
    expect_refusal('a width for a kernel without wide loads', 2, '--width', $compile, qw(--width 4));
    expect_refusal("--$_->[0]", 2, "--$_->[0]: this has no effect on how a kernel is compiled", $compile, "--$_->[0]", $_->[1])
        for [ 'groups', 4 ], [ 'n', 1000 ];
    expect_refusal("--$_", 2, "--$_: no such option", $compile, "--$_") for qw(check warm);
    expect_refusal('--device without --binary', 2, '--binary FILE', $compile, qw(--device 0));
    expect_refusal('--binary without a file', 2, '--binary needs a value', $compile, '--binary');
    expect_refusal('--binary without a device', 2, 'make deps', $compile, qw(--binary saved));
    expect_refusal('no such option', 2, '--help', $compile, '--nosuch');
    expect_refusal('no such variant', 2, '--variants', $compile, qw(--variant nosuch));
    expect_refusal('an operator that needs the order', 77, 'not commutative', $compile, qw(--op hash));
    expect_refusal('a type that the operator does not have', 77, 'its types are int, uint, float', $compile, qw(--op argmin --type long));
}

# ---- the compiled kernel
my @devices = list_devices();
SKIP: {
    skip 'no OpenCL device', 1 unless @devices;
    my ($device) = ((grep { $_->{name} =~ /pocl|portable/i } @devices), @devices); # pocl starts fastest
    local $ENV{REDUCE_DEVICE} = $device->{number};
    my ($status, $out, $err) = run($compile, qw(--binary saved --op argmin --type float));
    like("$status$err $out", qr/^0 commutative 06_two_stage\.cl -cl-std=.* -D ELEMENT=float -D WIDTH=1 *\n\z/,
        '--binary: the options of the kernel for elements');
    ok(-s 'saved', '... and the program is saved');
    spew('mine.cl', slurp("$root/kernels/06_two_stage.cl"));
    ($status, $out, $err) = run($compile, qw(--binary mine --kernel mine.cl));
    like("$status$err $out", qr/^0 commutative \.\/mine\.cl /, '--kernel');
    ok(-s 'mine', '... and its program is saved');
    spew('mine.cl', "kernel void reduce( {\n");
    ($status, $out, $err) = run($compile, qw(--binary other --kernel mine.cl));
    like("$status$out $err", qr/\A2 .*^compile06: mine\.cl: does not compile /ms, 'a kernel that does not compile: exit 2');

    mkdir 'folder';
    run('mkfifo', 'pipe'); # as /dev/null: root must not replace it by a file
    expect_refusal("a path that cannot be written: '$_'", 2, 'cannot write', $compile, '--binary', $_)
        for 'nosuch/file', 'folder', 'folder/', '', 'pipe';
    ok(-p 'pipe', '... and it is still what it was');
    expect_refusal('--binary --variant all', 2, '--variant all', $compile, qw(--binary other --variant all));
    expect_refusal('--binary --warm', 2, '--warm', $compile, qw(--binary other --warm));
    expect_refusal('--binary for a loop on the host', 77, 'loop on the host', "$root/build/compile01", qw(--binary other));
    is(join(' ', find_files('.', '{,*/}*')), join(' ', map { "./$_" } qw(folder mine mine.cl none pipe saved)), 'no other file is written');

    # Bytes 0 after a text, such as PTX, are left out. Each call of this library's function gives the bytes of PROGRAM.
    my $cc = $ENV{CC} // 'cc';
    skip "no C compiler ($cc)", 1 unless has_tool($cc);
    spew('driver.c', <<'END');
#include <CL/opencl.h>
#include <string.h>
cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *to, size_t *got)
{
    if (what == CL_PROGRAM_BINARY_SIZES)
        *(size_t *)to = sizeof PROGRAM - 1;
    else
        memcpy(*(char **)to, PROGRAM, sizeof PROGRAM - 1);
    return CL_SUCCESS;
}
END
    for ([ 'ret;\n\0\0', "ret;\n" ], [ 'ret;\n', "ret;\n" ], [ '\177ELF\0a\0\0', "\177ELF\0a\0\0" ]) {
        my ($program, $expected) = @$_;
        run($cc, '-DCL_TARGET_OPENCL_VERSION=300', "-DPROGRAM=\"$program\"", qw(-shared -fPIC driver.c -o driver.so));
        ($status, $out, $err) = run('env', 'LD_PRELOAD=./driver.so', $compile, qw(--binary saved));
        is("$status$err " . slurp('saved'), "0 $expected", "a program of the bytes $program");
    }
}

chdir $root;
done_testing();
