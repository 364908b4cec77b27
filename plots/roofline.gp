# A model of what bounds the main variant of each step. limit: the read limit in GB/s. ns: how long a
# wait at a barrier takes, with the combination after it, and a global atomic. names: the steps, and
# what bounds them. table: a line for each step: elements for each synchronisation (0: it has none),
# and GB/s.
top = real(limit)
stats $table using 1 name "x" nooutput
most = x_max > 10 ? x_max : 10
never = 20 * most # where the steps without synchronisation are
roof(x, kind) = (y = 4 * x / real(word(ns, kind)), y < 1.1 * top ? y : NaN)
set title title("Higher is faster: what bounds a step (a model), n = ".size(real(n))) noenhanced offset 0, 1
set xlabel "elements for each synchronisation\n(a wait of a work-item at a barrier, or a global atomic)"
set bmargin 5
set terminal svg size 960,660 font FONT linewidth 1.3 background "white"
set key outside right top vertical maxcols 1
set xtics 0.01, 10, most
set ylabel "GB/s, by wall time"
set logscale xy 10
set format xy "10^{%L}"
set xrange [0.05:3 * never]
set xtics add ("none" never)
set yrange [*:2 * top]
set samples 500 # so that the roofs end close to the read limit
plot top with lines linetype LIMIT title "read limit", \
     for [kind in "1 2"] roof(x, int(kind)) with lines linetype FLOOR dashtype int(kind) + 1 \
         title kind eq "1" ? "rounds of trees alone" : "global atomics alone", \
     for [i = 1:words(names)] $table every ::i - 1::i - 1 using ($1 > 0 ? $1 : never):2 with points \
         linetype i pointsize 1.3 linewidth 2 title word(names, i)
