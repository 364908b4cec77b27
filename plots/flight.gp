# GB/s of each geometry of the tuner over the bytes that it has in flight. table: a line for each
# geometry: width, bytes in flight, GB/s. latency: the time of a load in ns. limit: the read limit in
# GB/s. GB/s are bytes for each ns, so the slanted line is bytes / latency.
set terminal svg size 720,600 font FONT
set title "Higher is better: step ".step[1:2].", n = ".size(real(n)).", sum of ".type noenhanced offset 0, 1
set xlabel "bytes in flight"
set ylabel "GB/s"
set logscale xy 10
latency = real(latency); limit = real(limit); knee = limit * latency
stats $table using 2 name "bytes" nooutput
stats $table using 3 name "rate" nooutput
set xrange [bytes_min / 1.4:bytes_max * 1.6]
set yrange [rate_min / 1.4:limit * 1.7]
set format x "%.0s %cB"
set bmargin 4; set rmargin 3
set key inside bottom right samplen 2
set arrow 1 from first knee, graph 0 to first knee, first limit nohead linewidth 1.5 dashtype (2, 4)
set label 2 sprintf("limit × latency = %.2g MB", 1e-6 * knee) at first knee, first limit / 3.5 left offset 0.7, 0 font SMALL
set label 3 sprintf("read limit, %.0f GB/s", limit) at graph 0.02, first limit left offset 0, 0.7 font SMALL
plot (x < knee * 1.2 ? x / latency : NaN) with lines linetype GUIDE title sprintf("bytes / %.0f ns", latency), \
     limit with lines linetype LIMIT notitle, \
     for [i = 0:4] $table using ($1 == 2**i ? $2 : NaN):3 with points linetype i + 2 linewidth 1.5 \
         title sprintf("width %d, %d bytes", 2**i, 4 * 2**i)
