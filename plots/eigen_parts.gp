# Step 12: the time of each part of a round over n, for each version. Black: the shortest possible
# time for reading the matrix, or for reading and writing the matrix.
set terminal svg size 720,800 font "sans,14"
versions = "v0 v1 v2 two_pass ours"
kinds = "row_sums maximum eigenvector next_matrix stop"
name(k) = k == 1 ? "row sums" : k == 2 ? "maximum (ours: both\nbounds, eigenvector)" : k == 3 ? "eigenvector" : \
    k == 4 ? "next matrix\n(ours: and its row sums)" : "stop test\nof the article"
at(k, v) = strcol("kind") eq word(kinds, k) && strcol("variant") eq word(versions, v) ? column("kernel_med") : NaN
limit(k) = strcol("kind") eq word(kinds, k) && strcol("variant") eq "two_pass" ? column("limit_kernel") : NaN

unset label 1; unset key
set datafile missing NaN # lines connect rows of one version across rows of other versions
set logscale x 2; set format x "2^{%L}"; set logscale y 10; set format y "%.0s %cs"
stats last using "n" name "n" nooutput
stats last using (strstrt("maximum eigenvector stop", strcol("kind")) ? column("kernel_med") : NaN) name "small" nooutput
set xrange [n_min / 1.3:n_max * 1.3]; set tmargin 3; set bmargin 2.5; set rmargin 1; set lmargin 9

# The upper row has the two panels with a limit, and the lower row has three panels with one scale.
# The key is below them: it belongs to a plot without axes, whose lines are outside its range.
set multiplot title "Lower is better: time of each part of a round, step 12\n".device noenhanced
do for [i = 1:5] {
    k = int(word("1 4 2 3 5", i)); is_upper = i < 3
    set size is_upper ? 0.5 : i == 3 ? 0.36 : 0.31, is_upper ? 0.41 : 0.37
    set origin real(word("0.01 0.5 0.01 0.38 0.69", i)), is_upper ? 0.51 : 0.13
    set title name(k) noenhanced offset 0, -0.5
    set xlabel is_upper ? "" : "n, rows and columns"; set xtics n_min, is_upper ? 2 : 4
    if (i == 3) { set yrange [10**floor(log10(small_min)):10**ceil(log10(small_max))] }
    if (i == 4) { set format y ""; set lmargin 3 }
    few = k == 1 ? 4 : k == 3 ? 3 : 5 # after the first round, ours computes the row sums together with the next matrix
    plot for [v = 1:few] last using "n":(at(k, v)) with linespoints linetype v, \
         last using "n":(is_upper ? limit(k) : 1) with linespoints linetype LIMIT
}
unset title; unset tics; unset border; unset grid; unset xlabel; unset logscale
set size 1, 0.12; set origin 0, 0; set margins 0, 0, 0, 0; set xrange [2:4]; set yrange [2:4]
set key at graph 0.5, graph 0.5 center center maxrows 3 noenhanced samplen 3 width 2
plot for [v = 1:5] 1 with linespoints linetype v title word(versions, v).(v == 4 ? ": ours in two passes" : ""), \
     1 with linespoints linetype LIMIT title "limit for these bytes"
unset multiplot
