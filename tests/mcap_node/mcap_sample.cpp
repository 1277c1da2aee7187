// mcap_sample FOLDER: records a small simulation once per compression, and writes beside each recording what our own
// reader finds in it, as JSON.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "record/mcap_reader.hpp"
#include "record/mcap_sink.hpp"
#include "record/metrics.hpp"
#include "record/publishers.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

void add_robots(World& world, int count) {
  const std::uint32_t round = world.shapes().add({circle_shape(0.2, 0.4)});
  for (int i = 0; i < count; ++i) {
    const EntityId robot = world.create("robot" + std::to_string(i + 1));
    Pose pose;
    pose.position = {1.0 * i, 0.25 * i, 0};
    Velocity velocity;
    velocity.linear = {0.1, 0.5, 0};
    Body body;
    body.radius = 0.2;
    body.high = 0.4;
    body.shape_set = round;
    Battery battery;
    battery.capacity_j = 100;
    battery.left_j = 60;
    world.add<Pose>(robot, pose);
    world.add<Velocity>(robot, velocity);
    world.add<Body>(robot, body);
    world.add<Robot>(robot);
    world.add<Battery>(robot, battery);
  }
}

void add_box(World& world) {
  const EntityId box = world.create("box");
  Pose pose;
  pose.position = {-5, -5, 0};
  Body body;
  body.shape_set = world.shapes().add({box_shape(2, 1, 1)});
  body.radius = world.shapes().set(body.shape_set).radius;
  body.high = 1;
  world.add<Pose>(box, pose);
  world.add<Body>(box, body);
}

Result<void> record(const RunFolder& folder, Compression compression) {
  SimulationSpec spec;
  spec.step = 50ms;
  Simulation simulation(spec);
  add_robots(simulation.world(), 40);
  add_box(simulation.world());
  Catalog<MetricKind> metrics;
  MetricKind count;
  count.name = "robots";
  count.global = [](const Simulation& s) { return static_cast<double>(s.world().pool<Robot>().size()); };
  metrics.add(count);
  simulation.add_system("poses", Phase::kRecord, 0, std::make_unique<PosePublisher>(100ms, nullptr));
  simulation.add_system("battery", Phase::kRecord, 0, std::make_unique<BatteryPublisher>(1s));
  simulation.add_system("metrics", Phase::kRecord, 0, std::make_unique<MetricSystem>(metrics, 1s, std::nullopt));
  const EventPublisher events(simulation, {});
  McapSink::Options options;
  options.mcap.compression = compression;
  options.mcap.chunk_bytes = 1U << 16U;
  McapSink sink(options);
  if (Result<void> opened = sink.open(simulation.channels(), folder, {{"scenario", "sample"}}); !opened) return opened;
  sink.attach("map.json", "application/json", "{\"fixed\":[]}");
  simulation.world().emit({Time(), "hello", simulation.world().find("robot1"), {}, {1, 2, 3}, "h\u00e9llo <b>", 0});
  simulation.start();
  simulation.run_until(Time() + 20s);
  simulation.finish();
  const auto report = sink.close({{"hash", "0123456789abcdef"}});
  return report ? Result<void>() : Result<void>(report.errors());
}

Result<Json> inspect(const std::filesystem::path& path, Compression compression) {
  auto reader = McapReader::open(path);
  if (!reader) return reader.errors();
  Json topics = Json::object();
  for (const auto& [id, channel] : reader->channels())
    topics[channel.topic] = {{"schema", reader->schema_of(channel)->name},
                             {"messages", 0},
                             {"bytes", 0},
                             {"first_ns", nullptr},
                             {"last_ns", nullptr}};
  std::size_t messages = 0;
  std::size_t transforms = 0;
  std::size_t markers = 0;
  double sum_x = 0;
  Json event;
  reader->for_each({}, [&](const McapMessage& message) {
    ++messages;
    Json& topic = topics[message.channel.topic];
    topic["messages"] = topic["messages"].get<std::size_t>() + 1;
    topic["bytes"] = topic["bytes"].get<std::size_t>() + message.data.size();
    if (topic["first_ns"].is_null()) topic["first_ns"] = message.time.ns();
    topic["last_ns"] = message.time.ns();
    if (message.channel.topic == "/tf") {
      const auto tf = ros1::decode_tf(message.data);
      transforms += tf->transforms.size();
      double sum = 0;
      for (const ros1::TransformStamped& t : tf->transforms) sum += t.translation.x;
      sum_x += sum;
    } else if (message.channel.topic == "/events") {
      const auto decoded = ros1::decode_event(message.data);
      event = {{"name", decoded->name}, {"entity", decoded->entity}, {"text", decoded->text}};
    } else if (message.channel.topic == "/bodies") {
      markers += ByteReader(message.data).number<std::uint32_t>();
    }
    return true;
  });
  Json metadata;
  for (const char* name : {"strata.run", "strata.result"}) metadata[name] = *reader->metadata(name);
  return Json{{"profile", reader->profile()},
              {"messages", messages},
              {"chunks", reader->chunk_count()},
              {"compression", Json::array({mcap_name(compression)})},
              {"topics", std::move(topics)},
              {"transforms", transforms},
              {"sum_x", sum_x},
              {"event", std::move(event)},
              {"markers", markers},
              {"metadata", std::move(metadata)},
              {"attachments", {{"map.json", *reader->attachment("map.json")}}}};
}

Result<void> make(const std::filesystem::path& base, const std::string& name, Compression compression) {
  auto folder = RunFolder::create(base / (name + ".run"), name);
  if (!folder) return folder.errors();
  if (Result<void> recorded = record(*folder, compression); !recorded) return recorded;
  const std::filesystem::path path = base / (name + ".mcap");
  std::filesystem::rename(folder->file(RunFolder::kRecording), path);
  const auto found = inspect(path, compression);
  if (!found) return found.errors();
  return write_whole(base / (name + ".json"), found->dump(1));
}

}  // namespace
}  // namespace strata

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: mcap_sample FOLDER\n");
    return 2;
  }
  using strata::Compression;
  for (const auto& [name, compression] :
       {std::pair{"none", Compression::kNone}, {"lz4", Compression::kLz4}, {"zstd", Compression::kZstd}})
    if (const auto made = strata::make(arguments[1], name, compression); !made) {
      std::fprintf(stderr, "%s\n", strata::to_text(made.errors()).c_str());
      return 1;
    }
  return 0;
}
