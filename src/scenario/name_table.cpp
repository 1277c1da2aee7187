#include "scenario/name_table.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace strata {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that `digits` writes in the usual way; 0 if it does not.
std::uint64_t number_in(std::string_view digits) {
  if (digits.empty() || digits.front() == '0') return 0;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return code == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

/// Calls visit(prefix, rest) for every way to take digits from the end of `name`.
template <class Visit>
void each_split(const std::string& name, Visit&& visit) {
  for (std::size_t at = name.size(); at > 0 && is_digit(name[at - 1]); --at)
    visit(name.substr(0, at - 1), std::string_view(name).substr(at - 1));
}

}  // namespace

bool NameTable::is_plain(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  if (name.empty() || name.size() > kLongest || is_digit(name.front()) || name.front() == '-') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; });
}

std::optional<Where> NameTable::take(const std::string& name, const Where& where) {
  std::optional<Where> taken;
  each_split(name, [&](const std::string& prefix, std::string_view rest) {
    const auto it = numbered_.find(prefix);
    const std::uint64_t number = number_in(rest);
    if (it != numbered_.end() && number > 0 && number <= it->second.count) taken = it->second.where;
  });
  if (taken) return taken;
  const auto [it, fresh] = single_.emplace(name, where);
  return fresh ? std::nullopt : std::optional<Where>(it->second);
}

std::optional<Where> NameTable::take_numbered(const std::string& prefix, std::uint64_t count, const Where& where) {
  // Single names among ours.
  for (auto it = single_.lower_bound(prefix); it != single_.end() && it->first.starts_with(prefix); ++it) {
    const std::uint64_t number = number_in(std::string_view(it->first).substr(prefix.size()));
    if (number > 0 && number <= count) return it->second;
  }
  // Groups whose prefix is ours and digits: "uav" with 11 robots and "uav1" with one both have a "uav11".
  for (auto it = numbered_.lower_bound(prefix); it != numbered_.end() && it->first.starts_with(prefix); ++it) {
    const std::string rest = it->first.substr(prefix.size());
    const std::uint64_t first = number_in(rest + "1");
    if (rest.empty() || (first > 0 && first <= count)) return it->second.where;
  }
  // The other way round.
  std::optional<Where> taken;
  each_split(prefix, [&](const std::string& shorter, std::string_view rest) {
    const auto it = numbered_.find(shorter);
    const std::uint64_t first = number_in(std::string(rest) + "1");
    if (it != numbered_.end() && first > 0 && first <= it->second.count) taken = it->second.where;
  });
  if (taken) return taken;
  numbered_.emplace(prefix, Numbered{count, where});
  return std::nullopt;
}

}  // namespace strata
