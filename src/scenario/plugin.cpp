#include "scenario/plugin.hpp"

#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/plugin.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// The path of a plugin as seen from the file that names it.
fs::path path_from(const Value& item) {
  const fs::path named(item.text());
  const std::string& file = item.where().file;
  // What the command line names counts from the current folder.
  if (named.is_absolute() || file.starts_with("--")) return named;
  return fs::path(file).parent_path() / named;
}

Result<const PluginInfo*> open_library(const std::string& path, const Where& where) {
  // A library without its slash would be searched for in the system's folders.
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
    return Error{where, fmt::format("cannot load the plugin: {}", reason == nullptr ? "unknown reason" : reason),
                 "build it for this program: find_package(strata), strata_add_plugin(NAME SOURCES)"};
  }
  // Never closed: kinds, and what they made, have code in it.
  const auto* const info = static_cast<const PluginInfo*>(::dlsym(handle, "strata_plugin"));
  if (info == nullptr || info->magic != kPluginMagic) {
    return Error{where, fmt::format("'{}' is a shared library, but no plugin of Strata", path),
                 "end its source with STRATA_PLUGIN(\"name\", function)"};
  }
  if (info->abi != kPluginAbi || info->size != sizeof(PluginInfo)) {
    return Error{where,
                 fmt::format("the plugin '{}' was built for version {} of the interface, this program has version {}",
                             path, info->abi, kPluginAbi),
                 "build it again with the headers of this program"};
  }
  return info;
}

/// Names that both catalogs have.
std::vector<std::string> clashes(const Registry& fresh, const Registry& registry) {
  std::vector<std::string> out;
  for (const auto& [category, catalog] : fresh.all()) {
    const auto known = registry.all().find(category);
    if (known == registry.all().end()) continue;
    for (const KindInfo* added : catalog->infos()) {
      for (const KindInfo* info : known->second->infos()) {
        if (info->name == added->name)
          out.push_back(fmt::format("{} '{}' (of {})", category, info->name, info->origin));
      }
    }
  }
  return out;
}

Result<void> add_kinds(const PluginInfo& info, const std::string& path, const Where& where, Registry& registry) {
  try {
    // A rehearsal finds names that are taken: in the real catalog that would be our mistake.
    Registry rehearsal;
    info.add(rehearsal);
    const std::vector<std::string> taken = clashes(rehearsal, registry);
    if (!taken.empty())
      return Error{where,
                   fmt::format("the plugin '{}' adds what exists already: {}", info.name, fmt::join(taken, ", ")),
                   "rename its kinds"};
    registry.set_origin(info.name);
    info.add(registry);
    registry.set_origin("strata");
  } catch (const std::exception& e) {
    registry.set_origin("strata");
    return Error{where, fmt::format("the plugin '{}' failed while adding its kinds: {}", info.name, e.what()), ""};
  }
  PluginKind kind;
  kind.name = info.name;
  kind.summary = path;
  kind.path = path;
  registry.catalog<PluginKind>().add(std::move(kind));
  return {};
}

// The command, where the sources of a missing plugin are next to where it is looked for.
std::string how_to_build(const fs::path& plugin) {
  const fs::path build = plugin.parent_path();
  std::error_code code;
  if (!fs::exists(build.parent_path() / "CMakeLists.txt", code))
    return "build it first; paths count from the folder of the file that names them";
  const std::string sources = build.parent_path().empty() ? "." : build.parent_path().string();
  return fmt::format(
      "build it first: cmake -S {0} -B {1} && cmake --build {1}   (unless Strata is installed, with "
      "-Dstrata_DIR= its build folder)",
      sources, build.string());
}

std::vector<Value> items_of(const Value& list) {
  if (list.is_null()) return {};
  return list.is_list() ? list.items() : std::vector<Value>{list};
}

}  // namespace

Result<void> load_plugin(const std::string& path, const Where& where, Registry& registry) {
  std::error_code code;
  if (!fs::exists(path, code)) {
    return Error{where, fmt::format("there is no plugin '{}'", path), how_to_build(path)};
  }
  if (!fs::is_regular_file(path, code))
    return Error{where, fmt::format("'{}' is no shared library", path), "name the .so file"};
  const std::string real = fs::canonical(path, code).string();
  if (code) return Error{where, fmt::format("cannot read '{}': {}", path, code.message()), "check its permissions"};
  for (const auto& [name, kind] : registry.catalog<PluginKind>().kinds()) {
    if (kind.path == real) return {};
  }
  const Result<const PluginInfo*> info = open_library(real, where);
  if (!info.ok()) return info.errors();
  if (const PluginKind* other = registry.catalog<PluginKind>().find((*info)->name)) {
    return Error{where, fmt::format("a plugin named '{}' is loaded already, from {}", other->name, other->path),
                 "load one of them"};
  }
  return add_kinds(**info, real, where, registry);
}

Result<void> load_plugins(const Value& list, Registry& registry) {
  Errors errors;
  for (const Value& item : items_of(list)) {
    if (!item.is_scalar() || item.text().empty()) {
      errors.push_back({item.where(), fmt::format("expected the path of a shared library, found {}", item.kind_text()),
                        "write plugins: [build/my_plugin.so]"});
      continue;
    }
    collect(load_plugin(path_from(item).string(), item.where(), registry), errors);
  }
  return errors;
}

Value resolved_plugins(const Value& list) {
  Value out = Value::list({}, list.where());
  for (const Value& item : items_of(list)) {
    std::error_code code;
    const fs::path whole = fs::weakly_canonical(path_from(item), code);
    out.items().push_back(Value::scalar(code ? item.text() : whole.string(), item.where(), true));
  }
  return out;
}

}  // namespace strata
