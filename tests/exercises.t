#!/usr/bin/perl
# Each exercise on each CPU device: its start is wrong or told what it lacks, its solution is right, each wrong answer of its judge.toml
# is named by the sentence that stands there. Then what else may happen in mine/. With Oclgrind where the solution is right and where
# nothing else sees what is wrong; without it once for each, on the last device.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Path qw(make_path remove_tree);
use Steps;
use Test::More;

my @devices = grep { $_->{kind} eq 'CPU' } devices();
plan skip_all => 'no CPU device' unless @devices;
my $here = "build/exercises.$$"; # below the root: make cannot stand a space in it
my $script = "$root/steps/exercises/exercise.py";
my $parent = $$;
END { remove_tree("$root/$here") if defined $here && $$ == $parent }
chdir $root or die "$root: $!\n";

sub judged { # exit status and what is said, in a mine/ of its own
    my ($mine, $what, $number) = @_;
    local $ENV{MINE} = $mine;
    my ($status, $out, $err) = run($script, $what, $number // ());
    return ($status, ($out . $err) =~ s/\s*\n\s*/ /gr);
}

# What is right: the exercise's own solution, else the step's plan and kernel.
sub solution {
    my ($folder, $ending) = @_;
    my ($number) = $folder =~ m{/(\d\d)_};
    return slurp("$folder/solution.$ending") if -e "$folder/solution.$ending";
    return slurp(step_source($number)) if $ending eq 'c';
    my ($variant) = slurp("$folder/judge.toml") =~ /^variant = "(\w+)"/m;
    my ($kernel) = (run("$root/step$number", '--variants'))[1] =~ /^$variant +(\S+)/m;
    return slurp("$root/kernels/$kernel");
}

sub try_all { # of one exercise: a list of [ name, ok, what was said ]
    my ($folder) = @_;
    my ($number) = $folder =~ m{/(\d\d)_};
    my @endings = map { /start\.(\w+)$/ } glob "$folder/start.*";
    my (undef, $wrong) = split /^\[wrong\].*\n/m, slurp("$folder/judge.toml");
    my @wrong = $wrong =~ /^(\w+) = "(.*)"$/mg;
    my @tried = ([ "$number has three wrong answers or more", @wrong >= 6, '' ]);
    my $mine = "$here/$number";
    for my $device (@devices) {
        my $name = "$number on $device->{name}";
        local $ENV{DEVICE} = $device->{number};
        remove_tree($mine);
        my ($begun) = judged($mine, 'start', $number);
        my ($status, $said) = judged($mine, 'check', $number);
        my $todo = grep { /TODO/ } map { split /\n/, slurp($_) } glob "$folder/start.*";
        push @tried, [ "$name: the start has one TODO for each file at most, and lacks something",
            $begun == 0 && $todo == 1 && $status == 1 && $said =~ /: no / && $said !~ /does not compile/, $said ];

        spew("$mine/$number.$_", solution($folder, $_)) for @endings;
        {
            local $ENV{PATH} = without_oclgrind() if @devices > 1 && $device == $devices[-1];
            ($status, $said) = judged($mine, 'check', $number);
            push @tried, [ "$name: the solution is right", $status == 0 && $said =~ / Right\. \w.* Further: \w.*\byours +\w+ +4194304 /, $said ];
        }
        ($status, $said) = judged($mine, 'progress');
        push @tried, [ "$name: and it is noted", $said =~ /\b$number \w+ +\d+ min  right /, $said ];

        my @rest = @wrong;
        while (my ($case, $sentence) = splice @rest, 0, 2) {
            my ($mutant) = grep { -e } map { "$_/$case.mutant" } $folder, "$root/tests/mutants";
            my $text = $mutant ? broken(read_mutant($mutant)) : slurp("$folder/$case.cl");
            my $ending = $mutant && read_mutant($mutant)->{file} =~ /\.c$/ ? 'c' : 'cl';
            spew("$mine/$number.$_", $_ eq $ending ? $text : solution($folder, $_)) for @endings;
            ($status, $said) = judged($mine, 'check', $number);
            push @tried, [ "$name: $case: named", $status == 1 && scalar($said =~ $sentence), "exit $status, not '$sentence': $said" ];
        }
    }
    return \@tried;
}

sub without_oclgrind { # a PATH with everything but that
    my $folder = temporary() . '/bin';
    if (mkdir $folder) {
        for my $at (map { glob "'$_'/*" } split /:/, $ENV{PATH}) {
            symlink $at, $folder . '/' . ($at =~ s{.*/}{}r) unless $at =~ /oclgrind/;
        }
    }
    return $folder;
}

make_path("$root/$here");
my @folders = grep { $_ =~ ($ENV{ONLY} // q(.)) } glob "'$root'/steps/exercises/[0-9][0-9]_*";
for (map { @$_ } in_parallel(\&try_all, @folders)) {
    my ($name, $ok, $said) = @$_;
    ok($ok, $name) or diag($said);
}

# ---- what else may happen
my $mine = "$here/bad";
my ($first) = map { /(\d\d)_/ } $folders[0];
for (['check', '99', 2, qr/^exercise: 99: there is no such exercise; there are 02 03 /], ['check', '04', 2, qr/^exercise: 04 is not begun: make exercise04/],
    ['reset', '04', 2, qr/^exercise: 04 is not begun: make exercise04/], ['start', '04', 0, qr{^\Q$mine\E/04.cl is yours now}],
    ['start', '04', 0, qr/is there already, and stays as it is/]) {
    my ($what, $number, $expected, $sentence) = @$_;
    my ($status, $said) = judged($mine, $what, $number);
    ok($status == $expected && scalar($said =~ $sentence), "$what $number: exit $expected, $sentence") or diag("exit $status: $said");
}
my $head = 'kernel void reduce(global const int *in, ulong n, global int *out, local int *scratch)';
for (['does not compile', '{ out[0] = nothing; }', qr/ compiles: no .*nothing/],
    ['never ends', '{ volatile int one = 1; while (one) {} }', qr/does each loop end/],
    ['crashes', '{ *(volatile global int *)0 = 1; }', qr/the OpenCL runtime crashed|Invalid write/],
    ['writes out of bounds', '{ out[get_num_groups(0) + get_global_id(0)] = in[0]; }', qr/behind the end of out|out of bounds|Invalid write/],
    ['prints TAP', '{ if (get_global_id(0) == 0) printf("ok 1 - all\n1..1\n"); }', qr/ right for n = 4096: no /]) {
    my ($what, $body, $sentence) = @$_;
    for my $device (@devices) {
        local $ENV{DEVICE} = $device->{number};
        spew("$mine/04.cl", "$head $body\n");
        my ($status, $said) = judged($mine, 'check', '04');
        ok($status == 1 && scalar($said =~ $sentence), "a kernel that $what, on $device->{name}: $sentence") or diag("exit $status: $said");
    }
}
is((run('pgrep', '-f', "kernel $mine/0[4].cl"))[1], '', 'no process is left');
my ($status, $said) = judged($mine, 'reset', '04');
ok($status == 0 && slurp("$mine/04.1.cl") =~ /printf/ && slurp("$mine/04.cl") eq slurp("$folders[0]/../04_commutative_tree/start.cl"),
    'reset keeps the old file and begins again') or diag($said);
judged($mine, 'reset', '04');
ok(-e "$mine/04.2.cl" && slurp("$mine/04.1.cl") =~ /printf/, 'and again, under another name');

# No room: what is written is cut off at 0 bytes, as on a full disk.
my @full = ('bash', '-o', 'pipefail', '-c', '(ulimit -f 0; trap "" XFSZ; exec "$@") 2>&1 | cat', 'bash');
$ENV{MINE} = $mine;
spew("$mine/04.cl", my $learner = slurp("$root/kernels/04_commutative_tree.cl"));
for (['reset', 2, qr/^exercise: .*nothing of yours is lost$/], ['check', 0, qr/right, but not noted in/]) {
    my ($what, $expected, $sentence) = @$_;
    my ($status, $out, $err) = run(@full, $script, $what, '04');
    ok($status == $expected && $out =~ $sentence && slurp("$mine/04.cl") eq $learner && !-e "$mine/04.3.cl", "$what on a full disk: exit $expected, $sentence")
        or diag("exit $status: $out$err");
}
($status, $said) = judged('/proc/mine', 'start', '04');
ok($status == 2 && $said =~ m{^exercise: /proc/mine: .*nothing of yours is lost}, 'mine/ cannot be made: one line') or diag($said);
done_testing();
