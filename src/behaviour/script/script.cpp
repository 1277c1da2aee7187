#include "behaviour/script/script.hpp"

#include <fmt/format.h>

#include "behaviour/navigation/navigation.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr int kMostOps = 1000;  // in one step: a script that does more than this is running in circles

/// One script during one step.
class Runner {
 public:
  Runner(Simulation& simulation, const ProgramTable& table, EntityId robot, Script& script, Time now)
      : simulation_(simulation), world_(simulation.world()), table_(table), robot_(robot), script_(script), now_(now) {}

  void run() {
    for (int ops = 0; ops < kMostOps; ++ops) {
      if (script_.state == Script::kBlocked) {
        if (script_.ask_ns > now_.ns()) return;
        take(ask());
        if (script_.state == Script::kBlocked) return;
        continue;
      }
      if (script_.state != Script::kReady || script_.since_ns > now_.ns() || pause_) return;
      if (at() >= program().ops.size()) {
        if (in_handler()) {
          leave_handler(1);
          continue;
        }
        return end(Script::kDone);
      }
      execute(program().ops[at()]);
    }
  }

 private:
  [[nodiscard]] bool in_handler() const { return script_.handler != ProgramTable::kNone; }
  [[nodiscard]] const Program& program() const {
    return table_.programs[in_handler() ? script_.handler : script_.program];
  }
  [[nodiscard]] std::uint32_t& at() { return in_handler() ? script_.handler_at : script_.at; }
  [[nodiscard]] ScriptContext context() const {
    return {world_, simulation_, robot_, Time::from_ns(script_.since_ns), now_};
  }

  void execute(const ScriptOp& op) {
    switch (op.code) {
      case ScriptOp::kDo: {
        ScriptContext now = context();
        if (!op.instruction->needs.empty() && !has_component(op.instruction->needs))
          return take(InstructionOutcome::failed("missing_part", fmt::format("it has no {}", op.instruction->needs)));
        return take(op.instruction->begin(now, op.args));
      }
      case ScriptOp::kRepeat:
        script_.turns[op.depth] = static_cast<std::uint32_t>(op.count);
        ++at();
        return;
      case ScriptOp::kLoop:
        if (op.count != 0 && --script_.turns[op.depth] == 0) {
          ++at();
        } else {
          // Turns that take no time wait for the next step.
          pause_ = script_.since_ns == loop_since_;
          loop_since_ = script_.since_ns;
          at() = op.jump;
        }
        return;
      case ScriptOp::kIf:
        at() = op.condition->test(world_, robot_, op.args) ? at() + 1 : op.jump;
        return;
      case ScriptOp::kJump:
        at() = op.jump;
        return;
      case ScriptOp::kRetry:
        if (op.count != 0 && script_.retries >= op.count) return end(Script::kFailed);
        ++script_.retries;
        pause_ = true;
        return leave_handler(0);
      case ScriptOp::kSkip:
        return leave_handler(1);
      case ScriptOp::kStop:
        return end(Script::kFailed);
    }
  }

  [[nodiscard]] bool has_component(const std::string& name) const {
    const PoolBase* pool = std::as_const(world_).find_pool(name);
    return pool != nullptr && pool->has(robot_);
  }

  InstructionOutcome ask() {
    const ScriptOp& op = program().ops[at()];
    ScriptContext now = context();
    return op.instruction->poll ? op.instruction->poll(now, op.args) : InstructionOutcome::done(now_);
  }

  void take(const InstructionOutcome& outcome) {
    switch (outcome.state) {
      case InstructionOutcome::kDone:
        script_.state = Script::kReady;
        script_.since_ns = outcome.at.ns();
        if (!in_handler()) script_.retries = 0;
        ++at();
        return;
      case InstructionOutcome::kBusy:
        script_.state = Script::kBlocked;
        script_.ask_ns = outcome.at.ns();
        return;
      case InstructionOutcome::kFailed:
        return fail(outcome);
    }
  }

  void fail(const InstructionOutcome& outcome) {
    const std::string& text = program().ops[at()].text;
    script_.state = Script::kReady;
    script_.since_ns = now_.ns();
    report("script_error", fmt::format("{}: '{}': {}", outcome.error, text, outcome.text));
    const ErrorHandlers& handlers = table_.handlers[script_.handlers];
    auto found = handlers.find(outcome.error);
    if (found == handlers.end()) found = handlers.find("default");
    // An error of a handler is not handled again: that could go on for ever.
    if (in_handler() || found == handlers.end()) return end(Script::kFailed);
    script_.handler = found->second;
    script_.handler_at = 0;
  }

  void leave_handler(std::uint32_t advance) {
    script_.handler = ProgramTable::kNone;
    script_.at += advance;
    if (advance != 0) script_.retries = 0;
  }

  void end(Script::State state) {
    const bool failed = state == Script::kFailed;
    script_.state = state;
    ++script_.runs;
    report(failed ? "script_failed" : "script_done", failed && script_.at < table_.programs[script_.program].ops.size()
                                                         ? table_.programs[script_.program].ops[script_.at].text
                                                         : "");
  }

  void report(const char* event, std::string text) {
    const Pose* pose = std::as_const(world_).get<Pose>(robot_);
    const Time when = std::min(Time::from_ns(script_.since_ns), now_);
    world_.emit({when, event, robot_, {}, pose == nullptr ? Vec3{} : pose->position, std::move(text), 0});
  }

  Simulation& simulation_;
  World& world_;
  const ProgramTable& table_;
  EntityId robot_;
  Script& script_;
  Time now_;
  bool pause_ = false;
  std::int64_t loop_since_ = -1;
};

class ScriptSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<ScriptSystem>());
  }
  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_script(simulation.world());
  }

  void step(World& world, const Step& step) override {
    const ProgramTable& table = world.table<ProgramTable>();
    const Time now = step.now - step.dt;
    // Instructions may add and remove robots: who runs is settled before.
    const Pool<Script>& scripts = std::as_const(world).pool<Script>();
    running_.clear();
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      const Script& script = scripts.rows()[i];
      const std::int64_t when = script.state == Script::kBlocked ? script.ask_ns : script.since_ns;
      if (!script.ended() && when <= now.ns()) running_.push_back(scripts.owners()[i]);
    }
    for (const EntityId robot : running_) {
      if (!world.alive(robot) || !world.has<Script>(robot)) continue;
      Script script = *std::as_const(world).get<Script>(robot);
      Runner(*simulation_, table, robot, script, now).run();
      if (world.alive(robot) && world.has<Script>(robot)) *world.edit<Script>(robot) = script;
    }
  }

  [[nodiscard]] Time due(const World& world, Time now) const override {
    Time next = Time::never();
    for (const Script& script : world.pool<Script>().rows()) {
      if (script.ended()) continue;
      next = std::min(next, Time::from_ns(script.state == Script::kBlocked ? script.ask_ns : script.since_ns));
      if (next <= now) return now;
    }
    return next;
  }

 private:
  Simulation* simulation_ = nullptr;
  std::vector<EntityId> running_;
};

Result<void> attach(World& world, EntityId robot, const Config& config, const ScriptCatalogs& catalogs,
                    const Catalog<PlannerKind>& planners) {
  declare_script(world);
  Errors errors;
  Script script;
  const Result<std::uint32_t> program = read_program(world, robot, config.any("do"), catalogs);
  if (collect(program, errors)) script.program = *program;
  if (config.has("on_error")) {
    Result<ErrorHandlers> handlers = read_handlers(world, config.any("on_error"), catalogs);
    if (collect(handlers, errors)) {
      std::vector<ErrorHandlers>& sets = world.table<ProgramTable>().handlers;
      const auto known = std::find(sets.begin(), sets.end(), *handlers);
      script.handlers = static_cast<std::uint32_t>(known - sets.begin());
      if (known == sets.end()) sets.push_back(std::move(handlers).value());
    }
  }
  if (!errors.empty()) return errors;
  world.add(robot, script);
  return ensure_navigator(world, robot, planners);
}

}  // namespace

void declare_script(World& world) {
  world.register_component<Script>(
      "script",
      {field("since", "ns", &Script::since_ns), field("ask", "ns", &Script::ask_ns), field("turns", "", &Script::turns),
       field("program", "", &Script::program), field("at", "", &Script::at), field("state", "", &Script::state),
       field("handlers", "", &Script::handlers), field("handler", "", &Script::handler),
       field("handler_at", "", &Script::handler_at), field("retries", "", &Script::retries),
       field("runs", "", &Script::runs)});
}

void begin_script(World& world, EntityId robot, std::uint32_t program, Time now) {
  stop_script(world, robot);
  Script script;
  if (const Script* before = world.get<Script>(robot)) {
    script.handlers = before->handlers;
    script.runs = before->runs;
  }
  script.program = program;
  script.since_ns = now.ns();
  world.add(robot, script);
}

void stop_script(World& world, EntityId robot) {
  const Script* script = world.get<Script>(robot);
  if (script == nullptr || script->state != Script::kBlocked) return;
  const bool handling = script->handler != ProgramTable::kNone;
  const Program& program = world.table<ProgramTable>().programs[handling ? script->handler : script->program];
  const ScriptOp& op = program.ops[handling ? script->handler_at : script->at];
  if (op.instruction != nullptr && op.instruction->cancel) op.instruction->cancel(world, robot);
  world.edit<Script>(robot)->state = Script::kFailed;
}

std::string missing_for(const World& world, EntityId robot, const Program& program) {
  for (const ScriptOp& op : program.ops) {
    if (op.instruction == nullptr || op.instruction->needs.empty()) continue;
    const PoolBase* pool = world.find_pool(op.instruction->needs);
    if (pool == nullptr || !pool->has(robot)) return op.instruction->needs;
  }
  return "";
}

void register_scripts(Registry& registry) {
  register_basic_instructions(registry);
  add_error(registry, "missing_part", "the robot has no part that can do it, or not any more");
  ComponentKind kind;
  kind.name = "script";
  kind.summary = "What the robot does, one instruction after the other";
  kind.params = {param::any("do", "instructions: 'strata list instruction' shows all").required(),
                 param::any("on_error", "what to do about errors: {path_not_found: [wait 5 s, retry], default: stop}")};
  kind.main_param = "do";
  kind.details =
      "Also {repeat: 3, do: [...]}, {repeat: forever, do: [...]} and {if: CONDITION, do: [...], else: [...]}. In "
      "handlers "
      "of errors: retry, retry 3 times, skip, stop; a handler that ends goes on with the next instruction.";
  kind.systems = {"script", "navigation", "arrival", "charger"};
  kind.declare = &declare_script;
  kind.attach = [catalogs = ScriptCatalogs(registry), planners = &registry.catalog<PlannerKind>()](
                    World& world, EntityId robot, const Config& config) {
    return attach(world, robot, config, catalogs, *planners);
  };
  registry.catalog<ComponentKind>().add(std::move(kind));
  SystemKind system;
  system.name = "script";
  system.summary = "Runs the scripts of robots";
  system.phase = Phase::kPlan;
  system.order = -100;
  system.make = &ScriptSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  add_event(registry, "script_done", "a script has come to its end");
  add_event(registry, "script_failed", "a script has ended with an error nobody handles");
  add_event(registry, "script_error", "an instruction of a script has failed");
}

}  // namespace strata
