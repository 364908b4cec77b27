# Step 12: the distance between the bounds of lambda after each round, for Hilbert's matrix, and the
# round at which the stop test of the article ends the algorithm. total: the path of the article's
# data.
set datafile columnheaders
sizes = "" # each n
is_new(n) = strstrt(sizes." ", " ".n." ") ? 0 : (sizes = sizes." ".n, 1)
stats last using (is_new(strcol("n"))) nooutput
stops = "" # for each n the number of rounds in the article; -1: the article has no such n
do for [n in sizes] {
    stats total using (column("n") == n ? column("rounds") : -1) name "article" nooutput
    stops = stops.sprintf(" %d", article_max)
}
set title "Lower is better: distance between the bounds after each round, Hilbert's matrix" noenhanced offset 0, 1
set xlabel "round"
set ylabel "(largest - least row sum) / largest"
set logscale y 10
set format y "10^{%L}"
set yrange [1e-7:2]
spread(i) = strcol("n") eq word(sizes, i) ? (column("largest") - column("least")) / column("largest") : NaN
stop(i) = column("round") == word(stops, i) ? spread(i) : NaN
plot 1e-5 with lines linewidth 2.5 linecolor rgb "#000000" dashtype solid title "ours stops: 1e-5", \
     for [i = 1:words(sizes)] last using "round":(spread(i)) with linespoints linetype i title "n = ".size(real(word(sizes, i))), \
     for [i = 1:words(sizes)] last using "round":(stop(i)) with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb "#000000" \
         title i == 1 ? "the article stops" : ""
