// Any bytes as a scenario: parsed, checked and written back, not run. Whatever they are, the answer is a spec or
// errors.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "scenario/source.hpp"
#include "scenario/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata;
  static Registry* const registry = [] {
    auto* const made = new Registry;
    register_all_kinds(*made);
    return made;
  }();

  YamlLimits limits;
  limits.nodes = 20'000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Value> root = parse_yaml(text, "fuzz.yaml", limits);
  if (!root.ok()) return 0;

  // What is written reads back to the same text.
  const std::string written = to_yaml(*root);
  const Result<Value> again = parse_yaml(written, "again.yaml");
  if (!again.ok() || to_yaml(*again) != written) std::abort();

  label_paths(*root);
  const Result<ScenarioSpec> spec = read_scenario(*root, *registry);
  if (!spec.ok()) {
    for (const Error& error : spec.errors()) {
      if (error.problem.empty()) std::abort();
    }
    return 0;
  }
  // A resolved scenario is a scenario.
  const Result<Value> resolved = parse_yaml(to_yaml(spec->resolved), "resolved.yaml");
  if (!resolved.ok() || !read_scenario(*resolved, *registry).ok()) std::abort();
  return 0;
}
