#include <fmt/format.h>

#include "behaviour/navigation/navigation.hpp"
#include "behaviour/script/instruction.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"

namespace strata {
namespace {

InstructionOutcome begin_go(ScriptContext& context, const InstructionArgs& args) {
  Vec3 target;
  if (!locate(context.world, args, target))
    return InstructionOutcome::failed("gone", fmt::format("'{}' does not exist any more", args.word));
  if (!context.world.has<Navigator>(context.robot))
    return InstructionOutcome::failed("no_navigator", "it cannot navigate");
  const Pose* pose = context.world.get<Pose>(context.robot);
  if (args.word.empty() || context.world.places().find(args.word) != nullptr) target.z = pose->position.z;
  go_to(context.world, context.robot, target);
  return InstructionOutcome::busy();
}

InstructionOutcome poll_go(ScriptContext& context, const InstructionArgs& args) {
  const Course* course = context.world.get<Course>(context.robot);
  if (course == nullptr) return InstructionOutcome::failed("no_navigator", "it cannot navigate any more");
  switch (course->state) {
    case Course::kArrived:
      return InstructionOutcome::done(Time::from_ns(course->end_ns));
    case Course::kNotFound:
      return InstructionOutcome::failed("path_not_found", fmt::format("no way to {}", args.text));
    case Course::kBlocked:
      return InstructionOutcome::failed("blocked", fmt::format("does not get on to {}", args.text));
    case Course::kNone:
      return InstructionOutcome::failed("stopped", "somebody stopped it");
    default:
      return InstructionOutcome::busy();
  }
}

Result<InstructionArgs> read_duration(const InstructionWords& words, World& /*world*/, EntityId /*robot*/) {
  const Result<Duration> time = parse_duration(words.joined());
  if (!time.ok() || *time < Duration{})
    return Error{words.where, fmt::format("'{}' is not a time to wait", words.joined()),
                 "write for example 'wait 5 s'"};
  InstructionArgs args;
  args.number = time->seconds();
  args.text = words.joined();
  return args;
}

void add_go(Registry& registry) {
  InstructionKind go;
  go.name = "go";
  go.summary = "Goes to a place, a thing, a robot or a point";
  go.usage = "go PLACE, or go X Y";
  go.needs = "navigator";
  go.read = [](const InstructionWords& words, World& world, EntityId) { return read_target(words, world); };
  go.begin = &begin_go;
  go.poll = &poll_go;
  go.cancel = &stop_going;
  go.place = &locate;
  registry.catalog<InstructionKind>().add(std::move(go));
}

void add_wait(Registry& registry) {
  InstructionKind wait;
  wait.name = "wait";
  wait.summary = "Does nothing for a time";
  wait.usage = "wait 5 s";
  wait.read = &read_duration;
  const auto until = [](ScriptContext& context, const InstructionArgs& args) {
    const Time end = context.begin + Duration::from_seconds(args.number);
    return end <= context.now ? InstructionOutcome::done(end) : InstructionOutcome::busy(end);
  };
  wait.begin = until;
  wait.poll = until;
  registry.catalog<InstructionKind>().add(std::move(wait));
}

void add_say(Registry& registry) {
  InstructionKind say;
  say.name = "say";
  say.summary = "Reports an event 'said' with a text";
  say.usage = "say TEXT";
  say.read = [](const InstructionWords& words, World&, EntityId) -> Result<InstructionArgs> {
    if (words.words.empty()) return Error{words.where, "nothing to say", "write 'say TEXT'"};
    InstructionArgs args;
    args.text = words.joined();
    return args;
  };
  say.begin = [](ScriptContext& context, const InstructionArgs& args) {
    const Pose* pose = context.world.get<Pose>(context.robot);
    context.world.emit(
        {context.begin, "said", context.robot, {}, pose == nullptr ? Vec3{} : pose->position, args.text, 0});
    return InstructionOutcome::done(context.begin);
  };
  registry.catalog<InstructionKind>().add(std::move(say));
}

}  // namespace

std::string InstructionWords::joined() const {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void add_error(Registry& registry, std::string name, std::string summary) {
  ErrorKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  registry.catalog<ErrorKind>().add(std::move(kind));
}

Result<InstructionArgs> read_target(const InstructionWords& words, const World& world) {
  InstructionArgs args;
  args.text = words.joined();
  if (words.words.size() == 2 || words.words.size() == 3) {
    double numbers[3] = {0, 0, 0};
    for (std::size_t i = 0; i < words.words.size(); ++i) {
      const Result<double> number = parse_number(words.words[i]);
      if (!number.ok())
        return Error{words.where, fmt::format("'{}' is not a point", args.text), "write a name, or x and y in metres"};
      numbers[i] = *number;
    }
    args.point = {numbers[0], numbers[1], numbers[2]};
    return args;
  }
  if (words.words.size() != 1) return Error{words.where, "it does not say where", "write a name, or x and y in metres"};
  args.word = words.words.front();
  if (world.places().find(args.word) != nullptr || world.find(args.word).valid()) return args;
  std::vector<std::string> known = world.places().tags();
  for (const Item& item : world.places().items) known.push_back(item.name);
  return Error{words.where, fmt::format("there is no place '{}'", args.word), suggestion(args.word, known)};
}

bool locate(const World& world, const InstructionArgs& target, Vec3& out) {
  out = target.point;
  if (target.word.empty()) return true;
  if (const Vec3* place = world.places().find(target.word)) {
    out = *place;
    return true;
  }
  const EntityId entity = world.find(target.word);
  const Pose* pose = entity.valid() ? world.get<Pose>(entity) : nullptr;
  if (pose == nullptr) return false;
  out = pose->position;
  return true;
}

void register_basic_instructions(Registry& registry) {
  add_go(registry);
  add_wait(registry);
  add_say(registry);
  add_event(registry, "said", "a script says something");
  add_error(registry, "path_not_found", "there is no way to the target");
  add_error(registry, "blocked", "it makes no progress on its way");
  add_error(registry, "gone", "what it is about does not exist any more");
  add_error(registry, "no_navigator", "it cannot navigate, or not any more");
  add_error(registry, "stopped", "somebody else stopped it on its way");
}

}  // namespace strata
