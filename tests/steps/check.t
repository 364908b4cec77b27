#!/usr/bin/perl
# Calls `./judge05 --tap` and the like on every device, and prints one stream of TAP that names the device in each line.
# `tests/steps/check.t 05 06` checks these steps only.
#
# Each group size and each operator is compiled anew, so `make test` tries less. On the CPU that compiles fastest: sums of int in
# groups of 7 and 96 in all variants (from step 10 on only in the main variant), and one further operator, see %in_turn. On the
# other devices: the main variant of every third step.
#
# `make test-all` tries the further options in %again, but only on the CPU that compiles fastest. FULL=1 tries them on every CPU.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;

# For steps with sub-groups: every variant with one operator and type, on emulated sub-groups of eight lanes. One group size is a
# multiple of the number of lanes (48), the other is not (7). The call without options tries the other operators and types.
my @eight = (qw(--op sum --type float --subgroups local:8 --group), '7,48');
# Further calls on the CPU that compiles fastest (FULL=1: on each CPU). On the other CPUs the call without options tries each
# width in one group size, and the sub-groups that the CPU has.
my @widths = qw(--op sum --type int --width); # in all group sizes
my %again = (
    '07' => [ [ @widths, '2,8,16' ], [qw(--type float --width 8 --variant vector)] ],
    '08' => [ [ @widths, '1,4', qw(--variant vectorised) ] ],
    '09' => [ [qw(--type float --variant sub_group --subgroups khr)] ],
    '10' => [ [ @widths, '2,4,8,16', qw(--variant block) ],
        map { [ qw(--type float --variant block --width 4 --subgroups), $_ ] } qw(local khr) ],
    '11' => [ [ @widths, '1,8', qw(--variant counter) ] ],
);

# The operator and type that `make test` tries in a step's main variant, besides sums of int. Step 02 tries every operator and
# type.
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

# Returns the results of one call of --tap: for each test [ passed, name ], for each line of explanation [ undef, line ].
sub check {
    my ($step, $device, @options) = @_;
    my $where = join ' ', "on $device->{name}", @options;
    my ($ran, $failed, $plan, @results) = (0, 0, undef);
    my @command = ("$root/judge$step", '--device', $device->{number}, '--tap', @options);

    open my $output, '-|', 'timeout', 7200, @command or die "timeout: $!\n";
    while (<$output>) {
        chomp;
        if (/^(not )?ok \d+ - ([^#]*?)\s*(# SKIP .*)?$/) {
            push @results, [ !$1, "$2, $where" . ($3 ? " $3" : '') ];
            $ran++;
            $failed++ if $1;
        } elsif (/^1\.\.0 # SKIP (.*)/) {
            push @results, [ 1, "step$step $where # SKIP $1" ];
            $plan = 0;
        } elsif (/^1\.\.(\d+)$/) {
            $plan = $1;
        } elsif (/^#/) {
            push @results, [ undef, $_ ];
        } else {
            push @results, [ 0, "step$step $where: not TAP: " . tr/#//dr ];
        }
    }
    close $output;
    my $finished = defined $plan && $plan == $ran && $? == ($failed ? 1 << 8 : 0);
    push @results, [ $finished, "step$step $where: as many tests as planned" ];
    push @results, [ undef, sprintf '# %s tests planned, %d tests printed, %d of them not ok, wait status %d', $plan // 'nothing', $ran,
        $failed, $? ] unless $finished;
    return @results;
}

my @devices = list_devices();
if (!@devices) {
    print "1..0 # SKIP no OpenCL device\n";
    exit;
}
my $fastest = choose_fastest(grep { $_->{kind} eq 'CPU' } @devices) // $devices[0];

sub check_step { # the results of one step on one device
    my ($step, $device) = @{ $_[0] };
    my $has_sub_groups = slurp(find_step_source($step)) =~ /\bSUB_GROUPS\b/;
    my $all = $full || $device->{kind} ne 'CPU' || $device == $fastest;
    my @again = grep { $all || "@$_" =~ /khr/ } @{ $again{$step} // [] };
    my @calls = ([], $has_sub_groups ? \@eight : (), @again);
    if (!$test_all) {
        my ($main) = (run("$root/step$step", '--variants'))[1] =~ /^(\w+)/;
        my @sizes = $step =~ /^0[18]$/ ? () : qw(--group 96);
        my @one = ('--variant', $main, @sizes, @few);
        my @all = (@few, @sizes ? ('--group', '7,96') : ());
        @calls = $device == $fastest ? ([ qw(--op sum --type int), $step >= 10 ? @one : @all ], [ @one,
            @{ $in_turn{$step} // [] } ])
            : $step % 3 == 0 ? [ qw(--op sum --type int), @one ] : ();
    }
    my $emulated = { read_facts($device) }->{sub_groups} eq 'emulated'; # pocl 5 and 6 crash with khr in groups of 2
    return [ map { $emulated && "@$_" =~ /khr/ ? [ 1, "step$step @$_ # SKIP the sub-groups of $device->{name} are emulated" ]
        : check($step, $device, @$_) } @calls ];
}

# The last steps begin, because they have the most variants and widths.
my $tests = 0;
for (map { @$_ } do_in_parallel(\&check_step, map { my $step = $_; map { [ $step, $_ ] } @devices } @ARGV ? @ARGV : reverse @steps)) {
    my ($passed, $text) = @$_;
    print defined $passed ? ($passed ? 'ok ' : 'not ok ') . ++$tests . " - $text\n" : "$text\n";
}
print "1..$tests\n";
