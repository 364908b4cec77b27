#!/usr/bin/perl
# Compiles every kernel of every step with ocloc, the compiler of Intel's GPU runtime, for the GPUs on which the articles
# measured. It must print no warning. The test needs no GPU, so it cannot tell whether the kernels give the right result there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
plan skip_all => 'no ocloc: install the package intel-opencl-icd, if your system has it' unless has_tool('ocloc');
$Steps::limit = 7200; # for all compilations together
my @wanted = qw(bdw kbl tgllp dg1); # Iris Pro P6300, HD and UHD Graphics 630, Iris Xe, Iris Xe MAX
my %supported = map { $_ => 1 } map { /can be: (.*)/ ? $1 =~ /[\w-]+/g : () } (run(qw(ocloc compile --help)))[1];
my @gpus   = grep { $supported{$_} } @wanted;
plan skip_all => "this ocloc knows none of @wanted" unless @gpus;
for (grep { !$supported{$_} } @wanted) {
SKIP: { skip "this ocloc does not know $_", 1 }
}

# build/compileNN prints the options. For partial results only the type of the input changes, and style.t compiles that.
my %jobs; # name of a job => options => the files that are compiled together
for my $operation ('sum int', 'min float') {
    my ($op, $type) = split ' ', $operation;
    for my $step (@steps) {
        my ($status, $out, $err) = run("$root/build/compile$step", qw(--variant all --op), $op, '--type', $type);
        my @lines = split /\n/, $out;
        is(scalar @lines, scalar(my @variants = read_variants($step)), "step $step, $operation: options for each kernel")
            or diag($err);
        for (@lines) {
            my (undef, $file, $options) = split ' ', $_, 3;
            $options =~ s/ -D BY_\w+// if $op eq 'sum'; # -D BY_FMIN and -D BY_MIN: other ways to write a minimum
            # The variants whose widths are compared are compiled for several widths.
            for my $width ($file =~ /^07_/ ? (2, 4, 8, 16) : $file =~ /^10_block/ ? (1, 2, 4, 8) : $options =~ /WIDTH=(\d+)/) {
                my $built = $options =~ s/WIDTH=\K\d+/$width/r =~ s/\s+$//r;
                $jobs{"$op of $type, $built"}{$built}{$file} = 1;
            }
        }
    }
    $jobs{"$op of $type, the harness's own"}{"-cl-std=CL1.2 -D OPERATOR=$op -D ELEMENT=$type"} = { 'data.cl' => 1,
        'limit.cl' => 1 };
}

# tgllp and dg1 have the same architecture. Unless FULL=1, sums are compiled for only one of them, and minima for the other.
my %skipped_gpu = $full || !$supported{dg1} || !$supported{tgllp} ? () : (sum => 'dg1', min => 'tgllp');
sub choose_gpus { my ($name) = @_; return grep { $_ ne ($skipped_gpu{ substr $name, 0, 3 } // '') } @gpus }
my $folder = make_folder();
my $number = 0;
my %log;
for my $name (sort keys %jobs) {
    my ($options, $files) = %{ $jobs{$name} };
    spew("$folder/$number.cl", join_kernels(sort keys %$files));
    my $gpus = join ',', choose_gpus($name);
    my $command = "ocloc compile -file $number.cl -device $gpus -options '$options -I $root/kernels' -out_dir out$number";
    spew("$folder/$number.sh", "$command >$number.log 2>&1 || echo exit \$? >>$number.log\n");
    $log{$name} = $number++;
}
run('sh', '-c', 'cd "$0" && ls *.sh | xargs -P2 -n1 sh', $folder); # two processes at the same time

for my $name (sort keys %jobs) {
    my $said = slurp("$folder/$log{$name}.log");
    my $succeeded = $said =~ s/^Build succeeded.*\n//mg;
    # In 06_associative a work-item holds 16 elements at the same time, and the compiler warns that bdw has too few registers for
    # them. This affects only the speed on bdw, so this test allows it. Any other kernel that spills registers fails the test.
    $said =~ s/^\n?warning: kernel reduce_06_associative +compiled SIMD8 allocated 128 regs and spilled around \d\n\n?//m;
    my ($files) = values %{ $jobs{$name} };
    is("$succeeded $said", choose_gpus($name) . ' ', "$name: " . join ' ', sort keys %$files);
}

done_testing();
