# Wall time of every step over n, and the floor: an empty launch, plus the bytes at the read limit. A reduction is below the floor
# only by noise, but step 01 may be, because it launches nothing.
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
