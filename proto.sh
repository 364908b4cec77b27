#!/bin/bash
# $1: part
export DEVICE=NVIDIA REDUCE_DEVICE=NVIDIA RESULTS=/tmp/h200
make -s -j16 all build/peer_openmp >/dev/null 2>&1
nvidia-smi -L
if [ "$1" = 1 ]; then
time N=2^10..2^30 timeout 300 make plots
time timeout 270 make bench
else
time make -s -j16 build-peers >/dev/null 2>&1; ls build/peer_*
time N=2^10..2^30 STRIDE=1 ROUNDS=3 OURS="10:block 11:counter 11:word" PEERS="cub pytorch" timeout 280 make peers
time N=2^10..2^30 STRIDE=2 ROUNDS=3 OP=min TYPE=float OURS="11:counter 11:word" PEERS="cub pytorch" timeout 200 make peers
fi
cp -r /tmp/h200 $OUT/ 2>/dev/null; cd /tmp && tar czf $OUT/h200.$1.tgz h200
