#include "annotate/targets.hpp"

#include <algorithm>

namespace strata::annotate {

namespace {

constexpr const char* kArm64Features = "+aes,+crc,+crypto,+fp-armv8,+neon,+outline-atomics,+sha2,+v8a";
constexpr const char* kArm7Features =
    "+armv7-a,+d32,+dsp,+fp64,+neon,+vfp2,+vfp2sp,+vfp3,+vfp3d16,+vfp3d16sp,+vfp3sp,-aes,-bf16,-crc,-crypto,-dotprod,"
    "-fp-armv8,-fp-armv8d16,-fp-armv8d16sp,-fp-armv8sp,-fp16,-fp16fml,-fullfp16,-hwdiv,-hwdiv-arm,-i8mm,-lob,-mve,"
    "-mve.fp,-pacbti,-ras,-sb,-sha2,-thumb-mode,-vfp4,-vfp4d16,-vfp4d16sp,-vfp4sp";
constexpr const char* kM4Features =
    "+armv7e-m,+dsp,+fp16,+hwdiv,+strict-align,+thumb-mode,+vfp2sp,+vfp3d16sp,+vfp4d16sp,-aes,-bf16,-crc,-crypto,-d32,"
    "-dotprod,-fp-armv8,-fp-armv8d16,-fp-armv8d16sp,-fp-armv8sp,-fp16fml,-fp64,-fullfp16,-hwdiv-arm,-i8mm,-lob,-mve,"
    "-mve.fp,-neon,-pacbti,-ras,-sb,-sha2,-vfp2,-vfp3,-vfp3d16,-vfp3sp,-vfp4,-vfp4d16,-vfp4sp";

Target arm64(const char* name, const char* summary, double hz) {
  return {.name = name,
          .summary = summary,
          .triple = "aarch64-unknown-linux-gnu",
          .cpu = name,
          .features = kArm64Features,
          .bits = 64,
          .unsigned_char = true,
          .fixed_size = true,
          .hz = hz,
          .library = "",
          .qemu_cpu = name};
}

std::vector<Target> all_targets() {
  std::vector<Target> out;
  out.push_back(arm64("cortex-a72", "64-bit Arm, out of order: Raspberry Pi 4", 1.5e9));
  out.push_back(arm64("cortex-a53", "64-bit Arm, in order: Raspberry Pi 3", 1.2e9));
  out.push_back(arm64("cortex-a57", "64-bit Arm, out of order: Jetson TX1 and TX2", 1.9e9));
  // LLVM 14 schedules both alike, and their instructions are the same.
  out.back().library = "cortex-a72";
  out.push_back({.name = "cortex-a8",
                 .summary = "32-bit Arm with NEON: Khepera IV, BeagleBone",
                 .triple = "armv7-unknown-linux-gnueabihf",
                 .cpu = "cortex-a8",
                 .features = kArm7Features,
                 .bits = 32,
                 .unsigned_char = true,
                 .fixed_size = true,
                 .hz = 0.8e9,
                 .library = "",
                 .qemu_cpu = "cortex-a8"});
  out.push_back({.name = "cortex-m4",
                 .summary = "Microcontroller with single precision floating point: STM32F4",
                 .triple = "thumbv7em-none-unknown-eabihf",
                 .cpu = "cortex-m4",
                 .features = kM4Features,
                 .bits = 32,
                 .unsigned_char = true,
                 .fixed_size = false,
                 .hz = 168e6,
                 .library = "",
                 .qemu_cpu = ""});
  out.push_back({.name = "x86-64",
                 .summary = "A 64-bit PC without extensions: laptop",
                 .triple = "x86_64-pc-linux-gnu",
                 .cpu = "x86-64",
                 .features = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87",
                 .bits = 64,
                 .unsigned_char = false,
                 .fixed_size = false,
                 .hz = 2.8e9,
                 .library = "",
                 .qemu_cpu = ""});
  return out;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> list = all_targets();
  return list;
}

const Target* find_target(std::string_view name) {
  const auto& list = targets();
  const auto it = std::find_if(list.begin(), list.end(), [&](const Target& target) { return target.name == name; });
  return it == list.end() ? nullptr : &*it;
}

Result<std::vector<const Target*>> read_targets(const std::string& text, const std::string& origin) {
  std::vector<const Target*> found;
  Errors errors;
  const Where place{origin, 0, 0, ""};
  std::vector<std::string> names;
  for (const Target& target : targets()) names.push_back(target.name);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string name = text.substr(from, end - from);
    from = end + 1;
    const Target* target = find_target(name);
    if (target == nullptr) {
      errors.push_back(Error{place, "unknown target '" + name + "'", suggestion(name, names)});
    } else if (std::find(found.begin(), found.end(), target) == found.end()) {
      found.push_back(target);
    }
  }
  if (!errors.empty()) return errors;
  return found;
}

}  // namespace strata::annotate
