# The GB/s by wall time of each step over n, and the read limit. medians: for each n the median of
# the read limit over all steps.
set title title("Higher is better: rate of the main variant of each step") noenhanced offset 0, 1
set xlabel "n, elements"
set ylabel "GB/s (n × element size / wall time)"
set logscale x 2
set logscale y 10
set format x "2^{%L}"

stats last using (column("bytes") / column("n")) name "element" nooutput
stats last using "n" name "n" nooutput
set xtics (n_min); set for [k = 1:13] xtics add (n_min * 4.0**k)
set xrange [n_min:1.001 * n_max] # so that gnuplot 6 draws the last tick, too
cache = last_level_cache / element_max
if (cache >= n_min && cache <= n_max && last_level_cache eq evicted_bytes) { # otherwise the reported size may be wrong
    set arrow 1 from first cache, graph 0 to first cache, graph 1 nohead linewidth 1.5 dashtype (2, 4)
    set label 2 sprintf("cache as reported, %.0f MiB", cache * element_max / 2**20) at first cache, graph 0.02 \
        rotate by 90 left offset -0.7, 0 font SMALL
}
plot $medians using "n":"limit_GBps" with linespoints linetype LIMIT title "read limit", \
     for [i = 1:words(files)] word(files, i) using "n":"GBps" with linespoints linetype i \
         title word(steps, i)
