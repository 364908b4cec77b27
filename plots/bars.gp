# Each step at the largest n, in percent of the read limit that was measured in turn with it. The
# main variant is a solid bar. A better variant is an outline with its name. n: the number of
# elements. table: a line for each step; compute_bars() of draw.py says which columns it has.
set title title("Longer is better: share of the memory's read limit, n = ".size(real(n))) noenhanced offset 0, 1
set xlabel "% of the read limit, the line at 100 (solid: main variant; outline: best variant, if over 5 % faster)"
stats $table using 0 name "row" nooutput
set xrange [0:100 < *]
set x2range [0:1] # for the numbers in the right margin
set yrange [-row_records - 0.7:-0.3]
set ytics scale 0 noenhanced
set grid noytics
set lmargin 32
set rmargin 24
unset key
set arrow 1 from first 100, graph 0 to first 100, graph 1 nohead linewidth 2.5 front

y = "(-$0 - 1)"
box = "(-$0 - 1.35):(-$0 - 0.65)"
speed(x) = sprintf(x < 100 ? "%.3g" : "%.0f", x)
set termoption noenhanced # names of variants have underscores
# A step that was too slow for this n has an empty row. Names are placed where no line crosses them.
plot $table using (0):@y:(0):($4 > 0 ? $4 : NaN):@box with boxxyerror fillstyle empty border rgb "#d55e00" linewidth 1.5 dashtype solid \
         linecolor rgb "#d55e00", \
     $table using (0):@y:(0):2:@box:ytic(1) with boxxyerror fillstyle solid 0.45 border rgb "#000000" linecolor rgb "#0072b2" \
         dashtype solid, \
     $table using (1):@y:($2 >= 0 ? sprintf("%.1f %%  (%s GB/s)", $2, speed($3)) : "") axes x2y1 with labels left offset 1, 0, \
     $table using 4:@y:($4 > 50 && $2 < 40 ? stringcolumn(5) : "") with labels right offset -0.5, 0 font SMALL, \
     $table using (0):@y:($4 > 50 && $2 >= 40 ? "outline: ".stringcolumn(5) : "") with labels left offset 0.5, 0 font SMALL, \
     $table using 4:@y:($4 > 0 && $4 <= 50 ? stringcolumn(5) : "") with labels left offset 0.5, 0 font SMALL
