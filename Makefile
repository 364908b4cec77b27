CFLAGS = -std=c11 -O3 -Wall -Wextra -Wpedantic
CPPFLAGS = -Icommon -D_POSIX_C_SOURCE=200809L -DCL_TARGET_OPENCL_VERSION=300 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS
COMMON = $(patsubst common/%.c,build/%.o,$(wildcard common/*.c))
STEPS = $(patsubst steps/%.c,%,$(wildcard steps/[01]*.c))
PROGRAMS = $(foreach s,$(STEPS),step$(firstword $(subst _, ,$s)))
all: $(PROGRAMS)
build/%.o: common/%.c | build
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -c $< -o $@
build:
	mkdir -p build
.SECONDEXPANSION:
$(PROGRAMS): step%: $$(wildcard steps/$$*_*.c) $(COMMON)
	$(CC) $(CPPFLAGS) $(CFLAGS) $< $(COMMON) -o $@ -lOpenCL -lm
-include build/*.d
