#include "record/report_html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace strata::html {

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\0':
        out += "\xEF\xBF\xBD";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_json(std::string json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    // Inside of JSON these occur in strings only, where the escaped form means the same.
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e15 || size < 1e-4)) return fmt::format("{:.{}g}", value, digits);
  const int whole = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string out = fmt::format("{:.{}f}", value, std::max(digits - whole, 0));
  if (out.find('.') != std::string::npos) {
    out.resize(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  // A thin space between thousands, from 10 000 on.
  const std::size_t point = std::min(out.find('.'), out.size());
  const std::size_t first = value < 0 ? 1 : 0;
  if (point - first > 4)
    for (std::size_t at = point; at > first + 3;) out.insert(at -= 3, "\xE2\x80\xAF");
  return out == "-0" ? "0" : out;
}

std::string bytes_text(double bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return number(bytes, 3) + " " + kUnits[unit];
}

Cell text(std::string_view text) { return {escape(text), false}; }
Cell figure(std::string_view text) { return {escape(text), true}; }
Cell code(std::string_view text) { return {"<code>" + escape(text) + "</code>", false}; }
Cell badge(std::string_view look, std::string_view text) {
  return {"<span class=\"badge " + escape(look) + "\">" + escape(text) + "</span>", false};
}

std::string table(const std::vector<std::string>& headers, const std::vector<std::vector<Cell>>& rows) {
  std::string out = "<div class=\"scroll\"><table>";
  if (!headers.empty()) {
    out += "<thead><tr>";
    for (std::size_t i = 0; i < headers.size(); ++i) {
      const bool right = !rows.empty() && i < rows.front().size() && rows.front()[i].is_number;
      out += (right ? "<th class=\"num\">" : "<th>") + escape(headers[i]) + "</th>";
    }
    out += "</tr></thead>";
  }
  out += "<tbody>";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const Cell& cell : row) out += (cell.is_number ? "<td class=\"num\">" : "<td>") + cell.html + "</td>";
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string tiles(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string out = "<dl class=\"tiles\">";
  for (const auto& [label, value] : items)
    out += "<div><dt>" + escape(label) + "</dt><dd>" + escape(value) + "</dd></div>";
  return out + "</dl>";
}

std::string paragraph(std::string_view text) { return "<p>" + escape(text) + "</p>"; }

std::string command(std::string_view text) {
  return "<div class=\"command\"><code>" + escape(text) +
         "</code><button type=\"button\" class=\"copy\">copy</button></div>";
}

namespace {

// The plot area in the units of the drawing.
constexpr double kWidth = 640;
constexpr double kHeight = 200;
constexpr double kLeft = 58;
constexpr double kBottom = 24;
constexpr double kTop = 10;
constexpr double kRight = 12;
constexpr std::size_t kMostPoints = 400;

struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  [[nodiscard]] double operator()(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

// A step of 1, 2 or 5 times a power of ten that divides the range into about `count` parts.
double nice_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double k : {1.0, 2.0, 5.0})
    if (raw <= k * power) return k * power;
  return 10 * power;
}

// Which rows to draw: at most kMostPoints, the first and the last among them.
std::vector<std::size_t> pick(std::size_t size) {
  std::vector<std::size_t> rows;
  const std::size_t count = std::min(size, kMostPoints);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return rows;
}

std::string path(const std::vector<std::size_t>& rows, std::span<const Time> times, std::span<const double> values,
                 const Scale& x, const Scale& y) {
  std::string out;
  bool drawing = false;
  for (const std::size_t row : rows) {
    if (!std::isfinite(values[row])) {
      drawing = false;
      continue;
    }
    out += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x(times[row].seconds()), y(values[row]));
    drawing = true;
  }
  return out;
}

void widen(std::span<const double> values, double& low, double& high) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

std::string grid(const Scale& x, const Scale& y) {
  std::string out = "<g class=\"grid\">";
  const double y_step = nice_step(y.high - y.low, 4);
  for (double v = std::ceil(y.low / y_step) * y_step; v <= y.high + y_step * 1e-9; v += y_step) {
    const double value = std::abs(v) < y_step * 1e-9 ? 0 : v;
    out +=
        fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\"/><text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                    kLeft, y(value), kWidth - kRight, kLeft - 6, y(value) + 4, number(value, 6));
  }
  const double x_step = nice_step(x.high - x.low, 6);
  for (double v = std::ceil(x.low / x_step) * x_step; v <= x.high + x_step * 1e-9; v += x_step)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{} s</text>", x(v), kHeight - 6,
                       number(v, 6));
  return out + "</g>";
}

std::string values_json(const std::vector<std::size_t>& rows, std::span<const double> values) {
  std::string out = "[";
  for (const std::size_t row : rows) {
    if (out.size() > 1) out += ',';
    out += std::isfinite(values[row]) ? fmt::format("{:.6g}", values[row]) : "null";
  }
  return out + "]";
}

}  // namespace

std::string chart(const Chart& chart) {
  const std::vector<std::size_t> rows = pick(chart.times.size());
  if (rows.empty()) return "";
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Line& line : chart.lines) widen(line.values, low, high);
  widen(chart.low, low, high);
  widen(chart.high, low, high);
  if (low > high) return "";
  // Flat lines get room around them; small positive ranges start at zero.
  if (low > 0 && low < 0.5 * high) low = 0;
  const double room = high > low ? 0.04 * (high - low) : std::max(std::abs(high) * 0.1, 0.5);
  if (low != 0 || high == low) low -= room;
  high += room;
  const double start = chart.times.front().seconds();
  const double end = std::max(chart.times.back().seconds(), start + 1e-9);
  const Scale x{start, end, kLeft, kWidth - kRight};
  const Scale y{low, high, kHeight - kBottom, kTop};

  std::string svg = grid(x, y);
  if (!chart.low.empty() && chart.low.size() == chart.high.size()) {
    std::vector<std::size_t> back;
    std::vector<std::size_t> forth;
    for (const std::size_t row : rows)
      if (std::isfinite(chart.low[row]) && std::isfinite(chart.high[row])) forth.push_back(row);
    back.assign(forth.rbegin(), forth.rend());
    std::string lower = path(back, chart.times, chart.low, x, y);
    if (!lower.empty()) lower[0] = 'L';
    if (!forth.empty())
      svg += "<path class=\"band\" d=\"" + path(forth, chart.times, chart.high, x, y) + lower + "Z\"/>";
  }
  std::string series;
  std::string times = "[";
  for (const std::size_t row : rows)
    times += fmt::format("{}{:.9g}", times.size() > 1 ? "," : "", chart.times[row].seconds());
  const auto add_series = [&](const std::string& name, std::span<const double> values) {
    series += (series.empty() ? "" : ",") + fmt::format("[\"{}\",{}]", name, values_json(rows, values));
  };
  int index = 0;
  for (const Line& line : chart.lines) {
    svg += fmt::format("<path class=\"line c{}\" d=\"{}\"/>", index++ % 4, path(rows, chart.times, line.values, x, y));
    // Names of lines are ours (mean, min, max, value), never the user's.
    add_series(line.name, line.values);
  }
  if (!chart.low.empty()) add_series("min", chart.low);
  if (!chart.high.empty()) add_series("max", chart.high);
  const std::string data = fmt::format("{{\"x0\":{},\"x1\":{},\"w\":{},\"t\":{}],\"s\":[{}]}}", kLeft, kWidth - kRight,
                                       kWidth, times, series);
  return "<figure class=\"chart\" data-unit=\"" + escape(chart.unit) + "\"><figcaption><b>" + escape(chart.title) +
         "</b>" + (chart.unit.empty() ? "" : " <span class=\"unit\">" + escape(chart.unit) + "</span>") +
         "<output></output>" + (chart.summary.empty() ? "" : "<small>" + escape(chart.summary) + "</small>") +
         "</figcaption>" + fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", kWidth, kHeight) + svg +
         fmt::format("<path class=\"cursor\" d=\"M0 {}V{}\"/>", kTop, kHeight - kBottom) +
         "</svg><script type=\"application/json\">" + script_json(data) + "</script></figure>";
}

}  // namespace strata::html
