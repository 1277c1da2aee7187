#include "base/value.hpp"

#include <algorithm>

namespace strata {

Value Value::scalar(std::string text, Where where, bool quoted) {
  Value v;
  v.type_ = Type::kScalar;
  v.text_ = std::move(text);
  v.where_ = std::move(where);
  v.quoted_ = quoted;
  return v;
}

Value Value::list(std::vector<Value> items, Where where) {
  Value v;
  v.type_ = Type::kList;
  v.items_ = std::move(items);
  v.where_ = std::move(where);
  return v;
}

Value Value::map(std::vector<Member> members, Where where) {
  Value v;
  v.type_ = Type::kMap;
  v.members_ = std::move(members);
  v.where_ = std::move(where);
  return v;
}

const Value* Value::find(std::string_view key) const {
  const auto it = std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.first == key; });
  return it == members_.end() ? nullptr : &it->second;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

Value& Value::set(std::string_view key, Value value) {
  if (type_ == Type::kNull) type_ = Type::kMap;
  STRATA_ASSERT(type_ == Type::kMap, "only a map has members");
  if (Value* old = find(key)) return *old = std::move(value);
  members_.emplace_back(std::string(key), std::move(value));
  return members_.back().second;
}

void Value::erase(std::string_view key) {
  std::erase_if(members_, [&](const Member& m) { return m.first == key; });
}

std::string Value::kind_text() const {
  switch (type_) {
    case Type::kNull:
      return "nothing";
    case Type::kScalar:
      return "'" + (text_.size() > 40 ? text_.substr(0, 40) + "..." : text_) + "'";
    case Type::kList:
      return "a list";
    case Type::kMap:
      return "a map";
  }
  return "";
}

}  // namespace strata
