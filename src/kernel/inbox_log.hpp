// The log of a run's input: one JSON object per line, written as the messages are delivered and read back for a replay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kernel/phase.hpp"

namespace strata {

/// A message from outside with the stamp it got.
struct InboxMessage {
  Time time;
  Phase phase = Phase::kDeliver;
  std::uint64_t sequence = 0;  ///< counts all messages of a run
  std::string topic;
  std::string payload;  ///< any bytes
  bool operator==(const InboxMessage&) const = default;
};

struct InboxLog {
  std::vector<InboxMessage> messages;
  bool truncated = false;  ///< the last line was cut off, as a killed run leaves it; it is left out

  /// One line with its line end. Payloads that are not UTF-8 are written in base64.
  [[nodiscard]] static std::string line(const InboxMessage& message);
  /// Reads a whole log; all errors at once. `file` is for the messages.
  [[nodiscard]] static Result<InboxLog> parse(std::string_view text, const std::string& file);
};

}  // namespace strata
