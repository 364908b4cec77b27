#!/usr/bin/perl
# A program outside steps/ uses the harness without step_main(): step.h and the library are enough.
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
is("@headers", 'step.h', '... with step.h and nothing else of common/');
cmp_ok(scalar(() = slurp($source) =~ /\n/g), '<=', 40, '... in 40 lines');

$ENV{REDUCE_KERNELS} = "$root/kernels";
for my $device (@devices) {
    local $ENV{REDUCE_DEVICE} = $device->{number};
    ($status, $out, $err) = run($program);
    is("$status$err", '0', "right on $device->{name}") or diag($out);
    like($out, qr/^(\d+) on the device, \1 by a loop$/, '... and says so');
}
done_testing();
