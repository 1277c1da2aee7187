// STRATA_ASSERT: for our own mistakes, always on. Prints the condition, the message and the context set by the running
// simulation (virtual time, system), then aborts. The user's mistakes are Results, see result.hpp.
#pragma once

#include <string_view>

namespace strata {

/// What the current thread is doing, shown by a failing assert. Set by the kernel around each event.
struct AssertContext {
  long long now_ns = -1;
  const char* system = nullptr;
};
AssertContext& assert_context();

[[noreturn]] void assert_failed(const char* condition, std::string_view message, const char* file, int line);

}  // namespace strata

#define STRATA_ASSERT(condition, message)                                 \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::strata::assert_failed(#condition, (message), __FILE__, __LINE__); \
  } while (false)
