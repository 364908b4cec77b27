# A map for each variant and width of a step, over group size and groups for each compute unit. The
# colour and the number of a cell are the speed in percent of the best.
# maps: for each map the variant, then the width; small widths first.
maps = ""
is_new(map) = strstrt(maps." ", " ".map." ") ? 0 : (maps = maps." ".map, 1)
do for [w in "1 2 4 8 16"] { stats last using (column("width") == w ? is_new(strcol("variant")." ".w) : 0) nooutput }
count = words(maps) / 2
across = count < 4 ? count : count == 4 ? 2 : 3
down = (count + across - 1) / across
high = 150 + down * (66 + 28 * words(group_sizes))
set terminal svg size 960, high font "sans,14"
set label 1 "groups for each compute unit" at screen 0.48, screen 18.0 / high center
set label 2 "group size (work-items)" at screen 0.02, screen 0.5 center rotate by 90
unset key; unset grid; set border 15
set palette defined (0 "#440154", 25 "#3b528b", 50 "#21918c", 75 "#5ec962", 100 "#fde725") # also in grey, brighter is faster
set cbrange [0:100]; set cblabel "GB/s in % of the best of all"
set colorbox user origin 0.905, 0.25 size 0.018, 0.5

# A cell has size 1 x 1. The step's own cell covers the tuner's cell of the same geometry.
in(v, by) = strcol("by") eq by && strcol("variant") eq word(maps, 2 * v - 1) && column("width") == word(maps, 2 * v)
x(v, by) = in(v, by) ? log(column("groups_per_unit")) / log(2) : NaN
share = "sprintf('%.0f', column('percent_of_best'))"; on_colour = "column('percent_of_best') > 60 ? 0 : 0xffffff"
y = "(sum [i = 1:words(group_sizes)] (word(group_sizes, i) eq strcol('group') ? i - 1 : 0))"
set xrange [-0.5:5.5]; set yrange [-0.5:words(group_sizes) - 0.5]
set xtics scale 0 ("1" 0, "2" 1, "4" 2, "8" 3, "16" 4, "32" 5)
set ytics scale 0 ()
do for [i = 1:words(group_sizes)] { set ytics add (word(group_sizes, i) i - 1) }

set multiplot layout down, across margins 0.09, 0.88, 60.0 / high, 1 - 95.0 / high spacing 0.05, 66.0 / high title \
    title("Brighter is better: ".step.", n = ".size(real(n)).", framed: the default")."\n".device noenhanced
do for [v = 1:count] {
    set title word(maps, 2 * v - 1).", width ".word(maps, 2 * v) noenhanced offset 0, -0.6
    plot last using (x(v, "tuner")):(@y):(0.5):(0.5):"percent_of_best" with boxxyerror fillstyle solid noborder fillcolor palette, \
         "" using (x(v, "tuner")):(@y):(@share):(@on_colour) with labels textcolor rgb variable font SMALL, \
         "" using (x(v, "step")):(@y):(0.5):(0.5):"percent_of_best" with boxxyerror fillstyle solid noborder fillcolor palette, \
         "" using (x(v, "step")):(@y):(@share):(@on_colour) with labels textcolor rgb variable font SMALL, \
         "" using (x(v, "step")):(@y):(0.5):(0.5) with boxxyerror fillstyle empty dashtype solid linewidth 4 \
             linecolor rgb "#d55e00"
    unset label; unset colorbox # only the first map needs them
}
