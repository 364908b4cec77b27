# One run of each step as a time line: what the host sees, and what the device's clock sees of it.
# n: the number of elements. table: a line for each step; compute_timeline() of draw.py says which
# columns it has. The host launches the kernels and fetches one word. No clock tells how much of its
# time comes before the kernels, so all of it is drawn in front of them.
set terminal svg size 720,680 font FONT
set title title("Shorter is better: one run as a time line, n = ".size(real(n))) noenhanced offset 0, 1
set xlabel "wall time, median"
set format x "%.0s %cs"
stats $table using 0 name "row" nooutput
set xrange [0:*]
set yrange [-row_records - 0.5:-0.1]
set ytics scale 0 noenhanced
set grid noytics
set lmargin 21; set rmargin 3; set bmargin 8
set key at screen 0.5, screen 0.01 center bottom vertical maxcols 1
set termoption noenhanced # names of steps have underscores

y = "(-$0 - 1)"
box = "(-$0 - 1.35):(-$0 - 0.65)"
limit = real(word($table[|$table|], words($table[|$table|]) - 2))
set arrow 1 from first limit, graph 0 to first limit, graph 1 nohead linewidth 2.5 front
plot $table using (0):@y:(0):($2 - $3):@box:yticlabels(cut(stringcolumn(1))) with boxxyerror fillstyle solid 0.25 \
         border rgb "#707070" linecolor rgb "#707070" dashtype solid title "the host: launches and reads back", \
     $table using (0):@y:($2 - $3):($2 - $3 + $4):@box with boxxyerror fillstyle solid 0.7 border rgb "#000000" \
         linecolor rgb "#0072b2" dashtype solid title "kernels", \
     $table using (0):@y:($2 - $3 + $4):2:@box with boxxyerror fillstyle solid 0.45 border rgb "#d55e00" \
         linecolor rgb "#d55e00" dashtype solid title "between kernels"
