# Step 12: the time of each part of a round over n, for each version. Black: the shortest possible
# time for reading the matrix, or for reading and writing the matrix.
set terminal svg size 720,800 font "sans,14"
versions = "v0 v1 v2 two_pass ours"
kinds = "row_sums maximum eigenvector next_matrix stop"
name(k) = k == 1 ? "row sums" : k == 2 ? "maximum (ours: both\nbounds, eigenvector)" : k == 3 ? "eigenvector" : \
    k == 4 ? "next matrix\n(ours: and its row sums)" : "stop test\nof the article"
at(k, v) = strcol("kind") eq word(kinds, k) && strcol("variant") eq word(versions, v) ? column("kernel_med") : NaN
limit(k) = strcol("kind") eq word(kinds, k) && strcol("variant") eq "two_pass" ? column("limit_kernel") : NaN

unset label 1
set datafile missing NaN # lines connect rows of one version across rows of other versions
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set format y "%.0s %cs"
stats last using "n" name "n" nooutput
set xrange [n_min / 1.3:n_max * 1.3]
set xtics n_min, 2
set tmargin 3; set bmargin 2.5; set rmargin 1; unset key
is_small = "strstrt('maximum eigenvector stop', strcol('kind'))"
stats last using (@is_small ? column("kernel_med") : NaN) name "small" nooutput

# Two panels with a limit are in the upper row, and three panels with one scale in the lower row. The
# key is below them: it belongs to a plot without axes, whose lines are outside its range.
set multiplot title "Lower is better: time of each part of a round, step 12\n".device noenhanced
do for [i = 1:5] {
    k = int(word("1 4 2 3 5", i))
    set size i < 3 ? 0.5 : i == 3 ? 0.36 : 0.31, i < 3 ? 0.41 : 0.37
    set origin real(word("0.01 0.5 0.01 0.38 0.69", i)), i < 3 ? 0.51 : 0.13
    set lmargin i < 4 ? 9 : 3
    set title name(k) noenhanced offset 0, -0.5
    if (i == 3) { set yrange [10**floor(log10(small_min)):10**ceil(log10(small_max))]; set xtics n_min, 4; set xlabel "n, rows and columns" }
    if (i == 4) { set format y "" }
    few = k == 1 ? 4 : k == 3 ? 3 : 5 # after the first round, ours computes the row sums together with the next matrix
    plot for [v = 1:few] last using "n":(at(k, v)) with linespoints linetype v, \
         last using "n":(i < 3 ? limit(k) : 1) with linespoints linetype LIMIT
}
unset title; unset tics; unset border; unset grid; unset xlabel; unset logscale
set size 1, 0.12; set origin 0, 0; set margins 0, 0, 0, 0
set xrange [2:4]; set yrange [2:4]
set key at graph 0.5, graph 0.5 center center maxrows 3 noenhanced samplen 3 width 2
label(v) = word(versions, v).word("'' '' '' ': ours in two passes' ''", v)
plot for [v = 1:5] 1 with linespoints linetype v title label(v), \
     1 with linespoints linetype LIMIT title "limit for these bytes"
unset multiplot
