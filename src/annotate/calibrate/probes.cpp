#include "annotate/calibrate/probes.hpp"

#include <fmt/format.h>

namespace strata::annotate {

namespace {

const std::vector<int> kBytes = {0, 1, 4, 8, 15, 16, 31, 32, 63, 64, 96, 128, 256, 512, 1024, 4096, 16384};
const std::vector<int> kText = {0, 1, 4, 8, 16, 32, 64, 128, 512, 4096};
const std::string kString = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

Probe sized(std::string name, Measure measure, unsigned argument, std::string code, std::string prepare = "") {
  const bool text = measure != Measure::kArgument;
  return {std::move(name), measure, argument, text ? kText : kBytes, std::move(prepare), std::move(code), 1, ""};
}

Probe constant(std::string name, std::string code, std::string prepare = "", double calls = 1, std::string only = "") {
  return {std::move(name), Measure::kConstant, 0, {0}, std::move(prepare), std::move(code), calls, std::move(only)};
}

void add_c(std::vector<Probe>& out) {
  const std::string text = "std::memset(b, 'x', n); b[n] = 0; std::memcpy(a, b, n + 1);";
  out.push_back(sized("memcpy", Measure::kArgument, 2, "memcpy(a, b, n);"));
  out.push_back(sized("memmove", Measure::kArgument, 2, "memmove(a, b, n);"));
  out.push_back(sized("memset", Measure::kArgument, 2, "memset(a, i, n);"));
  out.push_back(sized("memcmp", Measure::kSame, 2, "keep(memcmp(a, b, n + 1));", text + "a[n] = 1;"));
  out.push_back(sized("bcmp", Measure::kSame, 2, "keep(memcmp(a, b, n + 1));", text + "a[n] = 1;"));
  out.push_back(sized("memchr", Measure::kDistance, 0, "keep(memchr(b, 0, n + 1));", text));
  out.push_back(sized("strlen", Measure::kResult, 0, "keep(strlen(b));", text));
  out.push_back(sized("strcpy", Measure::kText, 1, "strcpy(a, b);", text));
  out.push_back(sized("strncpy", Measure::kArgument, 2, "strncpy(a, b, n);", "strcpy(b, \"robot\");"));
  out.push_back(sized("strcat", Measure::kText, 1, "a[0] = 0; strcat(a, b);", text));
  out.push_back(sized("strcmp", Measure::kSame, 0, "keep(strcmp(a, b));", text));
  out.push_back(sized("strncmp", Measure::kSame, 2, "keep(strncmp(a, b, n + 1));", text));
  out.push_back(sized("strchr", Measure::kDistance, 0, "keep(strchr(b, 'y'));", text + "b[n] = 'y'; b[n + 1] = 0;"));
  out.push_back(sized("strrchr", Measure::kText, 0, "keep(strrchr(b, 'y'));", text));
  out.push_back(sized("strstr", Measure::kText, 0, "keep(strstr(b, \"yz\"));", text));
  out.push_back(constant("strtok",
                         "if (i % 8 == 0) { strcpy(a, \"ab cde fg hijk l mn opq rs\"); strtok(a, \" \"); } else "
                         "strtok(nullptr, \" \");"));
  out.push_back(constant("strtok_r",
                         "if (i % 8 == 0) { strcpy(a, \"ab cde fg hijk l mn opq rs\"); strtok_r(a, \" \", &q); } "
                         "else strtok_r(nullptr, \" \", &q);"));
  out.push_back(constant("atoi", "keep(atoi(\"12345\"));"));
  out.push_back(constant("strtol", "keep(strtol(\"12345\", nullptr, 10));"));
  out.push_back(constant("strtoul", "keep(strtoul(\"12345\", nullptr, 10));"));
  out.push_back(constant("strtod", "keep(strtod(\"123.456\", nullptr));"));
  out.push_back(constant("atof", "keep(atof(\"123.456\"));"));
  out.push_back(constant("rand", "keep(rand());"));
  out.push_back(constant("clock_gettime", "keep(clock_gettime(CLOCK_MONOTONIC, &now));"));
  const std::string pair = "for (int k = 0; k < 400; ++k) p[k] = malloc(n); for (int k = 0; k < 400; ++k) free(p[k]);";
  out.push_back({"malloc", Measure::kArgument, 0, {16, 64, 256, 1024, 8192}, "", pair, 400, "!free"});
  out.push_back({"free", Measure::kConstant, 0, {48}, "", pair, 400, "free"});
  out.push_back({"calloc",
                 Measure::kArgument,
                 1,
                 {16, 64, 256, 1024, 8192},
                 "",
                 "for (int k = 0; k < 400; ++k) p[k] = calloc(1, n); for (int k = 0; k < 400; ++k) free(p[k]);",
                 64,
                 "!free"});
  out.push_back({"realloc",
                 Measure::kArgument,
                 1,
                 {16, 64, 256, 1024, 8192},
                 "p[0] = malloc(8);",
                 "p[0] = realloc(p[0], n); p[0] = realloc(p[0], n + 32);",
                 2,
                 ""});
  out.push_back({"qsort",
                 Measure::kArgument,
                 1,
                 {2, 8, 32, 128, 512, 2048},
                 "",
                 "for (int k = 0; k < n; ++k) v[k] = (k * 7919) % 4099; qsort(v, n, sizeof *v, by_value);",
                 1,
                 ""});
  out.push_back(constant("pthread_mutex_lock", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "", 1, "lock"));
  out.push_back(constant("pthread_mutex_unlock", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "", 1, "unlock"));
}

void add_output(std::vector<Probe>& out) {
  const std::vector<int> sizes = {1, 8, 32, 128};
  const auto printing = [&](const char* name, const char* call) {
    out.push_back({name, Measure::kResult, 0, sizes, "std::memset(b, 'x', n); b[n] = 0;", call, 1, ""});
  };
  printing("printf", "keep(fprintf(null, \"%d %.*s\", i & 7, n, b));");
  printing("fprintf", "keep(fprintf(null, \"%d %.*s\", i & 7, n, b));");
  printing("sprintf", "keep(sprintf(a, \"%d %.*s\", i & 7, n, b));");
  printing("snprintf", "keep(snprintf(a, 4096, \"%d %.*s\", i & 7, n, b));");
  printing("vsnprintf", "keep(snprintf(a, 4096, \"%d %.*s\", i & 7, n, b));");
  out.push_back(
      sized("puts", Measure::kText, 0, "fputs(b, null); putc('\\n', null);", "std::memset(b, 'x', n); b[n] = 0;"));
  out.push_back(sized("fputs", Measure::kText, 0, "fputs(b, null);", "std::memset(b, 'x', n); b[n] = 0;"));
  out.push_back(sized("fwrite", Measure::kArgument, 2, "fwrite(b, 1, n, null);"));
  out.push_back(constant("putchar", "fputc('x', null);"));
  out.push_back(constant("fputc", "fputc('x', null);"));
  out.push_back(constant("fflush", "fflush(null);"));
  out.push_back(constant("_ZNSolsEi", "stream << i;"));
  out.push_back(constant("_ZNSolsEj", "stream << static_cast<unsigned>(i);"));
  out.push_back(constant("_ZNSo9_M_insertIlEERSoT_", "stream << static_cast<long>(i);"));
  out.push_back(constant("_ZNSo9_M_insertImEERSoT_", "stream << static_cast<unsigned long>(i);"));
  out.push_back(constant("_ZNSo9_M_insertIdEERSoT_", "stream << i * 0.37;"));
  out.push_back(constant("_ZNSo9_M_insertIbEERSoT_", "stream << (i % 2 == 0);"));
  out.push_back(constant("_ZNSo3putEc", "stream.put('x');"));
  out.push_back(constant("_ZNSo5flushEv", "stream.flush();"));
  const char* insert = "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_";
  out.push_back(
      {std::string(insert) + "{p}", Measure::kArgument, 2, {1, 8, 64, 512}, "", "stream.write(b, n);", 1, ""});
}

void add_maths(std::vector<Probe>& out) {
  for (const char* name : {"sin",   "cos",   "tan",   "asin", "acos",   "atan",   "exp",   "exp2",     "log",   "log2",
                           "log10", "sqrt",  "cbrt",  "sinh", "cosh",   "tanh",   "floor", "ceil",     "round", "trunc",
                           "fabs",  "expm1", "log1p", "erf",  "tgamma", "lgamma", "rint",  "nearbyint"}) {
    out.push_back(constant(name, fmt::format("keep({}(x(i)));", name)));
    out.push_back(constant(fmt::format("{}f", name), fmt::format("keep({}f(static_cast<float>(x(i))));", name)));
  }
  for (const char* name : {"atan2", "pow", "fmod", "hypot", "fmin", "fmax", "remainder"}) {
    out.push_back(constant(name, fmt::format("keep({}(x(i), 1.7));", name)));
    out.push_back(constant(fmt::format("{}f", name), fmt::format("keep({}f(static_cast<float>(x(i)), 1.7F));", name)));
  }
  out.push_back(constant("sincos", "sincos(x(i), &d, &e);"));
  out.push_back(constant("sincosf", "sincosf(static_cast<float>(x(i)), &f, &g);"));
  out.push_back(constant("lround", "keep(lround(x(i)));"));
  out.push_back(constant("llround", "keep(llround(x(i)));"));
}

void add_cpp(std::vector<Probe>& out) {
  const std::string pair =
      "for (int k = 0; k < 400; ++k) p[k] = ::operator new(n); for (int k = 0; k < 400; ++k) "
      "::operator delete(p[k]);";
  for (const char* name : {"_Znw{z}", "_Zna{z}"}) {
    out.push_back({name, Measure::kArgument, 0, {16, 64, 256, 1024, 8192}, "", pair, 400, "!delete"});
  }
  for (const char* name : {"_ZdlPv", "_ZdlPv{z}", "_ZdaPv", "_ZdaPv{z}"}) {
    out.push_back({name, Measure::kConstant, 0, {48}, "", pair, 400, "delete"});
  }
  const std::vector<int> sizes = {1, 8, 32, 128, 1024};
  out.push_back({kString + "9_M_appendEPKc{z}", Measure::kArgument, 2, sizes, "s.reserve(100000);",
                 "if (s.size() > 90000) s.clear(); s.append(b, n);", 1, ""});
  out.push_back({kString + "10_M_replaceE{z}{z}PKc{z}", Measure::kArgument, 4, sizes, "s.reserve(100000);",
                 "s.assign(b, n);", 1, ""});
  out.push_back({kString + "14_M_replace_auxE{z}{z}{z}c", Measure::kArgument, 3, sizes, "s.reserve(100000);",
                 "s.assign(n, 'x');", 1, ""});
  out.push_back({kString + "12_M_constructE{z}c", Measure::kArgument, 1, sizes, "",
                 "std::string t(n, 'x'); keep(t.data());", 1, "!delete"});
  out.push_back(constant(kString + "9_M_createER{z}{z}", "std::string t(100, 'x'); keep(t.data());", "", 1, "!delete"));
  out.push_back(constant(kString + "9_M_assignERKS4_", "s = u;", "u = \"robot number 5\";"));
  out.push_back(constant(kString + "9_M_mutateE{z}{z}PKc{z}", "std::string t(b, 15); t.append(b, 20); keep(t.data());",
                         "", 1, "!delete"));
  out.push_back(constant("_ZNK" + kString.substr(3) + "7compareEPKc", "keep(s.compare(\"robot number 7\"));",
                         "s = \"robot number 5\";"));
  out.push_back({"_ZSt11_Hash_bytesPKv{z}{z}",
                 Measure::kArgument,
                 1,
                 {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 32, 128, 1024},
                 "",
                 "keep(std::_Hash_bytes(b, n, 7));",
                 1,
                 ""});
  out.push_back(constant("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashE{z}{z}{z}",
                         "keep(rehash._M_need_rehash(1009, 500, 1).first);"));
  out.push_back({"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
                 Measure::kConstant,
                 0,
                 {0},
                 "",
                 "for (int k = 0; k < 1000; ++k) tree.insert((k * 7919) % 100003); tree.clear();",
                 1000,
                 "rebalance"});
  const std::string walk = "if (at == tree.end()) at = tree.begin(); else ++at;";
  const std::string grow = "for (int k = 0; k < 1000; ++k) tree.insert((k * 7919) % 100003); at = tree.begin();";
  out.push_back(constant("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", walk, grow, 1, "increment"));
  out.push_back(constant("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", walk, grow, 1, "increment"));
  out.push_back(constant("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", walk, grow, 1, "increment"));
  out.push_back({"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
                 Measure::kConstant,
                 0,
                 {0},
                 "",
                 "for (int k = 0; k < 100; ++k) tree.insert(k); while (!tree.empty()) tree.erase(tree.begin());",
                 100,
                 "for_erase"});
  out.push_back(constant("__dynamic_cast", "keep(dynamic_cast<Derived*>(base));"));
  out.push_back(constant("__cxa_guard_acquire", "keep(guarded(i));"));
  // A throw over no frame; every frame with something to clean up adds a resume.
  const std::string one = "try { fall(0); } catch (int) { keep(i); }";
  const std::string two = "try { fall(1); } catch (int) { keep(i); }";
  out.push_back(constant("__cxa_throw", one, "try { fall(0); } catch (int) {}", 1, ""));
  out.push_back(constant("_Unwind_Resume", two, "try { fall(1); } catch (int) {}", 1, "-__cxa_throw"));
}

void add_helpers(std::vector<Probe>& out) {
  // What the compiler calls by itself, where the processor has no such instruction.
  for (const char* name : {"__aarch64_ldadd4_acq_rel", "__aarch64_ldadd8_acq_rel", "__aarch64_ldadd4_relax",
                           "__aarch64_ldadd8_relax", "__aarch64_cas4_acq", "__aarch64_cas4_acq_rel",
                           "__aarch64_cas8_acq_rel", "__aarch64_swp4_acq_rel", "__aarch64_swp8_acq_rel"}) {
    out.push_back(constant(name, "keep(__atomic_fetch_add(&atomic, 1, __ATOMIC_ACQ_REL));"));
  }
  const auto divide = [&](const char* name, const char* type, const char* operation) {
    out.push_back(constant(
        name,
        fmt::format("keep(static_cast<{0}>(100003 + i * 7) {1} static_cast<{0}>(three + i % 50));", type, operation)));
  };
  for (const char* name : {"__aeabi_uidiv", "__udivsi3"}) divide(name, "unsigned", "/");
  for (const char* name : {"__aeabi_idiv", "__divsi3"}) divide(name, "int", "/");
  for (const char* name : {"__aeabi_uidivmod", "__umodsi3"}) divide(name, "unsigned", "%");
  for (const char* name : {"__aeabi_idivmod", "__modsi3"}) divide(name, "int", "%");
  for (const char* name : {"__aeabi_uldivmod", "__udivdi3"}) divide(name, "unsigned long long", "/");
  for (const char* name : {"__aeabi_ldivmod", "__divdi3"}) divide(name, "long long", "/");
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> list = [] {
    std::vector<Probe> out;
    add_c(out);
    add_output(out);
    add_maths(out);
    add_cpp(out);
    add_helpers(out);
    return out;
  }();
  return list;
}

std::string probe_source() {
  std::string out = R"(#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <pthread.h>
#include <set>
#include <string>
#include <unordered_map>
static char a[1 << 17], b[1 << 17];
static int v[4096];
static void* p[400];
static std::string s, u;
static std::set<int> tree;
static std::set<int>::iterator at;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static std::__detail::_Prime_rehash_policy rehash;
static double d, e;
static float f, g;
static char* q;
static timespec now;
static volatile int three = 3;
static long atomic;
struct Base { virtual ~Base() = default; };
struct Derived : Base { int x = 0; };
static Derived derived;
static Base* volatile base = &derived;
template <class T> static void keep(T value) { static volatile T sink; sink = value; }
static double x(int i) { return 0.01 + (i % 97) * 0.2; }
static double y(int i) { return 0.01 + (i % 97) * 0.01; }
static int by_value(const void* first, const void* second) { return *(const int*)first - *(const int*)second; }
static int guarded(int i) { static int once = std::atoi("5"); return once + i; }
struct Guard { ~Guard() { keep(1); } };
__attribute__((noinline)) static void fall(int frames) { if (frames == 0) throw 1; Guard guard; fall(frames - 1); keep(2); }
int main(int, char** words) {
  const int probe = std::atoi(words[1]), n = std::atoi(words[2]), rounds = std::atoi(words[3]);
  std::FILE* null = std::fopen("/dev/null", "w");
  std::ofstream stream("/dev/null");
  std::memset(b, 'x', sizeof b - 1);
  switch (probe) {
)";
  for (std::size_t i = 0; i < probes().size(); ++i) {
    out += fmt::format("    case {}: {{ {} for (int i = 0; i < rounds; ++i) {{ {} }} break; }}\n", i,
                       probes()[i].prepare, probes()[i].code);
  }
  return out + "  }\n  std::_Exit(null == nullptr);\n}\n";
}

std::string symbol_of(const Probe& probe, int bits) {
  std::string out = probe.name;
  for (std::size_t at = 0; (at = out.find('{', at)) != std::string::npos;) {
    // size_t and ptrdiff_t are long on 64 bits, int on 32.
    const bool is_signed = out[at + 1] == 'p';
    out.replace(at, 3, bits == 64 ? (is_signed ? "l" : "m") : (is_signed ? "i" : "j"));
  }
  return out;
}

}  // namespace strata::annotate
