# The kernels of Peri's table 1, there and on this device: how many times as fast as
# reductionAtomics1 on the same machine. table: the table of the article, with a further column,
# here, for this device. n: the number of elements on this device.
set datafile columnheaders

set terminal svg size 960,740 font FONT
set title title("Longer is better: Peri's kernels, n = 2^29, then and here") noenhanced offset -8, 1
set xlabel "times as fast as reductionAtomics1 on the same machine (left of the line: slower)" font SMALL
set logscale x 2
set yrange [-6.6:0.6]
set ytics () scale 0 noenhanced
set grid noytics
set lmargin 38
set rmargin 6
set bmargin 9
set key outside bottom center
set style fill solid 0.6 border rgb "#000000"
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 2 front

# Series 1 and 2 are the machines of the article, series 3 is this device. Times of different
# machines are not compared.
machines = "'Intel HD Graphics 630' 'Intel Iris Xe'"
name(i) = i < 3 ? word(machines, i) : "this device, n = ".n
ms(i) = i == 1 ? column("HD630_ms") : i == 2 ? column("IrisXe_ms") : real(strcol("here"))
first(i) = strcol("ours") eq "02_global" ? start = ms(i) : start
start = NaN
speed_up(i) = first(i) / ms(i)
right(i) = speed_up(i) > 1 ? speed_up(i) : 1 # the position of the number
text(i) = (s = speed_up(i), s == s ? sprintf("%.3g", s) : "cannot run on this device")
y(i) = -column(0) + 0.54 - 0.27 * i
plot $table using (1):(-column(0)):ytic(1) with dots linecolor rgb "#000000" notitle, \
     for [i = 1:3] $table using (speed_up(i)):(y(i)):(1):(speed_up(i)):(y(i) - 0.12):(y(i) + 0.12) \
         with boxxyerror linecolor rgb colour(i + 1) dashtype solid title name(i), \
     for [i = 1:3] $table using (right(i)):(y(i)):(text(i)) with labels left offset 0.5, 0 font SMALL notitle
