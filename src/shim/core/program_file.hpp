// Whether a program can run in virtual time: the loader must take the shim in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::shim {

enum class ProgramKind : std::uint32_t { kFine, kStatic, kForeign, kRaised };

/// Follows the interpreters of scripts; `culprit` is the file that decides. Files that cannot be read are fine: exec
/// says what is wrong with them.
[[nodiscard]] ProgramKind inspect(const char* path, char* culprit, std::size_t room);

}  // namespace strata::shim
