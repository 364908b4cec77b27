#!/usr/bin/perl
# Tests that the published data are of today's programs: every step and variant that a data file under plots/results names must be
# one that `stepNN --variants` lists, and each file must have the columns of plots/columns.ini. A file with a line `# history: …` in
# its header, which says why it is kept, is not tested.
use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

# Returns the names of all steps and variants in a data file, such as "11 word". They are in its header, in its columns `step` and
# `variant`, or in those of its rows that have `ours` in the column `kind`, beside the programs of other people.
sub list_names {
    my ($text) = @_;
    my ($step) = $text =~ /^# step: (\d\d)/m;
    my %names = $text =~ /^# variant: (\w+)/m ? ("$step $1" => 1) : ();
    my ($columns, @rows) = map { [split] } grep { !/^#/ } split /\n/, $text;
    for (@rows) {
        my %row;
        @row{@$columns} = @$_;
        next if !defined $row{variant} || defined $row{program} && $row{kind} ne 'ours';
        next if ($row{step} // '') eq '00'; # the peer openmp, in bench.dat
        my ($of_row) = ($row{step} // $row{program} // $step) =~ /(\d\d)/;
        $names{"$of_row $row{variant}"} = 1;
    }
    return sort keys %names;
}

is(join(', ', list_names("# step: 10 name\n# variant: block\nn bytes\n1 4\n")), '10 block', 'the names in a header');
is(join(', ', list_names("# operator: sum\nstep name variant n\n02 atomics local 1\n02 atomics local 2\n11 x y 3\n")), '02 local, 11 y',
    '... in columns');
is(join(', ', list_names("# step: 12 name\nvariant kind n\nours row_sums 128\n")), '12 ours', '... in one column and the header');
is(join(', ', list_names("kind program variant n\nours step11 word 1\npeer cub - 1\n")), '11 word', '... beside other programs');

my %exists = map { my $step = $_; map { /^(\S+)/ ? ("$step $1" => 1) : () } split /\n/, (run("$root/step$step", '--variants'))[1] }
    @steps, @built_capstones;
# Fails if a column is missing, and prints those that plots/columns.ini does not name.
my $list_columns = <<'END';
import sys
sys.path.append(sys.argv[1])
from data import NEEDED, Data
file = Data(sys.argv[2])
known = next(NEEDED[files]["columns"].split() for files in NEEDED if file.path.match(files))
print(*[column for column in file.columns if column not in known], end="")
END
my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.dat$/ } }, "$root/plots/results");
for my $file (sort @files) {
    my ($name, $text) = ($file =~ s{^\Q$root\E/}{}r, slurp($file));
    next if $text =~ /^# history: \S/m;
    is(join(', ', grep { !$exists{$_} } list_names($text)), '', "$name: its steps and variants exist");
    my ($status, $out, $err) = run('python3', '-c', $list_columns, "$root/plots", $file);
    is("$status$out$err", '0', '... and it has the columns of today, and no others');
}
done_testing();
