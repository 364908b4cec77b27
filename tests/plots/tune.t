#!/usr/bin/perl
# make tune must measure and verify all geometries, among them the default, and its summary must agree with its data.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('a minute');
my ($measure, $table) = map { "$root/plots/$_.py" } qw(measure table);
my ($cpu) = sort { ($b->{name} =~ /pocl/i) <=> ($a->{name} =~ /pocl/i) } grep { $_->{kind} eq 'CPU' } list_devices();
my @columns = qw(variant width by group groups groups_per_unit rounds GBps GBps_min GBps_max percent_of_limit
    percent_of_best best_min best_max);

# Calls make tune's command with these settings, and with STEP, RESULTS and DEVICE.
sub tune {
    my ($settings, @rest) = @_;
    my @named = map { "$_=" . (shift @rest // '') } qw(STEP RESULTS DEVICE);
    my ($status, $out, $err) = run('env', 'ROW_SECONDS=0', 'N=2^12', 'ROUNDS=1', @$settings, @named, $measure, 'tune');
    return ($status, $out, $err =~ s/^step\d\d --.*\n//mgr); # without the lines that show the called commands
}

# ---- wrong use: one line, before any measurement
my $results = make_folder() . '/results';
for (
    [ 'no STEP',        [], '' ],
    [ 'STEP=seven',     [], 'seven' ],
    [ 'STEP=99',        [], '99' ],
    [ 'N=many',         ['N=many'], '06' ],
    [ 'two numbers in N',         ['N=1000,2000'], '06' ],
    [ 'ROUNDS=0',       ['ROUNDS=0'], '06' ],
    [ 'ROUNDS=x',       ['ROUNDS=x'], '06' ],
    [ 'ROW_SECONDS=x',  ['ROW_SECONDS=x'], '06' ],
    [ 'RESULTS without DEVICE',  [], '06', $results, '' ],
    $cpu ? [ 'a folder that cannot be made', [], '06', "$0/results", $cpu->{number} ] : (),
    [ 'no such device', [], '06', $results, 'nosuch' ],
    $cpu ? map { [ "step $_ takes no --groups", [], $_, $results, $cpu->{number} ] } qw(01 05) : ()
) {
    my ($what, @rest) = @$_;
    my ($status, $out, $err) = tune(@rest);
    is("$status $out", '2 ', "$what: exit 2");
    like($err, qr/\A[^\n]+\n\z/, "$what: one line");
}
ok(!-e $results, 'no file is written');

# ---- step 06, from the command to the data and the picture
sub read_rows { # the header of a data file, its columns, and its rows as hashes
    my (%about, @names, @rows);
    for (split /\n/, slurp($_[0])) {
        if (/^# ([^:;]+): (.*)/) { $about{$1} = $2; next }
        next if /^#/;
        my @fields = split ' ';
        @names = @fields, next unless @names;
        push @rows, { map { $names[$_] => $fields[$_] } 0 .. $#names };
        push @rows, {} if @fields != @names; # an empty row makes the tests below fail
    }
    return (\%about, \@names, \@rows);
}

SKIP: {
    skip 'no CPU device', 1 unless $cpu;
    my ($status, $out, $err) = tune([], '06', $results, $cpu->{number});
    is($status, 0, 'step 06: exit 0') or diag($out, $err);
    my ($about, $names, $rows) = read_rows("$results/tune/step06.dat");
    is("@$names", "@columns", 'the columns of the data file');
    like(slurp("$results/tune/step06.dat"), qr/^# end\n\z/m, '... which ends with # end');
    ok(index(slurp("$root/plots/results/README.md") =~ s/\s+/ /gr, "`@columns`") > 0, 'plots/results/README.md lists these columns');
    is("$about->{step}, $about->{n}, $about->{rounds}", '06 two_stage, 4096, 1', 'the header contains step, n and rounds');
    is($about->{device} =~ tr/#//dr, $cpu->{name}, '... and the device');
    my @sizes = split ' ', $about->{'group sizes'};
    for my $variant (qw(commutative associative)) {
        my @own = grep { $_->{variant} eq $variant } @$rows;
        is(scalar @own, 1 + 6 * @sizes, "$variant: a row for the default and for each geometry");
        my %seen = map { ("$_->{by} $_->{group} $_->{groups_per_unit}" => 1) } @own;
        is(scalar keys %seen, scalar @own, "$variant: each occurs once");
        my ($default) = grep { $_->{by} eq 'step' } @own;
        is("$default->{group} $default->{groups_per_unit}", '256 8', "$variant: the default's geometry");
    }
    is(scalar(grep { !($_->{GBps} > 0 && $_->{GBps_min} == $_->{GBps} && $_->{rounds} == 1) } @$rows), 0, 'every row has speeds');
    is(scalar(grep { $_->{groups} != $_->{groups_per_unit} * $about->{'compute units'} } @$rows), 0,
        'groups = groups_per_unit x compute units');
    my ($best) = sort { $b->{GBps} <=> $a->{GBps} } @$rows;
    is($best->{percent_of_best}, 100, 'the fastest row has 100 % of the best');
    my @off = grep { abs($_->{percent_of_best} - 100 * $_->{GBps} / $best->{GBps}) > 0.1 } @$rows;
    is(scalar @off, 0, 'percent_of_best agrees with the speeds');
    like($out, qr{^best of all: $best->{variant}, $best->{groups_per_unit}/unit x $best->{group}, \Q$best->{GBps}\E GB/s$}m,
        'the output names the best geometry');
    my $share = sprintf '%.1f', $rows->[0]{percent_of_best};
    like($out, qr{^default: commutative, 8/unit x 256, $share % of it \([\d.]+-[\d.]+\): one round only$}m,
        "... and the share of it that the default reaches");
    is(join("\n", grep { length > 80 } grep { !/^on |^picture/ } split /\n/, $out), '', 'the output has at most 80 columns');
SKIP: {
        skip 'no gnuplot', 1 unless has_tool('gnuplot');
        ok(-e "$results/tune_06.svg", 'a picture is drawn');
    }

    # ---- a step with a fixed group size: only the number of groups varies
    ($status, $out, $err) = tune([], '08', $results, $cpu->{number});
    is($status, 0, 'step 08: exit 0') or diag($out, $err);
    ($about, undef, $rows) = read_rows("$results/tune/step08.dat");
    is($about->{'group sizes'}, 1, 'the only group size is 1');
    is(join(' ', map { "$_->{variant} $_->{groups_per_unit}" } grep { $_->{by} eq 'tuner' } @$rows),
        join(' ', map { my $variant = $_; map { "$variant $_" } 1, 2, 4, 8, 16, 32 } qw(groups vectorised)),
        'the variants that take --groups, each with every number of groups');

    # ---- a step with several widths: each width gets all geometries, and the output names the width
    ($status, $out, $err) = tune([], '07', $results, $cpu->{number});
    is($status, 0, 'step 07: exit 0') or diag($out, $err);
    ($about, undef, $rows) = read_rows("$results/tune/step07.dat");
    is(join(' ', map { "$_->{variant} $_->{width}" } grep { $_->{by} eq 'step' && $_->{variant} eq 'vector' } @$rows),
        'vector 4 vector 1 vector 2 vector 8 vector 16', 'the default comes first, then its geometry with every other width');
    my %seen = map { ("$_->{by} $_->{width} $_->{group} $_->{groups_per_unit}" => 1) } grep { $_->{variant} eq 'vector' } @$rows;
    is(scalar keys %seen, 5 * (1 + 6 * split ' ', $about->{'group sizes'}), 'each width has every geometry');
    like($out, qr{^default: vector of width 4, 8/unit x 256, }m, 'the output names the default with its width');

    # ---- without gnuplot: data, no picture, and a line that says so
    ($status, $out, $err) = tune([ 'PATH=' . hide_tools('gnuplot') ], '6', "$results 2", $cpu->{number});
    is($status, 0, 'without gnuplot: exit 0') or diag($out, $err);
    ok(-e "$results 2/tune/step06.dat" && !-e "$results 2/tune_06.svg", '... data, but no picture');
    like($out, qr/^data; pictures need gnuplot: /m, '... and one line says why');

    # ---- a wrong kernel: exit 1, no data
    my $kernels = make_folder() . '/kernels';
    run('cp', '-r', "$root/kernels", $kernels);
    (my $text = slurp("$kernels/06_two_stage.cl")) =~ s/i < n;/i < n - 1;/ or fail('06_two_stage.cl has no such loop any more');
    spew("$kernels/06_two_stage.cl", $text);
    ($status, $out, $err) = tune(["REDUCE_KERNELS=$kernels"], '06', "$results 3", $cpu->{number});
    is($status, 1, 'a wrong kernel: exit 1');
    like($err, qr/^WRONG/m, '... a line says so');
    ok(!-e "$results 3", '... and no data is written');
}

# ---- the last line of the output compares the default with the best geometry, over all rounds
my $head = "# step: 06 two_stage\n# operator: sum\n# type: int\n# device: a [B] / c\n# rounds: 3\n"
    . "# n: 4096\n# group sizes: 1 4\n@columns\n";
for (
    [ 'slower',           [ 256, 8, 50, '80 70 90' ],  [ 4, 1, 60, '100 100 100' ] ],
    [ 'within the noise', [ 256, 8, 50, '80 70 103' ], [ 4, 1, 60, '100 100 100' ] ],
    [ 'within the noise', [ 256, 8, 50, '80 70 90' ],  [ 256, 8, 55, '91 80 101' ], [ 4, 1, 60, '100 100 100' ] ],
    [ 'the same',         [ 256, 8, 50, '99 90 99' ],  [ 256, 8, 60, '100 100 100' ] ],
    [ 'the same',         [ 256, 8, 60, '100 100 100' ], [ 4, 1, 50, '80 70 90' ] ],
) {
    my ($verdict, @rows) = @$_;
    my ($by, $text) = ('step', $head);
    for (@rows) {
        $text .= "commutative 1 $by $_->[0] 16 $_->[1] 3 $_->[2] 1 99 50 $_->[3]\n";
        $by = 'tuner';
    }
    my ($status, $out, $err) = run($table, '--tune', spew(make_folder() . '/tune.dat', "# rows: @{[scalar @rows]}\n$text"));
    is("$status $err", '0 ', "table.py --tune: exit 0");
    like($out, qr/^default: .*: $verdict$/m, "rounds of @{[map { $_->[3] } @rows]}: $verdict");
}
my ($status, $out, $err) = run($table, '--tune', "$root/README.md");
is("$status $out", '2 ', 'a file that is no data of make tune: exit 2');
like($err, qr/\A[^\n]+\n\z/, '... and one line');

done_testing();
