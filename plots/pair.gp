# One step and the one it is compared with, and nothing else; whiskers from the 90 % quantile to the fastest run.
#   gnuplot -e "results='plots/results/pocl'; step=6" plots/style.gp plots/pair.gp > pair_06.svg
this = main(step)
if (this eq "") { print sprintf("no .dat file of step %02d, %s, in %s", step, what, results); exit status 2 }
other = main(("1".header(this, "compared with")) - 100) # "09" alone would be read as octal
alone = other eq "" || other eq this
name(file) = header(file, "step")
text = name(this)

if (!alone) {
    stats path(this) using "n" name "this" nooutput
    stats path(other) using "n" name "other" nooutput
    n = this_max < other_max ? this_max : other_max
    stats path(this) using (column("n") == n ? column("GBps") : NaN) name "this" nooutput
    stats path(other) using (column("n") == n ? column("GBps") : NaN) name "other" nooutput
    text = sprintf("step %s is %.3g times as fast as %s at n = %.0f", this[1:2], this_max / other_max, other[1:2], n)
}
set title title(text) noenhanced offset 0, 1
set xlabel "n, elements"
set ylabel "GB/s (n × element size / wall time)"
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set xtics 4

rate(seconds) = 1e-9 * column("bytes") / column(seconds)
pair = alone ? this : this." ".other
plot for [i = 1:words(pair)] path(word(pair, i)) using "n":(rate("wall_med")):(rate("wall_p90")):(rate("wall_min")) \
         with yerrorbars linetype PAIR + i dashtype solid pointtype 0 notitle, \
     for [i = 1:words(pair)] path(word(pair, i)) using "n":(rate("wall_med")) with linespoints linetype PAIR + i \
         title name(word(pair, i))
