// Swarms: half planes, giving way, formations that come together without overlap.
#include <gmock/gmock.h>

#include "base/random.hpp"
#include "behaviour/swarm/formation.hpp"
#include "behaviour/swarm/half_planes.hpp"
#include "fleet.hpp"

namespace strata {
namespace {

TEST(HalfPlanes, the_nearest_allowed_velocity_is_found) {
  RandomStream random(3, 0, "half_planes_test");
  for (int round = 0; round < 300; ++round) {
    std::vector<HalfPlane> planes;
    const auto count = static_cast<int>(random.below(6));
    for (int i = 0; i < count; ++i) {
      const double x = random.normal();
      const double y = random.normal();
      const double size = std::hypot(x, y);
      const Vec2 normal{x / size, y / size};
      planes.push_back({normal * random.uniform(-1, 0.4), normal});
    }
    const Vec2 wanted{random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5)};
    const Vec2 found = nearest_allowed(planes, wanted, 1);
    // Against a fine raster.
    double best = 1e9;
    for (int ix = -100; ix <= 100; ++ix) {
      for (int iy = -100; iy <= 100; ++iy) {
        const Vec2 v{ix / 100.0, iy / 100.0};
        bool good = length(v) <= 1;
        for (const HalfPlane& plane : planes) good &= dot(v - plane.point, plane.normal) >= 0;
        if (good) best = std::min(best, length(v - wanted));
      }
    }
    EXPECT_LE(length(found), 1 + 1e-9);
    if (best < 1e9) {
      for (const HalfPlane& plane : planes) EXPECT_GE(dot(found - plane.point, plane.normal), -1e-9);
      EXPECT_LE(length(found - wanted), best + 1e-9);
    }
  }
}

class SwarmTest : public FleetTest {
 protected:
  void make_swarm(int drones, const std::string& shape, double step_s = 1.0 / 24, int threads = 1,
                  const char* limit = "60 s") {
    restart(step_s, threads, 5);
    need("formation", Value::map({{"shape", Value::scalar(shape)},
                                  {"spacing", Value::scalar("1.5 m")},
                                  {"time_limit", Value::scalar(limit)}}));
    RandomStream random(5, 0, "swarm_test");
    const int side = static_cast<int>(std::ceil(std::sqrt(drones)));
    for (int i = 0; i < drones; ++i) {
      const double x = 2.0 * (i % side) + random.uniform(0, 1);
      const double y = 2.0 * (i / side) + random.uniform(0, 1);
      const EntityId drone = add_robot("d" + std::to_string(i), {x, y, 1}, "point", {}, 0.25);
      attach<BehaviourKind>(drone, "formation");
      attach<BehaviourKind>(drone, "give_way");
    }
  }
};

TEST_F(SwarmTest, every_shape_is_taken_without_touching) {
  for (const char* shape : {"grid", "circle", "line", "wedge"}) {
    make_swarm(40, shape);
    run(60);
    EXPECT_EQ(simulation_->event_count("formation_complete"), 1U) << shape;
    EXPECT_EQ(simulation_->event_count("in_formation"), 40U) << shape;
    EXPECT_EQ(simulation_->event_count("collision"), 0U) << shape;
    EXPECT_TRUE(simulation_->server().overlaps(world()).empty());
  }
}

TEST_F(SwarmTest, the_controller_gives_up_at_its_limit) {
  make_swarm(30, "line", 1.0 / 24, 1, "2 s");
  run(10);
  EXPECT_EQ(simulation_->event_count("formation_given_up"), 1U);
  EXPECT_EQ(simulation_->event_count("formation_complete"), 0U);
}

TEST_F(SwarmTest, who_touches_another_reports_it) {
  restart(0.05);
  for (const double x : {0.0, 10.0}) {
    const EntityId drone = add_robot("d" + std::to_string(x), {x, 0, 1}, "point", {}, 0.25);
    attach<BehaviourKind>(drone, "formation");
  }
  add_robot("rock", {2, -0.3, 1}, "point", {}, 0.25);
  run(5);
  EXPECT_GE(simulation_->event_count("touched"), 1U);
}

TEST_F(SwarmTest, two_meet_head_on_and_pass) {
  const EntityId left = add_robot("left", {0, 0, 0});
  const EntityId right = add_robot("right", {10, 0, 0});
  script(left, {"go 10 0"});
  script(right, {"go 0 0"});
  attach<BehaviourKind>(left, "give_way");
  attach<BehaviourKind>(right, "give_way");
  run(30);
  EXPECT_EQ(events("arrived").size(), 2U);
  EXPECT_TRUE(events("collision").empty());
}

TEST_F(SwarmTest, same_hash_for_any_number_of_threads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 8}) {
    make_swarm(600, "grid", 1.0 / 24, threads);
    run(6);
    hashes.push_back(simulation_->hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_F(SwarmTest, formations_need_a_fitting_drive) {
  const EntityId car = add_robot("car", {0, 0, 0}, "differential");
  EXPECT_FALSE(try_attach<BehaviourKind>(car, "formation").ok());
}

}  // namespace
}  // namespace strata
