#include "shim/core/program_file.hpp"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "shim/core/raw.hpp"

namespace strata::shim {

namespace {

enum class Look { kDynamic, kStatic, kForeign, kScript, kUnknown };

Look look_at_elf(long file, const char* head) {
  Elf64_Ehdr header{};
  std::memcpy(&header, head, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) return Look::kForeign;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    raw(SYS_pread64, file, &part, sizeof part, header.e_phoff + i * sizeof part);
    if (part.p_type == PT_INTERP) return Look::kDynamic;
  }
  return Look::kStatic;
}

// For a script, `interpreter` is set.
Look look_at(const char* path, char* interpreter, std::size_t room) {
  const long file = raw(SYS_open, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return Look::kUnknown;
  alignas(8) char head[1024] = {};
  const long size = raw(SYS_read, file, head, sizeof head - 1);
  Look kind = Look::kUnknown;
  if (size > 2 && head[0] == '#' && head[1] == '!') {
    const char* at = head + 2;
    while (*at == ' ' || *at == '\t') ++at;
    std::size_t length = 0;
    while (at[length] != 0 && std::strchr(" \t\n\r", at[length]) == nullptr && length + 1 < room) ++length;
    std::memcpy(interpreter, at, length);
    interpreter[length] = 0;
    kind = Look::kScript;
  } else if (size > static_cast<long>(sizeof(Elf64_Ehdr)) && std::memcmp(head, ELFMAG, SELFMAG) == 0) {
    kind = look_at_elf(file, head);
  }
  raw(SYS_close, file);
  return kind;
}

}  // namespace

ProgramKind inspect(const char* path, char* culprit, std::size_t room) {
  constexpr int kLevels = 5;  // as Linux follows interpreters
  std::strncpy(culprit, path, room - 1);
  culprit[room - 1] = 0;
  for (int level = 0; level < kLevels; ++level) {
    struct stat status {};
    if (raw(SYS_stat, culprit, &status) < 0) return ProgramKind::kFine;
    const bool raises = ((status.st_mode & S_ISUID) != 0 && status.st_uid != raw(SYS_geteuid)) ||
                        ((status.st_mode & S_ISGID) != 0 && status.st_gid != raw(SYS_getegid));
    if (raises) return ProgramKind::kRaised;
    char next[256];
    switch (look_at(culprit, next, sizeof next)) {
      case Look::kStatic:
        return ProgramKind::kStatic;
      case Look::kForeign:
        return ProgramKind::kForeign;
      case Look::kDynamic:
      case Look::kUnknown:
        return ProgramKind::kFine;
      case Look::kScript:
        std::strncpy(culprit, next, room - 1);
        break;
    }
  }
  return ProgramKind::kFine;
}

}  // namespace strata::shim
