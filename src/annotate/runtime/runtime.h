/* What annotated code and this library agree on; tool/abi.hpp says the same for the tool. In C, because it goes into
 * every annotated program and must bring nothing along. */
#ifndef STRATA_RUNTIME_H
#define STRATA_RUNTIME_H

#include <stdint.h>

#define STRATA_UNIT 16 /* counters are in units of 1/16, because a cost may be an average */
#define STRATA_RECORDS (1U << 20)

struct strata_record {
  uint64_t instructions, cycles;
};

/* What a thread has used. Readable at any moment by whoever can see the memory: plain 64-bit words that only grow. */
struct strata_area {
  union {
    struct {
      uint64_t instructions, cycles; /* of annotated code */
      uint64_t library_instructions, library_cycles;
      union {
        const char* volatile callee; /* the function of unknown cost that runs now, or null */
        uint64_t callee_space;
      };
      struct strata_area* next; /* all areas in use */
      const void* start;        /* what the thread was started with */
      int number;               /* in the order in which threads were started; 0 is the first thread */
      volatile int running;
    };
    char space[4096];
  };
  struct strata_record record[STRATA_RECORDS];
};

/* What a module tells about its records. */
struct strata_module {
  uint64_t base;            /* offset of its first record in `record`, set by __strata_register */
  uint64_t count;           /* of records */
  const char* const* names; /* "fNAME" of a function with "\tFILE:LINE" if known, "lNAME" of a library function */
  const char* target;
  double hz;
  struct strata_module* next;
};

/* Host CPU time spent in functions of unknown cost. */
struct strata_unknown {
  const char* name;
  uint64_t ns;
};
#define STRATA_UNKNOWN 512

struct strata_state {
  struct strata_module* modules;
  uint64_t records; /* given away */
  uint64_t modules_without_records;
  struct strata_area* areas; /* newest first */
  struct strata_unknown unknown[STRATA_UNKNOWN];
  uint64_t host_ns;
  int threads;
};

extern struct strata_state strata_state;
extern struct strata_area strata_first;

/* Writes the estimate as the environment asks; does nothing if it does not. */
void strata_report(void);
/* Whether the environment asks for an estimate. */
int strata_wanted(void);
/* Attributes the host time since the last look. */
void strata_look(void);
void strata_start_looking(void);
/* Starts a thread of this library's own, which is not counted. */
void strata_start_thread(void* (*function)(void*));

#endif
