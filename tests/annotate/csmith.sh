#!/usr/bin/env bash
# Random programs of csmith: annotated and plain ones print the same. COUNT programs from seed SEED (environment).
source "${BASH_SOURCE[0]%/*}/common.sh"
command -v csmith >/dev/null || { echo "skipped: csmith is not installed"; exit 77; }
include=$(dirname "$(find /usr/include -name csmith.h | head -1)")
count=${COUNT:-20} seed=${SEED:-1} done=0
for ((i = seed; done < count; ++i)); do
  csmith --seed "$i" --max-funcs 6 --max-block-depth 3 >random.c
  level=-O$((i % 4))
  # Targets of 64 bits: the others change the size of long, and with it what the program means.
  target=cortex-a72
  ((i % 3 == 0)) && target=cortex-a53
  clang-14 -w $level -funsigned-char -I"$include" random.c -o plain
  code=0
  wanted=$(timeout 5 ./plain) || code=$?
  ((code == 0)) || continue
  strata-cc -w $level -fstrata-target=$target -I"$include" random.c -o annotated
  found=$(timeout 20 ./annotated) || fail "seed $i ends with $?"
  expect_equal "output of seed $i at $level for $target" "$wanted" "$found"
  done=$((done + 1))
done
echo "$done programs agree"
