# Peri's table 1 and this device: how many times as fast as reductionAtomics1 on the same machine.
#   gnuplot -e "results='plots/results/pocl/article-peri'" plots/style.gp plots/article_peri.gp > article_peri.svg
if (!exists("published")) published = "plots/published"
set datafile columnheaders
table = published."/peri.dat"
n = only("02_global", "n")

set title title("Peri's kernels, against the first of them") noenhanced offset 0, 1
set xlabel "times as fast as reductionAtomics1 on the same machine"
set logscale x 2
set yrange [-6.8:0.5]
set ytics () scale 0 noenhanced
set grid noytics
set lmargin 38
set rmargin 5
set bmargin 9
set key outside bottom center
set style fill solid 0.6 border rgb "#000000"
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 2 front

# Series 1 and 2 are the article's machines, 3 is this one. Times are only compared within one.
machines = "'HD 630, n = 2^29' 'Iris Xe, n = 2^29'"
name(i) = i < 3 ? word(machines, i) : sprintf("this device, n = %.0f", n)
ms(i) = i == 1 ? column("HD630_ms") : i == 2 ? column("IrisXe_ms") : only(strcol("ours"), "wall_med")
first(i) = strcol("ours") eq "02_global" ? start = ms(i) : start
start = NaN
speed_up(i) = first(i) / ms(i)
right(i) = speed_up(i) < 1 ? 1 : speed_up(i) # where its number stands
y(i) = -column(0) + 0.5 - 0.25 * i
plot table using (1):(-column(0)):ytic(1) with dots linecolor rgb "#000000" notitle, \
     for [i = 1:3] table using (speed_up(i)):(y(i)):(1):(speed_up(i)):(y(i) - 0.12):(y(i) + 0.12) \
         with boxxyerror linecolor rgb colour(i + 1) dashtype solid title name(i), \
     for [i = 1:3] table using (right(i)):(y(i)):(sprintf("%.3g", speed_up(i))) \
         with labels left offset 0.5, 0 font ",11" notitle
