// How diagrams.net packs the text of a page: URL encoding, then raw deflate, then base64. Unpacking comes from
// anybody's file: a small text that would grow without end is an error, not a full memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace strata::maps {

/// Undoes all three; fails if the result is larger than `most_bytes`. The errors have `where` as their place.
[[nodiscard]] Result<std::string> unpack_text(std::string_view packed, std::size_t most_bytes, const Where& where);

/// The other way, for tests and first inputs of the fuzzer.
[[nodiscard]] std::string pack_text(std::string_view text);

}  // namespace strata::maps
