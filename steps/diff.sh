#!/bin/sh
# `make diff06` prints the idea of step 06. Then it compares the main variant of step 06 with another step, and prints the
# lines that differ: first those of the kernel, then those of the plan and of the functions that the plan calls. Comments
# and blank lines are left out. The step's header names the other step: "Change   (against 05)". The comparison uses the
# main variant of that step, unless the header names another variant: "(against 10 plain)".
set -eu
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

source_of() # source_of STEP: prints the path of its file, which is in steps/ or steps/beyond/
{
    for file in steps/"$1"_*.c steps/beyond/"$1"_*.c; do
        [ ! -e "$file" ] || echo "$file"
    done
}

part() # part kernel|plan STEP VARIANT: prints that part of the variant, or of the main variant if VARIANT is empty.
{
    perl -0777 -e '
        my ($part, $source, $variant) = @ARGV;
        sub bare { # removes comments, but keeps a // inside a string
            open my $file, "<", $_[0] or die "$_[0]: $!\n";
            my $text = <$file>;
            $text =~ s{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*}{$1 // ""}gse;
            return $text =~ s/[ \t]+$//mgr =~ s/\n+/\n/gr =~ s/^\n//r;
        }
        my $text = bare($source);
        my ($kernel, $plan) = $text =~ /\{ "$variant", (?:"([^"]*)"|\w+), (\w+)/ or die "$source: no variant $variant\n";
        my (@names, %body);
        while ($text =~ /^(static [\w *]+?(\w+)\([^;{]*\)\s*(?:\{[^\n]*\}|\{\n.*?^\})\n)/msg) {
            push @names, $2;
            $body{$2} = $1;
        }
        if ($part eq "kernel") {
            my ($loop) = grep { /\bfor \(/ } map { $body{$_} } @names;
            print -e "kernels/$kernel" ? bare("kernels/$kernel") : $loop; # a step without a kernel has a loop in C
        } else {
            my %used = ($plan => 1);
            for my $name (reverse @names) { # a called function is defined before its caller
                $used{$_} ||= $used{$name} && $body{$name} =~ /\b$_\(/ for @names;
            }
            print map { $body{$_} =~ s/\b$plan\b/plan/r } grep { $used{$_} } @names;
        }' "$1" "$(source_of "$2")" "${3:-\\w+}"
}

compare() # compare WHAT: prints how the new file differs from the old one
{
    removed=$(diff "$temp/old" "$temp/new" | grep -c '^<' || true)
    added=$(diff "$temp/old" "$temp/new" | grep -c '^>' || true)
    printf '\n%s\n' "the $1, $old -> $new: $removed lines out, $added in"
    diff -U 2 --color="$color" "$temp/old" "$temp/new" | sed '1,3d; s/^[^-+ ]*@@.*/ .../' || true
}

new=$1
set -- "$(source_of "$new")"
[ -e "$1" ] || { echo "no step $new: there are $(cd steps && echo [0-9]*.c beyond/[0-9]*.c)" >&2; exit 2; }
sed -n '/^ \* Expect/q; s/^.\* //p' "$1"
old=$(sed -n 's/^ \* Change *(against \([0-9]*\)\( [a-z_]*\)*).*/\1/p' "$1")
variant=$(sed -n 's/^ \* Change *(against [0-9]* \([a-z_]*\)).*/\1/p' "$1")
[ -n "$old" ] || exit 0
color=never
[ -t 1 ] && color=always
for what in kernel plan; do
    part "$what" "$old" "$variant" >"$temp/old"
    part "$what" "$new" '' >"$temp/new"
    compare "$what"
done
