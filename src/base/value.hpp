// A tree of values as a user wrote it, each with its place in the file. Scalars stay text until a parameter's type says
// how to read them. Readers of YAML, JSON or drawings produce it; Config (config.hpp) checks it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace strata {

class Value {
 public:
  enum class Type { kNull, kScalar, kList, kMap };
  using Member = std::pair<std::string, Value>;

  Value() = default;
  [[nodiscard]] static Value scalar(std::string text, Where where = {}, bool quoted = false);
  [[nodiscard]] static Value list(std::vector<Value> items = {}, Where where = {});
  [[nodiscard]] static Value map(std::vector<Member> members = {}, Where where = {});

  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] bool is_null() const { return type_ == Type::kNull; }
  [[nodiscard]] bool is_scalar() const { return type_ == Type::kScalar; }
  [[nodiscard]] bool is_list() const { return type_ == Type::kList; }
  [[nodiscard]] bool is_map() const { return type_ == Type::kMap; }
  /// Quoted in the file, hence text even if it looks like a number.
  [[nodiscard]] bool quoted() const { return quoted_; }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Value>& items() const { return items_; }
  [[nodiscard]] std::vector<Value>& items() { return items_; }
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] std::vector<Member>& members() { return members_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] Where& where() { return where_; }

  /// The member of that name, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  /// Replaces or adds a member; turns a null value into a map.
  Value& set(std::string_view key, Value value);
  void erase(std::string_view key);

  /// "a number", "a list", ...: for messages.
  [[nodiscard]] std::string kind_text() const;

 private:
  Type type_ = Type::kNull;
  bool quoted_ = false;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Member> members_;
  Where where_;
};

}  // namespace strata
