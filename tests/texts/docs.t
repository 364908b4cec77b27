#!/usr/bin/perl
# What the texts show of the repository: each marker as plots/book/README.md says, all of them up to date in the texts, and
# in test-all what is wrong with a marker and every command of the tutorial and the README, run in a
# fresh clone.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

plan skip_all => 'no git' unless has_tool('git');

my $copy = copy_tree(qw(plots steps kernels common Makefile README.md TUTORIAL.md build), map { "step$_" } '00', @steps, @capstones);
my $docs = "$copy/plots/book/docs.py";
run('git', 'init', '-q', $copy);
spew("$copy/.gitignore", "/build/\n/step[0-9][0-9]\n");

my ($status, $out, $err) = run($docs, '--fast');
is("$status$out$err", '0', 'listings, diffs, tables, numbers and the words at pictures are up to date: make docs');

# ---- the tutorial's shape: the same parts in each chapter, of a length that is read in some minutes, with few new terms
my ($front, %chapters) = split /^## (.*)\n/m, slurp("$root/TUTORIAL.md") =~ s/^```.*?^```\n//msgr =~ s/^<!-- (diff|table|listing) .*?^<!-- \/\1 -->\n//msgr;
my @parts = ('Question', 'Predict', 'Run', 'Idea', 'Exercise', 'What changes', 'Why', 'Break it', 'Questions', 'Key points');
my $named = join '|', @parts;
my %explained = map { $_ => 1 } map { split /[,;] +/ } $chapters{Glossary} =~ /^\| (.*?) \|/mg;
my ($sum, @typed) = 0;
for my $title ('', sort keys %chapters) {
    my $text = $title ? $chapters{$title} : $front;
    my $prose = $text =~ s/<!--.*?-->//sgr =~ s/^(?:\||!\[).*\n//mgr =~ s/<\/?\w[^<>`]*>//gr;
    my $words = () = $prose =~ /\S*\w\S*/g;
    $sum += $words;
    push @typed, $text =~ s/<!-- number.*?<!-- \/number -->|^!\[.*\n.*\n|`[^`]*`//mgr =~ /[\d.]+\s(?:GB\/s|[mu]s|%)(?=[^\w-]|$)/mg;
    my @terms;
    while ($text =~ /((?:\A|\n)\n|)\*\*([^*]+)\*\*/g) { # what begins a paragraph, or is a part's name, is a label
        push @terms, $2 =~ s/\s+/ /gr unless $1 || $2 =~ /^(?:$named)\.?$/;
    }
    is(join(', ', grep { !$explained{$_} && !$explained{s/s\z//r} } @terms), '', "'$title': what is bold stands in the glossary");
    next unless $title =~ /^(?:\d\d |OpenCL C )/ && $title !~ /^00/; # 00 sets up
    cmp_ok(scalar @terms, '<=', 2, "$title: at most two new terms") or diag "@terms";
    ok($words >= 500 && $words <= 900, "$title: 500 to 900 words") or diag $words;
    my @has = $text =~ /^(?:\*\*|<details><summary><b>)($named)\./mg;
    my @second = $title =~ /^11/ ? ('Question', 'Run', 'Idea', 'Questions', 'Key points') : ();
    is("@has", "@parts @second" =~ s/ $//r, "$title: the parts, in order") if $title =~ /^(?:0[2-9]|1[01]) /;
}
cmp_ok($sum, '<=', 12_000, 'TUTORIAL.md: at most 12,000 words');
is("@typed", '14 ms 4.8 GB/s 99.6 % 3000 GB/s 3000 GB/s', 'times, rates and shares are typed in examples only; what was measured comes by markers');

spew("$copy/README.md", slurp("$copy/README.md") =~ s/^```console\n.*?^```\n//msgr); # its steps need not run each time

sub renew_text { # what docs.py makes of a text: its exit status, the text, what it says
    my ($text, @how) = @_;
    spew("$copy/TUTORIAL.md", $text);
    my ($is, undef, $said) = run($docs, @how ? @how : '--fast');
    return ($is, slurp("$copy/TUTORIAL.md"), $said);
}
sub make_block { my ($marker, $body) = @_; return "# A\n\n<!-- $marker -->\n$body<!-- /" . ($marker =~ /(\w+)/)[0] . " -->\n" }

# ---- each marker, with something old in it; all in one text, as docs.py reads all data each time
my $number = sub { "# A\n\nIt is <!-- number $_[0] -->old<!-- /number --> so.\n" };
my @markers = (
    [ 'listing kernels/06_two_stage.cl from="value all" to="all = combine"', qr/```opencl\nvalue all = .*;\nfor .*\n    all = .*;\n```\n/ ],
    [ 'listing kernels/06_two_stage.cl from="value all"', qr/```opencl\nvalue all = .*;\n```\n/ ],
    [ 'listing kernels/06_two_stage.cl from="value all" numbers', qr/```opencl\n 1\d  value all = .*;\n```\n/ ],
    [ 'listing steps/06_two_stage.c', qr/```c\n\/\* 06 two_stage\n.*^int main.*\}\n```\n/ms ],
    [ 'diff 06', qr/<details>\n<summary>.*make diff06.*against 05<.*^```diff\n.*^-.*^\+.*^```\n.*^```diff\n.*^<\/details>\n/ms ],
    [ 'diff 04', qr/<details>\n<summary>.*make diff04.*against 03<.*\n\n.*\n\n```diff\n(?:[ +-].*\n|\n)+```\n\nthe plan, .*\n\n<\/details>\n/ ], # a part without lines
    [ 'table steps="06 02_blocked" columns="GBps percent_of_limit wall_med" devices="pocl h200" n="2^27"',
        qr/\| step, n = 2\^27 \| pocl: GB\/s \|.*\n\| ---.*\n\| 06 two_stage \| 0\.\d+ \| \d\.\d \| \d+ ms \| 2\d{3} \| 5\d\.\d \| \d+ us \|\n\| 02 atomics blocked \| [\d.]+ .* \| 1\d{3} \| 4\d\.\d \| \d+ us \|\n/ ],
    [ 'table steps="06.min.float" columns="groups wall_med" devices="h200 pocl" n="largest"',
        qr/\| step \| h200, n = 2\^\d+: groups \|.*\n.*\n\| 06 two_stage\.min\.float \| 1056 \| [\d.]+ ms \| 16 \|.*\n/ ],
);
my @numbers = (
    [ 'h200 06 2^27 percent_of_limit', qr/\d\d\.\d/ ], [ 'h200 06 2^27 wall_med', qr/\d+ us/ ], [ 'h200 06 compute_units', qr/132/ ],
    [ 'pocl 02_blocked 2^27 GBps', qr/\d\d\.\d/ ], [ 'pocl 02_blocked 2^27 GBps over=02_strided', qr/\d\d/ ],
    [ 'h200 06.min.float 2^20 groups', qr/1056/ ],
);
my ($wrote, $all, $noise) = renew_text(join("\n", (map { make_block($_->[0], "old\n") } @markers), (map { $number->($_->[0]) } @numbers),
    "![](plots/book/pictures/06_commutative.svg)\n"));
is("$wrote$noise", '0', 'all markers: written');
for (@markers) {
    my ($marker, $shows) = @$_;
    like($all, qr/^<!-- \Q$marker\E -->\n$shows<!-- \/\w+ -->$/m, "$marker: what was there is replaced");
}
for (@numbers) {
    my ($words, $shows) = @$_;
    like($all, qr/^It is <!-- number \Q$words\E -->$shows<!-- \/number --> so\.$/m, "number $words");
}
like($all, qr/^!\[Access order of .*\]\(plots\S+\)\n\S.*\.\n\z/m, 'a picture of an access order: its words');
unlike($all, qr/\bold\b/, 'nothing old is left');
is((renew_text($all))[1], $all, 'the second time all stays');

# ---- what does not fit: one line, which names the place, and no text is written
for (grep { $test_all }
    [ make_block('listing kernels/06_two_stage.cl from="value al" to="nowhere"', ''), "has no line with 'nowhere'" ],
    [ make_block('listing kernels/06_two_stage.cl from="all = combine" to="value all"', ''), "has no line with 'value all' from there on" ],
    [ make_block('listing kernels/none.cl', ''), 'none.cl' ],
    [ make_block('listing kernels/06_two_stage.cl form="x"', ''), 'knows from, to, numbers, but not form' ],
    [ make_block('diff 99', ''), 'no step 99' ],
    [ "# A\n\n<!-- diff 06 -->\n", 'no <!-- /diff --> after it' ],
    [ make_block('table steps="06" columns="GBps" devices="none" n="2^20"', ''), 'must be like 06, ' ],
    [ make_block('table steps="06" columns="GBs" devices="h200" n="2^20"', ''), 'no column GBs: there are n ' ],
    [ make_block('table steps="06_none" columns="GBps" devices="h200" n="2^20"', ''), '06_none: none of h200 has it at n = 2^20' ],
    [ $number->('h200 06 2^60 GBps'), 'no row of 06 at n = 2^60' ],
    [ $number->('h200 06 2^27x GBps'), '27x' ],
    [ $number->('h200'), 'missing' ],
    [ $number->('h200 06 2^27 GBps') =~ s/It is />\n/r =~ s/>\n/\n/r, 'begins a line' ],
) {
    my ($text, $why) = @$_;
    my ($is, $now, $said) = renew_text($text);
    my $marker = ($text =~ /<!-- (.*?) -->/)[0];
    like("$is$said", qr/\A2docs\.py: TUTORIAL\.md, line [34]: .*\Q$why\E.*\n\z/, "$marker: $why");
    is($now, $text, '... and the text stays');
}

# ---- transcripts
SKIP: {
    skip 'make test-all tries it', 8 unless $test_all;
    skip 'no OpenCL device', 8 unless list_devices();
    my ($is, $text, $said) = renew_text("# A\n\n```console\n\$ ./step06 --n \\\n    1000\n\$ ./step06 --nothing | head -n 1   # exit status 0\n```\n", '');
    is("$is$said", '0', 'a transcript is written');
    like($text, qr/^    1000\n06 two_stage: .*^commutative +1000 .*^result .*^\$ /ms, '... on as many lines as it takes');
    my $times = $text =~ s/\d+(\.\d+)?(?= [um]s)/777/gr =~ s/(median of) \d+/$1 777/r =~ s/[\d.]+ GB/777 GB/r;
    isnt($times, $text, 'with other times');
    is((renew_text($times, ''))[1], $times, '... it stays');
    unlike((renew_text($times, '--all'))[1], qr/777/, '... but with ALL=1');
    unlike((renew_text($text =~ s/(commutative +1000 +)\d+/${1}99/r, ''))[1], qr/1000 +99 /, 'with another count it is renewed');
    for (
        [ "./step06 --device nosuch", "exit status 2, not 0: .*nosuch: step06: no device 'nosuch': .*" ],
        [ "./step06 --n 1   # exit status 1", 'exit status 0, not 1: .*' ],
    ) {
        my ($command, $why) = @$_;
        ($is, $text, $said) = renew_text("# A\n\n```console\n\$ $command\n```\n", '');
        like("$is$said", qr/\A2docs\.py: TUTORIAL\.md, line 4: $why\n\z/, "$command: one line");
    }
}
for (
    [ "`true`<!-- run -->, `false`<!-- run, exit status 1 -->, `false`\n", '0' ],
    [ "`echo 1 >build/in_order`<!-- run -->\n\n```console\n\$ cat build/in_order\n1\n```\n\n`rm build/in_order`<!-- run -->\n", '0' ],
    [ "`false`<!-- run -->\n", '2docs.py: try.md, line 3: exit status 1, not 0: false: ' . "\n" ],
    [ "`true`<!-- run, exit status 1 -->\n", "2docs.py: try.md, line 3: exit status 0, not 1: true # exit status 1: \n" ],
) {
    my ($words, $says) = @$_;
    my ($ends, undef, $of) = run($docs, '--run', spew("$copy/try.md", "# A\n\n$words"));
    is("$ends$of", $says, "run in a sentence: $words");
}

# ---- what a transcript shows is compared, on a machine as it names
SKIP: {
    skip 'make test-all tries it', 4 unless $test_all;
    skip 'no OpenCL device', 4 unless list_devices();
    my $device = (run("$copy/step06", '--n', 1000))[1] =~ /^(on \d+ .*)$/m ? $1 : '';
    my ($is, $text) = renew_text("# A\n\n```console\n\$ ./step06 --n 1000\n```\n\n```console\n\$ make -s build/accuracy01 && build/accuracy01 --n 1000\n```\n", '');
    for (
        [ 'as it is', $text, '0' ], [ 'with another count', $text =~ s/^(commutative +1000 +)\d+/${1}99/mr, "2docs.py: TUTORIAL.md, line 4: ./step06 --n 1000: prints 'commutative " ],
        [ 'with another error', $text =~ s/(?<= )(\d)(\S*e-\S+ +\S+)$/@{[($1 + 1) % 10]}$2/mr, "2docs.py: TUTORIAL.md, line .*accuracy01 --n 1000: prints 'host " ],
        [ 'with another device first', $text =~ s/^on \d+ .*/on 7  Other/mr, "2docs.py: TUTORIAL.md, line 4: .*: prints 'on " ],
    ) {
        my ($what, $shown, $says) = @$_;
        ($is, undef, my $said) = renew_text($shown, '--run', "$copy/TUTORIAL.md");
        SKIP: {
            skip 'other than two cores', 1 if `nproc` != 2;
            like("$is$said", qr/\A$says/, "a transcript $what");
        }
    }
}

# ---- every command, in a fresh clone: what git has, and what is built
SKIP: {
    skip 'every command of the texts: make test-all runs them', 2 unless $test_all;
    my @wanted = map { /^\$ (?!.*# exit status 2).*--device (\w+)/mg } map { slurp("$root/$_") } qw(TUTORIAL.md README.md);
    my $here = join "\n", map { lc $_->{name} } list_devices();
    my ($lacking) = grep { $here !~ /\Q$_\E/i } @wanted;
    skip "no device '$lacking', on which the tutorial runs commands", 1 if $lacking;
    my $clone = make_folder() . '/clone';
    mkdir $clone;
    ($status, $out, $err) = run('sh', '-c', 'cd "$0" && git ls-files -coz --exclude-standard | xargs -0 cp -a --parents -t "$1" '
            . '&& cp -a build "$1"', $root, $clone); # no step: the text must make it before it runs it
    skip 'no clone of a repository without git', 1 if $status;
    local $Steps::limit = 7200;
    ($status, $out, $err) = run("$clone/plots/book/docs.py", '--run', "$clone/TUTORIAL.md", "$clone/README.md");
    is("$status$err", '0', 'every command of the tutorial and the README ends as printed');
    SKIP: {
        skip $out =~ s/\n/; /gr, 1 if $out; # it is another machine
        pass('... and prints what is shown');
    }
}

done_testing();
