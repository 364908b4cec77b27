# Every entry point. `make` alone prints the lines below that begin with two #.

# A variant names what it needs; what it leaves out is 0.
CFLAGS = -std=c11 -O3 -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
CPPFLAGS = -Icommon -D_POSIX_C_SOURCE=200809L -DCL_TARGET_OPENCL_VERSION=300 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS
LDLIBS = -lOpenCL -lm $(OPENMP:-fopenmp=-lgomp)
# For the host's reference of many elements, on all cores; clang would need a further OpenMP library.
compiler := $(shell LC_ALL=C $(CC) --version 2>/dev/null)
OPENMP := $(if $(findstring Free Software Foundation,$(compiler)),-fopenmp)

COMMON = build/libreduce.a
OPERATIONS := $(shell $(CC) -E -P -D'OPERATION(op, type)=op##_##type' common/operation_list.h 2>/dev/null)
OBJECTS = $(patsubst %.c,build/%.o,$(filter-out common/operation.c,$(wildcard common/*.c common/*/*.c))) \
	$(OPERATIONS:%=build/operation_%.o)
NUMBERS = $(sort $(foreach file,$(notdir $(wildcard steps/[0-9][0-9]_*.c)),$(firstword $(subst _, ,$(file)))))
LADDER = $(filter-out step00,$(NUMBERS:%=step%))
# Built like a step of the ladder, but an algorithm of its own: compared with none, in no chart of all steps.
CAPSTONES = step12
DIFFS = $(patsubst step%,diff%,$(filter-out $(CAPSTONES),$(LADDER)))
ARTICLES = article-peri article-jin article-catz

# Other people's reductions, plots/peers/: by which header a library is known, the packages that bring it, its flags.
PEERS ?= openmp serial std_reduce tbb clblast boost_compute cub thrust
# Programs of their own; the others are linked with library.c.
OWN_PEERS = openmp serial
LIBRARY_PEERS = $(filter-out $(OWN_PEERS),$(PEERS))
HEADER_std_reduce = tbb/parallel_reduce.h
HEADER_tbb = tbb/parallel_reduce.h
HEADER_clblast = clblast_c.h
HEADER_boost_compute = boost/compute/algorithm/reduce.hpp
PACKAGES_std_reduce = g++ libtbb-dev
PACKAGES_tbb = g++ libtbb-dev
PACKAGES_clblast = g++ libclblast-dev
PACKAGES_boost_compute = g++ libboost-dev
PACKAGES_cub = the CUDA toolkit (nvcc)
PACKAGES_thrust = the CUDA toolkit (nvcc)
PACKAGES_floor_cuda = the CUDA toolkit (nvcc)
PEER_FLAGS = -O3 -march=native
FLAGS_openmp = -fopenmp
LIBS_std_reduce = -ltbb
LIBS_tbb = -ltbb
LIBS_clblast = -lclblast
CUDA_PEERS = cub thrust floor_cuda
NVCC = nvcc

help:
	@sed -n 's/^## /make /p' Makefile; echo 'What measures takes DEVICE=, such as pocl, and RESULTS=, a folder, too.'

## step05       build this step; then ./step05, or --help
# The list of targets in front is needed: a rule for any step% would also make common/step.c.
.SECONDEXPANSION:
$(LADDER): step%: $$(wildcard steps/$$*_*.c) $(COMMON)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF build/$@.d -MT $@ $< $(filter steps/capstone/%.c,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
step12: $(wildcard steps/capstone/*.[ch])

# The set-up doctor stands alone: it must build and run when something in common/ does not.
step00: steps/00_device.c steps/doctor.c steps/doctor.h build/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(LDLIBS)

$(COMMON): $(OBJECTS)
	rm -f $@
	$(AR) rc $@ $^
build/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
# Once for each operation, with the options that the device gets: -D SUM -D INT for operation_sum_int.o.
$(OPERATIONS:%=build/operation_%.o): build/operation_%.o: common/operation.c build/flags
	options=$$(echo '$*' | tr a-z A-Z | sed 's/^/-D /; s/_/ -D /') && $(CC) $(CPPFLAGS) $(CFLAGS) $(OPENMP) \
		$$options -D OPTIONS="\"$$options\"" -MMD -MP -c $< -o $@

# What everything is built with: when that is another, all is built again.
built_with = $(strip $(CC) $(CPPFLAGS) $(CFLAGS) $(OPENMP) $(PEER_FLAGS) $(LDFLAGS) $(LDLIBS) $(compiler))
ifneq ($(built_with),$(strip $(shell cat build/flags 2>/dev/null)))
.PHONY: build/flags
endif
build/flags: export now = $(built_with)
build/flags: | build/common/judge/oclgrind.py
	@printf '%s\n' "$$now" >$@

# A peer, or an exercise, finds beside itself what a step does.
build/common/judge/oclgrind.py:
	mkdir -p build/common/judge
	ln -sfn ../kernels build/kernels
	ln -sfn ../../../common/judge/oclgrind.py $@

## all          build all of them
all: $(NUMBERS:%=step%)

## diff06       what step 06 changes against the step it is compared with
$(DIFFS): diff%:
	@steps/diff.sh $*

## exercise04   begin an exercise: its task, and a start in mine/; HINT=1
## check04      judge what you have written there
## reset04      put it aside, and begin again
## progress     which exercises are solved
# Lists, as a rule for any check% would also make common/judge/check.c.
digits = 0 1 2 3 4 5 6 7 8 9
numbers := $(foreach tens,$(digits),$(digits:%=$(tens)%))
MINE = mine
export MINE HINT DEVICE
EXERCISE = @steps/exercises/exercise.py
$(numbers:%=exercise%): exercise%:
	$(EXERCISE) start $*
$(numbers:%=check%): check%:
	@$(MAKE) -s --no-print-directory all
	$(EXERCISE) check $*
$(numbers:%=reset%): reset%:
	$(EXERCISE) reset $*
progress:
	$(EXERCISE) progress
build/exercise%: $$(wildcard steps/exercises/$$*_*/main.c) steps/exercises/beyond.h $(COMMON)
	$(CC) $(CPPFLAGS) -Isteps/exercises -Ikernels $(CFLAGS) $(filter %.c,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
# A step's own plan, with a kernel that says what it reads: see plots/book/record.c.
$(LADDER:step%=build/record%): build/record%: plots/book/record.c $$(wildcard steps/$$*_*.c) $(COMMON)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D STEP='"../../$(word 2,$^)"' -MMD -MP $< $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
# A step's own plans, and the rounding errors of its sums.
$(LADDER:step%=build/accuracy%): build/accuracy%: plots/accuracy/accuracy.c $$(wildcard steps/$$*_*.c) $(COMMON)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D STEP='"../../$(word 2,$^)"' -MMD -MP $< $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
build/mine%: $(MINE)/%.c $(COMMON)
	$(CC) $(CPPFLAGS) $(CFLAGS) $< $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

## deps         install what is missing; INTEL_CPU=0, WHEELS=dir: see .ci/deps
deps:
	@.ci/deps

## wheels       fetch Intel's CPU runtime into wheels/, to do without network
wheels:
	python3 -m venv build/pip
	build/pip/bin/python -m pip download --no-deps --only-binary :all: --platform manylinux_2_28_x86_64 \
		-d "$(or $(WHEELS),wheels)" -r .ci/intel-cpu.txt

## plots        measure all steps, draw, print a table; N=FROM..TO, OP=, TYPE=
plots: all
	@plots/measure.py steps

## docs         renew what the texts show of the repository; ALL=1: times too
docs: all
	@plots/book/picture.py --all
	@plots/book/docs.py $(if $(ALL),--all)

## book         the tutorial and the READMEs as one HTML file, and as a PDF
book:
	@plots/book/book.py

## draw         draw again from data, RESULTS= or all; needs no OpenCL device
draw:
	@for folder in $(if $(RESULTS),"$(RESULTS)",plots/results/*/ plots/results); do plots/draw.py "$$folder" || exit; done

## compare      results folders in one table and chart; RESULTS="a b c"
compare:
	@plots/book/compare.sh $(RESULTS)

## picture      which work-item reads what, drawn; STEP=10, KERNEL=mine/10.cl
asked = STEP KERNEL VARIANT N GROUP GROUPS WIDTH LANES
picture: all
	@plots/book/picture.py $(foreach what,$(asked),$(if $($(what)),"$(what)=$($(what))"))

## bench        all variants at one large n; N=, OP=, TYPE=, OURS=, ROUNDS=
bench: all build/peer_openmp
	@plots/measure.py bench

## article-peri Peri's experiment here, beside the published figures; N=2^24
## article-jin  the same for Jin and Finkel
## article-catz the same for Catanzaro
$(ARTICLES): article-%: all
	@plots/measure.py $*

## article-eigen  the fifth article's algorithm, step 12, over n; N=128,1024
article-eigen: all
	@plots/measure.py eigen

## accuracy     how exact sums of float are, by the order of additions
# Its steps are those that plots/experiments.txt lists.
accuracy: step01 $(patsubst %,build/accuracy%,01 02 03 05 06)
	@plots/measure.py accuracy

## peers        our best beside others'; N=, STRIDE=, ROUNDS=, OURS=, PEERS=
peers: all build-peers
	@PEERS="$(peers_here)" LD_PRELOAD="$(newer_tbb)" plots/measure.py peers

# A runtime may bring a newer TBB than a peer is linked with: that one serves both.
newer_tbb = $(wildcard $(addsuffix libtbb.so.12,$(dir $(shell cat $(or $(OCL_ICD_VENDORS),/etc/OpenCL/vendors)/*.icd))))
# A peer is built where its library is; one that does not compile is no reason to do without the others.
peers_here = $(strip $(foreach peer,$(PEERS),$(if $(call there,$(peer)),$(peer))))
there = $(if $(filter $1,$(CUDA_PEERS)),$(shell command -v $(NVCC)),$(if $(HEADER_$1),$(shell \
	echo '#include <$(HEADER_$1)>' | g++ $(CPPFLAGS) -x c++ -E - >/dev/null 2>&1 && echo yes),$(wildcard plots/peers/$1.c)))
build-peers:
	@$(foreach peer,$(filter-out $(peers_here),$(PEERS)),\
		echo "peer $(peer) left out: needs $(or $(PACKAGES_$(peer)),plots/peers/$(peer).c)";) :
	-@$(if $(peers_here),$(MAKE) -s --no-print-directory -k $(patsubst %,build/peer_%,$(peers_here)),:)

# Always gcc: a peer's flags are part of what is published, and clang would need a further OpenMP library.
$(OWN_PEERS:%=build/peer_%): build/peer_%: plots/peers/%.c $(COMMON)
	gcc $(CPPFLAGS) $(CFLAGS) $(PEER_FLAGS) $(FLAGS_$*) -MMD -MP $< $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

$(LIBRARY_PEERS:%=build/peer_%): build/peer_%: build/peer_%.o build/peer_library.o $(COMMON)
	$(if $(filter $*,$(CUDA_PEERS)),$(NVCC),g++) $^ -o $@ $(LDFLAGS) $(LIBS_$*) $(LDLIBS)
build/peer_%.o: plots/peers/%.c build/flags
	gcc $(CPPFLAGS) $(CFLAGS) $(PEER_FLAGS) -MMD -MP -c $< -o $@
build/peer_%.o: plots/peers/%.cpp build/flags
	g++ $(CPPFLAGS) -std=c++17 -Wall -Wextra $(PEER_FLAGS) -fopenmp-simd -MMD -MP -c $< -o $@
build/peer_%.o: plots/peers/%.cu build/flags
	$(NVCC) $(CPPFLAGS) -std=c++17 -O3 -arch=native -MMD -MP -c $< -o $@

## tune         where a step's default geometry stands; STEP=07, N=, ROUNDS=
tune: all
	@plots/measure.py tune

## test         run all tests
# What takes longest comes first, so that neither core waits for the other at the end.
LONG = $(patsubst %,tests/%.t,exercises mutants command_line counts similarity large tune picture own_kernel check_11 check_10 ocloc peers check_07 sanitize)
test: all
	prove -j2 $(LONG) $(filter-out $(LONG),$(wildcard tests/*.t))

## test-quick   in a minute: every step on one CPU, data and command line
# A list of what is in it: a new test comes in when it is known to be quick. It leaves out --races, and kernels that never end.
QUICK = command_line check_* known_answers data_format
test-quick: all
	QUICK=1 prove -j2 $(QUICK:%=tests/%.t)

## format       clang-format over all C files
format:
	clang-format -i $(wildcard steps/*.[ch] steps/capstone/*.[ch] common/*.[ch] common/*/*.[ch] plots/peers/*.[ch] plots/peers/*.cpp plots/peers/*.cu plots/book/*.c plots/accuracy/*.c tests/*.[ch])

## clean        remove what was built; measurements and wheels stay
clean:
	rm -rf build $(NUMBERS:%=step%)

# Installing comes before building, and nothing else may run beside a measurement: `make -j deps plots` is safe.
ifneq ($(filter deps plots bench peers tune accuracy $(ARTICLES) article-eigen,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

.DELETE_ON_ERROR:
.PHONY: help all deps wheels plots docs book picture draw compare bench accuracy peers build-peers tune test test-quick format clean $(DIFFS) $(ARTICLES) article-eigen
-include build/*.d build/common/*.d build/common/*/*.d
# A step that was here at the last build and has another name since; -MP says so of headers.
steps/%.c: ;
