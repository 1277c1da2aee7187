// The C library reads clocks through the vDSO, without a system call: its functions are made to jump to ours.
#include <cstring>
#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

int vdso_clock_gettime(int clock, timespec* time) {
  if (!active() || depth > 0) return static_cast<int>(raw(SYS_clock_gettime, clock, time));
  const Inside inside;
  return static_cast<int>(call_clock_gettime(clock, time));
}

int vdso_gettimeofday(timeval* time, void* zone) {
  if (!active() || depth > 0) return static_cast<int>(raw(SYS_gettimeofday, time, zone));
  const Inside inside;
  return static_cast<int>(call_gettimeofday(time));
}

long vdso_time(long* seconds) {
  if (!active() || depth > 0) return raw(SYS_time, seconds);
  const Inside inside;
  return call_time(seconds);
}

// mov $target, %rax; jmp *%rax
void redirect(char* code, const void* target) {
  const unsigned char move[2] = {0x48, 0xB8};
  const unsigned char jump[2] = {0xFF, 0xE0};
  std::memcpy(code, move, 2);
  std::memcpy(code + 2, &target, 8);
  std::memcpy(code + 10, jump, 2);
}

const void* replacement(const char* name) {
  if (std::strcmp(name, "__vdso_clock_gettime") == 0) return reinterpret_cast<void*>(&vdso_clock_gettime);
  if (std::strcmp(name, "__vdso_gettimeofday") == 0) return reinterpret_cast<void*>(&vdso_gettimeofday);
  if (std::strcmp(name, "__vdso_time") == 0) return reinterpret_cast<void*>(&vdso_time);
  return nullptr;
}

struct Symbols {
  const Elf64_Sym* first = nullptr;
  const char* names = nullptr;
  std::size_t count = 0;
};

Symbols find_symbols(char* base) {
  Symbols symbols;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
  const Elf64_Dyn* dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(base + parts[i].p_offset);
  }
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    char* where = base + dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB) symbols.first = reinterpret_cast<const Elf64_Sym*>(where);
    if (dynamic->d_tag == DT_STRTAB) symbols.names = where;
    if (dynamic->d_tag == DT_HASH) symbols.count = reinterpret_cast<const std::uint32_t*>(where)[1];
  }
  // Newer kernels have the GNU hash only; the names follow the symbols.
  if (symbols.count == 0 && symbols.first != nullptr) {
    symbols.count =
        static_cast<std::size_t>(symbols.names - reinterpret_cast<const char*>(symbols.first)) / sizeof(Elf64_Sym);
  }
  return symbols;
}

// The mapping cannot be split: all of it changes, however many pages it has.
bool protect(char* base, int protection) {
  for (long pages = 1; pages <= 8; ++pages) {
    if (raw(SYS_mprotect, base, pages * 4096, protection) == 0) return true;
  }
  return false;
}

}  // namespace

void patch_vdso() {
  auto* base = reinterpret_cast<char*>(getauxval(AT_SYSINFO_EHDR));
  if (base == nullptr) return;
  const Symbols symbols = find_symbols(base);
  if (!protect(base, PROT_READ | PROT_WRITE | PROT_EXEC)) {
    stop_run(Stop::kFailed, "the clock functions of the kernel cannot be replaced: mprotect of the vDSO is refused");
  }
  for (std::size_t i = 0; i < symbols.count; ++i) {
    const void* target = replacement(symbols.names + symbols.first[i].st_name);
    if (target != nullptr && symbols.first[i].st_value != 0) redirect(base + symbols.first[i].st_value, target);
  }
  protect(base, PROT_READ | PROT_EXEC);
}

}  // namespace strata::shim
