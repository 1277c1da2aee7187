// Radio between robots: messages with range, latency, loss and bandwidth. Who is out of range, or unlucky, hears
// nothing; the sender does not learn of it. Messages in the air are kept by the radio system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "world/system.hpp"

namespace strata {

struct Radio {
  double range_m = 0;
  double latency_s = 0;
  double loss = 0;           ///< probability, per receiver
  double rate_bps = 0;       ///< bits per second
  std::int64_t busy_ns = 0;  ///< until then it is sending
  std::uint64_t stream = 0;
  std::uint64_t draws = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t digest = 0;  ///< of what it has heard and not yet used
};

struct RadioMessage {
  std::int64_t at_ns = 0;    ///< when it is heard
  std::uint64_t number = 0;  ///< of the sender
  EntityId from;
  EntityId to;
  std::string text;
};

/// A table of the world.
struct RadioTraffic {
  std::vector<RadioMessage> flying;
  std::vector<std::vector<std::string>> heard;  ///< by slot; taken by the instruction `hear`
};

/// Sends a text to one robot, or to everybody in range if `to` is invalid. False if the sender has no radio.
bool send_message(World& world, EntityId from, EntityId to, const std::string& text, Time now);

void register_radio(Registry& registry);

}  // namespace strata
