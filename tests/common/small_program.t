#!/usr/bin/perl
# A program outside steps/ can use the harness without step_main(). It needs only step.h and the library.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $source  = "$root/tests/common/small_program.c";
my $program = make_folder() . '/small_program';
my $cc      = $ENV{CC} // 'cc';
plan skip_all => "no C compiler ($cc)" unless has_tool($cc);
my @devices = list_devices();
plan skip_all => 'no OpenCL device' unless @devices;

my ($status, $out, $err) = run($cc, cppflags(), cflags(), $source, find_library(), ldlibs(), '-o', $program);
is("$status$out$err", '0', 'small_program.c: compiles against the library') or BAIL_OUT($err);
my @headers = slurp($source) =~ /#include "(.*?)"/g;
is("@headers", 'step.h', '... includes only step.h of common/');
cmp_ok(scalar(() = slurp($source) =~ /\n/g), '<=', 40, '... has at most 40 lines');

$ENV{REDUCE_KERNELS} = "$root/kernels";
for my $device (@devices) {
    local $ENV{REDUCE_DEVICE} = $device->{number};
    ($status, $out, $err) = run($program);
    is("$status$err", '0', "small_program: exit 0 on $device->{name}") or diag($out);
    like($out, qr/^(\d+) on the device, \1 by a loop$/, '... and the device computes the same sum as the loop');
}

# ---- a program with more options than the reader of the command line has room for: no option is dropped silently
my $many = spew(make_folder() . '/many.c', <<'END');
#include "options.h"
int main(int argc, char **argv)
{
    static bool is_given;
    static struct known_option known[62];
    for (int i = 0; i < 61; i++)
        known[i] = (struct known_option) { "option", "", "", VALUE_NONE, &is_given };
    parse_options(argc, argv, (const struct known_option *[]) { known, NULL });
}
END
($status, $out, $err) = run($cc, cppflags(), cflags(), $many, find_library(), ldlibs(), '-o', $program);
is("$status$out$err", '0', 'a program with 61 options: compiles') or diag($err);
($status, $out, $err) = run($program);
is("$status$out$err", "2small_program: the program has more than 60 options\n", '... and a line says that these are too many');
done_testing();
