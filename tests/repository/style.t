#!/usr/bin/perl
# Compilers and linters must print no warning, clang's OpenCL front end must accept the kernels, and the files must meet the
# limits in tests/README.md, "What style.t requires". `make test` compiles C with gcc only, and kernels with every sixth operator
# and a width of at most 4; it compiles the kernels of step 12 with every sixth back end.
use strict;
use warnings;
no warnings 'qw'; # because a comma in qw() is intended here
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

chdir $root or die "$root: $!\n";
my @c       = glob join ' ', qw(steps/*.c steps/beyond/*.c steps/beyond/*/*.c steps/exercises/*.c steps/exercises/*/*.c common/*.c
    common/*/*.c .ci/*.c tests/*/*.c plots/*.c plots/*/*.c);
my @kernels = glob 'kernels/[0-9]*.cl kernels/beyond/[0-9]*.cl';
my @sources = (@c, glob join ' ', qw(steps/*.h steps/beyond/*/*.h steps/exercises/*.h common/*.h common/*/*.h .ci/*.h
    kernels/*.cl* kernels/*/*.cl* plots/book/*.clh steps/exercises/*/*.cl));

sub expect_silence { # the command must succeed and print nothing
    my ($name, @command) = @_;
SKIP: {
        skip "$name: no $command[0]", 1 unless has_tool($command[0]);
        my ($status, $out, $err) = run(@command);
        is("$status$out$err", '0', $name);
    }
}

# ---- C
for my $compiler ('gcc', $test_all ? 'clang' : ()) {
    my @mpi = has_tool('mpicc') ? map { ('-isystem', $_) } (run(qw(mpicc -show)))[1] =~ /-I(\S+)/g : ();
    my %needs   = (clblast => [qw(clblast_c.h libclblast-dev)], lapack => [qw(lapacke.h liblapacke-dev)]); # header, package
    my @missing = grep { has_tool($compiler) && (run($compiler, cppflags(), qw(-E -x c /dev/null -include), $needs{$_}[0]))[0] }
        sort keys %needs;
    for my $file (@c) {
    SKIP: {
            for my $library (grep { $file =~ /$_/ } @missing) {
                skip "$compiler: $file: no $needs{$library}[0]: install the package $needs{$library}[1]", 1;
            }
            skip "$compiler: $file: no MPI: make deps MPI=1 installs it", 1 if $file =~ /ranks/ && !@mpi;
            expect_silence("$compiler: $file", $compiler, cppflags(), qw(-Isteps/exercises -Ikernels), @mpi, cflags(),
                qw(-Werror -fsyntax-only),
                ($file =~ /openmp/ ? '-fopenmp' : ()), $file)
                unless $compiler eq 'clang' && $file =~ /openmp/; # clang's OpenMP library is in a separate package
        }
    }
    expect_silence("$compiler: a variant that sets only its name, kernel and plan", $compiler, cppflags(), cflags(),
        qw(-Werror -fsyntax-only),
        spew(make_folder() . '/row.c', slurp(find_step_source('06')) =~ s/ plan,\K.*?(?= \},)//sr));
}
expect_silence('clang-format', qw(clang-format --dry-run -Werror), grep { /\.[ch]$/ } @sources);

# cppcheck does not notice that fail() never returns, because fail() has a format attribute. This file tells it.
my $library = spew(make_folder() . '/fail.cfg', <<'END');
<?xml version="1.0"?>
<def><function name="fail"><noreturn>true</noreturn><arg nr="1"/><arg nr="variadic"/></function></def>
END
expect_silence('cppcheck', qw(cppcheck -q --std=c11 --error-exitcode=1), '--enable=warning,style,performance,portability',
    "--library=$library", (grep { !/^-D_POSIX/ } cppflags()), qw(-Isteps/exercises -Ikernels),
    '--suppress=shadowFunction', # a variable may have the name of a function
    '--suppress=variableScope', # a function declares its buffers together with its other variables
    '--suppress=knownConditionTrueFalse:tests/kernels/*', # newer releases compute the expected values of the tests
    '--suppress=unusedStructMember:common/operation.c', # the code sets one member of a union and reads another
    '--suppress=constParameterCallback:steps/beyond/13_ranks.c', # MPI prescribes the types of these parameters
    '--suppress=normalCheckLevelMaxBranches', # newer releases report their own limits
    @c);

# ---- kernels: each is compiled with warnings, for every operator and type, for elements and for partial results
my @clang = (qw(clang -x cl -Ikernels -target spir64-unknown-unknown -Xclang -finclude-default-header
    -fsyntax-only -Wall -Wextra -Werror));
my @modern = qw(-cl-std=CL3.0 -Xclang -cl-ext=+all);
my $intel = spew(make_folder() . '/intel.h', join '', map {
        my $width = $_;
        map { "$_->[0]$width __attribute__((overloadable, convergent)) "
                . "intel_sub_group_block_read$_->[1]$width(const global $_->[0] *p);\n" } [ 'uint', '' ], [ 'ulong', '_ul' ];
    } '', 2, 4, 8); # the header of clang 14 does not declare these

my @old     = qw(-cl-std=CL1.2);
my @scratch = qw(-Wno-unused-parameter); # only some back ends use this parameter
my @nvidia  = (qw(-target nvptx64-unknown-unknown -Xclang -cl-ext=+all -D asm=__asm__), @old); # with inline PTX
my @back_ends = ( # name, kind of kernel, widths, options
    [ 'OpenCL C 1.2',   'plain',      undef,    @old ],
    [ 'OpenCL C 2.0',   'work-group', undef,    qw(-cl-std=CL2.0) ],
    [ 'local, 1 lane',  'sub-group',  [ 1, 4 ], @old, @scratch, qw(-D LOCAL -D LANES=1) ],
    [ 'local, 8 lanes', 'sub-group',  [ 1, 4 ], @old, @scratch, qw(-D LOCAL -D LANES=8) ],
    [ 'nvidia',        'sub-group',  [ 1, 4 ], @nvidia, @scratch, qw(-D NVIDIA -D LANES=32) ],
    [ 'nvidia, redux, fmin', 'sub-group', [4], @nvidia, @scratch, qw(-D NVIDIA -D LANES=32 -D REDUX -D BY_FMIN) ],
    [ 'nvidia, redux', 'sub-group, in a word', undef, @nvidia, @scratch, qw(-D NVIDIA -D LANES=32 -D REDUX) ],
    [ 'local, 8 lanes', 'sub-group, in a word', undef, @old, @scratch, qw(-D LOCAL -D LANES=8) ],
    [ 'khr', 'sub-group, in a word', undef, @modern, @scratch, qw(-D KHR) ],
    [ 'intel', 'sub-group, in a word', undef, @modern, '-include', $intel, @scratch, qw(-D INTEL -D LANES=16) ],
    [ 'khr',            'sub-group',  [ 1, 4 ], @modern, @scratch, qw(-D KHR) ],
    [ 'intel',          'sub-group',  undef,    @modern, '-include', $intel, @scratch, qw(-D INTEL -D LANES=16) ],
);

# Each operator and each type occurs at least once. check.t compiles every combination.
my @operations = ('sum int', 'sum long', 'min uint', 'min double', 'max ulong', 'max float', 'argmin float', 'argmax int',
    'hash uint');
sub choose_operation { my ($op, $type) = @_; return ('-D', "OPERATOR=$op", '-D', "ELEMENT=$type") }

my (%launched, %used); # %launched: kind -> width -> kernel files that the steps launch
for my $step (@steps) {
    my @listed = split /\n/, (run("$root/step$step", '--variants'))[1];
    is(scalar(my @found = read_variants($step)), scalar(grep { !/^\w+ +- / } @listed),
        "step $step: read_variants() finds all variants in the source");
    for (@found) {
        my ($width, $file, $kind) = @$_;
        $launched{$kind}{ $width || 1 }{$file} = $used{$file} = 1;
    }
}
my %of_capstone = map { $_ => 1 } map { map { slurp($_) =~ /"((?:beyond\/)?\d\d_\w+\.cl)"/g } find_step_source($_),
    glob 'steps/beyond/*/*.c' } @capstones;
$used{$_} = 1 for keys %of_capstone;
for my $path (@kernels) {
    ok($used{ $path =~ s{^kernels/}{}r }, "$path: a variant uses this kernel");
}

for (@back_ends) {
    my ($name, $kind, $widths, @options) = @$_;
    for my $width (sort { $a <=> $b } $widths ? @$widths : keys %{ $launched{$kind} }) {
        my @files = sort keys %{ $launched{$kind}{$width} };
        next unless $test_all || $width <= 4;
        my $together = spew(make_folder() . '/together.cl', join_kernels(@files));
        my @wrong;
    SKIP: {
            skip "$name, width $width: no clang", 1 unless has_tool('clang');
            for (choose_some(@operations)) {
                my ($op, $type) = split;
                next if $op eq 'hash' && $kind eq 'work-group'; # OpenCL's work-group functions cannot combine hashes
                next if "$op $type" !~ /^(sum int|min uint|max float)$/ && $kind =~ /in a word$/;
                for my $input ([ '-D', 'BATCH=4' ], [ '-D', 'READS_PARTIALS' ]) { # as on a GPU; as on a CPU, for values
                    my ($status, $out, $err) = run(@clang, '-D', "WIDTH=$width", @options, choose_operation($op, $type), @$input,
                        $together);
                    push @wrong, "$op $type @$input: $out$err" if "$status$out$err" ne '0';
                }
            }
            is(scalar @wrong, 0, "$name, width $width, each operator and each type: clang accepts @files") or diag($wrong[0]);
        }
    }
}
for my $file (grep { m{/12_} } sort keys %of_capstone) { # each of these kernels is written for one operator and type
    my @operation = $file =~ /stop/ ? qw(min uint) : $file =~ /bounds/ ? qw(max float) : qw(sum float);
    for (choose_some(grep { $_->[1] eq 'sub-group' } @back_ends)) {
        my ($name, undef, undef, @options) = @$_;
        expect_silence("$file, $name", @clang, @options, choose_operation(@operation), '-D',
            'WIDTH=' . ($name =~ /1 lane/ ? 16 : 4),
            '-D', 'BY_FMIN', "kernels/$file");
    }
}
expect_silence("02_local.cl, sum of $_ with atomics of PTX", @clang, @nvidia, qw(-D PTX_ATOMICS), choose_operation('sum', $_),
    'kernels/02_local.cl')
    for qw(float double);
expect_silence("02_local.cl, $_ with atomics of OpenCL C 2.0", @clang, @modern, qw(-D NATIVE_ATOMICS), choose_operation(split),
    'kernels/02_local.cl')
    for grep { !/double|hash/ } @operations; # clang 14 has no atomics for double, and OpenCL has none for the pairs of hash
for my $file (qw(data limit)) {
    expect_silence("$file.cl, $_", @clang, @old, choose_operation($_, 'float'), "kernels/$file.cl") for qw(sum min max);
}
for my $path (glob 'kernels/*.cl kernels/beyond/*.cl steps/exercises/*/*.cl') { # an editor compiles a kernel without options
    expect_silence("$path compiles without any option", @clang, slurp($path) =~ /REDUCE_OVER/ ? '-cl-std=CL2.0' : @old, @scratch,
        $path);
}

# ---- limits: tests/README.md, "What style.t requires"
my %capstone = map { $_ => 1 } @capstones; # a capstone may have 150 lines for its algorithm; the rest is in further files
sub count_lines { return scalar(() = slurp($_[0]) =~ /\n/g) }

sub check_budget {
    my ($name, $count, $most) = @_;
    ok($count <= $most, "$name: $count lines, at most $most");
}

for my $step ('00', @steps, @capstones) {
    my $source = find_step_source($step) =~ s{^\Q$root\E/}{}r;
    check_budget($source, count_lines($source), $step eq '00' || $capstone{$step} ? 150 : $step >= 11 ? 110 : $step == 10 ? 90
        : 75);
    cmp_ok(count_lines($source), '>=', 25, "$source: at least 25 lines");
    my ($header) = slurp($source) =~ m{\A(/\*.*?\*/)}s;
    my @labels = ($header // '') =~ /^ \* (Idea|Change|Expect|Try) {2,}\S/mg;
    is("@labels", 'Idea Change Expect Try', "$source begins with Idea, Change, Expect, Try");
}
for my $path (glob 'kernels/*.cl* kernels/*/*.clh') {
    my $text = slurp($path);
    like($text, qr{\A/\* }, "$path begins with a comment");
    my $most = $path =~ m{operator} ? 60 : $path =~ m{/data\.clh} ? 200 : $path =~ /\.clh$/ ? 100 : $path =~ m{/\d} ? 40 : 150;
    check_budget($path, count_lines($path), $most);
    next unless $path =~ m{/\d};
    like($text, qr{\A/\*.*^ \*   +\S.*  \S.*\*/\n}ms, "$path: the first comment contains a picture");
}

check_budget($_, count_lines($_), m{/reduce\.c$} ? 350 : 270) for glob 'steps/beyond/*/*';

# The lines of the main kernel and of the plan that a step changes, compared with an earlier step, without comments.
for my $step (@steps) {
    my ($number, $name, $other) = slurp(find_step_source($step)) =~ /struct step step = \{\s*(\d+),\s*"(\w+)",\s*(\d+),/;
    like(find_step_source($step), qr{/0?$number\_$name\.c$},
        "step $step: the number and the name in the source are those of the file");
    my ($status, $diff, $err) = run('steps/diff.sh', $step);
    my $changed = () = $diff =~ /^[-+](?!-- |\+\+ )/mg;
    my ($compared) = $diff =~ /^Change +\(against (\d+)/m; # the first step is compared with itself
    is("$status$err" . ($compared // $step) * 1, "0$other", "make diff$step: compares with the step that the source names");
    check_budget("make diff$step", $changed, 40);
    ok($changed > 0 || $other == $step, "make diff$step: shows at least one line");
}

# ---- common/: no circle of includes
my @common = glob 'common/*.[ch] common/*/*.[ch]';
my %module = map { $_ => s/\.[ch]$//r } @common; # x.c and x.h form one module
my (%includes, @strange);
for my $path (@common) {
    my ($folder) = $path =~ m{(.*/)};
    for my $name (slurp($path) =~ /^\s*#include "(.*?)"/mg) {
        my $local = "$folder$name" =~ s{\w+/\.\./}{}r;
        my ($file) = grep { $module{$_} } $local, "common/$name" or next; # otherwise it is a header of the kernels
        $includes{ $module{$path} }{ $module{$file} } = 1 if $module{$file} ne $module{$path} || $file eq $path;
        my ($home) = $file =~ m{^(common/\w+/)} or next;
        push @strange, "$path includes $name" if $home ne $folder;
    }
}
is(join("\n", @strange), '', 'no file of the harness includes a header of common/judge/');

# Returns the modules on the shortest way from a module back to itself, or () if there is no such way.
sub find_circle {
    my ($from) = @_;
    my (@ways, %seen) = [$from];
    while (my $way = shift @ways) {
        for (sort keys %{ $includes{ $way->[-1] } // {} }) {
            return (@$way, $_) if $_ eq $from;
            push @ways, [ @$way, $_ ] unless $seen{$_}++;
        }
    }
    return ();
}
my @circles = sort { @$a <=> @$b } grep { @$_ } map { [ find_circle($_) ] } sort keys %includes;
is(scalar @circles, 0, 'no circle of includes in common/')
    or diag(@circles . ' modules are on a circle, the shortest circle is ' . join ' -> ',
        map { s{^common/}{}r } @{ $circles[0] });

for my $path (grep { /c$/ } @common) {
    ok(-e $path =~ s/c$/h/r, "$path has a header of the same name");
    my $code = slurp($path) =~ s{/\*.*?\*/|//[^\n]*}{}gsr;
    my @declared = $code =~ /^((?!static\b|typedef\b)[a-z]\w*\b[\w\s*]*[\s*]\w+\([^;{}()]*\);|extern\b[^;]*;)/mg;
    is(join("\n", @declared), '', "$path declares nothing for another file");
}

# No file in common/ names a step or a variant. Names of one word are not searched, because these words may have other meanings
# there. The doctor, step00, may be named, because it is not part of the ladder.
my @names = map { slurp(find_step_source($_)) =~ /struct step step = \{\s*\d+,\s*"(\w+)"/, map { /^(\w+) / } split /\n/,
    (run("$root/step$_", '--variants'))[1] } @steps;
my $names = join '|', grep { /[_\d]/ } @names;
for my $path (@common) {
    my $text = slurp($path);
    unlike($text, qr{#include "[^"]*steps/|\bsteps/\d|\bstep ?(?!00\b)\d\d\b|\b\d\d_\w+\.cl?\b|"(?:$names)"},
        "$path names no step");
}

# ---- C, Python and Makefiles: 100 columns
sub find_wide_lines { # the places of all lines with more than 100 columns
    my @wide;
    for my $path (@_) {
        my $number = 0;
        for (split /\n/, slurp($path)) {
            $number++;
            utf8::decode($_);
            push @wide, "$path, line $number" if length > 100;
        }
    }
    return join "\n", @wide;
}
is(find_wide_lines(@sources, glob 'tests/*/*.h plots/peers/*.h plots/peers/*.cpp plots/peers/*.cu'), '',
    'no line of C over 100 columns');
is(find_wide_lines(glob 'Makefile steps/exercises/*.mk plots/*.mk plots/*/*.mk'), '', 'no line of a Makefile over 100 columns');
is(find_wide_lines(glob 'plots/*.py plots/*/*.py steps/exercises/*.py common/*/*.py'), '', 'no line of Python over 100 columns');

# ---- Markdown: 100 columns, except code, tables, pictures, and lines of one word; comments only between paragraphs
sub find_wide_prose { # the places of all wide lines, and of all comments within a line
    my @places;
    for my $path (@_) {
        my ($number, $fence) = (0, '');
        for (split /\n/, slurp($path)) {
            $number++;
            $fence = $fence ? '' : $1 if /^ *(```)/;
            next if $fence || /^(?: {4}| *(?:```|\||\[?!\[|\S+$))/;
            utf8::decode(my $line = $_);
            push @places, "$path, line $number: over 100 columns" if length $line > 100;
            push @places, "$path, line $number: a comment within a line" if s/`[^`]*`//gr =~ /[^ >].*<!--|-->./;
        }
    }
    return join "\n", @places;
}
is(find_wide_prose(glob '{,{common,kernels,plots,steps,tests}/{,*/,*/*/}}*.md'), '', 'no line of prose over 100 columns, and no comment within one');
my %said = ("a\n\n" . 'word ' x 20 . "word\n" => 'over 100 columns', "It is <!-- number -->3\n" => 'a comment within a line',
    "<!-- number -->3\n" => 'a comment within a line', "> <!-- checked: 3 = run -->\n" => '', '| ' . 'word ' x 20 . "|\n" => '');
for (sort keys %said) {
    is(find_wide_prose(spew(make_folder() . '/try.md', $_)) =~ s/.*: //r, $said{$_}, "such a line of Markdown: $_" =~ s/\s+/ /gr);
}

like(slurp('.clang-format'), qr/^ColumnLimit: 100$/m, '.clang-format knows this limit');
like(slurp('.editorconfig'), qr/^\[\{\*\.c,\*\.h,\*\.cl,\*\.clh,\*\.cpp,\*\.cu,\*\.py,\*\.mk,Makefile\}\]\nmax_line_length = 100$/m,
    '.editorconfig knows this limit');

# ---- what is written in two files, because each program reads only its own
is(slurp('compile_flags.txt'), join('', map { s/^-I\Q$root\E\//-I/r . "\n" } cppflags()),
    'clangd reads the CPPFLAGS of the Makefile in compile_flags.txt'); # no -std, because a kernel is not C
my %in_no_image = map { $_ => 1 } split /\n/, slurp('.dockerignore');
is(join(' ', grep { !/^#/ && !$in_no_image{$_} } split /\n/, slurp('.gitignore')), '', '.dockerignore has each line of .gitignore');

# ---- the other folders
for my $path (glob 'plots/*.gp') {
    check_budget($path, count_lines($path), 40);
    unlike(slurp($path) =~ s/#.*//mgr, qr/\bsystem\b|`|["'][<|]|\bawk\b/, "$path starts no other program");
}
expect_silence('shellcheck', 'shellcheck', glob('steps/*.sh plots/book/*.sh'), qw(.ci/bare .ci/deps .ci/run));
my @python = glob 'plots/*.py plots/*/*.py steps/exercises/*.py common/*/*.py';
expect_silence('flake8', qw(flake8 --max-line-length 100 --extend-ignore E203,E731,W503), @python);
expect_silence('black', qw(black -q --check -l 100), @python);
is(join(' ', grep { slurp($_) =~ /^\s*(?:import|from)\b.*\btomllib\b/m } @python),
    '', 'no program needs tomllib, which Python 3.10 does not have');

# Each block of C in the chapters occurs in a source. White space may differ.
my @shown = map { slurp($_) =~ s/\s+/ /gr } glob 'steps/*.c steps/beyond/*.c steps/beyond/*/*.c kernels/*.cl* kernels/*/*.cl*';
for my $block (map { slurp($_) =~ /^```c\n(.*?)^```/msg } 'TUTORIAL.md', glob 'steps/beyond/*/README.md') {
    my $text = $block =~ s/\s+/ /gr =~ s/ $//r;
    ok((grep { index($_, $text) >= 0 } @shown), 'a chapter quotes a source: ' . ($block =~ /(\S.*)/)[0]);
}

# Bats does not notice if `! command` fails, or any but the last of several commands on a line. Such lines are allowed only where
# the test uses their status or their output.
for my $path (grep { slurp($_) =~ /\A#!.*\bbats\b/ } glob 'tests/*/*.t') {
    my @silent;
    for (split /\n/, slurp($path) =~ s/\A.*//r) {
        my $line = s/"(?:\\.|[^"\\])*"|'[^']*'/""/gr =~ s/(?:^|\s)#.*//r; # without its strings and its comment
        push @silent, $_ if $line =~ /^\s*! |&&|\|/ && $line !~ /^\s*(?:if|while) |\$\(|\|\| (?:skip|true|status=\$\?)/;
    }
    is(join("\n", @silent), '', "$path: bats notices a failure of each line");
SKIP: {
        skip 'no bats', 1 unless has_tool('bats');
        my ($first) = slurp($path) =~ /\A(.*\n)/;
        chmod 0755, spew(make_folder() . '/wrong.t', qq($first\@test "wrong" { echo "the reason"; false; }\n));
        my ($status, $out, $err) = run(make_folder() . '/wrong.t');
        ok($status && $out eq "1..1\nnot ok 1 wrong\n" && $err =~ /^# the reason$/m,
            "$path: if a test fails, the reason goes to standard error, which prove shows") or diag($out, $err);
    }
}

is(join("\n", grep { length > 80 } split /\n/, (run(qw(make -s help)))[1]), '', 'make help prints at most 80 columns');

done_testing();
