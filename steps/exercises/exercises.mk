# Exercises: the files of a learner are in mine/, and exercise.py judges them.

## Exercises:
## exercise04   begin an exercise: print its task, copy its start; HINT=1
## check04      judge your answer in mine/
## reset04      rename your answer, and begin again
## progress     list which exercises are solved
# All numbers are listed, because a rule for check% alone would match other names, too.
digits = 0 1 2 3 4 5 6 7 8 9
numbers := $(digits) $(foreach tens,$(digits),$(digits:%=$(tens)%))
MINE ?= mine
export MINE HINT DEVICE
EXERCISE = @steps/exercises/exercise.py
$(numbers:%=exercise%): exercise%:
	$(EXERCISE) start $*
# The last words about an answer are those of the judge. So make is in question mode (-q): it
# executes only lines that begin with +, and if one of them ends with 1, make ends with 1 and prints
# nothing. The programs that these lines call must not be in question mode. (The first q in
# MAKEFLAGS is the one that is added here, because letters come first there.)
ifneq ($(filter check%,$(if $(is_dry),,$(MAKECMDGOALS))),)
MAKEFLAGS += -q
asks = +@MAKEFLAGS=$$(echo "$$MAKEFLAGS" | sed s/q//)
endif
$(numbers:%=check%): check%:
	$(asks) $(MAKE) -s --no-print-directory all
	$(asks) steps/exercises/exercise.py check $* || exit 1
$(numbers:%=reset%): reset%:
	$(EXERCISE) reset $*
progress:
	$(EXERCISE) progress

# Each program is linked twice, as a step is: with the harness, and with the judge before it.
build/exercise%.o: $$(wildcard steps/exercises/$$*_*/main.c) steps/exercises/beyond.h build/flags
	$(call say,CC $<)$(CC) $(CPPFLAGS) -Isteps/exercises -Ikernels $(CFLAGS) -MMD -MP -c $< -o $@
# plan.c includes the learner's file. exercise.py looks at the symbols of the .o file.
build/mine%.o: steps/exercises/plan.c $(MINE)/%.c $(COMMON)
	$(call say,CC $(MINE)/$*.c)$(CC) $(CPPFLAGS) $(CFLAGS) -iquote . -D'PLAN="$(MINE)/$*.c"' \
		-D'NAME="$(patsubst steps/exercises/$*_%,%,$(wildcard steps/exercises/$*_*))"' \
		-D NUMBER=$(patsubst 0%,%,$*) -c $< -o $@
programs = $(numbers:%=build/exercise%) $(numbers:%=build/mine%)
$(programs): %: %.o $(COMMON)
	$(call say,LINK $@)$(CC) $< $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
$(programs:build/%=build/judge_%): build/judge_%: build/%.o $(JUDGE) $(COMMON)
	$(call say,LINK $@)$(CC) $< $(JUDGE) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)
.PRECIOUS: build/exercise%.o build/mine%.o
# Oclgrind loads it into a step, and needs no part of the harness.
build/watch.so: steps/exercises/watch.c
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(CPPFLAGS) -O -Wall -Wextra -fPIC -shared $< -o $@ -ldl

.PHONY: progress $(foreach what,exercise check reset,$(numbers:%=$(what)%))
