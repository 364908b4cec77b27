#!/usr/bin/perl
# Tests the judge with deliberately wrong kernels and plans, tests/judge/mutants/*.mutant. The judge must find each of them, and
# must name most of the mistakes. The fields of a .mutant file:
#
#   what   the mistake, in words
#   run    the step, the variant, and further options
#   by     check: --tap must find the mistake on each CPU device; either: on at least one of them, or --races must find it
#   cause  names of causes, see causes.c: the diagnosis of --tap must name one of them
#   says   a pattern that the diagnosis must match, if the mistake has no such name
#   seen   the names of some causes: --races must print one of them. Only mutants with `by either` have this line
#   from   where the mistake was published, if it was
#   file   the file that is edited; then, as in a diff, the lines that are removed (-) and added (+)
#
# A mutant counts as named if each device that finds it names the cause, and if --races does so, too. A mutant that does not fit
# its file any more, or that is not found, counts as not named. Without Oclgrind, a mutant that no device finds is skipped if
# --races would find it.
#
# ONLY=02 tests/judge/mutants.t tries only the mutants whose names contain 02. Then the tests over all mutants fail.
# `tests/judge/mutants.t --table` writes the table in tests/judge/mutants/README.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $writes_table = @ARGV && $ARGV[0] eq '--table';
my $readme = "$root/tests/judge/mutants/README.md";
my @devices = grep { $_->{kind} eq 'CPU' } list_devices();
plan skip_all => 'no CPU device' unless @devices;
needs_test_all('some minutes') unless $writes_table || $ENV{ONLY};
my $has_oclgrind = has_oclgrind();
die "--table needs Oclgrind\n" if $writes_table && !$has_oclgrind;

# At least so many of the 177 mutants must be named, on pocl 3.1 and Intel's CPU runtime with Oclgrind. If you change the
# diagnosis so that it names more, raise this number. (The number varies by a few, because a kernel with a race, such as
# 02_plain_plus, may give the right result. This depends on the length of pocl's vectors and on the timing of its threads.)
# Without Oclgrind, the judge names no race, no invalid access and no uninitialised value.
my $least_named = $has_oclgrind ? 169 : 135;

# Returns the command that judges the wrong source: a kernel is an argument; a header lies in a separate folder of kernels; a step is
# compiled.
sub prepare {
    my ($mutant, $text) = @_;
    my ($step) = $mutant->{run} =~ /^(\d\d)/;
    my $folder = make_folder() . "/$mutant->{name}";
    mkdir $folder;
    my ($file) = $mutant->{file} =~ m{([^/]+)$};
    my ($below) = $mutant->{file} =~ m{^kernels/(.*/)}; # for a header in a folder below kernels/
    $below //= '';
    mkdir "$folder/$below" if $below;
    my $wrong = spew("$folder/$below$file", $text);
    return ("$root/judge$step", $wrong) if $file =~ /\.cl$/;
    symlink $_, "$folder/$below" . s{.*/}{}r for find_files($root, "kernels/$below*"); # symlink does not replace the wrong file
    symlink $_, "$folder/" . s{.*/}{}r for find_files($root, 'kernels/*');
    symlink "$root/common", "$folder/common"; # for --races
    $ENV{REDUCE_KERNELS} = $folder;
    return "$root/judge$step" if $file =~ /\.clh$/;
    my ($status, $out, $err) = run($ENV{CC} // 'cc', '-std=c11', '-O1', cppflags(), $wrong, find_judge_library(), find_library(), ldlibs(),
        '-o', "$folder/judge$step");
    return $status ? (undef, $err) : "$folder/judge$step"; # undef: it does not compile
}

sub list_options { # the options for the mutant, and for the right kernel
    my ($mutant) = @_;
    my ($step, $variant, @further) = split ' ', $mutant->{run};
    return ('--variant', $variant, '--op', 'sum', '--type', 'int', '--n', '1,65,1000,4097', ($step eq '08' ? () : qw(--group 48)),
        @further);
}

# Calls --tap on each device for one mutant. Calls --races if `by` is either, or for the table.
sub judge {
    my ($mutant) = @_;
    my %result = (says => '');
    local $ENV{REDUCE_KERNELS} = $ENV{REDUCE_KERNELS};
    delete $ENV{REDUCE_KERNELS};
    my $text = break_source($mutant) // return { stale => "$mutant->{file} does not contain the old lines exactly once" };
    my ($program, @kernel) = prepare($mutant, $text);
    return { stale => "does not compile: @kernel" } unless $program;
    for my $device (@devices) {
        my ($status, $out, $err) = run($program, '--device', $device->{number}, '--tap', list_options($mutant), @kernel);
        $result{found}{ $device->{name} } = $status == 1 && $out =~ /^not ok/m ? 1 : 0;
        $result{odd} .= "$device->{name}: exit $status\n$out$err" unless $status == 1 || $status == 0;
        $result{said}{ $device->{name} } = $out if $result{found}{ $device->{name} };
    }
    if ($has_oclgrind && ($writes_table || $mutant->{by} eq 'either')) {
        my @options = list_options($mutant);
        my ($n) = grep { $options[ $_ - 1 ] eq '--n' } reverse 1 .. $#options; # the last --n; its last number is the largest
        push @options, '--n', $options[$n] =~ /(\d+)$/ && $1 > 5000 ? 5000 : $1 == 4097 ? 1000 : $1;
        my ($status, $out, $err) = run($program, '--races', @options, @kernel);
        $result{races} = $status == 1 ? 1 : 0;
        $result{said}{races} = $out if $status == 1;
        $result{odd} .= "races: exit $status\n$out$err" unless $status == 1 || $status == 0;
    }
    return \%result;
}

# Calls --tap for the right kernel with the same options. Returns '' if every test passes. Uses one CPU device (FULL=1: each):
# pocl rather than Intel's runtime, because check.t tries more on the latter.
sub judge_right_kernel {
    my ($mutant) = @_;
    my ($step) = $mutant->{run} =~ /^(\d\d)/;
    my $wrong = '';
    my ($other) = sort { ($a->{name} =~ /\[INTEL\]/) <=> ($b->{name} =~ /\[INTEL\]/) } @devices;
    for my $device ($full ? @devices : $other) {
        my ($status, $out, $err) = run("$root/judge$step", '--device', $device->{number}, '--tap', list_options($mutant));
        $wrong .= "$device->{name}: exit $status\n$out$err" unless $status == 0 && $out =~ /^ok (?!.*# SKIP)/m;
    }
    return $wrong;
}

$ENV{REDUCE_CAUSE} = 1; # makes the judge print the names of causes

# Does this output of --tap or --races name one of these causes? Without names: does it match the pattern?
sub names_a_cause {
    my ($text, $names, $pattern) = @_;
    my %named = map { $_ => 1 } $text =~ /^ *# cause: (\w+)$/mg;
    return defined $names ? scalar grep { $named{$_} } split ' ', $names : $text =~ ($pattern // '(?!)');
}

sub shorten { # a short name for a device
    my ($name) = @_;
    return $name =~ /\[POCL\]/ ? 'pocl' : $name =~ /^(\w+)/ ? $1 : $name;
}

sub make_row { # a row of the table
    my ($mutant, $result) = @_;
    my @cells = map { $_ ? 'found' : 'passes' } map { $result->{found}{ $_->{name} } } @devices;
    return join(' | ', "| $mutant->{name}", $mutant->{what}, @cells, $result->{races} ? 'found' : '-',
        $result->{right} ? 'right' : 'not',
        $mutant->{from} // '') . " |\n";
}

my @mutants = grep { $_->{name} =~ ($ENV{ONLY} // '.') } map { read_mutant($_) } find_files($root, 'tests/judge/mutants/*.mutant');
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
    if ($mutant->{by} eq 'either' && !@by && !$has_oclgrind && !$result->{odd}) {
    SKIP: { skip "$mutant->{name}: gives the right result here, and Oclgrind, which would find the mistake, is missing", 1 }
        $skipped++;
        next;
    }
    my @say = grep { $_ ne 'races' || $mutant->{by} eq 'either' } @by;
    my @silent = grep { !names_a_cause($result->{said}{$_},
        $_ eq 'races' ? $mutant->{seen} // '' : @$mutant{qw(cause says)}) } @say;
    $result->{right} = @say && !@silent;
    $right++ if $result->{right};
    $by_check++ if @devices == grep { $_ ne 'races' } @by;
    $races_only++ if "@by" eq 'races';
    my ($all, $not) = map { join ', ', map { shorten($_) } @$_ } \@by, \@silent;
    ok($ok, "$mutant->{name}: $mutant->{what}: found by " . ($all || 'no device') . ($not && ", not named by $not"))
        or diag($result->{odd} // '', map { "$_: $result->{said}{$_}\n" } @by);
    note(map { "$_: $result->{said}{$_}" } @silent);
    $rows .= make_row($mutant, $result);
}
cmp_ok($right, '>=', $least_named - $skipped,
    "the mistake is named for $right of @{[@mutants - $skipped]} mutants, at least @{[$least_named - $skipped]}, "
        . "$skipped skipped");

# ---- the right kernels with the same options: every test must pass
my %options;
$options{ join ' ', (split ' ', $_->{run})[ 0, 1 ] } //= $_ for @mutants; # once for each variant
my @same = map { $options{$_} } sort keys %options;
my @wrong = do_in_parallel(\&judge_right_kernel, @same);
is($wrong[$_], '', "the right kernel passes: $same[$_]{run}") for 0 .. $#same;

# ---- a step must also print no times for a mistake that only large or even sizes show; min is used, because it has one extreme. The
# command that it names must find the mistake, too.
for (['all elements after the first 6000000 are ignored', 'i < min(n, (ulong)6000000);', '2^23'],
    ['the last element is lost if n is even', 'i < n - (n % 2 == 0 && n > 4000);', '2^20']) {
    my ($what, $bound, $n) = @$_;
    my $text = slurp("$root/kernels/06_two_stage.cl");
    $text =~ s/i < n;/$bound/ or die "06_two_stage.cl has no such loop any more";
    my $wrong = spew(make_folder() . '/wrong.cl', $text);
    my @on = ('--device', $devices[-1]{number});
    my ($status, $out, $err) = run("$root/step06", @on, '--op', 'min', '--seconds', 0, '--n', $n, '--kernel', $wrong);
    is($status, 1, "$what: exit 1") or diag($out, $err);
    unlike($out, qr/GB\/s/, "$what: no times");
    my ($options) = $out =~ /^  make judge06 && \.\/judge06 '\Q$wrong\E'(.*) says why$/m;
    ok(defined $options, "$what: the command that judges the kernel") or diag($out);
    ($status, $out, $err) = run("$root/judge06", @on, $wrong, split ' ', $options // '');
    ok($status == 1 && $out =~ /^  .*(elements 6000000\.\.|the last one)/m, "$what: ... and its diagnosis") or diag($out, $err);
}

# ---- a step must also print no times if the kernel does no work during the measurement, because it contains the result or finds
# it
my @timed = ("$root/step08", '--device', $devices[-1]{number}, qw(--n 2^20 --seconds 0));
my ($known) = (run(@timed))[1] =~ /^result (-?\d+):/m;
for (['the kernel contains the result for seed 1', 'out[get_global_id(0)] = all;',
    "out[get_global_id(0)] = n < 1 << 20 ? all : get_global_id(0) ? 0 : $known;"],
    ['the kernel does nothing if out already contains a result', 'value all = identity();', <<'LAZY'],
    if (n == 1 << 20 && out[get_global_id(0)] != out[get_num_groups(0)]) // the guard after out holds the poison
        return;
    value all = identity();
LAZY
    ['the kernel keeps its values past the input, and takes them if out contains poison', <<'OLD', <<'KEPT']) {
    ulong block = (n + get_global_size(0) - 1) / get_global_size(0);
OLD
    volatile global uint *kept = (volatile global uint *)in + n + 1000 + 2 * get_global_id(0);
    bool has_poison = n == 1 << 20 && out[get_global_id(0)] == out[get_num_groups(0)];
    if (has_poison && kept[0] == 0xcafe) {
        out[get_global_id(0)] = kept[1];
        return;
    }
    if (has_poison) {
        uint sum = 0;
        for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
            sum += in[i];
        kept[0] = 0xcafe;
        out[get_global_id(0)] = kept[1] = sum;
        return;
    }
    ulong block = (n + get_global_size(0) - 1) / get_global_size(0);
KEPT
    my ($what, $old, $new) = @$_;
    (my $text = slurp("$root/kernels/08_serial_groups.cl")) =~ s/\Q$old\E/$new/
        or die "08_serial_groups.cl has no '$old' any more";
    my ($status, $out, $err) = run(@timed, '--kernel', spew(make_folder() . '/wrong.cl', $text));
    is($status, 1, "$what: exit 1") or diag($out, $err);
    unlike($out, qr/GB\/s/, "$what: no times");
}

# ---- mistakes in one type, in one group size or at one size: the call of --tap without --op and --group must try these
(my $rare = slurp("$root/kernels/06_two_stage.cl"))
    =~ s/    value all = identity\(\);\n.*?\n.*?\n/<<'LOOP'/e or die "06_two_stage.cl has no such loop any more";
    value all = identity();
#if defined FLOATING && !defined WIDE_ELEMENT // misses the end if n is large
    ulong end = n > 131072 ? n - 1 : n;
#elif defined WIDE_ELEMENT && !defined FLOATING // misses the end if n mod 8 is 6
    ulong end = n % 8 == 6 ? n - 1 : n;
#else
    ulong end = n;
#endif
    for (ulong i = get_global_id(0); i < end; i += get_global_size(0))
        all = combine(all, load(in, i));
#if defined WIDE_ELEMENT && defined FLOATING // misses a work-item in some groups
    if (get_local_id(0) == 1 && (get_local_size(0) == 64 || get_local_size(0) % 2))
        all = identity();
#endif
LOOP
my $out = (run("$root/judge06", '--device', choose_fastest(@devices)->{number}, '--tap', spew(make_folder()
    . '/rare.cl', $rare)))[1];
like($out, qr/^ok \d+ - .*: sum int/m, 'a kernel is right for int');
for (['sum float', ''], ['min float', ''], ['argmax float', ''], ['sum ulong', ''], ['max long', ''], ['sum double', 64],
    ['sum double', 7], ['max double', 64]) {
    my ($operation, $group_size) = @$_;
    like($out, qr/^not ok \d+ - .*: \Q$operation\E, groups of $group_size/m,
        "... and the judge finds that it is wrong for $operation" . ($group_size && " in groups of $group_size"));
}

# The same for the group sizes and widths of sums of int: the main width is 4.
($rare = slurp("$root/kernels/07_float4.cl")) =~ s/(    scratch\[id\] = all;\n)/<<"ITEM"/e or die "07_float4.cl has no such line any more";
    if (id == 1 && (WIDTH == 4 ? group_size == 64 || group_size == 512 : group_size > 256)) // loses a work-item
        all = identity();
$1
ITEM
$out = (run("$root/judge07", '--device', choose_fastest(@devices)->{number}, '--tap', qw(--variant vector --op sum --type int),
    spew(make_folder() . '/rare.cl', $rare)))[1];
like($out, qr/^not ok .*, groups of $_$/m, "a kernel that is wrong in groups of $_ only is found") for 64, 512;
like($out, qr/^not ok .*, width $_$/m, "a kernel that is wrong in groups above 256 is found at width $_") for 1, 2, 8, 16;

# ---- the table
if ($writes_table) {
    my $text = slurp($readme);
    my $head = '| mutant | what is broken | ' . join(' | ',
        map { shorten($_->{name}) } @devices) . " | --races | named | made by |\n"
        . '| --- ' x (@devices + 5) . "|\n";
    $rows .= sprintf "\n%d mutants: %d found by `--tap` on each device, %d by `--races` only; named %d, %.0f %%.\n",
        scalar @mutants, $by_check, $races_only, $right, 100 * $right / @mutants;
    $text =~ s{(<!-- mutants -->\n).*(<!-- /mutants -->)}{$1$head$rows$2}s or die "$readme: no <!-- mutants -->\n";
    spew($readme, $text);
} else {
    my %rows = slurp($readme) =~ /^\| (\w+) \| ([^|]+) \|/mg;
    delete $rows{mutant};
    is_deeply(\%rows, { map { $_->{name} => $_->{what} } @mutants },
        'tests/judge/mutants/README.md has a row for each mutant: tests/judge/mutants.t --table writes them');
}
done_testing();
