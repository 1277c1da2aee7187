// Pieces of HTML for reports. Everything that comes from outside - names, texts, numbers from files - passes
// html_escape or script_json; nothing else may reach the page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/metrics.hpp"

namespace strata::html {

/// Text that is safe between tags and in quoted attributes.
[[nodiscard]] std::string escape(std::string_view text);
/// JSON that is safe inside a <script> element. `json` is valid JSON.
[[nodiscard]] std::string script_json(std::string json);
/// A number for people: up to `digits` significant digits, thousands separated.
[[nodiscard]] std::string number(double value, int digits = 4);
[[nodiscard]] std::string bytes_text(double bytes);

/// A cell is text to be escaped, or HTML made by these functions.
struct Cell {
  std::string html;
  bool is_number = false;
};
[[nodiscard]] Cell text(std::string_view text);
[[nodiscard]] Cell figure(std::string_view text);
[[nodiscard]] Cell code(std::string_view text);
/// A coloured word: "good", "bad" or "warn" is the look.
[[nodiscard]] Cell badge(std::string_view look, std::string_view text);

/// Headers may be empty.
[[nodiscard]] std::string table(const std::vector<std::string>& headers, const std::vector<std::vector<Cell>>& rows);
/// Label and value pairs side by side: the key figures.
[[nodiscard]] std::string tiles(const std::vector<std::pair<std::string, std::string>>& items);
[[nodiscard]] std::string paragraph(std::string_view text);
/// A command the reader can copy.
[[nodiscard]] std::string command(std::string_view text);

struct Line {
  std::string name;
  std::span<const double> values;
};
/// A chart over time with values under the pointer. If `low` and `high` are given, a band lies between them.
struct Chart {
  std::string title;
  std::string unit;
  std::string summary;
  std::span<const Time> times;
  std::vector<Line> lines;
  std::span<const double> low;
  std::span<const double> high;
};
[[nodiscard]] std::string chart(const Chart& chart);

}  // namespace strata::html
