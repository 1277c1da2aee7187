/* The estimate at the end of a program. STRATA_PERF says where it goes:
 *   unset or empty   nowhere
 *   text             a table on stderr
 *   FOLDER/          JSON in FOLDER/PROCESS.json, for every process
 *   FILE             JSON in FILE; forked children write FILE.PROCESS */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

struct row {
  const char* name;  /* with its kind in front, see strata_module */
  const char* place; /* FILE:LINE or null */
  size_t length;
  uint64_t instructions, cycles;
};

static pid_t first_process;

__attribute__((constructor(101))) static void note_process(void) { first_process = getpid(); }

static const char* wanted_place(void) {
  const char* place = getenv("STRATA_PERF");
  return place && *place ? place : NULL;
}

int strata_wanted(void) { return wanted_place() != NULL; }

static int by_name(const void* a, const void* b) {
  const struct row *first = a, *second = b;
  const size_t shorter = first->length < second->length ? first->length : second->length;
  const int order = memcmp(first->name, second->name, shorter);
  if (order) return order;
  return (first->length > second->length) - (first->length < second->length);
}

static int by_cost(const void* a, const void* b) {
  const struct row *first = a, *second = b;
  if (first->instructions != second->instructions) return first->instructions < second->instructions ? 1 : -1;
  return by_name(a, b);
}

/* All functions that did something, costliest first. */
static struct row* collect(size_t* count) {
  struct row* rows = malloc((strata_state.records + 1) * sizeof *rows);
  *count = 0;
  if (!rows) return NULL;
  for (struct strata_module* module = strata_state.modules; module; module = module->next) {
    const uint64_t base = module->base / sizeof(struct strata_record);
    for (uint64_t i = 0; i < module->count; ++i) {
      struct row row = {.name = module->names[i]};
      for (struct strata_area* area = strata_state.areas; area; area = area->next) {
        row.instructions += area->record[base + i].instructions;
        row.cycles += area->record[base + i].cycles;
      }
      if (!row.instructions && !row.cycles) continue;
      row.place = strchr(row.name, '\t');
      row.length = row.place ? (size_t)(row.place - row.name) : strlen(row.name);
      rows[(*count)++] = row;
    }
  }
  qsort(rows, *count, sizeof *rows, by_name);
  size_t kept = 0;
  for (size_t i = 0; i < *count; ++i) {
    if (kept && !by_name(&rows[kept - 1], &rows[i])) {
      rows[kept - 1].instructions += rows[i].instructions;
      rows[kept - 1].cycles += rows[i].cycles;
    } else {
      rows[kept++] = rows[i];
    }
  }
  *count = kept;
  qsort(rows, *count, sizeof *rows, by_cost);
  return rows;
}

static void put_text(FILE* out, const char* text, size_t length) {
  fputc('"', out);
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = (unsigned char)text[i];
    if (c < 0x20) {
      fprintf(out, "\\u%04x", c);
    } else {
      if (c == '"' || c == '\\') fputc('\\', out);
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static uint64_t whole(uint64_t units) { return (units + STRATA_UNIT / 2) / STRATA_UNIT; }

static struct strata_record sum_of(int library) {
  struct strata_record sum = {0, 0};
  for (struct strata_area* area = strata_state.areas; area; area = area->next) {
    sum.instructions += library ? area->library_instructions : area->instructions;
    sum.cycles += library ? area->library_cycles : area->cycles;
  }
  return sum;
}

static void put_threads(FILE* out) {
  fputs("  \"threads\": [", out);
  for (int number = 0; number < strata_state.threads; ++number) {
    for (struct strata_area* area = strata_state.areas; area; area = area->next) {
      if (area->number != number) continue;
      Dl_info info;
      const char* name = number == 0 ? "main" : "?";
      if (area->start && dladdr(area->start, &info) && info.dli_sname) name = info.dli_sname;
      fprintf(out, "%s\n    {\"number\": %d, \"start\": ", number ? "," : "", number);
      put_text(out, name, strlen(name));
      fprintf(out,
              ", \"instructions\": %llu, \"library_instructions\": %llu, \"cycles\": %llu, \"library_cycles\": %llu}",
              (unsigned long long)whole(area->instructions), (unsigned long long)whole(area->library_instructions),
              (unsigned long long)whole(area->cycles), (unsigned long long)whole(area->library_cycles));
    }
  }
  fputs("\n  ],\n", out);
}

static void put_functions(FILE* out, const struct row* rows, size_t count) {
  fputs("  \"functions\": [", out);
  for (size_t i = 0; i < count; ++i) {
    fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
    put_text(out, rows[i].name + 1, rows[i].length - 1);
    if (rows[i].place) {
      fputs(", \"place\": ", out);
      put_text(out, rows[i].place + 1, strlen(rows[i].place + 1));
    }
    fprintf(out, ", \"library\": %s, \"instructions\": %llu, \"cycles\": %llu}",
            rows[i].name[0] == 'l' ? "true" : "false", (unsigned long long)whole(rows[i].instructions),
            (unsigned long long)whole(rows[i].cycles));
  }
  fputs("\n  ],\n", out);
}

/* A call into another annotated file looks unknown to the caller: it is not. */
static int is_annotated(const char* name) {
  for (struct strata_module* module = strata_state.modules; module; module = module->next) {
    for (uint64_t i = 0; i < module->count; ++i) {
      const char* known = module->names[i] + 1;
      const size_t length = strcspn(known, "\t");
      if (!strncmp(known, name, length) && !name[length]) return 1;
    }
  }
  return 0;
}

static void put_unknown(FILE* out) {
  fprintf(out, "  \"host_s\": %.4f,\n  \"unaccounted\": [", (double)strata_state.host_ns * 1e-9);
  const char* separator = "";
  for (int i = 0; i < STRATA_UNKNOWN && strata_state.unknown[i].name; ++i) {
    if (is_annotated(strata_state.unknown[i].name)) continue;
    fprintf(out, "%s\n    {\"name\": ", separator);
    put_text(out, strata_state.unknown[i].name, strlen(strata_state.unknown[i].name));
    fprintf(out, ", \"host_share\": %.4f}",
            strata_state.host_ns ? (double)strata_state.unknown[i].ns / (double)strata_state.host_ns : 0.0);
    separator = ",";
  }
  fputs("\n  ]\n}\n", out);
}

static void put_json(FILE* out, const struct row* rows, size_t count) {
  const struct strata_module* module = strata_state.modules;
  const struct strata_record own = sum_of(0), library = sum_of(1);
  const double cycles = (double)(own.cycles + library.cycles) / STRATA_UNIT;
  fprintf(out, "{\n  \"program\": ");
  put_text(out, program_invocation_name, strlen(program_invocation_name));
  fprintf(out, ",\n  \"process\": %ld,\n  \"target\": \"%s\",\n  \"hz\": %.0f,\n", (long)getpid(),
          module ? module->target : "", module ? module->hz : 0);
  fprintf(out, "  \"instructions\": {\"annotated\": %llu, \"library\": %llu, \"total\": %llu},\n",
          (unsigned long long)whole(own.instructions), (unsigned long long)whole(library.instructions),
          (unsigned long long)whole(own.instructions + library.instructions));
  fprintf(out, "  \"cycles\": %.0f,\n  \"time_s\": %.9f,\n", cycles,
          module && module->hz > 0 ? cycles / module->hz : 0);
  int mixed = 0;
  for (const struct strata_module* other = module; other; other = other->next) {
    mixed |= strcmp(other->target, module->target) != 0;
  }
  fprintf(out, "  \"mixed_targets\": %s,\n", mixed ? "true" : "false");
  fprintf(out, "  \"modules_without_records\": %llu,\n", (unsigned long long)strata_state.modules_without_records);
  put_functions(out, rows, count);
  put_threads(out);
  put_unknown(out);
}

static void put_table(FILE* out, const struct row* rows, size_t count) {
  const struct strata_module* module = strata_state.modules;
  const struct strata_record own = sum_of(0), library = sum_of(1);
  const double cycles = (double)(own.cycles + library.cycles) / STRATA_UNIT;
  fprintf(out, "strata: on %s: %llu instructions (%llu in libraries), %.0f cycles, %.6f s at %.0f MHz\n",
          module ? module->target : "?", (unsigned long long)whole(own.instructions + library.instructions),
          (unsigned long long)whole(library.instructions), cycles, module && module->hz > 0 ? cycles / module->hz : 0,
          module ? module->hz * 1e-6 : 0);
  for (size_t i = 0; i < count && i < 10; ++i) {
    fprintf(out, "strata: %14llu instructions %14llu cycles  %.*s%s\n", (unsigned long long)whole(rows[i].instructions),
            (unsigned long long)whole(rows[i].cycles), (int)rows[i].length - 1, rows[i].name + 1,
            rows[i].name[0] == 'l' ? " (library)" : "");
  }
}

void strata_report(void) {
  const char* place = wanted_place();
  if (!place) return;
  strata_look();
  size_t count = 0;
  struct row* rows = collect(&count);
  if (!strcmp(place, "text")) {
    put_table(stderr, rows, count);
  } else {
    char file[4096];
    const size_t length = strlen(place);
    if (place[length - 1] == '/') {
      snprintf(file, sizeof file, "%s%ld.json", place, (long)getpid());
    } else if (getpid() == first_process) {
      snprintf(file, sizeof file, "%s", place);
    } else {
      snprintf(file, sizeof file, "%s.%ld", place, (long)getpid());
    }
    FILE* out = fopen(file, "w");
    if (out) {
      put_json(out, rows, count);
      fclose(out);
    } else {
      fprintf(stderr, "strata: cannot write %s, which STRATA_PERF asks for\n", file);
    }
  }
  free(rows);
}
