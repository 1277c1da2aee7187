#include "app/terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/command_line.hpp"
#include "base/time.hpp"

namespace strata::app {

namespace {

// Set and not empty, as https://no-color.org asks.
bool is_set(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody calls setenv
  return value != nullptr && *value != '\0';
}

const char* code(Tone tone) {
  switch (tone) {
    case Tone::kBold:
      return "\033[1m";
    case Tone::kDim:
      return "\033[2m";
    case Tone::kGood:
      return "\033[32m";
    case Tone::kBad:
      return "\033[1;31m";
    case Tone::kCaution:
      return "\033[33m";
  }
  return "";
}

// Characters shown, not bytes: continuation bytes of UTF-8 do not count.
std::size_t shown_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool has_colours(std::FILE* stream) {
  if (is_set("NO_COLOR") || !is_terminal(stream)) return false;
  const char* kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return kind == nullptr || std::string_view(kind) != "dumb";
}

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string toned(std::FILE* stream, Tone tone, std::string_view text) {
  if (!has_colours(stream)) return std::string(text);
  return fmt::format("{}{}\033[0m", code(tone), text);
}

Where in_file(const std::filesystem::path& file) { return {file.string(), 0, 0, ""}; }

void print_errors(const Errors& errors) {
  // What was printed before must not appear after the errors when both streams go to one place.
  std::fflush(stdout);
  const std::string label = toned(stderr, Tone::kBad, "error:");
  for (const Error& error : errors) fmt::print(stderr, "{} {}\n", label, to_text(error));
}

int wrong_input(const Errors& errors) {
  print_errors(errors);
  return ExitCode::kWrongInput;
}

int wrong_input(std::string problem, std::string remedy) {
  return wrong_input(Errors{Error{{}, std::move(problem), std::move(remedy)}});
}

std::string to_table(const std::vector<std::vector<std::string>>& rows, int indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], shown_length(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - shown_length(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string wrapped(std::string_view text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += margin + line;
    out += '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    const std::size_t space = line.empty() ? 0 : 1;
    if (!line.empty() &&
        shown_length(line) + space + shown_length(word) + margin.size() > static_cast<std::size_t>(width))
      end_line();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word);
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') end_line();
    text.remove_prefix(end + 1);
  }
  if (!line.empty()) end_line();
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return digits;
}

std::string speed_text(double times) {
  if (times >= 1e3 && times < 1e6) return grouped(static_cast<std::uint64_t>(times));
  return short_number(times);
}

std::string wall_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  return to_text(Duration::from_seconds(std::round(seconds)));
}

std::string short_number(double value) {
  static constexpr std::array kPrefixes = {"", " k", " M", " G", " T"};
  if (!std::isfinite(value)) return fmt::format("{}", value);
  std::size_t step = 0;
  while (std::abs(value) >= 999.5 && step + 1 < kPrefixes.size()) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{:.3g}{}", value, kPrefixes[step]);
}

}  // namespace strata::app
