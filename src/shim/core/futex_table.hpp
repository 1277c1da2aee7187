// Who waits for which futex, in the order of arrival. Keys are made by the guest: (process, address) or (file, offset).
#pragma once

#include "shim_abi/layout.hpp"

namespace strata::shim {

inline constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 63;

/// What a process waits for until a child ends. Never the address of a futex.
[[nodiscard]] inline std::uint64_t child_key(const Process& process) {
  return (std::uint64_t{process.number} % 32767 + 1) << 48 | 1;
}

void join_futex(Host& host, Thread& thread, std::uint64_t key, std::uint32_t bits);
void leave_futex(Host& host, Thread& thread);
/// Wakes up to `limit` waiters with a common bit; returns how many.
std::uint32_t wake_futex(Host& host, std::uint64_t key, std::uint32_t limit, std::uint32_t bits);
/// Moves up to `limit` waiters to another key.
std::uint32_t requeue_futex(Host& host, std::uint64_t from, std::uint64_t to, std::uint32_t limit);
[[nodiscard]] Thread* first_waiter(Host& host, std::uint64_t key, Thread* after = nullptr);
void wake_shared_futexes(Host& host);
/// Threads of `process` in sigwait, or polling a signalfd, look again.
void wake_signal_waiters(Host& host, Process& process);

}  // namespace strata::shim
