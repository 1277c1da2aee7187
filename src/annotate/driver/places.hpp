// Where the parts of the annotating compiler are: beside the program that asks, installed or in a build folder.
#pragma once

#include <filesystem>
#include <string>

namespace strata::annotate {

/// Folder of the running program.
[[nodiscard]] std::filesystem::path program_folder();
/// clang or clang++ of the version that the annotating tool was made with; empty if there is none.
[[nodiscard]] std::filesystem::path find_clang(bool cpp);
/// The annotating tool; empty if Strata was built without LLVM.
[[nodiscard]] std::filesystem::path find_tool();
/// Folder of the run-time library for programs of so many bits; empty if there is none.
[[nodiscard]] std::filesystem::path find_runtime(int bits);
/// Table of library costs for a target; empty if there is none.
[[nodiscard]] std::filesystem::path find_costs(const std::string& target);
/// Plugin of QEMU that counts instructions; empty if there is none.
[[nodiscard]] std::filesystem::path find_counter();

inline constexpr const char* kInstallHint =
    "sudo apt-get install clang-14 llvm-14-dev, then build Strata again: ./strata perf does both";
inline constexpr const char* kInstallHint32 =
    "sudo apt-get install libc6-dev-i386 lib32stdc++-12-dev, then build Strata again";

}  // namespace strata::annotate
