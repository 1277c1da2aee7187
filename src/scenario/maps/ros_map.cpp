#include "scenario/maps/ros_map.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/math.hpp"
#include "scenario/maps/grey_image.hpp"
#include "scenario/maps/map_content.hpp"

namespace strata::maps {
namespace {

constexpr std::size_t kMostBoxes = 200'000;

const std::vector<Param>& ros_params() {
  static const std::vector<Param> params{
      param::text("image", "", "file with the cells").required(),
      param::number("resolution", "", "metres per cell").required().above(0).at_most(1e3),
      param::any("origin", "[x, y, yaw] of the lower left cell").required(),
      param::integer("negate", "0", "1: white is occupied").at_least(0).at_most(1),
      param::number("occupied_thresh", "0.65", "from this share of black on a cell is occupied").at_least(0).at_most(1),
      param::number("free_thresh", "0.196", "up to this share it is free").at_least(0).at_most(1),
      param::choice("mode", {"trinary", "scale", "raw"}, "trinary", "how cells are read"),
  };
  return params;
}

struct RosMap {
  double resolution_m = 1;
  Vec2 origin;
  double yaw_rad = 0;
  bool negate = false;
  double occupied = 0.65;
  double free = 0.196;
  std::string image;
};

Result<RosMap> read_settings(const Value& root) {
  const Result<Config> config = Config::check(root, ros_params());
  if (!config.ok()) return config.errors();
  RosMap out;
  out.resolution_m = config->number("resolution");
  out.negate = config->integer("negate") == 1;
  out.occupied = config->number("occupied_thresh");
  out.free = config->number("free_thresh");
  const Value& origin = config->any("origin");
  std::vector<double> numbers;
  for (const Value& item : origin.items()) {
    const Result<double> number = item.is_scalar() ? parse_number(item.text()) : Result<double>(Error{});
    if (number.ok()) numbers.push_back(*number);
  }
  if (!origin.is_list() || numbers.size() != 3 || origin.items().size() != 3)
    return Error{origin.where(), "'origin' has to be three numbers", "write [x, y, yaw]"};
  if (config->text("mode") == "raw")
    return Error{config->where("mode"), "maps of the mode 'raw' are not understood", "save the map as 'trinary'"};
  out.origin = {numbers[0], numbers[1]};
  out.yaw_rad = numbers[2];
  const std::filesystem::path image(config->text("image"));
  out.image = (image.is_absolute() ? image : std::filesystem::path(root.where().file).parent_path() / image).string();
  return out;
}

std::vector<bool> occupied_cells(const GreyImage& image, const RosMap& map, bool unknown_is_free) {
  std::vector<bool> out(image.grey.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double share = (map.negate ? image.grey[i] : 255 - image.grey[i]) / 255.0;
    const bool is_clear = !image.transparent.empty() && image.transparent[i];
    const bool is_unknown = is_clear || (share <= map.occupied && share >= map.free);
    out[i] = is_unknown ? !unknown_is_free : share > map.occupied;
  }
  return out;
}

struct CellBox {
  std::size_t left = 0;
  std::size_t top = 0;
  std::size_t width = 0;
  std::size_t height = 0;
};

/// Runs to the right, then as far down as the whole run goes on. Takes the cells out of `left_over`.
std::vector<CellBox> join(std::vector<bool> left_over, std::size_t width) {
  std::vector<CellBox> out;
  const std::size_t height = left_over.size() / width;
  for (std::size_t i = 0; i < left_over.size(); ++i) {
    if (!left_over[i]) continue;
    CellBox box{i % width, i / width, 1, 1};
    while (box.left + box.width < width && left_over[i + box.width]) ++box.width;
    const auto row_goes_on = [&](std::size_t row) {
      for (std::size_t k = 0; k < box.width; ++k) {
        if (!left_over[row * width + box.left + k]) return false;
      }
      return true;
    };
    while (box.top + box.height < height && row_goes_on(box.top + box.height)) ++box.height;
    for (std::size_t row = box.top; row < box.top + box.height; ++row) {
      for (std::size_t k = 0; k < box.width; ++k) left_over[row * width + box.left + k] = false;
    }
    out.push_back(box);
    if (out.size() > kMostBoxes) break;
  }
  return out;
}

}  // namespace

bool is_ros_map(const Value& root) {
  return root.is_map() && root.find("image") != nullptr && root.find("resolution") != nullptr;
}

Result<Value> read_ros_map(const Value& root, const MapSettings& settings) {
  const Result<RosMap> map = read_settings(root);
  if (!map.ok()) return map.errors();
  const Result<GreyImage> image = read_image(map->image);
  if (!image.ok()) return image.errors();
  const std::vector<CellBox> boxes = join(occupied_cells(*image, *map, settings.unknown_is_free), image->width);
  const Where where{map->image, 0, 0, ""};
  if (boxes.size() > kMostBoxes)
    return Error{where, fmt::format("the map needs more than {} boxes", kMostBoxes), "make it coarser, or clean it"};

  const Vec2 axis = math::unit(map->yaw_rad);
  Value objects = Value::list({}, where);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const CellBox& box = boxes[i];
    // Rows count from the top, the origin is at the bottom.
    const Vec2 cells{static_cast<double>(box.left) + 0.5 * static_cast<double>(box.width),
                     static_cast<double>(image->height - box.top) - 0.5 * static_cast<double>(box.height)};
    const Vec2 local = map->resolution_m * cells;
    const Vec2 at = map->origin + Vec2{axis.x * local.x - axis.y * local.y, axis.y * local.x + axis.x * local.y};
    Value object = Value::map({{"name", Value::scalar(fmt::format("cells{}", i + 1))}}, where);
    object.set("at", point_value(at, {}));
    object.set("shape", Value::scalar("box"));
    object.set("length", length_value(static_cast<double>(box.width) * map->resolution_m, {}));
    object.set("width", length_value(static_cast<double>(box.height) * map->resolution_m, {}));
    object.set("height", length_value(settings.height_m, {}));
    if (map->yaw_rad != 0) object.set("heading", angle_value(map->yaw_rad * 180 / math::kPi, {}));
    objects.items().push_back(std::move(object));
  }
  Value out = Value::map();
  if (!objects.items().empty()) out.set("world", Value::map({{"objects", std::move(objects)}}));
  return out;
}

}  // namespace strata::maps
