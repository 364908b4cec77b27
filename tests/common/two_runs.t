#!/usr/bin/perl
# Two processes repeat the same sweep of one step and write into the same folder. A third process reads the data file again and
# again. It must always find a header and whole rows of a single sweep. Each process makes 12 sweeps of 64 rows; with TWO=100 it
# makes 100.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use POSIX qw(_exit WNOHANG);
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($device) = sort { ($b->{name} =~ /pocl/i) <=> ($a->{name} =~ /pocl/i) } list_devices(); # pocl starts fastest
plan skip_all => 'no OpenCL device' unless $device;
my $folder = make_folder() . '/data';
my $sweeps = $ENV{TWO} || 12;
my @sweep  = ("$root/step06", '--device', $device->{number}, '--n', join(',', 1 .. 64), qw(--reps 3 --seconds 0 --warm --out),
    $folder);

my @writers = map {
    my $child = fork // die "fork: $!";
    if (!$child) {
        open STDOUT, '>', '/dev/null';
        my $status = 0;
        $status ||= system @sweep for 1 .. $sweeps;
        _exit($status ? 1 : 0);
    }
    $child;
} 1, 2;

sub find_faults { # the faults in the text of a data file
    my ($text) = @_;
    my ($head, @rows) = grep { !/^#/ } split /\n/, $text;
    return 'no row' unless @rows;
    return 'no header, or a part of a line' unless $text =~ /\A# step: 06 .*\n\z/s;
    return 'a wrong end' if ($text =~ /^# end\n/m) != ($text =~ /^# end\n\z/m) || $text =~ /^# end\n/m && @rows != 64;
    return 'rows of two sweeps' if join(' ', map { /^(\d+)/ } @rows) ne join(' ', 1 .. @rows);
    return grep { split(' ', $head) != split(' ', $_) || !/ (right|noisy)\z/ } @rows;
}

my ($reads, %row_counts, @wrong, %statuses) = 0;
while (keys %statuses < @writers && @wrong < 5) {
    select undef, undef, undef, 0.0002; # the writers need the cores too
    waitpid($_, WNOHANG) == $_ and $statuses{$_} = $? for grep { !exists $statuses{$_} } @writers;
    open my $file, '<', "$folder/06_commutative.sum.int.dat" or next;
    local $/;
    my $text = <$file> // '';
    $reads++;
    $row_counts{ () = $text =~ /^\d/mg } = 1;
    push @wrong, find_faults($text);
}
is(join("\n", @wrong), '', "$reads reads: each finds whole rows of one sweep");
cmp_ok(scalar keys %row_counts, '>', 10, '... and the reads find different numbers of rows');
for my $child (@writers) {
    waitpid($child, 0), $statuses{$child} = $? if !exists $statuses{$child};
    is($statuses{$child}, 0, 'every sweep ends with 0');
}
like(slurp("$folder/06_commutative.sum.int.dat"), qr/^64 .*\n# end\n\z/m, 'at the end the file is complete');
is(join(' ', map { s{.*/}{}r } find_files($folder, '*')), '06_commutative.sum.int.dat', 'there is no other file in the folder');

done_testing();
