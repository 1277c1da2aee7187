// A file that is only appended to, in whole pieces: each append is one write to the system, so that a killed program
// leaves everything appended before. After a failed append (a full disk) the file is cut back to the last whole piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace strata {

class OutputFile {
 public:
  /// Makes the file, or empties it.
  [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// All of `bytes`, or nothing and an error.
  [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  /// Bytes in the file.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Result<void> close();

 private:
  OutputFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// What the system says about a failed call, with a remedy for the usual reasons (full disk, no permission).
[[nodiscard]] Error file_error(const std::filesystem::path& path, const std::string& what, int error_number);

/// Writes a whole file under a temporary name and renames it: readers see the old one or the new one, never a part.
[[nodiscard]] Result<void> write_whole(const std::filesystem::path& path, std::string_view text);
/// Reads a whole file of at most `limit` bytes.
[[nodiscard]] Result<std::string> read_whole(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace strata
