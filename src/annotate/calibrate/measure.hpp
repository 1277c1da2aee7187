// Counts the instructions of a program on a target with QEMU, function by function.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "annotate/library_costs.hpp"
#include "annotate/targets.hpp"

namespace strata::annotate {

/// Executed instructions by function.
using Counts = std::map<std::string, double>;

/// Whether programs can be compiled for the target and run on it here; the error says what is missing.
[[nodiscard]] Result<void> can_measure(const Target& target);
/// Compiles for the target as clang does, linked statically. False if that fails.
[[nodiscard]] bool cross_compile(const Target& target, const std::vector<std::string>& words,
                                 const std::filesystem::path& program);
/// Runs it; its stdout goes to `output`.
[[nodiscard]] Result<Counts> count_instructions(const Target& target, const std::filesystem::path& program,
                                                const std::vector<std::string>& arguments,
                                                const std::filesystem::path& output);

/// Measures every library function of probes(); tells `progress` about each.
[[nodiscard]] Result<LibraryCosts> calibrate_library(const Target& target, void (*progress)(const std::string& name));

}  // namespace strata::annotate
