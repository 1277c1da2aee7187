// Any bytes as a resource or task file: specs or errors, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "coordinator/files/task_file.hpp"
#include "coordinator/files/xml_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata::coordinator;  // NOLINT(google-build-using-namespace)
  const auto tree = read_xml({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
  if (!tree.ok()) return 0;
  static_cast<void>(tasks_of(*tree).ok());
  static_cast<void>(resources_of(*tree).ok());
  return 0;
}
