#!/usr/bin/env bash
# Compiles the examples for several processors and shows what they cost. Needs strata, strata-cc and strata-c++ on the PATH.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=cortex-a72,cortex-a53,cortex-a8,x86-64
boards=(--board raspberry-pi-4 --board raspberry-pi-3 --board khepera-iv --board laptop)

for program in sobel control; do
  strata-cc -O2 -fstrata-target=$targets "$here/$program.c" -o "$work/$program" -lm
  echo "== $program"
  strata perf "${boards[@]}" --functions 3 -- "$work/$program"
done
strata-c++ -O2 -std=c++17 -pthread "$here/workers.cpp" -o "$work/workers"
echo "== workers"
strata perf --board raspberry-pi-4 -- "$work/workers"
