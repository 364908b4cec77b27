# Peers are other people's reductions. A peer is built if its library is installed. HEADER_ names a
# header of the library, PACKAGES_ the packages that contain it, FLAGS_ and LIBS_ the options of the
# compiler and the linker. NEEDS_ is a shell command that fails if a peer for CUDA lacks something
# besides nvcc.
PEERS ?= openmp serial std_reduce tbb clblast cub pytorch
# These peers have a main(); all other peers are linked with library.c.
OWN_PEERS = openmp serial
LIBRARY_PEERS = $(filter-out $(OWN_PEERS),$(PEERS))
HEADER_std_reduce = tbb/parallel_reduce.h
HEADER_tbb = tbb/parallel_reduce.h
HEADER_clblast = clblast_c.h
PACKAGES_std_reduce = g++ libtbb-dev
PACKAGES_tbb = g++ libtbb-dev
PACKAGES_clblast = g++ libclblast-dev
PACKAGES_cub = the CUDA toolkit (nvcc)
PACKAGES_pytorch = the CUDA toolkit (nvcc) and the Python package torch
PEER_FLAGS = -O3 -march=native
FLAGS_openmp = -fopenmp
LIBS_std_reduce = -ltbb
LIBS_tbb = -ltbb
LIBS_clblast = -lclblast
CUDA_PEERS = cub pytorch
NVCC = nvcc
# The folder of PyTorch. The linker must keep libtorch_cuda, although no symbol of it is used.
TORCH = $(shell python3 -c 'import importlib.util as util; \
	print(*util.find_spec("torch").submodule_search_locations)' 2>/dev/null)
NEEDS_pytorch = test -d "$(TORCH)" &&
FLAGS_pytorch = -isystem $(TORCH)/include
LIBS_pytorch = -L$(TORCH)/lib -Xlinker -rpath,$(TORCH)/lib,--no-as-needed \
	-ltorch -ltorch_cpu -ltorch_cuda -lc10

## peers        measure other libraries; N=, STRIDE=, ROUNDS=, OURS=, PEERS=
peers: all build-peers
	$(call takes,about 20 minutes for each device)
	@PEERS="$(peers_here)" LD_PRELOAD="$(newer_tbb)" plots/measure.py peers

# An OpenCL runtime may contain a newer TBB than the one that a peer is linked with. The newer TBB
# works for both.
icds = $(or $(OCL_ICD_VENDORS),/etc/OpenCL/vendors)/*.icd
newer_tbb = $(wildcard $(addsuffix libtbb.so.12,$(dir $(shell cat $(icds)))))
# If one peer does not compile, the others are built nevertheless.
peers_here = $(strip $(foreach peer,$(PEERS),$(if $(call there,$(peer)),$(peer))))
there = $(if $(filter $1,$(CUDA_PEERS)),$(shell $(NEEDS_$1) command -v $(NVCC)),$(if \
	$(HEADER_$1),$(shell \
	echo '#include <$(HEADER_$1)>' | g++ $(CPPFLAGS) -x c++ -E - >/dev/null 2>&1 && \
	echo yes),$(wildcard plots/peers/$1.c)))
build-peers:
	@$(foreach peer,$(filter-out $(peers_here),$(PEERS)),\
		echo "peer $(peer) is skipped: it needs $(or $(PACKAGES_$(peer)),plots/peers/$(peer).c)";) :
	-@$(if $(peers_here),$(MAKE) -s --no-print-directory -k $(patsubst %,build/peer_%,$(peers_here)),:)

# The compiler is always gcc, because the flags of a peer are published with its results, and
# because OpenMP would need another library with clang.
$(OWN_PEERS:%=build/peer_%): build/peer_%: plots/peers/%.c plots/peers/peers.mk $(COMMON)
	$(call say,LINK $@)gcc $(CPPFLAGS) $(CFLAGS) $(PEER_FLAGS) $(FLAGS_$*) -MMD -MP $< $(COMMON) \
		-o $@ $(LDFLAGS) $(LDLIBS)
$(LIBRARY_PEERS:%=build/peer_%): build/peer_%: build/peer_%.o build/peer_library.o $(COMMON)
	$(call say,LINK $@)$(if $(filter $*,$(CUDA_PEERS)),$(NVCC),g++) $^ -o $@ $(LDFLAGS) \
		$(LIBS_$*) $(LDLIBS)
build/peer_%.o: plots/peers/%.c plots/peers/peers.mk build/flags
	$(call say,CC $<)gcc $(CPPFLAGS) $(CFLAGS) $(PEER_FLAGS) -MMD -MP -c $< -o $@
build/peer_%.o: plots/peers/%.cpp plots/peers/peers.mk build/flags
	$(call say,CXX $<)g++ $(CPPFLAGS) -std=c++17 -Wall -Wextra $(PEER_FLAGS) -fopenmp-simd \
		-MMD -MP -c $< -o $@
build/peer_%.o: plots/peers/%.cu plots/peers/peers.mk build/flags
	$(call say,NVCC $<)$(NVCC) $(CPPFLAGS) -std=c++17 -O3 -arch=native $(FLAGS_$*) -MMD -MP \
		-c $< -o $@

.PHONY: peers build-peers
