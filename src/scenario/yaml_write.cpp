#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "scenario/yaml.hpp"

namespace strata {
namespace {

constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
constexpr std::size_t kWidth = 100;

bool is_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  for (const char* null_word : {"~", "null", "Null", "NULL", "---", "...", "<<", "="}) {
    if (text == null_word) return false;
  }
  if (text.starts_with("---") || text.starts_with("...")) return false;
  // A minus sign begins a number as well as an entry of a list.
  const bool is_negative =
      text.front() == '-' && text.size() > 1 && std::isalnum(static_cast<unsigned char>(text[1])) != 0;
  if (!is_negative && kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.find(" #") != std::string_view::npos) return false;
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F || std::string_view(",[]{}?:").find(c) != std::string_view::npos;
  });
}

/// Characters outside of ASCII that a reader may take for a line break or drop: as the escape that means them.
std::string_view special_at(std::string_view text, std::string& escape) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) {
    escape = fmt::format("\\x{:02X}", byte(1));
    return text.substr(0, 2);
  }
  struct Special {
    std::string_view bytes;
    const char* escape;
  };
  constexpr Special kSpecials[] = {
      {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}, {"\xEF\xBB\xBF", "\\uFEFF"}};
  for (const auto& [special, written] : kSpecials) {
    if (!text.starts_with(special)) continue;
    escape = written;
    return text.substr(0, 3);
  }
  return {};
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  std::string escape;
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    if (const std::string_view special = special_at(text, escape); !special.empty()) {
      out += escape;
      text.remove_prefix(special.size());
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
    text.remove_prefix(1);
  }
  return out + '"';
}

std::string word(std::string_view text, bool quoted) {
  return !quoted && is_plain(text) ? std::string(text) : quote(text);
}

std::string flow(const Value& value) {
  std::string out;
  switch (value.type()) {
    case Value::Type::kNull:
      return "~";
    case Value::Type::kScalar:
      return word(value.text(), value.quoted());
    case Value::Type::kList:
      for (const Value& item : value.items()) out += (out.empty() ? "" : ", ") + flow(item);
      return "[" + out + "]";
    case Value::Type::kMap:
      for (const auto& [key, member] : value.members())
        out += (out.empty() ? "" : ", ") + word(key, false) + ": " + flow(member);
      return "{" + out + "}";
  }
  return out;
}

/// Levels of lists and maps below: 0 for scalars and empty ones.
std::size_t height(const Value& value) {
  std::size_t most = 0;
  if (value.items().empty() && value.members().empty()) return 0;
  for (const Value& item : value.items()) most = std::max(most, height(item));
  for (const auto& [key, member] : value.members()) most = std::max(most, height(member));
  return most + 1;
}

void write_block(const Value& value, std::size_t indent, bool in_item, std::string& out);

/// What stands behind "key:" or "-": on the same line if it fits there.
void write_after(const Value& value, std::size_t indent, bool in_item, std::string& out) {
  if (height(value) <= 2 || value.members().empty()) {
    std::string line = flow(value);
    if (height(value) == 0 || line.size() + indent <= kWidth) {
      out += " " + line + "\n";
      return;
    }
  }
  if (!in_item) out += "\n";
  write_block(value, indent, in_item, out);
}

void write_block(const Value& value, std::size_t indent, bool in_item, std::string& out) {
  const std::string margin(indent, ' ');
  bool first = true;
  // The first line of a nested block stands right behind the dash of its list.
  const auto begin_line = [&] {
    if (first && in_item)
      out += " ";
    else
      out += margin;
    first = false;
  };
  for (const Value& item : value.items()) {
    begin_line();
    out += "-";
    write_after(item, indent + 2, true, out);
  }
  for (const auto& [key, member] : value.members()) {
    begin_line();
    out += word(key, false) + ":";
    write_after(member, indent + 2, false, out);
  }
}

}  // namespace

std::string to_yaml_line(const Value& value) { return flow(value); }

std::string to_yaml(const Value& value) {
  if (value.items().empty() && value.members().empty()) return flow(value) + "\n";
  std::string out;
  write_block(value, 0, false, out);
  return out;
}

}  // namespace strata
