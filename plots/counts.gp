# What each launch of each variant asks of the hardware, counted by Oclgrind at the largest n, for
# each element of the input. A count of 0 has no point.
array name = ["global loads", "local loads and stores", "waits at a barrier", "local atomics", "global atomics"]
stats last using "n" name "n" nooutput
stats last using (column("n") == n_max ? -column(0) : NaN) name "row" nooutput
set label 1 at graph 0.5, graph 1.012
set terminal svg size 960,200 + 20 * row_records font FONT linewidth 1.3 background "white"
set title title("Further left is less work: counted for each element, n = ".size(n_max)) noenhanced
set xlabel "per element of the input" noenhanced
set logscale x 10
set format x "10^{%L}"
set yrange [row_min - 0.7:row_max + 0.7]
set ytics scale 0 noenhanced font SMALL
set lmargin 26
set bmargin 7
set key outside bottom center horizontal maxcols 3 font SMALL
launch = "strcol('step').' '.strcol('variant').(column('launch') > 1 ? ', launch '.strcol('launch') : '')"
count(i) = i == 1 ? column("global_loads") : i == 2 ? column("local_loads") + column("local_stores") : \
    i == 3 ? column("barriers") * column("groups") * column("group") : column(i == 4 ? "local_atomics" : "global_atomics")
plot for [i = 1:5] last using (column("n") == n_max && count(i) > 0 ? count(i) / n_max : NaN):(-column(0)):ytic(@launch) \
    with points linetype i pointsize 1.1 linewidth 1.5 title name[i]
