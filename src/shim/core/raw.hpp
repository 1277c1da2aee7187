// System calls that no one intercepts: they are made from one page, the gate, which syscall user dispatch lets through.
#pragma once

#include <cstdint>
#include <sys/syscall.h>

extern "C" {
/// Returns the result or a negative error number.
long strata_raw_call(long number, long a, long b, long c, long d, long e, long f) __attribute__((visibility("hidden")));
/// What a signal handler of ours returns to.
void strata_raw_restorer() __attribute__((visibility("hidden")));
extern const char strata_gate[] __attribute__((visibility("hidden")));
extern const char strata_gate_end[] __attribute__((visibility("hidden")));
}

namespace strata::shim {

template <class T>
long word(T value) {
  if constexpr (__is_enum(T)) {
    return static_cast<long>(value);
  } else {
    return (long)value;  // NOLINT: pointers and integers alike
  }
}

template <class A = long, class B = long, class C = long, class D = long, class E = long, class F = long>
long raw(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  return strata_raw_call(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

/// Waits while `*address` is `value`; may return early.
void futex_sleep(const std::int32_t* address, std::int32_t value);
void futex_rouse(std::int32_t* address);
[[nodiscard]] std::uint64_t wall_now();
void wall_sleep_until(std::uint64_t wall_ns);
/// Writes to the standard error, whatever the program did to it.
void complain(const char* text);

}  // namespace strata::shim
