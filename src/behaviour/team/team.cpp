#include "behaviour/team/team.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.hpp"
#include "base/random.hpp"
#include "behaviour/navigation/navigation.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/metric.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr std::int64_t kNever = Time::never().ns();

std::vector<EntityId> in_order(const World& world) {
  const Pool<TeamTask>& pool = world.pool<TeamTask>();
  std::vector<EntityId> tasks(pool.owners().begin(), pool.owners().end());
  std::sort(tasks.begin(), tasks.end(),
            [&](EntityId a, EntityId b) { return pool.get(a)->number < pool.get(b)->number; });
  return tasks;
}

bool is_free(const World& world, EntityId robot) {
  if (!world.alive(robot) || world.has<Disabled>(robot)) return false;
  const TeamMember* member = world.get<TeamMember>(robot);
  const Script* script = world.get<Script>(robot);
  return member != nullptr && script != nullptr && member->task_generation == 0 && script->ended();
}

void emit(World& world, Time now, const char* name, EntityId robot, std::string text, double value) {
  const Pose* pose = world.alive(robot) ? std::as_const(world).get<Pose>(robot) : nullptr;
  world.emit({now,
              name,
              pose == nullptr ? EntityId{} : robot,
              {},
              pose == nullptr ? Vec3{} : pose->position,
              std::move(text),
              value});
}

template <class Figure>
void add_metric(Registry& registry, const char* name, const char* summary, const char* unit, Figure figure) {
  MetricKind kind;
  kind.name = name;
  kind.summary = summary;
  kind.unit = unit;
  kind.global = [figure](const Simulation& simulation) -> double {
    const Pool<TeamTask>* tasks = simulation.world().find_pool<TeamTask>();
    return tasks == nullptr ? kNoFigure : figure(tasks->rows());
  };
  registry.catalog<MetricKind>().add(std::move(kind));
}

}  // namespace

void declare_team(World& world) {
  world.register_component<TeamTask>(
      "team_task",
      {field("arrived", "ns", &TeamTask::arrived_ns), field("ended", "ns", &TeamTask::ended_ns),
       field("program", "", &TeamTask::program), field("state", "", &TeamTask::state),
       field("robot_slot", "", &TeamTask::robot_slot), field("robot_generation", "", &TeamTask::robot_generation),
       field("attempts", "", &TeamTask::attempts), field("number", "", &TeamTask::number)});
  world.register_component<TeamMember>(
      "team_member",
      {field("task_slot", "", &TeamMember::task_slot), field("task_generation", "", &TeamMember::task_generation),
       field("done", "", &TeamMember::done), field("failed", "", &TeamMember::failed)});
  world.register_component<TeamArrivals>(
      "team_arrivals", {field("next", "ns", &TeamArrivals::next_ns), field("draws", "", &TeamArrivals::draws),
                        field("arrived", "", &TeamArrivals::arrived)});
}

void TeamSystem::start(Simulation& simulation) {
  simulation_ = &simulation;
  World& world = simulation.world();
  declare_team(world);
  declare_script(world);
  world.add(kEnvironment, TeamArrivals{spec_.tasks.first.ns(), 0, 0});
  for (const EntityId robot : spec_.members) {
    world.add(robot, TeamMember{});
    if (world.has<Script>(robot)) continue;
    Script idle;
    idle.state = Script::kDone;
    world.add(robot, idle);
  }
}

void TeamSystem::step(World& world, const Step& step) {
  const Time now = step.now - step.dt;
  take_arrivals(world, now);
  watch(world, now);
  share_out(world, now);
}

// Steps are needed for arrivals and while members work; a task that nobody can take yet waits for one of these.
Time TeamSystem::due(const World& world, Time now) const {
  const Time next = Time::from_ns(world.get<TeamArrivals>(kEnvironment)->next_ns);
  if (next <= now) return now;
  for (const TeamTask& task : world.pool<TeamTask>().rows()) {
    if (task.state == TeamTask::kGiven) return now;
  }
  return next;
}

void TeamSystem::take_arrivals(World& world, Time now) {
  TeamArrivals arrivals = *std::as_const(world).get<TeamArrivals>(kEnvironment);
  if (arrivals.next_ns > now.ns()) return;
  const TaskSource& source = spec_.tasks;
  while (arrivals.next_ns <= now.ns()) {
    const EntityId task = world.spawn(kEnvironment);
    TeamTask made;
    made.arrived_ns = arrivals.next_ns;
    made.program = source.programs[arrivals.arrived % source.programs.size()];
    made.number = static_cast<std::uint32_t>(++arrivals.arrived);
    world.add(task, made);
    emit(world, Time::from_ns(arrivals.next_ns), "task_arrived", {}, fmt::format("task {}", made.number), made.number);
    if (source.count != 0 && arrivals.arrived == source.count) {
      arrivals.next_ns = kNever;
      break;
    }
    double gap = source.every.seconds();
    if (source.random) {
      const StreamKey key = stream_key(world.seed(), 0, "team_arrivals");
      const auto draw = random_block(key, arrivals.draws++);
      gap = -gap * math::log(1 - to_unit(draw[0], draw[1]));
    }
    arrivals.next_ns = (Time::from_ns(arrivals.next_ns) + Duration::from_seconds(gap)).ns();
  }
  *world.edit<TeamArrivals>(kEnvironment) = arrivals;
}

// The monitor: what has ended, and who has failed.
void TeamSystem::watch(World& world, Time now) {
  for (const EntityId entity : in_order(world)) {
    const TeamTask task = *std::as_const(world).get<TeamTask>(entity);
    if (task.state != TeamTask::kGiven) continue;
    const EntityId robot = task.robot();
    if (!world.alive(robot) || !world.has<Script>(robot)) {
      give_back(world, entity, now, "its robot is gone");
      continue;
    }
    const Script& script = *std::as_const(world).get<Script>(robot);
    const Program& program = world.table<ProgramTable>().programs[task.program];
    if (script.state == Script::kDone) {
      TeamTask& done = *world.edit<TeamTask>(entity);
      done.state = TeamTask::kDone;
      done.ended_ns = std::min(script.since_ns, now.ns());
      TeamMember& member = *world.edit<TeamMember>(robot);
      member.task_generation = 0;
      ++member.done;
      emit(world, Time::from_ns(done.ended_ns), "task_done", robot, fmt::format("task {}", task.number),
           static_cast<double>(done.ended_ns - task.arrived_ns) * 1e-9);
    } else if (script.state == Script::kFailed) {
      give_back(world, entity, now, "its script failed");
    } else if (world.has<Disabled>(robot)) {
      give_back(world, entity, now, "its robot has stopped");
    } else if (const std::string missing = missing_for(world, robot, program); !missing.empty()) {
      give_back(world, entity, now, fmt::format("its robot has lost its {}", missing));
    }
  }
}

void TeamSystem::give_back(World& world, EntityId entity, Time now, const std::string& why) {
  TeamTask& task = *world.edit<TeamTask>(entity);
  const EntityId robot = task.robot();
  task.robot_generation = 0;
  task.state = task.attempts >= spec_.attempts ? TeamTask::kFailed : TeamTask::kWaiting;
  if (task.state == TeamTask::kFailed) task.ended_ns = now.ns();
  if (world.alive(robot) && world.has<TeamMember>(robot)) {
    stop_script(world, robot);
    TeamMember& member = *world.edit<TeamMember>(robot);
    member.task_generation = 0;
    ++member.failed;
  }
  emit(world, now, task.state == TeamTask::kFailed ? "task_failed" : "task_returned", robot,
       fmt::format("task {}: {}", task.number, why), task.number);
}

double TeamSystem::cost(World& world, EntityId robot, const Program& program) const {
  if (!missing_for(world, robot, program).empty()) return CostTable::kImpossible;
  const Pose* pose = std::as_const(world).get<Pose>(robot);
  if (pose == nullptr) return CostTable::kImpossible;
  for (const ScriptOp& op : program.ops) {
    Vec3 target;
    if (op.instruction == nullptr || !op.instruction->place || !op.instruction->place(world, op.args, target)) continue;
    if (!spec_.by_way) return length(target - pose->position);
    const Plan plan = plan_for(world, robot, pose->position, target);
    return plan.complete ? plan.length_m : CostTable::kImpossible;
  }
  return 0;
}

void TeamSystem::share_out(World& world, Time now) {
  std::vector<EntityId> waiting;
  for (const EntityId task : in_order(world)) {
    if (world.get<TeamTask>(task)->state == TeamTask::kWaiting) waiting.push_back(task);
  }
  std::vector<EntityId> free;
  for (const EntityId robot : spec_.members) {
    if (is_free(world, robot)) free.push_back(robot);
  }
  if (waiting.empty() || free.empty()) return;
  // Later tasks wait for their turn: the oldest go first.
  waiting.resize(std::min(waiting.size(), 2 * free.size()));
  CostTable table(free.size(), waiting.size());
  for (std::size_t r = 0; r < free.size(); ++r) {
    for (std::size_t t = 0; t < waiting.size(); ++t) {
      const std::uint32_t program = world.get<TeamTask>(waiting[t])->program;
      table.at(r, t) = cost(world, free[r], world.table<ProgramTable>().programs[program]);
    }
  }
  const Allocation allocation = spec_.strategy(table);
  for (std::size_t r = 0; r < free.size(); ++r) {
    if (allocation[r] == kNoTask) continue;
    const EntityId entity = waiting[allocation[r]];
    TeamTask& task = *world.edit<TeamTask>(entity);
    task.state = TeamTask::kGiven;
    task.robot_slot = free[r].slot;
    task.robot_generation = free[r].generation;
    ++task.attempts;
    TeamMember& member = *world.edit<TeamMember>(free[r]);
    member.task_slot = entity.slot;
    member.task_generation = entity.generation;
    begin_script(world, free[r], task.program, now);
    emit(world, now, "task_given", free[r], fmt::format("task {}", task.number), table.at(r, allocation[r]));
  }
}

void register_team(Registry& registry) {
  register_allocations(registry);
  add_event(registry, "task_arrived", "a task has arrived; value: its number");
  add_event(registry, "task_given", "a robot was given a task; value: the way to it");
  add_event(registry, "task_done", "a task is done; value: seconds since it arrived");
  add_event(registry, "task_returned", "a task goes to somebody else, because its robot failed");
  add_event(registry, "task_failed", "a task was given up after several attempts");
  const auto count = [](TeamTask::State state) {
    return [state](std::span<const TeamTask> tasks) {
      return static_cast<double>(
          std::count_if(tasks.begin(), tasks.end(), [&](const TeamTask& task) { return task.state == state; }));
    };
  };
  add_metric(registry, "tasks_done", "tasks that are done", "", count(TeamTask::kDone));
  add_metric(registry, "tasks_waiting", "tasks that nobody has yet", "", count(TeamTask::kWaiting));
  add_metric(registry, "tasks_failed", "tasks that were given up", "", count(TeamTask::kFailed));
  add_metric(registry, "task_time", "mean time from arrival to end of the tasks that are done", "s",
             [](std::span<const TeamTask> tasks) {
               double sum = 0;
               double done = 0;
               for (const TeamTask& task : tasks) {
                 if (task.state != TeamTask::kDone) continue;
                 sum += static_cast<double>(task.ended_ns - task.arrived_ns) * 1e-9;
                 ++done;
               }
               return done == 0 ? kNoFigure : sum / done;
             });
}

}  // namespace strata
