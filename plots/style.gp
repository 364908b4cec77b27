# The settings that all charts share. draw.py loads this file before each script. Before that it
# defines the strings files (paths) and steps (such as "06 two_stage"), every `# key: value` of the
# last file (such as device, group_sizes), and the names that the comment at the top of a script
# lists. Nothing depends on the time or the host, so the same data gives the same bytes.
FONT = "sans,16"; SMALL = ",13" # readable on a telephone, too
set terminal svg size 960,600 font FONT linewidth 1.3 background "white"
set encoding utf8
set micro
set key outside right center noenhanced reverse Left samplen 3 spacing 1.2
set grid linewidth 0.5 linecolor "#c0c0c0"
set tics nomirror
set border 3
set bmargin 4; set tmargin 4

last = word(files, words(files))
size(n) = (n == 2**floor(log(n) / log(2) + 0.5)) ? sprintf("2^%.0f", log(n) / log(2)) : sprintf("%.0f", n)
cut(name) = strlen(name) > 22 ? name[1:18]."\n".name[19:*] : name # such as 10 subgroup_block_interleaved
title(text) = text.", ".operator." of ".type
set label 1 device at graph 0.5, graph 1.035 center noenhanced font SMALL

# Shapes and dashes distinguish the curves, also in print and for colour-blind readers. The colours
# (of Okabe and Ito) only help. There are 10 dashes and 13 shapes, so 130 curves can differ.
colour(i) = word("#000000 #d55e00 #0072b2 #e69f00 #009e73 #cc79a7 #56b4e9", (i - 1) % 7 + 1)
dashes(i) = word("_ - .- -- ... _ -.. _. __ _..", (i - 1) % 10 + 1)
points(i) = int(word("2 4 8 6 10 12 5 9 7 13 11 1 3", (i - 1) % 13 + 1))
do for [i = 1:100] { set linetype i linecolor rgb colour(i) dashtype dashes(i) pointtype points(i) pointsize 0.8 }
LIMIT = 101; GUIDE = 102; PAIR = 102
set linetype LIMIT linecolor rgb "#000000" linewidth 2.5 pointtype 7 pointsize 0.5 dashtype solid
set linetype GUIDE linecolor rgb "#707070" linewidth 2.5 pointtype 7 pointsize 0.5 dashtype (6, 3)
set linetype PAIR + 1 linecolor rgb "#0072b2" linewidth 1.5 pointtype 7 dashtype solid
set linetype PAIR + 2 linecolor rgb "#d55e00" linewidth 1.5 pointtype 4 dashtype (6, 4)
