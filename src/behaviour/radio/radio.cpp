#include "behaviour/radio/radio.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "behaviour/script/instruction.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr double kBitsPerByte = 8;

void declare_radio(World& world) {
  world.register_component<Radio>(
      "radio",
      {field("range", "m", &Radio::range_m), field("latency", "s", &Radio::latency_s), field("loss", "", &Radio::loss),
       field("rate", "bit/s", &Radio::rate_bps), field("busy", "ns", &Radio::busy_ns),
       field("stream", "", &Radio::stream), field("draws", "", &Radio::draws), field("sent", "", &Radio::sent),
       field("received", "", &Radio::received), field("digest", "", &Radio::digest)});
}

std::vector<std::string>& heard_by(World& world, EntityId robot) {
  std::vector<std::vector<std::string>>& heard = world.table<RadioTraffic>().heard;
  if (robot.slot >= heard.size()) heard.resize(robot.slot + 1);
  return heard[robot.slot];
}

void update_digest(World& world, EntityId robot) {
  std::uint64_t digest = 0;
  for (const std::string& text : heard_by(world, robot)) digest = mix(digest, hash_text(text));
  world.edit<Radio>(robot)->digest = digest;
}

// Everybody with a radio, by id.
std::vector<EntityId> receivers(const World& world, EntityId from, EntityId to) {
  std::vector<EntityId> out;
  for (const EntityId robot : world.pool<Radio>().owners()) {
    if (robot != from && (!to.valid() || robot == to)) out.push_back(robot);
  }
  std::sort(out.begin(), out.end(), [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
  return out;
}

class RadioSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<RadioSystem>());
  }
  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_radio(simulation.world());
  }

  void step(World& world, const Step& step) override {
    std::vector<RadioMessage>& flying = world.table<RadioTraffic>().flying;
    std::vector<RadioMessage> due;
    for (const RadioMessage& message : flying) {
      if (message.at_ns <= step.now.ns()) due.push_back(message);
    }
    if (due.empty()) return;
    std::erase_if(flying, [&](const RadioMessage& message) { return message.at_ns <= step.now.ns(); });
    std::stable_sort(due.begin(), due.end(),
                     [](const RadioMessage& a, const RadioMessage& b) { return a.at_ns < b.at_ns; });
    for (RadioMessage& message : due) deliver(world, message);
  }
  [[nodiscard]] Time due(const World& world, Time /*now*/) const override {
    Time next = Time::never();
    const RadioTraffic* traffic = world.find_table<RadioTraffic>();
    if (traffic == nullptr) return next;
    for (const RadioMessage& message : traffic->flying) next = std::min(next, Time::from_ns(message.at_ns));
    return next;
  }

  void save(std::vector<std::byte>& out) const override {
    const RadioTraffic& traffic = simulation_->world().table<RadioTraffic>();
    put(out, static_cast<std::uint64_t>(traffic.flying.size()));
    for (const RadioMessage& message : traffic.flying) {
      put(out, message.at_ns);
      put(out, message.number);
      put(out, message.from);
      put(out, message.to);
      put_text(out, message.text);
    }
    put(out, static_cast<std::uint64_t>(traffic.heard.size()));
    for (const std::vector<std::string>& texts : traffic.heard) {
      put(out, static_cast<std::uint64_t>(texts.size()));
      for (const std::string& text : texts) put_text(out, text);
    }
  }
  void load(std::span<const std::byte>& in) override {
    RadioTraffic& traffic = simulation_->world().table<RadioTraffic>();
    traffic = {};
    std::uint64_t count = 0;
    bool good = take(in, count);
    for (std::uint64_t i = 0; good && i < count; ++i) {
      RadioMessage& m = traffic.flying.emplace_back();
      good = take(in, m.at_ns) && take(in, m.number) && take(in, m.from) && take(in, m.to) && take_text(in, m.text);
    }
    good = good && take(in, count);
    for (std::uint64_t i = 0; good && i < count; ++i) {
      std::uint64_t texts = 0;
      good = take(in, texts);
      std::vector<std::string>& row = traffic.heard.emplace_back();
      for (std::uint64_t t = 0; good && t < texts; ++t) good = take_text(in, row.emplace_back());
    }
    STRATA_ASSERT(good, "a snapshot of radio traffic is too short");
  }

 private:
  static void deliver(World& world, RadioMessage& message) {
    // A radio that has failed meanwhile hears nothing.
    if (!world.alive(message.to) || !world.has<Radio>(message.to)) return;
    ++world.edit<Radio>(message.to)->received;
    heard_by(world, message.to).push_back(message.text);
    update_digest(world, message.to);
    const Pose* pose = std::as_const(world).get<Pose>(message.to);
    world.emit({Time::from_ns(message.at_ns), "heard", message.to,
                world.alive(message.from) ? message.from : EntityId{}, pose == nullptr ? Vec3{} : pose->position,
                message.text, 0});
  }

  Simulation* simulation_ = nullptr;
};

void add_tell(Registry& registry) {
  InstructionKind tell;
  tell.name = "tell";
  tell.summary = "Sends a text by radio to a robot, or to all in range";
  tell.usage = "tell NAME TEXT, or tell all TEXT";
  tell.needs = "radio";
  tell.read = [](const InstructionWords& words, World& world, EntityId) -> Result<InstructionArgs> {
    if (words.words.size() < 2) return Error{words.where, "it does not say whom and what", "write 'tell NAME TEXT'"};
    InstructionArgs args;
    args.word = words.words.front();
    if (args.word != "all" && !world.find(args.word).valid())
      return Error{words.where, fmt::format("nobody is named '{}'", args.word),
                   "name a robot, or write 'tell all TEXT'"};
    InstructionWords rest = words;
    rest.words.erase(rest.words.begin());
    args.text = rest.joined();
    return args;
  };
  tell.begin = [](ScriptContext& context, const InstructionArgs& args) {
    const EntityId to = args.word == "all" ? EntityId{} : context.world.find(args.word);
    if (args.word != "all" && !to.valid()) return InstructionOutcome::failed("gone", "'" + args.word + "' is gone");
    send_message(context.world, context.robot, to, args.text, context.begin);
    return InstructionOutcome::done(context.begin);
  };
  registry.catalog<InstructionKind>().add(std::move(tell));
}

void add_hear(Registry& registry) {
  InstructionKind hear;
  hear.name = "hear";
  hear.summary = "Waits until it has heard a text by radio";
  hear.usage = "hear TEXT";
  hear.needs = "radio";
  hear.read = [](const InstructionWords& words, World&, EntityId) -> Result<InstructionArgs> {
    if (words.words.empty()) return Error{words.where, "it does not say what to wait for", "write 'hear TEXT'"};
    InstructionArgs args;
    args.text = words.joined();
    return args;
  };
  const auto listen = [](ScriptContext& context, const InstructionArgs& args) {
    if (!context.world.has<Radio>(context.robot))
      return InstructionOutcome::failed("missing_part", "its radio is gone");
    std::vector<std::string>& heard = heard_by(context.world, context.robot);
    const auto found = std::find(heard.begin(), heard.end(), args.text);
    if (found == heard.end()) return InstructionOutcome::busy();
    heard.erase(found);
    update_digest(context.world, context.robot);
    return InstructionOutcome::done(context.now);
  };
  hear.begin = listen;
  hear.poll = listen;
  registry.catalog<InstructionKind>().add(std::move(hear));
}

}  // namespace

bool send_message(World& world, EntityId from, EntityId to, const std::string& text, Time now) {
  if (!world.has<Radio>(from)) return false;
  Radio& radio = *world.edit<Radio>(from);
  const Pose* pose = std::as_const(world).get<Pose>(from);
  ++radio.sent;
  // One message after the other: a slow radio makes the next ones wait.
  const double airtime = static_cast<double>(text.size()) * kBitsPerByte / radio.rate_bps;
  const Time begin = std::max(now, Time::from_ns(radio.busy_ns));
  const Time sent = begin + Duration::from_seconds(airtime);
  radio.busy_ns = sent.ns();
  const std::int64_t at = (sent + Duration::from_seconds(radio.latency_s)).ns();
  for (const EntityId robot : receivers(world, from, to)) {
    const Pose* other = std::as_const(world).get<Pose>(robot);
    if (pose == nullptr || other == nullptr || length(other->position - pose->position) > radio.range_m) continue;
    const auto draw = random_block({radio.stream}, radio.draws++);
    if (to_unit(draw[0], draw[1]) < radio.loss) continue;
    world.table<RadioTraffic>().flying.push_back({at, radio.sent, from, robot, text});
  }
  return true;
}

void register_radio(Registry& registry) {
  ComponentKind kind;
  kind.name = "radio";
  kind.summary = "Sends and hears messages: range, latency, loss and bandwidth";
  kind.params = {
      param::quantity("range", "m", "30 m", "how far its messages reach").above(0),
      param::quantity("latency", "s", "5 ms", "from the end of sending to hearing").at_least(0),
      param::quantity("loss", "", "0 %", "part of the messages that a receiver misses").at_least(0).at_most(1),
      param::quantity("rate", "bit/s", "1 Mbit/s", "its bandwidth").above(0)};
  kind.details = "Gives scripts the instructions 'tell NAME TEXT', 'tell all TEXT' and 'hear TEXT'.";
  kind.systems = {"radio"};
  kind.declare = &declare_radio;
  kind.attach = [](World& world, EntityId robot, const Config& config) -> Result<void> {
    declare_radio(world);
    Radio radio;
    radio.range_m = config.quantity("range");
    radio.latency_s = config.quantity("latency");
    radio.loss = config.quantity("loss");
    radio.rate_bps = config.quantity("rate");
    radio.stream = stream_key(world.seed(), static_cast<std::uint64_t>(world.stable_id(robot)), "radio").value;
    world.add(robot, radio);
    return {};
  };
  registry.catalog<ComponentKind>().add(std::move(kind));
  SystemKind system;
  system.name = "radio";
  system.summary = "Delivers messages between robots";
  system.phase = Phase::kDeliver;
  system.make = &RadioSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  add_tell(registry);
  add_hear(registry);
  add_event(registry, "heard", "a robot hears a message by radio");
}

}  // namespace strata
