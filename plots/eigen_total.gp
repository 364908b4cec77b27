# Step 12 and the figures of the article. Left: how many times as fast as v0 on the same machine the
# row sums are, by the device's clock. Right: the speed of the whole algorithm by wall time, in percent
# of that of a program that only moves the matrix as often (in the article, of the data sheet's speed
# of the memory). rowsum, total: paths of the article's data; whole: the path of our data.
set datafile columnheaders
set datafile missing NaN # lines connect rows of one version across rows of other versions
set terminal svg size 960,600 font "sans,13"
versions = "v0 v1 v2 ours"
machines = "CPU GPU"; machine(m) = word("'Xeon E5-2686 v4' 'Iris Xe MAX'", m)

sizes = ""; seconds = "" # each n, and the seconds of v0 at this n
first(n) = sum [i = 1:words(sizes)] (word(sizes, i) == n ? real(word(seconds, i)) : 0)
stats last using (strcol("kind") eq "row_sums" && strcol("variant") eq "v0" ? (sizes = sizes." ".strcol("n"), \
    seconds = seconds." ".strcol("kernel_med"), 1) : 0) nooutput
own(v) = v == 4 ? "two_pass" : word(versions, v) # two_pass computes the row sums in each round
gain(v) = strcol("kind") eq "row_sums" && strcol("variant") eq own(v) ? first(column("n")) / column("kernel_med") : NaN
share(m) = (n = column("n"), rounds = column("rounds"), 100 * 4 * n * n * (3 * rounds + 1) / (1e9 * \
    column(word(machines, m)."_limit")) / (1e-3 * column(word(machines, m))))
here(v) = strcol("variant") eq word(versions, v) ? column("percent_of_limit") : NaN

set logscale x 2
set logscale y 10
set format x "2^{%L}"
set xrange [100:2**13 * 1.3]
set xtics 128, 4
set xlabel "n, rows and columns"
set key outside bottom center vertical maxrows 4
set bmargin 9
unset label 1
set multiplot layout 1, 2 title "Higher is better: step 12 and the article, each on its own machine\nhere: ".device noenhanced
set ylabel "row sums: times as fast as v0 on the same machine"
plot 1 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "v0", \
     for [m = 1:2] for [v = 1:2] rowsum using "n":(column("v0_".word(machines, m)) / column("v".v."_".word(machines, m))) \
         with linespoints linetype 2 * m + v + 1 title "v".v.", ".machine(m), \
     for [v = 2:4] last using "n":(gain(v)) with linespoints linetype v + 6 linewidth 2 title word(versions, v).", here"
set ylabel "the whole: % of a program that only moves the matrix"
plot 100 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "limit", \
     for [m = 1:2] total using "n":(share(m)) with linespoints linetype 2 * m + 2 title "published, ".machine(m), \
     for [v = 1:4] whole using "n":(here(v)) with linespoints linetype v + 6 linewidth 2 title word(versions, v).", here"
unset multiplot
