#!/usr/bin/env bash
# Everything a build system asks of a compiler.
source "${BASH_SOURCE[0]%/*}/common.sh"

cat >one.c <<'C'
#include <stdio.h>
#include "two.h"
int main(void) { printf("%d\n", two(20)); return 0; }
C
cat >two.h <<'C'
int two(int);
C
cat >two.c <<'C'
#include "two.h"
int two(int x) { int s = 0; for (int i = 0; i < x; ++i) s += i ^ x; return s; }
C
wanted=$(clang-14 -O2 one.c two.c -o plain && ./plain)

# Several sources at once, and every level.
for level in -O0 -O1 -O2 -O3 -Os -Oz -Og; do
  strata-cc $level one.c two.c -o all
  expect_equal "output at $level" "$wanted" "$(./all)"
done

# Objects, dependency files, mixed with plain ones, response files.
strata-cc -O2 -c -MD one.c
[[ -s one.o && -s one.d ]] || fail "no object or dependency file"
grep -q '^one.o:.*two.h' <(tr -d '\\\n' <one.d) || fail "wrong dependency file: $(cat one.d)"
strata-cc -O2 -c -MMD -MF deps/two.d two.c -o deps/two.o 2>/dev/null && fail "wrote into a missing folder"
mkdir deps
strata-cc -O2 -c -MMD -MF deps/two.d -MT target two.c -o deps/two.o
grep -q '^target:' deps/two.d || fail "wrong target in the dependency file"
clang-14 -O2 -c two.c -o plain_two.o
printf -- '-O2 one.o "plain_two.o"\n-o mixed\n' >words.rsp
strata-cc @words.rsp
expect_equal "output of mixed objects" "$wanted" "$(./mixed)"

# Shared libraries, archives.
strata-cc -O2 -fPIC -shared two.c -o libtwo.so
strata-cc -O2 one.c -L. -ltwo -Wl,-rpath,"$work" -o with_library
expect_equal "output with a library" "$wanted" "$(./with_library)"
STRATA_PERF=library.json ./with_library >/dev/null
grep -q '"name": "two"' library.json || fail "the library is not counted"
ar rcs libstatic.a deps/two.o
strata-cc one.o libstatic.a -o with_archive
expect_equal "output with an archive" "$wanted" "$(./with_archive)"

# Preprocessing and assembly; standard input; questions.
strata-cc -E one.c | grep 'int two(int);' >/dev/null || fail "-E"
strata-cc -O2 -S two.c && grep -q 'two:' two.s || fail "-S"
strata-cc two.s one.o -o from_assembly
expect_equal "output from assembly" "$wanted" "$(./from_assembly)"
echo 'int main(){return 3;}' | strata-c++ -x c++ - -o from_stdin
code=0
./from_stdin || code=$?
expect_equal "exit code from standard input" 3 "$code"
strata-cc --version | grep clang >/dev/null || fail "--version"

# CMake and autoconf ask such questions.
mkdir project
cat >project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(asked C CXX)
include(CheckFunctionExists)
check_function_exists(printf HAS_PRINTF)
find_package(Threads REQUIRED)
add_library(two STATIC ../two.c)
add_executable(one ../one.c)
target_link_libraries(one two Threads::Threads)
C
CC=strata-cc CXX=strata-c++ cmake -S project -B built -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build built >/dev/null
expect_equal "output of a CMake project" "$wanted" "$(built/one)"

# Debugging: line numbers are there.
strata-cc -g -O2 two.c one.c -o debug
STRATA_PERF=debug.json ./debug >/dev/null
grep -q 'two.c:2' debug.json || fail "no place of a function"
readelf --debug-dump=decodedline debug 2>/dev/null | grep 'two.c' >/dev/null || fail "no line numbers"
echo "all fine"
