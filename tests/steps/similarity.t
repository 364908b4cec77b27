#!/usr/bin/perl
# Tests step 12: --check on every device; matrices from files, whose result must agree with LAPACK if that is installed; files
# that contain no matrix, which must end the program with status 2 and one line that names the place; the data files; the report
# if the method does not converge. `make test` calls --check on one device, and tries every sixth of the other cases, because each
# call that computes compiles its kernels first.
use strict;
use warnings;
no warnings 'qw'; # because a comma in qw() is intended here
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my @devices = list_devices();
plan skip_all => 'no OpenCL device' unless @devices;
my $folder = make_folder();
my $step   = "$root/step12";
my ($cpu)  = sort { ($b->{name} =~ /\[INTEL\]/) <=> ($a->{name} =~ /\[INTEL\]/) } @devices; # it compiles fastest
local $ENV{REDUCE_DEVICE} = $cpu->{number};

# ---- known answers, on every device
for my $device ($test_all ? @devices : $cpu) {
    my ($status, $out, $err) = run($step, '--device', $device->{number}, '--check');
    my @lines = $out =~ /^(?:not )?ok .*/mg;
    my ($planned) = $out =~ /^1\.\.(\d+)$/m;
    is("$status$err", '0', "--check on $device->{name}") or diag(grep { /^not ok|^#/ } split /^/, $out);
    is(scalar @lines, $planned, '... prints as many tests as planned');
}

# ---- valid files: one matrix in four forms, and random matrices, whose result is compared with LAPACK
sub solve { # returns the exit status, the number of rounds, and the bounds of lambda
    my ($status, $out, $err) = run($step, @_);
    my ($rounds) = $out =~ /converged after (\d+) round/;
    my ($least, $largest) = $out =~ /for certain from (\S+) to (\S+);/;
    return ($status, $rounds // "$out$err", $least // 'nan', $largest // 'nan');
}
my %forms = (
    array     => "%%MatrixMarket matrix array real general\n% by columns\n3 3\n" . join("\n", 1, 2, 2, 1, 1, 3, 2, 3, 5) . "\n",
    symmetric => "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n2\n1\n3\n5\n",
    integer   => "%%MatrixMarket  MATRIX\tArray Integer General\n \t% an indented comment\n3 3\n\n  % another\n1\n2\n2\n1\n1\n3\n2\n3\n5",
    coordinate => "%%MatrixMarket matrix coordinate real general\n3 3 9\n" . join('', map { my $r = $_;
        map { "$r $_ " . [ [ 1, 1, 2 ], [ 2, 1, 3 ], [ 2, 3, 5 ] ]->[ $r - 1 ][ $_ - 1 ] . "\r\n" } 1 .. 3 } 1 .. 3),
);
for my $form (choose_some(sort keys %forms)) {
    my ($status, undef, $least, $largest) = solve('--matrix', spew("$folder/$form.mtx", $forms{$form}), qw(--tolerance 1e-6));
    my $lambda = $form eq 'symmetric' ? 7.71084913 : 7.531128874; # of 1 2 2, 2 1 3, 2 3 5; otherwise of the author's matrix
    ok($status == 0 && $least <= $lambda + 1e-6 && $largest >= $lambda - 1e-6, "$form: lambda lies within $least and $largest");
}

my $lapack = "$folder/lapack";
my $has_lapack = !(run('gcc', "$root/tests/steps/lapack.c", '-o', $lapack, qw(-llapacke -lm)))[0];
srand 5;
for my $n ($test_all ? (1, 2, 7, 40, 101) : 7) {
    for my $density ($test_all ? 1 : (), 0.3) {
        my @rows = map { [ map { rand() < $density ? sprintf('%.6f', rand 10) : 0 } 1 .. $n ] } 1 .. $n;
        $rows[$_][ ($_ + 1) % $n ] ||= '0.5' for 0 .. $n - 1; # a circle through all rows makes the matrix irreducible
        $rows[0][0] ||= '0.25'; # an element on the diagonal prevents a period
        my @entries = map { my $r = $_; map { $rows[$r][$_] > 0 ? join(' ', $r + 1, $_ + 1,
            $rows[$r][$_]) : () } 0 .. $n - 1 } 0 .. $n - 1;
        my $file = spew("$folder/random.mtx", "%%MatrixMarket matrix coordinate real general\n$n $n " . @entries . "\n"
                . join('', map { "$_\n" } @entries));
    SKIP: {
            skip 'no LAPACK: liblapacke-dev', 1 unless $has_lapack;
            spew("$folder/plain", join ' ', $n, map { unpack 'f', pack 'f', $_ } map { @$_ } @rows);
            my ($lambda) = (run('sh', '-c', '"$0" <"$1"', $lapack, "$folder/plain"))[1] =~ /(\S+)/;
            for my $version ('ours', $test_all ? 'v2' : ()) {
                my ($status, $rounds, $least, $largest) = solve('--matrix', $file, '--version', $version);
                my $slack = 1e-8 * $lambda; # nine digits are printed
                ok($status == 0 && $least - $slack <= $lambda && $lambda <= $largest + $slack
                    && $largest - $least <= 3e-5 * $lambda,
                    "random, n = $n, density $density, $version: LAPACK's $lambda lies within $least and $largest")
                    or diag("exit $status, rounds $rounds");
            }
        }
    }
}

# ---- files that contain no valid matrix
my $head = "%%MatrixMarket matrix array real general\n";
my $list = "%%MatrixMarket matrix coordinate real general\n";
for (choose_some(
    [ 'a negative entry', "$list% here\n3 3 4\n1 1 1\n2 3 -4\n3 2 1\n2 2 1\n",
        qr/, line 5: row 2, column 3 is -4: must not be negative$/ ],
    [ 'a negative entry of an array', "${head}2 2\n1\n2\n-0.5\n3\n",
        qr/, line 5: row 1, column 2 is -0\.5: must not be negative$/ ],
    [ 'a negative entry too small for a double', "${head}1 1\n-1e-400\n",
        qr/, line 3: row 1, column 1 is -1e-400: must not be negative$/ ],
    [ 'hexadecimal', "${head}1 1\n0x10\n", qr/, line 3: '0x10': must be one number, for row 1, column 1$/ ],
    [ 'NaN', "${head}2 2\n1\n2\nnan\n3\n", qr/, line 5: row 1, column 2 is nan: must be a number/ ],
    [ 'infinity', "${head}2 2\n1\n2\n1e99\n3\n", qr/, line 5: row 1, column 2 is 1e99: must be a number that a float can hold$/ ],
    [ 'no number', "${head}2 2\n1\nx\n", qr/, line 4: 'x': must be one number, for row 2, column 1$/ ],
    [ 'two numbers', "${head}2 2\n1 2\n", qr/, line 3: '1 2': must be one number, for row 1, column 1$/ ],
    [ 'not square', "${head}3 4\n", qr/, line 2: 3 rows and 4 columns: must be square$/ ],
    [ 'truncated', "${head}2 2\n1\n2\n3\n", qr/, line 5: the file ends after 3 of 4 entries$/ ],
    [ 'truncated before its sizes', $head, qr/, line 1: the file ends before its sizes$/ ],
    [ 'too long', "${head}1 1\n1\n2\n", qr/, line 4: more than 1 entries$/ ],
    [ 'an all-zero row', "$list% 2 is missing\n3 3 3\n1 1 1\n3 3 2\n1 2 7\n",
        qr/: row 2 has only zeros, but the algorithm divides by its sum$/ ],
    [ 'a row too small', "${head}1 1\n1e-42\n", qr/: row 1 adds up to .*: must be from .* to .*, for floats$/ ],
    [ 'an entry twice', "${list}2 2 3\n1 1 1\n2 2 2\n1 1 3\n", qr/, line 5: row 1, column 1 occurs twice$/ ],
    [ 'out of range', "${list}2 2 1\n3 1 1\n",
        qr/, line 3: '3 1 1': must be row, column and value, with row and column from 1 to 2$/ ],
    [ 'above the diagonal', "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
        qr/: a symmetric file has row >= column$/ ],
    [ 'complex', "%%MatrixMarket matrix array complex general\n", qr/, line 1: field 'complex': must be real or integer$/ ],
    [ 'pattern', "%%MatrixMarket matrix coordinate pattern general\n", qr/, line 1: field 'pattern': must be real or integer$/ ],
    [ 'skew', "%%MatrixMarket matrix array real skew-symmetric\n",
        qr/: symmetry 'skew-symmetric': must be general or symmetric$/ ],
    [ 'more entries than a symmetric matrix has', "%%MatrixMarket matrix coordinate real symmetric\n3 3 7\n",
        qr/, line 2: '3 3 7': .* from 1 to 6$/ ],
    [ 'an entry too small for a double', "${list}2 2 2\n1 1 1e-400\n2 2 0.5\n",
        qr/, line 3: row 1, column 1 is 1e-400: too small for a float$/ ],
    [ 'an entry too small for a float', "${head}1 1\n0.001e-50\n",
        qr/, line 3: row 1, column 1 is 0\.001e-50: too small for a float$/ ],
    [ 'no symmetry', "%%MatrixMarket matrix coordinate real\n2 2 1\n1 1 1\n",
        qr/, line 1: its symmetry, general or symmetric, is missing$/ ],
    [ 'no form', "%%MatrixMarket matrix\n2 2 1\n", qr/, line 1: its form, array or coordinate, is missing$/ ],
    [ 'no symmetry, but two blanks', "%%MatrixMarket  matrix\tarray real \n1 1\n1\n", qr/, line 1: its symmetry, .* is missing$/ ],
    [ 'a byte order mark of UTF-16', "\xFF\xFE%\0%\0M\0", qr/, line 1: begins with a byte order mark: / ],
    [ 'a byte order mark', "\xEF\xBB\xBF${head}1 1\n1\n", qr/, line 1: begins with a byte order mark: / ],
    [ 'lines that end with a CR alone', "${head}1 1\n1\n" =~ tr/\n/\r/r, qr/, line 1: its lines end with a CR alone: / ],
    [ 'a fraction among integers', "%%MatrixMarket matrix array integer general\n1 1\n1.5\n", qr/, line 3: '1\.5': .* says integer$/ ],
    [ 'empty', '', qr/, line 1: must begin with "%%MatrixMarket matrix"/ ],
    [ 'no sizes', "${head}many\n", qr/, line 2: 'many': must begin with rows and columns/ ],
    [ 'no rows', "${head}0 0\n", qr/, line 2: '0 0': must begin with rows and columns, from 1/ ],
    [ 'larger than the device', "${list}1000000 1000000 1\n1 1 1\n",
        qr/^step12: a matrix of 1000000 x 1000000 needs .* GiB, but this device/ ],
    [ 'a byte 0 in the last line', "${head}1 1\n1\0 2", qr/, line 3: longer than 1024 characters, or not text/ ],
    [ 'a byte 0 after the last line', "${head}1 1\n1\n\0", qr/, line 4: longer than 1024 characters, or not text/ ],
    [ 'a byte 0 in the first line', $head =~ s/\n/\0x\n/r . "1 1\n1\n", qr/, line 1: longer than 1024 characters, or not text/ ],
    [ 'a first line that is too long', $head =~ s/\n/' ' x 1024 . "\n"/er . "1 1\n1\n",
        qr/, line 1: longer than 1024 characters, or not text/ ],
    [ '100 MB of garbage', 'x' x 100_000_000, qr/, line 1: must begin with/ ],
    [ '100 MB of garbage after a header', $head . "\0y" x 50_000_000, qr/, line 2: longer than 1024 characters, or not text/ ],
)) {
    my ($what, $text, $says) = @$_;
    my ($status, $out, $err) = run($step, '--matrix', spew("$folder/bad.mtx", $text));
    ok($status == 2 && $out eq '' && $err =~ $says && $err =~ /^[^\n]+\n\z/,
        "$what: exit 2, one line") or diag("exit $status\n$out", substr $err, 0, 500);
}

# ---- options
for (choose_some(
    [ [qw(--matrix nowhere.mtx)], qr/neither hilbert nor random, nor a file/ ], [ [ '--matrix', $folder ],
        qr/not an ordinary file/ ],
    [ [qw(--n 0)], qr/--n '0' is not valid: .* at least 1/ ], [ [qw(--n 12x)], qr/--n '12x' is not valid/ ], [ [qw(--n 2^20)],
        qr/needs .* GiB, but this device/ ],
    [ [qw(--n 2^40)], qr/--n '1099511627776': must be a number from 1 to 2\^30$/ ], [ [ '--n', '16,' ], qr/--n '16,' is not valid/ ],
    [ [qw(--stop never)], qr/must be article or bounds/ ], [ [qw(--tolerance 0)], qr/must be a number above 0/ ],
    [ [qw(--tolerance nan)], qr/must be a number above 0/ ], [ [qw(--max-rounds 0)], qr/must be at least 1 and/ ],
    [ [qw(--max-rounds 1000001)], qr/must be a number from 1 to 1000000$/ ],
    [ [qw(--version v3)], qr/no such version/ ], [ [qw(--seed -1)], qr/ and below 2\^32$/ ], [ [qw(--device nobody)],
        qr/no device/ ],
    [ [qw(--group 2^20)], qr/--group/ ], [ [qw(--wrong)], qr/no such option/ ], [ [qw(--check --n 3)], qr/--check has its own/ ],
    [ [qw(--seed 0)], qr/--seed '0' is not valid: .* at least 1 and below/ ],
    [ [qw(--check --seed 1)], qr/--check has its own .*--seed has no effect there$/ ],
    [ [qw(--check --stop article)], qr/--check has its own .*--stop has no effect there$/ ],
    [ [ qw(--n 3 --matrix), "$folder/array.mtx" ], qr/the size of this matrix is in its file/ ], [ [qw(--subgroups x)],
        qr/must be one of intel/ ],
    [ [qw(--n 4 --out /dev/null/x)], qr/cannot create this folder/ ],
)) {
    my ($options, $says) = @$_;
    my ($status, $out, $err) = run($step, @$options);
    ok($status == 2 && $err =~ $says && $err =~ /^step12: [^\n]+\n\z/,
        "@$options: exit 2, one line") or diag("exit $status\n$err");
}
for (qw(--help --list --variants)) {
    my ($status, $out, $err) = run($step, $_);
    ok($status == 0 && $out =~ /\n/ && $err eq '', "$_: exit 0");
}

# ---- kernels that are wrong on purpose: step 12 must notice it, exit 1
for (choose_some(
    [ v0 => 'beyond/12_next_matrix', '? sums[column]', '? sums[column % get_local_size(0)]' ], # as printed in the article
    [ v0 => 'beyond/12_row_sums_v0', 'column < n', 'column < n - 1' ], [ v1 => 'beyond/12_row_sums_v1', 'lane() == 0',
        'lane() < 2' ],
    [ v2 => 'beyond/12_row_sums_v2', 'shared = identity()', 'shared = 1' ], [ v1 => 'beyond/12_eigenvector', 'sums[i] / shared',
        'shared / sums[i]' ],
    [ two_pass => 'beyond/12_row_sums', 'i < end;', 'i + 1 < end;' ], [ two_pass => 'beyond/12_next_rows', 'r[i] = y',
        'r[i] = x' ],
    [ ours => 'beyond/12_next_row_sums', 'fold(d)', 'fold(c)' ], [ ours => 'beyond/12_next_row_sums', 'a += w', 'a += f' ],
    [ ours => 'beyond/12_bounds', '[0] = -low', '[0] = high' ], [ ours => 'beyond/12_bounds', 'in[i] / high', 'high / in[i]' ],
    [ ours => 'beyond/12_stop', '(i + 1) % n', 'min(i + 1, n - 1)' ], [ v2 => '09_leader_local', 'combine_global(out',
        'if (get_group_id(0)) combine_global(out' ],
)) {
    my ($version, $file, $right, $wrong) = @$_;
    run('rm', '-r', "$folder/kernels") if -d "$folder/kernels";
    run('cp', '-r', "$root/kernels", "$folder/kernels");
    my $text = slurp("$folder/kernels/$file.cl");
    $text =~ s/\Q$right/$wrong/ or die "$file.cl has no $right any more\n";
    spew("$folder/kernels/$file.cl", $text);
    local $ENV{REDUCE_KERNELS} = "$folder/kernels";
    my ($status, $out, $err) = run($step, qw(--n 200 --group 64 --stop article --max-rounds 50 --version), $version,
        $file =~ /bounds/ && $right =~ /low/ ? qw(--stop bounds) : ());
    ok($status == 1 && $out =~ /^WRONG: /m && $out !~ /a round, wall/,
        "$file with $wrong: step 12 finds the mistake") or diag("exit $status\n$out$err");
}

# All row sums are slightly wrong, in their last digits.
if ($test_all) {
    run('cp', '-r', "$root/kernels", "$folder/little");
    for my $file (map { "$folder/little/beyond/12_$_.cl" } qw(row_sums next_row_sums)) {
        spew($file, slurp($file) =~ s/(sums\[row \+ k\] =) sum;/$1 sum * (1 + n * 5e-8f);/r);
    }
    local $ENV{REDUCE_KERNELS} = "$folder/little";
    my ($status, $out) = run($step, '--check');
    ok($status == 1 && $out =~ /^not ok \d+ - hilbert, n = 4096/m, '--check finds row sums that are off by 2e-4') or diag($out);
}

# ---- no convergence: the program prints the bounds that it reached, and they are right. `make test` tries one of these matrices.
for (choose_some(
    [ 'with a period', 2, '0 1;4 0' ], [ 'reducible, with a period', 2, '0 1 0;4 0 0;0 0 1' ], [ 'a triangle', 2, '2 10;0 1' ]
)) {
    my ($what, $lambda, $rows) = @$_;
    my @rows = map { [ split ' ' ] } split /;/, $rows;
    my @cells = map { my $column = $_; map { $_->[$column] } @rows } 0 .. $#rows;
    my $file = spew("$folder/odd.mtx", join "\n", '%%MatrixMarket matrix array real general', @rows . ' ' . @rows, @cells, '');
    my ($status, $out) = run($step, '--matrix', $file);
    my ($least, $largest) = $out =~ /for certain from (\S+) to (\S+);/;
    ok($status == 1 && $out !~ /WRONG|nan/ && $out =~ /a round, wall/ && $least <= $lambda && $largest >= $lambda
        && $largest <= 4.001,
        "$what: exit 1, lambda from $least to $largest") or diag("exit $status\n$out");
}
if ($test_all) {
    my $file = spew("$folder/odd.mtx", "%%MatrixMarket matrix array real general\n2 2\n1e-30\n1e30\n1e-30\n1e30\n");
    my ($status, undef, $err) = run($step, '--matrix', $file);
    ok($status == 2 && $err =~ /^step12: in round 1 a row sum is more than a float holds: [^\n]+\n\z/,
        'rows that differ too much: exit 2, one line')
        or diag("exit $status\n$err");
}
if ($test_all) {
    my $two = spew("$folder/blocks.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n2 2 1\n2 3 1\n3 2 1\n3 3 1\n");
    my ($status, $rounds, $least, $largest) = solve('--matrix', $two, qw(--max-rounds 200));
    ok($status == 1 && $rounds == 200 && $least <= 2 && $largest >= 2, "two blocks: exit 1, lambda from $least to $largest");
}
my ($status, $rounds, $least, $largest) = solve(qw(--n 100 --max-rounds 2));
ok($status == 1 && $rounds == 2 && $least < 2.18 && $largest > 2.2, "stopped early: exit 1, lambda from $least to $largest");

# ---- data files: complete, with a row for everything that the charts show
my @sizes = (33, $test_all ? 64 : ());
($status) = run($step, '--n', join(',', @sizes), qw(--version all --stop article --out), "$folder/data");
is($status, 0, '--version all --out');
my %rows = map { $_ => scalar(() = slurp("$folder/data/12_$_.dat") =~ /^\w+ .*\d/mg) } qw(parts solve);
is("$rows{solve} $rows{parts}", join(' ', @sizes * 5, @sizes * (2 * 4 + 3 * 5)),
    'a row for each n and version, and for each of their parts');
my @ends = map { slurp($_) =~ /^([^\n]*)\n\z/m } find_files("$folder/data", '12_*.dat');
is("@ends", '# end # end # end', 'the last line of each file says that the file is complete');
is((run('sh', '-c', 'ls -A "$0" | grep -v "^12_[a-z]*[.]dat$"', "$folder/data"))[1], '', 'no half-written file is left');

# ---- make article-eigen
if ($test_all) {
    local @ENV{qw(N RESULTS DEVICE)} = ('garbage', "$folder/refused", $cpu->{number});
    my ($status, undef, $err) = run("$root/plots/measure.py", 'eigen');
    ok($status == 2 && $err =~ /^step12: --n 'garbage' is not valid: [^\n]+\n\z/ && !-e "$folder/refused",
        'N=garbage: one line, exit 2, no file is written')
        or diag("exit $status\n$err");
}
SKIP: {
    skip 'only make test-all tries it, and it needs gnuplot', 2 unless $test_all && has_tool('gnuplot');
    local @ENV{qw(N RESULTS DEVICE)} = ('64,97', "$folder/drawn", $cpu->{number});
    my ($status, $out, $err) = run("$root/plots/measure.py", 'eigen');
    is($status, 0, 'N=64,97: exit 0') or diag("$out$err");
    is(join(' ', map { m{([^/]+)$} } find_files("$folder/drawn", '*.svg')), 'eigen_bounds.svg eigen_parts.svg eigen_total.svg',
        '... three pictures');
}

done_testing();
