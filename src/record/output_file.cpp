#include "record/output_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace strata {

Error file_error(const std::filesystem::path& path, const std::string& what, int error_number) {
  std::string remedy;
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      remedy = "free some space, or choose another place with --out";
      break;
    case EFBIG:
      remedy = "the file would be larger than allowed here (see ulimit -f); record less or choose another place";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      remedy = "check the permissions, or choose another place with --out";
      break;
    case ENOENT:
      remedy = "check the path";
      break;
    default:
      break;
  }
  return Error{{path.string(), 0, 0, ""}, what + ": " + std::generic_category().message(error_number), remedy};
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return file_error(path, "cannot create the file", errno);
  return OutputFile(path, descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> OutputFile::append(std::span<const std::byte> bytes) {
  STRATA_ASSERT(descriptor_ >= 0, "append to a closed file");
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const Error error = file_error(path_, "cannot write", written < 0 ? errno : EIO);
      // The part of a piece is worth nothing; without it the file ends cleanly.
      if (::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0)
        ::lseek(descriptor_, static_cast<off_t>(size_), SEEK_SET);
      return error;
    }
    done += static_cast<std::size_t>(written);
  }
  size_ += bytes.size();
  return {};
}

Result<void> OutputFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR)
    return file_error(path_, "cannot finish the file", errno);
  return {};
}

Result<void> write_whole(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path temporary = path;
  temporary += ".part";
  const auto give_up = [&](Errors errors) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return Result<void>(std::move(errors));
  };
  Result<OutputFile> file = OutputFile::create(temporary);
  if (!file) return file.errors();
  if (Result<void> written = file->append(text); !written) return give_up(written.errors());
  if (Result<void> closed = file->close(); !closed) return give_up(closed.errors());
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) return give_up({file_error(path, "cannot put the file in place", error.value())});
  return {};
}

Result<std::string> read_whole(const std::filesystem::path& path, std::uint64_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(path, "cannot open the file", errno);
  struct stat info {};
  Result<std::string> out = std::string();
  if (::fstat(descriptor, &info) == 0 && !S_ISREG(info.st_mode)) {
    out = Error{{path.string(), 0, 0, ""}, "is not an ordinary file", ""};
  } else {
    std::string& text = *out;
    char block[65536];
    while (true) {
      const ssize_t got = ::read(descriptor, block, sizeof(block));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) out = file_error(path, "cannot read the file", errno);
      if (got <= 0) break;
      text.append(block, static_cast<std::size_t>(got));
      if (text.size() > limit) {
        out = Error{{path.string(), 0, 0, ""}, "the file is larger than " + std::to_string(limit) + " bytes", ""};
        break;
      }
    }
  }
  ::close(descriptor);
  return out;
}

}  // namespace strata
