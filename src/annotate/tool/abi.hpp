// What annotated code and the run-time library agree on; runtime/runtime.h says the same in C.
#pragma once

#include <cstdint>

namespace strata::annotate::abi {

/// Counters are in units of 1/16, because a cost may be an average.
inline constexpr std::int64_t kUnit = 16;

/// Offsets in the area that `__strata_thread` points to.
inline constexpr std::uint64_t kInstructions = 0;
inline constexpr std::uint64_t kCycles = 8;
inline constexpr std::uint64_t kLibraryInstructions = 16;
inline constexpr std::uint64_t kLibraryCycles = 24;
inline constexpr std::uint64_t kCallee = 32;  ///< the function last called whose cost is not known here
inline constexpr std::uint64_t kRecords = 4096;
inline constexpr std::uint64_t kRecordSize = 16;  ///< instructions, cycles

inline constexpr const char* kThread = "__strata_thread";
inline constexpr const char* kRegister = "__strata_register";
inline constexpr const char* kCharge = "__strata_charge";

}  // namespace strata::annotate::abi
