# Every step at the largest n, in percent of the read limit that was measured beside it: the main variant solid, a better one as
# an outline with its name. best: a line for each of those, number of the bar, percent, name, percent of the main one; best_n: n.
largest = 0
do for [i = 1:words(files)] {
    stats path(word(files, i)) using "n" name "n" nooutput
    largest = n_max > largest ? n_max : largest
}
at_n = best_n == largest ? "" : " (n = ".size(real(best_n)).")"
set title title("n = ".size(largest)."; solid: main variant; outline: the step's best".at_n.", with its name") \
    noenhanced offset 0, 1
set xlabel "GB/s (n × element size / wall time) in % of the read limit, the line at 100 %"
set xrange [0:100 < *]
set x2range [0:1] # for the numbers in the right margin
set yrange [-words(files) - 0.7:-0.3]
set ytics () scale 0 noenhanced
do for [i = 1:words(files)] {
    set ytics add (header(word(files, i), "step") -i)
}
set grid noytics
set lmargin 32
set rmargin 24
unset key
set arrow 1 from first 100, graph 0 to first 100, graph 1 nohead linewidth 2.5 front

# A step for which that size was left out as too slow has an empty place.
at(name) = column("n") == largest ? column(name) : NaN
speed(x) = sprintf(x < 100 ? "%.3g" : "%.0f", x)
set termoption noenhanced # names of variants have underscores
plot best using (0):(-$1):(0):2:(-$1 - 0.35):(-$1 + 0.35) with boxxyerror fillstyle empty border rgb "#d55e00" linewidth 1.5 \
         dashtype solid linecolor rgb "#d55e00", \
     for [i = 1:words(files)] path(word(files, i)) \
         using (0):(-i):(0):(at("percent_of_limit")):(-i - 0.35):(-i + 0.35) \
         with boxxyerror fillstyle solid 0.45 border rgb "#000000" linecolor rgb "#0072b2" dashtype solid, \
     for [i = 1:words(files)] path(word(files, i)) \
         using (at("n") / largest):(-i):(sprintf("%.1f %%  (%s GB/s)", at("percent_of_limit"), speed(at("GBps")))) \
         axes x2y1 with labels left offset 1, 0, \
     best using 2:(-$1):($2 > 50 && $4 < 40 ? stringcolumn(3) : "") with labels right offset -0.5, 0 font ",11", \
     best using (0):(-$1):($2 > 50 && $4 >= 40 ? "outline: ".stringcolumn(3) : "") with labels left offset 0.5, 0 font ",11", \
     best using 2:(-$1):($2 > 50 ? "" : stringcolumn(3)) with labels left offset 0.5, 0 font ",11" # no name across a line
