// What a drawing means: collects robots, walls, places and paths while the kinds of drawn types (drawn_type.hpp) go
// through its cells, and gives them back as the sections of a scenario. Metres, y upward, the origin at the lower left
// of the page.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/catalog.hpp"
#include "base/value.hpp"
#include "scenario/maps/drawing.hpp"
#include "scenario/maps/drawn_shape.hpp"
#include "scenario/maps/map_settings.hpp"

namespace strata::maps {

class MapContent {
 public:
  MapContent(const Drawing& drawing, const MapSettings& settings, Registry& registry)
      : drawing_(drawing), settings_(settings), registry_(registry), notes_(drawing.notes) {}

  [[nodiscard]] const Drawing& drawing() const { return drawing_; }
  [[nodiscard]] const MapSettings& settings() const { return settings_; }
  [[nodiscard]] Registry& registry() { return registry_; }

  void error(const DrawnCell& cell, std::string problem, std::string remedy) {
    errors_.push_back({cell.where, std::move(problem), std::move(remedy)});
  }
  [[nodiscard]] Errors& errors() { return errors_; }
  /// Something that was not understood and does no harm.
  void note(const DrawnCell& cell, const std::string& text);
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// A point of the page in the world.
  [[nodiscard]] Vec2 metres(Vec2 drawn) const {
    return {drawn.x * settings_.scale_m, (drawing_.page_size.y - drawn.y) * settings_.scale_m};
  }
  /// A name for the cell that nothing else has: as given (then it must be free), else from its label, else from its id.
  std::optional<std::string> take_name(const DrawnCell& cell, const std::string& given, const std::string& otherwise);

  /// The kind that draws the cell; an error or a note if nobody knows it.
  [[nodiscard]] const DrawnShapeKind* shape_of(const DrawnCell& cell);
  /// The cell's body in its own frame, as a scenario writes it; null if it has none.
  [[nodiscard]] std::optional<Value> body_of(const DrawnCell& cell, double height_m);
  /// Where its x axis points, seen from above.
  [[nodiscard]] static double heading_deg(const DrawnCell& cell);
  /// An edge's points from end to end in the world; an error if it leads nowhere.
  [[nodiscard]] std::optional<std::vector<Vec2>> way_of(const DrawnCell& edge);

  /// Makes a cell solid, or an opening if its shape is one.
  void add_solid(const DrawnCell& cell, const std::string& given_name, double height_m, double line_m);
  void add_robot(const DrawnCell& cell, const std::string& name, Value robot);
  /// An entry of `places:`: "points", "paths", "routes", "items" or "chargers".
  void add_place(const std::string& list, Value entry);
  /// The robot that was drawn by the cell of that id; null if it drew none.
  [[nodiscard]] const std::string* robot_of(const std::string& cell_id) const;
  /// 1, 2, 3, ... for things that have no name of their own.
  int count(const std::string& what) { return ++counts_[what]; }

  /// `world`, `robots` and `places` as a scenario has them; empty ones are left out.
  [[nodiscard]] Value sections();

 private:
  struct Solid {
    std::string name;
    std::vector<Outline> pieces;  // metres
    double height_m = 1;
    const DrawnCell* cell = nullptr;
  };
  struct Opening {
    std::vector<Vec2> corners;
    const DrawnCell* cell = nullptr;
  };
  [[nodiscard]] std::optional<std::vector<Outline>> outlines_of(const DrawnCell& cell, const DrawnShapeKind& kind);
  [[nodiscard]] Outline in_world(const DrawnCell& cell, const Outline& own) const;
  void cut_openings();
  [[nodiscard]] Value walls();

  const Drawing& drawing_;
  const MapSettings& settings_;
  Registry& registry_;
  std::vector<Solid> solids_;
  std::vector<Opening> openings_;
  std::vector<std::pair<std::string, Value>> robots_;
  std::map<std::string, std::string> robot_of_;  // by id of the cell
  std::map<std::string, std::vector<Value>> places_;
  std::set<std::string> names_;
  std::map<std::string, int> counts_;
  std::vector<std::string> notes_;
  Errors errors_;
};

/// Numbers and points as a scenario writes them, to the micrometre.
[[nodiscard]] Value length_value(double metres, const Where& where);
[[nodiscard]] Value angle_value(double degrees, const Where& where);
[[nodiscard]] Value point_value(Vec2 at, const Where& where);
[[nodiscard]] Value points_value(const std::vector<Vec2>& points, const Where& where);
[[nodiscard]] Value word_value(const std::string& text, const Where& where);

}  // namespace strata::maps
