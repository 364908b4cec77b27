# Weak scaling: the time of one rank of step 13, in percent of the time of several ranks that have
# the same n for each rank. Each rank has a device of its own (on a CPU a core). The colour is n for
# each rank, the dashes are the program. Whiskers: lowest and highest round.
parts = ""; programs = " step13"; seen(list, word) = strstrt(list." ", " ".word." ")
part(n, r) = sprintf("%.0f", n / r)
is_new(n, p) = (parts = seen(parts, n) ? parts : parts." ".n, programs = seen(programs, p) ? programs : programs." ".p, 1)
stats last using (column("weak_percent") > 0 && column("ranks") > 1 ? is_new(part(column("n"), column("ranks")), strcol("program")) : 0) nooutput
stats last using "ranks" name "ranks" nooutput
of(i, p, name) = part(column("n"), column("ranks")) eq word(parts, i) && strcol("program") eq word(programs, p) ? column(name) : NaN
set datafile missing NaN # lines connect rows of one part across other rows
set title title("Higher is better: weak scaling, the same n for each rank") noenhanced offset 0, 1
set key outside bottom center horizontal maxrows 3
set bmargin 9
set logscale x 2
set xrange [0.9:ranks_max * 1.15]
set xtics 1, 2
set xlabel "ranks, each with a device of its own (on a CPU a core)"
set ylabel "time of one rank / time of these ranks, percent"
set yrange [0:*]
plot 100 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "ideal", \
     for [p = 1:words(programs)] for [i = 1:words(parts)] last \
         using "ranks":(of(i, p, "weak_percent")):(of(i, p, "weak_low")):(of(i, p, "weak_high")) \
         with yerrorlines linewidth 2 linecolor rgb colour(i + 1) dashtype 2 * p - 1 pointtype (p == 1 ? 7 : 6) \
         title word(programs, p).", ".size(real(word(parts, i)))." each"
