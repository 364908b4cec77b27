# The error of a sum of floats over n, for each order of additions, and the bound that follows from
# the plan of the step.
least = 1e-9 # smaller errors are drawn here, because a logarithmic axis has no 0
set title title("Lower is better: rounding errors of several orders of additions") noenhanced offset 0, 1
set xlabel "n, elements: uniform floats between 0 and 1"
set ylabel "error / sum (1e-9: at most 1e-9)"
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set format y "10^{%L}"
stats last using "n" name "n" nooutput
set xtics (n_min); set for [k = 1:13] xtics add (n_min * 4.0**k)
set xrange [n_min:1.001 * n_max] # so that the last tick is inside
set yrange [least / 2:1]
set key spacing 1.4

array kernel = ["01_host", "02_blocked", "03_associative", "05_commutative", "06_commutative"]
array order = ["01 sequential", "02 blocks, atomics", "03 tree, host", "05 multi-stage tree", "06 two-stage"]
file(i) = "accuracy/".kernel[i].".sum.float.dat"
drawn = "" # the orders that were measured on this device
do for [i = 1:5] { if (strstrt(files, file(i))) { drawn = drawn." ".i } }
plot for [i in drawn] file(int(i)) using "n":(column("error") > least ? column("error") : least) \
         with linespoints linetype int(i) dashtype solid title order[int(i)], \
     for [i in drawn] file(int(i)) using "n":"bound" \
         with linespoints linetype int(i) dashtype (8, 6) linewidth 0.7 pointsize 0.4 notitle, \
     NaN with lines linecolor rgb "#000000" dashtype (8, 6) linewidth 0.7 title "bound, up to 0.01"
