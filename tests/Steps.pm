# Functions that all tests in Perl share: they find the programs and the devices, call a program, and return its output.
package Steps;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter qw(import);
use File::Basename qw(basename dirname);
use File::Glob qw(bsd_glob GLOB_ALPHASORT GLOB_BRACE GLOB_QUOTE);
use File::Path qw(make_path remove_tree);
use File::Spec ();
use File::Temp qw(tempdir);
use POSIX qw(_exit);
use Storable qw(nstore retrieve);

our @EXPORT = qw($root $test_all $full @steps @judges @capstones @built_capstones needs_test_all choose_some choose_fastest list_devices read_facts
    has_tool hide_tools has_oclgrind make_vendors run_inside_oclgrind find_files run slurp spew make_folder find_step_source read_variants
    join_kernels find_library find_judge_library list_harness_sources copy_tree
    cppflags cflags ldlibs build_shim find_sanitizer_flags read_mutant break_source do_in_parallel);
our $root   = realpath(dirname(__FILE__) . '/..');
# `make test-all` sets TEST_ALL=1. Without TEST_ALL each test skips the cases that its first comment names, so `make test` takes
# only minutes. FULL=1 adds further combinations of kernel, type and device, which take hours.
our $full = $ENV{FULL};
our $test_all = $ENV{TEST_ALL} || $full;
our $limit  = 3600; # run() ends a command after this many seconds: so many, because other programs may use the machine
my @sources = find_files($root, 'steps/{,beyond/}[0-9][0-9]_*.c');
our @steps  = map { m{/(\d\d)_[^/]*$} } grep { slurp($_) =~ /\bstep_main\(/ } @sources; # 01, 02, …
our @judges = map { "judge$_" } @steps; # the programs that judge them
our @capstones = map { m{/(\d\d)_[^/]*$} } grep { slurp($_) !~ /\bstep_main\(/ && !m{/00_} } @sources; # with or without MPI
our @built_capstones = grep { $_ != 13 || -x "$root/step13" } @capstones; # make leaves out step 13 if there is no MPI

# Settings of the user, or of `make test`, must not change a test.
delete @ENV{qw(REDUCE_DEVICE REDUCE_KERNELS MAKEFLAGS MAKELEVEL)};
$ENV{LC_ALL} = 'C';

# Creates the test's folder at the first call, and returns its path. END removes the folder, also after a failure or a signal.
# The path contains a space, because a user's path may contain one. If no other process has this folder, its name is the same in
# each call of the test: pocl caches a compiled kernel under a key that includes the path.
my ($folder, $owner);
sub make_folder {
    my $usual = sprintf '%s/reduce test.%s.%d', File::Spec->tmpdir, basename($0), $<;
    ($folder, $owner) = mkdir($usual, 0700) ? ($usual, $$) : File::Temp->newdir('reduce test.XXXXXX', TMPDIR => 1) unless $folder;
    return "$folder";
}
END { remove_tree($folder) if $owner && $owner == $$ }
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);

# Skips the whole test unless TEST_ALL is set. For example, TEST_ALL=1 tests/judge/mutants.t runs that test alone.
sub needs_test_all {
    my ($takes) = @_;
    return if $test_all;
    print "1..0 # SKIP make test-all runs it, and so does TEST_ALL=1 $0: $takes\n";
    exit;
}

# Of many similar cases, `make test` tries every sixth, and `make test-all` tries all.
sub choose_some { my $turn = 0; return grep { $test_all || !($turn++ % 6) } @_ }

# The device on which a test takes least time: Intel's runtime compiles a kernel once, but pocl compiles it for each group size.
sub choose_fastest { return (sort { ($b->{name} =~ /\[INTEL\]/) <=> ($a->{name} =~ /\[INTEL\]/) } @_)[0] }

# Each device as { number, kind, name }, as --list shows them.
sub list_devices {
    my ($status, $out, $err) = run("$root/step01", '--list');
    die "step01 --list: exit $status: $err(is everything built? make all)\n" if $status;
    return map { /^(\d+)\s+(\w+)\s+(.*), \d+ compute units/ ? { number => $1, kind => $2, name => $3 =~ tr/#//dr } : () }
        split /\n/, $out;
}

# Returns a hash of the lines key=value that --facts prints for this device.
sub read_facts {
    my ($device) = @_;
    return map { /^(\w+)=(.*)/ ? ($1 => $2) : () } split /\n/, (run("$root/step01", '--facts', '--device', $device->{number}))[1];
}

# Runs a command. Returns its exit status (128 + n after signal n), its standard output and its standard error. The line "still
# waiting for the kernel" is removed from standard error: on a busy machine any step may print it, after five seconds.
sub run {
    my @command = @_;
    my ($out, $err) = map { make_folder() . "/$$.$_" } qw(out err);
    my $child = fork // die "fork: $!";
    if (!$child) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', $out;
        open STDERR, '>', $err;
        exec 'timeout', $limit, @command or print STDERR "@command: $!\n";
        require POSIX;
        POSIX::_exit(127);
    }
    waitpid $child, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return ($status, slurp($out), slurp($err) =~ s/^\w+: still waiting for the kernel\b.*\n//mgr);
}

sub slurp {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return scalar(<$file>) // '';
}

sub spew {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
    return $path;
}

# Returns the files of this folder whose paths below it match the pattern. The name of the folder may contain any character.
sub find_files {
    my ($below, $pattern) = @_;
    return bsd_glob(($below =~ s/([][{}*?\\])/\\$1/gr) . "/$pattern", GLOB_ALPHASORT | GLOB_BRACE | GLOB_QUOTE);
}

sub find_library { return "$root/build/libreduce.a" } # it contains the harness
sub find_judge_library { return "$root/build/libjudge.a" } # in front of the harness it makes a judge of a step
sub list_harness_sources { return find_files($root, 'common/{,*/}*.c') }

# Copies these parts of the tree with their times, and returns the path of the copy. A test that builds there changes no file of
# the repository, so other tests can run at the same time.
sub copy_tree {
    my @parts = @_;
    my $copy = make_folder() . '/copy';
    mkdir $copy or die "$copy: $!\n";
    my ($status, $out, $err) = run('cp', '-a', (map { "$root/$_" } @parts), $copy);
    die $err if $status;
    return $copy;
}

# Returns a variable of the Makefile as a list of words. Paths after -I become absolute.
sub read_flags {
    my ($name) = @_;
    my ($flags) = slurp("$root/Makefile") =~ s/\\\n//gr =~ /^$name\s*[:?+]?=\s*(.*)/m or die "no $name in the Makefile\n";
    return map { /^-I(?!\/)(.*)/ ? "-I$root/$1" : $_ } split ' ', $flags;
}
sub cppflags { return read_flags('CPPFLAGS') }
sub cflags { return read_flags('CFLAGS') }

sub ldlibs { return qw(-lOpenCL -lm -lgomp) } # a program that uses the library needs these

# Compiles tests/common/shim.c into this file. Ends the test if that is not possible.
sub build_shim {
    my ($shim) = @_;
    my $cc = $ENV{CC} // 'cc';
    Test::More::plan(skip_all => "no C compiler ($cc)") unless has_tool($cc);
    my ($status, $out, $err) = run($cc, qw(-std=c11 -O1 -shared -fPIC), cppflags(), "$root/tests/common/shim.c", '-o', $shim);
    Test::More::BAIL_OUT("tests/common/shim.c does not compile: $err") if $status;
}

# Returns the flags for AddressSanitizer and UndefinedBehaviorSanitizer, or an empty list if $cc cannot use both on this machine.
sub find_sanitizer_flags {
    my ($cc) = @_;
    my $folder = make_folder();
    my @flags = (qw(-std=c11 -g -O1 -fno-omit-frame-pointer), '-fsanitize=address,undefined', '-fno-sanitize-recover=all');
    spew("$folder/try.c", "int main(void) { return 0; }\n");
    return (run($cc, @flags, "$folder/try.c", '-o', "$folder/try"))[0] || (run("$folder/try"))[0] ? () : @flags;
}

sub has_tool { # is a program of this name in PATH?
    my ($tool) = @_;
    return scalar grep { -x "$_/$tool" } split /:/, $ENV{PATH};
}

my @oclgrind = ('python3', "$root/common/judge/oclgrind.py"); # runs the command that follows inside Oclgrind
sub has_oclgrind { return !(run(@oclgrind, 'true'))[0] }
sub run_inside_oclgrind { # as run(), with these options of Oclgrind, such as { DATA_RACES => 1 }
    my ($options, @command) = @_;
    local @ENV{ map { "OCLGRIND_$_" } keys %$options } = values %$options;
    return run(@oclgrind, @command);
}

# Creates a folder for OCL_ICD_VENDORS with all runtimes of this machine, but with this library as Oclgrind, or without Oclgrind.
# Returns its path.
sub make_vendors {
    my ($library) = @_;
    my $from = -d ($ENV{OCL_ICD_VENDORS} // '') ? $ENV{OCL_ICD_VENDORS} : '/etc/OpenCL/vendors';
    my $to = make_folder() . ($library ? '/other ' : '/no ') . "oclgrind.$$";
    make_path("$to/oclgrind");
    spew("$to/" . basename($_), slurp($_)) for find_files($from, '*.icd');
    spew("$to/oclgrind/oclgrind.icd", "$library\n") if $library;
    return $to;
}

# Returns a PATH without these programs. `clang` also hides clang-14, and `mpicc` hides mpicc.openmpi, but `clang` does not hide
# clang-format. Instead of each folder that has one of them, the new PATH has a folder of links to the other programs. Its path has
# no space, because some scripts of the system do not quote PATH.
sub hide_tools {
    my $names  = join '|', map { quotemeta } @_;
    my $hidden = qr/^(?:$names)(?:-?\d[\d.]*|\.\w+)?$/;
    my (@folders, %seen);
    for my $folder (split /:/, $ENV{PATH}) {
        next if $seen{ realpath($folder) // '' }++; # /bin is often a link to /usr/bin
        opendir my $handle, $folder or next;
        my @programs = grep { -l "$folder/$_" || -f "$folder/$_" } readdir $handle; # see hidden_tools.t: follows no link
        if (grep { /$hidden/ } @programs) {
            my $links = tempdir('programs.XXXXXX', TMPDIR => 1, CLEANUP => 1);
            symlink File::Spec->rel2abs("$folder/$_"), "$links/$_" for grep { !/$hidden/ } @programs;
            $folder = $links;
        }
        push @folders, $folder;
    }
    return join ':', @folders;
}

sub find_step_source { # steps/05_multi_stage.c for 05, steps/beyond/11_single_pass.c for 11
    my ($step) = @_;
    return (find_files($root, "steps/{,beyond/}${step}_*.c"))[0];
}

# Returns each variant of a step that has a kernel, as [ width or 0, file of the kernel, kind of the kernel, further options ].
sub read_variants {
    my ($step) = @_;
    my @variants;
    my $source = slurp(find_step_source($step));
    while ($source =~ /\{ "\w+", "([^"]+\.cl)", \w+(.*?)\}/gs) { # an entry may span several lines
        my ($file, $rest) = ($1, $2);
        my $width = $rest =~ /\.width = (\d+)/ ? $1 : 0;
        my $kind = $rest =~ /SUB_GROUPS/ ? 'sub-group' : slurp("$root/kernels/$file") =~ /REDUCE_OVER/ ? 'work-group' : 'plain';
        my ($options) = $rest =~ /\.options = "([^"]*)"/;
        push @variants, [ $width, $file, $kind . ($rest =~ /ONE_WORD/ ? ', in a word' : ''), $options // '' ];
    }
    return @variants;
}

# Returns one source that contains all these kernels, each with a different name. Compiling it replaces about 100 compilations.
sub join_kernels {
    return join '', map { "#undef reduce\n#define reduce reduce_" . s{.*/}{}r =~ s/\W.*//r
        . "\n#include \"$root/kernels/$_\"\n" } @_;
}

# ---- deliberately wrong kernels and plans: mutants.t describes the format of a .mutant file

# Returns the fields of a .mutant file, and its edits. Each edit has the old lines ('-') and the new ones ('+').
sub read_mutant {
    my ($path) = @_;
    my %mutant = (name => $path =~ m{([^/]+)\.mutant$}, edits => []);
    my $last = '';
    for (split /\n/, slurp($path)) {
        if (/^(what|run|by|cause|says|seen|from|file) +(.*)/) {
            $mutant{$1} = $2;
        } elsif (/^([-+])(.*)/) {
            push @{ $mutant{edits} }, { '-' => '', '+' => '' } if $1 eq '-' && $last ne '-';
            $mutant{edits}[-1]{$1} .= "$2\n";
            $last = $1;
        } else {
            die "$path: '$_'\n";
        }
    }
    return \%mutant;
}

# Returns the source with the edits of the mutant, or undef unless the old lines of each edit occur exactly once.
sub break_source {
    my ($mutant) = @_;
    my $text = slurp("$root/$mutant->{file}");
    for my $edit (@{ $mutant->{edits} }) {
        my $at = index $text, $edit->{'-'};
        return undef if $at < 0 || index($text, $edit->{'-'}, $at + 1) >= 0;
        substr $text, $at, length $edit->{'-'}, $edit->{'+'};
    }
    return @{ $mutant->{edits} } ? $text : undef;
}

# Calls $do for each job, in three processes, because each process often waits. Each process takes the next free job, so put the
# longest jobs first. Returns the results in the order of the jobs; the processes write the results into files.
sub do_in_parallel {
    my ($do, @jobs) = @_;
    my $workers = 3;
    my @children;
    pipe my $next, my $queue or die "pipe: $!\n";
    syswrite $queue, pack 'S*', 0 .. $#jobs; # two bytes for each job: a pipe has room for thousands, and a read takes both bytes
    close $queue;
    make_folder();
    for my $worker (0 .. $workers - 1) {
        my $child = fork // die "fork: $!";
        if (!$child) {
            $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
            my %results;
            while ((sysread($next, my $number, 2) // 0) == 2) {
                $number = unpack 'S', $number;
                $results{$number} = $do->($jobs[$number]);
            }
            nstore(\%results, make_folder() . "/results.$worker");
            _exit(0);
        }
        push @children, $child;
    }
    waitpid $_, 0 for @children;
    my %results = map { %{ retrieve(make_folder() . "/results.$_") } } 0 .. $workers - 1;
    return map { $results{$_} } 0 .. $#jobs;
}

1;
