#include "scenario/maps/drawn_shape.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata::maps {
namespace {

using Outlines = std::vector<Outline>;
using OutlineFn = Result<Outlines> (*)(const DrawnCell&, Vec2);

constexpr double kWallThickness = 10;  // of the floor-plan set, unless the style says otherwise
constexpr double kDoorThickness = 5;

double wall_thickness(const DrawnCell& cell, Vec2 size) {
  return std::min({std::max(cell.style.number("wallThickness", kWallThickness), 0.01), size.x, size.y});
}

Result<Outlines> nothing(const DrawnCell& /*cell*/, Vec2 /*size*/) { return Outlines{}; }

Result<Outlines> box(const DrawnCell& /*cell*/, Vec2 size) { return Outlines{rectangle({}, size)}; }

Result<Outlines> ellipse(const DrawnCell& /*cell*/, Vec2 size) {
  const Vec2 half = 0.5 * size;
  if (half.x == half.y) return Outlines{{{half}, half.x}};
  return Outlines{covering_ellipse(half, half)};
}

Result<Outlines> corners(std::initializer_list<Vec2> shares, Vec2 size) {
  Outline out;
  for (const Vec2 share : shares) out.points.push_back({share.x * size.x, share.y * size.y});
  return Outlines{std::move(out)};
}
Result<Outlines> rhombus(const DrawnCell& /*cell*/, Vec2 size) {
  return corners({{0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}}, size);
}
Result<Outlines> triangle(const DrawnCell& /*cell*/, Vec2 size) { return corners({{0, 0}, {1, 0.5}, {0, 1}}, size); }

/// How far slanted sides lean: a share of the width, or drawing units with `fixedSize`.
double slant(const DrawnCell& cell, double width, double share) {
  const double given = cell.style.number("size", cell.style.get("fixedSize") == "1" ? 20 : share);
  return std::clamp(given <= 1 ? given * width : given, 0.0, width);
}
Result<Outlines> hexagon(const DrawnCell& cell, Vec2 size) {
  const double s = std::min(slant(cell, size.x, 0.25), size.x / 2) / size.x;
  return corners({{s, 0}, {1 - s, 0}, {1, 0.5}, {1 - s, 1}, {s, 1}, {0, 0.5}}, size);
}
Result<Outlines> parallelogram(const DrawnCell& cell, Vec2 size) {
  const double s = slant(cell, size.x, 0.2) / size.x;
  return corners({{s, 0}, {1, 0}, {1 - s, 1}, {0, 1}}, size);
}
Result<Outlines> trapezoid(const DrawnCell& cell, Vec2 size) {
  const double s = std::min(slant(cell, size.x, 0.2), size.x / 2) / size.x;
  return corners({{s, 0}, {1 - s, 0}, {1, 1}, {0, 1}}, size);
}

/// polyCoords=[[x,y],...] as shares of the size; polyline=1 is a line, not an area.
Result<Outlines> polygon(const DrawnCell& cell, Vec2 size) {
  const Error unclear{cell.where, "the polygon's 'polyCoords' are not a list of [x, y]",
                      "draw it again with the polygon tool"};
  const std::string given(cell.style.get("polyCoords"));
  const nlohmann::json list = nlohmann::json::parse(given, nullptr, false);
  if (!list.is_array()) return unclear;
  std::vector<Vec2> points;
  for (const nlohmann::json& item : list) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_number() || !item[1].is_number()) return unclear;
    points.push_back({item[0].get<double>() * size.x, item[1].get<double>() * size.y});
  }
  if (cell.style.get("polyline") == "1") {
    Outlines out;
    const double thickness = std::max(cell.style.number("strokeWidth", 1), 0.01);
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (length(points[i] - points[i - 1]) > 0) out.push_back(wall_between(points[i - 1], points[i], thickness));
    }
    return out;
  }
  std::optional<Outlines> pieces = convex_pieces(std::move(points));
  if (pieces) return std::move(*pieces);
  return Error{cell.where, "the polygon crosses itself, has no area, or too many corners",
               "draw it so that its sides do not cross"};
}

/// A thin line across the middle.
Result<Outlines> line(const DrawnCell& cell, Vec2 size) {
  const double half = 0.5 * std::clamp(cell.style.number("strokeWidth", 1), 0.01, size.y);
  return Outlines{rectangle({0, size.y / 2 - half}, {size.x, size.y / 2 + half})};
}

Result<Outlines> wall(const DrawnCell& cell, Vec2 size) {
  const double half = 0.5 * wall_thickness(cell, size);
  return Outlines{rectangle({0, size.y / 2 - half}, {size.x, size.y / 2 + half})};
}
Result<Outlines> wall_corner(const DrawnCell& cell, Vec2 size) {
  const double t = wall_thickness(cell, size);
  return Outlines{rectangle({}, {size.x, t}), rectangle({0, t}, {t, size.y})};
}
Result<Outlines> wall_u(const DrawnCell& cell, Vec2 size) {
  const double t = wall_thickness(cell, size);
  return Outlines{rectangle({}, {size.x, t}), rectangle({0, t}, {t, size.y}), rectangle({size.x - t, t}, size)};
}
Result<Outlines> room(const DrawnCell& cell, Vec2 size) {
  const double t = std::min(wall_thickness(cell, size), 0.499 * std::min(size.x, size.y));
  return Outlines{rectangle({}, {size.x, t}), rectangle({0, size.y - t}, size), rectangle({0, t}, {t, size.y - t}),
                  rectangle({size.x - t, t}, {size.x, size.y - t})};
}

// The leaf lies in the wall, along the upper side; the rest of the shape shows how it swings.
Result<Outlines> door(const DrawnCell& /*cell*/, Vec2 size) {
  return Outlines{rectangle({}, {size.x, std::min(kDoorThickness, size.y)})};
}

void add(Registry& registry, std::string name, std::string summary, OutlineFn outlines, bool is_opening = false) {
  DrawnShapeKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.outlines = outlines;
  kind.is_opening = is_opening;
  registry.catalog<DrawnShapeKind>().add(std::move(kind));
}

void add_floor_plan(Registry& registry) {
  const std::string set = "mxgraph.floorplan.";
  add(registry, set + "wall", "A straight wall", &wall);
  add(registry, set + "wallCorner", "Two walls at a corner", &wall_corner);
  add(registry, set + "wallU", "Three walls, open on one side", &wall_u);
  add(registry, set + "room", "Four walls", &room);
  for (const char* name : {"doorLeft", "doorRight", "doorDouble"})
    add(registry, set + name, "A door with its swing: an opening in the wall it lies on", &door, true);
  for (const char* name :
       {"doorOverhead", "doorByPass", "doorPocket", "doorSlidingGlass", "doorRevolving", "doorAccordion", "opening"})
    add(registry, set + name, "An opening in the wall it lies on", &box, true);
  for (const char* name :
       {"window", "windowGarden", "windowBay", "windowBow", "stairs", "stairsRest", "elevator", "fireplace"})
    add(registry, set + name, "Part of the building, solid", &box);
  for (const char* name :
       {"bathtub",     "bathtub2",        "bed_double",   "bed_single",    "bookcase",      "chair",          "copier",
        "couch",       "crt_tv",          "desk_corner",  "desk_corner_2", "dresser",       "drying_machine", "flat_tv",
        "floor_lamp",  "laptop",          "office_chair", "piano",         "plant",         "printer",        "range_1",
        "range_2",     "refrigerator",    "shower",       "shower2",       "sink_1",        "sink_2",         "sink_22",
        "sink_corner", "sink_double",     "sink_double2", "sofa",          "spiral_stairs", "table",          "toilet",
        "tv",          "washing_machine", "water_cooler", "workstation"})
    add(registry, set + name, "Furniture, a box", &box);
}

}  // namespace

void register_drawn_shapes(Registry& registry) {
  add(registry, "rectangle", "A box, rounded or not", &box);
  add(registry, "ellipse", "A circle or an ellipse", &ellipse);
  add(registry, "rhombus", "A diamond", &rhombus);
  add(registry, "triangle", "A triangle that points to the right", &triangle);
  add(registry, "hexagon", "A hexagon", &hexagon);
  add(registry, "parallelogram", "A slanted box", &parallelogram);
  add(registry, "trapezoid", "A box with slanted sides", &trapezoid);
  add(registry, "mxgraph.basic.polygon", "Any polygon, or a line of several points", &polygon);
  add(registry, "line", "A straight line, a thin wall", &line);
  for (const char* name : {"image", "label", "cube", "cylinder", "cylinder3", "mxgraph.basic.rect"})
    add(registry, name, "Taken as its box", &box);
  for (const char* name : {"text", "edgeLabel", "group", "swimlane", "table", "note"})
    add(registry, name, "For people only: not in the world", &nothing);
  add_floor_plan(registry);
}

std::string shape_name(const DrawnCell& cell) {
  if (const std::string_view shape = cell.style.get("shape"); !shape.empty())
    return shape == "doubleEllipse" ? "ellipse" : std::string(shape);
  for (const char* word :
       {"ellipse", "rhombus", "triangle", "line", "text", "edgeLabel", "group", "swimlane", "image"}) {
    if (cell.style.has_word(word)) return word;
  }
  return "rectangle";
}

}  // namespace strata::maps
