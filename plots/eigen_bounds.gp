# Step 12: how near the bounds of lambda are to each other, round after round, for Hilbert's matrix; where the article's test stops.
#   gnuplot -e "results='plots/results/pocl/article-eigen'; files='12_parts.dat'" plots/style.gp plots/eigen_bounds.gp > …
if (!exists("published")) published = "plots/published"
file = path("bounds/12_bounds.dat")
sizes = system("awk '!/^#|^variant / && !seen[$2]++ { print $2 }' '".file."'")
set title "Hilbert's matrix: a round brings the bounds of lambda nearer by a constant factor" noenhanced offset 0, 1
set xlabel "round"
set ylabel "(largest - least row sum) / largest"
set logscale y 10
set format y "10^{%L}"
set yrange [1e-7:2]
rounds(n) = real(system(sprintf("awk '$1 == %s { print $2 }' '%s/eigen_total.dat'; echo nan", n, published)))
spread(i) = strcol("n") eq word(sizes, i) ? (column("largest") - column("least")) / column("largest") : NaN
stop(i) = column("round") == rounds(word(sizes, i)) ? spread(i) : NaN
plot 1e-5 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "ours stops: 1e-5", \
     for [i = 1:words(sizes)] file using "round":(spread(i)) with linespoints linetype i title "n = ".word(sizes, i), \
     for [i = 1:words(sizes)] file using "round":(stop(i)) with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb "#000000" \
         title i == 1 ? "the article stops" : ""
