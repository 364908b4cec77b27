# Step 12: the time of each part of a round over n, for each version. Black: the shortest possible
# time for reading the matrix, or for reading and writing the matrix.
set terminal svg size 960,900 font "sans,13"
versions = "v0 v1 v2 two_pass ours"
kinds = "row_sums maximum eigenvector next_matrix stop"
name(k) = word("'row sums' 'maximum (ours: both bounds, and the eigenvector)' 'eigenvector' \
'next matrix (ours: and its row sums)' 'stop test of the article'", k)
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
set bmargin 3; set tmargin 3; set lmargin 10; set rmargin 3
unset key
set multiplot layout 3, 2 title "Lower is better: time of each part of a round, step 12\n".device noenhanced
do for [k = 1:5] {
    set title name(k) noenhanced offset 0, -0.5
    set xlabel k > 3 ? "n, rows and columns" : ""
    few = k == 1 ? 4 : k == 3 ? 3 : 5 # after the first round, ours computes the row sums together with the next matrix
    parts = "plot for [v = 1:few] last using 'n':(at(k, v)) with linespoints linetype v"
    eval(parts.(k == 1 || k == 4 ? ", last using 'n':(limit(k)) with linespoints linetype LIMIT" : ""))
}
# The last panel shows the key.
unset title; unset tics; unset border; unset grid; unset xlabel; unset format
set xrange [2:4]; set yrange [2:4]
set key at graph 0.9, graph 0.9 noenhanced
label(v) = word(versions, v).word("'' '' '' ': ours in two passes' ''", v)
plot for [v = 1:5] 1 with linespoints linetype v title label(v), \
     1 with linespoints linetype LIMIT title "limit for these bytes"
unset multiplot
