#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/interrupt.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"
#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/planners/clips.hpp"
#include "coordinator/planners/optimise.hpp"
#include "coordinator/service/relay.hpp"
#include "coordinator/service/service.hpp"

namespace strata::app {

namespace {

using coordinator::SchedulerSpec;

// As the user gives them, before they are checked.
struct ServeOptions {
  std::string resources;
  std::string role = "both";
  std::string planner_address;
  std::vector<std::string> addresses;
  std::string state;
  std::string strategy = "multi_fifo_ordered";
  std::string queues = "5";
  std::string window = "1";
  std::string preempt = "terminate";
  std::string interval;
  std::string ageing;
  std::string max_waiting = "200000";
  std::string log_limit = "1048576";
  std::string grace = "5s";
  std::string plan = "priority";
  std::string plan_time = "200ms";
  std::string rules;
  std::string key;
  std::string server_key;
  std::vector<std::string> allow;
  bool no_force = false;
  bool manual = false;
  bool one_per_tick = false;
  bool reserve = false;
  bool keep_running = false;
};

void add_options(CLI::App& app, ServeOptions& given) {
  app.add_option("--resources", given.resources, "Resource file, XML or YAML")->type_name("FILE");
  app.add_option("--role", given.role, "both, planner or dispatcher")->type_name("ROLE");
  app.add_option("--planner", given.planner_address, "With --role dispatcher: where the planner is")
      ->type_name("ADDRESS");
  add_repeatable(app, "--at", given.addresses, "ADDRESS", "Where to listen: a Unix socket or tcp://HOST:PORT");
  app.add_option("--state", given.state, "Folder for tasks, logs and guardian")->type_name("FOLDER");
  app.add_option("--strategy", given.strategy, "fifo, priority, multi_fifo or multi_fifo_ordered")->type_name("NAME");
  app.add_option("--queues", given.queues, "Number of queues")->type_name("N");
  app.add_option("--window", given.window, "Tasks examined per queue; 0: all")->type_name("N");
  app.add_option("--preempt", given.preempt, "terminate or suspend")->type_name("HOW");
  app.add_option("--plan", given.plan, "priority, optimise (known durations) or clips (rules)")->type_name("NAME");
  app.add_option("--plan-time", given.plan_time, "Longest time to look for a plan")->type_name("D");
  app.add_option("--rules", given.rules, "With --plan clips: the file of rules")->type_name("FILE");
  app.add_flag("--no-force", given.no_force, "Never push a task of lower priority aside");
  app.add_option("--interval", given.interval, "Decide on a timer instead of at once")->type_name("D");
  app.add_flag("--manual", given.manual, "Decide on `strata task request` only");
  app.add_flag("--one-per-tick", given.one_per_tick, "Start at most one task per tick or request");
  app.add_flag("--reserve", given.reserve, "Waiting tasks keep what they want from queues below theirs");
  app.add_option("--ageing", given.ageing, "Waiting this long raises the priority by one")->type_name("D");
  app.add_option("--max-waiting", given.max_waiting, "Tasks that may wait; further ones are refused")->type_name("N");
  app.add_option("--log-limit", given.log_limit, "Bytes kept of each stream of a task")->type_name("N");
  app.add_option("--grace", given.grace, "From asking a task to end to killing it")->type_name("D");
  app.add_flag("--keep-running", given.keep_running, "Leave tasks running when the service is stopped");
  app.add_option("--key", given.key, "Own key file, for tcp://")->type_name("FILE");
  app.add_option("--server-key", given.server_key, "With --role dispatcher: the planner's public key file")
      ->type_name("FILE");
  add_repeatable(app, "--allow", given.allow, "FILE", "Public key file of a peer that may connect over tcp://");
}

std::filesystem::path usual_state() {
  const char* home = std::getenv("XDG_STATE_HOME");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (home != nullptr && *home != '\0') return std::filesystem::path(home) / "strata" / "task";
  const char* user = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return std::filesystem::path(user == nullptr ? "/tmp" : user) / ".local" / "state" / "strata" / "task";
}

std::optional<long> number(const char* option, const std::string& text, long minimum, Errors& errors) {
  return read_integer(option, text, minimum, errors);
}

SchedulerSpec scheduler_of(const ServeOptions& given, Errors& errors) {
  SchedulerSpec spec;
  const auto strategy = coordinator::parse_strategy(given.strategy);
  if (collect(strategy, errors)) spec.strategy = *strategy;
  spec.queues = static_cast<int>(number("--queues", given.queues, 1, errors).value_or(5));
  spec.window = static_cast<std::size_t>(number("--window", given.window, 0, errors).value_or(1));
  spec.max_waiting = static_cast<std::size_t>(number("--max-waiting", given.max_waiting, 1, errors).value_or(1));
  spec.forcing = !given.no_force;
  spec.one_per_tick = given.one_per_tick;
  spec.reserve = given.reserve;
  if (given.preempt == "suspend") {
    spec.preempt = coordinator::Preempt::kSuspend;
  } else if (given.preempt != "terminate") {
    errors.push_back({{},
                      fmt::format("--preempt: '{}' is not a way to pre-empt", given.preempt),
                      suggestion(given.preempt, {"terminate", "suspend"})});
  }
  if (!given.interval.empty()) {
    spec.mode = coordinator::Mode::kInterval;
    spec.interval = read_duration("--interval", given.interval, errors).value_or(spec.interval);
  }
  if (given.manual) spec.mode = coordinator::Mode::kManual;
  if (!given.ageing.empty()) spec.ageing = read_duration("--ageing", given.ageing, errors).value_or(Duration{});
  collect(check(spec), errors);
  return spec;
}

void read_network(const ServeOptions& given, coordinator::ServiceSpec& spec, Errors& errors) {
  for (const std::string& address : given.addresses) spec.addresses.push_back(task_address(address));
  if (spec.addresses.empty()) spec.addresses.push_back(task_address(""));
  bool network = false;
  for (const std::string& address : spec.addresses) network = network || coordinator::is_network(address);
  if (!given.key.empty()) {
    const auto keys = coordinator::read_keys(given.key);
    if (collect(keys, errors)) spec.keys = *keys;
  }
  for (const std::string& file : given.allow) {
    const auto keys = coordinator::read_keys(file);
    if (collect(keys, errors)) spec.allowed.push_back(keys->public_key);
  }
  if (network && (spec.keys.secret_key.empty() || spec.allowed.empty())) {
    errors.push_back({{},
                      "a network address needs keys",
                      "give --key FILE and --allow FILE for each peer; `strata task keygen` makes them"});
  }
}

std::vector<std::string> guardian_command(const ServeOptions& given, const std::filesystem::path& state) {
  return {program_path().string(), "task", "guardian", state.string(), given.log_limit, given.grace};
}

int serve_planner(const ServeOptions& given, Errors errors) {
  coordinator::ServiceSpec spec;
  spec.scheduler = scheduler_of(given, errors);
  if (given.resources.empty()) {
    errors.push_back({{}, "--resources is missing", "name a resource file, such as examples/coordinator/hoap3.xml"});
  } else {
    const auto resources = read_resource_file(given.resources);
    if (collect(resources, errors)) spec.resources = *resources;
  }
  const auto plan_time = read_duration("--plan-time", given.plan_time, errors);
  if (given.plan == "optimise" && plan_time) {
    spec.planner = std::make_unique<coordinator::OptimisePlanner>(*plan_time);
  } else if (given.plan == "clips") {
    auto planner = coordinator::ClipsPlanner::open(given.rules);
    if (collect(planner, errors)) spec.planner = std::move(planner).value();
  } else if (given.plan != "priority" && given.plan != "optimise") {
    errors.push_back({{},
                      fmt::format("--plan: there is no planner '{}'", given.plan),
                      suggestion(given.plan, {"priority", "optimise", "clips"})});
  }
  read_network(given, spec, errors);
  if (!errors.empty()) return wrong_input(errors);
  spec.folder = std::filesystem::absolute(given.state.empty() ? usual_state() : std::filesystem::path(given.state));
  if (given.role == "both") spec.guardian_command = guardian_command(given, spec.folder);
  const std::string address = spec.addresses.front();

  const InterruptGuard guard;
  auto service = coordinator::Service::open(std::move(spec));
  if (!service.ok()) return wrong_input(service.errors());
  fmt::print("ready at {}\n", address);
  std::fflush(stdout);
  const Result<void> end = (*service)->run(guard.interrupted(), given.keep_running);
  if (end.ok()) return ExitCode::kFine;
  print_errors(end.errors());
  return ExitCode::kFailed;
}

int serve_dispatcher(const ServeOptions& given, Errors errors) {
  coordinator::RelaySpec spec;
  if (given.planner_address.empty()) {
    errors.push_back({{}, "--planner is missing", "say where the planner is: --planner tcp://HOST:PORT"});
  }
  spec.planner = coordinator::full_address(given.planner_address);
  if (!given.key.empty()) {
    const auto keys = coordinator::read_keys(given.key);
    if (collect(keys, errors)) spec.keys = *keys;
  }
  if (!given.server_key.empty()) {
    const auto keys = coordinator::read_keys(given.server_key);
    if (collect(keys, errors)) spec.server_key = keys->public_key;
  }
  if (coordinator::is_network(spec.planner) && (spec.keys.secret_key.empty() || spec.server_key.empty())) {
    errors.push_back({{}, "a network address needs keys", "give --key FILE and --server-key FILE"});
  }
  if (!errors.empty()) return wrong_input(errors);
  spec.folder = std::filesystem::absolute(given.state.empty() ? usual_state() / "dispatcher"
                                                              : std::filesystem::path(given.state));
  spec.guardian_command = guardian_command(given, spec.folder);
  const InterruptGuard guard;
  auto relay = coordinator::Relay::open(spec);
  if (!relay.ok()) return wrong_input(relay.errors());
  fmt::print("dispatching for {}\n", spec.planner);
  std::fflush(stdout);
  (*relay)->run(guard.interrupted(), given.keep_running);
  return ExitCode::kFine;
}

}  // namespace

int task_serve(const Arguments& arguments) {
  CLI::App app("Runs the coordinator in the foreground until it is interrupted.", "strata task serve");
  ServeOptions given;
  add_options(app, given);
  app.footer(
      "example:\n  strata task serve --resources examples/coordinator/hoap3.xml\n"
      "  strata task serve --resources robot.yaml --window 8 --preempt suspend --ageing 30s\n"
      "  strata task serve --resources robot.yaml --at tcp://*:5600 --key robot.key --allow desk.pub\n\n"
      "What was accepted survives a crash: start the service again with the same --state.");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  static_cast<void>(number("--log-limit", given.log_limit, 0, errors));
  static_cast<void>(read_duration("--grace", given.grace, errors));
  if (given.role == "dispatcher") return serve_dispatcher(given, std::move(errors));
  if (given.role != "both" && given.role != "planner") {
    errors.push_back({{},
                      fmt::format("--role: there is no role '{}'", given.role),
                      suggestion(given.role, {"both", "planner", "dispatcher"})});
  }
  return serve_planner(given, std::move(errors));
}

// guardian STATE LOG_LIMIT GRACE: what `serve` starts.
int task_guardian(const Arguments& arguments) {
  if (arguments.size() != 3) return wrong_input("a guardian is started by `strata task serve`", "");
  Errors errors;
  coordinator::GuardianSpec spec;
  spec.folder = arguments[0];
  spec.log_bytes = static_cast<std::uint64_t>(read_integer("LOG_LIMIT", arguments[1], 0, errors).value_or(0));
  spec.grace = read_duration("GRACE", arguments[2], errors).value_or(spec.grace);
  const Result<std::string> mark = coordinator::read_mark(spec.folder);
  if (collect(mark, errors)) spec.mark = *mark;
  if (!errors.empty()) return wrong_input(errors);
  return coordinator::run_guardian(spec);
}

int task_keygen(const Arguments& arguments) {
  CLI::App app("Makes a pair of keys: NAME.key to keep, NAME.pub to give away.", "strata task keygen");
  std::string name;
  app.add_option("NAME", name, "Name of the two files")->required();
  app.footer("example:\n  strata task keygen robot\n  strata task keygen desk");
  if (const auto done = parse(app, arguments)) return *done;
  const auto keys = coordinator::make_keys();
  if (!keys.ok()) return wrong_input(keys.errors());
  if (std::filesystem::exists(name + ".key") || std::filesystem::exists(name + ".pub")) {
    return wrong_input(fmt::format("{}.key or {}.pub is there already", name, name), "choose another name");
  }
  const mode_t before = ::umask(077);
  std::ofstream secret(name + ".key");
  secret << fmt::format("public: {}\nsecret: {}\n", keys->public_key, keys->secret_key);
  secret.close();
  ::umask(before);
  std::ofstream shared(name + ".pub");
  shared << fmt::format("public: {}\n", keys->public_key);
  shared.close();
  if (!secret || !shared) return wrong_input("the keys could not be written", "may you write there?");
  fmt::print("{}.key  keep it: who has it is you\n{}.pub  give it to those you speak with\n", name, name);
  return ExitCode::kFine;
}

}  // namespace strata::app
