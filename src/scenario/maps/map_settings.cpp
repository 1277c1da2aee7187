#include "scenario/maps/map_settings.hpp"

namespace strata::maps {

const std::vector<Param>& map_params() {
  static const std::vector<Param> params{
      param::text("file", "", "a diagrams.net drawing or a ROS map file, relative to this file").required(),
      param::quantity("scale", "m", "0.02 m", "length of one drawing unit; a ROS map has its own")
          .above(0)
          .at_most(1e3),
      param::text("page", "", "name or number of the drawing's page; the first if not given"),
      param::quantity("height", "m", "1 m", "of walls").above(0).at_most(1e5),
      param::quantity("line", "m", "0.1 m", "thickness of walls drawn as lines without a width").above(0).at_most(1e3),
      param::choice("unknown_shapes", {"error", "box", "ignore"}, "error", "what a shape that nobody knows becomes"),
      param::choice("unknown_cells", {"free", "occupied"}, "free", "what a ROS map's unseen cells are"),
  };
  return params;
}

MapSettings MapSettings::from(const Config& config) {
  MapSettings out;
  out.file = config.text("file");
  out.page = config.has("page") ? config.text("page") : "";
  out.scale_m = config.quantity("scale");
  out.height_m = config.quantity("height");
  out.line_m = config.quantity("line");
  const std::string& unknown = config.text("unknown_shapes");
  if (unknown == "box") out.unknown_shapes = UnknownShapes::kBox;
  if (unknown == "ignore") out.unknown_shapes = UnknownShapes::kIgnore;
  out.unknown_is_free = config.text("unknown_cells") == "free";
  return out;
}

}  // namespace strata::maps
