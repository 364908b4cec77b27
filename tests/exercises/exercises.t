#!/usr/bin/perl
# Tests each exercise on each CPU device: the start is wrong or incomplete, the solution is right, and each answer in judge.ini
# gets the verdict that judge.ini expects. An answer with right results that is not what the task asks is tried on one device, and
# so is another right answer. Then it tests other events with the files in mine/, such as a full disk. On the last device the
# solutions are judged without Oclgrind. Each start is tried on one device, on the devices in turn, because style.t compiles it as
# well. A solution that is the step's own kernel is tried on the first device, because check.t tries it on each. FULL=1 tries
# everything on each device.
#
# `make test` uses one device and tries no wrong answers. To judge a solution takes about ten seconds of processor time, so it
# judges only the solution of exercise 27 completely. Of the other exercises it judges the start, or, if the folder has a
# solution.cl, it checks the results of the solution at two sizes.
use strict;
use warnings;
no warnings 'qw'; # because a comma in qw() is intended here
use FindBin;
use lib "$FindBin::Bin/..";
use File::Path qw(make_path remove_tree);
use POSIX qw(mkfifo);
use Steps;
use Test::More;

my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
@devices = choose_fastest(@devices) unless $test_all; # in `make test`
# A copy, because its path has a space, as a learner's path may have.
my $copy   = copy_tree(qw(Makefile .ci common kernels steps build), (map { "step$_" } '00', @steps, @built_capstones), @judges);
my $here   = 'build/exercises'; # relative, because make allows no space in it
my $script = "$copy/steps/exercises/exercise.py";
my $has_oclgrind = has_oclgrind();
my $right = $has_oclgrind ? 0 : 77; # the exit status of a right answer
chdir $copy or die "$copy: $!\n";
END { chdir '/' } # because the copy is removed
make_path($here);

# Calls exercise.py with its own folder mine/. Returns the exit status and the output, joined into one line.
sub judge {
    my ($mine, $what, $number, $never_ends) = @_;
    local $ENV{MINE} = $mine;
    local $ENV{TIMEOUT} = $never_ends ? 10 : 300; # the machine may be busy
    local $ENV{REDUCE_CAUSE} = 1; # makes the steps print the kind of each failure
    my ($status, $out, $err) = run($script, $what, $number // ());
    return ($status, ($out . $err) =~ s/\s*\n\s*/ /gr);
}

# Makes a test from its name, the expected exit status and output, and the real ones. Returns [ name, passed, text for a failure
# ].
sub make_result {
    my ($name, $expected, $sentence, $status, $said) = @_;
    return [ "$name: exit $expected, $sentence", $status == $expected && $said =~ $sentence ? 1 : 0, "exit $status: $said" ];
}

# Returns the right answer: the solution in the folder of the exercise, otherwise the plan or the kernel of the step.
sub read_solution {
    my ($folder, $ending) = @_;
    my ($number) = $folder =~ m{/(\d\d)_};
    return slurp("$folder/solution.$ending") if -e "$folder/solution.$ending";
    return slurp(find_step_source($number)) if $ending eq 'c';
    my ($variant) = slurp("$folder/judge.ini") =~ /^variant = (\w+)/m;
    my ($kernel) = (run("$root/step$number", '--variants'))[1] =~ /^$variant +(\S+)/m;
    return slurp("$root/kernels/$kernel");
}

# Checks the results of a solution.cl as the judge does, but at two sizes only, and without any further question.
sub check_results {
    my ($folder, $number, $name) = @_;
    my ($rules) = split /^\[(?:property|wrong)/m, slurp("$folder/judge.ini");
    my ($variant, @further) = map { $rules =~ /^$_ = (.*)/m ? split ' ', $1 : () } qw(variant options data);
    my $program = -e "$folder/main.c" ? "build/judge_exercise$number" : "./judge$number";
    run(qw(make -s), $program) if $program =~ /^build/;
    my ($status, $out, $err) = run($program, '--device', $devices[0]{number}, '--variant', $variant, @further, qw(--tap --n 99,4096),
        $rules =~ /^grouped = no/m ? () : qw(--group 64), $program =~ /^build/ ? () : qw(--op sum --type int),
        "$folder/solution.cl");
    return make_result("$name: the results of the solution", 0, qr/^ok (?!.*# SKIP).*step/m, $status, $out . $err);
}

# Breaks a right answer. The program that measures it must name a command that a shell executes, and that finds the mistake.
sub try_named_judge {
    my ($mine, $program, $file, $old, $new, @kernel) = @_;
    my ($number, $ending) = split /\./, $file;
    my ($folder) = find_files($root, "steps/exercises/${number}_*");
    local $ENV{MINE} = $mine;
    my $text = read_solution($folder, $ending);
    spew("$mine/$file", $text =~ s/\Q$old/$new/r);
    run(qw(make -s), $program);
    my ($status, $out, $err) = run($program, '--device', $devices[0]{number}, qw(--n 2^17 --seconds 0), @kernel);
    my ($command) = $out =~ /^WRONG: .*\n  (make .*) says why$/m;
    return [ "$program names the command of a judge", 0, "exit $status: $out$err" ] unless $command;
    ($status, $out, $err) = run('bash', '-c', $command);
    # make picture would not know the plan of an exercise
    return make_result("$program: $command", 1, qr/\A(?!.*make picture).*^WRONG: /ms, $status, $out . $err);
}

# A plan that predicts nothing must not be shown with zeros.
sub test_unpredicted_plan {
    my ($mine) = @_;
    local $ENV{MINE} = $mine;
    spew("$mine/05.c", slurp(find_files($root, 'steps/exercises/05_*/start.c')));
    run(qw(make -s build/mine05));
    my ($status, $out, $err) = run('build/mine05', '--device', $devices[0]{number}, qw(--n 4096 --seconds 0));
    return make_result('the table of predictions of a plan without any', 0, qr/^kernel +16 x +256 +16 KiB(?: +-){5}\n/m, $status,
        $out . $err);
}

# The last lines of an answer that is wrong in the row only.
sub test_wrong_row {
    my ($status, $out, $err) = run('python3', '-c', <<'END', "$root/steps/exercises");
import sys, types
sys.path.insert(0, sys.argv[1])
import exercise
outputs = iter(["variant n\nassociative 4 1 ms ~\n", "note\nWRONG: associative at n = 4: x\n  make judge04 says why\nend\n"])
exercise.run = lambda command: (1, next(outputs))
answer = types.SimpleNamespace(rules={"variant": "associative"}, exercise=types.SimpleNamespace(number="04"), theirs=[], mine=[],
    has_own_step=False)
exercise.Judge.show_speed(answer)
END
    return make_result('a wrong row is shown with the command that explains it', 0,
        qr/^yours    WRONG: associative at n = 4: x\n  make judge04 says why\n\z/m, $status, $out . $err);
}

sub test_exercise { # the tests of one exercise
    my ($folder) = @_;
    my ($number) = $folder =~ m{/(\d\d)_};
    my @endings = map { /start\.(\w+)$/ } find_files($folder, 'start.*');
    my @answers = (split /^\[wrong\].*\n/m, slurp("$folder/judge.ini"))[1] =~ /^(\w+) = (.*)$/mg; # and those of [right]
    my $todos = () = join('', map { slurp($_) } find_files($folder, 'start.*')) =~ /TODO/g;
    my $mine = "$here/$number";
    my @solutions = find_files($folder, 'solution.*');
    my @tried = ([ "$number: at least three wrong answers, and one TODO", @answers >= 6 && $todos == 1, "$todos" ]);
    for my $device (@devices) {
        my $name = "$number on $device->{name}";
        local $ENV{DEVICE} = $device->{number};
        remove_tree($mine);
        my $is_judged = $test_all || $number == 27; # is the solution judged completely?
        if ($full || ($test_all || !@solutions) && $device == $devices[ $number % @devices ]) {
            judge($mine, 'start', $number);
            push @tried, make_result("$name: the start is incomplete", 1, qr/^(?!.* compiles: no ).*: no /, judge($mine, 'check',
                $number));
        }
        push @tried, check_results($folder, $number, $name) if @solutions && !$is_judged;
        make_path($mine);
        push @tried, try_named_judge($mine, 'build/mine05', '05.c', 'while (in.count > group_size)', 'while (in.count > 5000)')
            if $number eq '05' && $device == $devices[0];
        push @tried, test_unpredicted_plan($mine) if $number eq '05' && $device == $devices[0];
        push @tried, try_named_judge($mine, 'build/exercise11', '11.cl', 'i < n;', 'i < n - 1;', '--kernel', "$mine/11.cl")
            if $number eq '11' && $device == $devices[0];
        push @tried, try_named_judge($mine, 'build/exercise26', '26.cl', 'i < end;', 'i + 1 < end;', '--kernel', "$mine/26.cl")
            if $number eq '26' && $device == $devices[0];

        spew("$mine/$number.$_", read_solution($folder, $_)) for @endings;
        if ($full || $is_judged && (@solutions || $device == $devices[0])) {
            my $is_counted = @devices == 1 || $device != $devices[-1];
            local $ENV{OCL_ICD_VENDORS} = make_vendors() unless $is_counted;
            push @tried, make_result("$name: the solution", $is_counted ? $right : 77,
                qr/ (?:Right\.|as solved\.) \w.* Further: \S.*\b(?:step \d\d|solution) +(?!mine)\w.*\byours +\w.* 4194304 /,
                judge($mine, 'check', $number));
        }

        my @rest = $test_all ? @answers : ();
        while (my ($case, $sentence) = splice @rest, 0, 2) {
            # What Oclgrind counts does not depend on the device.
            next if !$full && $sentence =~ /\bright, but|Right/ && $device != $devices[ $number % @devices ];
            my ($mutant) = map { read_mutant($_) } grep { -e } map { "$_/$case.mutant" } $folder, "$root/tests/judge/mutants";
            # Without Oclgrind the judge only says that several mistakes look like a race or an invalid access.
            $sentence .= '|cause: unknown' if !$has_oclgrind && $sentence =~ /\b(?:race|invalid_access|Uninitialized)\b/;
            my ($ending) = $mutant->{file} =~ /\.(\w+)$/;
            my $text = break_source($mutant) // die "$case: does not fit its file\n";
            spew("$mine/$number.$_", $_ eq $ending ? $text : read_solution($folder, $_)) for @endings;
            push @tried, make_result("$name: $case", $sentence =~ /^Right/ ? $right : 1, qr/$sentence/, judge($mine, 'check', $number,
                $sentence =~ /never_ends/));
        }
    }
    return \@tried;
}

sub test_files_in_mine {
    my ($mine, @tried) = ("$here/else");
    push @tried, make_result("$_->[0] $_->[1]", $_->[2], $_->[3], judge($mine, $_->[0], $_->[1]))
        for ['check', '99', 2, qr/^exercise: 99: there is no such exercise; there are 02 03 /], ['check', '04', 2,
            qr/^exercise: 04 is not begun: make exercise04/],
        ['check', '4', 2, qr/^exercise: 04 is not begun: make exercise04/],
        ['check', "4\nRight.", 2, qr/^exercise: 4\?Right\.: there is no such exercise/],
        ['reset', '04', 2, qr/^exercise: 04 is not begun: make exercise04/], ['start', '04', 0,
            qr{^\Q$mine\E/04.cl is yours now}],
        ['start', '04', 0, qr/exists already and is not changed/];
    {
        local $ENV{MINE} = $mine;
        push @tried, make_result('make takes MINE from the environment', 0, qr/\b04 \w+ +\d+ min  begun$/m,
            (run(qw(make -s progress)))[ 0, 1 ]);
    }
    for my $file (qw(02.cl 02.right.cl)) {
        mkfifo("$mine/$file", 0600) or die "$mine/$file: $!\n";
        push @tried, make_result("$file is a pipe: $_", 2, qr{^exercise: \Q$mine/$file\E is not an ordinary file: remove it},
            judge($mine, $_, $_ eq 'progress' ? undef : '02')) for $test_all ? qw(start check reset progress) : 'check';
        unlink "$mine/$file";
    }
    push @tried, make_result('a blank in MINE', 2, qr/^exercise: MINE='a b\?c': the path must have no blanks/, judge("a b\nc",
        'start', '04'));
    push @tried, make_result('the pipes are removed: start', 0, qr{^\Q$mine\E/02.cl is yours now}, judge($mine, 'start', '02'));
    unlink "$mine/02.cl";
    my $head = 'kernel void reduce(global const int *in, ulong n, global int *out, local int *scratch)';
    for (['does not compile', '{ out[0] = nothing; }', qr/ compiles: no .*nothing/],
        ['never ends', '{ volatile int one = 1; while (one && get_global_id(0) == 0) {} }', qr/does each loop end/],
        ['crashes', '{ *(volatile global int *)0 = 1; }', qr/the OpenCL runtime crashed|Invalid write/],
        ['writes out of bounds', '{ out[get_num_groups(0) + get_global_id(0)] = in[0]; }',
            qr/beyond the end of out|out of bounds|Invalid write/],
        ['prints TAP', '{ if (get_global_id(0) == 0) printf("ok 1 - all\n1..1\n"); }', qr/ right for n = 4096: no /],
        ['prints TAP after #undef printf',
            qq({\n#undef printf\n    if (get_global_id(0) == 0) printf("ok 1 - step04\\nok 2 - step04\\n1..1\\n");\n}),
            qr/It has the line #undef printf\. Remove it\./],
        ['includes the solution by a macro', qq({ }\n#def\\\nine FILE <04_commutative_tree.cl>\n%:include FILE\n),
            qr/It has the line #define FILE <04_commutative_tree\.cl>/],
        ['names a file in a comment', "{\n#undef other /* as in 04.cl */ // 03.cl\n}", qr/ right for n = 4096: no /]) {
        my ($what, $body, $sentence) = @$_;
        for my $device (@devices) {
            # The wrong answer `waits` of exercise 11 never ends either, and is tried on each device.
            next if $what eq 'never ends' ? !$test_all || $device != $devices[0] : !$test_all && $what ne 'does not compile';
            local $ENV{DEVICE} = $device->{number};
            spew("$mine/04.cl", "$head $body\n");
            push @tried, make_result("a kernel that $what, on $device->{name}", 1, $sentence, judge($mine, 'check', '04',
                $what eq 'never ends'));
        }
    }
    {
        local $ENV{MINE} = $mine;
        spew("$mine/04.cl", "$head { out[0] = nothing; }\n");
        push @tried, make_result('the last line after a wrong answer is the judge\'s', 1, qr/\n  Stuck\? make exercise04 HINT=1\n\z/,
            run(qw(bash -c), 'make check04 2>&1'));
    }
    return \@tried unless $test_all;
    my $kernel = "$root/kernels/04_commutative_tree.cl"; # the output of the kernel does not change the verdict
    for my $print ('if (get_global_id(0) == 0) printf("\\nnot ok 1 - step04\\n");', 'printf("%d ", 1);', 'int length = printf(" ");') {
        spew("$mine/04.cl", slurp($kernel) =~ s/(?<=\{\n)/    $print\n/r);
        push @tried, make_result("a right kernel that prints: $print", $right, qr/ Right\.| results are right\./, judge($mine, 'check',
            '04'));
    }
    {
        local $ENV{OCL_ICD_VENDORS} = make_vendors();
        judge($mine, 'start', '02');
        push @tried, make_result('without Oclgrind, the start is refused', 1, qr/This is the start, unchanged\./, judge($mine,
            'check', '02'));
    }
    my $commands = join '', map { eval { slurp($_) } // '' } find_files('/proc', '[0-9]*/cmdline');
    push @tried, [ 'no process is left', $commands !~ m{\0\Q$mine\E/04\.cl\0}, '' ];
    judge($mine, 'start', '02');
    spew("$mine/02.cl", slurp("$root/kernels/02_global.cl") =~ s/(?<=\{\n)/    if (__builtin_popcount((uint)n) > 32) return;\n/r);
    push @tried, make_result('Oclgrind cannot run the kernel', 77, qr/results are right\. .* is unknown/, judge($mine, 'check', '02'));
    spew("$mine/05.c", "// no list of variants\nint main(void)\n{\n}\n");
    push @tried, make_result('a program without a plan', 1, qr{\Q$mine\E/05\.c has no list variants}, judge($mine, 'check', '05'));
    judge($mine, 'reset', '04') for 1, 2;
    push @tried, [ 'reset keeps the old file each time, and begins again',
        slurp("$mine/04.1.cl") =~ /printf/ && -e "$mine/04.2.cl"
            && slurp("$mine/04.cl") eq slurp(find_files($root, 'steps/exercises/04_*/start.cl')), '' ];

    # A limit of 0 bytes for files: writing fails, as on a full disk.
    my @full = ('bash', '-o', 'pipefail', '-c', '(ulimit -f 0; trap "" XFSZ; exec "$@") 2>&1 | cat', 'bash');
    spew("$mine/04.cl", my $learner = slurp("$root/kernels/04_commutative_tree.cl"));
    for (['reset', 2, qr/^exercise: .*your files are unchanged$/], ['check', $right, $has_oclgrind ? qr/is right, but .* cannot be written/ : qr/unknown/]) {
        my ($what, $expected, $sentence) = @$_;
        local $ENV{MINE} = $mine;
        push @tried, make_result("$what on a full disk", $expected, $sentence, (run(@full, $script, $what, '04'))[ 0, 1 ]);
        push @tried, [ '... and the learner\'s file is unchanged', slurp("$mine/04.cl") eq $learner && !-e "$mine/04.3.cl", '' ];
        push @tried, [ '... and no part of a file stays', !(() = find_files($mine, '*.part')), '' ];
    }

    my ($blocks) = find_files($root, 'steps/exercises/08_*'); # this exercise has two files, and both must be saved
    spew("$mine/08.$_", read_solution($blocks, $_)) for qw(c cl);
    push @tried, make_result('a right answer to 08', $right, qr/ Right\.| results are right\./, judge($mine, 'check', '08'));
    push @tried, make_result('progress shows it', 0,
        qr/\b02 \w+ +\d+ min  begun 03 \w+ +\d+ min  not begun .*\b08 \w+ +\d+ min  right 09/, judge($mine, 'progress'));
    spew("$mine/08.cl", slurp("$mine/08.cl") . "\n");
    push @tried, make_result('progress shows that it was changed', 0, qr/\b08 \w+ +\d+ min  was right, changed since then /,
        judge($mine, 'progress'));
    push @tried, make_result('mine/ cannot be created', 2, qr{^exercise: /proc/mine: .*your files are unchanged},
        judge('/proc/mine', 'start', '04'));
    return \@tried;
}

# Exercise 08 and test_files_in_mine() both build build/mine08, so one process does both, one after the other. These tests begin
# first, because they take longest.
my @folders = sort { ($b =~ /\/08_/) <=> ($a =~ /\/08_/) } grep { $_
    =~ ($ENV{ONLY} // '.') } find_files($root, 'steps/exercises/[0-9][0-9]_*');
for (map { @$_ } do_in_parallel(sub { [ @{ test_exercise($_[0]) }, $_[0] =~ /\/08_/ ? @{ test_files_in_mine() } : () ] },
    @folders)) {
    my ($name, $ok, $said) = @$_;
    ok($ok, $name) or diag($said);
}
{
    my ($name, $ok, $said) = @{ test_wrong_row() };
    ok($ok, $name) or diag($said);
}
done_testing();
