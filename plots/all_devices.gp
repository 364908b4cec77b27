# All published devices side by side: each step in percent of the device's own read limit.
# devices: the names of the devices, each in quotes. n: the number of elements. table: a block for
# each device, with a line for each step: its number and its percent.
set terminal svg size 960,500 + 25 * words(devices) font "sans,16" linewidth 1.3 background "white"
set encoding utf8
set title "Higher is better: share of the memory's read limit, sum of int, n = ".n noenhanced
set xlabel "step (its main variant)"
set ylabel "% of the device's own read limit"
set bmargin 3 + 1.25 * words(devices) # one line of the key for each device
set yrange [0:*]
set ytics nomirror
set xtics nomirror scale 0
set border 3
set grid ytics linewidth 0.5 linecolor "#c0c0c0"
set key outside bottom center vertical maxcols 1 noenhanced reverse Left samplen 2
set arrow 1 from graph 0, first 100 to graph 1, first 100 nohead linewidth 2 front
density(i) = 0.25 + 0.25 * ((i - 1) % 4) # makes the bars distinct in grey, too
colour(i) = word("#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00", (i - 1) % 6 + 1)
wide = 0.8 / words(devices)
stats $table using 1 name "step" nooutput
last = int(step_max)
set xrange [0.4:last + 0.6]
set for [s = 1:last] xtics add (sprintf("%02d", s) s)
plot for [i = 1:words(devices)] $table index i - 1 \
    using ($1 + (i - (words(devices) + 1) / 2.0) * wide):2:(wide * 0.95) with boxes \
    fillstyle solid density(i) border rgb "#000000" linecolor rgb colour(i) title word(devices, i)
