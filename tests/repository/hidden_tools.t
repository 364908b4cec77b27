#!/usr/bin/perl
# `make test` on a machine that lacks a tool: each optional tool is hidden in turn, then all of them. Every test must pass or skip.
# Without an OpenCL runtime, `make test` must refuse with one line that names make deps.
#
# A hidden tool can change only those tests that look for it. To find them, each test runs once with links instead of the tools:
# the file system notes when a link was followed, and this also happens if a test only asks whether the tool is there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;
use Time::HiRes qw(lstat sleep);

needs_test_all('about 15 minutes');
plan skip_all => 'no git, or no clone' if !has_tool('git') || (run('git', '-C', $root, 'rev-parse'))[0];
delete @ENV{qw(TEST_ALL FULL)}; # of the tests that are run here

# Name of a tool => its programs. The other tools are no programs: hide() says what they are.
my %programs = (MPI => [qw(mpicc mpirun)], map { $_ => [$_] } qw(ocloc chromium pandoc rsvg-convert clang clang-format cppcheck
    shellcheck flake8 black valgrind bats gnuplot));
my @runtimes = qw(intel pocl oclgrind); # with these words the names of their .icd files begin
my $has_torch = has_tool('python3') && !(run(qw(python3 -c), 'import torch'))[0];
my @tools    = (sort(keys %programs), $has_torch ? 'torch' : (), @runtimes);
# These are hidden from all tests: without MPI make builds less, all tests use the devices, and torch is no link.
my %changes_all = map { $_ => 1 } qw(MPI intel pocl torch);

# Returns the settings with which these tools are hidden, and the other tools are links in a new folder; and this folder.
my $vendors = $ENV{OCL_ICD_VENDORS} // '/etc/OpenCL/vendors';
my $without_tools = hide_tools(map { @$_ } values %programs);
my $count = 0;
sub hide {
    my %is_hidden = map { $_ => 1 } @_;
    my $folder = make_folder() . '/links.' . $$ . '.' . $count++;
    mkdir $_ or die "$_: $!\n" for $folder, map { "$folder/$_" } qw(bin python vendors vendors/oclgrind);
    for my $program (map { @{ $programs{$_} } } grep { !$is_hidden{$_} } keys %programs) {
        my ($path) = grep { -x } map { "$_/$program" } split /:/, $ENV{PATH};
        symlink $path, "$folder/bin/$program" if $path;
    }
    for my $path (split /\n/, (run('find', $vendors, '-name', '*.icd'))[1]) {
        my $name = $path =~ s{^\Q$vendors\E/}{}r;
        my ($runtime) = grep { $name =~ /^(?:.*\/)?$_/ } @runtimes; # other runtimes are always hidden
        symlink $path, "$folder/vendors/$name" if $runtime && !$is_hidden{$runtime};
    }
    spew("$folder/python/torch.py", "raise ImportError('hidden')\n") if $is_hidden{torch};
    sleep 0.05; # so that the clock of the file system has moved on before anything follows a link
    return ({ PATH => "$folder/bin:$without_tools", OCL_ICD_VENDORS => "$folder/vendors", PYTHONPATH => "$folder/python" }, $folder);
}

# Has anybody followed this link since it was made?
sub was_followed {
    my ($path) = @_;
    my ($accessed, $changed) = (lstat $path)[8, 10];
    return $accessed > $changed;
}

# Returns the tools of this folder that a test has looked for.
sub list_followed {
    my ($folder) = @_;
    return grep { grep { was_followed($_) } $programs{$_} ? map { find_files($folder, "bin/$_") } @{ $programs{$_} }
            : find_files($folder, "vendors/{,oclgrind/}$_*") } @tools;
}

# Returns a copy of the repository, in which make has built what it can with these settings.
sub build_copy {
    my ($name, $settings) = @_;
    my $copy = make_folder() . "/$name";
    local @ENV{ keys %$settings } = values %$settings;
    my ($status, $out, $err) = run('sh', '-c', 'mkdir "$2" && cd "$1" && git ls-files -coz --exclude-standard | '
            . 'xargs -0 cp -P --parents -t "$2" && make -sj2 -C "$2" all', 'sh', $root, $copy);
    die "$name: $out$err" if $status;
    return $copy;
}

# Runs a test of a copy. Returns '' if it passes or skips, otherwise what fails; and whether it skips anything. (prove cannot start
# a test of bats in a path with a space.)
sub try_test {
    my ($copy, $test, $settings) = @_;
    local @ENV{ keys %$settings } = values %$settings;
    my ($status, $out, $err) = run('sh', '-c', 'cd "$1" && exec prove -v "$2"', 'sh', $copy, $test);
    return ($status ? join "\n", "$test: exit $status", grep { /^not ok|^#/ } split /\n/, "$out$err" : '',
        $out =~ / skipped: (?!make test-all)|^ok \d+.* # skip/mi);
}

my ($all)  = hide();
my ($none) = hide(@tools);
my ($cpu)  = hide(grep { $_ ne 'pocl' } @tools);
my $rich   = build_copy('rich', $all);
my $poor   = build_copy('poor', $none);
my @tests  = map { s{^\Q$rich\E/}{}r } find_files($rich, 'tests/*/*.t');

my ($settings, $folder) = hide();
my ($runtime)    = find_files($folder, 'vendors/*.icd');
my $notes_access = -e $runtime && was_followed($runtime);
diag('this file system does not note when a link is followed, so each tool is hidden from each test') unless $notes_access;

# ---- with all tools: which ones does a test look for?
my @with_all = do_in_parallel(sub {
        my ($test) = @_;
        my ($settings, $folder) = hide();
        my ($failure) = try_test($rich, $test, $settings);
        return [ $failure, $notes_access ? list_followed($folder) : @tools ];
    }, @tests);
my %failure;
my %tests_of = map { $_ => $changes_all{$_} ? \@tests : [] } @tools;
for my $k (0 .. $#tests) {
    my ($failure, @looked_for) = @{ $with_all[$k] };
    $failure{'no tool'} .= $failure;
    push @{ $tests_of{$_} }, $tests[$k] for grep { !$changes_all{$_} } @looked_for;
}

# ---- each tool is hidden
# With TEST_ALL these tests use more tools.
my @longer = map { "tests/$_.t" } qw(plots/draw texts/docs texts/book);
my %settings_of = ((map { $_ => (hide($_))[0] } @tools), 'every tool except pocl' => $cpu);
my @jobs = map { my $tool = $_; map { [ $tool, $_, '' ] } @{ $tests_of{$tool} // \@tests } } sort keys %settings_of;
push @jobs, map { [ 'every tool except pocl', $_, 1 ] } @longer;
my @outcomes = do_in_parallel(sub {
        my ($tool, $test, $tests_all) = @{ $_[0] };
        return [ try_test($tool =~ /MPI|every/ ? $poor : $rich, $test, { %{ $settings_of{$tool} }, TEST_ALL => $tests_all }) ];
    }, @jobs);
is($failure{'no tool'}, '', 'no tool is hidden from ' . @tests . ' tests');
for my $tool (sort keys %settings_of) {
    my @of_tool = grep { $jobs[$_][0] eq $tool } 0 .. $#jobs;
SKIP: {
        skip "$tool: no test of make test looks for it", 1 unless @of_tool;
        is(join('', map { $outcomes[$_][0] } @of_tool), '', "$tool is hidden from " . @of_tool . ' tests');
    }
}
for ([ MPI => 'tests/steps/ranks.t' ], [ gnuplot => 'tests/plots/draw.t' ], [ bats => 'tests/common/command_line.t' ],
    [ cppcheck => 'tests/repository/style.t' ], [ 'every tool except pocl' => 'tests/texts/book.t' ]) {
    my ($tool, $test) = @$_;
    my @of_both = grep { $jobs[$_][0] eq $tool && $jobs[$_][1] eq $test } 0 .. $#jobs;
    ok((grep { $outcomes[$_][1] } @of_both) > 0, "$tool is hidden: $test says SKIP");
}

# ---- no runtime, either
{
    local @ENV{ keys %$none } = values %$none;
    my ($status, $out, $err) = run('make', '-s', '-C', $poor, 'test');
    like("$status $err", qr/\A2 [^\n]*make deps[^\n]*\nmake: [^\n]*\n\z/, 'no OpenCL runtime: make test refuses with one line');
}
done_testing();
