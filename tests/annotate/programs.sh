#!/usr/bin/env bash
# Annotated programs print what plain ones print, and count the same each time.
source "${BASH_SOURCE[0]%/*}/common.sh"

for name in recursion strings control struct_copy interpreter maths exceptions maps shapes; do
  file=$(ls "$source/bench/kernels/$name".c*)
  plain=clang-14 driver=strata-cc
  [[ $file == *.cpp ]] && plain='clang++-14 -std=c++17' driver='strata-c++ -std=c++17'
  $plain -O2 -w -ffp-contract=off "$file" -o plain -lm
  $driver -O2 -w "$file" -o "$name" -lm
  expect_equal "output of $name" "$(./plain)" "$(STRATA_PERF=$name.json ./$name)"
done

# Twice the same figures; cycles and instructions are sensible.
first=$(field control.json cycles)
STRATA_PERF=again.json setarch -R ./control >/dev/null
expect_equal "cycles of a second run" "$first" "$(field again.json cycles)"
expect_equal "instructions of control" 16800054 "$(field control.json annotated)"

# The table, the boards, JSON.
strata perf --board raspberry-pi-4 -- ./control >table.txt
grep -q 'raspberry-pi-4' table.txt && grep -q 'main' table.txt || fail "no table: $(cat table.txt)"
strata perf --board raspberry-pi-4 --json=perf.json --html perf.html -- ./control >/dev/null
[[ $(field perf.json energy_j) != null ]] || fail "no energy"
grep -q '<h2>Energy</h2>' perf.html || fail "no chart"
strata perf --json -- ./control 2>/dev/null | grep '"unaccounted"' >/dev/null || fail "no JSON on stdout"
STRATA_PERF=text ./control 2>&1 >/dev/null | grep 'strata: on cortex-a72' >/dev/null || fail "no text"
[[ -z $(./control 2>&1 >/dev/null) ]] || fail "it talks though nobody asked"

# Several targets in one build: objects and programs have twins, and boards stand side by side.
targets=cortex-a72,cortex-a53,x86-64
strata-cc -O2 -fstrata-target=$targets -c "$source/bench/kernels/control.c" -o control.o
strata-cc -fstrata-target=$targets control.o -o several
strata perf --board raspberry-pi-4 --board raspberry-pi-3 --board laptop --json=boards.json -- ./several >/dev/null
for board in raspberry-pi-4 raspberry-pi-3 laptop; do
  grep -q "\"board\": \"$board\"" boards.json || fail "no $board in the comparison"
done
strata perf --target cortex-a53 --json=one.json -- ./several >/dev/null
expect_equal "target of a twin" cortex-a53 "$(field one.json target)"
strata perf --board khepera-iv -- ./several >/dev/null 2>said && fail "a board without its target was accepted"
grep -q 'fstrata-target=cortex-a72,cortex-a8' said || fail "no remedy: $(cat said)"
echo "all fine"
