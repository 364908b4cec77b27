# The kernels of Jin and Finkel's poster, there and on this device: how many times as fast as
# reduce_gmem in the same column. table: the table of the poster, with a further column, here, for
# this device. n: the number of elements on this device.
set datafile columnheaders

set terminal svg size 960,740 font FONT
set title title("Higher is better: Jin and Finkel's kernels, n = 2^25, then and here") noenhanced offset 0, 1
set ylabel "times as fast as reduce\\_gmem on the same machine, same compiler"
set logscale y 2
set format y "%g"
set offsets 0, 0, graph 0.14, 0
set xrange [-0.6:6.6]
set xtics () scale 0 noenhanced font ",12"
set grid noxtics
set bmargin 10
set key outside bottom center horizontal maxcols 2 width -4
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 2 front

# Series 1 to 4 are the columns of the poster, series 5 is this device. The first row of each column
# of the poster is reduce_gmem.
columns = "'CPU Intel' 'CPU Codeplay' 'GPU Intel' 'GPU Codeplay' 'CPU Intel'"
machine(i) = word("'Xeon E3-1284L v4' 'Iris Pro P6300'", (i + 1) / 2)
label(i) = i < 5 ? machine(i).", ".word("Intel's Codeplay's", 2 - i % 2)." compiler" : "this device, n = ".n
ms(i) = i < 5 ? column("ms") : column("here")
first(i) = strcol("implementation") eq "reduce_gmem" ? start = ms(i) : start
start = NaN
speed_up(i) = (first(i), strcol("device")." ".strcol("compiler") eq word(columns, i) ? start / ms(i) : NaN)
of(i, verified) = (s = speed_up(i), i == 5 || strcol("verified") eq verified ? s : NaN)
x(i) = int(column(0)) % 7 + 0.16 * (i - 3)
above(i) = speed_up(i) < 1 ? 1 : speed_up(i) # the position of the number
text(i) = sprintf("%.3g", speed_up(i)).(i < 5 && strcol("verified") eq "no" ? " *" : "")
plot $table every ::::6 using (column(0)):(1):xtic(4) with dots linecolor rgb "#000000" notitle, \
     for [i = 1:5] $table using (x(i)):(of(i, "yes")):(x(i) - 0.07):(x(i) + 0.07):(1):(of(i, "yes")) with boxxyerror \
         fillstyle solid 0.6 border rgb "#000000" linecolor rgb colour(i + 1) dashtype solid title label(i), \
     for [i = 1:4] $table using (x(i)):(of(i, "no")):(x(i) - 0.07):(x(i) + 0.07):(1):(of(i, "no")) with boxxyerror \
         fillstyle pattern 2 border rgb "#000000" linecolor rgb colour(i + 1) dashtype solid \
         title i == 1 ? "hatched, *: not verified (poster)" : "", \
     for [i = 1:5] $table using (x(i)):(above(i)):(text(i)) with labels rotate left offset 0, 0.3 font SMALL notitle
