// What a task writes to one of its streams, kept in a file of bounded size. A task that writes nothing gets no file.
#pragma once

#include <cstdint>
#include <filesystem>

namespace strata::coordinator {

class OutputLog {
 public:
  OutputLog() = default;
  /// Takes over the reading end of a pipe.
  OutputLog(int pipe, std::filesystem::path file, std::uint64_t limit_bytes);
  ~OutputLog() { close(); }
  OutputLog(OutputLog&& other) noexcept { *this = std::move(other); }
  OutputLog& operator=(OutputLog&& other) noexcept;

  /// Takes what is there. Closes the pipe at its end.
  void read();

 private:
  void write(const char* bytes, std::size_t count);
  void close();

  int pipe_ = -1;
  int file_ = -1;
  std::filesystem::path path_;
  std::uint64_t left_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace strata::coordinator
