#!/usr/bin/perl
# Tests the pictures of access orders. The committed pictures must equal, byte for byte, those that the kernels give today, on
# each CPU: on a GPU steps 10 and 11 read batches instead of chunks. make picture must draw a learner's kernel, with its mistakes in
# red. If it cannot record a kernel, it must print one line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use POSIX qw(mkfifo);
use Steps;
use Test::More;

my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
my $copy = copy_tree(qw(plots steps kernels common Makefile .ci build), (map { "step$_" } '00', @steps), @judges);
my $picture = "$copy/plots/book/picture.py";
my $mine = "$copy/mine";
mkdir $_ for $mine, "$copy/all";

sub read_pictures { return map { m{([^/]+)\.svg$} ? ($1 => slurp($_)) : () } find_files($_[0], '*.svg') }
my %committed = read_pictures("$root/plots/book/pictures");
my %moving = map { $_ => delete $committed{$_} } grep { $committed{$_} =~ /\@keyframes/ } keys %committed;
is(join(' ', sort keys %moving), 'access arrival trees', 'the moving pictures are committed');
unlike($_, qr/<script|href|fill="#(?:fff)|white/, '... without a script, and with colours for light and dark') for values %moving;
my ($wide, $font) = $moving{access} =~ /viewBox="0 0 (\d+) .*?font-size="(\d+)"/;
cmp_ok($font * 390 / $wide, '>', 9, 'the words of access.svg have 9 pixels on a telephone of 390 pixels');
is(join(' ', $moving{access} =~ /<text (?![^>]*class="access-(?:word|number)")[^>]*>/g), '', '... and all of them have a class');
like($moving{access} =~ s/<\/style>.*//sr, qr/prefers-color-scheme:dark\)\{\.access-word\{fill:#ccc\}\.access-number\{fill:#eee\}/,
    '... for which the style sheet has a colour on a dark page');
if ($test_all) {
    my ($status, $out, $err) = run("$copy/plots/book/moving.py", $copy);
    is("$status$out$err", '0', 'moving.py draws them');
    is(slurp("$copy/$_.svg"), $moving{$_}, "... and $_.svg equals the committed one") for sort keys %moving;
}
cmp_ok(scalar keys %committed, '>=', 7, 'at least seven pictures are committed');
for my $device ($test_all ? @devices : choose_fastest(@devices)) {
    local $ENV{REDUCE_DEVICE} = $device->{number};
    my ($status, $out, $err) = run($picture, '--all', "$copy/all");
    is("$status$out$err", '0', "$device->{name}: picture.py draws the pictures of the tutorial");
    my %drawn = read_pictures("$copy/all");
    is(join(' ', sort keys %drawn), join(' ', sort keys %committed), '... all of them');
    is(join(' ', grep { ($drawn{$_} // '') ne $committed{$_} } sort keys %committed), '',
        '... and each equals the committed one');
}

# The picture of step 06 shows which work-item reads which element, and when. In it x is 26 + 20 * element + 10, and y is
# 46 + 26 * iteration + 19.
my @reads;
while ($committed{'06_commutative'} =~ /<text x="(\d+)" y="(\d+)" font-size="18">(\d)</g) {
    push @reads, [ ($1 - 36) / 20, ($2 - 65) / 26, $3 ];
}
is(scalar @reads, 35, '06: the picture shows 35 reads');
is(scalar(grep { $_->[2] == $_->[0] % 8 && $_->[1] == int($_->[0] / 8) } @reads), 35,
    '... each by the work-item and in the iteration that the grid stride gives');
for (sort keys %committed) {
    like($committed{$_}, qr/<desc>Access order of [^<]{120,250}<\/desc>/, "$_: alt text");
    unlike($committed{$_}, qr/fill="#(?:000|fff)|white|black|#d33/,
        '... no colour that is unreadable on light or dark, and nothing in red');
}

# ---- a learner's kernel, in test-all
if (!$test_all) {
    done_testing();
    exit;
}
my %kernels = (
    right    => slurp("$root/kernels/06_two_stage.cl"),
    twice    => slurp("$root/kernels/06_two_stage.cl") =~ s/value all = identity\(\);/value all = load(in, 0);/r,
    lost     => slurp("$root/kernels/06_two_stage.cl") =~ s/i < n;/i + 3 < n;/r,
    beyond   => slurp("$root/kernels/06_two_stage.cl") =~ s/i < n;/i < n + 2;/r,
    raw      => slurp("$root/kernels/06_two_stage.cl") =~ s/load\(in, i\)/in[i]/r,
    broken   => slurp("$root/kernels/06_two_stage.cl") =~ s/load\(in, i\)/lod(in, i)/r,
    endless  => slurp("$root/kernels/06_two_stage.cl") =~ s/i \+= get_global_size\(0\)/i += 0/r,
    no_n     => "kernel void reduce(global const int *in, global int *out) { out[0] = in[0]; }\n",
);
spew("$mine/$_.cl", $kernels{$_}) for keys %kernels;
mkfifo("$mine/pipe.cl", 0600) or die "$mine/pipe.cl: $!\n";
my $draw = sub { return run('make', '-s', '--no-print-directory', '-C', $copy, 'picture', @_) };

my ($status, $out, $err) = $draw->('STEP=06', "KERNEL=mine/right.cl");
like("$status$err\n$out", qr/\A0\nbuild\/right\.svg\nAccess order of right, .*\n\z/,
    'make picture: prints the path of the picture and its description');
is(slurp("$copy/build/right.svg") =~ s/Access order of right/Access order of 06_two_stage/r, $committed{'06_commutative'},
    '... and draws the same picture as for the kernel of the step');
for ([ twice => '#d33" stroke-width' ], [ lost => '#d33">×' ], [ beyond => '#d33" stroke-width' ]) {
    my ($what, $red) = @$_;
    ($status, $out, $err) = $draw->('STEP=06', "KERNEL=mine/$what.cl");
    is("$status$err", "0picture.py: $what.cl: the sum is wrong; the elements that are read twice, past the end or not at all are red\n",
        "$what: exit 0, and a line that says what is red")
        unless $what eq 'beyond'; # the elements past the end are 0, so the sum is right
    like(slurp("$copy/build/$what.svg"), qr/\Q$red\E/, '... with red in it');
}
my $cannot = 'cannot be recorded: it';
for (
    [ 'raw',      "picture\\.py: the loads of raw\\.cl $cannot does not read with load\\(\\) or another function that record\\.clh replaces\n" ],
    [ 'endless',  "picture\\.py: mine/endless\\.cl $cannot does not end\n" ],
    [ 'no_n',     'picture: no_n\.cl: reduce has 2 arguments, but must take .*' . "\n" ],
    [ 'broken',   "picture: broken\\.cl: does not compile: broken\\.cl:14:.*\\blod\\b.*\n" ], # the first message of the compiler
    [ 'none',     "picture\\.py: KERNEL=mine/none\\.cl: no such file\n" ],
    [ 'pipe',     "picture\\.py: KERNEL=mine/pipe\\.cl: no ordinary file\n" ],
) {
    my ($what, $says) = @$_;
    ($status, $out, $err) = $draw->('STEP=06', "KERNEL=mine/$what.cl");
    like("$status$out$err", qr/\A2$says(?:make: .*\n)?\z/, "$what: one line that says so");
    ok(!-e "$copy/build/$what.svg", '... and no picture');
}

# A recorder that waits 25 s before it begins, as on a busy machine.
rename "$copy/build/record06", "$copy/build/slow06" or die $!;
chmod 0755, spew("$copy/build/record06", "#!/bin/sh\nsleep 25\nexec '$copy/build/slow06' \"\$@\"\n");
($status, $out, $err) = $draw->('STEP=06');
is("$status$err", '0', 'a recorder that needs 25 s by the clock: its picture is drawn');
rename "$copy/build/slow06", "$copy/build/record06" or die $!;

for (
    [ [], 'usage: make picture STEP=10 .*' ], [ ['STEP=99'], 'STEP=99: must be a step of the ladder, such as 10' ],
        [ ['STEP=01'], 'host has no kernel: its loop runs on the host' ],
    [ [ 'STEP=06', 'VARIANT=none' ], 'VARIANT=none: this step has no such variant.*' ], [ [ 'STEP=06', 'N=x' ],
        'N=x: must be a number of at least 1' ],
    [ [ 'STEP=06', 'GROUP=0' ], 'GROUP=0: must be a number of at least 1' ], [ [ 'STEP=07', 'WIDTH=3' ],
        'WIDTH=3: must be 1, 2, 4, 8 or 16' ],
    [ ['STEP=00'], 'STEP=00: must .*' ], [ ['STEP=12'], 'STEP=12: must .*' ],
    [ [ 'STEP=06', 'N=5000' ], 'N=5000: must be from 1 to 4096' ], [ [ 'STEP=06', 'WIDTH=4' ],
        'WIDTH=4: .* does not use a width' ],
) {
    my ($words, $says) = @$_;
    ($status, $out, $err) = $draw->(@$words);
    like("$status$out$err", qr/\A2picture(?:\.py)?: $says\nmake: .*\n\z/, "make picture @$words: one line");
}

# picture.py can record the main kernel of each step, and the kernels that read vectors, blocks, or in the last group.
for (map({ [$_] } grep { $_ > 1 } @steps), [ '08', 'vectorised' ], [ '10', 'vector_tree' ], [ '11', 'word' ]) {
    my ($step, $variant) = (@$_, '');
    ($status, $out, $err) = run($picture, "STEP=$step", "VARIANT=$variant");
    next if $err =~ /this device|emulated/; # not supported here
    is("$status$err", '0', "step $step $variant: picture.py records it, and the result is right");
}

done_testing();
