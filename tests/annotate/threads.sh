#!/usr/bin/env bash
# Threads, processes, signals, jumps out of functions.
source "${BASH_SOURCE[0]%/*}/common.sh"

strata-c++ -std=c++17 -O2 "$source/bench/kernels/threads.cpp" -o threads -pthread
STRATA_PERF=threads.json ./threads >/dev/null
expect_equal "number of threads" 5 "$(grep -c '"number"' threads.json)"

cat >fork.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf place;
static volatile int signals;
static void on_signal(int n) { signals += n == SIGUSR1; }
static __attribute__((noinline)) int spin(int n) { volatile int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }
static __attribute__((noinline)) void leave(int n) { spin(100); if (n < 5) longjmp(place, n + 1); }
int main(void) {
  volatile int jumps = 0;
  const int n = setjmp(place);
  ++jumps;
  leave(n);
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 10; ++i) raise(SIGUSR1);
  fflush(stdout);
  const pid_t child = fork();
  spin(child ? 1000 : 5000);
  if (!child) _exit(0);
  waitpid(child, NULL, 0);
  printf("%d %d\n", jumps, signals);
  exit(0);
}
C
clang-14 -O2 fork.c -o plain
strata-cc -O2 fork.c -o fork
mkdir out
expect_equal "output of fork" "$(./plain)" "$(STRATA_PERF=out/ ./fork)"
expect_equal "estimates of processes" 2 "$(find out -name '*.json' | wc -l)"
strata perf --json=perf.json -- ./fork >/dev/null
expect_equal "processes" 2 "$(field perf.json processes)"
echo "all fine"
