#include "annotate/calibrate/measure.hpp"

#include <cmath>
#include <fstream>
#include <optional>

#include "annotate/calibrate/probes.hpp"
#include "annotate/driver/places.hpp"
#include "annotate/driver/process.hpp"

namespace strata::annotate {

namespace fs = std::filesystem;

namespace {

constexpr const char* kInstall =
    "sudo apt-get install clang-14 qemu-user g++-aarch64-linux-gnu g++-arm-linux-gnueabihf: ./strata calibrate does it";

// How a target is named by clang and run by QEMU.
struct Cross {
  std::vector<std::string> clang;
  std::string qemu;
  std::string cpu;
  std::string library;  // a file that the cross compiler's package brings
};

std::optional<Cross> cross_of(const Target& target) {
  if (target.triple.starts_with("aarch64")) {
    return Cross{{"--target=aarch64-linux-gnu", "-mcpu=" + target.cpu},
                 "/usr/bin/qemu-aarch64",
                 target.qemu_cpu,
                 "/usr/aarch64-linux-gnu/lib/libc.a"};
  }
  if (target.triple.starts_with("armv7")) {
    return Cross{{"--target=arm-linux-gnueabihf", "-mcpu=" + target.cpu},
                 "/usr/bin/qemu-arm",
                 target.qemu_cpu,
                 "/usr/arm-linux-gnueabihf/lib/libc.a"};
  }
  if (target.triple.starts_with("x86_64")) {
    return Cross{{},
                 "/usr/bin/qemu-x86_64",
                 "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid",
                 "/usr/lib/x86_64-linux-gnu/libc.a"};
  }
  return std::nullopt;
}

// Usual cycles per instruction of library code, which is not run through the scoreboard.
double library_cycles_per_instruction(const Target& target) {
  if (target.cpu == "cortex-a72" || target.cpu == "cortex-a57") return 0.65;
  if (target.cpu == "x86-64") return 0.45;
  return 1.0;
}

bool counts(const std::string& function, const Probe& probe) {
  // The program's own functions are not the library's.
  for (const char* own :
       {"main", "_ZL4fall", "_ZL7guarded", "_ZL8by_value", "_ZL1xi", "_ZL1yi", "_ZL4keep", "_ZN5GuardD"}) {
    if (function.starts_with(own)) return false;
  }
  if (probe.only.empty() || probe.only[0] == '-') return true;
  const bool without = probe.only[0] == '!';
  const std::string word = without ? probe.only.substr(1) : probe.only;
  // operator delete ends in free().
  const bool releases = function.find("free") != std::string::npos || function.starts_with("_Zd") ||
                        function.find("unlink_chunk") != std::string::npos ||
                        function.find("consolidate") != std::string::npos;
  if (word == "free" || word == "delete") return releases != without;
  if (word == "lock") return function.find("unlock") == std::string::npos;
  return function.find(word) != std::string::npos;
}

double total(const Counts& all, const Probe& probe) {
  double sum = 0;
  for (const auto& [name, count] : all) sum += counts(name, probe) ? count : 0;
  return sum;
}

}  // namespace

Result<void> can_measure(const Target& target) {
  const auto cross = cross_of(target);
  if (!cross) return Error{{}, "there is no reference for " + target.name, "choose another target"};
  for (const std::string& file : {cross->qemu, cross->library, find_clang(true).string(), find_counter().string()}) {
    if (file.empty() || !fs::exists(file)) {
      return Error{
          {}, "programs for " + target.name + " cannot be run here" + (file.empty() ? "" : ": no " + file), kInstall};
    }
  }
  return {};
}

bool cross_compile(const Target& target, const std::vector<std::string>& words, const fs::path& program) {
  const auto cross = cross_of(target);
  std::vector<std::string> command{find_clang(true).string()};
  command.insert(command.end(), cross->clang.begin(), cross->clang.end());
  command.insert(command.end(), {"-static", "-w"});
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"-o", program.string(), "-lm", "-pthread"});
  return run_program(command) == 0;
}

Result<Counts> count_instructions(const Target& target, const fs::path& program,
                                  const std::vector<std::string>& arguments, const fs::path& output) {
  const auto cross = cross_of(target);
  const fs::path file = program.string() + ".counts";
  std::vector<std::string> command{
      cross->qemu, "-cpu", cross->cpu, "-plugin", find_counter().string() + ",out=" + file.string(), program.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const int code = run_program_into(command, output);
  std::ifstream in(file);
  if (code != 0 || !in) return Error{{program.string(), 0, 0, ""}, "failed in QEMU", "run it by hand"};
  Counts out;
  double count = 0;
  for (std::string name; in >> count && std::getline(in >> std::ws, name);) out[name] += count;
  return out;
}

Result<LibraryCosts> calibrate_library(const Target& target, void (*progress)(const std::string& name)) {
  if (const auto possible = can_measure(target); !possible.ok()) return possible.errors();
  const WorkFolder folder;
  const fs::path source = folder.path() / "probes.cpp";
  const fs::path program = folder.path() / "probes";
  std::ofstream(source) << probe_source();
  if (!cross_compile(target, {"-std=c++17", "-O1", "-fno-builtin", source.string()}, program)) {
    return Error{{source.string(), 0, 0, ""}, "the probes do not compile", "is the cross compiler complete?"};
  }
  LibraryCosts out;
  for (std::size_t number = 0; number < probes().size(); ++number) {
    const Probe& probe = probes()[number];
    LibraryCost cost{symbol_of(probe, target.bits), probe.measure, probe.argument, {}};
    for (const int size : probe.sizes) {
      // The difference of two runs leaves out start and end.
      double instructions = 0;
      constexpr int kRounds = 128;  // as many digits as twice of it: reading them costs the same
      for (const int rounds : {kRounds, 2 * kRounds}) {
        const auto counted = count_instructions(
            target, program, {std::to_string(number), std::to_string(size), std::to_string(rounds)}, "/dev/null");
        if (!counted.ok()) return counted.errors();
        instructions = total(*counted, probe) - instructions;
      }
      double each = std::max(0.0, instructions / kRounds / probe.calls);
      if (probe.only.starts_with("-"))
        each = std::max(0.0, each - out.at(probe.only.substr(1)).points.at(0).instructions);
      cost.points.push_back({static_cast<double>(size), each, each * library_cycles_per_instruction(target)});
    }
    progress(cost.name);
    std::string name = cost.name;
    // The compiler has no call of what is not there.
    if (cost.points.back().instructions > 0) out.insert_or_assign(std::move(name), std::move(cost));
  }
  return out;
}

}  // namespace strata::annotate
