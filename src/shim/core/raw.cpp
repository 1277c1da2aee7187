#include "shim/core/raw.hpp"

#include <ctime>
#include <linux/futex.h>

// The seventh argument lies on the stack. The page is not shared with other code. The restorer has the very bytes by
// which unwinders know a signal frame, so that pthread_cancel can unwind through our handlers.
asm(R"(
.pushsection .strata_gate,"ax",@progbits
.balign 4096
.hidden strata_gate
.globl strata_gate
strata_gate:
.hidden strata_raw_call
.globl strata_raw_call
.type strata_raw_call,@function
strata_raw_call:
  mov %rdi,%rax
  mov %rsi,%rdi
  mov %rdx,%rsi
  mov %rcx,%rdx
  mov %r8,%r10
  mov %r9,%r8
  mov 8(%rsp),%r9
  syscall
  ret
.hidden strata_raw_restorer
.globl strata_raw_restorer
.type strata_raw_restorer,@function
strata_raw_restorer:
  .byte 0x48,0xc7,0xc0,0x0f,0x00,0x00,0x00
  syscall
.balign 4096
.hidden strata_gate_end
.globl strata_gate_end
strata_gate_end:
.popsection
)");

namespace strata::shim {

void futex_sleep(const std::int32_t* address, std::int32_t value) {
  raw(SYS_futex, address, FUTEX_WAIT, value, nullptr);
}

void futex_rouse(std::int32_t* address) { raw(SYS_futex, address, FUTEX_WAKE, 1); }

std::uint64_t wall_now() {
  timespec t{};
  raw(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000U + static_cast<std::uint64_t>(t.tv_nsec);
}

void wall_sleep_until(std::uint64_t wall_ns) {
  const timespec t{static_cast<time_t>(wall_ns / 1000000000U), static_cast<long>(wall_ns % 1000000000U)};
  raw(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t);
}

void complain(const char* text) {
  long length = 0;
  while (text[length] != 0) ++length;
  raw(SYS_write, 2, "strata: ", 8);
  raw(SYS_write, 2, text, length);
  raw(SYS_write, 2, "\n", 1);
}

}  // namespace strata::shim
