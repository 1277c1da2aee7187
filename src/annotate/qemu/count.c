/* A plugin of QEMU's user mode that counts the executed instructions of every function: the truth that estimates are
 * compared with and library tables are made from. Arguments: out=FILE. Debian packages no header for plugins; what is
 * used of the interface (version 1) is declared here. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void translate_fn(qemu_plugin_id_t, struct qemu_plugin_tb*);
typedef void exit_fn(qemu_plugin_id_t, void*);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, translate_fn*);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, exit_fn*, void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const char* qemu_plugin_insn_symbol(const struct qemu_plugin_insn*);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn*, enum qemu_plugin_op, void*, uint64_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

struct function {
  char* name;
  uint64_t count;
  struct function* next;
};
#define BUCKETS 4096
static struct function* functions[BUCKETS];
static const char* file;

static struct function* find(const char* name) {
  uint32_t hash = 2166136261U;
  for (const char* c = name; *c; ++c) hash = (hash ^ (uint8_t)*c) * 16777619U;
  struct function** at = &functions[hash % BUCKETS];
  for (; *at; at = &(*at)->next) {
    if (!strcmp((*at)->name, name)) return *at;
  }
  *at = calloc(1, sizeof **at);
  if (!*at || !((*at)->name = strdup(name))) abort();
  return *at;
}

static struct function* function_of(const struct qemu_plugin_insn* instruction) {
  const char* name = qemu_plugin_insn_symbol(instruction);
  return find(name && *name ? name : "?");
}

/* Instructions of one function in a row are counted together: they run together, but for a fault in their midst. */
static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  const size_t n = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < n;) {
    struct qemu_plugin_insn* first = qemu_plugin_tb_get_insn(block, i);
    struct function* function = function_of(first);
    size_t end = i + 1;
    while (end < n && function_of(qemu_plugin_tb_get_insn(block, end)) == function) ++end;
    qemu_plugin_register_vcpu_insn_exec_inline(first, QEMU_PLUGIN_INLINE_ADD_U64, &function->count, end - i);
    i = end;
  }
}

static void finish(qemu_plugin_id_t id, void* unused) {
  (void)id, (void)unused;
  FILE* out = file ? fopen(file, "w") : stderr;
  if (!out) return;
  for (int i = 0; i < BUCKETS; ++i) {
    for (const struct function* at = functions[i]; at; at = at->next) {
      if (at->count) fprintf(out, "%llu %s\n", (unsigned long long)at->count, at->name);
    }
  }
  if (out != stderr) fclose(out);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info* info, int count, char** words) {
  (void)info;
  for (int i = 0; i < count; ++i) {
    if (!strncmp(words[i], "out=", 4)) file = strdup(words[i] + 4);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, finish, NULL);
  return 0;
}
