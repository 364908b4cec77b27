# Strong scaling: how many times as fast as one rank of step 13 several ranks are for the same n.
# Left: each rank has a device of its own (on a CPU a core). Right, if it was measured: all ranks
# share one device. The colour is n, the dashes are the program. Whiskers: lowest and highest round.
sizes = ""; programs = " step13"; seen(list, word) = strstrt(list." ", " ".word." ")
is_new(n, p) = (sizes = seen(sizes, n) ? sizes : sizes." ".n, programs = seen(programs, p) ? programs : programs." ".p, 1)
stats word(files, 1) using (column("speedup") > 0 ? is_new(strcol("n"), strcol("program")) : 0) nooutput
stats last using "ranks" name "ranks" nooutput
of(i, p, name) = strcol("n") eq word(sizes, i) && strcol("program") eq word(programs, p) ? column(name) : NaN
set datafile missing NaN # lines connect rows of one n across rows of other sizes
set terminal svg size 960,600 font "sans,14"
unset label 1
set key at screen 0.5, 0.01 bottom center horizontal maxrows 3 noenhanced
set logscale xy 2
set xrange [0.9:ranks_max * 1.15]
set xtics 1, 2
set ytics 2; set format y "%.3g"
set xlabel "ranks"
set ylabel "times as fast as one rank, same n"
set lmargin 11; set bmargin 9; set tmargin 3
set multiplot layout 1, words(files) title title("Higher is faster: strong scaling, the same n for any number of ranks")."\n".device noenhanced
do for [f = 1:words(files)] {
    set title f == 1 ? "a device for each rank (CPU: a core)" : "one device for all ranks" noenhanced offset 0, -0.5
    plot (f == 1 ? x : 1) with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title f == 1 ? "ideal" : "", \
         for [p = 1:f == 1 ? words(programs) : 1] for [i = 1:words(sizes)] word(files, f) \
             using "ranks":(of(i, p, "speedup")):(of(i, p, "speedup_low")):(of(i, p, "speedup_high")) \
             with yerrorlines linewidth 2 linecolor rgb colour(i + 1) dashtype 2 * p - 1 pointtype p == 1 ? 7 : 6 \
             title f == 1 && p == 1 ? "n = ".size(real(word(sizes, i))) : "", \
         for [p = 1:f == 1 ? words(programs) : 0] keyentry with linespoints linewidth 2 linecolor rgb "#000000" \
             dashtype 2 * p - 1 pointtype p == 1 ? 7 : 6 title word(programs, p)
}
unset multiplot
