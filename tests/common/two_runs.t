#!/usr/bin/perl
# Two runs of one step write into one folder, sweep after sweep, while a third process reads the file there again and again. It
# always finds a header and whole rows of one run. Each run makes 12 sweeps of 64 rows, or as many as TWO=100 says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use POSIX qw(_exit WNOHANG);
use Steps;
use Test::More;

needs_test_all('half a minute');
my ($device) = sort { ($b->{name} =~ /pocl/i) <=> ($a->{name} =~ /pocl/i) } list_devices(); # it starts fastest
plan skip_all => 'no OpenCL device' unless $device;
my $folder = make_folder() . '/data';
my $sweeps = $ENV{TWO} || 12;
my @sweep  = ("$root/step06", '--device', $device->{number}, '--n', join(',', 1 .. 64), qw(--reps 3 --seconds 0 --warm --out), $folder);

my @runs = map {
    my $child = fork // die "fork: $!";
    if (!$child) {
        open STDOUT, '>', '/dev/null';
        my $status = 0;
        $status ||= system @sweep for 1 .. $sweeps;
        _exit($status ? 1 : 0);
    }
    $child;
} 1, 2;

sub find_faults { # what is not as it should be in the text of a data file
    my ($text) = @_;
    my ($head, @rows) = grep { !/^#/ } split /\n/, $text;
    return 'no row' unless @rows;
    return 'no header, or a part of a line' unless $text =~ /\A# step: 06 .*\n\z/s;
    return 'a wrong end' if ($text =~ /^# end\n/m) != ($text =~ /^# end\n\z/m) || $text =~ /^# end\n/m && @rows != 64;
    return 'rows of both runs' if join(' ', map { /^(\d+)/ } @rows) ne join(' ', 1 .. @rows);
    return grep { split(' ', $head) != split(' ', $_) || !/ (right|noisy)\z/ } @rows;
}

my ($reads, %seen, @wrong, %ended) = 0;
while (keys %ended < @runs && @wrong < 5) {
    select undef, undef, undef, 0.0002; # the writers need the cores too
    waitpid($_, WNOHANG) == $_ and $ended{$_} = $? for grep { !exists $ended{$_} } @runs;
    open my $file, '<', "$folder/06_commutative.sum.int.dat" or next;
    local $/;
    my $text = <$file> // '';
    $reads++;
    $seen{ () = $text =~ /^\d/mg } = 1; # rows
    push @wrong, find_faults($text);
}
is(join("\n", @wrong), '', "$reads reads: each finds whole rows of one run");
cmp_ok(scalar keys %seen, '>', 10, '... which is longer and shorter again');
for my $child (@runs) {
    waitpid($child, 0), $ended{$child} = $? if !exists $ended{$child};
    is($ended{$child}, 0, 'every sweep ends with 0');
}
like(slurp("$folder/06_commutative.sum.int.dat"), qr/^64 .*\n# end\n\z/m, 'the file that is left is complete');
is(join(' ', map { s{.*/}{}r } glob "'$folder'/*"), '06_commutative.sum.int.dat', 'nothing else is left');

done_testing();
