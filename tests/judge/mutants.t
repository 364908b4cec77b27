#!/usr/bin/perl
# Deliberately wrong kernels and launches, tests/judge/mutants/*.mutant: each must be found, and what is wrong with it be named.
#
#   what   what is broken                    by     check: on each CPU device; either: on one of them, or by --races
#   run    step, variant, further options    cause  the kinds of cause of which --check must name one: see kinds.h
#   file   where, then lines out of it and   says   instead of that: a pattern for the diagnosis, if it has no such kind
#          into it, as in a diff             seen   by either: the kinds of finding of which --races must name one
#                                            from   where the mistake was published, if it was
#
# A mutant counts as named if each device that finds it names the cause, and --races too. A mutant that does not fit its file
# any more, or that is not found, counts as not named. Without Oclgrind, a mutant that no device finds is skipped if --races
# would find it.
#
# ONLY=02 tests/judge/mutants.t tries those whose names have that in them, and fails at what all together must fulfil.
# `tests/judge/mutants.t --table` writes what found which into tests/judge/mutants/README.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $table  = @ARGV && $ARGV[0] eq '--table';
my $readme = "$root/tests/judge/mutants/README.md";
my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
needs_test_all('some minutes') unless $table || $ENV{ONLY};
my $simulator = has_tool('oclgrind');
die "--table needs oclgrind\n" if $table && !$simulator;

# So many of 143 are named, on pocl 3.1 and Intel's CPU runtime with Oclgrind: whoever names one more raises it. (134 to 140: a race
# such as 02_plain_plus may come out right, by how long pocl's vectors are and how its threads fall.)
my $reached = 134;

# The program and the options that run it: a kernel by --kernel, a header from a folder of its own, a step compiled.
sub prepare {
    my ($mutant, $text) = @_;
    my ($step) = $mutant->{run} =~ /^(\d\d)/;
    my $folder = make_folder() . "/$mutant->{name}";
    mkdir $folder;
    my ($file) = $mutant->{file} =~ m{([^/]+)$};
    my ($below) = $mutant->{file} =~ m{^kernels/(.*/)}; # of a header in a folder within kernels/
    $below //= '';
    mkdir "$folder/$below" if $below;
    my $wrong = spew("$folder/$below$file", $text);
    return ("$root/step$step", '--kernel', $wrong) if $file =~ /\.cl$/;
    symlink $_, "$folder/$below" . s{.*/}{}r for glob "'$root'/kernels/$below*"; # the broken one is there already, and stays
    symlink $_, "$folder/" . s{.*/}{}r for glob "'$root'/kernels/*";
    symlink "$root/common", "$folder/common"; # for --races
    $ENV{REDUCE_KERNELS} = $folder;
    return "$root/step$step" if $file =~ /\.clh$/;
    my ($status, $out, $err) = run($ENV{CC} // 'cc', '-std=c11', '-O1', cppflags(), $wrong, find_library(), ldlibs(), '-o', "$folder/step$step");
    return $status ? (undef, $err) : "$folder/step$step"; # undef: it does not compile
}

sub list_options { # of the mutant and of the true kernel beside it
    my ($mutant) = @_;
    my ($step, $variant, @further) = split ' ', $mutant->{run};
    return ('--variant', $variant, '--op', 'sum', '--type', 'int', '--n', '1,65,1000,4097', ($step eq '08' ? () : qw(--group 48)), @further);
}

# Everything that is tried on one mutant. The races are looked for where they are needed, or all are shown.
sub judge {
    my ($mutant) = @_;
    my %result = (says => '');
    local $ENV{REDUCE_KERNELS} = $ENV{REDUCE_KERNELS};
    delete $ENV{REDUCE_KERNELS};
    my $text = break_source($mutant) // return { stale => "$mutant->{file} has not, or not only once, what it breaks" };
    my ($program, @kernel) = prepare($mutant, $text);
    return { stale => "does not compile: @kernel" } unless $program;
    for my $device (@devices) {
        my ($status, $out, $err) = run($program, '--device', $device->{number}, '--check', list_options($mutant), @kernel);
        $result{found}{ $device->{name} } = $status == 1 && $out =~ /^not ok/m ? 1 : 0;
        $result{odd} .= "$device->{name}: exit $status\n$out$err" unless $status == 1 || $status == 0;
        $result{said}{ $device->{name} } = $out if $result{found}{ $device->{name} };
    }
    if ($simulator && ($table || $mutant->{by} eq 'either')) {
        my @options = list_options($mutant);
        my ($n) = grep { $options[ $_ - 1 ] eq '--n' } reverse 1 .. $#options; # the last --n, and its largest
        push @options, '--n', $options[$n] =~ /(\d+)$/ && $1 > 5000 ? 5000 : $1 == 4097 ? 1000 : $1;
        my ($status, $out, $err) = run($program, '--races', @options, @kernel);
        $result{races} = $status == 1 ? 1 : 0;
        $result{said}{races} = $out if $status == 1;
        $result{odd} .= "races: exit $status\n$out$err" unless $status == 1 || $status == 0;
    }
    return \%result;
}

# And on the true kernel with the same options: '' if nothing is found. On one CPU, unless FULL=1: not on Intel's if there is
# another, as check_NN.t has all of it there.
sub judge_true {
    my ($mutant) = @_;
    my ($step) = $mutant->{run} =~ /^(\d\d)/;
    my $wrong = '';
    my ($other) = sort { ($a->{name} =~ /\[INTEL\]/) <=> ($b->{name} =~ /\[INTEL\]/) } @devices;
    for my $device ($full ? @devices : $other) {
        my ($status, $out, $err) = run("$root/step$step", '--device', $device->{number}, '--check', list_options($mutant));
        $wrong .= "$device->{name}: exit $status\n$out$err" unless $status == 0 && $out =~ /^ok (?!.*# SKIP)/m;
    }
    return $wrong;
}

# Does a diagnosis, or what --races has printed, have one of these kinds of cause? Without kinds: does it fit the pattern?
$ENV{REDUCE_CAUSE} = 1; # prints them
sub names_a_cause {
    my ($text, $kinds, $pattern) = @_;
    my %named = map { $_ => 1 } $text =~ /^ *# cause: (\w+)$/mg;
    return defined $kinds ? scalar grep { $named{$_} } split ' ', $kinds : $text =~ ($pattern // '(?!)');
}

sub shorten { # of a device's name
    my ($name) = @_;
    return $name =~ /\[POCL\]/ ? 'pocl' : $name =~ /^(\w+)/ ? $1 : $name;
}

sub make_row { # of the table
    my ($mutant, $result) = @_;
    my @cells = map { $_ ? 'found' : 'passes' } map { $result->{found}{ $_->{name} } } @devices;
    return join(' | ', "| $mutant->{name}", $mutant->{what}, @cells, $result->{races} ? 'found' : '-', $result->{right} ? 'right' : 'not',
        $mutant->{from} // '') . " |\n";
}

my @mutants = grep { $_->{name} =~ ($ENV{ONLY} // '.') } map { read_mutant($_) } sort glob "'$root'/tests/judge/mutants/*.mutant";
my @results = do_in_parallel(\&judge, @mutants);
my ($right, $by_check, $races_only, $skipped, $rows) = (0, 0, 0, 0, '');
for my $i (0 .. $#mutants) {
    my ($mutant, $result) = ($mutants[$i], $results[$i]);
    if ($result->{stale}) {
        fail("$mutant->{name}: fits its file");
        diag($result->{stale});
        next;
    }
    my @by = ((grep { $result->{found}{$_} } map { $_->{name} } @devices), $result->{races} ? 'races' : ());
    my $ok = $mutant->{by} eq 'check' ? @devices == grep { $_ ne 'races' } @by : @by;
    if ($mutant->{by} eq 'either' && !@by && !$simulator && !$result->{odd}) {
    SKIP: { skip "$mutant->{name}: comes out right here, and there is no oclgrind to see it", 1 }
        $skipped++;
        next;
    }
    my @say = grep { $_ ne 'races' || $mutant->{by} eq 'either' } @by;
    my @silent = grep { !names_a_cause($result->{said}{$_}, $_ eq 'races' ? $mutant->{seen} // '' : @$mutant{qw(cause says)}) } @say;
    $result->{right} = @say && !@silent;
    $right++ if $result->{right};
    $by_check++ if @devices == grep { $_ ne 'races' } @by;
    $races_only++ if "@by" eq 'races';
    my ($all, $not) = map { join ', ', map { shorten($_) } @$_ } \@by, \@silent;
    ok($ok, "$mutant->{name}: $mutant->{what}: found by " . ($all || 'nobody') . ($not && ", not named by $not"))
        or diag($result->{odd} // '', map { "$_: $result->{said}{$_}\n" } @by);
    note(map { "$_: $result->{said}{$_}" } @silent);
    $rows .= make_row($mutant, $result);
}
cmp_ok($right, '>=', $reached - $skipped,
    "what is wrong is named for $right of @{[@mutants - $skipped]}, at least @{[$reached - $skipped]}, $skipped skipped");

# ---- the true kernels, with the same options: nothing wrong
my %options;
$options{ join ' ', (split ' ', $_->{run})[ 0, 1 ] } //= $_ for @mutants; # once for each variant
my @same = map { $options{$_} } sort keys %options;
my @wrong = do_in_parallel(\&judge_true, @same);
is($wrong[$_], '', "nothing is wrong with the true kernel: $same[$_]{run}") for 0 .. $#same;

# ---- What only large or even sizes show must not get a row of times either: under min one element alone decides.
for (['everything after the first 6000000 is ignored', 'i < min(n, (ulong)6000000);', '2^23'],
    ['the last element is lost where n is even', 'i < n - (n % 2 == 0 && n > 4000);', '2^20']) {
    my ($what, $bound, $n) = @$_;
    my $text = slurp("$root/kernels/06_two_stage.cl");
    $text =~ s/i < n;/$bound/ or die "06_two_stage.cl has no such loop any more";
    my ($status, $out, $err) = run("$root/step06", '--device', $devices[-1]{number}, '--op', 'min', '--seconds', 0, '--n', $n,
        '--kernel', spew(make_folder() . '/wrong.cl', $text));
    is($status, 1, "$what: exit 1") or diag($out, $err);
    unlike($out, qr/GB\/s/, "$what: no times");
    like($out, qr/^  .*(elements 6000000\.\.|the last one)/m, "$what: and the diagnosis says so");
}

# ---- A kernel that does no work when it is timed must not get a row either: one knows the result, one finds it.
my @timed = ("$root/step08", '--device', $devices[-1]{number}, qw(--n 2^20 --seconds 0));
my ($known) = (run(@timed))[1] =~ /^result (-?\d+):/m;
for (['the result of seed 1 is known', 'out[get_global_id(0)] = all;', "out[get_global_id(0)] = n < 1 << 20 ? all : get_global_id(0) ? 0 : $known;"],
    ['nothing is done where a result stands already', 'value all = identity();', <<'LAZY']) {
    if (n == 1 << 20 && out[get_global_id(0)] != 0x5eed5eed)
        return;
    value all = identity();
LAZY
    my ($what, $old, $new) = @$_;
    (my $text = slurp("$root/kernels/08_serial_groups.cl")) =~ s/\Q$old\E/$new/ or die "08_serial_groups.cl has no '$old' any more";
    my ($status, $out, $err) = run(@timed, '--kernel', spew(make_folder() . '/wrong.cl', $text));
    is($status, 1, "$what: exit 1") or diag($out, $err);
    unlike($out, qr/GB\/s/, "$what: no times");
}

# ---- the table
if ($table) {
    my $text = slurp($readme);
    my $head = '| mutant | what is broken | ' . join(' | ', map { shorten($_->{name}) } @devices) . " | --races | named | made by |\n"
        . '| --- ' x (@devices + 5) . "|\n";
    $rows .= sprintf "\n%d mutants: %d found by `--check` on each device, %d by `--races` only; named %d, %.0f %%.\n",
        scalar @mutants, $by_check, $races_only, $right, 100 * $right / @mutants;
    $text =~ s{(<!-- mutants -->\n).*(<!-- /mutants -->)}{$1$head$rows$2}s or die "$readme: no <!-- mutants -->\n";
    spew($readme, $text);
} else {
    my %has = slurp($readme) =~ /^\| (\w+) \| ([^|]+) \|/mg;
    delete $has{mutant};
    is_deeply(\%has, { map { $_->{name} => $_->{what} } @mutants }, 'tests/judge/mutants/README.md has a row for each: tests/judge/mutants.t --table writes it');
}
done_testing();
