/* Host time in functions of unknown cost: a thread of ours looks once a millisecond who runs, and charges the CPU time
 * since the last look to it. No signals: the program must not notice. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

static uint64_t cpu_ns;

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static void charge(const char* name, uint64_t ns) {
  for (int i = 0; i < STRATA_UNKNOWN; ++i) {
    struct strata_unknown* entry = &strata_state.unknown[i];
    if (!entry->name) entry->name = name;
    if (entry->name == name || !strcmp(entry->name, name)) {
      entry->ns += ns;
      return;
    }
  }
}

void strata_look(void) {
  const uint64_t now = now_ns();
  const uint64_t passed = now - cpu_ns;
  cpu_ns = now;
  strata_state.host_ns += passed;
  /* Which of several threads used it is not known: they share. */
  int running = 0;
  for (struct strata_area* area = strata_state.areas; area; area = area->next) running += area->running != 0;
  for (struct strata_area* area = strata_state.areas; area && running; area = area->next) {
    const char* callee = area->callee;
    if (area->running && callee) charge(callee, passed / (uint64_t)running);
  }
}

static void* look_again(void* unused) {
  const struct timespec pause = {0, 1000000};
  for (;;) {
    nanosleep(&pause, NULL);
    strata_look();
  }
  return unused;
}

void strata_start_looking(void) {
  cpu_ns = now_ns();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  strata_start_thread(look_again);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
