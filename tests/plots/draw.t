#!/usr/bin/perl
# The committed pictures, tables and quotations must agree with the committed data. Draws every picture in plots/results/ again
# and compares it, byte for byte: the committed pictures are those that a text shows, and a user's folder gets every picture. Writes
# the tables of the READMEs again, and repeats the commands that the tutorial quotes. Needs no OpenCL. `make test` draws the
# pictures of one device only, and skips most tests of faulty data.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

# Returns the text of a data file as an older program wrote it: the number of its rows in the header, and no line `# end`.
sub in_older_form {
    my ($text) = @_;
    my $rows = grep { !/^#/ } split /\n/, $text;
    $text =~ s/^# end\n//m and $text =~ s/^(?!#)/"# rows: " . ($rows - 1) . "\n"/me;
    return $text;
}

sub list_pictures { # the pictures in a folder: name => path
    my ($folder) = @_;
    return map { m{([^/]+)$} ? ($1 => $_) : () } find_files($folder, '*.svg');
}

sub read_words { # the texts in a picture
    my ($path) = @_;
    my @texts = map { s/<[^>]*>//gr =~ s/\s+/ /gr =~ s/^ | $//gr } slurp($path) =~ /<text>(.*?)<\/text>/gs;
    return @texts;
}

sub describe_picture { # the alt text and the sentence of a picture
    my ($path) = @_;
    my $code = 'import sys, pathlib; sys.path.insert(0, sys.argv[1]); import captions; '
        . 'print(*captions.describe_picture(pathlib.Path(sys.argv[2])))';
    return (run('python3', '-c', $code, "$root/plots", $path))[1];
}

my $draw    = "$root/plots/draw.py";
my @for_docs = (qw(kernels common steps Makefile README.md TUTORIAL.md INSTRUCTORS.md), map { "step$_" } @steps, @built_capstones); # docs.py reads them
my @results = grep { -d } find_files($root, 'plots/results/*');
my ($version) = has_tool('gnuplot') ? (run('gnuplot', '--version'))[1] =~ /gnuplot (.*)/ : ();

SKIP: {
    skip 'no gnuplot', 1 unless $version;
    cmp_ok(scalar @results, '>', 0, 'plots/results/ contains a folder');
    my $copy = make_folder() . '/published';
    run('mkdir', '-p', $copy);
    run('cp', '-r', map({ "$root/$_" } qw(plots README.md TUTORIAL.md)), $copy);
    unlink find_files($copy, 'plots/results/*.svg'), find_files($copy, 'plots/results/*/*.svg');
    for my $results ("$root/plots/results", grep { $test_all || m{/pocl$} } @results) {
        my ($device) = $results =~ m{([^/]+)$};
        my %committed = list_pictures($results);
        ok(scalar keys %committed, "$device: at least one picture is committed");
        my ($drawn_by) = map { slurp($_) =~ /<desc>Produced by GNUPLOT (.*?)\s*<\/desc>/ } sort values %committed;
    SKIP: {
            skip "$device: the pictures are by gnuplot " . ($drawn_by // 'unknown') . ", but this is gnuplot $version", 1
                if ($drawn_by // '') ne $version;
            my $into = $copy . substr $results, length $root;
            my ($status, $out, $err) = run("$copy/plots/draw.py", $into);
            is("$status$out$err", '0', "$device: draw.py ends with 0");
            my %drawn = list_pictures($into);
            # A heading such as "Lower is better: …"
            is(join(' ', grep { slurp($drawn{$_}) !~ /^<title>[A-Z][\w ]+: .+<\/title>$/m } sort keys %drawn), '',
                "$device: the title of each picture is its heading");
            is(join(' ', sort keys %drawn), join(' ', sort keys %committed), "$device: the pictures that a text shows, and no other");
            for my $name (sort grep { $drawn{$_} } keys %committed) {
                ok(slurp($drawn{$name}) eq slurp($committed{$name}), "$device: $name is up to date");
            }
        }
    }

    # a device that no text names yet
    run('cp', '-r', "$copy/plots/results/pocl", "$copy/plots/results/new");
    unlink find_files($copy, 'plots/results/new/*.svg');
    my ($status, $out, $err) = run("$copy/plots/draw.py", "$copy/plots/results/new");
    is("$status$out$err", "0draw.py: $copy/plots/results/new: no text shows a picture of this folder, so no picture is drawn\n",
        'a folder of plots/results that no text names: one line');
    is(join(' ', list_pictures("$copy/plots/results/new")), '', '... and no picture');
    spew("$copy/README.md", slurp("$copy/README.md") . "\n![](plots/results/new/pair_05.svg)\n");
    run("$copy/plots/draw.py", "$copy/plots/results/new");
    is(join(' ', keys %{ { list_pictures("$copy/plots/results/new") } }), 'pair_05.svg', '... until a text shows one');
}

# A new step must appear in the pictures like the other steps, and no two lines may look alike.
SKIP: {
    skip 'make test-all tries it', 1 unless $test_all;
    skip 'no gnuplot', 1 unless $version;
    my $results = make_folder() . '/with a step 12';
    run('cp', '-r', "$root/plots/results", $results);
    unlink find_files($results, '*.svg'), find_files($results, '*/*.svg');
    spew("$results/pocl/12_new.sum.int.dat",
        slurp("$results/pocl/06_commutative.sum.int.dat") =~ s/^# step: \K.*/12 new/mr);
    my ($status, $out, $err) = run($draw, "$results/pocl");
    is("$status$err", '0', 'with a step 12: draw.py ends with 0');
    for my $picture (qw(all wall)) {
        my $text = slurp("$results/pocl/$picture.svg");
        my %looks; # dashes and shape of the points -> the lines that have them
        while ($text =~ /gnuplot_plot_.*?<title>(.*?)<\/title>.*?<path [^>]*?( stroke-dasharray='.*?')?  d=.*?#(gpPt\d+)/gs) {
            push @{ $looks{"@{[$2 // '']} $3"} }, $1;
        }
        my @all = sort map { @$_ } values %looks;
        ok(@all == 13 && grep({ $_ eq '12 new' } @all), "$picture.svg has a line for step 12") or diag("@all");
        is(join(', ', map { "@$_" } grep { @$_ > 1 } values %looks), '', "$picture.svg: no two lines look alike");
    }
    ok(-s "$results/pocl/pair_12.svg", 'step 12 has a picture of its own');
    ($status, $out, $err) = run($draw, $results);
    my $texts = join ' ', sort map { /^(\d\d) [a-z]/ } read_words("$results/all_devices.svg");
    like("$status$err $texts", qr/^0 .*10 11 12$/, 'all_devices.svg contains step 12');
}

# The ladder: the factor of a step is the ratio of its GB/s and those of the step that it is compared with. Rounds in which the
# memory was slow do not count.
SKIP: {
    skip 'no gnuplot', 1 unless $version;
    my $results = make_folder() . '/ladder';
    run('cp', '-r', "$root/plots/results/h200", $results);
    my $bench = slurp("$results/bench.dat");
    my %place = do { my $at = 0; map { $_ => $at++ } split ' ', ($bench =~ /^(step .*)$/m)[0] };
    my $rate_of = sub { return $_[0] eq '05' ? 0.25 : 2**$_[0] / 32 };
    for my $slow_rounds (0, 3) {
        unlink find_files($results, '*.svg');
        spew("$results/bench.dat", join '', map {
            my @words = /^\d\d / ? split / / : ();
            if (@words) {
                my $slower = $words[ $place{round} ] <= $slow_rounds ? 0.5 : 1;
                $words[ $place{$_} ] = $rate_of->($words[0]) for qw(GBps percent_of_limit);
                $words[ $place{limit_GBps} ] *= $slower;
                $words[ $place{GBps} ] = 1 if $slower < 1;
            }
            @words ? join ' ', @words : $_;
        } $bench =~ /^.*\n/mg);
        my ($status, $out, $err) = run($draw, $results);
        is("$status$out$err", '0', "a step is twice as fast as the one before, $slow_rounds slow rounds: draw.py ends with 0");
        is(join(', ', grep { /[×÷] \d/ } read_words("$results/ladder.svg")),
            '× 2.00, × 2.00, × 2.00, ÷ 2.00, × 8.00, × 2.00, × 4.00 from 06, × 8.00 from 06, × 2.00, × 2.00',
            '... and ladder.svg has the factor of each step');
        like(describe_picture("$results/ladder.svg"), qr/step 06 two_stage gains most, a factor of 8, and step 11/, '... and so do its words');
    }
    like(describe_picture("$results/ladder.svg"), qr/ step 11 single_pass reaches 64\.0 %/, '... which have the share of the last step');
    unlink "$results/bench.dat", find_files($results, '*.svg');
    my ($status, $out, $err) = run($draw, $results);
    is("$status$out$err" . (-e "$results/ladder.svg" ? ' and a ladder' : ''), '0', 'without bench.dat: no ladder');
}

# The bytes in flight: if the memory answers after 4000 ns, the picture and its words must say so, although a geometry may have more
# work-items than a compute unit holds.
SKIP: {
    skip 'no gnuplot', 1 unless $version;
    my ($results, $limit, $latency) = (make_folder() . '/flight', 3000, 4000);
    run('mkdir', '-p', "$results/tune");
    my $data = slurp("$root/plots/results/h200/tune/step07.dat");
    $data =~ s{^(\w+ (\d+) \w+ (\d+) \d+ (\d+) \d+) \S+ (\S+ \S+) \S+}{
        my $rate = ($3 * $4 < 2048 ? $3 * $4 : 2048) * 132 * $2 * 4 / $latency;
        $rate = $limit if $rate > $limit;
        join ' ', $1, $rate, $5, 100 * $rate / $limit;
    }gme;
    spew("$results/tune/step07.dat", $data);
    my ($status, $out, $err) = run($draw, $results);
    is("$status$out$err", '0', 'a memory with a latency of 4000 ns: draw.py ends with 0');
    is(join(', ', sort grep { /limit|bytes \// } read_words("$results/flight.svg")),
        'bytes / 4000 ns, limit × latency = 12 MB, read limit, 3000 GB/s', '... and flight.svg shows this latency');
    like(describe_picture("$results/flight.svg"), qr{\bbytes / rate is 4000 to 4000 ns\. The median, 4000 ns,.* 12 MB in flight},
        '... and so do its words');
    spew("$results/tune/step07.dat", $data =~ s/^# device: .*/# device: CUDA \/ another GPU/mr);
    unlink find_files($results, '*.svg');
    run($draw, $results);
    is(join(' ', keys %{ { list_pictures($results) } }), 'tune_07.svg', '... but not of a GPU whose number of work-items is unknown');
}

# Two folders of one CPU must say so.
like(slurp("$root/plots/results/all_devices.svg"), qr/AMD EPYC \(pocl\): the same CPU, another runtime/, 'all_devices.svg: one CPU');
like(describe_picture("$root/plots/results/all_devices.svg"), qr/ intel-cpu and pocl are one CPU with two runtimes\. /,
    '... with two runtimes');

# The table must not use a bench of another operation, of few elements, or without some steps.
for my $other ('of a minimum', $test_all ? ('of 2^16', 'without some steps') : ()) {
    my $results = make_folder() . '/other';
    run('cp', '-r', "$root/plots/results/pocl", $results);
    my ($with) = (run("$root/plots/table.py", $results))[1];
    my $text = slurp("$results/bench.dat");
    $text =~ s/^# operator: sum$/# operator: min/m if $other =~ /minimum/;
    $text =~ s/\b134217728\b/65536/g             if $other =~ /2\^16/;
    if ($other =~ /some/) {
        my $gone = $text =~ s/^11 .*\n//mg;
        $text =~ s/^# rows: \K(\d+)/$1 - $gone/me;
    }
    spew("$results/bench.dat", $text);
    my ($without) = (run("$root/plots/table.py", $results))[1];
    ok($with =~ /n = 2\^27, .*in turn/ && $without =~ /n = 2\^26\.$/m, "table.py does not use a bench $other") or diag($without);
    run('rm', '-r', $results);
}

# First one step, then all steps lack the read limit. Then everything that needs the limit must be empty.
SKIP: {
    skip 'make test-all tries it', 1 unless $test_all;
    skip 'no gnuplot', 1 unless $version;
    my $results = make_folder() . '/no limit';
    run('cp', '-r', "$root/plots/results/pocl", $results);
    unlink "$results/bench.dat", find_files($results, '*.svg'); # bars and table would use it instead of the other files
    # the number of these points, including those of another line
    my $count_points = sub { return scalar(() = slurp("$results/all.svg") =~ /#gpPt6/g) };
    run($draw, $results);
    my $all_points = $count_points->();
    my %steps = map { m{/(\d\d)_[^/]*$} ? ($1 => $_) : () } grep { slurp($_) =~ /^# main: yes/m } find_files($results, '*.sum.int.dat');
    for my $without_limit (['06'], [ sort keys %steps ]) {
        for my $file (@steps{@$without_limit}) {
            my $text = slurp($file);
            $text =~ s/^(\d+(?: \S+){15})(?: \S+){5}/$1 nan nan nan nan nan/mg; # from percent_of_limit to read_kernel
            spew($file, $text);
        }
        my ($status, $out, $err) = run($draw, $results);
        is("$status" . ($err =~ s/^Warning: empty x range.*\n//mr), '0',
            "no read limit in @$without_limit: draw.py ends with 0") or diag($err);
        is($all_points - $count_points->(), @$without_limit == 1 ? 0 : 17, '... each n shows the limit that another step measured, if any');
        my $bars = () = slurp("$results/bars.svg") =~ / %  \(/g; # each bar has a number
        is($bars, keys(%steps) - @$without_limit, '... only the steps with a limit have a bar');
        ($status, $out) = run("$root/plots/table.py", $results);
        is(join(' ', $out =~ /^\| (\d\d) [^|]*\|[^|]*\| - (?:\(.*?\) )?\|/mg), "@$without_limit",
            '... and the table has no value for them');
    }
}

# The pictures of peers: a file without peers, and a file with a wrong peer.
SKIP: {
    skip 'make test-all tries it', 1 unless $test_all;
    skip 'no gnuplot', 1 unless $version;
    my $results = make_folder() . '/peers only';
    run('mkdir', '-p', "$results/peers");
    spew("$results/peers/min.float.dat", slurp("$root/plots/results/pocl/peers/min.float.dat") =~ s/^(?:peer|# rows:) .*\n//mgr . "# end\n");
    spew("$results/peers/sum.int.dat", slurp("$root/plots/results/pocl/peers/sum.int.dat")
        =~ s/^(peer openmp - \d+ (?:\S+ ){4})right/$1wrong/mgr);
    my ($status, $out, $err) = run($draw, $results);
    is("$status$out$err", '0', 'only our kernels, and a wrong peer: draw.py ends with 0');
    like(slurp("$results/peers_sum_int.svg"), qr/>openmp, wrong at \d+ n</, '... and the key marks the wrong peer');
}

# Faulty data: draw.py must print one line that names the file and the line, and draw no picture.
SKIP: {
    skip 'no gnuplot', 1 unless $version;
    my $file = '01_host.sum.int.dat'; # step 01 is compared with no other step
    my $whole = in_older_form(slurp("$root/plots/results/pocl/$file"));
    my $try = sub { # calls draw.py with this text of the file, and returns its output and the pictures
        my $results = make_folder() . '/one';
        run('rm', '-rf', $results);
        run('mkdir', '-p', $results);
        defined $_[0] ? spew("$results/$file", $_[0]) : mkdir "$results/$file";
        my ($status, $out, $err) = run($draw, $results);
        return ("$status $out$err", join ' ', map { slurp($_) } find_files($results, '*.svg'));
    };
    my $lines = () = $whole =~ /\n/g;
    for (
        [ 'cut short',       $whole =~ s/ \S+ \S+\n\z//r,
            qr/\A2 draw\.py: \S.*\Q$file\E, line $lines: \d+ words, not \d+.*\n\z/ ],
        [ 'no number',       $whole =~ s/^(1024 )\d+/$1many/mr,
            qr/\A2 draw\.py: .*\Q$file\E, line \d+: bytes is many.*\n\z/ ],
        [ 'another version', $whole =~ s/ limit_GBps/ limit/r,
            qr/\A2 draw\.py: .*\Q$file\E, line \d+: no column limit_GBps.*\n\z/ ],
        [ 'no header',       $whole =~ s/^# compared with.*\n//mr,
            qr/\A2 draw\.py: .*\Q$file\E: no line '# compared with: .*\n\z/ ],
        [ 'cut at the end of a line', $whole =~ s/^.*\n\z//mr,
            qr/\A2 draw\.py: .*\Q$file\E, line @{[$lines - 1]}: 16 rows, not 17: .*\n\z/ ],
        [ 'empty',           '',                                      qr/\A2 draw\.py: .*\Q$file\E: no row.*\n\z/ ],
        [ 'a folder',        undef,                                   qr/\A2 draw\.py: .*\Q$file\E: Is a directory\n\z/ ],
        [ 'binary',          join('', map { chr } 0 .. 255),          qr/\A2 draw\.py: .*\Q$file\E, line \d+: no column n.*\n\z/ ],
        [ 'negative',        $whole =~ s/^1024 /-1024 /mr,
            qr/\A2 draw\.py: .*\Q$file\E, line \d+: n is -1024, which is not a number of at least 1\n\z/ ],
    ) {
        my ($what, $text, $says) = @$_;
        my ($said, $pictures) = $try->($text);
        like($said, $says, "data that is $what: one line");
        is($pictures, '', '... and no picture');
    }
    my $turn = sub { return join '', map { /^#/ ? $_ : join(' ', reverse split) . "\n" } split /^/, $_[0] };
    # The same faults in the other kinds of files, and in the data of the articles' figures, for each program that reads them.
    for (grep { $test_all } (map { ["../../published/$_.dat", $draw] } qw(peri jin catz eigen_rowsum eigen_total)),
        ['peers/sum.int.dat', $draw], ['tune/step07.dat', $draw], ['article-peri/02_global.sum.int.dat', $draw],
        ['article-eigen/12_parts.dat', $draw], ['article-eigen/12_solve.dat', $draw], ['bench.dat', "$root/plots/table.py",
            '--bench'],
        ['tune/step07.dat', "$root/plots/table.py", '--tune']) {
        my ($kind, @command) = @$_;
        my $plots = make_folder() . '/kinds';
        my $results = "$plots/results/pocl";
        run('rm', '-rf', $plots);
        run('cp', '-r', "$root/plots", $plots);
        unlink find_files($results, '*.svg');
        $command[0] = "$plots/" . ($command[0] =~ m{([^/]+)$})[0];
        my $whole = in_older_form(slurp("$results/$kind"));
        for (['cut short', $whole =~ s/ \S+ \S+\n\z//r, qr/line \d+: \d+ words, not \d+/],
            [ 'cut at the end of a line', $whole =~ s/^.*\n\z//mr, qr/line \d+: (?:\d+ rows, not \d+|no row in the file)/ ], [ 'empty',
                '', qr/no row in the file/ ],
            [ 'cut within its last word', $whole =~ s/.\n\z//r, qr/line \d+: (?:no end of line|\S+ is \S+, which is not a number)/ ],
            [ 'in another order', $turn->($whole), qr/line \d+: columns in another order/ ],
            [ 'of another version', $whole =~ s/^((?!#).*?)\b(wall_med|wall|seconds|GBps|n|ours)\b/$1$2s/mr,
                qr/line \d+: no column \w+/ ]) {
            my ($what, $text, $says) = @$_;
            spew("$results/$kind", $text);
            my ($status, $out, $err) = run(@command, $command[-1] eq '--tune' ? "$results/$kind" : $results);
            like("$status $out$err", qr/\A2 \w+\.py: \S.*\Q@{[$kind =~ s{^(\.\.\/)+}{}r]}\E(?:, |: )$says.*\n\z/,
                "$kind that is $what, by @{[$command[0] =~ m{([^\/]+)$}]}: one line");
            is(join(' ', list_pictures($results)), '', '... and no picture');
        }
    }
    # A mistake that no code expects: the line names the place in the data that was used last.
    my $at = () = slurp("$root/plots/results/pocl/$file") =~ /^(?:# (?!end)|n ).*\n/mg;
    my ($status, $out, $err) = run('python3', '-c', 'import sys; sys.path.insert(0, sys.argv[1]); import data; '
            . 'data.start(lambda words: 1 / (data.Data(words[1]).rows[0].n - 1024))', "$root/plots", "$root/plots/results/pocl/$file");
    like("$status $out$err", qr/\A2 [^\n]*\Q$file\E, line @{[$at + 1]}, column n: ZeroDivisionError: [^\n]*\n\z/,
        'an unexpected mistake: one line with the place');
    my ($turned) = $try->($turn->($whole));
    like($turned, qr/\A2 draw\.py: .*\Q$file\E, line \d+: columns in another order than in columns\.ini.*\n\z/,
        'columns in another order: one line');
    my ($said, $usual_pictures) = $try->($whole);
    is($said, '0 ', 'the committed data: draw.py ends with 0');
    # Older files contain the number of their rows. Newer files end with '# end', and have no columns error and bound.
    my $new = $whole =~ s/^# rows: .*\n//mr =~ s/ error bound verdict$/ verdict/mr =~ s/ 0 0 (\w+)$/ $1/mgr;
    my $rows = () = $new =~ /^\d/mg;
    for ([ 'in the newer format', "$new# end\n", qr/\A0 \z/ ],
        [ 'interrupted', $new, qr/\A0 draw\.py: .*\Q$file\E has no line '# end': .* after $rows rows, which are used\n\z/ ],
        [ 'interrupted after a remark', "$new# n = 1 left out: remark\n",
            qr/\A0 draw\.py: .*\Q$file\E has no line '# end': .*\n\z/ ]) {
        my ($what, $text, $says) = @$_;
        my ($said, $pictures) = $try->($text);
        like($said, $says, "data $what");
        is($pictures, $usual_pictures, '... and the same pictures');
    }
    # One n: its tick is the only one.
    $try->(($new =~ s/^(?!2048 )\d.*\n//mgr) . "# end\n");
    for my $name (qw(all wall)) {
        my @ticks = slurp(make_folder() . "/one/$name.svg") =~ />2<\/tspan>\s*<tspan [^>]*>(\d+)</g;
        is("@ticks", 11, "$name.svg of n = 2^11 alone: the axis has a tick there");
    }
    ($said) = $try->(substr $new, 0, -4);
    like($said, qr/\A2 draw\.py: .*\Q$file\E, line \d+: (?:no end of line|\d+ words, not \d+): .*\n\z/,
        'data that ends within a line: one line');
    ($said, my $pictures) = $try->($whole =~ s/^# compared with: \K.*/05/mr);
    like($said, qr/\A2 draw\.py: .*\Q$file\E: is compared with step 05, but this folder has no data of that step\n\z/,
        'the data of a step that another is compared with is missing: one line');
    is($pictures, '', '... and no picture');
}

# A missing file: of an article's kernel that this device supports, or of a step that another step is compared with. Every program
# that reads the file must fail. In the last case gnuplot prints a complaint but draws the picture, and draw.py must fail.
SKIP: {
    skip 'make test-all tries it', 1 unless $test_all;
    skip 'no gnuplot', 1 unless $version;
    my $plots = make_folder() . '/plots'; # beside the copies of the texts, which show its pictures
    for (
        [ 'results/pocl/article-peri/02_strided.sum.int.dat', qr/article-peri: no data of 02_strided, and no section in cannot\.ini/,
            [qw(draw.py results/pocl)] ],
        [ 'results/pocl/article-peri/cannot.ini',             qr/article-peri: no data of 09_work_group, and no section/,
            [qw(draw.py results/pocl)] ],
        [ 'results/pocl/06_commutative.sum.int.dat',
            qr/\w+\.sum\.int\.dat: is compared with step 06, but this folder has no data of that step/,
            [qw(draw.py results/pocl)], [qw(draw.py results)], [qw(table.py results/pocl)], ['book/docs.py'] ],
        [ 'results/pocl/11_*.sum.int.dat',
            qr/pocl\/bench\.dat: has step 11, but there is no file of its main variant beside it/,
            [qw(draw.py results/pocl)], [qw(draw.py results)], ['book/docs.py'] ],
        [ 'published/differences.ini.end', qr/differences\.ini: no end of line: was it cut short\?/,
            ['book/docs.py'] ],
        [ 'results/h200', qr/h200: no \.dat file of a main variant of sum of int/, ['book/docs.py'] ],
        [ 'results/h200/[01]*.dat', qr/h200: no (?:\.dat file|data) of a main variant of sum of int/, [qw(draw.py results)],
            ['book/docs.py'] ],
        [ 'results/h200/bench.dat', qr/h200\/bench\.dat: no data for ladder\.svg/, ['book/docs.py'] ],
        [ 'bars.gp', qr/bars\.svg could not be drawn: .*undefined.*nowhere/, [qw(draw.py results/pocl)] ],
    ) {
        my ($path, $says, @commands) = @$_;
        run('rm', '-rf', $plots);
        run('cp', '-r', "$root/plots", $plots);
        run('cp', '-r', map({ "$root/$_" } @for_docs), make_folder());
        unlink find_files($plots, 'results/*.svg'), find_files($plots, 'results/*/*.svg');
        if ($path =~ s/\.end$//) {
            spew("$plots/$path", substr slurp("$plots/$path"), 0, -9);
        } elsif ($path =~ /gp$/) {
            spew("$plots/$path", slurp("$plots/$path") =~ s/^plot /print nowhere\nplot /mr);
        } else {
            run('rm', '-r', find_files($plots, $path));
        }
        for (@commands) {
            my ($command, $what) = @$_;
            my ($status, $out, $err) = run("$plots/$command", $what ? "$plots/$what" : ());
            my ($name) = $command =~ /(\w+\.py)/;
            like("$status $err", qr/\A2 $name: .*$says.*\n\z/, "without $path, $name: one line");
        }
        is(join(' ', list_pictures("$plots/results/pocl"), list_pictures("$plots/results")), '', '... and no picture');
    }
}

# After an interrupt, such as Ctrl-C, no unfinished picture may be left, and old pictures must be unchanged. This gnuplot never
# ends.
for my $signal (qw(INT TERM)) {
    my $folder  = make_folder() . "/$signal";
    my $results = "$folder/results/pocl";
    run('mkdir', '-p', $results, "$folder/bin", "$folder/tmp");
    spew("$folder/bin/gnuplot",
        "#!/bin/sh\n[ \"\$1\" = --version ] && exit\necho half\necho begun >'$folder/begun'\nsleep 600\n");
    chmod 0755, "$folder/bin/gnuplot";
    spew("$results/01_host.sum.int.dat", slurp("$root/plots/results/pocl/01_host.sum.int.dat"));
    spew("$results/all.svg", 'as before');
    my $child = fork // die "fork: $!";
    if (!$child) {
        setpgrp;
        @ENV{qw(PATH TMPDIR)} = ("$folder/bin:$ENV{PATH}", "$folder/tmp");
        open STDERR, '>', '/dev/null';
        exec $draw, $results or die "$draw: $!\n";
    }
    my @begun; # the file that shows that gnuplot is drawing
    for (1 .. 6000) { # until gnuplot has begun, or five minutes have passed
        last if @begun = grep { -s } "$folder/begun";
        select undef, undef, undef, 0.05;
    }
    kill $signal => -$child;
    waitpid $child, 0;
    is(scalar @begun, 1, "draw.py, $signal: the signal arrives while gnuplot draws");
    isnt($?, 0, '... and draw.py does not end with 0');
    is(join(' ', map { s{.*/}{}r } map { find_files($_, '*') } $results, "$folder/tmp"), '01_host.sum.int.dat all.svg',
        '... no unfinished file is left');
    is(slurp("$results/all.svg"), 'as before', '... and the old picture is unchanged');
}

{
    my $copy = make_folder() . '/copy';
    mkdir $copy;
    run('cp', '-r', map({ "$root/$_" } 'plots', @for_docs), $copy);
    mkdir "$copy/plots/results/gpu";
    # a folder with only the data of make peers must appear in no table
    run('cp', '-r', "$copy/plots/results/h200/peers", "$copy/plots/results/gpu");
    my @texts = ('README.md', 'TUTORIAL.md', map { "plots/$_/README.md" } qw(results peers published));
    my ($words, $ends, $of) = ("import sys; sys.path.insert(0, '$copy/plots'); import captions, draw, pathlib\n"
        . "results = pathlib.Path('$copy/plots/results')\n"
        . "for folder in [results, *filter(pathlib.Path.is_dir, sorted(results.iterdir()))]:\n"
        . "  for name, *_ in draw.list_pictures(folder): print(*captions.describe_picture(folder / f'{name}.svg'), sep='|')");
    ($ends, $words, $of) = run('python3', '-c', $words);
    is("$ends$of" . (() = $words =~ /^[^|\n]{40,}\|[A-Z][^|\n]{20,}\.$/mg), '0' . (() = $words =~ /\n/g),
        'each picture has alt text and a sentence, even if no text shows it');

    # If a description of a picture or a table in a text does not agree with the data, docs.py must correct it. One call corrects
    # all texts. docs.t tests that docs.py changes nothing else.
    for my $path (@texts) {
        my $text = slurp("$copy/$path");
        is(scalar(() = $text =~ /^!\[[^]\n]+\]\([^)]*\.svg\)\n(?:\S.*\n)+(?<=\.\n)(?:\n|\z)/mg), scalar(() = $text =~ /^!\[/mg),
            "$path: alt text and a sentence for each of its pictures");
        spew("$copy/$path", $text =~ s/^(!\[.*)\w(?=\W*\]\()(.*\n.*)\w/$1#$2#/mgr =~ s/^<!-- \w+ -->\n\K(.*\n){5}//mgr);
        isnt(slurp("$copy/$path"), $text, '... the test changes descriptions and tables');
    }
    my $file = "$copy/plots/results/h200/tune/step07.dat";
    spew($file, slurp($file) =~ s/^(vector 8 tuner(?: [\d.]+){4}) [\d.]+ /$1 9999 /mr);
    my ($status, $out, $err) = run("$copy/plots/book/docs.py");
    is("$status$err", '0', '... docs.py ends with 0');
    is(join(' ', grep { slurp("$copy/$_") ne slurp("$root/$_") } @texts), 'TUTORIAL.md plots/results/README.md',
        '... and corrects all texts; only the texts that show changed data differ from the committed ones');
    like(slurp("$copy/TUTORIAL.md"), qr/^!\[.* with 9999 GB\/s\]/m, '... and contains the new number');
    for (['published/differences.ini', sub { s/^\QComputeParallel7\E/ComputeParallel77/mr },
        qr/--variants prints no variant for ComputeParallel77 of GUIDE/],
        [ 'published/differences.ini', sub { s/^ComputeParallel7\K =/:/mr }, qr/a line is neither \[section\] nor name = value, .* \[line +\d+\]/ ]) {
        my ($list, $wrong, $says) = @$_;
        my $right = slurp("$copy/plots/$list");
        spew("$copy/plots/$list", map { $wrong->() } $right);
        ($status, $out, $err) = run("$copy/plots/book/docs.py");
        like("$status$out$err", qr/\A2docs\.py: \S.*\Q$list\E: $says.*\n\z/, "a wrong line in $list: one line");
        spew("$copy/plots/$list", $right);
    }
    my $old = "$copy/plots/results/pocl/tune_99.svg";
    spew($old, '');
SKIP: {
        skip 'no gnuplot', 1 unless $version;
        ($status, $out, $err) = run("$copy/plots/draw.py", "$copy/plots/results/pocl");
        like("$status$out$err", qr/\A2draw\.py: \Q$old\E: the folder has no data for this picture, or .*\n\z/,
            'an old picture whose data no longer exists: one line');
    }
}

done_testing();
