// Any bytes as a message and as what messages carry; what was read is written back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "coordinator/messages/message.hpp"
#include "coordinator/planners/project.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata::coordinator;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto message = decode(bytes); message.ok()) {
    const auto again = decode(encode(*message));
    if (!again.ok() || !(*again == *message)) std::abort();
  }
  if (const auto task = decode_task(bytes); task.ok()) {
    std::string out;
    encode_task(*task, out);
    const auto again = decode_task(out);
    if (!again.ok() || !(*again == *task)) std::abort();
  }
  static_cast<void>(decode_tasks(bytes).ok());
  static_cast<void>(decode_report(bytes).ok());
  static_cast<void>(decode_errors(bytes).size());
  static_cast<void>(read_sm(bytes, "fuzz.sm").ok());
  return 0;
}
