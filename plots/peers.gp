# Other people's reductions over n: the wall time of a peer divided by the wall time of our fastest
# variant. Whiskers: the lowest and the highest round. Above the line at 1 our variant is faster. A
# wrong result has no point, but the key says how many results are wrong.
peers = ""
is_new(p) = strstrt(peers." ", " ".p." ") ? 0 : (peers = peers." ".p, 1)
stats last using (strcol("kind") eq "peer" ? is_new(strcol("program")) : 0) nooutput
wrong = "" # for each peer the number of wrong results
do for [p = 1:words(peers)] {
    stats last using (strcol("program") eq word(peers, p) && strcol("verdict") eq "wrong") name "wrong" nooutput
    wrong = wrong.sprintf(" %d", wrong_sum)
}
name(p) = p > words(peers) ? "" : word(peers, p).(word(wrong, p) eq "0" ? "" : ", wrong at ".word(wrong, p)." n")
if (!exists("note")) note = "" # a remark on the data
set title title("Above the line: slower than our fastest variant") noenhanced offset 0, 1
set xlabel "n, elements".(note eq "" ? "" : "\n".note) noenhanced
set ylabel "wall time / wall time of our fastest variant"
set bmargin 5
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

# Rows of other programs become NaN, which ends a line. The rows of one program follow each other.
ratio(name) = column("ratio") * column(name) / column("wall")
of(p, name) = strcol("program") eq word(peers, p) ? ratio(name) : NaN
shown(name) = strcol("kind") eq "peer" || column("ratio") == 1 ? ratio(name) : NaN # the line at 1 is always visible
stats last using "n" name "n" nooutput
stats last using (shown("wall_low")) name "low" nooutput
stats last using (shown("wall_high")) name "high" nooutput
set xrange [n_min / 1.4:n_max * 1.4]
set xtics (n_min); set for [k = 1:13] xtics add (n_min * 4.0**k)
set yrange [low_min / 1.6:high_max * 1.6]
plot 1 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "our fastest", \
     for [p = 1:words(peers)] last using "n":(of(p, "wall")):(of(p, "wall_low")):(of(p, "wall_high")) \
         with yerrorbars linetype p + 1 dashtype solid pointtype 0 notitle, \
     for [p = 1:words(peers)] last using "n":(of(p, "wall")) with linespoints linetype p + 1 notitle, \
     for [p = 1:words(peers)] keyentry with linespoints linetype p + 1 title name(p)
