#!/usr/bin/perl
# Tests plots/book/docs.py and the texts: every marker and number in the texts is up to date, and docs.py writes each kind of
# marker and number as plots/book/README.md describes. Only test-all tries wrong markers, and calls every command of the tutorial and of the README in
# a fresh clone.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

plan skip_all => 'no git' unless has_tool('git');

my $copy = copy_tree(qw(plots steps kernels common Makefile .ci README.md TUTORIAL.md INSTRUCTORS.md build), map { "step$_" } '00', @steps,
    @built_capstones);
my $docs = "$copy/plots/book/docs.py";
run('git', 'init', '-q', $copy);
spew("$copy/.gitignore", "/build/\n/step[0-9][0-9]\n");

my ($status, $out, $err) = run($docs);
is("$status$out$err", '0', 'listings, diffs, tables, numbers and the descriptions of pictures are up to date: make docs');

my ($version) = (run("$root/step06", '--version'))[1] =~ / (\S+)$/;
my ($newest, $date) = slurp("$root/CHANGELOG.md") =~ /^## (\S+) \((\S+)\)$/m;
is($newest, $version, 'the newest version in CHANGELOG.md is the one that --version prints');
like(slurp("$root/CITATION.cff"), qr/^version: "\Q$version\E"\ndate-released: \Q$date\E$/m, '... and CITATION.cff names it, too');

# ---- the form of the tutorial: each chapter has the same parts, and the glossary explains each term
my ($front, %chapters) = split /^## (.*)\n/m, slurp("$root/TUTORIAL.md") =~ s/^```.*?^```\n//msgr
    =~ s/^<!-- (diff|table|gains|listing|scaling) .*?^<!-- \/\1 -->\n//msgr;
my @parts = ('Question', 'Predict', 'Run', 'Idea', 'Exercise', 'What changes', 'Why', 'Break it', 'Check yourself', 'Key points',
    'What is still wrong');
my $named = join '|', @parts;
my %explained = map { $_ => 1 } map { split /[,;] +/ } $chapters{Glossary} =~ /^\| (.*?) \|/mg;
my @typed;

# Returns a text without the values that a comment after their paragraph lists.
sub remove_checked {
    return $_[0] =~ s{((?:^(?!\h*<|$)[^\n]+\n)+)\h*<!-- checked: (.*?) -->\n}{
        my ($paragraph, $entries) = map { s/\s+/ /gr } $1, $2;
        for (grep { !/ = typed$/ } split /; /, $entries) {
            my ($value) = /(.*) = /;
            $paragraph =~ s/(?<![\w.^])\Q$value\E//;
        }
        "$paragraph\n";
    }msger;
}
for my $title ('', sort keys %chapters) {
    my $text = $title ? $chapters{$title} : $front;
    push @typed, remove_checked($text) =~ s/^!\[.*\n(?:.+\n)*|`[^`]*`//mgr
        =~ /[\d.]+\s(?:GB\/s|[mu]s|%)(?=[^\w-]|$)/mg;
    my @terms;
    while ($text =~ /((?:\A|\n)\n|)\*\*([^*]+)\*\*/g) { # bold words at the start of a paragraph, and names of parts, are labels
        my ($first, $term) = ($1, $2);
        $term =~ s/\s+/ /g;
        push @terms, $term unless $first || $term =~ /^(?:$named)\.?$/;
    }
    is(join(', ', grep { !$explained{$_} && !$explained{s/s\z//r} } @terms), '', "'$title': every bold term is in the glossary");
    next unless $title =~ /^(?:0[2-9]|1[01]) /;
    my @has = $text =~ /^(?:\*\*|<details><summary><b>)($named)\./mg;
    my @expected = $title =~ /^11/ ? (@parts[0 .. $#parts - 1], 'Question', 'Run', 'Idea', 'Check yourself', 'Key points') : @parts;
    is("@has", "@expected", "$title: the parts, in order");
}
like(slurp("$root/TUTORIAL.md"), qr/^<!-- gains .*\n\| step, .*\n\| ---.*\n(?:\| \d\d .*\n){11}<!-- \/gains -->\n/m,
    'the table of gains has a row for each of the steps 01 to 11');
is("@typed", '14 ms 4.8 GB/s 99.6 %',
    'times, rates and shares are typed only in examples; measured numbers come from data');

# ---- the files that the texts link or show
for my $text (map { s{^\Q$root\E/}{}r } map { find_files($root, $_) } '*.md', '{plots,steps,tests}/{*,*/*,*/*/*}.md') {
    my @links = slurp("$root/$text") =~ s/^```.*?^```\n//msgr =~ s/`[^`\n]*`//gr =~ /\]\(([^)#]+)[^)]*\)/g;
    is(join(' ', grep { !/^https?:/ && !-e "$root/" . ($text =~ s{[^/]*$}{}r) . $_ } @links), '', "$text: each link has its file")
        if @links;
}

# so that its commands are not called each time
spew("$copy/README.md", slurp("$copy/README.md") =~ s/^```console\n.*?^```\n//msgr);

# Writes this text into TUTORIAL.md and calls docs.py. Returns its exit status, the new text, and its messages.
sub renew_text {
    my ($text, @how) = @_;
    spew("$copy/TUTORIAL.md", $text);
    my ($is, undef, $said) = run($docs, @how);
    return ($is, slurp("$copy/TUTORIAL.md"), $said);
}
sub make_block { my ($marker, $body) = @_; return "# A\n\n<!-- $marker -->\n$body<!-- /" . ($marker =~ /(\w+)/)[0] . " -->\n" }

# ---- each marker with old contents; all in one text, because each call of docs.py reads all data
my $make_word = sub { return "# A\n\nIt is old so.\n<!-- checked: old = $_[0] -->\n" };
my $make_number = sub { return $make_word->("number $_[0]") };
# Ranks with a launch of 10 us, a limit of 100 GB/s and a latency of 2 us.
run('mkdir', '-p', "$copy/plots/results/made/scaling");
my ($columns) = slurp("$copy/plots/columns.ini") =~ /^\[scaling.*\ncolumns = (.*)/m;
spew("$copy/plots/results/made/scaling/own.dat", join "\n", map({ "# $_: 1" } qw(operator type rounds device)), $columns,
    map({ my ($names, @triples) = @$_; join ' ', $names, map({ ($_) x 3 } @triples), 'right' }
        [ 'step13 1 1 4', '1e-5', 0, 1, 100 ], [ 'step13 1 4 4', '1.4e-5', '4e-6', 0.71, 'nan' ],
        [ 'step13 1000000 1 4000000', '5e-5', 0, 1, 100 ], [ 'step13 1000000 4 4000000', '4.8e-5', '4e-6', 1.04, 'nan' ],
        [ 'nccl 1000000 4 4000000', '6.4e-5', 'nan', 0.78, 'nan' ]), "# end\n");
my @markers = (
    [ 'listing kernels/06_two_stage.cl from="value all" to="all = combine"',
        qr/```opencl\nvalue all = .*;\nfor .*\n    all = .*;\n```\n/ ],
    [ 'listing kernels/06_two_stage.cl from="value all"', qr/```opencl\nvalue all = .*;\n```\n/ ],
    [ 'listing kernels/06_two_stage.cl from="value all" numbers', qr/```opencl\n 1\d  value all = .*;\n```\n/ ],
    [ 'listing steps/06_two_stage.c', qr/```c\n\/\* 06 two_stage\n.*^int main.*\}\n```\n/ms ],
    [ 'diff 06', qr/<details>\n<summary>.*make diff06.*against 05<.*^```diff\n.*^-.*^\+.*^```\n.*^```diff\n.*^<\/details>\n/ms ],
    # the second part has no changed lines
    [ 'diff 04',
        qr/<details>\n<summary>.*make diff04.*against 03<.*\n\n.*\n\n```diff\n(?:[ +-].*\n|\n)+```\n\nthe plan, .*\n\n<\/details>\n/ ],
    [ 'table steps="06 02_blocked" columns="GBps percent_of_limit wall_med" devices="pocl h200" n="2^27"',
        qr/\| step, n = 2\^27 \| pocl: GB\/s \|.*\n\| ---.*\n\| 06 two_stage \| 1\.\d+ \| \d\.\d \| \d+ ms \| 2\d{3} \| 6\d\.\d \| \d+ us \|\n\| 02 atomics blocked \| [\d.]+ .* \| 1\d{3} \| 4\d\.\d \| \d+ us \|\n/ ],
    # This text has no chapters, so no line follows.
    [ 'gains gpu="h200" cpu="pocl" n="2^27"', qr/\| step, n = 2\^27 \| idea \| h200: time \|.*\n\| ---.*\n/ ],
    [ 'table steps="08_groups.min.float" columns="groups wall_med" devices="pocl h200" n="largest"',
        qr/\| step \| pocl, n = 2\^26: groups \|.*\n.*\n\| 08 serial_cpu_groups groups\.min\.float \| 16 \| [\d.]+ ms \| - \| - \|\n/ ],
);
push @markers, [ 'scaling made', qr/\| n \| ranks \| measured \| model \| measured \/ model \| MPI \| nccl \|\n\|[^\n]*\n.*^\| 1000000 \| 4 \| 48\.0 us \| 24\.0 us \| 2\.00 \| 4\.00 us \| 64\.0 us \|\n/ms ];
my @words = (
    [ 'model made launch_seconds', qr/10\.0 us/ ], [ 'model made limit_GBps', qr/100/ ], [ 'model made latency_seconds',
        qr/2\.00 us/ ],
    [ 'model made 8000000 8', qr/56\.0 us/ ], [ 'ranks made 1000000 4 wall_med', qr/48\.0 us/ ],
    [ 'ranks made 1000000 4 wall_med nccl', qr/64\.0 us/ ],
    [ 'tune h200 07 vector 1 32 132 GBps', qr/\d\d\.\d/ ], [ 'tune h200 07 vector 2 32 132 in_flight', qr/33\.8 KB/ ],
    [ 'tune h200 07 vector 2 32 132 load_time', qr/\d{3} ns/ ],
);
my @numbers = (
    [ 'h200 06 2^27 percent_of_limit', qr/\d\d\.\d/ ], [ 'h200 06 2^27 wall_med', qr/\d+ us/ ], [ 'h200 06 compute_units',
        qr/132/ ],
    [ 'pocl 02_blocked 2^27 GBps', qr/\d\d\.\d/ ], [ 'pocl 02_blocked 2^27 GBps over=02_strided', qr/\d\d/ ],
    [ 'pocl 08_groups.min.float 2^20 groups', qr/16/ ],
);
my ($wrote, $all, $message) = renew_text(join("\n", (map { make_block($_->[0], "old\n") } @markers),
    (map { $make_number->($_->[0]) } @numbers), (map { $make_word->($_->[0]) } @words),
    "![](plots/book/pictures/06_commutative.svg)\n"));
is("$wrote$message", '0', 'all markers: docs.py ends with 0');
for (@markers) {
    my ($marker, $shows) = @$_;
    like($all, qr/^<!-- \Q$marker\E -->\n$shows<!-- \/\w+ -->$/m, "$marker: the old contents are replaced");
}
for ((map { [ "number $_->[0]", $_->[1] ] } @numbers), @words) {
    my ($words, $shows) = @$_;
    like($all, qr/^It is ($shows) so\.\n<!-- checked: \1 = \Q$words\E -->$/m, $words);
}
like($all, qr/^!\[Access order of .*\]\(plots\S+\)\n(?:\S.*\n)+(?<=\.\n)\z/m, 'a picture of an access order: its description');
unlike($all, qr/\bold\b/, 'no old contents are left');
my ($wrote_again, $again, $message_again) = renew_text($all);
is("$wrote_again$message_again", '0', 'all markers again: docs.py ends with 0'); # if it failed, the text would be unchanged, too
is($again, $all, '... and changes nothing');

# ---- wrong markers: one line that names the place, and no text is written
for (grep { $test_all }
    [ make_block('listing kernels/06_two_stage.cl from="value al" to="nowhere"', ''), "has no line with 'nowhere'" ],
    [ make_block('listing kernels/06_two_stage.cl from="all = combine" to="value all"', ''),
        "has no line with 'value all' from there on" ],
    [ make_block('listing kernels/none.cl', ''), 'none.cl' ],
    [ make_block('listing kernels/06_two_stage.cl form="x"', ''), 'knows from, to, numbers, but not form' ],
    [ make_block('diff 99', ''), 'no step 99' ],
    [ "# A\n\n<!-- diff 06 -->\n", 'no <!-- /diff --> after it' ],
    [ make_block('table steps="06" columns="GBps" devices="none" n="2^20"', ''), 'must be like 06, ' ],
    [ make_block('table steps="06" columns="GBs" devices="h200" n="2^20"', ''), 'no column GBs: there are n ' ],
    [ make_block('table steps="06_none" columns="GBps" devices="h200" n="2^20"', ''),
        '06_none: none of h200 has it at n = 2^20' ],
    [ $make_number->('h200 06 2^60 GBps'), 'no row of 06 at n = 2^60' ],
    [ $make_number->('h200 06 2^27x GBps'), '27x' ],
    [ $make_number->('h200'), 'missing' ],
    [ $make_word->('ranks made 1000000 2 wall_med'), 'no such row' ],
    [ $make_word->('tune h200 07 vector 3 32 132 GBps'), 'no such geometry' ],
    [ $make_word->('model none limit_GBps'), 'own.dat' ],
    [ $make_word->('model made limit'), 'no column limit: there are ranks launch_seconds' ],
    [ "# A\n\nIt is 3.\n<!-- checked: 4 = number h200 06 compute_units -->\n",
        "'4' occurs 0 times in the paragraph, but 1 times in its comment: correct one" ],
    [ "# A\n\nOf 3, 3 left.\n<!-- checked: 3 = number h200 06 compute_units -->\n", "'3' occurs 2 times in the paragraph, but 1 " ],
    [ "# A\n\n* It is 3.\n<!-- checked: 3 = number h200 06 compute_units -->\n", 'indent the comment' ],
    [ "# A\n\n* It\n  is 3.\n <!-- checked: 3 = number h200 06 compute_units -->\n", 'indent the comment' ],
    [ $make_word->('numbers h200 06 compute_units'), "'numbers' is no source: number, " ],
) {
    my ($text, $why) = @$_;
    my ($is, $now, $said) = renew_text($text);
    my $marker = ($text =~ /<!-- (.*?) -->/)[0];
    like("$is$said", qr/\A2docs\.py: TUTORIAL\.md, line [345]: .*\Q$why\E.*\n\z/, "$marker: $why");
    is($now, $text, '... and the text is unchanged');
}

# ---- paragraphs with numbers, in their different forms; step 06 has 132 compute units on the H200
my ($units, $lanes) = ('number h200 06 compute_units', 'number intel-cpu 09_sub_group 2^26 lanes');
for (
    [ 'two equal values, and a part of a longer number', "7 of 7 is 2^7 or 7.5.\n<!-- checked: 7 = typed; 7 = $units -->\n",
        "7 of 132 is 2^7 or 7.5.\n<!-- checked: 7 = typed; 132 = $units -->\n" ],
    [ 'two equal values from different data', "It is 7 or 7.\n<!-- checked: 7 = $lanes; 7 = $units -->\n",
        "It is 16 or 132.\n<!-- checked: 16 = $lanes; 132 = $units -->\n" ],
    [ 'a new value that is also typed', "Here 132, `132`, 7.\n<!-- checked: 7 = $units -->\n",
        "Here 132, `132`, 132.\n<!-- checked: 132 = typed; 132 = $units -->\n" ],
    [ 'a comment in another order', "It is 7 or 8.\n<!-- checked: 8 = $units; 7 = $lanes -->\n",
        "It is 16 or 132.\n<!-- checked: 16 = $lanes; 132 = $units -->\n" ],
    [ 'a new value that does not fit into its line', 'word ' x 19 . "old\n<!-- checked: old = number h200 06 device -->\n",
        'word ' x 19 . "\nNVIDIA CUDA [NV] / NVIDIA H200\n<!-- checked: NVIDIA CUDA [NV] / NVIDIA H200 = number h200 06 device -->\n" ],
    map({ [ "no line begins with $_", 'word ' x 19 . "word $_ 7\n<!-- checked: 7 = $lanes -->\n",
            'word ' x 19 . "\nword $_ 16\n<!-- checked: 16 = $lanes -->\n" ] } '-', '+', '#', '>', '1.', '2)'),
    [ 'a code span stays in one line', 'word ' x 19 . "`ab c` 7\n<!-- checked: 7 = $lanes -->\n",
        'word ' x 19 . "\n`ab c` 16\n<!-- checked: 16 = $lanes -->\n" ],
    [ 'items of lists', "* 7\n  old\n* It is\n  7.\n  <!-- checked: 7 = $units -->\n\n1. 7\n   <!-- checked: 7 = $units -->\n2. 7\n\n   It is 7.\n   <!-- checked: 7 = $units -->\n",
        "* 7\n  old\n* It is 132.\n  <!-- checked: 132 = $units -->\n\n1. 132\n   <!-- checked: 132 = $units -->\n2. 7\n\n   It is 132.\n   <!-- checked: 132 = $units -->\n" ],
    [ 'quotations', "> It is\n> 7.\n> <!-- checked: 7 = $units -->\n>\n> * 7\n>   <!-- checked: 7 =\n>   $units -->\n",
        "> It is 132.\n> <!-- checked: 132 = $units -->\n>\n> * 132\n>   <!-- checked: 132 = $units -->\n" ],
    [ 'a table', "| a | b |\n| --- | --- |\n| 7 | 8 |\n<!-- checked: 8 = $units -->\n", "| a | b |\n| --- | --- |\n| 7 | 132 |\n<!-- checked: 132 = $units -->\n" ],
) {
    my ($what, $old, $new) = map { s/ +$//mgr } @$_;
    my ($is, $now, $said) = renew_text("# A\n\n$old");
    is("$is$said$now", "0# A\n\n$new", "numbers: $what");
    is((renew_text($now))[1], $now, '... and a second call changes nothing');
}

# ---- transcripts
SKIP: {
    skip 'only make test-all tries transcripts', 8 unless $test_all;
    skip 'no OpenCL device', 8 unless list_devices();
    my ($is, $text, $said) = renew_text("# A\n\n```console\n\$ ./step06 --n \\\n    1000\n"
            . "\$ ./step06 --nothing | head -n 1   # exit status 0\n```\n", '--all');
    is("$is$said", '0', 'a transcript: docs.py ends with 0, and writes it');
    like($text, qr/^    1000\n06 two_stage: .*^commutative +1000 .*^result .*^\$ /ms, '... and a command may span several lines');
    my $times = $text =~ s/\d+(\.\d+)?(?= [um]s)/777/gr =~ s/(median of) \d+/$1 777/r =~ s/[\d.]+ GB/777 GB/r;
    isnt($times, $text, 'a transcript with other times');
    my ($status, $kept, $message) = renew_text($times);
    is("$status$message", '0', '... docs.py ends with 0');
    is($kept, $times, '... and keeps the times');
    unlike((renew_text($times, '--all'))[1], qr/777/, '... but renews them with --all');
    for (
        [ "./step06 --device nosuch", "exit status 2, not 0: .*nosuch: step06: no device 'nosuch': .*" ],
        [ "./step06 --n 1   # exit status 1", 'exit status 0, not 1: .*' ],
    ) {
        my ($command, $why) = @$_;
        ($is, $text, $said) = renew_text("# A\n\n```console\n\$ $command\n```\n", '--all');
        like("$is$said", qr/\A2docs\.py: TUTORIAL\.md, line 4: $why\n\z/, "$command: one line");
    }
}
for (
    [ "`true`, `false`\n<!-- checked: `true` = run; `false` = run, exit status 1 -->\n", '0' ],
    [ "`echo 1 >build/in_order`\n<!-- checked: `echo 1 >build/in_order` = run -->\n\n```console\n\$ cat build/in_order\n1\n```\n\n"
            . "`rm build/in_order`\n<!-- checked: `rm build/in_order` = run -->\n", '0' ],
    [ "`false`\n<!-- checked: `false` = run -->\n", '2docs.py: try.md, line 4: exit status 1, not 0: false: ' . "\n" ],
    [ "`true`\n<!-- checked: `true` = run, exit status 1 -->\n",
        "2docs.py: try.md, line 4: exit status 0, not 1: true # exit status 1: \n" ],
) {
    my ($words, $says) = @$_;
    my ($ends, undef, $of) = run($docs, '--run', spew("$copy/try.md", "# A\n\n$words"));
    is("$ends$of", $says, "commands in a sentence: $words");
}

# ---- docs.py --run compares the outputs in the transcripts, if it runs on the machine that the transcript names
SKIP: {
    skip 'only make test-all compares transcripts', 4 unless $test_all;
    skip 'no OpenCL device', 4 unless list_devices();
    my ($is, $text) = renew_text("# A\n\n```console\n\$ ./step06 --n 1000\n```\n\n"
            . "```console\n\$ make -s build/accuracy01 && build/accuracy01 --n 1000\n```\n", '--all');
    for (
        [ 'as docs.py wrote it', $text, '0\z' ],
        [ 'with another count', $text =~ s/^(commutative +1000 +)\d+/${1}99/mr,
            "2docs.py: TUTORIAL.md, line 4: ./step06 --n 1000: prints 'commutative " ],
        [ 'with another error', $text =~ s/(?<= )(\d)(\S*e-\S+ +\S+)$/@{[($1 + 1) % 10]}$2/mr,
            "2docs.py: TUTORIAL.md, line .*accuracy01 --n 1000: prints 'host " ],
        [ 'with another device first', $text =~ s/^on \d+ .*/on 7  Other/mr, "2docs.py: TUTORIAL.md, line 4: .*: prints 'on " ],
    ) {
        my ($what, $shown, $says) = @$_;
        ($is, undef, my $said) = renew_text($shown, '--run', "$copy/TUTORIAL.md");
        SKIP: {
            skip 'docs.py compares outputs only on a machine with two cores', 1 if `nproc` != 2;
            like("$is$said", qr/\A$says/, "docs.py --run: a transcript $what");
        }
    }
}

# ---- every command, in a copy of the files that git knows and of build/
my @with_transcripts = qw(TUTORIAL.md README.md steps/beyond/similarity/README.md);
SKIP: {
    skip 'only make test-all calls every command of the texts', 2 unless $test_all;
    my @wanted = map { /^\$ (?!.*# exit status 2).*--device (\w+)/mg } map { slurp("$root/$_") } @with_transcripts;
    my $here = join "\n", map { lc $_->{name} } list_devices();
    my ($lacking) = grep { $here !~ /\Q$_\E/i } @wanted;
    skip "no device '$lacking', which some commands of the tutorial need", 1 if $lacking;
    skip "no Oclgrind, which transcripts of a judge need", 1 unless has_tool('oclgrind');
    my $clone = make_folder() . '/clone';
    mkdir $clone;
    ($status, $out, $err) = run('sh', '-c', 'cd "$0" && git ls-files -coz --exclude-standard | xargs -0 cp -a --parents -t "$1" '
            . '&& cp -a build "$1"', $root, $clone); # without the steps: the text must build each step before it calls it
    skip 'this folder is not a git repository, so it cannot be cloned', 1 if $status;
    local $Steps::limit = 7200;
    ($status, $out, $err) = run("$clone/plots/book/docs.py", '--run', map { "$clone/$_" } @with_transcripts);
    is("$status$err", '0', 'every command of the tutorial and the README has the printed exit status');
    SKIP: {
        skip $out =~ s/\n/; /gr, 1 if $out; # the transcripts are from another machine
        pass('... and the printed output');
    }
}

done_testing();
