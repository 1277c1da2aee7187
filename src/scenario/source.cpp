#include "scenario/source.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "scenario/yaml.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200;  // includes of includes can double at each level

class Includer {
 public:
  Result<Value> read(const std::string& file, const Where& from) {
    if (++files_ > kMostFiles)
      return Error{from, fmt::format("more than {} files are included", kMostFiles), "include less"};
    std::error_code code;
    const fs::path real = fs::weakly_canonical(file, code);
    const std::string id = code ? file : real.string();
    if (const auto it = std::find(open_.begin(), open_.end(), id); it != open_.end())
      return cycle(it - open_.begin(), file, from);
    Result<Value> own = read_yaml(file);
    if (!own.ok()) return from.file.empty() ? own.errors() : blame(own.errors(), file, from);
    open_.push_back(id);
    names_.push_back(file);
    Result<Value> out = with_includes(std::move(own).value(), file);
    open_.pop_back();
    names_.pop_back();
    return out;
  }

 private:
  // What is wrong with a missing file is the line that names it.
  static Errors blame(Errors errors, const std::string& file, const Where& from) {
    for (Error& error : errors) {
      if (error.where.line > 0) continue;
      error.problem = fmt::format("cannot include '{}': {}", file, error.problem);
      error.where = from;
      error.remedy = "paths in 'include' count from the folder of the including file";
    }
    return errors;
  }

  Error cycle(std::ptrdiff_t first, const std::string& file, const Where& from) const {
    std::string chain;
    for (auto i = static_cast<std::size_t>(first); i < names_.size(); ++i) chain += names_[i] + " -> ";
    return {from, "the includes run in a circle: " + chain + file, "remove one of them"};
  }

  Result<Value> with_includes(Value own, const std::string& file) {
    const Value* include = own.find("include");
    if (include == nullptr) return own;
    Errors errors;
    std::vector<Value> names = include->is_list() ? include->items() : std::vector<Value>{*include};
    Value base = Value::map({}, own.where());
    for (const Value& name : names) {
      if (!name.is_scalar() || name.text().empty()) {
        errors.push_back({name.where(), fmt::format("expected the name of a file, found {}", name.kind_text()),
                          "write include: [other.yaml]"});
        continue;
      }
      const Result<Value> other = read((fs::path(file).parent_path() / name.text()).string(), name.where());
      if (!collect(other, errors)) continue;
      if (!other->is_map()) {
        errors.push_back({name.where(), fmt::format("'{}' does not hold a map", name.text()),
                          "a file to include looks like a scenario"});
        continue;
      }
      base = merged(std::move(base), *other);
    }
    if (!errors.empty()) return errors;
    own.erase("include");
    return merged(std::move(base), own);
  }

  std::size_t files_ = 0;
  std::vector<std::string> open_;   // canonical, to compare
  std::vector<std::string> names_;  // as written, to show
};

/// Name of the kind that a value uses, or "" if it does not say.
std::string kind_of(const Value& value) {
  if (value.is_scalar()) return value.text();
  const Value* kind = value.find("kind");
  if (kind == nullptr) kind = value.find("shape");
  return kind != nullptr && kind->is_scalar() ? kind->text() : "";
}

/// Index of the item that is a kind or a thing of that name, or the number itself.
std::size_t find_item(const Value& list, const std::string& key) {
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (code == std::errc() && end == key.data() + key.size()) return index;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value& item = list.items()[i];
    const Value* name = item.find("name");
    const bool is_only_member = item.members().size() == 1 && item.members().front().first == key;
    if (kind_of(item) == key || is_only_member || (name != nullptr && name->text() == key)) return i;
  }
  return list.items().size();
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t dot = path.find('.');
    out.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    path.remove_prefix(dot + 1);
  }
}

std::vector<std::string> keys_of(const Value& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map.members()) keys.push_back(key);
  return keys;
}

/// Walks down a path, making what is missing on the way.
class Setter {
 public:
  Setter(Value& root, Where where) : root_(root), where_(std::move(where)) {}

  Result<void> set(const std::vector<std::string>& keys, const Value& value) {
    constexpr std::size_t kDeepest = 32;
    if (keys.size() > kDeepest)
      return Error{where_, "the path is too long", "write for example robots.walker.count=20"};
    Value* at = &root_;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool last = i + 1 == keys.size();
      if (keys[i].empty())
        return Error{where_, "the path has an empty part", "write for example robots.walker.count=20"};
      Result<Value*> next = at->is_list() ? in_list(*at, keys[i]) : in_map(*at, keys, i);
      if (!next.ok()) return next.errors();
      at = *next;
      if (last) *at = value;
    }
    return {};
  }

 private:
  Result<Value*> in_list(Value& list, const std::string& key) const {
    const std::size_t index = find_item(list, key);
    if (index < list.items().size()) return &list.items()[index];
    return Error{
        where_, fmt::format("the list has no entry '{}'", key),
        list.items().empty() ? "it is empty" : fmt::format("its entries are 0 .. {}", list.items().size() - 1)};
  }

  Result<Value*> in_map(Value& map, const std::vector<std::string>& keys, std::size_t i) const {
    // A bare name becomes the kind it is, so that it can take parameters.
    if (map.is_scalar()) map = Value::map({{"kind", map}}, where_);
    if (Value* member = map.find(keys[i])) return member;
    // Groups are made in the file: a new name here is a slip.
    if (i == 1 && keys[0] == "robots") {
      return Error{where_, fmt::format("there are no robots named '{}'", keys[1]), suggestion(keys[1], keys_of(map))};
    }
    Value fresh;
    fresh.where() = where_;
    return &map.set(keys[i], std::move(fresh));
  }

  Value& root_;
  Where where_;
};

void set_file(Value& value, const Where& where) {
  value.where() = where;
  for (Value& item : value.items()) set_file(item, where);
  for (auto& [key, member] : value.members()) set_file(member, where);
}

void label(Value& value, const std::string& path) {
  value.where().path = path;
  const std::string prefix = path.empty() ? "" : path + ".";
  for (std::size_t i = 0; i < value.items().size(); ++i) label(value.items()[i], prefix + std::to_string(i));
  for (auto& [key, member] : value.members()) label(member, prefix + key);
}

}  // namespace

Result<std::string> find_scenario(const std::string& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return path;
  const fs::path file = fs::path(path) / "scenario.yaml";
  if (fs::exists(file, code)) return file.string();
  return Error{
      {path, 0, 0, ""}, "the folder holds no scenario.yaml", "name a scenario file, or a folder with a scenario.yaml"};
}

Result<Value> read_with_includes(const std::string& file) { return Includer().read(file, {}); }

Value merged(Value base, const Value& over) {
  if (!over.is_map()) return over;
  const std::string kind = kind_of(over);
  if (base.is_scalar() && kind.empty()) base = Value::map({{"kind", base}}, base.where());
  if (!base.is_map() || (!kind.empty() && kind != kind_of(base))) return over;
  base.where() = over.where();
  for (const auto& [key, value] : over.members()) {
    Value* old = base.find(key);
    base.set(key, old == nullptr ? value : merged(std::move(*old), value));
  }
  return base;
}

Result<void> apply_set(Value& root, const std::string& assignment, std::string option) {
  if (option.empty()) option = "--set " + assignment;
  const Where where{option, 0, 0, ""};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{where, "this sets nothing", "write --set path=value, for example --set robots.walker.count=20"};
  Result<Value> value = parse_yaml(std::string_view(assignment).substr(equals + 1), option);
  if (!value.ok()) {
    Errors errors = value.errors();
    for (Error& error : errors) error.where = where;
    return errors;
  }
  set_file(*value, where);
  if (value->is_null() && assignment.size() == equals + 1)
    return Error{where, "the value is missing", "write --set path=value"};
  if (!root.is_map()) return {};  // reported when the scenario is checked
  return Setter(root, where).set(split(std::string_view(assignment).substr(0, equals)), *value);
}

void label_paths(Value& root) { label(root, ""); }

}  // namespace strata
