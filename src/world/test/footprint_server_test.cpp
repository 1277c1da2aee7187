#include "world/footprint_server.hpp"

#include <gtest/gtest.h>

#include "world/test/crowd.hpp"

namespace strata {
namespace {

using testing::add_mover;
using testing::add_static;
using testing::make_crowd;
using testing::spec_of;

double final_x(std::vector<Shape> shapes, double speed, double step_s, double y, double yaw_rate) {
  Simulation simulation(spec_of(step_s));
  World& world = simulation.world();
  add_static(world, {segment_shape({5, -50}, {5, 50}, 0.001, 1)});
  const EntityId robot = add_mover(world, std::move(shapes), {0, y, 0}, {speed, 0, 0}, yaw_rate);
  simulation.start();
  simulation.run_until(Time::from_seconds(std::max(20 / speed, 3 * step_s)));
  EXPECT_EQ(simulation.event_count("collision"), 1U);
  return world.get<Pose>(robot)->position.x;
}

TEST(FootprintServer, nothing_tunnels_through_a_thin_wall_at_any_speed_and_step) {
  for (const double step_s : {0.001, 0.01, 0.05, 0.2, 1.0, 10.0}) {
    for (const double speed : {0.3, 3.0, 300.0, 1e5}) {
      if (20 / speed / step_s > 20'000) continue;
      // Far from the wall's ends, where only a part of it is near.
      for (const double y : {-37.3, 0.0, 49.0}) {
        EXPECT_NEAR(final_x({circle_shape(0.1, 1)}, speed, step_s, y, 0), 5 - 0.0005 - 0.1, 2e-5)
            << speed << " " << step_s << " " << y;
        EXPECT_LT(final_x({box_shape(0.2, 0.2, 1)}, speed, step_s, y, 0), 5 - 0.0005 - 0.0999);
      }
    }
  }
}

TEST(FootprintServer, a_turning_box_stops_at_a_wall_without_touching_through_it) {
  Simulation simulation(spec_of(0.05));
  World& world = simulation.world();
  const EntityId wall = add_static(world, {segment_shape({1, -5}, {1, 5}, 0.01, 1)});
  const EntityId box = add_mover(world, {box_shape(1.6, 0.1, 1)}, {0.3, 0, 0}, {}, 0);
  // Its long side along the wall, it cannot turn by more than the room allows.
  world.add(box, Pose{{0.3, 0, 0}, math::from_yaw(math::kPi / 2)});
  world.add(box, Velocity{{}, {0, 0, 1}});
  simulation.start();
  simulation.run_until(Time::from_seconds(3));
  EXPECT_TRUE(simulation.server().overlaps(world).empty());
  EXPECT_EQ(simulation.event_count("collision"), 1U);
  EXPECT_EQ(world.get<Contact>(box)->other_slot, wall.slot);
}

TEST(FootprintServer, a_collision_names_both_the_point_and_the_time) {
  Simulation simulation(spec_of(0.1));
  World& world = simulation.world();
  const EntityId a = add_mover(world, {circle_shape(0.5, 1)}, {0, 0, 0}, {1, 0, 0});
  const EntityId b = add_mover(world, {circle_shape(0.5, 1)}, {3.05, 0, 0}, {-1, 0, 0});
  std::vector<WorldEvent> events;
  simulation.on_event([&](const WorldEvent& event) { events.push_back(event); });
  simulation.start();
  simulation.run_until(Time::from_seconds(5));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].name, "collision");
  EXPECT_EQ(events[0].entity, a);
  EXPECT_EQ(events[0].other, b);
  EXPECT_NEAR(events[0].time.seconds(), 1.025, 1e-4);
  EXPECT_NEAR(events[0].point.x, 1.525, 1e-4);
  EXPECT_EQ(world.get<Contact>(a)->touched, 1U);
  EXPECT_EQ(world.get<Contact>(b)->touched, 1U);
}

TEST(FootprintServer, drones_fly_over_what_ground_robots_run_into) {
  Simulation simulation(spec_of(0.1));
  World& world = simulation.world();
  add_static(world, {segment_shape({2, -5}, {2, 5}, 0.1, 1)});
  const EntityId ground = add_mover(world, {circle_shape(0.2, 0.5)}, {0, 0, 0}, {1, 0, 0});
  const EntityId drone = add_mover(world, {circle_shape(0.2, 0.5)}, {0, 0, 1.5}, {1, 0, 0});
  const EntityId sinking = add_mover(world, {circle_shape(0.2, 0.5)}, {2, 2, 5}, {0, 0, -1});
  simulation.start();
  simulation.run_until(Time::from_seconds(6));
  EXPECT_LT(world.get<Pose>(ground)->position.x, 2);
  EXPECT_NEAR(world.get<Pose>(drone)->position.x, 6, 1e-9);
  EXPECT_NEAR(world.get<Pose>(sinking)->position.z, 1, 1e-3);
}

TEST(FootprintServer, crowds_of_any_shape_never_overlap) {
  for (const double step_s : {0.01, 0.05, 0.2}) {
    const auto simulation = make_crowd(spec_of(step_s, 1, 11), 100, 12);
    for (int i = 0; i < 150; ++i) {
      simulation->run_until(simulation->now() + simulation->spec().step);
      ASSERT_TRUE(simulation->server().overlaps(simulation->world()).empty()) << "step " << i << " of " << step_s;
    }
    EXPECT_GT(simulation->event_count("collision"), 20U);
    double way = 0;
    for (const Odometer& odometer : simulation->world().pool<Odometer>().rows()) way += odometer.distance_m;
    EXPECT_GT(way, 100 * 150 * step_s * 0.1) << "they do get around";
  }
}

TEST(FootprintServer, the_index_finds_what_testing_every_pair_finds) {
  const auto fast = make_crowd(spec_of(0.1), 150, 12);
  const auto slow = make_crowd(spec_of(0.1), 150, 12, std::make_unique<FootprintServer>(FootprintServer::Spec{true}));
  fast->run_until(Time::from_seconds(20));
  slow->run_until(Time::from_seconds(20));
  EXPECT_EQ(fast->hash(), slow->hash());
  EXPECT_EQ(fast->event_count("collision"), slow->event_count("collision"));
}

TEST(FootprintServer, small_and_huge_bodies_and_far_groups_share_an_index) {
  const auto build = [](bool brute) {
    auto simulation = std::make_unique<Simulation>(spec_of(0.1));
    simulation->set_server(std::make_unique<FootprintServer>(FootprintServer::Spec{brute}));
    World& world = simulation->world();
    RandomStream random(1, 1, "place");
    add_mover(world, {box_shape(30, 10, 3)}, {0, 0, 0}, {2, 0, 0}, 0.2);
    for (int i = 0; i < 200; ++i) {
      const double far = i % 2 == 0 ? 0 : 50'000;
      const double x = far + 20 + random.uniform(0, 40);
      const double y = random.uniform(-20, 20);
      const double speed = random.uniform(-30, 30);
      add_mover(world, {circle_shape(0.05 + 0.01 * (i % 7), 1)}, {x, y, 0}, {speed, 1, 0});
    }
    simulation->start();
    simulation->run_until(Time::from_seconds(10));
    return simulation;
  };
  const auto fast = build(false);
  const auto slow = build(true);
  EXPECT_EQ(fast->hash(), slow->hash());
  EXPECT_TRUE(fast->server().overlaps(fast->world()).empty());
  EXPECT_GT(fast->event_count("collision"), 5U);
}

TEST(FootprintServer, fans_and_single_rays_agree_with_every_pair_tested) {
  const auto fast = make_crowd(spec_of(0.1), 150, 12);
  const auto slow = make_crowd(spec_of(0.1), 150, 12, std::make_unique<FootprintServer>(FootprintServer::Spec{true}));
  fast->run_until(Time::from_seconds(2));
  slow->run_until(Time::from_seconds(2));
  const World& world = fast->world();
  RandomStream random(9, 9, "rays");
  std::size_t hits_seen = 0;
  for (const FanPattern& pattern : {FanPattern::make(0, math::kTau / 24, 24), FanPattern::make(-1, 2.0 / 30, 31),
                                    FanPattern::make(-math::kPi, math::kTau / 100, 100)}) {
    for (int i = 0; i < 200; ++i) {
      const double x = random.uniform(0.2, 11.8);
      const double y = random.uniform(0.2, 11.8);
      const double range = random.uniform(0.1, 8);
      const Vec2 heading = math::unit(random.uniform(0, math::kTau));
      const RayFan fan{{x, y, 0.3}, heading, &pattern, range, {}};
      std::vector<RayHit> a(pattern.directions.size(), RayHit{range, {}});
      std::vector<RayHit> b = a;
      fast->server().cast(world, fan, a);
      slow->server().cast(slow->world(), fan, b);
      for (std::size_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(a[k].distance_m, b[k].distance_m) << k;
        ASSERT_EQ(a[k].entity, b[k].entity) << k;
        hits_seen += a[k].entity.valid() ? 1 : 0;
        const Vec2 d = pattern.directions[k];
        const Ray ray{fan.origin, {heading.x * d.x - heading.y * d.y, heading.y * d.x + heading.x * d.y, 0}, range, {}};
        RayHit single;
        fast->server().cast(world, std::span(&ray, 1), std::span(&single, 1));
        ASSERT_NEAR(single.distance_m, a[k].distance_m, 1e-9) << k;
      }
    }
  }
  EXPECT_GT(hits_seen, 1'000U);
}

TEST(FootprintServer, long_walls_are_seen_and_found_far_from_their_corners) {
  Simulation simulation(spec_of(0.1));
  World& world = simulation.world();
  const EntityId wall = add_static(world, {box_shape(1000, 0.2, 1)}, {0, 3, 0});
  const EntityId slanted = add_static(world, {box_shape(1000, 0.2, 1)}, {0, -300, 0}, 0.5);
  simulation.start();
  const Ray ray{{400, 0, 0.5}, {0, 1, 0}, 10, {}};
  RayHit hit;
  simulation.server().cast(world, std::span(&ray, 1), std::span(&hit, 1));
  EXPECT_EQ(hit.entity, wall);
  EXPECT_NEAR(hit.distance_m, 2.9, 1e-12);
  EXPECT_EQ(simulation.server().within(world, {-321, 3, 0}, 0.5), std::vector{wall});
  const Vec3 on_slanted{200 * math::cos(0.5), -300 + 200 * math::sin(0.5), 0};
  EXPECT_EQ(simulation.server().within(world, on_slanted, 0.5), std::vector{slanted});
  const std::uint32_t disc = world.shapes().add({circle_shape(0.3, 1)});
  EXPECT_EQ(simulation.server().overlapping(world, disc, Pose{{77, 2.65, 0}, {}}, 0), std::vector{wall});
  EXPECT_TRUE(simulation.server().overlapping(world, disc, Pose{{77, 2.5, 0}, {}}, 0).empty());
  EXPECT_EQ(simulation.server().overlapping(world, disc, Pose{{77, 2.5, 0}, {}}, 0.2).size(), 1U);
}

}  // namespace
}  // namespace strata
