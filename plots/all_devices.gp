# All published devices side by side: each step in percent of the device's own read limit.
# devices: the names of the devices, each in quotes. names: the steps, each in quotes. n: the number
# of elements. table: a block for each device, with a line for each step: its place in names and its
# percent.
count = words(devices)
set terminal svg size 720,180 + words(names) * (16 + 12 * count) + 22 * count font FONT
unset label 1 # this chart has no device of its own
set title "Longer is better: share of the read limit, sum of int, n = ".n noenhanced
set xlabel "% of the device's own read limit"
set lmargin 21; set rmargin 3
set bmargin 5 + 1.25 * count # one line of the key for each device
set xrange [0:*]
set yrange [-words(names) - 0.5:-0.5]
set ytics scale 0 noenhanced
set grid noytics
set key at screen 0.5, screen 0.01 center bottom vertical maxcols 1 samplen 2
set arrow 1 from first 100, graph 0 to first 100, graph 1 nohead linewidth 2 front
density(i) = 0.25 + 0.25 * ((i - 1) % 4) # makes the bars distinct in grey, too
hue(i) = word("#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00", (i - 1) % 6 + 1)
high = 0.8 / count
do for [s = 1:words(names)] { set ytics add (cut(word(names, s)) -s) }
y(i) = -$1 + ((count + 1) / 2.0 - i) * high
plot for [i = 1:count] $table index i - 1 \
    using (0):(y(i)):(0):2:(y(i) - high * 0.48):(y(i) + high * 0.48) with boxxyerror \
    fillstyle solid density(i) border rgb "#000000" linecolor rgb hue(i) dashtype solid title word(devices, i)
