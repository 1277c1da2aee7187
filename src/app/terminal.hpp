// Text for people: colours where a terminal shows them, errors on stderr, columns that line up.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace strata::app {

/// Whether text to `stream` may carry colours: a terminal, and neither NO_COLOR nor TERM=dumb is set.
[[nodiscard]] bool has_colours(std::FILE* stream);
[[nodiscard]] bool is_terminal(std::FILE* stream);
/// Columns of the terminal behind `stream`; 80 if unknown.
[[nodiscard]] int terminal_width(std::FILE* stream);

enum class Tone { kBold, kDim, kGood, kBad, kCaution };
/// `text` in that tone if `stream` shows colours, else as it is.
[[nodiscard]] std::string toned(std::FILE* stream, Tone tone, std::string_view text);

/// A whole file as the place of an error.
[[nodiscard]] Where in_file(const std::filesystem::path& file);
/// Prints all errors to stderr, each with its place and remedy.
void print_errors(const Errors& errors);
/// Prints them and returns the exit code for wrong input.
int wrong_input(const Errors& errors);
int wrong_input(std::string problem, std::string remedy = "");

/// Lines of equal columns, two spaces apart, each line indented by `indent`. The last column is not padded.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows, int indent = 2);
/// Breaks `text` between words into lines of at most `width` characters, each indented.
[[nodiscard]] std::string wrapped(std::string_view text, int width, int indent);
/// "12 345 678": digits in groups of three.
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "71.4", "1 203", "315 M": how many times real time.
[[nodiscard]] std::string speed_text(double times);
/// "49.9 ms", "3.21 s", "5 min 12 s": about how long something took.
[[nodiscard]] std::string wall_text(double seconds);
/// "1.23 M", "45.6 k": three digits and a prefix.
[[nodiscard]] std::string short_number(double value);

}  // namespace strata::app
