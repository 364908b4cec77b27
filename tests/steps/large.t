#!/usr/bin/perl
# Checks a step with more elements than an int can count: 2^31 + 3, or, if there is enough memory, 2^32 + 5, which needs more than
# 32 bits. In test-all, step 10 on the device with most memory. LARGE=05,06 checks these steps instead, LARGE=all checks all
# steps, which takes minutes. For step 08 it also checks that the judge finds a kernel that stops counting at 2^31 - 1. The test
# uses at most half of the free memory, because other programs may be using this machine.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

$Steps::limit = 7200; # because on a slow machine a tree over every element takes long
my @wanted = split /\W+/, $ENV{LARGE} || '10';
@wanted = @steps if "@wanted" eq 'all';
needs_test_all('a minute') unless $ENV{LARGE};
my @sizes = ([ 2**32 + 5, '2^32 + 5' ], [ 2**31 + 3, '2^31 + 3' ], [ 2**31 - 4099, 'just below 2^31' ]);
my ($free) = map { /^MemAvailable:\s+(\d+) kB/m ? $1 * 1024 : 0 } -e '/proc/meminfo' ? slurp('/proc/meminfo') : '';

# Returns the number of elements of four bytes that fit into the device's largest buffer. The step prints it if n is far too
# large.
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
plan skip_all => sprintf 'the test may use %.1f GiB of %.1f GiB of free memory, but it needs 8 GiB, and 8 GiB must stay free',
    $most * 4 / 2**30, $free / 2**30 unless $largest;
my ($n, $name) = @$largest;

my @on = ('--device', $device->{number}, '--tap', '--n', $n, qw(--op sum --type uint));
for my $step (@wanted) {
    # The main variant in one group size, with single elements and with vectors of two, whose tail is one element at the end of
    # the array. The other variants compute their indices in the same way.
    my ($variant) = (run("$root/step$step", '--variants'))[1] =~ /^(\w+)/;
    my @group = $step =~ /^(01|08)$/ ? () : qw(--group 256);
    my @width = (read_variants($step))[0] && (read_variants($step))[0][0] ? ('--width', '1,2') : ();
    my ($status, $out, $err) = run("$root/judge$step", @on, '--variant', $variant, @group, @width);
    is("$status$err", '0', "judge$step, $name elements on $device->{name}") or diag($out);
    unlike($out, qr/SKIP/, '... and nothing is skipped');
}
SKIP: {
    skip 'LARGE=08 also checks a kernel that stops too early', 1 unless grep { $_ eq '08' } @wanted;
    my $kernel = slurp("$root/kernels/08_serial_groups.cl");
    $kernel =~ s/\{/{\n    n = n > 0x7fffffff ? 0x7fffffff : n;/ or die "no { in the kernel\n";
    my ($status, $out) = run("$root/judge08", @on, '--variant', 'groups', spew(make_folder() . '/short.cl', $kernel));
    is($status, 1, "the judge finds a kernel that stops at 2^31 - 1 of $name elements") or diag($out);
}

done_testing();
