#include "scenario/maps/map_content.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/math.hpp"
#include "scenario/name_table.hpp"

namespace strata::maps {
namespace {

constexpr double kSame = 1e-9;

/// Letters, digits and _ only, as names of things are.
std::string plain_name(const std::string& text, const std::string& otherwise) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (is_plain || (!out.empty() && out.back() != '_')) out.push_back(is_plain ? c : '_');
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty()) return otherwise;
  return NameTable::is_plain(out) ? out : otherwise + "_" + out;
}

/// Smallest box around an outline, for a quick no.
std::pair<Vec2, Vec2> bounds(const std::vector<Vec2>& points, double radius) {
  Vec2 low = points.front();
  Vec2 high = low;
  for (const Vec2 point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  return {low - Vec2{radius, radius}, high + Vec2{radius, radius}};
}

bool apart(const std::pair<Vec2, Vec2>& a, const std::pair<Vec2, Vec2>& b) {
  return a.first.x > b.second.x || b.first.x > a.second.x || a.first.y > b.second.y || b.first.y > a.second.y;
}

/// A shape of a scenario about `origin`, its keys beside those of `out`. The heading is that of a box.
void set_shape(Value& out, const Outline& outline, Vec2 origin, double height_m, const Where& where) {
  if (outline.radius > 0) {
    out.set("shape", Value::scalar("circle", where));
    out.set("radius", length_value(outline.radius, where));
  } else if (const std::optional<Box> box = as_box(outline)) {
    out.set("shape", Value::scalar("box", where));
    out.set("length", length_value(box->length, where));
    out.set("width", length_value(box->width, where));
    const double heading = math::atan2(box->axis.y, box->axis.x) * 180 / math::kPi;
    if (std::abs(heading) > kSame) out.set("heading", angle_value(heading, where));
  } else {
    std::vector<Vec2> points = outline.points;
    for (Vec2& point : points) point = point - origin;
    out.set("shape", Value::scalar("polygon", where));
    out.set("points", points_value(points, where));
  }
  out.set("height", length_value(height_m, where));
}

Vec2 middle(const Outline& outline) {
  if (outline.radius > 0) return outline.points.front();
  const std::optional<Box> box = as_box(outline);
  return box ? box->centre : centroid(outline.points);
}

}  // namespace

void MapContent::note(const DrawnCell& cell, const std::string& text) {
  notes_.push_back(fmt::format("{}: {}: {}", drawing_.file, cell.where.path, text));
}

std::optional<std::string> MapContent::take_name(const DrawnCell& cell, const std::string& given,
                                                 const std::string& otherwise) {
  if (!given.empty()) {
    if (!NameTable::is_plain(given)) {
      error(cell, fmt::format("'{}' cannot be a name", given.substr(0, 40)),
            "use letters, digits, _ and -, beginning with a letter");
      return std::nullopt;
    }
    if (names_.insert(given).second) return given;
    error(cell, fmt::format("the name '{}' is used twice in this drawing", given), "give one of them another 'name'");
    return std::nullopt;
  }
  const std::string base = plain_name(cell.label, otherwise);
  std::string name = base == otherwise ? otherwise + "_" + plain_name(cell.id, "cell") : base;
  while (!names_.insert(name).second) name = fmt::format("{}_{}", base, count(base) + 1);
  return name;
}

const DrawnShapeKind* MapContent::shape_of(const DrawnCell& cell) {
  const std::string name = shape_name(cell);
  const auto& catalog = registry_.catalog<DrawnShapeKind>();
  if (const DrawnShapeKind* kind = catalog.find(name)) return kind;
  switch (settings_.unknown_shapes) {
    case UnknownShapes::kBox:
      note(cell, fmt::format("unknown shape '{}', taken as a box", name));
      return catalog.find("rectangle");
    case UnknownShapes::kIgnore:
      note(cell, fmt::format("unknown shape '{}', left out", name));
      return catalog.find("text");
    case UnknownShapes::kError:
      break;
  }
  const std::string near = nearest(name, catalog.names());
  error(cell, fmt::format("unknown shape '{}'", name.substr(0, 80)),
        (near.empty() ? std::string() : fmt::format("did you mean '{}'? If not: ", near)) +
            "'strata list drawn_shape' shows those that are known; set 'unknown_shapes: box' in 'map:', or give the "
            "cell the type 'debug' to leave it out");
  return nullptr;
}

std::optional<std::vector<Outline>> MapContent::outlines_of(const DrawnCell& cell, const DrawnShapeKind& kind) {
  if (!cell.has_size) {
    error(cell, "the shape has no size", "give it a width and a height");
    return std::nullopt;
  }
  Result<std::vector<Outline>> own = kind.outlines(cell, cell.own_size());
  if (!collect(own, errors_)) return std::nullopt;
  return std::move(own).value();
}

Outline MapContent::in_world(const DrawnCell& cell, const Outline& own) const {
  Outline out;
  out.radius = own.radius * settings_.scale_m;
  for (const Vec2 point : own.points) out.points.push_back(metres(cell.on_page(point)));
  // Turning y over, and flipped shapes, turn the order of the corners over.
  if (doubled_area(out.points) < 0) std::reverse(out.points.begin(), out.points.end());
  return out;
}

std::optional<Value> MapContent::body_of(const DrawnCell& cell, double height_m) {
  const DrawnShapeKind* kind = shape_of(cell);
  if (kind == nullptr) return std::nullopt;
  const auto outlines = outlines_of(cell, *kind);
  if (!outlines) return std::nullopt;
  Value shapes = Value::list({}, cell.where);
  for (const Outline& own : *outlines) {
    // In the frame of the body: its middle is the origin, x along its own width, y upward.
    Outline flat;
    flat.radius = own.radius * settings_.scale_m;
    const Vec2 half = 0.5 * cell.own_size();
    for (const Vec2 point : own.points)
      flat.points.push_back({(point.x - half.x) * settings_.scale_m, (half.y - point.y) * settings_.scale_m});
    if (doubled_area(flat.points) < 0) std::reverse(flat.points.begin(), flat.points.end());
    Value shape = Value::map({}, cell.where);
    set_shape(shape, flat, {}, height_m, cell.where);
    if (shape.find("points") == nullptr && length(middle(flat)) > kSame)
      shape.set("at", point_value(middle(flat), cell.where));
    shapes.items().push_back(std::move(shape));
  }
  if (shapes.items().empty()) return Value::scalar("none", cell.where);
  if (shapes.items().size() == 1) return Value(shapes.items().front());
  return shapes;
}

double MapContent::heading_deg(const DrawnCell& cell) {
  const double degrees = -cell.turned_deg();
  return degrees - 360 * std::floor((degrees + 180) / 360);
}

std::optional<std::vector<Vec2>> MapContent::way_of(const DrawnCell& edge) {
  const auto end = [&](const std::string& id, const std::optional<Vec2>& point) -> std::optional<Vec2> {
    const DrawnCell* cell = id.empty() ? nullptr : drawing_.find(id);
    if (cell != nullptr && !cell->is_edge) return cell->centre();
    return point;
  };
  std::vector<Vec2> way;
  const auto add = [&](Vec2 drawn) {
    const Vec2 at = metres(drawn);
    if (way.empty() || length(at - way.back()) > kSame) way.push_back(at);
  };
  const std::optional<Vec2> from = end(edge.source, edge.source_point);
  const std::optional<Vec2> to = end(edge.target, edge.target_point);
  if (from) add(*from);
  for (const Vec2 point : edge.points) add(point);
  if (to) add(*to);
  if (!edge.is_edge || !from || !to || way.size() < 2) {
    error(edge, edge.is_edge ? "the line has an end that leads nowhere" : "this has to be a line or an arrow",
          "connect both ends to shapes, or draw it between two points");
    return std::nullopt;
  }
  if (edge.points.empty() && edge.style.get("edgeStyle") == "orthogonalEdgeStyle" && from->x != to->x &&
      from->y != to->y) {
    note(edge, "diagrams.net chooses the way of this line itself; taken as straight");
  }
  return way;
}

void MapContent::add_solid(const DrawnCell& cell, const std::string& given_name, double height_m, double line_m) {
  Solid solid{"", {}, height_m, &cell};
  if (cell.is_edge) {
    const auto way = way_of(cell);
    if (!way) return;
    for (std::size_t i = 1; i < way->size(); ++i)
      solid.pieces.push_back(wall_between((*way)[i - 1], (*way)[i], line_m));
  } else {
    const DrawnShapeKind* kind = shape_of(cell);
    const auto outlines = kind == nullptr ? std::nullopt : outlines_of(cell, *kind);
    if (!outlines) return;
    for (const Outline& own : *outlines) {
      if (kind->is_opening) {
        openings_.push_back({in_world(cell, own).points, &cell});
      } else {
        solid.pieces.push_back(in_world(cell, own));
      }
    }
  }
  if (solid.pieces.empty()) return;
  const auto name = take_name(cell, given_name, "wall");
  if (!name) return;
  solid.name = *name;
  solids_.push_back(std::move(solid));
}

void MapContent::add_robot(const DrawnCell& cell, const std::string& name, Value robot) {
  robot_of_[cell.id] = name;
  robots_.emplace_back(name, std::move(robot));
}

void MapContent::add_place(const std::string& list, Value entry) { places_[list].push_back(std::move(entry)); }

const std::string* MapContent::robot_of(const std::string& cell_id) const {
  const auto it = robot_of_.find(cell_id);
  return it == robot_of_.end() ? nullptr : &it->second;
}

void MapContent::cut_openings() {
  for (const Opening& opening : openings_) {
    const auto box = bounds(opening.corners, 0);
    bool cut = false;
    for (Solid& solid : solids_) {
      std::vector<Outline> left;
      bool changed = false;
      for (const Outline& piece : solid.pieces) {
        if (apart(bounds(piece.points, piece.radius), box)) {
          if (changed) left.push_back(piece);
          continue;
        }
        if (!changed) left.assign(solid.pieces.begin(), solid.pieces.begin() + (&piece - solid.pieces.data()));
        changed = true;
        std::vector<Outline> parts = cut_open(piece, opening.corners);
        cut = cut || parts.size() != 1 || parts.front().points != piece.points;
        left.insert(left.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
      }
      if (changed) solid.pieces = std::move(left);
    }
    if (!cut) note(*opening.cell, "this door or opening lies on no wall");
  }
  openings_.clear();
}

Value MapContent::walls() {
  Value objects = Value::list();
  for (const Solid& solid : solids_) {
    for (std::size_t i = 0; i < solid.pieces.size(); ++i) {
      const Where& where = solid.cell->where;
      const Vec2 at = middle(solid.pieces[i]);
      const std::string name = solid.pieces.size() == 1 ? solid.name : fmt::format("{}_part{}", solid.name, i + 1);
      Value object = Value::map({{"name", Value::scalar(name, where)}}, where);
      object.set("at", point_value(at, where));
      set_shape(object, solid.pieces[i], at, solid.height_m, where);
      objects.items().push_back(std::move(object));
    }
  }
  return objects;
}

Value MapContent::sections() {
  cut_openings();
  Value out = Value::map();
  Value objects = walls();
  if (!objects.items().empty()) out.set("world", Value::map({{"objects", std::move(objects)}}));
  if (!robots_.empty()) out.set("robots", Value::map(std::move(robots_)));
  Value places = Value::map();
  for (const char* list : {"points", "paths", "routes", "items", "chargers"}) {
    if (const auto it = places_.find(list); it != places_.end()) places.set(list, Value::list(std::move(it->second)));
  }
  if (!places.members().empty()) out.set("places", std::move(places));
  return out;
}

}  // namespace strata::maps
