# The kernels of Catanzaro's article on his GPU and his CPU, and the same kernels on this device,
# each in percent of the limit of its own machine. The article's limits are from data sheets; ours
# is measured in turn with the kernel. table: the table of the article, with a further column, here,
# for this device. n: the number of elements on this device.
set datafile columnheaders

set terminal svg size 960,960 font FONT
set xlabel "percent of the rate at which the same machine can read"
set xrange [0:115 < *]
set yrange [-3.5:0.5]
set ytics () scale 0 noenhanced
set grid noytics
set lmargin 30
set rmargin 7
set bmargin 7
set style fill solid 0.6 border rgb "#000000"
set arrow 1 from first 100, graph 0 to first 100, graph 1 nohead linewidth 2.5 back
set key outside bottom center vertical

# A panel shows four rows of the table. Series 1 is the article's machine, series 2 is this device.
panel(p) = word("'kernels for GPUs' 'kernels for CPUs'", p)
name(p, series) = series == 2 ? "this device, n = ".n : \
    word("'Radeon HD 5870: 157.6 GB/s' 'Phenom II X4 965: 21.3 GB/s'", p)
percent(series) = series == 1 ? column("percent") : column("here")
y(series) = -(int(column(0)) % 4) + 0.46 - 0.3 * series
at(x) = x > 88 && x < 100 ? x - 11 : x # the line at 100 would cross the number
set multiplot layout 2, 1
do for [p = 1:2] {
    a = 4 * p - 4; b = a + 3
    set title title("Longer is better: Catanzaro's ".panel(p).", then and here") noenhanced offset 0, 1
    plot $table every ::a::b using (0):(-(int(column(0)) % 4)):ytic(2) with dots notitle, \
         for [s = 1:2] $table every ::a::b using (percent(s)):(y(s)):(0):(percent(s)):(y(s) - 0.14):(y(s) + 0.14) \
             with boxxyerror linecolor rgb colour(s + 1) dashtype solid title name(p, s), \
         for [s = 1:2] $table every ::a::b using (at(percent(s))):(y(s)):(sprintf("%.1f %%", percent(s))) \
             with labels left offset 0.5, 0 font SMALL notitle
}
unset multiplot
