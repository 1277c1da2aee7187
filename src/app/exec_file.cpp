#include "app/exec_file.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/config.hpp"
#include "scenario/yaml.hpp"

namespace strata::app {

namespace {

const std::vector<Param>& file_params() {
  static const std::vector<Param> kParams = {
      param::any("programs", "list of programs").required(),
      param::quantity("duration", "s", "", "end after this much virtual time").above(0),
      param::integer("seed", "1", "of random numbers, losses and jitter").at_least(0),
      param::quantity("latency", "s", "0 s", "of the link between hosts").at_least(0),
      param::quantity("jitter", "s", "0 s", "added to the latency").at_least(0),
      param::number("loss", "0", "share of datagrams that get lost").at_least(0).at_most(0.999),
      param::quantity("rate", "bit/s", "0 bit/s", "of the link; 0 = unlimited").at_least(0),
  };
  return kParams;
}

const std::vector<Param>& program_params() {
  static const std::vector<Param> kParams = {
      param::texts("run", "program and arguments").required(),
      param::text("name", "", "for messages and the trace"),
      param::text("host", "host", "virtual host it runs on"),
      param::text("folder", "", "working folder, from this file's folder"),
      param::any("environment", "variables to set"),
      param::text("time_function", "none", "none, const:20us, cpu:1.5 or wall:1"),
  };
  return kParams;
}

void read_environment(const Value& value, guest::ProgramSpec& program, Errors& errors) {
  if (!value.is_map()) {
    errors.push_back(
        {value.where(), fmt::format("environment is {}, not a map", value.kind_text()), "write NAME: value"});
    return;
  }
  for (const auto& [name, text] : value.members()) program.environment.emplace_back(name, text.text());
}

void read_program(const Value& value, const std::filesystem::path& folder, guest::ExecSpec& spec, Errors& errors) {
  const auto config = Config::check(value, program_params());
  if (!collect(config, errors)) return;
  guest::ProgramSpec program;
  program.words = config->texts("run");
  if (program.words.empty()) {
    errors.push_back({config->where("run"), "no program is given", "write [program, argument, ...]"});
    return;
  }
  program.name = config->has("name") && !config->text("name").empty()
                     ? config->text("name")
                     : std::filesystem::path(program.words[0]).filename().string();
  program.host = config->text("host");
  program.folder = config->has("folder") && !config->text("folder").empty() ? (folder / config->text("folder")).string()
                                                                            : folder.string();
  if (config->has("environment")) read_environment(config->any("environment"), program, errors);
  auto function = guest::parse_time_function(config->text("time_function"));
  if (function.ok()) {
    program.function = *function;
  } else {
    errors.push_back({config->where("time_function"), function.errors()[0].problem, function.errors()[0].remedy});
  }
  spec.programs.push_back(std::move(program));
}

}  // namespace

void read_exec_file(const std::string& file, guest::ExecSpec& spec, Errors& errors) {
  const auto value = read_yaml(file);
  if (!collect(value, errors)) return;
  const auto config = Config::check(*value, file_params());
  if (!collect(config, errors)) return;
  if (config->has("duration")) spec.duration = config->duration("duration");
  spec.seed = static_cast<std::uint64_t>(config->integer("seed"));
  spec.link.latency = config->duration("latency");
  spec.link.jitter = config->duration("jitter");
  spec.link.loss = config->number("loss");
  spec.link.rate_bits = config->quantity("rate");
  const Value& programs = config->any("programs");
  if (!programs.is_list()) {
    errors.push_back(
        {programs.where(), fmt::format("programs is {}, not a list", programs.kind_text()), "write - run: [...]"});
    return;
  }
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  for (const Value& program : programs.items()) read_program(program, folder, spec, errors);
}

}  // namespace strata::app
