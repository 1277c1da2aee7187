// Parameters of a kind and their checked values. A Param says what a parameter is (unit, default, range); Config::check
// turns what the user wrote into typed values in SI units, and reports every mistake with its place and remedy.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "base/value.hpp"
#include "base/vec.hpp"

namespace strata {

enum class ParamType { kQuantity, kInteger, kFlag, kText, kChoice, kPoint, kPoints, kTexts, kAny };

/// Describes one parameter. Make it with the functions below: `quantity("range", "m", "5 m", "how far it
/// sees").above(0)`.
struct Param {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  std::string name;
  ParamType type = ParamType::kAny;
  std::string unit;          ///< of a quantity; "" = dimensionless
  std::string default_text;  ///< as the user would write it; "" with required = false: unset by default
  std::string summary;
  bool is_required = false;
  double minimum = -kInfinity;
  double maximum = kInfinity;
  bool minimum_excluded = false;
  std::vector<std::string> choices;

  Param at_least(double si) && { return minimum = si, std::move(*this); }
  Param above(double si) && { return minimum = si, minimum_excluded = true, std::move(*this); }
  Param at_most(double si) && { return maximum = si, std::move(*this); }
  Param required() && { return is_required = true, std::move(*this); }

  /// "m/s", "flag", "one of a, b": for `strata describe`.
  [[nodiscard]] std::string type_text() const;
  /// "> 0", "0 .. 1": for `strata describe`; "" if unbounded.
  [[nodiscard]] std::string range_text() const;
};

namespace param {
[[nodiscard]] Param quantity(std::string name, std::string unit, std::string default_text, std::string summary);
[[nodiscard]] Param number(std::string name, std::string default_text, std::string summary);
[[nodiscard]] Param integer(std::string name, std::string default_text, std::string summary);
[[nodiscard]] Param flag(std::string name, bool default_value, std::string summary);
[[nodiscard]] Param text(std::string name, std::string default_text, std::string summary);
[[nodiscard]] Param choice(std::string name, std::vector<std::string> choices, std::string default_text,
                           std::string summary);
[[nodiscard]] Param point(std::string name, std::string summary);   ///< [x, y] or [x, y, z] in metres
[[nodiscard]] Param points(std::string name, std::string summary);  ///< a list of points
[[nodiscard]] Param texts(std::string name, std::string summary);   ///< a list of words
[[nodiscard]] Param any(std::string name, std::string summary);     ///< checked by the kind itself
}  // namespace param

/// Checked values of a kind's parameters. Asking for an undeclared parameter, or with the wrong type, is our mistake.
class Config {
 public:
  Config() = default;
  /// Checks `given` (a map, or null for "all defaults") against `params`. All mistakes at once. `ignore` lists members
  /// that belong to somebody else, such as `kind`.
  [[nodiscard]] static Result<Config> check(const Value& given, const std::vector<Param>& params,
                                            const std::vector<std::string>& ignore = {});

  [[nodiscard]] double quantity(std::string_view name) const;  ///< SI
  [[nodiscard]] double number(std::string_view name) const { return quantity(name); }
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] Duration duration(std::string_view name) const;
  [[nodiscard]] Vec3 point(std::string_view name) const;
  [[nodiscard]] const std::vector<Vec3>& points(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& texts(std::string_view name) const;
  [[nodiscard]] const Value& any(std::string_view name) const;
  /// Given by the user or filled from a default.
  [[nodiscard]] bool has(std::string_view name) const;
  /// Where the parameter was written; else where the whole was.
  [[nodiscard]] const Where& where(std::string_view name) const;
  [[nodiscard]] const Where& where() const { return where_; }
  /// Everything with defaults filled in, as the user would write it.
  [[nodiscard]] const Value& resolved() const { return resolved_; }

 private:
  struct Entry {
    ParamType type = ParamType::kAny;
    double number = 0;
    std::string text;
    std::vector<Vec3> points;
    std::vector<std::string> texts;
    Value value;
  };
  [[nodiscard]] const Entry& entry(std::string_view name, ParamType type) const;
  [[nodiscard]] static Result<Entry> read(const Value& given, const Param& param);

  std::map<std::string, Entry, std::less<>> entries_;
  Where where_;
  Value resolved_;
};

/// Reads [x, y] or [x, y, z] in metres.
[[nodiscard]] Result<Vec3> read_point(const Value& value);

}  // namespace strata
