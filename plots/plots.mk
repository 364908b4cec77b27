# What measures, and draws what was measured: measure.py, draw.py, table.py.
ARTICLES = article-peri article-jin article-catz
MEASURING = plots bench tune accuracy peers article-eigen $(ARTICLES)

## Measure and draw; DEVICE=pocl, without it every CPU; RESULTS=folder:
## plots        measure all steps, draw, print a table; N=FROM..TO, OP=,TYPE=
plots: all
	$(call takes,about 4 minutes for each device)
	@plots/measure.py steps
## bench        all variants at one large n; N=, OP=, TYPE=, OURS=, ROUNDS=
bench: all build/peer_openmp
	$(call takes,about 10 minutes for each device)
	@plots/measure.py bench
## tune         is a step's default geometry the best? STEP=07, N=, ROUNDS=
tune: all
	$(call takes,about 10 minutes for each device)
	@plots/measure.py tune
## accuracy     how exact sums of float are, by the order of additions
# Its steps are those that plots/experiments.txt lists.
accuracy: step01 $(patsubst %,build/accuracy%,01 02 03 05 06)
	$(call takes,about 2 minutes for each device)
	@plots/measure.py accuracy
## article-peri Peri's experiment here, beside the published figures; N=2^24
## article-jin  the same for Jin and Finkel
## article-catz the same for Catanzaro
$(ARTICLES): article-%: all
	$(call takes,about 2 minutes for each device)
	@plots/measure.py $*
## article-eigen  the fifth article's algorithm, step 12, over n; N=128,1024
article-eigen: all
	$(call takes,about 5 minutes for each device)
	@plots/measure.py eigen
## draw         draw again from data, RESULTS= or all; needs no OpenCL device
draw:
	@for folder in $(if $(RESULTS),"$(RESULTS)",plots/results/*/ plots/results); do \
		plots/draw.py "$$folder" || exit; \
	done
## compare      results folders in one table and chart; RESULTS="a b c"
compare:
	@plots/book/compare.sh $(RESULTS)

# A step's own plans, and the rounding errors of its sums: see accuracy/accuracy.c.
$(LADDER:step%=build/accuracy%): build/accuracy%: plots/accuracy/accuracy.c \
		$$(wildcard steps/$$*_*.c steps/beyond/$$*_*.c) $(COMMON)
	$(call say,LINK $@)$(CC) $(CPPFLAGS) $(CFLAGS) -D STEP='"../../$(word 2,$^)"' -MMD -MP $< \
		$(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

.PHONY: plots bench tune accuracy article-eigen draw compare $(ARTICLES)
