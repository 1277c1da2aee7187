#include <fstream>
#include <sys/random.h>

#include <fmt/format.h>

#include "coordinator/dispatcher/guardian.hpp"

namespace strata::coordinator {

Result<std::string> read_mark(const std::filesystem::path& folder) {
  std::ifstream in(folder / "mark");
  std::string mark;
  if (in >> mark && mark.size() == 16) return mark;
  return Error{{(folder / "mark").string(), 0, 0, ""}, "there is no mark of a coordinator", "start the service first"};
}

Result<std::string> ensure_mark(const std::filesystem::path& folder) {
  Result<std::string> there = read_mark(folder);
  if (there.ok()) return there;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  std::uint64_t bits = 0;
  const bool random = ::getrandom(&bits, sizeof(bits), 0) == sizeof(bits);
  // Renamed into place, so that a crash leaves none or a whole one.
  const std::filesystem::path file = folder / "mark.new";
  std::ofstream out(file);
  out << fmt::format("{:016x}\n", bits);
  out.close();
  if (random && out) std::filesystem::rename(file, folder / "mark", ignored);
  return read_mark(folder);
}

}  // namespace strata::coordinator
