#!/usr/bin/perl
# What the plans predict, against what Oclgrind, a simulator, counts: barriers, atomics, bytes read. And no data races.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;
use Test::More;

plan skip_all => 'no oclgrind' unless have('oclgrind');

my ($n, $group) = (1000, 48); # neither a power of two, and n no multiple of the group

# Steps and further options. One lane and eight through the stand-in: Oclgrind has no sub-groups.
my @runs = (
    (map { [$_] } '02' .. '08'),
    map { my $lanes = $_; map { [ $_, '--subgroups', "local:$lanes" ] } '09', '10' } 1, 8
);

sub variants {
    my ($step) = @_;
    my %some = ( # the others have the same text, with another WIDTH; work_group_reduce is too new for Oclgrind
        '07' => [qw(width4 local4)],
        '09' => [qw(sub_group leader_global leader_local)],
        '10' => [qw(block4 vector_tree atomic_each plain)]
    );
    return @{ $some{$step} } if $some{$step};
    return map { /^(\S+)/ } split /\n/, (run("$root/step$step", '--variants'))[1];
}

# Each launch of `reduce` in the order of running, as counted by Oclgrind 21.10.
sub counted {
    my ($text) = @_;
    my @launches;
    while ($text =~ /^Instructions executed for kernel 'reduce':\n((?:\s+\d+ - .*\n)+)/mg) {
        my %launch = (barriers => 0, local_atomics => 0, global_atomics => 0, bytes => 0);
        for (split /\n/, $1) {
            my ($count, $what) = /^\s+(\d+) - (.*)/;
            $launch{barriers} += $count if $what =~ /call \w*barrier/; # once for each work-item
            $launch{local_atomics}  += $count if $what =~ /call _Z\d+atom\w+PU3AS3/;
            $launch{global_atomics} += $count if $what =~ /call _Z\d+atom\w+PU3AS1/;
            $launch{bytes} = $1 if $what =~ /^load global \((\d+) bytes\)/;
        }
        push @launches, \%launch;
    }
    return @launches;
}

# As the table prints it.
sub bytes_text {
    my ($bytes) = @_;
    return "$bytes B" if $bytes < 1024;
    return sprintf($bytes % 1024 ? '%.1f KiB' : '%d KiB', $bytes / 1024);
}

for (@runs) {
    my ($step, @options) = @$_;
    for my $variant (variants($step)) {
        my $name = "step$step $variant" . (@options ? " @options" : '');
        my @geometry = $step eq '08' ? () : ('--group', $group);
        my ($status, $out, $err) = run('oclgrind', '--inst-counts', "$root/step$step", '--variant', $variant, '--n', $n,
            @geometry, @options, qw(--reps 3 --seconds 0 --warm));
        my @predicted = map { /^kernel\s+(\d+) x\s+(\d+)\s+([\d.]+ \w+)\s+(\d+)\s+(\d+)\s+(\d+)/ ? [ $1, $2, $4, $5, $6, $3 ] : () }
            split /\n/, $out;
        if ($status || !@predicted) {
            fail("$name: runs under Oclgrind and prints what it predicts");
            diag("exit $status\n", substr($out, 0, 2000), $err);
            next;
        }
        my @all = counted($out);
        my @last = splice @all, -@predicted; # the last reduction is of n elements: the second verdict
        my $read = $n;
        my @expected;
        for (@predicted) {
            my ($groups, $items, $barriers, $local, $global, $printed) = @$_;
            $last[@expected]{printed} = $printed;
            push @expected, { barriers => $barriers * $items * $groups, local_atomics => $local,
                global_atomics => $global, bytes => 4 * $read, printed => bytes_text(4 * $read) };
            $read = $groups; # what the next launch finds
        }
        is_deeply(\@last, \@expected, "$name: barriers, atomics and bytes read as predicted");
    }
}

# ---- races. Oclgrind's exit status says nothing: its log does.
sub races {
    my ($step, @options) = @_;
    my $log = temporary() . '/log';
    unlink $log;
    my ($status, $out) = run('oclgrind', '--data-races', '--log', $log, "$root/step$step", '--check', '--n', $n,
        ($step eq '08' ? () : ('--group', $group)), qw(--op sum --type int), @options);
    return ($status, $out, -e $log ? slurp($log) : '');
}

for (@runs) {
    my ($step, @options) = @$_;
    for my $variant (variants($step), $step =~ /07|10/ ? 'one_launch' : ()) { # whose last group alone waits more often
        my ($status, $out, $log) = races($step, '--variant', $variant, @options);
        ok($status == 0 && $log eq '' && $out =~ /^ok (?!.*# SKIP)/m, "step$step $variant @options has no data race")
            or diag("exit $status\n$out$log");
    }
}

# What it must see: all of these can come out right on a device that runs work-items one after the other.
for (['03', 'a tree without barriers', '03_local_tree', 'barrier(CLK_LOCAL_MEM_FENCE);', ''],
    ['02', 'an atomic that is none', '02_global', 'combine_global(out, load(in, i));', 'out[0] = combine(out[0], load(in, i));'],
    ['07', 'an identity after the first atomic', '07_local', 'barrier(CLK_LOCAL_MEM_FENCE); // nobody combines', '// nobody']) {
    my ($step, $what, $file, $old, $new) = @$_;
    (my $text = slurp("$root/kernels/$file.cl")) =~ s/\Q$old\E/$new/ or die "$file.cl has no '$old' any more";
    like((races($step, $step eq '07' ? qw(--variant local4) : (), '--kernel', spew(temporary() . '/racing.cl', $text)))[2],
        qr/data race/, "$what is one: Oclgrind does see them");
}

done_testing();
