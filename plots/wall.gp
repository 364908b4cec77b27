# Every step over n, wall time, above the floor that a reduction gets under by noise only: an empty launch, and the bytes at the
# read limit. (Step 01 launches nothing, so it may.)
set title title("wall time, from the first call until the value is on the host") noenhanced offset 0, 1
set xlabel "n, elements"
set ylabel "wall time, median"
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set format y "%.0s %cs"
set xtics 4

plot $medians using "n":"floor_seconds" with linespoints linetype FLOOR title "floor", \
     for [i = 1:words(files)] word(files, i) using "n":"wall_med" with linespoints linetype i \
         title word(steps, i)
