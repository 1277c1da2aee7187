// Helps the tests of maps: drawings from a few cells, as text.
#pragma once

#include <string>

#include "base/catalog.hpp"
#include "scenario/maps/map.hpp"

namespace strata::maps {

/// A page of 500 x 400 units with these cells on its first layer.
[[nodiscard]] inline std::string model(const std::string& cells) {
  return "<mxGraphModel pageWidth=\"500\" pageHeight=\"400\"><root><mxCell id=\"0\"/><mxCell id=\"1\" parent=\"0\"/>" +
         cells + "</root></mxGraphModel>";
}
[[nodiscard]] inline std::string drawing(const std::string& cells) {
  return "<mxfile><diagram name=\"Page-1\">" + model(cells) + "</diagram></mxfile>";
}
/// A shape with its upper left corner at (x, y).
[[nodiscard]] inline std::string shape(const std::string& id, const std::string& style, double x, double y, double w,
                                       double h, const std::string& parent = "1") {
  return "<mxCell id=\"" + id + "\" style=\"" + style + "\" vertex=\"1\" parent=\"" + parent + "\"><mxGeometry x=\"" +
         std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(w) + "\" height=\"" +
         std::to_string(h) + "\" as=\"geometry\"/></mxCell>\n";
}
/// A line between two points.
[[nodiscard]] inline std::string line(const std::string& id, const std::string& style, double x1, double y1, double x2,
                                      double y2) {
  const auto point = [](const char* as, double x, double y) {
    return "<mxPoint x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" as=\"" + as + "\"/>";
  };
  return "<mxCell id=\"" + id + "\" style=\"" + style +
         "\" edge=\"1\" parent=\"1\"><mxGeometry relative=\"1\" as=\"geometry\">" + point("sourcePoint", x1, y1) +
         point("targetPoint", x2, y2) + "</mxGeometry></mxCell>\n";
}
/// An annotation around a shape or line.
[[nodiscard]] inline std::string annotated(const std::string& id, const std::string& attributes, std::string cell) {
  const std::size_t at = cell.find(" id=\"");
  cell.erase(at, cell.find('"', at + 5) + 1 - at);
  return "<object label=\"the " + id + "\" " + attributes + " id=\"" + id + "\">" + cell + "</object>\n";
}

}  // namespace strata::maps
