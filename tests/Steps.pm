# What the tests in perl share: where the programs are, which devices there are, running one and keeping what it says.
package Steps;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter qw(import);
use File::Basename qw(basename dirname);
use File::Path qw(remove_tree);
use File::Spec ();
use File::Temp ();
use POSIX qw(_exit);
use Storable qw(nstore retrieve);

our @EXPORT = qw($root $test_all $full needs_test_all choose_some choose_fastest @steps @capstones list_devices read_facts has_tool run slurp spew make_folder find_step_source read_variants join_kernels find_library list_harness_sources copy_tree cppflags cflags ldlibs find_sanitizer_flags read_mutant break_source do_in_parallel);
our $root   = realpath(dirname(__FILE__) . '/..');
# `make test-all` sets TEST_ALL. Without it a test leaves out what its head says, so that `make test` takes minutes. FULL=1
# multiplies further, for hours.
our $full = $ENV{FULL};
our $test_all = $ENV{TEST_ALL} || $full;
our $limit  = 3600; # seconds that run() gives a command: a machine may be busy with much else
our @steps  = map { m{/(\d\d)_[^/]*$} } grep { slurp($_) =~ /\bstep_main\(/ } glob "'$root'/steps/{,beyond/}[0-9][0-9]_*.c"; # 01, 02, …
our @capstones = map { m{/(\d\d)_[^/]*$} } grep { slurp($_) !~ /\bstep_main\(/ && !m{/00_} } glob "'$root'/steps/{,beyond/}[0-9][0-9]_*.c";

delete @ENV{qw(REDUCE_DEVICE REDUCE_KERNELS MAKEFLAGS MAKELEVEL)}; # a user's own choice, or that of `make test`, is not what is tested
$ENV{LC_ALL} = 'C';

# Removed when the test ends, however it ends. With a space in it: paths have them. The same one each time, if nobody else has it: a
# path is part of what the device compiles, and pocl keeps what it has compiled.
my ($folder, $owner);
sub make_folder {
    my $usual = sprintf '%s/reduce test.%s.%d', File::Spec->tmpdir, basename($0), $<;
    ($folder, $owner) = mkdir($usual, 0700) ? ($usual, $$) : File::Temp->newdir('reduce test.XXXXXX', TMPDIR => 1) unless $folder;
    return "$folder";
}
END { remove_tree($folder) if $owner && $owner == $$ }
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);

# At the head of a test that only `make test-all` runs. Alone: TEST_ALL=1 tests/judge/mutants.t
sub needs_test_all {
    my ($takes) = @_;
    return if $test_all;
    print "1..0 # SKIP make test-all runs it, and so does TEST_ALL=1 $0: $takes\n";
    exit;
}

# Of many cases that are much alike: every sixth, and all in test-all.
sub choose_some { my $turn = 0; return grep { $test_all || !($turn++ % 6) } @_ }

# The one of these devices on which a test costs least: Intel's runtime compiles a kernel once, pocl once for each group size.
sub choose_fastest { return (sort { ($b->{name} =~ /\[INTEL\]/) <=> ($a->{name} =~ /\[INTEL\]/) } @_)[0] }

# Each device as { number, kind, name }, as --list shows them.
sub list_devices {
    my ($status, $out, $err) = run("$root/step01", '--list');
    die "step01 --list: exit $status: $err(is everything built? make all)\n" if $status;
    return map { /^(\d+)\s+(\w+)\s+(.*), \d+ compute units/ ? { number => $1, kind => $2, name => $3 =~ tr/#//dr } : () }
        split /\n/, $out;
}

sub read_facts { # of a device, by key
    my ($device) = @_;
    return map { /^(\w+)=(.*)/ ? ($1 => $2) : () } split /\n/, (run("$root/step01", '--facts', '--device', $device->{number}))[1];
}

# The exit status (128 + n for a signal), and what went to standard output and to standard error: but for the word that a
# step says after five seconds, which a busy machine brings about.
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

sub find_library { return "$root/build/libreduce.a" } # the harness
sub list_harness_sources { return glob "'$root'/common/*.c '$root'/common/*/*.c" } # and its sources

# A copy of these parts of the tree, as old as they are, to build in: the test leaves nothing behind, and runs beside others.
sub copy_tree {
    my @parts = @_;
    my $copy = make_folder() . '/copy';
    mkdir $copy or die "$copy: $!\n";
    my ($status, $out, $err) = run('cp', '-a', (map { "$root/$_" } @parts), $copy);
    die $err if $status;
    return $copy;
}

# Flags as the Makefile has them, with the folder of the headers made absolute.
sub read_flags {
    my ($name) = @_;
    my ($flags) = slurp("$root/Makefile") =~ s/\\\n//gr =~ /^$name\s*[:?+]?=\s*(.*)/m or die "no $name in the Makefile\n";
    return map { /^-I(?!\/)(.*)/ ? "-I$root/$1" : $_ } split ' ', $flags;
}
sub cppflags { return read_flags('CPPFLAGS') }
sub cflags { return read_flags('CFLAGS') }

sub ldlibs { return qw(-lOpenCL -lm -lgomp) } # of what is linked with the library

# Further flags with which gcc and clang run something under both sanitizers; nothing, if $cc cannot here.
sub find_sanitizer_flags {
    my ($cc) = @_;
    my $folder = make_folder();
    my @flags = (qw(-std=c11 -g -O1 -fno-omit-frame-pointer), '-fsanitize=address,undefined', '-fno-sanitize-recover=all');
    spew("$folder/try.c", "int main(void) { return 0; }\n");
    return (run($cc, @flags, "$folder/try.c", '-o', "$folder/try"))[0] || (run("$folder/try"))[0] ? () : @flags;
}

sub has_tool { # is there such a tool?
    my ($tool) = @_;
    return scalar grep { -x "$_/$tool" } split /:/, $ENV{PATH};
}

sub find_step_source { # steps/05_multi_stage.c for 05, steps/beyond/11_single_pass.c for 11
    my ($step) = @_;
    return (glob "'$root/steps/'{,beyond/}'${step}_'*.c")[0];
}


sub read_variants { # of a step, those with a kernel: [ width or 0, its file, its kind, further options ]
    my ($step) = @_;
    my @variants;
    my $source = slurp(find_step_source($step));
    while ($source =~ /\{ "\w+", "([^"]+\.cl)", \w+(.*?)\}/gs) { # on as many lines as it takes
        my ($file, $rest) = ($1, $2);
        my $width = $rest =~ /\.width = (\d+)/ ? $1 : 0;
        my $kind = $rest =~ /SUB_GROUPS/ ? 'sub-group' : slurp("$root/kernels/$file") =~ /REDUCE_OVER/ ? 'work-group' : 'plain';
        my ($options) = $rest =~ /\.options = "([^"]*)"/;
        push @variants, [ $width, $file, $kind . ($rest =~ /ONE_WORD/ ? ', in a word' : ''), $options // '' ];
    }
    return @variants;
}

sub join_kernels { # many kernels in one text, each under a name of its own: a hundred compilations less
    return join '', map { "#undef reduce\n#define reduce reduce_" . s{.*/}{}r =~ s/\W.*//r . "\n#include \"$root/kernels/$_\"\n" } @_;
}

# ---- deliberately wrong kernels and plans: mutants.t says what a .mutant holds
# Its fields, and its edits: what is to be replaced, by what.
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

# The broken text; undef if what it breaks is not there any more, or not only once.
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

# Three processes side by side, as each waits a good deal; each takes the next job that nobody has taken: the longest should
# come first. What they find out comes back through files.
sub do_in_parallel {
    my ($do, @jobs) = @_;
    my $workers = 3;
    my @children;
    pipe my $next, my $queue or die "pipe: $!\n";
    syswrite $queue, pack 'S*', 0 .. $#jobs; # two bytes for each: a pipe holds thousands, and gives each to one reader, whole
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
