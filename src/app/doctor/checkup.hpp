// What this machine can do for Strata, as findings: each is fine, limited or missing, says who needs it and how to get
// it. Also covers capabilities that other parts of Strata build on, so that a machine can be prepared in one go.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::app {

enum class Health { kOk, kLimited, kMissing };
[[nodiscard]] const char* to_text(Health health);

struct Finding {
  std::string group;  ///< "machine", "kernel", "packages", "storage"
  std::string name;
  Health health = Health::kOk;
  std::string found;      ///< what is there
  std::string needed_by;  ///< what it serves
  std::string fix;        ///< a command or an advice; empty if fine
  bool required = false;  ///< Strata cannot run without it
};

[[nodiscard]] std::vector<Finding> check_machine();
[[nodiscard]] std::vector<Finding> check_kernel();
[[nodiscard]] std::vector<Finding> check_packages();
/// `folder`: where runs would be written.
[[nodiscard]] std::vector<Finding> check_storage(const std::filesystem::path& folder);

/// Facts that a benchmark's figures depend on.
struct Machine {
  std::string cpu;
  int cores = 0;
  double memory_bytes = 0;
  std::string kernel;
  std::string system;    ///< "Debian GNU/Linux 12 (bookworm)"
  std::string compiler;  ///< this program was built with
};
[[nodiscard]] Machine this_machine();

/// First program of that name on the PATH; empty if there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

}  // namespace strata::app
