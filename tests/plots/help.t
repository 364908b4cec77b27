#!/usr/bin/perl
# Tests --help of the programs in Python: it prints what the program does, needs no tool, and writes no file. A wrong option is one
# line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $folder = make_folder();
chdir $folder or die "$folder: $!\n";
# A tool that a program needs may be missing.
local $ENV{PATH} = hide_tools(qw(gnuplot oclgrind ocloc pandoc chromium chromium-browser google-chrome make mpirun));
my @programs = grep { -x } map { find_files($root, $_) } 'plots/{,*/}*.py', '{common/judge,steps/exercises}/*.py';
cmp_ok(scalar @programs, '>=', 12, 'programs');
for my $program (@programs) {
    my $name = $program =~ s{.*/}{}r;
    my ($first) = slurp($program) =~ /^"""(.*)/m;
    my ($status, $out, $err) = run($program, '--help');
    like("$status $err$out", qr/\A0 \Q$first\E\n/, "$name --help: what it does");
    like($out, qr/\Q$name\E/, '... and how to call it');
    ($status, $out, $err) = run($program, '--nosuch');
    my $says = $name eq 'oclgrind.py' ? 'No such file' : "usage: \Q$name\E"; # its argument is the name of a program
    like("$status $out$err", qr/\A(?:2 [\w.]+: [^\n]*\b$says[^\n]*\n|77 )\z/, "$name --nosuch: one line, exit 2");
}
is(join(' ', map { s{.*/}{}r } grep { -e && !/\/\d+\.(?:out|err)$/ } find_files($folder, '{,-}*')), '', 'no file is written');

chdir $root; # so that the folder can be removed
done_testing();
