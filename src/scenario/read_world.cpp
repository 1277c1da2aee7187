#include <algorithm>

#include <fmt/format.h>

#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"

namespace strata::detail {
namespace {

double heading_of(const Config& config) { return config.has("heading") ? config.quantity("heading") : 0; }

/// Straight along a centre line; the body's position is its middle.
ObjectSpec make_wall(std::string name, Vec2 from, Vec2 to, double thickness, double height, double base,
                     const Where& where) {
  ObjectSpec wall;
  wall.name = std::move(name);
  const Vec2 middle = 0.5 * (from + to);
  wall.position = {middle.x, middle.y, base};
  wall.shapes = {segment_shape(from - middle, to - middle, thickness, height)};
  wall.where = where;
  return wall;
}

class WorldReader {
 public:
  explicit WorldReader(Reading& reading) : reading_(reading) {}

  std::pair<WorldSpec, Value> read(const Value& given) {
    Value out = Value::map({}, given.where());
    const Result<Config> config = Config::check(given, sections::world());
    if (!collect(config, reading_.errors())) return {std::move(spec_), out};
    if (auto server = reading_.use<ServerKind>(config->any("server"))) {
      out.set("server", resolved(*server));
      spec_.server = std::move(*server);
    }
    if (config->has("border")) out.set("border", read_border(config->any("border")));
    if (config->has("walls")) out.set("walls", read_list(config->any("walls"), &WorldReader::read_wall));
    if (config->has("objects")) out.set("objects", read_list(config->any("objects"), &WorldReader::read_object));
    return {std::move(spec_), std::move(out)};
  }

 private:
  Value read_list(const Value& given, Value (WorldReader::*read_one)(const Value&, std::size_t)) {
    Value out = Value::list({}, given.where());
    if (given.is_null()) return out;
    if (!given.is_list()) {
      reading_.error(given.where(), fmt::format("expected a list, found {}", given.kind_text()),
                     "write '- {...}' for each of them");
      return out;
    }
    for (std::size_t i = 0; i < given.items().size(); ++i)
      out.items().push_back((this->*read_one)(given.items()[i], i + 1));
    return out;
  }

  Value read_border(const Value& given) {
    const Result<Config> config = Config::check(given, sections::border());
    if (!collect(config, reading_.errors())) return {};
    const Vec3 a = config->point("from");
    const Vec3 b = config->point("to");
    const Vec2 low{std::min(a.x, b.x), std::min(a.y, b.y)};
    const Vec2 high{std::max(a.x, b.x), std::max(a.y, b.y)};
    if (low.x == high.x || low.y == high.y) {
      reading_.error(config->where("to"), "the rectangle has no area", "give 'from' and 'to' opposite corners");
      return {};
    }
    const double thickness = config->quantity("thickness");
    const double h = thickness / 2;
    const auto add = [&](const char* name, Vec2 from, Vec2 to) {
      if (!reading_.take_name(name, given.where())) return;
      spec_.objects.push_back(make_wall(name, from, to, thickness, config->quantity("height"), 0, given.where()));
    };
    // The walls stand outside of the rectangle; those along x close the corners.
    add("border_south", {low.x - thickness, low.y - h}, {high.x + thickness, low.y - h});
    add("border_north", {low.x - thickness, high.y + h}, {high.x + thickness, high.y + h});
    add("border_west", {low.x - h, low.y}, {low.x - h, high.y});
    add("border_east", {high.x + h, low.y}, {high.x + h, high.y});
    return config->resolved();
  }

  Value read_wall(const Value& given, std::size_t number) {
    const Result<Config> config = Config::check(given, sections::wall());
    if (!collect(config, reading_.errors())) return {};
    const Vec2 from = config->point("from").xy();
    const Vec2 to = config->point("to").xy();
    if (from == to) {
      reading_.error(config->where("to"), "the wall has no length", "give 'from' and 'to' different points");
      return {};
    }
    std::string name = config->has("name") ? config->text("name") : fmt::format("wall{}", number);
    if (!reading_.take_name(name, given.where())) return {};
    spec_.objects.push_back(make_wall(std::move(name), from, to, config->quantity("thickness"),
                                      config->quantity("height"), config->quantity("base"), given.where()));
    return config->resolved();
  }

  Value read_object(const Value& given, std::size_t number) {
    if (!given.is_map()) {
      reading_.error(given.where(), fmt::format("expected an object, found {}", given.kind_text()),
                     "write {shape: circle, radius: 0.5 m, at: [x, y]}");
      return {};
    }
    Value own = Value::map({}, given.where());
    const std::vector<std::string> keys = sections::names(sections::object());
    for (const std::string& key : keys) {
      if (const Value* value = given.find(key)) own.set(key, *value);
    }
    const Result<Config> config = Config::check(own, sections::object());
    const bool good = collect(config, reading_.errors());
    const Value* body = given.find("body");
    const std::optional<ReadBody> read =
        body != nullptr ? several_shapes(given, *body, keys) : read_shape(reading_, given, keys);
    if (!good || !read) return {};
    return add_object(given, *config, *read, body != nullptr, number);
  }

  std::optional<ReadBody> several_shapes(const Value& given, const Value& body, const std::vector<std::string>& keys) {
    for (const auto& [key, value] : given.members()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      reading_.error(value.where(), fmt::format("unknown parameter '{}'", key),
                     "with 'body', shapes are described inside of it");
      return std::nullopt;
    }
    return read_body(reading_, body);
  }

  Value add_object(const Value& given, const Config& config, const ReadBody& body, bool has_body, std::size_t number) {
    ObjectSpec object;
    object.name = config.has("name") ? config.text("name") : fmt::format("object{}", number);
    if (!reading_.take_name(object.name, given.where())) return {};
    object.shapes = body.shapes;
    object.position = config.point("at");
    object.heading_rad = heading_of(config);
    object.moves = config.has("velocity");
    if (object.moves) object.velocity = config.point("velocity");
    object.turn_rad_s = config.quantity("turn");
    object.where = given.where();
    if (object.shapes.empty())
      reading_.error(given.where(), "the object has no shape", "write for example shape: circle, radius: 0.5 m");
    if (!object.moves && object.turn_rad_s != 0)
      reading_.error(config.where("turn"), "an object that stands still cannot turn", "add velocity: [0, 0]");
    spec_.objects.push_back(std::move(object));

    Value out = config.resolved();
    if (has_body) {
      out.set("body", body.resolved);
    } else {
      for (const auto& [key, value] : body.resolved.members()) out.set(key, value);
    }
    return out;
  }

  Reading& reading_;
  WorldSpec spec_;
};

}  // namespace

std::optional<ReadBody> read_shape(Reading& reading, const Value& given, const std::vector<std::string>& own) {
  const Value* shape = given.is_scalar() ? &given : given.find("shape");
  if (shape == nullptr || !shape->is_scalar()) {
    reading.error(given.where(), "'shape' is missing", suggestion("", reading.registry().catalog<ShapeKind>().names()));
    return std::nullopt;
  }
  Value params = Value::map({}, given.where());
  for (const auto& [key, value] : given.members()) {
    if (key != "shape" && std::find(own.begin(), own.end(), key) == own.end()) params.set(key, value);
  }
  const auto use = reading.use_named<ShapeKind>(shape->text(), params, shape->where());
  if (!use) return std::nullopt;
  Result<Shape> made = use->kind->make(use->config);
  if (!collect(made, reading.errors())) return std::nullopt;
  ReadBody out;
  out.shapes.push_back(std::move(made).value());
  out.resolved = Value::map({{"shape", *shape}}, given.where());
  for (const auto& [key, value] : use->config.resolved().members()) out.resolved.set(key, value);
  return out;
}

std::optional<ReadBody> read_body(Reading& reading, const Value& given) {
  ReadBody out;
  if (given.is_scalar() && given.text() == "none") {
    out.resolved = given;
    return out;
  }
  out.resolved = Value::list({}, given.where());
  const std::vector<std::string> own = sections::names(sections::shape_in_body());
  bool good = true;
  for (const Value& item : Reading::as_list(given)) {
    Value place = Value::map({}, item.where());
    for (const std::string& key : own) {
      if (const Value* value = item.find(key)) place.set(key, *value);
    }
    const Result<Config> config = Config::check(place, sections::shape_in_body());
    const bool placed = collect(config, reading.errors());
    std::optional<ReadBody> shape = read_shape(reading, item, own);
    good = good && placed && shape.has_value();
    if (!good) continue;
    const Vec3 at = config->has("at") ? config->point("at") : Vec3{};
    out.shapes.push_back(moved(std::move(shape->shapes.front()), at, heading_of(*config)));
    for (const auto& [key, value] : config->resolved().members()) shape->resolved.set(key, value);
    out.resolved.items().push_back(std::move(shape->resolved));
  }
  if (!good) return std::nullopt;
  if (out.shapes.empty()) {
    reading.error(given.where(), "the body has no shape", "write {shape: circle, radius: 0.15 m}, or none");
    return std::nullopt;
  }
  // One shape stands alone, as most people write it: `override:` can then change its size.
  if (out.shapes.size() == 1) out.resolved = Value(out.resolved.items().front());
  return out;
}

std::pair<WorldSpec, Value> read_world(Reading& reading, const Value& given) {
  return WorldReader(reading).read(given);
}

}  // namespace strata::detail
