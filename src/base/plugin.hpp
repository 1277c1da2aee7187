// The one entry of a plugin: a shared library that adds kinds to the catalogs. In the library, once:
//
//   void add_kinds(strata::Registry& registry) { registry.catalog<strata::SystemKind>().add(...); }
//   STRATA_PLUGIN("wind", add_kinds)
//
// The loader refuses a library made for another version of this interface. A loaded plugin stays loaded.
#pragma once

#include <cstdint>

namespace strata {

class Registry;

/// Grows whenever a header that plugins include changes in a way that old plugins would not survive.
inline constexpr std::uint32_t kPluginAbi = 2;

/// "STRATAPL": what is not a plugin of ours does not begin like this.
inline constexpr std::uint64_t kPluginMagic = 0x4C50415441525453;

/// Plain data with a fixed layout, so that any version can read it.
struct PluginInfo {
  std::uint64_t magic;
  std::uint32_t abi;
  std::uint32_t size;  ///< of this struct
  const char* name;
  void (*add)(Registry&);
};

}  // namespace strata

#define STRATA_PLUGIN(name, function)                                                                  \
  extern "C" __attribute__((visibility("default"))) const ::strata::PluginInfo strata_plugin;          \
  extern "C" const ::strata::PluginInfo strata_plugin = {::strata::kPluginMagic, ::strata::kPluginAbi, \
                                                         sizeof(::strata::PluginInfo), name, &(function)};
