// Feeds arbitrary bytes to the reader of recordings and to the decoders of what they hold: no input may crash them,
// read outside its bytes or take much memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/ros1.hpp"
#include "record/mcap_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(strata::ros1::decode_tf(bytes));
  static_cast<void>(strata::ros1::decode_event(bytes));
  static_cast<void>(strata::ros1::decode_battery_fleet(bytes));

  constexpr std::uint64_t kLimit = 1U << 20U;
  auto reader = strata::McapReader::from_bytes({bytes.begin(), bytes.end()}, "fuzz", {kLimit, kLimit});
  if (!reader) return 0;
  std::size_t total = 0;
  reader->for_each({}, [&](const strata::McapMessage& message) {
    total += message.data.size();
    static_cast<void>(strata::ros1::decode_tf(message.data));
    return total < 16 * kLimit;
  });
  static_cast<void>(reader->attachment("map.json"));
  return 0;
}
