#include "scenario/placement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/math.hpp"
#include "base/random.hpp"

namespace strata {
namespace {

/// An angle, or a word that the placement understands.
struct Heading {
  double angle_rad = 0;
  std::string word;
};

Param heading_param(std::string default_text, std::string words) {
  Param p = param::any("heading", "where they look: an angle" + words);
  p.default_text = std::move(default_text);
  return p;
}

Result<Heading> read_heading(const Config& config, const std::vector<std::string>& words) {
  const Value& given = config.any("heading");
  if (given.is_scalar() && std::find(words.begin(), words.end(), given.text()) != words.end())
    return Heading{0, given.text()};
  const Result<Quantity> angle = given.is_scalar() ? parse_quantity(given.text()) : Result<Quantity>(Error{});
  if (angle.ok() && angle->dimension == dimension_of("rad")) return Heading{angle->si, ""};
  std::string remedy = "write an angle like '45 deg'";
  if (!words.empty()) remedy += fmt::format(" or {}", fmt::join(words, " or "));
  return Error{given.where(), fmt::format("{} is no heading", given.kind_text()), std::move(remedy)};
}

class GridPlacement final : public Placement {
 public:
  static Result<std::unique_ptr<Placement>> make(const Config& config) {
    const Result<Heading> heading = read_heading(config, {});
    if (!heading.ok()) return heading.errors();
    auto out = std::make_unique<GridPlacement>();
    if (config.has("from")) out->from_ = config.point("from");
    out->spacing_ = config.quantity("spacing");
    out->columns_ = config.has("columns") ? static_cast<std::uint64_t>(config.integer("columns")) : 0;
    out->heading_ = heading->angle_rad;
    return std::unique_ptr<Placement>(std::move(out));
  }
  [[nodiscard]] Result<std::vector<Pose>> place(const PlacementTask& task) const override {
    const auto square = static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(task.robots.size()))));
    const std::uint64_t columns = columns_ > 0 ? columns_ : std::max<std::uint64_t>(1, square);
    std::vector<Pose> poses;
    for (std::uint64_t i = 0; i < task.robots.size(); ++i) {
      const std::uint64_t row = i / columns;
      const Vec3 offset{static_cast<double>(i % columns) * spacing_, static_cast<double>(row) * spacing_, 0};
      poses.push_back(pose_at(from_ + offset, heading_));
    }
    return poses;
  }

 private:
  Vec3 from_;
  double spacing_ = 1;
  std::uint64_t columns_ = 0;
  double heading_ = 0;
};

class LinePlacement final : public Placement {
 public:
  static Result<std::unique_ptr<Placement>> make(const Config& config) {
    const Result<Heading> heading = read_heading(config, {});
    if (!heading.ok()) return heading.errors();
    auto out = std::make_unique<LinePlacement>();
    out->from_ = config.point("from");
    out->to_ = config.point("to");
    out->heading_ = heading->angle_rad;
    return std::unique_ptr<Placement>(std::move(out));
  }
  [[nodiscard]] Result<std::vector<Pose>> place(const PlacementTask& task) const override {
    std::vector<Pose> poses;
    const double gaps = std::max<double>(1, static_cast<double>(task.robots.size()) - 1);
    for (std::size_t i = 0; i < task.robots.size(); ++i) {
      poses.push_back(pose_at(from_ + (static_cast<double>(i) / gaps) * (to_ - from_), heading_));
    }
    return poses;
  }

 private:
  Vec3 from_;
  Vec3 to_;
  double heading_ = 0;
};

class CirclePlacement final : public Placement {
 public:
  static Result<std::unique_ptr<Placement>> make(const Config& config) {
    Result<Heading> heading = read_heading(config, {"outward", "inward"});
    if (!heading.ok()) return heading.errors();
    auto out = std::make_unique<CirclePlacement>();
    out->centre_ = config.point("centre");
    out->radius_ = config.quantity("radius");
    out->heading_ = std::move(heading).value();
    return std::unique_ptr<Placement>(std::move(out));
  }
  [[nodiscard]] Result<std::vector<Pose>> place(const PlacementTask& task) const override {
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < task.robots.size(); ++i) {
      const double angle = math::kTau * static_cast<double>(i) / static_cast<double>(task.robots.size());
      const Vec2 out = math::unit(angle);
      double heading = heading_.angle_rad;
      if (heading_.word == "outward") heading = angle;
      if (heading_.word == "inward") heading = angle + math::kPi;
      poses.push_back(pose_at(centre_ + radius_ * Vec3{out.x, out.y, 0}, heading));
    }
    return poses;
  }

 private:
  Vec3 centre_;
  double radius_ = 1;
  Heading heading_;
};

class ListPlacement final : public Placement {
 public:
  static Result<std::unique_ptr<Placement>> make(const Config& config) {
    const Result<Heading> heading = read_heading(config, {});
    if (!heading.ok()) return heading.errors();
    auto out = std::make_unique<ListPlacement>();
    out->points_ = config.points("points");
    out->heading_ = heading->angle_rad;
    if (out->points_.empty())
      return Error{config.where("points"), "the list of points is empty", "write [[x, y], [x, y]]"};
    return std::unique_ptr<Placement>(std::move(out));
  }
  [[nodiscard]] Result<std::vector<Pose>> place(const PlacementTask& task) const override {
    STRATA_ASSERT(task.robots.size() <= points_.size(), "the capacity of a list was not respected");
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < task.robots.size(); ++i) poses.push_back(pose_at(points_[i], heading_));
    return poses;
  }
  [[nodiscard]] std::size_t capacity() const override { return points_.size(); }

 private:
  std::vector<Vec3> points_;
  double heading_ = 0;
};

/// Draws positions until one is free.
class RandomPlacement final : public Placement {
 public:
  static Result<std::unique_ptr<Placement>> make(const Config& config) {
    Result<Heading> heading = read_heading(config, {"random"});
    Errors errors;
    collect(heading, errors);
    const std::vector<Vec3>& area = config.points("area");
    if (area.size() != 2)
      errors.push_back({config.where("area"), "an area has two corners", "write [[x, y], [x, y]] in metres"});
    if (!errors.empty()) return errors;
    auto out = std::make_unique<RandomPlacement>();
    out->low_ = {std::min(area[0].x, area[1].x), std::min(area[0].y, area[1].y), std::min(area[0].z, area[1].z)};
    out->high_ = {std::max(area[0].x, area[1].x), std::max(area[0].y, area[1].y), std::max(area[0].z, area[1].z)};
    out->clearance_ = config.quantity("clearance");
    out->heading_ = std::move(heading).value();
    out->where_ = config.where();
    return std::unique_ptr<Placement>(std::move(out));
  }
  [[nodiscard]] bool searches() const override { return true; }

  [[nodiscard]] Result<std::vector<Pose>> place(const PlacementTask& task) const override {
    std::vector<Pose> poses(task.robots.size());
    for (std::size_t i = 0; i < task.robots.size(); ++i) {
      if (task.skip[i]) continue;
      const std::optional<Pose> pose = find(task, i);
      if (!pose) return too_full(task, i);
      poses[i] = *pose;
      task.occupied.add(task.robots[i], task.shape_sets[i], *pose);
    }
    return poses;
  }

 private:
  static constexpr int kAttempts = 2000;

  [[nodiscard]] std::optional<Pose> find(const PlacementTask& task, std::size_t index) const {
    // Named by the robot, so that other groups do not move it.
    RandomStream random(task.world.seed(), hash_text(task.world.name(task.robots[index])), "placement");
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Vec3 at;
      at.x = random.uniform(low_.x, high_.x);
      at.y = random.uniform(low_.y, high_.y);
      at.z = random.uniform(low_.z, high_.z);
      const double drawn = random.uniform(-math::kPi, math::kPi);
      const Pose pose = pose_at(at, heading_.word.empty() ? heading_.angle_rad : drawn);
      if (!task.occupied.conflict(task.shape_sets[index], pose, clearance_).valid()) return pose;
    }
    return std::nullopt;
  }

  [[nodiscard]] Error too_full(const PlacementTask& task, std::size_t placed) const {
    return {where_,
            fmt::format("the area is too full: only {} of {} robots of '{}' found a place", placed, task.robots.size(),
                        task.group),
            "enlarge the area, reduce count or clearance, or use a grid, which packs tighter"};
  }

  Vec3 low_;
  Vec3 high_;
  double clearance_ = 0;
  Heading heading_;
  Where where_;
};

PlacementKind make_kind(std::string name, std::string summary, std::vector<Param> params,
                        Result<std::unique_ptr<Placement>> (*make)(const Config&)) {
  PlacementKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.params = std::move(params);
  kind.make = make;
  return kind;
}

}  // namespace

Pose pose_at(Vec3 at, double heading_rad) { return {at, math::from_yaw(heading_rad)}; }

void register_placements(Registry& registry) {
  auto& placements = registry.catalog<PlacementKind>();
  placements.add(make_kind(
      "grid", "In rows, from one corner",
      {param::point("from", "first place; the origin if not given"),
       param::quantity("spacing", "m", "1 m", "between neighbours").above(0),
       param::integer("columns", "", "robots in a row along x; a square if not given").at_least(1).at_most(1e7),
       heading_param("0 deg", "")},
      &GridPlacement::make));
  placements.add(make_kind("line", "Evenly along a line, its ends included",
                           {param::point("from", "place of the first robot").required(),
                            param::point("to", "place of the last robot").required(), heading_param("0 deg", "")},
                           &LinePlacement::make));
  placements.add(make_kind("circle", "Evenly on a circle",
                           {param::point("centre", "of the circle").required(),
                            param::quantity("radius", "m", "5 m", "of the circle").above(0),
                            heading_param("outward", ", outward or inward")},
                           &CirclePlacement::make));
  placements.add(make_kind("list", "At given points; short form: at: [[x, y], ...]",
                           {param::points("points", "one for each robot").required(), heading_param("0 deg", "")},
                           &ListPlacement::make));
  placements.add(
      make_kind("random", "Anywhere free in an area, drawn from the seed",
                {param::points("area", "two corners [[x, y], [x, y]] of where the centres may lie").required(),
                 param::quantity("clearance", "m", "0 m", "smallest distance to walls and other robots").at_least(0),
                 heading_param("random", " or random")},
                &RandomPlacement::make));
}

}  // namespace strata
