#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string_view>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/data_folders.hpp"
#include "app/doctor/checkup.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

// The rest of the first line of `file` that starts with `key`, without separators and quotes.
std::string value_of(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t from = line.find_first_not_of(" \t:=\"", key.size());
    const std::size_t to = line.find_last_not_of(" \t\"");
    return from == std::string::npos ? "" : line.substr(from, to + 1 - from);
  }
  return "";
}

double kib(const std::string& text) { return std::strtod(text.c_str(), nullptr) * 1024; }

// Cores this process may use: containers and taskset allow less than the machine has.
int usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::string gib(double bytes) { return fmt::format("{:.1f} GiB", bytes / (1024.0 * 1024 * 1024)); }

Finding memory() {
  constexpr double kEnough = 2.0 * 1024 * 1024 * 1024;
  const double total = kib(value_of("/proc/meminfo", "MemTotal"));
  const double available = kib(value_of("/proc/meminfo", "MemAvailable"));
  Finding finding{
      "machine", "memory", Health::kOk, gib(total) + ", " + gib(available) + " free", "building, large fleets",
      "",        false};
  if (available < kEnough) {
    finding.health = Health::kLimited;
    finding.fix = "free some memory, or build with STRATA_JOBS=1";
  }
  return finding;
}

Finding compiler() {
  Finding finding{"machine", "compiler", Health::kOk, "", "building Strata and plugins", "", false};
  const bool gcc = !find_program("g++").empty();
  const bool clang = !find_program("clang++").empty();
  finding.found = gcc && clang ? "g++ and clang++" : gcc ? "g++" : clang ? "clang++" : "none";
  finding.found += "; this program: " + this_machine().compiler;
  if (!gcc && !clang) {
    finding.health = Health::kMissing;
    finding.fix = "sudo apt-get install g++ cmake ninja-build";
  } else if (find_program("cmake").empty() || find_program("ninja").empty()) {
    finding.health = Health::kLimited;
    finding.found += "; no cmake or ninja";
    finding.fix = "sudo apt-get install cmake ninja-build";
  }
  return finding;
}

}  // namespace

const char* to_text(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kLimited:
      return "limited";
    case Health::kMissing:
      return "missing";
  }
  return "";
}

fs::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    const std::size_t end = rest.find(':');
    const fs::path file = fs::path(rest.substr(0, end)) / name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

Machine this_machine() {
  Machine machine;
  machine.cpu = value_of("/proc/cpuinfo", "model name");
  machine.cores = usable_cores();
  machine.memory_bytes = kib(value_of("/proc/meminfo", "MemTotal"));
  utsname name{};
  if (::uname(&name) == 0) machine.kernel = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  machine.system = value_of("/etc/os-release", "PRETTY_NAME");
#if defined(__clang__)
  machine.compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  machine.compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return machine;
}

std::vector<Finding> check_machine() {
  const Machine machine = this_machine();
  std::vector<Finding> findings;
  utsname name{};
  ::uname(&name);
  const bool x86 = std::string_view(name.machine) == "x86_64";
  findings.push_back({"machine", "processor", x86 ? Health::kOk : Health::kLimited,
                      fmt::format("{} ({})", machine.cpu.empty() ? "unknown" : machine.cpu, name.machine),
                      "reproducible results across machines, programs in virtual time",
                      x86 ? "" : "use an x86-64 machine", false});
  findings.push_back({"machine", "cores", machine.cores >= 2 ? Health::kOk : Health::kLimited,
                      std::to_string(machine.cores), "--threads, recording beside the run",
                      machine.cores >= 2 ? "" : "give the machine or container a second core", false});
  findings.push_back(memory());
  const bool debian =
      machine.system.find("Debian") != std::string::npos && machine.system.find("12") != std::string::npos;
  findings.push_back({"machine", "system", debian ? Health::kOk : Health::kLimited,
                      machine.system.empty() ? "unknown" : machine.system, "packages by the names below",
                      debian ? "" : "Strata is tested on Debian 12", false});
  findings.push_back(compiler());
  return findings;
}

std::vector<Finding> check_storage(const fs::path& folder) {
  // Runs are written into a folder that may not exist yet: then its nearest parent counts.
  fs::path place = fs::absolute(folder).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(place, ignored) && place.has_relative_path()) place = place.parent_path();

  Finding write{"storage", "run folder", Health::kOk, shown_path(folder) + " can be written", "strata run", "", true};
  if (!fs::is_directory(place, ignored) || ::access(place.c_str(), W_OK | X_OK) != 0) {
    write.health = Health::kMissing;
    write.found = shown_path(folder) + " cannot be written";
    write.fix = "change to a folder of yours, or use strata run --out FOLDER";
  }
  Finding space{"storage", "disk space", Health::kOk, "unknown", "recordings", "", false};
  struct statvfs info {};
  if (::statvfs(place.c_str(), &info) == 0) {
    const double available = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
    space.found = gib(available) + " free";
    if (available < 1024.0 * 1024 * 1024) {
      space.health = Health::kLimited;
      space.fix = "free some space, or record to another disk with strata run --out FOLDER";
    }
  }
  Finding data{"storage",
               "examples and models",
               Health::kOk,
               shown_path(data_folder()),
               "strata run crossing, models by name",
               "",
               false};
  if (data_folder().empty()) {
    data.health = Health::kMissing;
    data.found = "not found";
    data.fix = "install with cmake --install, or set STRATA_DATA to the folder that holds examples/";
  }
  return {write, space, data};
}

}  // namespace strata::app
