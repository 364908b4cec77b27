# The targets that a learner types. PARTS are .mk files with the targets of charts, exercises, peers
# and the book. Each lies in the folder whose files it builds. `make` without a target lists all
# targets, because it prints every line of these files that begins with two #. `make V=1` also
# shows the commands that it runs.
PARTS = $(wildcard steps/exercises/exercises.mk plots/plots.mk plots/peers/peers.mk \
	plots/book/book.mk)
.DEFAULT_GOAL = help

# Further below this file asks the compiler and MPI, which `make deps` may have to install first. So
# deps does its work before make reads on: GNU make makes each file that it includes, and then reads
# all makefiles again.
is_dry := $(findstring n,$(firstword -$(MAKEFLAGS)))
ifneq ($(filter deps,$(if $(is_dry),,$(MAKECMDGOALS))),)
include build/installed.mk
endif
ifndef MAKE_RESTARTS
build/installed.mk: always
	@.ci/deps
	@mkdir -p $(@D) && : >$@
	@chown --reference=Makefile $(@D) $@ 2>/dev/null || : # root may have called make deps for a user
always:
endif

# Every rule is written in these files. By its own rules, `make -B` would look for exercises.mk.c.
MAKEFLAGS += -r

# A variant of a step sets only the members that it needs; C sets the others to 0.
CFLAGS = -std=c11 -O3 -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
CPPFLAGS = -Icommon -Ikernels -D_POSIX_C_SOURCE=200809L -DCL_TARGET_OPENCL_VERSION=300 \
	-DCL_USE_DEPRECATED_OPENCL_1_2_APIS
LDLIBS = -lOpenCL -lm $(OPENMP:-fopenmp=-lgomp)
# The host's reference uses all cores. With clang this would need a further OpenMP library.
compiler := $(shell LC_ALL=C $(CC) --version 2>/dev/null)
OPENMP := $(if $(findstring Free Software Foundation,$(compiler)),-fopenmp)

COMMON = build/libreduce.a
OPERATIONS := $(shell $(CC) -E -P -D'OPERATION(op, type)=op##_##type' common/operation_list.h \
	2>/dev/null)
SOURCES = $(filter-out common/operation.c,$(wildcard common/*.c))
OBJECTS = $(SOURCES:%.c=build/%.o) $(OPERATIONS:%=build/operation_%.o)
# The judge's own step_main() comes first, so the linker does not take that of COMMON.
JUDGE = build/libjudge.a
STEPS = $(wildcard steps/[0-9][0-9]_*.c steps/beyond/[0-9][0-9]_*.c)
NUMBERS = $(sort $(foreach file,$(notdir $(STEPS)),$(firstword $(subst _, ,$(file)))))
LADDER = $(filter-out step00,$(NUMBERS:%=step%))
# Built like a step, but a program of its own: it is compared with no step.
CAPSTONES = step12 step13
JUDGES = $(patsubst step%,judge%,$(filter-out $(CAPSTONES),$(LADDER)))
# Step 13 needs MPI. Its compiler calls CC. Without it, all other targets work.
MPICC ?= mpicc
mpicc := $(shell command -v $(MPICC) 2>/dev/null)
DIFFS = $(patsubst step%,diff%,$(filter-out $(CAPSTONES),$(LADDER)))

# say: one short line for each file that is built. With `make -s` none, with V=1 the whole command.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,echo '$1';))
# takes: how long a target takes, said before it begins.
takes = @$(if $(silent),:,echo 'make $@: $1')

# make distinguishes small letters from capitals, and a variable that no target uses has no effect.
$(foreach name,hint device mine timeout n op type step kernel results rounds stride ours peers \
	target variant width subgroups ranks places,\
	$(if $(filter command,$(firstword $(origin $(name)))),\
	$(error $(name)=$($(name)): write the name in capital letters)))

help:
	@awk '/^## .*:$$/ { print "\n" substr($$0, 4); next } \
		/^## / { name = $$2; sub(/^## [^ ]* */, ""); printf "make %-13s %s\n", name, $$0 }' \
		Makefile $(PARTS)

## Set up:
## deps         install what is missing; INTEL_CPU=0, WHEELS=: see .ci/deps
deps:
	@: .ci/deps has run for build/installed.mk
## wheels       fetch Intel's CPU runtime and Oclgrind, to do without network
wheels:
	$(if $(filter ~%,$(WHEELS)),$(error WHEELS=$(WHEELS): your shell did not replace ~ by your \
		home: write $$HOME))
	python3 -m venv build/pip
	build/pip/bin/python -m pip download --no-deps --only-binary :all: \
		--platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 \
		-d "$(or $(WHEELS),wheels)" -r .ci/intel-cpu.txt -r .ci/oclgrind.txt

## Steps (V=1 shows the compiler's command lines):
## all          build every step and every judge
all: $(filter-out $(if $(mpicc),,step13),$(NUMBERS:%=step%)) $(JUDGES) take_home
## step06       build one step; then ./step06, or ./step06 --help
## judge06      build its judge; then ./judge06 mine/06.cl, or --help
## step13       needs MPI (make deps MPI=1); then mpirun -n 2 ./step13
# The list of targets in front is needed: a rule for any step% would also make common/step.c.
.SECONDEXPANSION:
source_of = $(wildcard steps/$1_*.c steps/beyond/$1_*.c)
object_of = $(patsubst %.c,build/%.o,$(call source_of,$1))
$(filter-out $(CAPSTONES),$(LADDER)): step%: $$(call object_of,$$*) $(COMMON)
	$(call say,LINK $@)$(CC) $(filter %.o,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
$(JUDGES): judge%: $$(call object_of,$$*) $(JUDGE) $(COMMON)
	$(call say,LINK $@)$(CC) $(filter %.o,$^) $(JUDGE) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
$(CAPSTONES): step%: $$(call source_of,$$*) $(COMMON)
	$(call say,LINK $@)$(linker) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF build/$@.d -MT $@ \
		$< $(filter %.c,$(own_files)) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
linker = $(CC)
step12: own_files = $(wildcard steps/beyond/similarity/*.[ch])
step12: $(wildcard steps/beyond/similarity/*.[ch])
step13: own_files = $(wildcard steps/beyond/ranks/*.[ch])
step13: $(wildcard steps/beyond/ranks/*.[ch])
step13: linker = $(if $(mpicc),OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC),$(error \
	step13 needs MPI, but there is no $(MPICC): make deps MPI=1 installs Open MPI))
## take_home    build the example of steps/beyond/take_home; then ./take_home
take_home: $(addprefix steps/beyond/take_home/,example.c reduce.c reduce.h) build/flags
	$(call say,LINK $@)$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) -lOpenCL
# The set-up doctor must build and run even if everything else in common/ does not.
doctor = .ci/doctor common/control_characters
step00: steps/00_device.c $(doctor:%=%.c) $(doctor:%=%.h) build/flags
	$(call say,LINK $@)$(CC) $(CPPFLAGS) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(LDLIBS)

# step6 means step06, and diff6 means diff06.
SINGLE_DIGITS = 1 2 3 4 5 6 7 8 9
$(SINGLE_DIGITS:%=step%): step%: step0%
$(SINGLE_DIGITS:%=judge%): judge%: judge0%
$(SINGLE_DIGITS:%=diff%): diff%: diff0%

## diff06       what step 06 changes against the step it is compared with
$(DIFFS): diff%:
	@steps/diff.sh $*

$(COMMON): $(OBJECTS)
	$(call say,AR $@)rm -f $@ && $(AR) qcs $@ $^
$(JUDGE): $(patsubst %.c,build/%.o,$(wildcard common/judge/*.c))
	$(call say,AR $@)rm -f $@ && $(AR) qcs $@ $^
# The library is made again, too, if a source was removed.
ifneq ($(words $(OBJECTS)),$(words $(shell $(AR) t $(COMMON) 2>/dev/null)))
.PHONY: $(COMMON)
endif
build/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
# Once for each operation, with the device's options, such as -D OPERATOR=sum -D ELEMENT=int.
$(OPERATIONS:%=build/operation_%.o): build/operation_%.o: common/operation.c build/flags
	$(call say,CC $< for $(subst _, of ,$*))\
		options=$$(echo '$*' | sed 's/^/-D OPERATOR=/; s/_/ -D ELEMENT=/') && $(CC) $(CPPFLAGS) \
		$(CFLAGS) $(OPENMP) $$options -D OPTIONS="\"$$options\"" -MMD -MP -c $< -o $@

include $(PARTS)
# Nothing else may run beside a measurement.
ifneq ($(filter $(MEASURING),$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# If the compiler or its flags are not those of the last build, everything is built again.
built_with = $(strip $(CC) $(CPPFLAGS) $(CFLAGS) $(OPENMP) $(LDFLAGS) $(LDLIBS) $(compiler))
ifneq ($(built_with),$(strip $(shell cat build/flags 2>/dev/null)))
.PHONY: build/flags
endif
build/flags: export now = $(built_with)
# A program in build/ finds kernels/ and the judge's scripts beside itself, as a step does.
links = build/kernels $(addprefix build/,$(wildcard common/*/*.py))
build/flags: | $(links)
	@printf '#include <CL/opencl.h>\nint main(void) { return clGetPlatformIDs(0, 0, 0); }\n' \
		>build/opencl.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) build/opencl.c -o build/opencl $(LDFLAGS) $(LDLIBS) || { echo \
		'make: the lines above say what is missing: a C compiler, the OpenCL headers' \
		'(CL/opencl.h), or the OpenCL loader (libOpenCL.so)? make deps installs them' >&2; exit 1; }
	@printf '%s\n' "$$now" >$@
$(links): build/%:
	@mkdir -p $(@D) && ln -sfnr $* $@

## Tests:
## test         every step, operator, exercise and text once
## test-all     everything that the tests can try, as CI does
TESTS = $(wildcard tests/*/*.t)
test test-all: all
	@./step01 --facts >/dev/null # one line says what to do if there is no device
	$(call takes,$(words $(TESTS)) files in $(MINUTES) on two cores)
	prove -j"$$(nproc)" $(TESTS)
test: MINUTES = about 3 minutes
test-all: MINUTES = about 45 minutes
test-all: export TEST_ALL = 1

## format       format all C files with clang-format, Python with black
format:
	clang-format -i $(shell find common steps plots tests .ci -name '*.[ch]' -o -name '*.c[pu]*')
	black -q -l 100 $(shell find common steps plots -name '*.py')
## clean        remove what was built; measurements and wheels stay
clean:
	rm -rf build step[0-9][0-9] judge[0-9][0-9] take_home

.DELETE_ON_ERROR:
.PHONY: help deps wheels all test test-all format clean $(DIFFS) \
	$(SINGLE_DIGITS:%=step%) $(SINGLE_DIGITS:%=judge%) $(SINGLE_DIGITS:%=diff%)
-include build/*.d build/*/*.d build/*/*/*.d
# The last build may know a step under another name; for headers -MP writes such a rule.
steps/%.c: ;
