#!/usr/bin/env bash
# What cannot be annotated is left plain and named; what is wrong is refused as clang does.
source "${BASH_SOURCE[0]%/*}/common.sh"

# fails CODE COMMAND...: its stderr goes to `said`.
fails() {
  local wanted=$1 code=0
  shift
  "$@" >/dev/null 2>said || code=$?
  expect_equal "exit code of $*" "$wanted" "$code"
}
echo 'int main(void) { return nothing; }' >broken.c
fails 1 strata-cc -c broken.c
cp said strata.said
fails 1 clang-14 -c broken.c
diff strata.said said || fail "clang's message was changed"
fails 2 strata-cc -fstrata-target=pdp-11 broken.c
grep -q "unknown target 'pdp-11'" said || fail "no message about the target"
STRATA_TARGET=cortex-a35 fails 2 strata-cc broken.c
grep -q 'STRATA_TARGET' said || fail "no message about the variable"
fails 2 strata perf
fails 2 strata perf --board nowhere -- /bin/true
fails 2 strata perf -- /bin/true
fails 2 strata perf -- ./nothing

cat >odd.c <<'C'
#include <emmintrin.h>
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) long double third(long double x) { return x / 3; }
static __attribute__((noinline)) int vector(int x) {
  __m128i a = _mm_set1_epi32(x);
  a = _mm_madd_epi16(a, a);
  return _mm_cvtsi128_si32(a);
}
static __attribute__((noinline)) int assembly(int x) {
  int y;
  __asm__("leal 1(%1), %0" : "=r"(y) : "r"(x));
  return y;
}
static __attribute__((noinline)) int computed(int x) {
  static void* const kPlaces[] = {&&a, &&b, &&c};
  goto* kPlaces[x % 3];
a: return 1;
b: return 20;
c: return 300;
}
__attribute__((weak)) int weak(int x) { return x + 5; }
struct big { int v[40]; };
static __attribute__((noinline)) int by_value(struct big b) { return b.v[3] + b.v[39]; }
int main(void) {
  struct big b = {{0}};
  b.v[39] = 9;
  printf("%Lf %d %d %d %d %d\n", third(1), vector(7), assembly(4), computed(5), weak(1), by_value(b));
  return 0;
}
C
clang-14 -O2 -w odd.c -o plain
strata-cc -O2 -w odd.c -o odd 2>said
expect_equal "output of odd code" "$(./plain)" "$(./odd)"
grep -q "'third' is left plain because of long double" said || fail "no warning: $(cat said)"
grep -q "'vector' is left plain because of a vector intrinsic" said || fail "no warning: $(cat said)"
strata-cc -O2 -w -fstrata-target=x86-64 odd.c -o odd 2>said
expect_equal "output of odd code for x86-64" "$(./plain)" "$(./odd)"

# A function chosen at load time: its file may stay plain.
cat >ifunc.c <<'C'
#include <stdio.h>
static int chosen(int x) { return 2 * x; }
static int (*choose(void))(int) { return chosen; }
int indirect(int x) __attribute__((ifunc("choose")));
int main(void) { printf("%d\n", indirect(6)); return 0; }
C
strata-cc -O2 ifunc.c -o ifunc 2>said
expect_equal "output of ifunc" 12 "$(./ifunc)"

# A huge switch.
{
  echo 'int pick(int x) { switch (x) {'
  for ((i = 0; i < 3000; ++i)); do echo "case $i: return $(((i * 7919) % 10007)) ^ x;"; done
  echo '} return -1; }'
  echo '#include <stdio.h>'
  echo 'int main(void) { int s = 0; for (int i = -5; i < 3005; i += 3) s += pick(i); printf("%d\n", s); }'
} >huge.c
clang-14 -O2 huge.c -o plain
strata-cc -O2 huge.c -o huge
expect_equal "output of a huge switch" "$(./plain)" "$(./huge)"
echo "all fine"
