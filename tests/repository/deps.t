#!/usr/bin/perl
# Tests make deps with fake versions of apt and other tools: which packages it installs, which lines it prints about packages that
# it does not install, and its exit status.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('some seconds');
plan skip_all => 'installs on Debian and Ubuntu only' unless -e '/etc/debian_version';
my $folder = make_folder();
mkdir "$folder/$_" for qw(bin vendors);
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

my @new = qw(intel-opencl-icd oclgrind); # Debian 13 does not have these
my ($gpu, $simulator) = map { expect_line($_, 'apt knows no such package') } @new;
write_package_lists(leave_out(@new), [ 'apt', @{ leave_out(@new) } ]);
check_deps('a release that lacks two packages', 0, "$gpu$simulator");

write_package_lists(leave_out(@new, 'bats'), [ 'apt', @{ leave_out(@new) } ]);
for (['no root', 'no root or sudo', ID => 1000], [ 'no network', 'apt-get failed, see above', APT_FAILS => 1, 'update',
    'install bats' ]) {
    my ($name, $why, $variable, $value, @calls) = @$_;
    local $ENV{$variable} = $value;
    check_deps($name, 0, $gpu . expect_line('bats', $why) . $simulator, @calls);
}
check_deps('a package that apt can install', 0, "$gpu$simulator", 'update', 'install bats');
check_deps('the second call', 0, "$gpu$simulator");

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

done_testing();
