#include "world/geometry.hpp"

#include <gtest/gtest.h>

#include "base/math.hpp"
#include "base/random.hpp"

namespace strata::geometry {
namespace {

std::vector<Shape> sample_shapes() {
  return {circle_shape(0.4, 1), box_shape(1, 0.4, 1), *polygon_shape({{0, 0}, {1, 0.2}, {0.3, 1}}, 1),
          Shape{{{-0.5, 0}, {0.5, 0.2}}, 0.2, 0, 1},
          Shape{{{-0.3, -0.3}, {0.3, -0.3}, {0.3, 0.3}, {-0.3, 0.3}}, 0.15, 0, 1}};
}

bool inside(const Shape& shape, Vec2 point) {
  return separation(circle_shape(0, 1), {point, {1, 0}}, shape, {}).distance <= 0;
}

TEST(Geometry, a_line_is_inside_a_shape_exactly_between_its_ends) {
  RandomStream random(1, 2, "test");
  for (const Shape& shape : sample_shapes()) {
    for (int i = 0; i < 500; ++i) {
      const double x = random.uniform(-2, 2);
      const double y = random.uniform(-2, 2);
      const Vec2 origin{x, y};
      const Vec2 direction = math::unit(random.uniform(0, math::kTau));
      const auto part = cross_shape(shape, origin, direction, 0);
      for (double t = -4; t < 4; t += 0.0501) {
        const bool expected = part && t >= part->in && t <= part->out;
        const bool edge = part && (std::abs(t - part->in) < 1e-9 || std::abs(t - part->out) < 1e-9);
        if (!edge) {
          ASSERT_EQ(inside(shape, origin + direction * t), expected) << t;
        }
      }
    }
  }
}

TEST(Geometry, separation_is_symmetric_and_parts_what_overlaps) {
  RandomStream random(3, 4, "test");
  const std::vector<Shape> shapes = sample_shapes();
  for (int i = 0; i < 5'000; ++i) {
    const Shape& a = shapes[random.below(shapes.size())];
    const Shape& b = shapes[random.below(shapes.size())];
    const Vec2 heading_a = math::unit(random.uniform(0, math::kTau));
    const Vec2 heading_b = math::unit(random.uniform(0, math::kTau));
    const double x = random.uniform(-2, 2);
    const double y = random.uniform(-2, 2);
    const Frame frame_a{{x, y}, heading_a};
    const Frame frame_b{{0, 0}, heading_b};
    const Separation ab = separation(a, frame_a, b, frame_b);
    const Separation ba = separation(b, frame_b, a, frame_a);
    ASSERT_NEAR(ab.distance, ba.distance, 1e-12);
    // Moving along the normal by the distance brings them into touch, or out of it.
    const Frame moved{frame_a.at - ab.normal * ab.distance, heading_a};
    ASSERT_NEAR(separation(a, moved, b, frame_b).distance, 0, 1e-9);
  }
}

TEST(Geometry, moving_shapes_meet_before_they_overlap) {
  RandomStream random(5, 6, "test");
  ShapeLibrary library;
  std::vector<std::uint32_t> sets;
  for (const Shape& shape : sample_shapes()) sets.push_back(library.add({shape}));
  int met = 0;
  for (int i = 0; i < 5'000; ++i) {
    const ShapeSet& a = library.set(sets[random.below(sets.size())]);
    const ShapeSet& b = library.set(sets[random.below(sets.size())]);
    Sweep sa;
    Sweep sb;
    const double angle = random.uniform(0, math::kTau);
    sa.from = {3 * math::cos(angle), 3 * math::sin(angle), 0};
    sa.move = sa.from * random.uniform(-3, -0.5);
    sa.orientation = math::from_yaw(random.uniform(0, math::kTau));
    sa.turn = i % 2 == 0 ? 0 : random.uniform(-4, 4);
    sb.orientation = math::from_yaw(random.uniform(0, math::kTau));
    const auto impact = meet(library, a, sa, b, sb);
    const double until = impact ? impact->fraction : 1;
    for (double t = 0; t <= until; t += 0.01) {
      const Frame fa{(sa.from + sa.move * t).xy(), heading(sa.orientation * math::from_yaw(sa.turn * t))};
      const Separation gap = separation(library.shapes(a)[0], fa, library.shapes(b)[0], frame_of({{}, sb.orientation}));
      ASSERT_GT(gap.distance, 0) << i << " at " << t << " of " << until;
    }
    if (impact) {
      ++met;
      const Frame fa{(sa.from + sa.move * until).xy(), heading(sa.orientation * math::from_yaw(sa.turn * until))};
      const Separation gap = separation(library.shapes(a)[0], fa, library.shapes(b)[0], frame_of({{}, sb.orientation}));
      ASSERT_LT(gap.distance, 0.01) << "stops in touch, not far away";
    }
  }
  EXPECT_GT(met, 1'000);
}

TEST(Geometry, bodies_at_different_heights_do_not_meet) {
  const auto below = cross_slab(0, 0, 1, 2);
  EXPECT_FALSE(meet_circles({1, 0}, {-2, 0}, 0.5, below));
  const auto rising = cross_slab(0, 4, 1, 2);  // within the range from a quarter to a half of the step
  const auto late = meet_circles({1, 0}, {-2, 0}, 0.5, rising);
  ASSERT_TRUE(late);
  EXPECT_NEAR(late->fraction, 0.25, 1e-4);
}

}  // namespace
}  // namespace strata::geometry
