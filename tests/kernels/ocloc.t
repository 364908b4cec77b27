#!/usr/bin/perl
# Intel's GPUs without one: ocloc, the compiler of Intel's GPU runtime, builds every kernel of every step for the GPUs that
# the articles measured on, with nothing to say. What then runs on them, it cannot tell.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
plan skip_all => 'no ocloc: it is in the package intel-opencl-icd, where that is to be had' unless has_tool('ocloc');
$Steps::limit = 7200; # for all of it
my @wanted = qw(bdw kbl tgllp dg1); # Iris Pro P6300, HD and UHD Graphics 630, Iris Xe, Iris Xe MAX
my %known  = map { $_ => 1 } map { /can be: (.*)/ ? $1 =~ /[\w-]+/g : () } (run(qw(ocloc compile --help)))[1];
my @gpus   = grep { $known{$_} } @wanted;
plan skip_all => "this ocloc knows none of @wanted" unless @gpus;
for (grep { !$known{$_} } @wanted) {
SKIP: { skip "this ocloc does not know $_", 1 }
}

sub expand_widths { # each with its own, and what is there to be compared by width with the others
    return map {
        my ($width, @rest) = @$_;
        map { [ $_, @rest ] } $rest[0] =~ /^07_/ ? (2, 4, 8, 16) : $rest[0] =~ /^10_block/ ? (1, 2, 4, 8) : $width || 1;
    } @_;
}

# As build_options() chooses: these GPUs have OpenCL C 3.0, cl_intel_subgroups, and cl_ext_float_atomics with min and max.
# Over partial results a kernel's input has another type and nothing else changes: style.t compiles that.
my %jobs; # name of what is compiled together => its options and files
for my $operation ('sum int', 'min float') {
    my ($op, $type) = split ' ', $operation;
    for (map { expand_widths(read_variants($_)) } @steps) {
        my ($width, $file, $kind, $further) = @$_;
        $further = '' if $op eq 'sum'; # -D BY_FMIN and -D BY_MIN: other ways to write a minimum
        my $modern = $type eq 'float' || $kind =~ /^(work-group|sub-group)/;
        my $options = join ' ', '-cl-std=CL' . ($modern ? '3.0' : '1.2'), "-cl-kernel-arg-info -D WIDTH=$width -D OPERATOR=$op -D ELEMENT=$type",
            ($kind =~ /^sub-group/ ? '-D INTEL -D LANES=16' : ()), '-D NATIVE_ATOMICS', $further;
        $jobs{join ' ', "$op of $type, $kind, width $width", $further || ()}{$options}{$file} = 1;
    }
    $jobs{"$op of $type, the harness's own"}{"-cl-std=CL1.2 -D OPERATOR=$op -D ELEMENT=$type"} = { 'data.cl' => 1, 'limit.cl' => 1 };
}

# Two of them are of one architecture: sums go to one of these and minima to the other, unless FULL=1.
my %not = $full || !$known{dg1} || !$known{tgllp} ? () : (sum => 'dg1', min => 'tgllp');
sub choose_gpus { my ($name) = @_; return grep { $_ ne ($not{ substr $name, 0, 3 } // '') } @gpus }
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
run('sh', '-c', 'cd "$0" && ls *.sh | xargs -P2 -n1 sh', $folder); # two at once

for my $name (sort keys %jobs) {
    my $said = slurp("$folder/$log{$name}.log");
    my $succeeded = $said =~ s/^Build succeeded.*\n//mg;
    # 06_associative keeps 16 elements in flight: for bdw the compiler says how many registers it is short of. That is about
    # speed there, and not to be judged without one; any other kernel that begins to spill is news.
    $said =~ s/^\n?warning: kernel reduce_06_associative +compiled SIMD8 allocated 128 regs and spilled around \d\n\n?//m;
    my ($files) = values %{ $jobs{$name} };
    is("$succeeded $said", choose_gpus($name) . ' ', "$name: " . join ' ', sort keys %$files);
}

done_testing();
