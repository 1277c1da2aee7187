// How bad input is reported: an Error says where, what is wrong and what to do about it. Result<T> carries a value or
// every error found, so that a file's mistakes are shown all at once. Our own mistakes are asserts, not Results.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.hpp"

namespace strata {

/// A place in a user's input. Line and column count from 1; 0 = unknown.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
  std::string path;  ///< logical path, e.g. "robots.walker.motion.max_speed"
};

struct Error {
  Where where;
  std::string problem;
  std::string remedy;  ///< what to do, a full sentence without the final point; may be empty
};

using Errors = std::vector<Error>;

/// "file:line:column: path: problem\n  remedy" - one error, for people.
[[nodiscard]] std::string to_text(const Error& error);
[[nodiscard]] std::string to_text(const Errors& errors);

/// The entry of `candidates` that `word` was probably meant to be, or "" if none is near.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& candidates);
/// "did you mean 'x'?" or "one of: a, b, c"; "" if there are no candidates.
[[nodiscard]] std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

/// A value, or at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, Errors{std::move(error)}) {}            // NOLINT(google-explicit-constructor)
  Result(Errors errors) : state_(std::in_place_index<1>, std::move(errors)) {  // NOLINT(google-explicit-constructor)
    STRATA_ASSERT(!std::get<1>(state_).empty(), "a failed Result needs an error");
  }
  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    STRATA_ASSERT(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  const T& value() const& {
    STRATA_ASSERT(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  T&& value() && {
    STRATA_ASSERT(ok(), "value() of a failed Result");
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Errors& errors() const {
    STRATA_ASSERT(!ok(), "errors() of a good Result");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Errors> state_;
};

/// Success, or at least one error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : errors_{std::move(error)} {}     // NOLINT(google-explicit-constructor)
  Result(Errors errors) : errors_(std::move(errors)) {}  // NOLINT(google-explicit-constructor): none = success
  [[nodiscard]] bool ok() const { return errors_.empty(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  Errors errors_;
};

/// Appends the errors of a failed result; returns whether it was good.
template <class T>
bool collect(const Result<T>& result, Errors& into) {
  if (result.ok()) return true;
  into.insert(into.end(), result.errors().begin(), result.errors().end());
  return false;
}

}  // namespace strata
