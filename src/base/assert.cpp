#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace strata {

AssertContext& assert_context() {
  thread_local AssertContext context;
  return context;
}

void assert_failed(const char* condition, std::string_view message, const char* file, int line) {
  const AssertContext& context = assert_context();
  std::fprintf(stderr, "%s:%d: internal error: %.*s (%s)\n", file, line, static_cast<int>(message.size()),
               message.data(), condition);
  if (context.now_ns >= 0)
    std::fprintf(stderr, "  at virtual time %.9f s\n", static_cast<double>(context.now_ns) * 1e-9);
  if (context.system != nullptr) std::fprintf(stderr, "  in system '%s'\n", context.system);
  std::fprintf(stderr, "  this is a mistake in strata: please report it with the scenario and this text\n");
  std::fflush(stderr);
  std::abort();
}

}  // namespace strata
