# A step and the step that it is compared with. Whiskers go from the 90 % quantile to the fastest
# run. The lower panel shows the ratio of the two speeds. files: the data of both steps. If there is
# no data of the other step, files has one path, and there is no lower panel. ratio: a line for each
# n at which both steps were measured.
is_alone = words(files) == 1
this = word(steps, 1)
other = word(steps, 2)
text = this
set terminal svg size 720,is_alone ? 520 : 760 font FONT

if (!is_alone) {
    stats $ratio using 1 name "n" nooutput
    stats $ratio using ($1 == n_max ? $2 : NaN) name "times" nooutput
    text = sprintf("step %s is %.3g times as fast as %s at n = %s", this[1:2], times_max, other[1:2], size(n_max))
    set multiplot
    set size 1, 0.66; set origin 0, 0.34
}
set title title("Higher is better: ".text) noenhanced offset 0, 1
set xlabel "n, elements"
set ylabel "GB/s (n × element size / wall time)"
set logscale x 2
set logscale y 10
set format x "2^{%L}"
stats last using "n" name "size" nooutput
set xtics (size_min); set for [k = 1:13] xtics add (size_min * 4.0**k)
set lmargin 10; set rmargin 3; set key inside bottom right

rate(seconds) = 1e-9 * column("bytes") / column(seconds)
plot for [i = 1:words(files)] word(files, i) using "n":(rate("wall_med")):(rate("wall_p90")):(rate("wall_min")) \
         with yerrorbars linetype PAIR + i dashtype solid pointtype 0 notitle, \
     for [i = 1:words(files)] word(files, i) using "n":(rate("wall_med")) with linespoints linetype PAIR + i \
         title word(steps, i)
if (is_alone) exit
unset logscale y; unset title; unset label 1; unset key
set tmargin 1; set size 1, 0.34; set origin 0, 0; set yrange [0:*]; set ylabel "times as fast"
plot 1 with lines linetype GUIDE notitle, $ratio using 1:2 with linespoints linetype PAIR + 1
unset multiplot
