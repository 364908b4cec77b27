# The steps as a ladder: each bar goes from the rate of the step that a step is compared with to its
# own rate. table: a line for each step; describe_ladder() of draw.py says which columns it has.
# limit: the read limit in GB/s. n: the number of elements.
set terminal svg size 720,700 font FONT
set title "Further right is better: sum of ".type.", n = ".size(real(n)) noenhanced offset 0, 1
set xlabel "GB/s"
limit = real(limit)
stats $table using 2 name "from" nooutput
stats $table using 3 name "to" nooutput
set logscale x 10
set xrange [(from_min < to_min ? from_min : to_min) / 1.5:limit * 1.3]
set x2range [0:1] # for the factors in the right margin
set yrange [-to_records - 0.5:-0.1]
set ytics scale 0 noenhanced
set grid noytics
set lmargin 21; set rmargin 15; set bmargin 6
set key at graph 0.5, screen 0.02 center bottom maxrows 1 width 1
set termoption noenhanced # names of steps have underscores
set arrow 1 from first limit, graph 0 to first limit, graph 1 nohead linewidth 2.5 front
set label 2 sprintf("read limit, %.0f GB/s", limit) at first limit, graph 1 right offset -0.7, -0.4 font SMALL front

y = "(-$0 - 1)"
box = "(-$0 - 1.32):(-$0 - 0.68)"
plot $table using 2:($3 >= $2 ? -$0 - 1 : NaN):2:3:@box with boxxyerror fillstyle solid 0.6 border rgb "#000000" \
         linecolor rgb "#0072b2" dashtype solid title "faster", \
     $table using 2:($3 < $2 ? -$0 - 1 : NaN):2:3:@box with boxxyerror fillstyle solid 0.25 border rgb "#d55e00" \
         linecolor rgb "#d55e00" dashtype solid title "slower", \
     $table using 3:@y:yticlabels(cut(stringcolumn(1))) with points pointtype 7 pointsize 1 linecolor rgb "#000000" title "the step", \
     $table using (1):@y:4 axes x2y1 with labels left offset 1, 0 notitle
