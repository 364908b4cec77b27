#!/usr/bin/perl
# Every published kernel is found by its name: in plots/published/README.md, with a command that runs; and what
# --variants prints is in there too, beside that command. Then make article-*: data, a picture, or one clear line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

# All that the articles publish: PERI's repository and Jin's have kernels of their own.
my %published = (
    PERI => [ qw(ComputeSerial reductionAtomics1 reductionAtomics2 reductionAtomics3), 'tree reduction',
        'built-in reduction operator', qw(multiBlockInterleavedReduction multiBlockInterleavedReductionVector) ],
    'PERI-CODE' => [ qw(multiBlockInterleavedReduction multiBlockInterleavedReductionVector),
        'tree into a buffer, never called', 'tree with an atomic, never called' ],
    GUIDE => [ (map { "ComputeParallel$_" } 1 .. 9), 'TreeReduction1', 'TreeReduction2' ],
    JIN => [ map { "reduce_$_" } qw(gmem lmem lmem_v2 lmem_v4 lmem_v8 lmem_v16 baseline) ],
    'JIN-REPO' => [ qw(atomic_reduction _v2 _v4 _v8 _v16) ],
    CODEPLAY => [ 'reduction sample' ],
    EIGEN => [ (map { ("Max v$_", "RowSum v$_") } 0 .. 2), 'EigenVec v0', 'EigenVec v1', 'NextMatrix', 'Stop' ],
    CATZ => [ 'sequential C', (map { ("$_ tree, one stage", "recursive multi-stage, $_") } qw(associative commutative)),
        'two-stage', 'two-stage, float4', 'two-stage associative', 'atomics finish', 'CPU block kernel',
        'CPU block kernel, 1 group', 'CPU block kernel, vectorised' ],
);

# ---- the tables, and the variants that there are
my ($chapter) = slurp("$root/plots/published/README.md") =~ /\A# Every published kernel\n(.*?)(?=^## )/ms or die "no such chapter\n";
my (%command, $article, @strange); # article -> name -> command, "" where it has none
for (split /\n/, $chapter) {
    next unless /^\| /;
    my (undef, $name, $command, $different, @more) = split / *\| */, $_, -1;
    if ($command eq 'command') {
        ($article) = $name =~ /^([A-Z-]+): / or push @strange, "heading: $_";
    } elsif ($name ne '---') {
        my ($call) = $command =~ m{^`(\./step\d\d( --\w+ [\w:]+)*)`$};
        push @strange, "a row: $_" if @more != 1 || !$article || !$call && $command ne 'outside the ladder';
        push @strange, "twice: $_" if exists $command{$article}{$name};
        $command{$article}{$name} = $call // '';
    }
}
is("@strange", '', 'its tables can be read');

my (%printed, %main); # step -> variant -> its names in the articles; step -> the variant that runs without --variant
for my $step (@steps, @capstones) {
    for (split /\n/, (run("$root/step$step", '--variants'))[1]) {
        my ($variant, $names) = /^(\w+) +(?:[\w\/]+\.cl|-) *(.*)/ or die "step$step --variants: $_\n";
        $main{$step} //= $variant;
        $printed{$step}{$variant} = $names;
    }
}
sub runs { # step and variant of a command
    my ($step) = $_[0] =~ /step(\d\d)/ or return '';
    return "$step " . ($_[0] =~ /--(?:variant|version) (\w+)/ ? $1 : $main{$step});
}

# ---- names: those of the articles, and those that --variants prints
for my $article (sort keys %published) {
    ok(exists $command{$article}{$_}, "$article: $_ is in the table") for @{ $published{$article} };
}
for my $step (@steps, @capstones) {
    for my $variant (sort keys %{ $printed{$step} }) {
        for (split / *[;=] | \((?=.*\)$)/, $printed{$step}{$variant}) {
            my ($id, $rest) = /^([A-Z]{3}[A-Z-]*)(?:: (.*))?$/ or next; # else a remark, as in (left there as an exercise)
            $rest =~ s/(?<!\()\)$// if defined $rest;
            my $rows = $command{$id} // {};
            my @names = !defined $rest ? () : exists $rows->{$rest} ? $rest : split /, /, $rest;
            my @here = grep { runs($rows->{$_}) eq "$step $variant" } keys %$rows;
            my @lost = grep { my $name = $_; !grep { $_ eq $name } @here } @names;
            ok(@here && !@lost, "step$step --variants, $variant: $_ is in the table, with that command");
        }
    }
}

# ---- commands: each names what there is; and runs, with what check_*.t does not run a variant with
my %seen;
for my $call (grep { length && !$seen{$_}++ } map { @$_{ sort keys %$_ } } @command{ sort keys %command }) {
    my ($step, $variant) = split / /, runs($call);
    ok(exists $printed{$step}{$variant}, "$call: there is such a variant") or next;
    next unless $test_all && $call =~ /--(group|groups|width|subgroups) /;
    my ($status, $out, $err) = run("$root/" . substr($call, 2, 6), split(' ', substr $call, 8), qw(--n 1000 --seconds 0));
    ok($status == 0 || $status == 77, "$call: runs, or says why it cannot here") or diag($out, $err);
}

# ---- make article-*, in test-all
my %machines = ( # that a chart names, and what it compares by
    peri => [ 'Intel HD Graphics 630, n = 2^29', 'Intel Iris Xe, n = 2^29', 'times as fast as reductionAtomics1 on the same' ],
    jin  => [ 'Xeon E3-1284L v4, Intel', 'Xeon E3-1284L v4, Codeplay', 'Iris Pro P6300, Intel', 'Iris Pro P6300, Codeplay',
        'times as fast as reduce_gmem on the same', '*: not verified according to the poster' ],
    catz => [ 'Radeon HD 5870: 157.6 GB/s', 'Phenom II X4 965: 21.3 GB/s', 'percent of the rate at which the same machine can' ],
);
my @unverified = slurp("$root/plots/published/jin.dat") =~ /^(\w+ \w+ \d+ \w+) \S+ \d+ no$/mg;
is("@unverified", 'CPU Intel 512 reduce_lmem_v16 CPU Intel 512 reduce_baseline CPU Codeplay 512 reduce_baseline '
    . 'GPU Intel 256 reduce_baseline', "the poster's four asterisks");
my ($pocl) = grep { $_->{name} =~ /pocl/i } devices();
if ($test_all) {
    local @ENV{qw(DEVICE RESULTS OP TYPE N ROW_SECONDS)} = (0, temporary() . '/minima', 'min', 'float', '2^10..2^11', 0);
    my ($status, $out, $err) = run("$root/plots/measure.py", 'steps');
    is("$status$out", "0data: $ENV{RESULTS}\n", 'plots of another operator: data, which is said; no picture, no ladder') or diag($err);
    is(scalar(() = glob "'$ENV{RESULTS}'/*.min.float.dat"), scalar @steps, '... of each step');
}
for my $article ($test_all ? qw(peri jin catz) : ()) {
    my @measure = ("$root/plots/measure.py", $article);
    local $ENV{DEVICE} = $pocl ? 'pocl' : 0;
    for my $n ('garbage', '0', '2^99', '2^39', '1,2', '1 2') {
        local @ENV{qw(N RESULTS)} = ($n, temporary() . '/refused');
        my ($status, $out, $err) = run(@measure);
        my @said = grep { !/^step\d\d --variant/ } split /\n/, $err; # what is called
        ok($status == 2 && @said == 1 && $said[0] =~ /^measure\.py: N=\Q$n\E: |^step\d\d: n = \d+: / && !-e $ENV{RESULTS},
            "$article, N=$n: one line, exit 2, nothing written") or diag("exit $status\n", $err);
    }
SKIP: {
        skip 'no pocl, or no gnuplot', 5 unless $pocl && have('gnuplot');
        my $into = temporary() . "/$article here";
        local @ENV{qw(N RESULTS)} = ('2^12', $into);
        my ($status, $out, $err) = run(@measure);
        is($status, 0, "$article, N=2^12: exit 0") or diag($out, $err);
        my @rows  = $out =~ /^\d\d \w+(?: x\d+)? +4096 /mg;
        my @gone  = $err =~ /^step\d\d: \w+ is not supported here: this device \S/mg;
        my @files = glob "'$into/article-$article'/*.dat";
        is(@rows + @gone, 7, "$article: seven kernels measured, or it says why not");
        my %measured = map { $_ => 1 } map { /^(\d\d \w+)/ } @rows; # widths of one variant are in one file
        is(scalar @files, scalar keys %measured, "$article: data for each that was measured");
        my $picture = slurp("$into/article_$article.svg") =~ s/<[^>]*>//gr; # only what is written in it
        my @missing = grep { index($picture, $_) < 0 } @{ $machines{$article} }, 'this device, n = 2^12';
        is("@missing", '', "$article: a picture of it, that says of what, and how compared");
        my $marked = () = $picture =~ /^\s*[\d.]+ \*/mg;
        is($marked, $article eq 'jin' ? 4 : 0, "$article: asterisks as published");
    }
}


for my $text (qw(TUTORIAL.md README.md plots/results/README.md plots/peers/README.md plots/published/README.md)) {
    ok(-s "$root/" . ($text =~ s{[^/]*$}{$_}r), "$text: there is a picture $_") for slurp("$root/$text") =~ /!\[[^]]*\]\(([^)]+)\)/g;
}

done_testing();
