#include "app/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/terminal.hpp"
#include "base/units.hpp"

namespace strata::app {

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 shows a flag that takes a value as `--json{-}`: people know `--json[=FILE]`. Keeps the columns.
std::string readable(std::string help) {
  for (const auto& [flag, shown] :
       {std::pair{"--json{-}", "--json[=FILE]"}, std::pair{"--real-time{1}", "--real-time[=K]"}}) {
    const std::size_t at = help.find(flag);
    if (at == std::string::npos) continue;
    const std::string_view before(flag);
    const std::string_view after(shown);
    help.replace(at, before.size() + (after.size() - before.size()), after);
  }
  return help;
}

// One error for each argument that nobody asked for.
Errors unexpected(const CLI::App& app) {
  Errors errors;
  for (const std::string& argument : app.remaining()) {
    if (!argument.starts_with("-")) {
      errors.push_back({{}, fmt::format("unexpected argument '{}'", argument), ""});
      continue;
    }
    const std::string name = argument.substr(0, argument.find('='));
    const std::string near = nearest(name, option_names(app));
    errors.push_back(
        {{}, fmt::format("unknown option '{}'", name), near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  return errors;
}

}  // namespace

std::optional<int> parse(CLI::App& app, const Arguments& arguments) {
  app.set_help_flag("-h,--help", "Show this text");
  // The name of a positional says what it is.
  for (CLI::Option* option : app.get_options()) {
    if (option->get_positional()) option->type_name("");
  }
  // Collected instead of refused at once, so that all of them can be named.
  app.allow_extras();
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", readable(app.help()));
    return ExitCode::kFine;
  } catch (const CLI::Error& error) {
    Errors errors = unexpected(app);
    errors.push_back({{}, error.what(), fmt::format("see `{} --help`", app.get_name())});
    return wrong_input(errors);
  }
  Errors errors = unexpected(app);
  if (errors.empty()) return std::nullopt;
  if (errors.back().remedy.empty()) errors.back().remedy = fmt::format("see `{} --help`", app.get_name());
  return wrong_input(errors);
}

void JsonOutput::add_to(CLI::App& app) {
  // A flag with a value, since `--json FILE` could not be told from `--json SCENARIO`.
  app.add_flag(fmt::format("--json{{{}}}", kStdout), target_, "Result as JSON to stdout, or to FILE with --json=FILE");
}

Result<void> JsonOutput::check() const {
  if (!wanted() || on_stdout()) return {};
  namespace fs = std::filesystem;
  const fs::path file(target_);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return Error{in_file(target_), "is a folder", "name a file: --json=FILE"};
  if (!fs::is_directory(folder, ignored)) {
    return Error{in_file(target_), "its folder does not exist", fmt::format("create it: mkdir -p {}", folder.string())};
  }
  const bool exists = fs::exists(file, ignored);
  if (::access(exists ? file.c_str() : folder.c_str(), W_OK) != 0) {
    return Error{in_file(target_), "cannot be written", "choose another file for --json"};
  }
  return {};
}

int JsonOutput::write(std::string text, int exit_code) const {
  if (!wanted()) return exit_code;
  text.erase(text.find_last_not_of('\n') + 1);
  if (on_stdout()) {
    fmt::print("{}\n", text);
    return exit_code;
  }
  std::ofstream out(target_, std::ios::binary | std::ios::trunc);
  out << text << '\n';
  out.close();
  if (out) return exit_code;
  print_errors(
      {Error{in_file(target_), "could not be written", "is there space on the disk, and may you write there?"}});
  return ExitCode::kFailed;
}

void add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& type,
                    const std::string& summary) {
  app.add_option(name, values, summary)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

std::optional<Duration> read_duration(const std::string& option, const std::string& text, Errors& errors) {
  Result<Duration> duration = parse_duration(text);
  if (!duration.ok()) {
    for (Error error : duration.errors()) {
      error.problem = fmt::format("{}: {}", option, error.problem);
      errors.push_back(std::move(error));
    }
    return std::nullopt;
  }
  if (*duration > Duration{}) return *duration;
  errors.push_back({{},
                    fmt::format("{}: '{}' is not a positive duration", option, text),
                    fmt::format("write for example {} 30s", option)});
  return std::nullopt;
}

std::optional<long> read_integer(const std::string& option, const std::string& text, long minimum, Errors& errors) {
  long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc{} && stop == end && value >= minimum) return value;
  errors.push_back({{}, fmt::format("{}: '{}' is not a whole number of at least {}", option, text, minimum), ""});
  return std::nullopt;
}

}  // namespace strata::app
