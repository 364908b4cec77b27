# A model of the time of step 13 over ranks: launch + bytes / ranks / limit + log2(ranks) * latency.
# Points: measured. Lines: the model, for the measured n and for two larger n. A line begins where
# the part of each rank is no larger than the largest measured n. facts: launch in us, limit in GB/s and
# latency in us.
sizes = ""; seen(list, word) = strstrt(list." ", " ".word." ")
stats last using (column("speedup") > 0 && !seen(sizes, strcol("n")) ? (sizes = sizes." ".strcol("n"), 1) : 0) nooutput
largest = real(word(sizes, words(sizes)))
sizes = sizes.sprintf(" %.0f %.0f", largest * 2**6, largest * 2**12)
n(i) = real(word(sizes, i))
fact(i) = real(word(facts, i))
model(i, ranks) = ranks < 1 || n(i) > ranks * largest ? NaN : \
    1e-6 * fact(1) + 4e-9 * n(i) / ranks / fact(2) + 1e-6 * fact(3) * log(ranks) / log(2)
measured(i) = strcol("program") eq "step13" && strcol("n") eq word(sizes, i) ? column("wall_med") : NaN
set title title("Lower is faster: step 13 measured (points), and a model for up to 10^5 ranks") noenhanced offset 0, 1
set key outside bottom center horizontal maxrows 3
set bmargin 9
set logscale xy 10
set xrange [0.8:1e5]
set format x "10^{%L}"
set format y "%.0s %cs"
set xlabel sprintf("ranks\nlaunch %.3g us + bytes / ranks / (%.4g GB/s) + log_2(ranks) * %.3g us", fact(1), fact(2), fact(3))
set ylabel "wall time"
set samples 500
plot for [i = 1:words(sizes)] model(i, x) with lines linetype i dashtype solid linewidth 2 notitle, \
     for [i = 1:words(sizes) - 2] last using "ranks":(measured(i)) with points linetype i pointsize 1.2 linewidth 2 notitle, \
     for [i = 1:words(sizes)] keyentry with linespoints linetype i dashtype solid \
         pointtype i > words(sizes) - 2 ? 0 : points(i) title "n = ".size(n(i))
