# Targets that measure, draw and tabulate, with measure.py, draw.py and table.py.
ARTICLES = article-peri article-jin article-catz
MEASURING = plots bench tune accuracy peers scaling article-eigen $(ARTICLES)

## Measure and draw; DEVICE=pocl (default: every CPU); RESULTS=folder:
## plots        measure and draw all steps, print a table; N=A..B, OP=, TYPE=
plots: all
	$(call takes,about 2 minutes for each device)
	@plots/measure.py steps
## bench        measure all variants at one n; N=, OP=, TYPE=, OURS=, ROUNDS=
bench: all build/peer_openmp
	$(call takes,about 10 minutes for each device)
	@plots/measure.py bench
## tune         find the best geometry of a step; STEP=07, N=, ROUNDS=
tune: all
	$(call takes,about 10 minutes for each device)
	@plots/measure.py tune
## accuracy     measure the rounding errors of sums of float; N=A..B
# The steps of this target are those that plots/experiments.ini lists.
accuracy: step01 $(patsubst %,build/accuracy%,01 02 03 05 06)
	$(call takes,about 2 minutes for each device)
	@plots/measure.py accuracy
## article-peri repeat Peri's experiment, draw it with the article's; N=2^24
## article-jin  repeat the experiment of Jin and Finkel; N=
## article-catz repeat the experiment of Catanzaro; N=
$(ARTICLES): article-%: all
	$(call takes,about 2 minutes for each device)
	@plots/measure.py $*
## article-eigen  measure step 12, the fifth article's algorithm; N=128,1024
article-eigen: all
	$(call takes,about 5 minutes for each device)
	@plots/measure.py eigen
## claims       measure what the texts say about performance; N=, ROUNDS=
claims: all
	$(call takes,about 2 minutes for each device)
	@plots/claims.py
## scaling      measure step 13 over ranks; RANKS=, N=, ROUNDS=, PEERS=0
scaling: step01 step13
	$(call takes,about 10 minutes for each device)
	@plots/measure.py scaling
## counts       count loads, barriers, atomics; with RESULTS= also N=, STEP=
counts: folder = $(or $(RESULTS),$(if $(N)$(STEP)$(SUBGROUPS)$(OPTIONS),$(error N=, STEP=, \
	SUBGROUPS= and OPTIONS= would change published data: add RESULTS=folder),plots/results))
# Without ocloc, the first command fails before Oclgrind counts for minutes.
counts: all
	$(call takes,about 2 minutes on two cores)
	@command -v ocloc >/dev/null || plots/asm.py --all "$(folder)/asm.dat"
	@plots/counts.py "$(folder)/counts.dat"
	@plots/draw.py "$(folder)"
	@plots/asm.py --all "$(folder)/asm.dat"
## asm10        show the main loop of a compiled kernel; TARGET=kbl, DEVICE=
## asm07        show another form of a kernel; VARIANT=, WIDTH=, SUBGROUPS=
$(numbers:%=asm%): asm%: all
	@plots/asm.py $*
## draw         draw all published data again, or RESULTS=; needs no device
draw:
	@for folder in $(if $(RESULTS),"$(RESULTS)",plots/results/*/ plots/results); do \
		plots/draw.py "$$folder" || exit; \
	done
## compare      show results folders in one table and chart; RESULTS="a b"
compare:
	@plots/book/compare.sh $(RESULTS)

# Programs that show how the kernels of a step are compiled: see compile.c. Tests call them, too.
COMPILERS = $(patsubst step%,build/compile%,$(filter-out $(CAPSTONES),$(LADDER)))
all: $(COMPILERS)
$(COMPILERS): build/compile%: $$(call object_of,$$*) build/plots/compile.o $(COMMON)
	$(call say,LINK $@)$(CC) $(filter %.o,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

# Programs that measure the rounding errors of a step's sums: see accuracy/accuracy.c.
$(patsubst step%,build/accuracy%,$(filter-out $(CAPSTONES),$(LADDER))): build/accuracy%: \
		$$(call object_of,$$*) build/plots/accuracy/accuracy.o $(COMMON)
	$(call say,LINK $@)$(CC) $(filter %.o,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

.PHONY: plots bench tune accuracy scaling article-eigen claims counts draw compare $(ARTICLES) \
	$(numbers:%=asm%)
