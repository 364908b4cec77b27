#!/usr/bin/perl
# check.pl 05 [06 ...]: `./step05 --check` on every device, as one stream of TAP with the device in each line.
# `make test` tries less, see %in_turn: sums of int in all variants and groups (in the main variant from step 10 on), and one more
# operator, on the CPU that compiles fastest; the main variant of every third step on the other devices. FULL=1: what is tried again, see %again, on every CPU, not only on that one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;

$| = 1;
my ($step, $tests) = ('', 0);

# In a step with sub-groups, the stand-in for them with eight lanes, and OpenCL's own where a device has them: every variant
# with one operator and type, in a group that the lanes divide and one that they do not. The run without options goes
# through the others.
my @eight = (qw(--op sum --type float --subgroups local:8 --group), '7,48');
# On the CPU that compiles fastest, on each with FULL=1: the others have each width in one group, by the run without
# options, and sub-groups of their own.
my @widths = qw(--op sum --type int --width); # which were variants of their own: in groups of all sizes
my %again = (
    '07' => [ [ @widths, '2,8,16' ], [qw(--type float --width 8 --variant vector)] ],
    '08' => [ [ @widths, '1,4', qw(--variant vectorised) ] ],
    '09' => [ [qw(--type float --variant sub_group --subgroups khr)] ],
    '10' => [ [ @widths, '2,4,8,16', qw(--variant block) ], [ @widths, '1', qw(--variant streams) ],
        map { [ qw(--type float --variant block --width 4 --subgroups), $_ ] } qw(local khr) ],
    '11' => [ [ @widths, '1,8', qw(--variant streams) ] ],
);

# For `make test`: what a step's main variant is tried with besides sums of int. Step 02 has every operator and type.
my @few = ('--n', '1,3,97,4096,100003');
my %in_turn = (
    '02' => [],
    '03' => [qw(--op hash --type int)],
    '04' => [qw(--op min --type float)],
    '05' => [qw(--op max --type ulong)],
    '06' => [qw(--op argmin --type uint)],
    '07' => [qw(--op sum --type double --width 4)],
    '08' => [qw(--op hash --type uint)],
    '09' => [qw(--op sum --type float)],
    '10' => [qw(--op argmax --type int --width 2)],
    '11' => [qw(--op min --type int --width 4)],
);

sub print_result {
    my ($good, $text) = @_;
    printf "%s %d - %s\n", $good ? 'ok' : 'not ok', ++$tests, $text;
}

sub check {
    my ($device, @options) = @_;
    my $where = join ' ', "on $device->{name}", @options;
    my ($ran, $failed, $plan) = (0, 0, undef);
    my @command = ("$root/step$step", '--device', $device->{number}, '--check', @options);

    open my $output, '-|', 'timeout', 7200, @command or die "timeout: $!\n";
    while (<$output>) {
        chomp;
        if (/^(not )?ok \d+ - ([^#]*?)\s*(# SKIP .*)?$/) {
            print_result(!$1, "$2, $where" . ($3 ? " $3" : ''));
            $ran++;
            $failed++ if $1;
        } elsif (/^1\.\.0 # SKIP (.*)/) {
            print_result(1, "step$step $where # SKIP $1");
            $plan = 0;
        } elsif (/^1\.\.(\d+)$/) {
            $plan = $1;
        } elsif (/^#/) {
            print "$_\n";
        } else {
            print_result(0, "step$step $where: not TAP: " . tr/#//dr);
        }
    }
    close $output;
    my $finished = defined $plan && $plan == $ran && $? == ($failed ? 1 << 8 : 0);
    print_result($finished, "step$step $where: ran what it planned");
    printf "# planned %s, ran %d, %d of them not ok, wait status %d\n", $plan // 'nothing', $ran, $failed, $?
        unless $finished;
}

my @devices = list_devices();
my $fastest = choose_fastest(grep { $_->{kind} eq 'CPU' } @devices) // $devices[0];
if (@devices && @ARGV) {
    for my $case (map { my $which = $_; map { [ $which, $_ ] } @devices } @ARGV) {
        ($step, my $device) = @$case;
        my $has_sub_groups = slurp(find_step_source($step)) =~ /\bSUB_GROUPS\b/;
        my $all = $full || $device->{kind} ne 'CPU' || $device == $fastest;
        my @again = grep { $all || "@$_" =~ /khr/ } @{ $again{$step} // [] };
        my @runs = ([], $has_sub_groups ? \@eight : (), @again);
        if (!$test_all) {
            my ($main) = (run("$root/step$step", '--variants'))[1] =~ /^(\w+)/;
            my @one = ('--variant', $main, $step =~ /^0[18]$/ ? () : qw(--group 96), @few);
            @runs = $device == $fastest ? ([ qw(--op sum --type int), $step >= 10 ? @one : () ], [ @one, @{ $in_turn{$step} // [] } ])
                : $step % 3 == 0 ? [ qw(--op sum --type int), @one ] : ();
        }
        my $emulated = { read_facts($device) }->{sub_groups} eq 'emulated'; # pocl 5 and 6 crash in groups of 2
        for my $run (@runs) {
            if ($emulated && "@$run" =~ /khr/) {
                print_result(1, "step$step @$run # SKIP the sub-groups of $device->{name} are emulated");
            } else {
                check($device, @$run);
            }
        }
    }
    print "1..$tests\n";
} else {
    print '1..0 # SKIP ', @ARGV ? 'no OpenCL device' : 'each step has a test of its own', "\n";
}
