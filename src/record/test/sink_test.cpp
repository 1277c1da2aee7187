// Sinks, publishers and metrics on a small simulation of two robots and a wall.
#include "record/sink.hpp"

#include <atomic>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "record/channel_queue.hpp"
#include "record/csv_sink.hpp"
#include "record/mcap_reader.hpp"
#include "record/mcap_sink.hpp"
#include "record/metrics.hpp"
#include "record/publishers.hpp"
#include "test_folder.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

SimulationSpec tenth_steps() {
  SimulationSpec spec;
  spec.step = 50ms;
  return spec;
}

class SmallWorld {
 public:
  explicit SmallWorld(int robots = 2) {
    World& world = simulation.world();
    const EntityId wall = world.create("wall");
    const std::uint32_t wall_shape = world.shapes().add({segment_shape({-5, 0}, {5, 0}, 0.1, 1)});
    world.add<Pose>(wall, {{0, -3, 0}, {}});
    set_body(world, wall, wall_shape);
    const std::uint32_t round = world.shapes().add({circle_shape(0.2, 0.4)});
    for (int i = 0; i < robots; ++i) {
      const EntityId robot = world.create("robot" + std::to_string(i + 1));
      world.add<Pose>(robot, {{1.0 * i, 0, 0}, {}});
      world.add<Velocity>(robot, {{0, 0.5, 0}, {}});
      set_body(world, robot, round);
      world.add<Robot>(robot, {0, static_cast<std::uint32_t>(i)});
      world.add<Odometer>(robot);
      world.add<Contact>(robot);
      Battery battery;
      battery.capacity_j = 100;
      battery.left_j = 50;
      world.add<Battery>(robot, battery);
      robots_.push_back(robot);
    }
  }
  void run(Duration time) {
    simulation.start();
    simulation.run_until(Time() + time);
    simulation.finish();
  }
  Simulation simulation{tenth_steps()};
  std::vector<EntityId> robots_;
};

TEST(McapSink, RecordsWhatIsPublished) {
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  ASSERT_TRUE(folder.ok());
  SmallWorld small;
  Trajectories trajectories;
  small.simulation.add_system("record.poses", Phase::kRecord, 0, std::make_unique<PosePublisher>(100ms, &trajectories));
  small.simulation.add_system("record.battery", Phase::kRecord, 0, std::make_unique<BatteryPublisher>(1s));
  EventPublisher events(small.simulation, {});
  McapSink sink({});
  ASSERT_TRUE(sink.open(small.simulation.channels(), *folder, {{"scenario", "x"}}).ok());
  sink.attach("map.json", "application/json", "{}");
  small.simulation.world().emit({Time(), "hello", small.robots_[0], small.robots_[1], {1, 2, 3}, "words", 0});
  small.run(2s);
  const auto report = sink.close({{"hash", "00ff"}});
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->messages, 20U);
  EXPECT_GT(report->high_water_bytes, 0U);
  EXPECT_TRUE(report->warnings.empty());

  auto reader = McapReader::open(folder->file(RunFolder::kRecording));
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->complete());
  EXPECT_EQ(reader->metadata("strata.run")->at("scenario"), "x");
  EXPECT_EQ(reader->metadata("strata.result")->at("hash"), "00ff");
  auto counts = reader->count();
  EXPECT_EQ(counts["/tf"], 21U);
  EXPECT_EQ(counts["/tf_static"], 1U);
  EXPECT_EQ(counts["/bodies"], 1U);
  EXPECT_EQ(counts["/events"], 1U);
  EXPECT_EQ(counts["/robot1/battery"], 3U);
  EXPECT_EQ(counts["/robot2/battery"], 3U);

  int seen = 0;
  reader->for_each({"/tf"}, [&](const McapMessage& message) {
    const auto tf = ros1::decode_tf(message.data);
    EXPECT_TRUE(tf.ok());
    EXPECT_EQ(tf->transforms.size(), 2U);
    EXPECT_EQ(tf->transforms[1].child_frame_id, "robot2");
    EXPECT_EQ(tf->transforms[1].header.frame_id, "map");
    EXPECT_NEAR(tf->transforms[1].translation.y, 0.5 * message.time.seconds(), 1e-9);
    EXPECT_EQ(message.time.ns(), seen * 100'000'000LL);
    return ++seen, true;
  });
  reader->for_each({"/events"}, [&](const McapMessage& message) {
    const auto event = ros1::decode_event(message.data);
    EXPECT_TRUE(event.ok());
    EXPECT_EQ(event->name, "hello");
    EXPECT_EQ(event->entity, "robot1");
    EXPECT_EQ(event->other, "robot2");
    return true;
  });
  reader->for_each({"/robot1/battery"}, [&](const McapMessage& message) {
    EXPECT_EQ(ros1::decode_battery_state(message.data)->fraction, 0.5F);
    return true;
  });
  EXPECT_EQ(trajectories.moments().size(), 21U);
  EXPECT_EQ(trajectories.names(), (std::vector<std::string>{"robot1", "robot2"}));
}

TEST(McapSink, RecordsOnlyTheChannelsAskedFor) {
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  SmallWorld small;
  small.simulation.add_system("p", Phase::kRecord, 0, std::make_unique<PosePublisher>(100ms, nullptr));
  McapSink::Options options;
  options.channels = {"/tf_*"};
  McapSink sink(options);
  ASSERT_TRUE(sink.open(small.simulation.channels(), *folder, {}).ok());
  small.run(1s);
  ASSERT_TRUE(sink.close({}).ok());
  auto reader = McapReader::open(folder->file(RunFolder::kRecording));
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->find("/tf"), nullptr);
  EXPECT_TRUE(matches_channel("/a", "/a"));
  EXPECT_FALSE(matches_channel("/a", "/ab"));
  EXPECT_TRUE(matches_channel("*", "/ab"));
}

TEST(McapSink, AFullDiskIsToldOnceAtTheEnd) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  std::filesystem::create_symlink("/dev/full", folder->file(RunFolder::kRecording));
  SmallWorld small;
  McapSink sink({});
  const auto opened = sink.open(small.simulation.channels(), *folder, {});
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(to_text(opened.errors()), HasSubstr("No space left"));
}

TEST(Publishers, LeaveTheStateHashAlone) {
  const auto hash_of = [](bool recorded) {
    SmallWorld small;
    if (recorded) {
      small.simulation.add_system("p", Phase::kRecord, 0, std::make_unique<PosePublisher>(70ms, nullptr));
      small.simulation.add_system("b", Phase::kRecord, 0, std::make_unique<BatteryPublisher>(1s));
    }
    const auto listener =
        small.simulation.channels().subscribe([](const ChannelInfo&, Time, const std::shared_ptr<const void>&) {});
    small.run(3s);
    return small.simulation.hash();
  };
  EXPECT_EQ(hash_of(true), hash_of(false));
}

TEST(Publishers, FollowTheStructureOfTheWorld) {
  SmallWorld small;
  std::vector<std::vector<std::string>> names;
  small.simulation.add_system("p", Phase::kRecord, 0, std::make_unique<PosePublisher>(1s, nullptr));
  const auto listener =
      small.simulation.channels().listen<TransformSample>("/tf", [&](Time, const TransformSample& sample) {
        names.push_back(sample.frames->children());
        EXPECT_EQ(sample.poses.size(), sample.frames->size());
      });
  small.simulation.start();
  small.simulation.run_until(Time() + 1500ms);
  World& world = small.simulation.world();
  world.destroy(small.robots_[0]);
  const EntityId late = world.spawn(kEnvironment, "late");
  world.add<Pose>(late);
  world.add<Robot>(late);
  small.simulation.run_until(Time() + 2500ms);
  small.simulation.finish();
  ASSERT_GE(names.size(), 3U);
  EXPECT_EQ(names[1], (std::vector<std::string>{"robot1", "robot2"}));
  EXPECT_THAT(names[2], testing::UnorderedElementsAre("late", "robot2"));
}

TEST(Publishers, LargeFleetsShareOneBatteryMessage) {
  SmallWorld small(static_cast<int>(BatteryPublisher::kSingleBatteries) + 1);
  small.simulation.add_system("b", Phase::kRecord, 0, std::make_unique<BatteryPublisher>(1s));
  std::size_t samples = 0;
  const auto listener = small.simulation.channels().subscribe(
      [&](const ChannelInfo& info, Time, const std::shared_ptr<const void>& message) {
        EXPECT_EQ(info.name, "/battery");
        Bytes bytes;
        info.schema->encode(message.get(), bytes);
        const auto fleet = ros1::decode_battery_fleet(bytes);
        ASSERT_TRUE(fleet.ok());
        EXPECT_EQ(fleet->names.size(), BatteryPublisher::kSingleBatteries + 1);
        EXPECT_EQ(fleet->left_j[7], 50);
        ++samples;
      });
  small.run(2s);
  EXPECT_EQ(samples, 3U);
}

TEST(ChannelQueue, KeepsTheOrderAndLosesNothing) {
  Channels channels;
  const auto channel = channels.declare<int>({"/n", nullptr, Phase::kRecord, {}});
  std::vector<int> got;
  ChannelQueue queue;
  queue.start(channels, {}, [&](const ChannelInfo&, Time, const void* message) {
    got.push_back(*static_cast<const int*>(message));
    return std::size_t{4};
  });
  for (int i = 0; i < 20'000; ++i) channel.publish(Time::from_ns(i), std::make_shared<const int>(i));
  queue.stop();
  channel.publish(Time(), std::make_shared<const int>(-1));
  ASSERT_EQ(got.size(), 20'000U);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(queue.taken(), 20'000U);
}

TEST(ChannelQueue, ASlowConsumerDoesNotStallThePublisher) {
  Channels channels;
  const auto channel = channels.declare<int>({"/n", nullptr, Phase::kRecord, {}});
  std::atomic<bool> go{false};
  std::size_t consumed = 0;
  ChannelQueue queue;
  queue.start(channels, {}, [&](const ChannelInfo&, Time, const void*) {
    while (!go) std::this_thread::yield();
    ++consumed;
    return std::size_t{1000};
  });
  for (int i = 0; i < 1000; ++i) channel.publish(Time(), std::make_shared<const int>(i));
  go = true;
  queue.stop();
  EXPECT_EQ(consumed, 1000U);
  EXPECT_GE(queue.high_water_bytes(), 900U * 64);
}

TEST(CsvSink, WritesTables) {
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  SmallWorld small;
  small.simulation.add_system("p", Phase::kRecord, 0, std::make_unique<PosePublisher>(500ms, nullptr));
  small.simulation.add_system("b", Phase::kRecord, 0, std::make_unique<BatteryPublisher>(1s));
  EventPublisher events(small.simulation, {"wanted"});
  CsvSink sink;
  ASSERT_TRUE(sink.open(small.simulation.channels(), *folder, {}).ok());
  small.simulation.world().emit({Time(), "wanted", small.robots_[0], {}, {}, "a, \"b\"", 0});
  small.simulation.world().emit({Time(), "unwanted", small.robots_[0], {}, {}, "", 0});
  small.run(1s);
  const auto report = sink.close({});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->files, testing::UnorderedElementsAre("poses.csv", "events.csv", "battery.csv"));
  const auto poses = parse_csv(*folder->read("poses.csv"), "poses.csv");
  ASSERT_TRUE(poses.ok());
  EXPECT_EQ(poses->rows.size(), 1U + 3U * 2U) << "the wall once, two robots three times";
  const auto event_table = parse_csv(*folder->read("events.csv"), "events.csv");
  ASSERT_EQ(event_table->rows.size(), 1U);
  EXPECT_EQ(event_table->rows[0].back(), "a, \"b\"");
  EXPECT_EQ(parse_csv(*folder->read("battery.csv"), "battery.csv")->rows.size(), 4U);
}

TEST(SinkKinds, AreInTheCatalogAndCheckTheirParameters) {
  Registry registry;
  register_record_kinds(registry);
  const SinkKind* mcap = registry.catalog<SinkKind>().find("mcap");
  ASSERT_NE(mcap, nullptr);
  ASSERT_NE(registry.catalog<SinkKind>().find("csv"), nullptr);
  const auto defaults = Config::check({}, mcap->params);
  ASSERT_TRUE(defaults.ok());
  EXPECT_TRUE(mcap->make(*defaults).ok());
  Value wrong = Value::map();
  wrong.set("compression", Value::scalar("zip"));
  EXPECT_FALSE(Config::check(wrong, mcap->params).ok());
}

TEST(Metrics, AreSampledWrittenAndReadBack) {
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  Catalog<MetricKind> kinds;
  MetricKind height;
  height.name = "height";
  height.unit = "m";
  height.per_entity = [](const World& world, std::span<const EntityId> entities, std::span<double> figures) {
    for (std::size_t i = 0; i < entities.size(); ++i) {
      const Vec3& at = world.get<Pose>(entities[i])->position;
      figures[i] = world.name(entities[i]) == "robot3" ? kNoFigure : at.x + at.y;
    }
  };
  kinds.add(height);
  MetricKind count;
  count.name = "robots";
  count.global = [](const Simulation& simulation) {
    return static_cast<double>(simulation.world().pool<Robot>().size());
  };
  kinds.add(count);
  SmallWorld small(3);
  auto owned = std::make_unique<MetricSystem>(kinds, 1s, folder->file(RunFolder::kMetrics));
  MetricSystem& metrics = *owned;
  small.simulation.add_system("m", Phase::kRecord, 0, std::move(owned));
  small.run(2500ms);
  EXPECT_TRUE(metrics.errors().empty());
  const MetricTable& table = metrics.table();
  ASSERT_EQ(table.times().size(), 4U) << "0, 1, 2 and the end";
  EXPECT_EQ(table.times().back().ns(), 2'500'000'000);
  EXPECT_NEAR(table.find("height.mean")->values[2], 1.0 + 0.5, 1e-9);
  EXPECT_NEAR(table.find("height.max")->values[2], 2.0, 1e-9);
  EXPECT_EQ(table.find("robots")->values[0], 3);
  EXPECT_EQ(table.find("other"), nullptr);

  const auto text = folder->read(RunFolder::kMetrics);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text,
              testing::StartsWith("time_s,height.mean,height.min,height.max,height.sum,robots\n0,0.5,0,1,1,3\n"));
  const auto back = MetricTable::from_csv(*text, "metrics.csv");
  ASSERT_TRUE(back.ok());
  for (std::size_t i = 0; i < table.columns().size(); ++i)
    EXPECT_EQ(back->columns()[i].values, table.columns()[i].values);
  MetricTable described = *back;
  described.describe(kinds);
  EXPECT_EQ(described.find("height.max")->unit, "m");
  EXPECT_FALSE(MetricTable::from_csv("a,b\n1,2\n", "x").ok());
}

TEST(Metrics, WithoutAnybodyThereIsNoValue) {
  Catalog<MetricKind> kinds;
  MetricKind kind;
  kind.name = "m";
  kind.per_entity = figure_of<Robot>([](const Robot&) { return 1.0; });
  kinds.add(kind);
  Simulation simulation{tenth_steps()};
  auto owned = std::make_unique<MetricSystem>(kinds, 1s, std::nullopt);
  MetricSystem& metrics = *owned;
  simulation.add_system("m", Phase::kRecord, 0, std::move(owned));
  simulation.start();
  simulation.finish();
  EXPECT_TRUE(std::isnan(metrics.table().find("m.mean")->values[0]));
  EXPECT_EQ(metrics.table().csv_row(0), "0,,,,0");
}

}  // namespace
}  // namespace strata
