#!/bin/sh
# `make diff06`: the idea of step 06, then how its main variant differs from the step it is compared with: the kernel,
# and the plan with what it calls, comments and blank lines left out. The step's header says which step that is:
# "Change   (against 05)", and, if it is not the main one, which variant of it: "(against 10 streams)".
set -eu
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

source_of() # source_of STEP: its file, in steps/ or steps/beyond/
{
    for file in steps/"$1"_*.c steps/beyond/"$1"_*.c; do
        [ ! -e "$file" ] || echo "$file"
    done
}

part() # part kernel|plan STEP VARIANT; without a variant the main one. A step without a kernel has a loop in C.
{
    perl -0777 -e '
        my ($part, $source, $variant) = @ARGV;
        sub bare { # a string is kept whole, so that a // inside it is no comment
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
            print -e "kernels/$kernel" ? bare("kernels/$kernel") : $loop;
        } else {
            my %used = ($plan => 1);
            for my $name (reverse @names) { # what is called stands above
                $used{$_} ||= $used{$name} && $body{$name} =~ /\b$_\(/ for @names;
            }
            print map { $body{$_} =~ s/\b$plan\b/plan/r } grep { $used{$_} } @names;
        }' "$1" "$(source_of "$2")" "${3:-\\w+}"
}

compare() # compare WHAT
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
