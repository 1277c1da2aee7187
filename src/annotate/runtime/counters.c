/* Counters of annotated programs: one area per thread, given out when the thread starts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

struct strata_state strata_state = {.areas = &strata_first, .threads = 1};
/* The first thread's area exists before any code runs; so does that of threads nobody told us about. */
struct strata_area strata_first = {.running = 1};

__attribute__((tls_model("initial-exec"))) __thread char* __strata_thread = (char*)&strata_first;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_thread_end;
static pid_t reported_in;

void __strata_register(struct strata_module* module) {
  pthread_mutex_lock(&lock);
  if (strata_state.records + module->count <= STRATA_RECORDS) {
    module->base = strata_state.records * sizeof(struct strata_record);
    strata_state.records += module->count;
  } else {
    /* Counted in the totals, but under the names of the first module: worse than nothing, so say so. */
    strata_state.modules_without_records++;
    module->count = 0;
  }
  module->next = strata_state.modules;
  strata_state.modules = module;
  pthread_mutex_unlock(&lock);
  /* The names are needed at the end: a library must stay, even if the program closes it. */
  Dl_info info;
  if (dladdr(module, &info) && info.dli_fname && strchr(info.dli_fname, '/')) {
    void* itself = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (itself) dlclose(itself);
  }
}

void __strata_charge(struct strata_record* record, const double* table, uint64_t size) {
  const int points = (int)table[0];
  const double* at = table + 1;
  double instructions = at[1], cycles = at[2];
  if (points > 1 && (double)size > at[0]) {
    for (int i = 2; i < points && at[3] < (double)size; ++i) at += 3;
    const double t = ((double)size - at[0]) / (at[3] - at[0]);
    instructions = at[1] + t * (at[4] - at[1]);
    cycles = at[2] + t * (at[5] - at[2]);
  }
  struct strata_area* area = (struct strata_area*)__strata_thread;
  record->instructions += (uint64_t)(instructions + 0.5);
  record->cycles += (uint64_t)(cycles + 0.5);
  area->library_instructions += (uint64_t)(instructions + 0.5);
  area->library_cycles += (uint64_t)(cycles + 0.5);
}

uint64_t __strata_length(uint64_t text) { return text ? strlen((const char*)(uintptr_t)text) : 0; }

uint64_t __strata_same(uint64_t first, uint64_t second, uint64_t most) {
  const char *a = (const char*)(uintptr_t)first, *b = (const char*)(uintptr_t)second;
  uint64_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

uint64_t __strata_same_text(uint64_t first, uint64_t second) {
  const char *a = (const char*)(uintptr_t)first, *b = (const char*)(uintptr_t)second;
  uint64_t n = 0;
  while (a[n] && a[n] == b[n]) ++n;
  return n;
}

/* Threads. */
struct start {
  void* (*function)(void*);
  void* argument;
  struct strata_area* area;
};

static void* run_thread(void* argument) {
  const struct start start = *(struct start*)argument;
  free(argument);
  __strata_thread = (char*)start.area;
  pthread_setspecific(at_thread_end, start.area);
  return start.function(start.argument);
}

static void end_thread(void* area) { ((struct strata_area*)area)->running = 0; }

static struct strata_area* new_area(const void* start) {
  struct strata_area* area =
      mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return NULL;
  area->start = start;
  area->running = 1;
  pthread_mutex_lock(&lock);
  area->number = strata_state.threads++;
  area->next = strata_state.areas;
  strata_state.areas = area;
  pthread_mutex_unlock(&lock);
  return area;
}

typedef int create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static create* real_create(void) {
  static create* real;
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  return real;
}

void strata_start_thread(void* (*function)(void*)) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  real_create()(&thread, &attributes, function, NULL);
  pthread_attr_destroy(&attributes);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  struct start* start = malloc(sizeof *start);
  struct strata_area* area = start ? new_area((const void*)function) : NULL;
  if (!area) {
    free(start);
    return EAGAIN;
  }
  *start = (struct start){function, argument, area};
  const int problem = real_create()(thread, attributes, run_thread, start);
  if (problem) {
    area->running = 0;
    free(start);
  }
  return problem;
}

/* Start, end and what lies between. */
static void report_once(void) {
  /* A forked child has its own estimate; one process has one. */
  if (reported_in == getpid()) return;
  reported_in = getpid();
  strata_report();
}

void _exit(int code) {
  report_once();
  for (;;) syscall(SYS_exit_group, code);
}
void _Exit(int code) __attribute__((alias("_exit")));

/* The child of a fork starts from nothing: what was before is the parent's. */
static void in_child(void) {
  struct strata_area* own = (struct strata_area*)__strata_thread;
  for (struct strata_area* area = strata_state.areas; area; area = area->next) {
    area->instructions = area->cycles = area->library_instructions = area->library_cycles = 0;
    memset(area->record, 0, strata_state.records * sizeof *area->record);
    if (area != own) area->running = 0;
  }
  own->next = NULL;
  own->number = 0;
  strata_state.areas = own;
  strata_state.threads = 1;
  memset(strata_state.unknown, 0, sizeof strata_state.unknown);
  strata_state.host_ns = 0;
  pthread_mutex_init(&lock, NULL);
  if (strata_wanted()) strata_start_looking();
}

__attribute__((constructor(101))) static void start(void) {
  pthread_key_create(&at_thread_end, end_thread);
  pthread_atfork(NULL, NULL, in_child);
  if (strata_wanted()) strata_start_looking();
}

__attribute__((destructor(101))) static void finish(void) { report_once(); }
