#include "app/start/templates.hpp"

#include <fmt/format.h>

#include "app/start/sources.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

// "slow_zone" becomes "SlowZone".
std::string type_name(const std::string& name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  // A name of underscores only has no letter to begin with.
  return out.empty() || (out.front() >= '0' && out.front() <= '9') ? "Own" + out : out;
}

// Puts the name where a template says @NAME@ or, as a type, @TYPE@.
std::string filled(std::string text, const std::string& name) {
  const auto replace = [&text](const std::string& mark, const std::string& by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
      text.replace(at, mark.size(), by);
    }
  };
  replace("@NAME@", name);
  replace("@TYPE@", type_name(name));
  return text;
}

}  // namespace

std::vector<StartFile> start_files(const std::string& what, const fs::path& folder, const std::string& name) {
  if (what == "scenario") return {{folder / (name + ".yaml"), filled(sources::kScenario, name)}};
  const bool sensor = what == "sensor";
  const fs::path home = folder / name;
  return {{home / "CMakeLists.txt", filled(sources::kCMake, name)},
          {home / (name + ".cpp"), filled(sensor ? sources::kSensor : sources::kSystem, name)},
          {home / "scenario.yaml", filled(sensor ? sources::kSensorScenario : sources::kSystemScenario, name)},
          {home / "README.md", filled(sensor ? sources::kSensorReadme : sources::kSystemReadme, name)}};
}

std::string next_steps(const std::string& what, const fs::path& folder, const std::string& name) {
  const std::string place = (folder / name).string();
  if (what == "scenario") return fmt::format("  strata run {0}.yaml\n  strata test {0}.yaml\n", place);
  return fmt::format(
      "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n"
      "  strata describe {2}/{1} --plugin {0}/build/{1}.so\n"
      "  strata run {0}\n",
      place, name, what);
}

}  // namespace strata::app
