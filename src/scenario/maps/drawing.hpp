// A page of a diagrams.net drawing as it is: cells with their style, geometry and annotations, in drawing units with y
// downward. Knows nothing of robots or walls; map_content.hpp gives cells their meaning.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/vec.hpp"

namespace strata::maps {

/// What a drawing may use. Far more than any sensible one needs.
struct DrawingLimits {
  std::size_t bytes = 256U << 20U;  ///< of the file, and of a page after unpacking
  std::size_t cells = 100'000;
};

/// Keys and values of a style; what stands alone ("ellipse") is in `words`.
struct Style {
  std::vector<std::string> words;
  std::map<std::string, std::string, std::less<>> values;

  [[nodiscard]] static Style parse(std::string_view text);
  [[nodiscard]] bool has_word(std::string_view word) const;
  /// "" if it is not given.
  [[nodiscard]] std::string_view get(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key, double otherwise) const;
};

struct DrawnCell {
  std::string id;
  std::string label;                                            ///< plain text
  std::string type;                                             ///< of the annotation; empty: none
  std::vector<std::pair<std::string, std::string>> attributes;  ///< other annotations, as written
  Style style;
  bool is_edge = false;
  bool is_visible = true;  ///< neither it nor what holds it is hidden
  bool has_size = false;
  Vec2 corner;  ///< upper left, before rotation; offsets of groups are added
  Vec2 size;
  std::string source;  ///< ids at the ends of an edge; empty: not connected
  std::string target;
  std::optional<Vec2> source_point;
  std::optional<Vec2> target_point;
  std::vector<Vec2> points;  ///< of an edge, between its ends
  Where where;               ///< path names id and label

  [[nodiscard]] Vec2 centre() const { return corner + 0.5 * size; }
  /// Clockwise as seen; direction and rotation together.
  [[nodiscard]] double turned_deg() const;
  /// Width and height of the shape before it was turned into its direction.
  [[nodiscard]] Vec2 own_size() const;
  /// A point of the shape, from its own upper left, on the page.
  [[nodiscard]] Vec2 on_page(Vec2 own) const;
  /// null if it is not annotated so.
  [[nodiscard]] const std::string* attribute(std::string_view name) const;
};

struct Drawing {
  std::string file;
  std::string page;  ///< its name
  Vec2 page_size{500, 500};
  std::vector<DrawnCell> cells;
  std::vector<std::string> notes;  ///< what was not understood but does no harm

  [[nodiscard]] const DrawnCell* find(std::string_view id) const;
  std::map<std::string, std::size_t, std::less<>> by_id;
};

/// Reads a page: its name or its number, from 1; empty: the first. All errors at once.
[[nodiscard]] Result<Drawing> parse_drawing(std::string text, const std::string& file, const std::string& page = "",
                                            const DrawingLimits& limits = {});
[[nodiscard]] Result<Drawing> read_drawing(const std::string& file, const std::string& page = "");

/// Whether a file of that text is a drawing: XML of mxfile or mxGraphModel.
[[nodiscard]] bool looks_like_drawing(std::string_view text);

}  // namespace strata::maps
