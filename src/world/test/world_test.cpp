#include "world/world.hpp"

#include <gtest/gtest.h>

#include "world/test/crowd.hpp"

namespace strata {
namespace {

struct Charge {
  double left_j = 0;
};
struct Padded {
  char a = 0;
  double b = 0;
};

TEST(World, handles_of_removed_entities_are_recognised) {
  World world;
  const EntityId first = world.create("a");
  world.destroy(first);
  const EntityId second = world.create("b");
  EXPECT_FALSE(world.alive(first));
  EXPECT_TRUE(world.alive(second));
  EXPECT_EQ(first.slot, second.slot);
  EXPECT_FALSE(world.find("a").valid());
  EXPECT_EQ(world.find("b"), second);
  EXPECT_TRUE(world.alive(kEnvironment));
}

TEST(World, ids_of_spawned_entities_depend_on_their_creators_only) {
  World one;
  World two;
  const EntityId a1 = one.create("a");
  const EntityId b1 = one.create("b");
  const EntityId a2 = two.create("a");
  const EntityId b2 = two.create("b");
  const EntityId from_a1 = one.spawn(a1);
  const EntityId from_b1 = one.spawn(b1);
  const EntityId from_b2 = two.spawn(b2);
  const EntityId from_a2 = two.spawn(a2);
  EXPECT_EQ(one.stable_id(from_a1), two.stable_id(from_a2));
  EXPECT_EQ(one.stable_id(from_b1), two.stable_id(from_b2));
  EXPECT_NE(one.stable_id(from_a1), one.stable_id(from_b1));
}

TEST(World, components_come_and_go_while_rows_stay_dense) {
  World world;
  world.register_component<Charge>("charge", {field("left", "J", &Charge::left_j)});
  std::vector<EntityId> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(world.create());
    world.add(all.back(), Charge{static_cast<double>(i)});
  }
  world.remove<Charge>(all[3]);
  world.destroy(all[0]);
  EXPECT_EQ(world.pool<Charge>().size(), 8U);
  EXPECT_EQ(world.get<Charge>(all[3]), nullptr);
  for (const int i : {1, 2, 4, 5, 6, 7, 8, 9})
    EXPECT_EQ(world.get<Charge>(all[static_cast<std::size_t>(i)])->left_j, i);
  EXPECT_TRUE(world.remove_component(all[5], "charge"));
  EXPECT_FALSE(world.remove_component(all[5], "charge"));
}

TEST(World, each_visits_only_entities_with_all_components) {
  World world;
  register_components(world);
  const EntityId both = world.create();
  world.add(both, Pose{});
  world.add(both, Odometer{2});
  const EntityId one = world.create();
  world.add(one, Pose{});
  int seen = 0;
  for (auto [entity, odometer, pose] : world.each<Odometer, const Pose>()) {
    EXPECT_EQ(entity, both);
    odometer.distance_m += 1;
    EXPECT_EQ(pose.position, Vec3{});
    ++seen;
  }
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(world.get<Odometer>(both)->distance_m, 3);
}

TEST(WorldDeathTest, a_component_with_padding_is_refused) {
  World world;
  EXPECT_DEATH(world.register_component<Padded>("padded", {field("a", "", &Padded::a), field("b", "", &Padded::b)}),
               "padding");
}

TEST(World, every_bit_of_every_component_counts_in_the_hash) {
  ThreadPool alone(1);
  World world;
  register_components(world);
  const EntityId entity = world.create();
  world.add(entity, Pose{{1, 2, 3}, {}});
  world.add(entity, Battery{100, 50, 1, 2, 3});
  world.add(kEnvironment, Odometer{7});
  const std::uint64_t before = world.hash_sum(alone);
  const auto flip = [&](auto* component, std::size_t bit) {
    auto* bytes = reinterpret_cast<unsigned char*>(component);
    bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << (bit % 8)));
  };
  const auto check = [&]<class T>(EntityId who) {
    for (std::size_t bit = 0; bit < 8 * sizeof(T); ++bit) {
      flip(world.edit<T>(who), bit);
      EXPECT_NE(world.hash_sum(alone), before) << bit;
      flip(world.edit<T>(who), bit);
    }
    EXPECT_EQ(world.hash_sum(alone), before);
  };
  check.operator()<Pose>(entity);
  check.operator()<Battery>(entity);
  check.operator()<Odometer>(kEnvironment);
}

TEST(World, hash_does_not_depend_on_the_order_of_rows) {
  ThreadPool alone(1);
  World one;
  World two;
  for (World* world : {&one, &two}) register_components(*world);
  std::vector<EntityId> a;
  std::vector<EntityId> b;
  for (int i = 0; i < 20; ++i) {
    a.push_back(one.create());
    b.push_back(two.create());
  }
  for (std::size_t i = 0; i < 20; ++i) one.add(a[i], Odometer{static_cast<double>(i)});
  for (std::size_t i = 20; i-- > 0;) two.add(b[i], Odometer{static_cast<double>(i)});
  EXPECT_EQ(one.hash_sum(alone), two.hash_sum(alone));
}

TEST(World, a_cut_snapshot_changes_nothing) {
  ThreadPool alone(1);
  World world;
  register_components(world);
  world.add(world.create("a"), Odometer{1});
  const std::vector<std::byte> saved = world.save();
  const std::uint64_t before = world.hash_sum(alone);
  for (std::size_t size = 0; size < saved.size(); ++size) EXPECT_FALSE(world.load(std::span(saved).first(size)).ok());
  EXPECT_EQ(world.hash_sum(alone), before);
  EXPECT_TRUE(world.load(saved).ok());
  EXPECT_EQ(world.hash_sum(alone), before);
}

TEST(Shapes, equal_sets_are_shared_and_bad_polygons_refused) {
  ShapeLibrary library;
  const std::uint32_t a = library.add({circle_shape(1, 2)});
  EXPECT_EQ(library.add({circle_shape(1, 2)}), a);
  EXPECT_NE(library.add({circle_shape(1, 3)}), a);
  EXPECT_TRUE(polygon_shape({{0, 0}, {0, 1}, {1, 1}, {1, 0}}, 1).ok());
  EXPECT_FALSE(polygon_shape({{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}, 1).ok());
  EXPECT_FALSE(polygon_shape({{0, 0}, {1, 0}, {2, 0}}, 1).ok());
  // A five-pointed star winds twice.
  std::vector<Vec2> star;
  for (int i = 0; i < 5; ++i) star.push_back(math::unit(i * 2 * math::kTau / 5));
  EXPECT_FALSE(polygon_shape(star, 1).ok());
}

}  // namespace
}  // namespace strata
