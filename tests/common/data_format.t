#!/usr/bin/perl
# Tests the data files that gnuplot reads (plots/README.md): their names, headers, columns and numbers. After an interrupt they
# contain only whole rows.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my @columns = qw(n bytes launches groups group width lanes backend kernel_min kernel_med kernel_p90 span_med wall_min
    wall_med wall_p90 GBps percent_of_limit kernel_percent limit_GBps read_wall read_kernel verdict);
my @keys = ('date', 'device', 'driver', 'opencl', 'compute units', 'last-level cache', 'options', 'seed', 'repetitions',
    'evicted bytes');
my @quick = qw(--reps 3 --seconds 0);

plan skip_all => 'no OpenCL device' unless list_devices();

sub list_files { # the names of all files in a folder
    my ($folder) = @_;
    opendir my $dir, $folder or die "$folder: $!\n";
    return sort grep { !/^\.\.?$/ } readdir $dir;
}

# Returns the header (a hash), the names of the columns, the rows (hashes by column), and a list of mistakes in the file.
sub parse_file {
    my ($path) = @_;
    my (%head, @names, @rows, @mistakes);
    my $text = slurp($path);
    push @mistakes, 'no newline at the end' unless $text =~ /\n\z/;
    for (split /\n/, $text) {
        if (/^# ([a-z -]+): (.*)/) {
            $head{$1} = $2;
        } elsif (/^#/) {
            next; # a remark
        } elsif (!@names) {
            @names = split ' ';
        } else {
            my @fields = split ' ', $_, -1;
            push @mistakes, "fields: $_" if @fields != @names;
            push @rows, { map { $names[$_] => $fields[$_] } 0 .. $#names };
        }
    }
    return (\%head, \@names, \@rows, @mistakes);
}

my $folder = make_folder() . '/data';
my ($status, $out, $err) = run("$root/step06", qw(--sweep 2^10..2^12 --out), $folder, @quick);
is($status, 0, 'a sweep: exit 0') or diag($out, $err);
is_deeply([ list_files($folder) ], ['06_commutative.sum.int.dat'], 'one file, named after step, variant, operator and type');

my ($head, $names, $rows, @mistakes) = parse_file("$folder/06_commutative.sum.int.dat");
is("@mistakes", '', 'each row has a field for each column, and the last line ends with a newline');
ok(length($head->{$_} // ''), "header: $_") for @keys;
like($head->{date}, qr/^\d{4}-\d\d-\d\d$/, 'the date is a date');
unlike($head->{options}, qr/\Q$folder/, 'the options do not contain the name of the folder');
like(slurp("$folder/06_commutative.sum.int.dat"), qr/\A# step: 06 .*\n# end\n\z/s,
    'the file begins with the header, and ends with the line that marks a complete file');
is("@$names", "@columns", 'the columns have the names and the order that plots/README.md lists');
is(join(' ', map { $_->{n} } @$rows), '1024 2048 4096', 'a row for each power of two');

my $number = qr/^(nan|\d+(\.\d+)?(e[-+]?\d+)?)$/;
for my $row (@$rows) {
    my $n = "n = $row->{n}";
    my @bad = grep { $row->{$_} !~ $number } grep { !/^(backend|verdict)$/ } @columns;
    is("@bad", '', "$n: every field is a number, or nan");
    like($row->{verdict}, qr/^(right|noisy)$/, "$n: a verdict");
    like($row->{backend}, qr/^[a-z]+$/,        "$n: a back end's name");
    is($row->{bytes}, 4 * $row->{n}, "$n: four bytes for each element");
    ok(0 < $row->{wall_min} && $row->{wall_min} <= $row->{wall_med} && $row->{wall_med} <= $row->{wall_p90},
        "$n: minimum, median and 90 % quantile in order");
    ok(abs($row->{GBps} * $row->{wall_med} / ($row->{bytes} * 1e-9) - 1) < 0.01, "$n: GB/s are bytes per wall time");
    ok(abs($row->{limit_GBps} * $row->{read_wall} / ($row->{bytes} * 1e-9) - 1) < 0.01, "$n: so is the limit, of the program that reads");
    ok(abs($row->{percent_of_limit} * $row->{wall_med} / $row->{read_wall} - 100) < 1, "$n: percent of the limit, wall by wall");
    ok(abs($row->{kernel_percent} * $row->{span_med} / $row->{read_kernel} - 100) < 1, "$n: percent of the limit, by the device's clock");
    ok($row->{launches} == 2 && $row->{groups} > 0 && $row->{group} > 0, "$n: launches and geometry");
}

# Step 01 launches no kernel, so its files have only times of the host. All other times are nan.
($status, $out, $err) = run("$root/step01", qw(--n 1000 --op min --type float --out), $folder, @quick);
(undef, undef, $rows, @mistakes) = parse_file("$folder/01_host.min.float.dat");
is("$status @mistakes", '0 ', 'step 01: a file with whole rows');
is(join(' ', map { $rows->[0]{$_} } qw(kernel_min kernel_med kernel_p90 span_med kernel_percent)), 'nan nan nan nan nan',
    'step 01: the times of kernels are nan');
ok($rows->[0]{read_wall} > 0 && $rows->[0]{read_kernel} > 0 && $rows->[0]{limit_GBps} > 0,
    'step 01: ... but not those of the program that only reads');

# Each variant has its own file, and no other file is left.
($status, $out, $err) = run("$root/step02", qw(--n 1000 --variant all --out), $folder, @quick);
is("$status " . join(' ', grep { /^02/ } list_files($folder)),
    '0 ' . join(' ', map { "02_$_.sum.int.dat" } qw(blocked global local strided)), 'step 02: a file for each variant');
is_deeply([ grep { /\.part$/ } list_files($folder) ], [], 'no .part is left');

# Each width of a variant is a row of the variant's file.
($status, $out, $err) = run("$root/step07", qw(--n 1000 --width), '2,8', '--out', $folder, @quick);
(undef, undef, $rows, @mistakes) = parse_file("$folder/07_vector.sum.int.dat");
is("$status @mistakes " . join(' ', map { $_->{width} } @$rows), '0  2 8', 'step 07: a row for each width');

# The file names each row that was left out because of --limit-seconds, also before its first row.
($status, $out, $err) = run("$root/step01", '--n', '2^24,1', qw(--limit-seconds 0.001 --warm --out), $folder, @quick);
like("$status " . slurp("$folder/01_host.sum.int.dat"),
    qr/\A0 #.*\nn bytes .*\n# n = 16777216 left out: about .*\n1 4 .*\n# end\n\z/s,
    'a first row that is left out is named after the header');

# If all rows are left out, the file says so.
($status, $out, $err) = run("$root/step03", '--n', '2^20', qw(--limit-seconds 0 --warm --out), "$folder/skipped", @quick);
like("$status " . slurp("$folder/skipped/03_associative.sum.int.dat"),
    qr/\A0 #.*\nn bytes .*\n# n = 1048576 left out: about .*\n# end\n\z/s, 'a file without any row names the row that is left out');
($status, $out, $err) = run('python3', '-c', 'import sys; sys.path.insert(0, sys.argv[1]); import data; '
        . 'print(len(data.read_files(sys.argv[2], main=False)))', "$root/plots", "$folder/skipped");
is("$status $out$err", "0 0\n", '... and no chart uses it');

# The header has the whole command line, however long it is.
my $numbers = join ',', 1 .. 3, map { sprintf "%020d", $_ } 4 .. 64;
($status, $out, $err) = run("$root/step01", '--n', $numbers, '--out', $folder, '--warm', @quick);
my ($long) = parse_file("$folder/01_host.sum.int.dat");
is("$status $long->{options}", "0 --n $numbers --warm @quick", 'the options in the header are not cut');

SKIP: { # The test generates a locale with a decimal comma. The steps must write decimal points nevertheless.
    my $locale = 'de_DE.UTF-8';
    my $locales = make_folder();
    skip 'no localedef', 1 unless has_tool('localedef');
    (undef, undef, $err) = run(qw(localedef -i de_DE -f UTF-8), "$locales/$locale");
    skip 'localedef cannot make de_DE', 1 unless -d "$locales/$locale";
    local $ENV{LOCPATH} = $locales;
    local $ENV{LC_ALL}  = $locale;
    my ($comma) = (run('bash', '-c', 'printf %.1f 0,5'))[1];
    skip 'de_DE has no effect here', 1 if $comma ne '0,5';
    my $german = make_folder() . '/german';
    ($status) = run("$root/step06", qw(--n 1000 --seconds 0.0 --reps 3 --out), $german);
    my (undef, undef, $rows) = parse_file("$german/06_commutative.sum.int.dat");
    my @bad = grep { $rows->[0]{$_} !~ $number } grep { !/^(backend|verdict)$/ } @columns;
    is("$status @bad", '0 ', 'a locale with a decimal comma: numbers in the file have a decimal point');
}

# After an interrupt in the middle of a sweep the file contains the rows that were measured, and only whole rows.
my $cut = make_folder() . '/cut';
my $file = "$cut/06_commutative.sum.int.dat";
my $child = fork // die "fork: $!";
if (!$child) {
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    exec "$root/step06", qw(--sweep 2^10..2^24 --seconds 0.5 --reps 3 --out), $cut;
}
for (1 .. 6000) { # until there are at least two rows, or five minutes have passed
    last if -e $file && (grep { !/^#/ } split /\n/, slurp($file)) >= 3;
    select undef, undef, undef, 0.05;
}
kill INT => $child;
waitpid $child, 0;
is($? & 127, 2, 'the interrupt came in the middle of the sweep');
(undef, $names, $rows, @mistakes) = parse_file($file);
is("@mistakes", '', 'after an interrupt all rows are whole');
unlike(slurp($file), qr/^# end$/m, '... and the line that marks a complete file is missing');
ok(@$rows >= 2 && @$rows < 15 && "@$names" eq "@columns", '... and the file has only the rows that were measured: ' . @$rows);

done_testing();
