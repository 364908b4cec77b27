#!/usr/bin/perl
# Every published kernel has a row in plots/published/README.md, with a command that works. The names that --variants prints are
# in the same table, with the same command. Then make article-* must write data and a picture, or print one clear line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

# All published kernels. The repositories of PERI and of Jin contain further kernels beside those of the articles.
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

# ---- reads the tables, and the variants of the steps
my ($chapter) = slurp("$root/plots/published/README.md") =~ /\A# Every published kernel\n(.*?)(?=^## )/ms
    or die "no such chapter\n";
my (%command, $article, @faults); # %command: article -> name -> command, or '' if the ladder does not contain the kernel
for (split /\n/, $chapter) {
    next unless /^\| /;
    my (undef, $name, $command, $different, @more) = split / *\| */, $_, -1;
    if ($command eq 'command') {
        ($article) = $name =~ /^([A-Z-]+): / or push @faults, "heading: $_";
    } elsif ($name ne '---') {
        my ($call) = $command =~ m{^`(\./step\d\d( --\w+ [\w:]+)*)`$};
        push @faults, "a row: $_" if @more != 1 || !$article || !$call && $command ne 'outside the ladder';
        push @faults, "twice: $_" if exists $command{$article}{$name};
        $command{$article}{$name} = $call // '';
    }
}
is("@faults", '', 'the tables in plots/published/README.md have the expected form');

my (%printed, %main); # step -> variant -> its names in the articles; step -> the variant that runs without --variant
for my $step (@steps, @built_capstones) {
    for (split /\n/, (run("$root/step$step", '--variants'))[1]) {
        my ($variant, $names) = /^(\w+) +(?:[\w\/]+\.cl|-) *(.*)/ or die "step$step --variants: $_\n";
        $main{$step} //= $variant;
        $printed{$step}{$variant} = $names;
    }
}
sub find_variant { # the step and the variant of a command
    my ($step) = $_[0] =~ /step(\d\d)/ or return '';
    return "$step " . ($_[0] =~ /--(?:variant|version) (\w+)/ ? $1 : $main{$step});
}

# ---- the names in the articles, and the names that --variants prints
for my $article (sort keys %published) {
    ok(exists $command{$article}{$_}, "$article: $_ is in the table") for @{ $published{$article} };
}
for my $step (@steps, @built_capstones) {
    for my $variant (sort keys %{ $printed{$step} }) {
        for (split / *[;=] | \((?=.*\)$)/, $printed{$step}{$variant}) {
            # otherwise it is a remark, such as (left there as an exercise)
            my ($id, $rest) = /^([A-Z]{3}[A-Z-]*)(?:: (.*))?$/ or next;
            $rest =~ s/(?<!\()\)$// if defined $rest;
            my $rows = $command{$id} // {};
            my @names = !defined $rest ? () : exists $rows->{$rest} ? $rest : split /, /, $rest;
            my @here = grep { find_variant($rows->{$_}) eq "$step $variant" } keys %$rows;
            my @missing = grep { my $name = $_; !grep { $_ eq $name } @here } @names;
            ok(@here && !@missing, "step$step --variants, $variant: $_ is in the table, with a command for this variant");
        }
    }
}

# ---- each command names an existing variant. In test-all the test calls the commands whose options check.t does not try.
my %seen;
for my $call (grep { length && !$seen{$_}++ } map { @$_{ sort keys %$_ } } @command{ sort keys %command }) {
    my ($step, $variant) = split / /, find_variant($call);
    ok(exists $printed{$step}{$variant}, "$call: this variant exists") or next;
    next unless $test_all && $call =~ /--(group|groups|width|subgroups) /;
    my ($status, $out, $err) = run("$root/" . substr($call, 2, 6), split(' ', substr $call, 8), qw(--n 1000 --seconds 0));
    ok($status == 0 || $status == 77, "$call: exit 0, or 77 if it is not supported here") or diag($out, $err);
}

# ---- make article-*, in test-all
my %captions = ( # texts that the chart must contain: the machines, and the base of the comparison
    peri => [ 'Intel HD Graphics 630', 'Intel Iris Xe', 'n = 2^29', 'times as fast as reductionAtomics1 on the same' ],
    jin  => [ 'Xeon E3-1284L v4, Intel', 'Xeon E3-1284L v4, Codeplay', 'Iris Pro P6300, Intel', 'Iris Pro P6300, Codeplay',
        'times as fast as reduce_gmem on the same', '*: not verified (poster)' ],
    catz => [ 'Radeon HD 5870: 157.6 GB/s', 'Phenom II X4 965: 21.3 GB/s', 'percent of the rate at which the same machine can' ],
);
my @unverified = slurp("$root/plots/published/jin.dat") =~ /^(\w+ \w+ \d+ \w+) \S+ \d+ no$/mg;
is("@unverified", 'CPU Intel 512 reduce_lmem_v16 CPU Intel 512 reduce_baseline CPU Codeplay 512 reduce_baseline '
    . 'GPU Intel 256 reduce_baseline', "the poster's four asterisks");
my ($pocl) = grep { $_->{name} =~ /pocl/i } list_devices();
if ($test_all) {
    local @ENV{qw(DEVICE RESULTS OP TYPE N ROW_SECONDS)} = (0, make_folder() . '/minima', 'min', 'float', '2^10..2^11', 0);
    my ($status, $out, $err) = run("$root/plots/measure.py", 'steps');
    is("$status$out", "0data: $ENV{RESULTS}\n",
        'make plots with another operator: writes data and prints where, but no picture and no ladder') or diag($err);
    is(scalar(() = find_files($ENV{RESULTS}, '*.min.float.dat')), scalar @steps, '... a data file for each step');
}
for my $article ($test_all ? qw(peri jin catz) : ()) {
    my @measure = ("$root/plots/measure.py", $article);
    local $ENV{DEVICE} = $pocl ? 'pocl' : 0;
    for my $n ('garbage', '0', '2^99', '2^39', '1,2', '1 2') {
        local @ENV{qw(N RESULTS)} = ($n, make_folder() . '/refused');
        my ($status, $out, $err) = run(@measure);
        my @said = grep { !/^step\d\d --variant/ } split /\n/, $err; # without the lines that show the called commands
        ok($status == 2 && @said == 1 && $said[0] =~ /^measure\.py: N=\Q$n\E: |^step\d\d: n = \d+: / && !-e $ENV{RESULTS},
            "$article, N=$n: one line, exit 2, no file is written") or diag("exit $status\n", $err);
    }
SKIP: {
        skip 'no pocl, or no gnuplot', 5 unless $pocl && has_tool('gnuplot');
        my $into = make_folder() . "/$article here";
        local @ENV{qw(N RESULTS)} = ('2^12', $into);
        my ($status, $out, $err) = run(@measure);
        is($status, 0, "$article, N=2^12: exit 0") or diag($out, $err);
        my @rows  = $out =~ /^\d\d \w+(?: x\d+)? +4096 /mg;
        my @unsupported = $err =~ /^step\d\d: \w+ is not supported here: this device \S/mg;
        my @files = find_files("$into/article-$article", '*.dat');
        is(@rows + @unsupported, 7, "$article: seven kernels are measured, or a line says why not");
        my %measured = map { $_ => 1 } map { /^(\d\d \w+)/ } @rows; # one file contains all widths of a variant
        is(scalar @files, scalar keys %measured, "$article: a data file for each measured variant");
        my $picture = slurp("$into/article_$article.svg") =~ s/<[^>]*>//gr; # only the texts in the picture
        my @missing = grep { index($picture, $_) < 0 } @{ $captions{$article} }, 'this device, n = 2^12';
        is("@missing", '', "$article: the picture names the machines and the base of the comparison");
        my $marked = () = $picture =~ /^\s*[\d.]+ \*/mg;
        is($marked, $article eq 'jin' ? 4 : 0, "$article: as many asterisks as published");
    }
}

done_testing();
