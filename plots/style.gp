# What all charts share; loaded before each of them:
#   gnuplot -e "results='plots/results/pocl'" plots/style.gp plots/bars.gp > bars.svg
# results is a folder of .dat files, what their operator and type, files some of them (main variants, unless given).
# Nothing comes from the clock or the host, so the same data gives the same picture, byte for byte.
if (!exists("what")) what = "sum.int"
set terminal svg size 960,600 font "sans,14" linewidth 1.3 background "white"
set encoding utf8
set micro
set key outside right center noenhanced reverse Left samplen 3 spacing 1.2
set grid linewidth 0.5 linecolor "#c0c0c0"
set tics nomirror
set border 3
set bmargin 4; set tmargin 4

# A file's header lines, and the file of a step's main variant ("" if there is none).
header(file, key) = system("sed -n 's/^# ".key.": //p' '".results."/".file."' | head -n 1")
main(step) = system("cd '".results."' && grep -l '^# main: yes' ".sprintf("%02d_*.", step).what.".dat 2>&- | head -n 1")
path(file) = results."/".file
# A column of the last row of a kernel's file, 07_vector, or of its last row of a width, 07_local:8; NaN if there is none.
only(kernel, column) = real(system("k='".kernel."'; awk -v name=".column." -v k=\"$k:\" '/^#/ { next } !at { split(k, part, \":\"); \
    for (i = NF; i; i--) { if ($i == name) at = i; if ($i == \"width\") width = i }; next } !part[2] || $width == part[2] \
    { v = $at } END { print v == \"\" ? \"nan\" : v }' '".results."'/\"${k%:*}.".what.".dat\" 2>&- || echo nan"))
if (!exists("files")) files = system("cd '".results."' && grep -l '^# main: yes' [0-9][0-9]_*.".what.".dat 2>&-")
if (words(files) == 0) { print "no .dat file of a main variant, ".what.", in ".results; exit status 2 }
last = word(files, words(files))
size(n) = (n == 2**floor(log(n) / log(2) + 0.5)) ? sprintf("2^%.0f", log(n) / log(2)) : sprintf("%.0f", n)
title(text) = header(last, "operator")." of ".header(last, "type").": ".text
set label 1 header(last, "device") at graph 0.5, graph 1.035 center noenhanced font ",11"

# Shape and dash tell the curves apart in print and to the colour-blind; the colours (Okabe and Ito's) only help.
# No two of these curves have both in common, as there are 10 dashes and 13 shapes.
colour(i) = word("#000000 #d55e00 #0072b2 #e69f00 #009e73 #cc79a7 #56b4e9", (i - 1) % 7 + 1)
dashes(i) = word("_ - .- -- ... _ -.. _. __ _..", (i - 1) % 10 + 1)
points(i) = int(word("2 4 8 6 10 12 5 9 7 13 11 1 3", (i - 1) % 13 + 1))
do for [i = 1:100] { set linetype i linecolor rgb colour(i) dashtype dashes(i) pointtype points(i) pointsize 0.8 }
LIMIT = 101; FLOOR = 102; PAIR = 102
set linetype LIMIT linecolor rgb "#000000" linewidth 2.5 pointtype 7 pointsize 0.5 dashtype solid
set linetype FLOOR linecolor rgb "#707070" linewidth 2.5 pointtype 7 pointsize 0.5 dashtype (6, 3)
set linetype PAIR + 1 linecolor rgb "#0072b2" linewidth 1.5 pointtype 7 dashtype solid
set linetype PAIR + 2 linecolor rgb "#d55e00" linewidth 1.5 pointtype 4 dashtype (6, 4)
