#!/usr/bin/perl
# Tests the batches of steps 10 and 11 without a GPU: tests/common/shim.c lets a CPU device say that it is one. The sizes lie around
# a row, a batch and a round of batches, so that each loop of these kernels has no iteration, one, or more. Each kernel contains an
# #error for any other length of a batch than the expected one, so that the test cannot pass without batches.
#
# `make test` tries the main variants at one width.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $device = choose_fastest(grep { $_->{kind} eq 'CPU' } list_devices());
plan skip_all => 'no CPU device' unless $device;
my $folder = make_folder();
build_shim("$folder/shim.so");
my ($group_size, $groups, $lanes) = (48, 3, 8);

# Returns a copy of a kernel that compiles only with batches of so many rows.
sub expect_batch {
    my ($kernel, $batch) = @_;
    my $text = slurp("$root/kernels/$kernel");
    return spew("$folder/batch_of_$batch.cl", "#if BATCH != $batch\n#error batches of another length\n#endif\n$text");
}

sub judge {
    my ($as_gpu, $step, @options) = @_;
    local @ENV{qw(OPENCL_LAYERS SHIM_GPU)} = ("$folder/shim.so", 1) if $as_gpu;
    return run("$root/judge$step", '--device', $device->{number}, '--tap', @options);
}

my @variants = (['10', 'block', '10_block_reads.cl'], ['11', 'counter', 'beyond/11_counter.cl'], ['11', 'word', 'beyond/11_word.cl']);
for ($test_all ? @variants : @variants[ 0, 1 ]) {
    my ($step, $variant, $kernel) = @$_;
    for my $width ($test_all ? (1, 2, 4, 8, 16) : 4) {
        my $row = $width * $lanes;
        my ($batch, $round) = (4 * $row, 4 * $row * $groups * $group_size / $lanes);
        my %sizes = map { $_ > 0 ? ($_ => 1) : () } map { my $end = $_; map { $end + $_ } -1, 0, 1 } 0, $row, 3 * $row, $batch,
            $batch + $row, $round - $row, $round, $round + $row, $round + $batch, 2 * $round - 2 * $row;
        my @options = ('--variant', $variant, '--type', 'int', '--width', $width, '--group', $group_size, '--groups', $groups,
            '--subgroups', "local:$lanes", '--n', join(',', sort { $a <=> $b } keys %sizes));
        for my $operation ($test_all ? qw(sum min) : 'sum') {
            my ($status, $out, $err) = judge(1, $step, @options, '--op', $operation, expect_batch($kernel, 4));
            ok($status == 0 && $out =~ /^ok \d+ - step.*sizes$/m, "$variant, width $width: $operation is right in batches of four rows")
                or diag("exit $status\n$out$err");
        }
    }
    my ($status, $out, $err) = judge(0, $step, '--variant', $variant, qw(--op sum --type int --n 1000), expect_batch($kernel, 0));
    ok($status == 0 && $out =~ /^ok \d+ - step/m, "$variant: a CPU has chunks instead") or diag("exit $status\n$out$err");
}

# An operator that is not commutative: with one lane and one element for each load the order is kept, if there are no batches.
my @hash = (qw(--op hash --type int --group 48 --groups 3 --n), '1,5,1000,4097');
my ($status, $out, $err) = judge(1, '10', @hash, qw(--variant block --subgroups local:1), expect_batch('10_block_reads.cl', 0));
ok($status == 0 && $out =~ /^ok \d+ - step.* hash int/m, 'block: hash is right on a GPU, too, because it has chunks there')
    or diag("exit $status\n$out$err");
for (['10', qw(--variant block --subgroups local:8)], ['10', qw(--variant block --subgroups local:1 --width 4)],
    ['11', qw(--variant counter --subgroups local:1)]) {
    my ($step, @options) = @$_;
    local @ENV{qw(OPENCL_LAYERS SHIM_GPU)} = ("$folder/shim.so", 1);
    ($status, $out, $err) = run("$root/step$step", '--device', $device->{number}, @hash, @options);
    ok($status == 77 && $err =~ /reorders the elements/, "step $step @options: hash is refused on a GPU") or diag("exit $status\n$out$err");
}

done_testing();
