# The wall time of each step over n, and that of a program that only reads. Step 01 may lie below
# it, because it launches no kernel.
set title title("Lower is better: wall time until the host has the result") noenhanced offset 0, 1
set xlabel "n, elements"
set ylabel "wall time, median"
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set format y "%.0s %cs"
stats last using "n" name "size" nooutput
set xtics (size_min); set for [k = 1:13] xtics add (size_min * 4.0**k)
set xrange [size_min:1.001 * size_max] # so that gnuplot 6 draws the last tick, too

plot $medians using "n":"read_wall" with linespoints linetype LIMIT title "read limit", \
     for [i = 1:words(files)] word(files, i) using "n":"wall_med" with linespoints linetype i \
         title word(steps, i)
