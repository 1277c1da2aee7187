#include "scenario/maps/drawing.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/units.hpp"
#include "scenario/maps/packed_text.hpp"
#include "scenario/yaml.hpp"

namespace strata::maps {
namespace {

constexpr double kLargest = 1e7;  // drawing units; a damaged number beyond that

/// Line numbers of offsets in a text.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1)) ends_.push_back(i);
  }
  [[nodiscard]] int line(std::ptrdiff_t offset) const {
    if (offset < 0) return 0;
    const auto it = std::lower_bound(ends_.begin(), ends_.end(), static_cast<std::size_t>(offset));
    return static_cast<int>(it - ends_.begin()) + 1;
  }

 private:
  std::vector<std::size_t> ends_;
};

/// An XML text with the places of its nodes.
struct Document {
  Document(std::string source, bool in_file)
      : text(std::move(source)), has_lines(in_file), lines(in_file ? text : "") {}
  std::string text;
  bool has_lines;  ///< false: unpacked from within the file, where lines say nothing
  Lines lines;
  pugi::xml_document xml;

  [[nodiscard]] int line(const pugi::xml_node& node) const { return has_lines ? lines.line(node.offset_debug()) : 0; }
};

/// Entities other than XML's own are never expanded; a file that defines some wants them to be, so it is refused.
Result<void> parse_xml(Document& document, const std::string& file) {
  const pugi::xml_parse_result result =
      document.xml.load_buffer(document.text.data(), document.text.size(), pugi::parse_default | pugi::parse_doctype);
  for (const pugi::xml_node node : document.xml.children()) {
    if (node.type() == pugi::node_doctype && std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos)
      return Error{{file, document.line(node), 0, ""},
                   "the drawing defines XML entities, which is refused",
                   "save it again in diagrams.net, which never needs them"};
  }
  if (result) return {};
  return Error{{file, document.has_lines ? document.lines.line(result.offset) : 0, 0, ""},
               fmt::format("this is not well-formed XML: {}", result.description()),
               "open and save the drawing in diagrams.net, or take an intact copy"};
}

/// Text without the tags and entities of HTML labels, in one line.
std::string plain_label(std::string_view html) {
  constexpr std::size_t kLongest = 60;
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&nbsp;", ' '}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
  std::string out;
  for (std::size_t i = 0; i < html.size() && out.size() < kLongest; ++i) {
    if (html[i] == '<') {
      const std::size_t end = html.find('>', i);
      if (end == std::string_view::npos) break;
      i = end;
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
      continue;
    }
    char c = std::isspace(static_cast<unsigned char>(html[i])) != 0 ? ' ' : html[i];
    for (const auto& [entity, meaning] : kEntities) {
      if (!html.substr(i).starts_with(entity)) continue;
      c = meaning;
      i += entity.size() - 1;
      break;
    }
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out.push_back(c);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// Whether a text can be written into a scenario: well-formed UTF-8, without halves of surrogate pairs.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t count = first < 0x80   ? 1
                              : first < 0xC2 ? 0
                              : first < 0xE0 ? 2
                              : first < 0xF0 ? 3
                              : first < 0xF5 ? 4
                                             : 0;
    if (count == 0 || i + count > text.size()) return false;
    for (std::size_t k = 1; k < count; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    const auto second = count > 1 ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F))
      return false;
    i += count;
  }
  return true;
}

class PageReader {
 public:
  PageReader(const Document& document, Drawing& out, const DrawingLimits& limits)
      : document_(document), out_(out), limits_(limits) {}

  Errors read(const pugi::xml_node& model) {
    out_.page_size = {page_number(model, "pageWidth"), page_number(model, "pageHeight")};
    for (const pugi::xml_node node : model.child("root").children()) {
      if (node.type() != pugi::node_element) continue;
      if (out_.cells.size() == limits_.cells) {
        errors_.push_back({{out_.file, document_.line(node), 0, ""},
                           fmt::format("the page has more than {} cells", limits_.cells),
                           "split it into several drawings, or draw long walls as one shape"});
        break;
      }
      read_element(node);
    }
    if (errors_.empty()) add_offsets();
    return std::move(errors_);
  }

 private:
  static double page_number(const pugi::xml_node& model, const char* name) {
    const Result<double> number = parse_number(model.attribute(name).value());
    return number.ok() && *number > 0 && *number < kLargest ? *number : 500;
  }

  void read_element(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    const bool is_annotated = name == "object" || name == "UserObject";
    if (!is_annotated && name != "mxCell") {
      out_.notes.push_back(fmt::format("the element <{}> in line {} of the drawing is not known and left out",
                                       std::string(name.substr(0, 40)), document_.line(node)));
      return;
    }
    const pugi::xml_node cell = is_annotated ? node.child("mxCell") : node;
    DrawnCell out;
    out.id = node.attribute("id").value();
    if (out.id.empty()) out.id = cell.attribute("id").value();
    out.label = plain_label(is_annotated ? node.attribute("label").value() : cell.attribute("value").value());
    out.where = {out_.file, document_.line(node), 0, fmt::format("cell {}", shown(out.id))};
    if (!out.label.empty()) out.where.path += fmt::format(" \"{}\"", out.label);
    if (is_annotated) read_annotations(node, out);
    if (cell.empty()) {
      errors_.push_back({out.where, "the annotation holds no shape", "delete it, or draw the shape again"});
      return;
    }
    read_cell(cell, out);
    if (out.id.empty() || !out_.by_id.emplace(out.id, out_.cells.size()).second) {
      errors_.push_back({out.where, out.id.empty() ? "a cell has no id" : "two cells have this id",
                         "cut and paste the shape in diagrams.net, which gives it a fresh one"});
      return;
    }
    parents_.emplace_back(cell.attribute("parent").value());
    out_.cells.push_back(std::move(out));
  }

  static std::string shown(const std::string& id) { return id.size() <= 40 ? id : id.substr(0, 37) + "..."; }

  void read_annotations(const pugi::xml_node& node, DrawnCell& out) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (!is_utf8(attribute.name()) || !is_utf8(attribute.value())) {
        errors_.push_back({out.where, "an annotation is not UTF-8 text", "write it again in diagrams.net"});
        continue;
      }
      const std::string_view key = attribute.name();
      if (key == "type") {
        out.type = attribute.value();
      } else if (key != "id" && key != "label" && key != "placeholders" && key != "tooltip" && key != "link" &&
                 key != "tags") {
        out.attributes.emplace_back(attribute.name(), attribute.value());
      }
    }
  }

  void read_cell(const pugi::xml_node& cell, DrawnCell& out) {
    out.style = Style::parse(cell.attribute("style").value());
    out.is_edge = std::string_view(cell.attribute("edge").value()) == "1";
    out.is_visible = std::string_view(cell.attribute("visible").value()) != "0";
    out.source = cell.attribute("source").value();
    out.target = cell.attribute("target").value();
    const pugi::xml_node geometry = cell.child("mxGeometry");
    if (geometry.empty()) return;
    // Labels of edges have a place along the edge, not on the page.
    const bool is_relative = std::string_view(geometry.attribute("relative").value()) == "1" && !out.is_edge;
    if (!is_relative) out.corner = {number(geometry, "x", out), number(geometry, "y", out)};
    out.size = {number(geometry, "width", out), number(geometry, "height", out)};
    out.has_size = !is_relative && out.size.x > 0 && out.size.y > 0;
    if (!out.is_edge) return;
    out.corner = {};
    for (const pugi::xml_node point : geometry.children("mxPoint")) {
      const std::string_view use = point.attribute("as").value();
      const Vec2 at{number(point, "x", out), number(point, "y", out)};
      if (use == "sourcePoint") out.source_point = at;
      if (use == "targetPoint") out.target_point = at;
    }
    for (const pugi::xml_node array : geometry.children("Array")) {
      if (std::string_view(array.attribute("as").value()) != "points") continue;
      for (const pugi::xml_node point : array.children("mxPoint"))
        out.points.push_back({number(point, "x", out), number(point, "y", out)});
    }
  }

  double number(const pugi::xml_node& node, const char* name, const DrawnCell& cell) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (attribute.empty() || *attribute.value() == '\0') return 0;
    const Result<double> number = parse_number(attribute.value());
    if (number.ok() && std::abs(*number) < kLargest) return *number;
    errors_.push_back({cell.where,
                       fmt::format("'{}' is not a sensible {}", std::string(attribute.value()).substr(0, 40), name),
                       "move the shape in diagrams.net, which writes it anew"});
    return 0;
  }

  // What a group holds is drawn from the group's corner. Each cell is settled after what holds it.
  void add_offsets() {
    std::vector<Vec2> offsets(out_.cells.size());
    std::vector<char> state(out_.cells.size(), 0);  // 1: under way, 2: settled
    for (std::size_t start = 0; start < out_.cells.size(); ++start) {
      std::vector<std::size_t> chain;
      std::size_t i = start;
      while (state[i] == 0) {
        state[i] = 1;
        chain.push_back(i);
        const auto parent = out_.by_id.find(parents_[i]);
        if (parent == out_.by_id.end()) {
          if (!parents_[i].empty())
            errors_.push_back({out_.cells[i].where,
                               fmt::format("it belongs to '{}', which is not there", shown(parents_[i])),
                               "cut the shape and paste it onto the page"});
          break;
        }
        i = parent->second;
        if (state[i] == 1) {
          errors_.push_back(
              {out_.cells[i].where, "it is held by a group that it holds itself", "draw the group again"});
          return;
        }
      }
      for (; !chain.empty(); chain.pop_back()) settle(chain.back(), offsets, state);
    }
  }

  void settle(std::size_t i, std::vector<Vec2>& offsets, std::vector<char>& state) {
    DrawnCell& cell = out_.cells[i];
    const auto parent = out_.by_id.find(parents_[i]);
    if (parent != out_.by_id.end()) {
      const DrawnCell& holder = out_.cells[parent->second];
      const Vec2 offset = offsets[parent->second];
      cell.is_visible = cell.is_visible && holder.is_visible;
      cell.corner = cell.corner + offset;
      if (cell.source_point) cell.source_point = *cell.source_point + offset;
      if (cell.target_point) cell.target_point = *cell.target_point + offset;
      for (Vec2& point : cell.points) point = point + offset;
      offsets[i] = cell.is_edge ? offset : cell.corner;
    }
    state[i] = 2;
  }

  const Document& document_;
  Drawing& out_;
  const DrawingLimits& limits_;
  std::vector<std::string> parents_;  // by cell
  Errors errors_;
};

std::string page_name(const pugi::xml_node& diagram, std::size_t number) {
  const std::string name = diagram.attribute("name").value();
  return name.empty() ? std::to_string(number) : name;
}

Result<pugi::xml_node> choose_page(const pugi::xml_node& mxfile, const std::string& page, const std::string& file) {
  std::vector<std::string> names;
  std::vector<pugi::xml_node> pages;
  for (const pugi::xml_node diagram : mxfile.children("diagram")) {
    pages.push_back(diagram);
    names.push_back(page_name(diagram, pages.size()));
  }
  if (pages.empty()) return Error{{file, 0, 0, ""}, "the drawing has no page", "draw something and save it"};
  if (page.empty()) return pages.front();
  const auto named = std::find(names.begin(), names.end(), page);
  if (named != names.end()) return pages[static_cast<std::size_t>(named - names.begin())];
  const Result<double> number = parse_number(page);
  if (number.ok() && *number >= 1 && *number <= static_cast<double>(pages.size()) && *number == std::floor(*number))
    return pages[static_cast<std::size_t>(*number) - 1];
  return Error{{file, 0, 0, ""},
               fmt::format("the drawing has no page '{}'", page),
               fmt::format("it has {}: {}", names.size(), suggestion("", names))};
}

}  // namespace

Result<Drawing> parse_drawing(std::string text, const std::string& file, const std::string& page,
                              const DrawingLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{{file, 0, 0, ""},
                 fmt::format("the drawing is larger than {} MB", limits.bytes >> 20U),
                 "take out pictures, or split it into several drawings"};
  }
  Drawing out;
  out.file = file;
  Document document(std::move(text), true);
  if (const Result<void> parsed = parse_xml(document, file); !parsed.ok()) return parsed.errors();

  pugi::xml_node model = document.xml.child("mxGraphModel");
  const pugi::xml_node mxfile = document.xml.child("mxfile");
  if (model.empty() && mxfile.empty()) {
    return Error{{file, 1, 0, ""}, "this XML is not a drawing of diagrams.net", "save the map as a .drawio file"};
  }
  std::optional<Document> unpacked;
  if (model.empty()) {
    const Result<pugi::xml_node> diagram = choose_page(mxfile, page, file);
    if (!diagram.ok()) return diagram.errors();
    out.page = diagram->attribute("name").value();
    model = diagram->child("mxGraphModel");
    if (model.empty()) {
      const Where where{file, document.line(*diagram), 0, fmt::format("page {}", out.page)};
      Result<std::string> inner = unpack_text(diagram->child_value(), limits.bytes, where);
      if (!inner.ok()) return inner.errors();
      unpacked.emplace(std::move(inner).value(), false);
      if (const Result<void> parsed = parse_xml(*unpacked, file); !parsed.ok()) return parsed.errors();
      model = unpacked->xml.child("mxGraphModel");
      if (model.empty())
        return Error{where, "the compressed page is not a drawing", "save the map again in diagrams.net"};
    }
  }
  Errors errors = PageReader(unpacked ? *unpacked : document, out, limits).read(model);
  if (!errors.empty()) return errors;
  return out;
}

Result<Drawing> read_drawing(const std::string& file, const std::string& page) {
  const DrawingLimits limits;
  Result<std::string> text = read_text_file(file, limits.bytes);
  if (!text.ok()) return text.errors();
  return parse_drawing(std::move(text).value(), file, page, limits);
}

bool looks_like_drawing(std::string_view text) {
  constexpr std::size_t kLook = 4096;
  const std::string_view start = text.substr(0, kLook);
  return start.find("<mxfile") != std::string_view::npos || start.find("<mxGraphModel") != std::string_view::npos;
}

}  // namespace strata::maps
