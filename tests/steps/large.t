#!/usr/bin/perl
# More elements than an int counts, and where the memory allows it more than 32 bits do: 2^31 + 3 and 2^32 + 5.
# One step on the device with the most room; LARGE=05,06: these; LARGE=all: all of them (minutes). With step 08 comes a kernel
# that stops counting at 2^31 - 1.
# In test-all only, or with LARGE=10.
# Nothing is tried that needs more than half of the memory that is free: others may be using this machine.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

$Steps::limit = 7200; # a tree over every element, on a slow machine
my @wanted = split /\W+/, $ENV{LARGE} || '10';
@wanted = @steps if "@wanted" eq 'all';
needs_test_all('a minute') unless $ENV{LARGE};
my @sizes = ([ 2**32 + 5, '2^32 + 5' ], [ 2**31 + 3, '2^31 + 3' ], [ 2**31 - 4099, 'just below 2^31' ]);
my ($free) = map { /^MemAvailable:\s+(\d+) kB/m ? $1 * 1024 : 0 } -e '/proc/meminfo' ? slurp('/proc/meminfo') : '';

# Elements of four bytes that the device's largest buffer holds: it says so when asked for far too many.
sub find_most_elements {
    my ($device) = @_;
    my (undef, undef, $err) = run("$root/step08", '--device', $device->{number}, qw(--n 2^50));
    return $err =~ /hold (\d+) elements/ ? $1 : 0;
}

my ($device, $most) = (undef, 0);
for (list_devices()) {
    my $holds = find_most_elements($_);
    my $room  = $_->{kind} eq 'GPU' ? $holds : $holds < $free / 8 ? $holds : $free / 8; # a CPU's buffers are the host's memory
    ($device, $most) = ($_, $room) if $room > $most;
}
plan skip_all => 'no OpenCL device' unless $device;
my ($largest) = grep { $_->[0] <= $most } @sizes;
plan skip_all => sprintf 'at most %.1f GiB can be had here without harm, of %.1f GiB free: 8 GiB are needed, and as much again',
    $most * 4 / 2**30, $free / 2**30 unless $largest;
my ($n, $name) = @$largest;

my @on = ('--device', $device->{number}, '--check', '--n', $n, qw(--op sum --type uint));
for my $step (@wanted) {
    # The main variant, in one group size, by elements and by the shortest vectors, whose rest is one element far out: of the
    # others the index is the same.
    my ($variant) = (run("$root/step$step", '--variants'))[1] =~ /^(\w+)/;
    my @group = $step =~ /^(01|08)$/ ? () : qw(--group 256);
    my @width = (read_variants($step))[0] && (read_variants($step))[0][0] ? ('--width', '1,2') : ();
    my ($status, $out, $err) = run("$root/step$step", @on, '--variant', $variant, @group, @width);
    is("$status$err", '0', "step$step, $name elements on $device->{name}") or diag($out);
    unlike($out, qr/SKIP/, '... and it ran');
}
SKIP: {
    skip 'a kernel that counts wrongly: with LARGE=08', 1 unless grep { $_ eq '08' } @wanted;
    my $kernel = slurp("$root/kernels/08_serial_groups.cl");
    $kernel =~ s/\{/{\n    n = n > 0x7fffffff ? 0x7fffffff : n;/ or die "no { in the kernel\n";
    my ($status, $out) = run("$root/step08", @on, '--variant', 'groups', '--kernel', spew(make_folder() . '/short.cl', $kernel));
    is($status, 1, "a kernel that stops at 2^31 - 1 of $name elements is found out") or diag($out);
}

done_testing();
