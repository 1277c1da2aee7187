#include "world/heartbeat.hpp"

#include "kernel/process.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

class HeartbeatSystem final : public System {
 public:
  HeartbeatSystem(Duration every, std::string text) : every_(every), text_(std::move(text)) {}
  static Result<std::unique_ptr<System>> make(const Config& config) {
    return std::unique_ptr<System>(
        std::make_unique<HeartbeatSystem>(config.duration("every"), config.has("text") ? config.text("text") : ""));
  }

  void start(Simulation& simulation) override {
    World& world = simulation.world();
    world.register_component<Heartbeat>(
        "heartbeat", {field("next", "ns", &Heartbeat::next_ns), field("count", "", &Heartbeat::count)});
    heart_ = world.create();
    world.add(heart_, Heartbeat{(simulation.now() + every_).ns(), 0});
    simulation.kernel().spawn("heartbeat", beat(simulation));
  }
  // The process does the work; a step puts its state into the hash.
  void step(World& /*world*/, const Step& /*step*/) override {}
  [[nodiscard]] Time due(const World& world, Time /*now*/) const override {
    const Heartbeat* heart = world.get<Heartbeat>(heart_);
    return heart == nullptr ? Time::never() : Time::from_ns(heart->next_ns);
  }

 private:
  Process beat(Simulation& simulation) {
    while (true) {
      co_await simulation.kernel().delay(every_);
      Heartbeat* heart = simulation.world().edit<Heartbeat>(heart_);
      if (heart == nullptr) co_return;
      heart->next_ns = (simulation.now() + every_).ns();
      ++heart->count;
      simulation.world().emit(
          {simulation.now(), "heartbeat", heart_, {}, {}, text_, static_cast<double>(heart->count)});
    }
  }

  Duration every_;
  std::string text_;
  EntityId heart_;
};

}  // namespace

void register_heartbeat(Registry& registry) {
  SystemKind kind;
  kind.name = "heartbeat";
  kind.summary = "Reports an event at a fixed interval; time jumps from beat to beat";
  kind.params = {param::quantity("every", "s", "1 s", "between two beats").at_least(1e-9).at_most(9.2e9),
                 param::text("text", "", "goes with each event")};
  kind.phase = Phase::kPlan;
  kind.make = &HeartbeatSystem::make;
  registry.catalog<SystemKind>().add(std::move(kind));
  add_event(registry, "heartbeat", "a heartbeat system's interval has passed; value: how often");
}

}  // namespace strata
