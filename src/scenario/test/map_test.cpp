// What drawings mean: shapes, types, doors, parts of robots, mistakes; ROS maps and HMR Sim's configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "map_drawings.hpp"
#include "scenario/maps/drawn_type.hpp"
#include "scenario/maps/outline.hpp"
#include "scenario/yaml.hpp"
#include "scenario_files.hpp"
#include "world/components.hpp"

namespace strata::maps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MapTest : public ScenarioTest {
 protected:
  /// With 0.1 m per unit: the page is 50 m x 40 m.
  Result<Scenario> load_drawn(const std::string& cells, const std::string& more = "", const std::string& map = "") {
    files_.write("map.drawio", drawing(cells));
    return load("strata: 1\nmap: {file: map.drawio, scale: 0.1 m" + map + "}\n" + more);
  }
  std::string problems_of(const std::string& cells, const std::string& more = "") {
    files_.write("map.drawio", drawing(cells));
    return to_text(errors_of("strata: 1\nmap: {file: map.drawio, scale: 0.1 m}\n" + more));
  }
  std::vector<ObjectSpec> objects(const std::string& cells) {
    const Result<Scenario> scenario = load_drawn(cells);
    EXPECT_TRUE(scenario.ok()) << to_text(scenario.errors());
    return scenario.ok() ? scenario->spec.world.objects : std::vector<ObjectSpec>{};
  }
};

double area_of(const std::vector<ObjectSpec>& objects) {
  double sum = 0;
  for (const ObjectSpec& object : objects) {
    for (const Shape& shape : object.shapes) sum += 0.5 * doubled_area(shape.points);
  }
  return sum;
}

TEST_F(MapTest, YIsUpwardAndScaleIsMetres) {
  const auto list = objects(shape("a", "", 100, 50, 20, 10));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NEAR(list[0].position.x, 11, 1e-9);
  EXPECT_NEAR(list[0].position.y, 34.5, 1e-9);
  EXPECT_NEAR(area_of(list), 2, 1e-9);
}

TEST_F(MapTest, CentresAreNotRounded) {
  const auto list = objects(shape("a", "ellipse", 0.25, 0.25, 0.5, 0.5));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NEAR(list[0].position.x, 0.05, 1e-9);
  EXPECT_NEAR(list[0].shapes.at(0).radius, 0.025, 1e-9);
}

TEST_F(MapTest, RotationIsClockwiseOnTheScreen) {
  const auto list = objects(shape("a", "rotation=30", 100, 100, 100, 10));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NEAR(list[0].heading_rad, -30 * 3.14159265358979 / 180, 1e-6);
}

TEST_F(MapTest, FloorPlanSet) {
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.floorplan.wall", 0, 0, 100, 10))), 10, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.floorplan.wallCorner", 0, 0, 100, 100))), 19, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.floorplan.wallU", 0, 0, 100, 100))), 28, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.floorplan.room", 0, 0, 100, 100))), 36, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.floorplan.room;wallThickness=5", 0, 0, 100, 100))), 19, 1e-6);
}

TEST_F(MapTest, OtherShapes) {
  EXPECT_NEAR(area_of(objects(shape("a", "rhombus", 0, 0, 100, 50))), 25, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "triangle", 0, 0, 100, 50))), 25, 1e-6);
  EXPECT_NEAR(area_of(objects(shape("a", "rounded=1", 0, 0, 100, 50))), 50, 1e-6);
  // An L, which is not convex.
  const std::string coords = "polyCoords=[[0,0],[1,0],[1,0.5],[0.5,0.5],[0.5,1],[0,1]]";
  EXPECT_NEAR(area_of(objects(shape("a", "shape=mxgraph.basic.polygon;polyline=0;" + coords, 0, 0, 100, 100))), 75,
              1e-6);
  EXPECT_GT(area_of(objects(shape("a", "ellipse", 0, 0, 100, 50))), 3.14159 * 10 * 5 / 4);
}

TEST_F(MapTest, LinesAreWalls) {
  EXPECT_NEAR(area_of(objects(line("a", "endArrow=none;strokeWidth=2", 0, 100, 100, 100))), 10.2 * 0.2, 1e-6);
  const auto thick = objects(annotated("w", "type=\"wall\" thickness=\"0.5 m\"", line("w", "", 0, 100, 100, 100)));
  EXPECT_NEAR(area_of(thick), 10.5 * 0.5, 1e-6);
}

TEST_F(MapTest, DoorsAreOpenings) {
  const std::string wall = shape("a", "shape=mxgraph.floorplan.wall", 100, 100, 100, 10);
  const auto list = objects(wall + shape("d", "shape=mxgraph.floorplan.doorLeft", 130, 103, 40, 45));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_NEAR(area_of(list), 6, 1e-6);
  // Turned together they are the same.
  const auto turned = objects(shape("a", "shape=mxgraph.floorplan.wall;direction=south", 100, 100, 10, 100) +
                              shape("d", "shape=mxgraph.floorplan.doorRight;direction=south", 62, 130, 45, 40));
  EXPECT_NEAR(area_of(turned), 6, 1e-6);
}

TEST_F(MapTest, ADoorOnNoWallIsReported) {
  const auto scenario =
      load_drawn(shape("d", "shape=mxgraph.floorplan.doorLeft", 130, 103, 40, 45) + shape("a", "", 0, 0, 5, 5));
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_THAT(scenario->spec.notes, ElementsAre(AllOf(HasSubstr("cell d"), HasSubstr("on no wall"))));
}

TEST_F(MapTest, HiddenLayersAndTextAreNotThere) {
  const std::string hidden = "<mxCell id=\"layer\" parent=\"0\" visible=\"0\"/>";
  EXPECT_EQ(objects(hidden + shape("a", "", 0, 0, 5, 5, "layer") + shape("b", "", 0, 0, 5, 5) +
                    shape("t", "text;html=1", 0, 0, 50, 5))
                .size(),
            1U);
}

TEST_F(MapTest, RobotsPlacesPathsAndThings) {
  const std::string cells =
      annotated("r", "type=\"robot\" name=\"nurse\" component_RandomWalk=\"[]\"",
                shape("r", "ellipse", 95, 95, 10, 10)) +
      annotated("d", "type=\"drone\" altitude=\"2 m\"", shape("d", "rotation=90", 200, 95, 10, 6)) +
      annotated("p", "type=\"POI\" tag=\"ward\"", shape("p", "ellipse", 295, 95, 10, 10)) +
      annotated("q", "type=\"POI\"", shape("q", "ellipse", 395, 95, 10, 10)) +
      annotated("m", "type=\"map-path\"", line("m", "", 100, 100, 300, 100)) +
      annotated("t", "type=\"pickable\" name=\"pill\" weight=\"0.5\"", shape("t", "", 300, 200, 10, 10)) +
      annotated("c", "type=\"charger\" tag=\"dock\" power=\"50 W\"", shape("c", "", 20, 20, 10, 10)) +
      annotated("x", "type=\"debug\" anything=\"1\"", shape("x", "shape=nobody.knows", 20, 20, 10, 10)) +
      "<object label=\"\" type=\"path\" id=\"f\"><mxCell edge=\"1\" parent=\"1\" source=\"r\" target=\"p\">"
      "<mxGeometry relative=\"1\" as=\"geometry\"/></mxCell></object>";
  const auto scenario = load_drawn(cells, "robots: {guard: {at: ward}}\n");
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  const auto built = build(*scenario, registry_);
  ASSERT_TRUE(built.ok()) << to_text(built.errors());
  const World& world = (*built)->simulation->world();
  const Places& places = world.places();
  const auto at = [&](const char* name) { return world.get<Pose>(world.find(name))->position; };
  EXPECT_NEAR(at("nurse").y, 30, 1e-9);
  EXPECT_EQ(at("the_d").z, 2);
  EXPECT_NEAR(at("guard").x, 30, 1e-9);
  ASSERT_EQ(places.points.size(), 2U);
  EXPECT_EQ(places.points[1].tag, "POI_1");
  ASSERT_EQ(places.paths.size(), 1U);
  EXPECT_EQ(places.paths[0].points.size(), 2U);
  ASSERT_EQ(places.routes.size(), 1U);
  EXPECT_EQ(places.routes[0].robot, "nurse");
  ASSERT_EQ(places.items.size(), 1U);
  EXPECT_EQ(places.items[0].weight_kg, 0.5);
  EXPECT_EQ(world.find("pill"), places.items[0].entity);
  ASSERT_EQ(places.chargers.size(), 1U);
  EXPECT_EQ(places.chargers[0].power_w, 50);
  EXPECT_NE(places.find("dock"), nullptr);
}

TEST_F(MapTest, TheResolvedScenarioNeedsNoDrawing) {
  const auto first = load_drawn(shape("a", "ellipse", 10, 10, 20, 20) +
                                annotated("r", "type=\"robot\"", shape("r", "rotation=45", 95, 95, 10, 6)) +
                                annotated("p", "type=\"POI\"", shape("p", "", 295, 95, 10, 10)));
  ASSERT_TRUE(first.ok()) << to_text(first.errors());
  const auto again = load(to_yaml(first->spec.resolved));
  ASSERT_TRUE(again.ok()) << to_text(again.errors());
  RunOptions options;
  options.write_folder = false;
  const auto a = run(*first, options, registry_);
  const auto b = run(*again, options, registry_);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->hash, b->hash);
}

TEST_F(MapTest, WhatTheScenarioSaysWins) {
  const auto scenario =
      load_drawn(annotated("r", "type=\"robot\" name=\"nurse\"", shape("r", "ellipse", 95, 95, 10, 10)) +
                     shape("a", "", 0, 0, 5, 5),
                 "robots: {nurse: {motion: {max_speed: 3 m/s}, at: [1, 1]}}\n"
                 "world: {objects: [{name: more, shape: circle, radius: 1 m, at: [9, 9]}]}\n");
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_EQ(scenario->spec.world.objects.size(), 2U);
  ASSERT_EQ(scenario->spec.groups.size(), 1U);
  EXPECT_EQ(scenario->spec.groups[0].variants[0].motion->config.quantity("max_speed"), 3);
}

TEST_F(MapTest, AllMistakesAtOnceWithIdAndLabel) {
  const std::string problems = problems_of(
      annotated("u", "type=\"robbot\"", shape("u", "", 0, 0, 5, 5)) +
      shape("s", "shape=mxgraph.nobody.knows", 9, 9, 5, 5) +
      annotated("k", "type=\"robot\" component_Jetpack=\"[1]\"", shape("k", "", 50, 50, 5, 5)) +
      annotated("j", "type=\"robot\" component_Battery=\"[1,\"", shape("j", "", 90, 50, 5, 5)) +
      annotated("n", "type=\"robot\" component_RandomWalk=\"[1,2,3,4,5,6,7,8,9]\"", shape("n", "", 90, 90, 5, 5)) +
      annotated("e", "type=\"map-path\"", "<mxCell id=\"e\" edge=\"1\" parent=\"1\"/>") +
      annotated("z", "type=\"POI\"", shape("z", "", 9, 9, 0, 0)) +
      annotated("w", "type=\"pickable\" weight=\"heavy\"", shape("w", "", 9, 9, 1, 1)));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell u \"the u\": unknown type 'robbot'"), HasSubstr("'robot'")));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell s: unknown shape"), HasSubstr("unknown_shapes: box")));
  EXPECT_THAT(problems, HasSubstr("cell k \"the k\": there is no component 'Jetpack'"));
  EXPECT_THAT(problems, HasSubstr("cell j \"the j\": the arguments of 'Battery' are not JSON"));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell n"), HasSubstr("arguments, found 9")));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell e"), HasSubstr("leads nowhere")));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell z"), HasSubstr("with a size")));
  EXPECT_THAT(problems, HasSubstr("cell w"));
}

TEST_F(MapTest, OverlapsAndPlacesInWalls) {
  const std::string problems =
      problems_of(annotated("a", "type=\"robot\"", shape("a", "", 50, 50, 10, 10)) +
                  annotated("b", "type=\"robot\"", shape("b", "", 55, 50, 10, 10)) + shape("w", "", 100, 100, 50, 50) +
                  annotated("p", "type=\"POI\" tag=\"here\"", shape("p", "", 120, 120, 10, 10)));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell b"), HasSubstr("overlaps 'the_a'")));
  EXPECT_THAT(problems, AllOf(HasSubstr("cell p"), HasSubstr("the place 'here'"), HasSubstr("inside of 'wall_w'")));
}

TEST_F(MapTest, TagsAndNamesAreUsedOnce) {
  EXPECT_THAT(problems_of(annotated("p", "type=\"POI\" tag=\"here\"", shape("p", "", 120, 120, 10, 10)) +
                          annotated("q", "type=\"POI\" tag=\"here\"", shape("q", "", 20, 120, 10, 10))),
              AllOf(HasSubstr("cell q"), HasSubstr("'here' is used already")));
  EXPECT_THAT(problems_of(annotated("p", "type=\"robot\" name=\"a\"", shape("p", "", 120, 120, 10, 10)) +
                          annotated("q", "type=\"robot\" name=\"a\"", shape("q", "", 20, 120, 10, 10))),
              AllOf(HasSubstr("cell q"), HasSubstr("used twice")));
  EXPECT_THAT(problems_of(shape("a", "", 0, 0, 5, 5), "robots: {guard: {at: nowhere}}\n"),
              HasSubstr("no place has the tag"));
  EXPECT_THAT(problems_of(""), HasSubstr("is empty"));
}

TEST_F(MapTest, WhatIsNotUnderstoodIsReported) {
  const auto scenario = load_drawn(annotated("p", "type=\"POI\" tg=\"here\"", shape("p", "", 120, 120, 10, 10)) +
                                       line("a", "endArrow=classic", 0, 0, 9, 9) + "<mxThing id=\"t\"/>" +
                                       shape("s", "shape=nobody.knows", 10, 10, 10, 10),
                                   "", ", unknown_shapes: box");
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_THAT(scenario->spec.notes,
              UnorderedElementsAre(HasSubstr("'tg'"), HasSubstr("an arrow without a type"), HasSubstr("<mxThing>"),
                                   HasSubstr("unknown shape 'nobody.knows', taken as a box")));
  const auto built = build(*scenario, registry_);
  ASSERT_TRUE(built.ok());
  EXPECT_EQ((*built)->simulation->warnings().size(), 4U);
}

TEST_F(MapTest, APluginsShapesAndTypes) {
  DrawnShapeKind bar;
  bar.name = "my.bar";
  bar.outlines = [](const DrawnCell&, Vec2 size) -> Result<std::vector<Outline>> {
    return std::vector<Outline>{rectangle({}, {size.x / 2, size.y})};
  };
  registry_.catalog<DrawnShapeKind>().add(std::move(bar));
  EXPECT_NEAR(area_of(objects(shape("a", "shape=my.bar", 0, 0, 100, 50))), 25, 1e-6);
}

TEST_F(MapTest, BatteryFromArgumentsInOrder) {
  const auto scenario =
      load_drawn(annotated("r", "type=\"robot\" component_Battery=\"{&quot;capacity&quot;: &quot;2 Wh&quot;}\"",
                           shape("r", "", 95, 95, 10, 10)));
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  ASSERT_EQ(scenario->spec.groups[0].variants[0].components.size(), 1U);
}

TEST_F(MapTest, ScriptsAndClawsAsHmrSimWritesThem) {
  ComponentKind claw;
  claw.name = "grip";
  claw.params = {param::quantity("reach", "m", "1 m", ""), param::quantity("capacity", "kg", "1 kg", "")};
  claw.attach = [](World&, EntityId, const Config&) { return Result<void>(); };
  registry_.catalog<ComponentKind>().add(std::move(claw));
  ComponentKind orders;
  orders.name = "my_orders";
  orders.params = {param::any("do", "")};
  orders.attach = [](World&, EntityId, const Config&) { return Result<void>(); };
  registry_.catalog<ComponentKind>().add(std::move(orders));
  const auto scenario = load_drawn(annotated(
      "r",
      "type=\"robot\" component_Grip=\"[80, 1]\" component_MyOrders='[\"Go ward\", \"Go 100 200\", \"Grab pill\"]'",
      shape("r", "", 95, 95, 10, 10)));
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  const auto& parts = scenario->spec.groups[0].variants[0].components;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_NEAR(parts[0].config.quantity("reach"), 8, 1e-9);  // drawing units
  EXPECT_NEAR(parts[0].config.quantity("capacity"), 1, 1e-9);
  const Value& list = parts[1].config.any("do");
  ASSERT_EQ(list.items().size(), 3U);
  EXPECT_EQ(list.items()[0].text(), "Go ward");
  EXPECT_EQ(list.items()[1].text(), "Go 10 20");
}

TEST_F(MapTest, RosMap) {
  // A frame of occupied cells with one unknown cell inside.
  files_.write("lab.pgm", "P2\n# a comment\n4 4\n255\n0 0 0 0\n0 254 205 0\n0 254 254 0\n0 0 0 0\n");
  files_.write("lab.yaml",
               "image: lab.pgm\nresolution: 0.5\norigin: [-1.0, -1.0, 0.0]\nnegate: 0\n"
               "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
  const auto scenario = load("strata: 1\nmap: lab.yaml\n");
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_NEAR(area_of(scenario->spec.world.objects), 12 * 0.25, 1e-9);
  EXPECT_NEAR(scenario->spec.world.objects[0].position.x, 0, 1e-9);
  EXPECT_NEAR(scenario->spec.world.objects[0].position.y, 0.75, 1e-9);
  const auto unseen = load("strata: 1\nmap: {file: lab.yaml, unknown_cells: occupied}\n");
  ASSERT_TRUE(unseen.ok());
  EXPECT_NEAR(area_of(unseen->spec.world.objects), 13 * 0.25, 1e-9);
}

TEST_F(MapTest, BrokenRosMaps) {
  const std::string yaml = "image: lab.pgm\nresolution: 0.5\norigin: [-1.0, -1.0, 0.0]\n";
  files_.write("lab.yaml", yaml);
  EXPECT_THAT(to_text(errors_of("strata: 1\nmap: lab.yaml\n")), HasSubstr("no such file"));
  for (const char* image :
       {"P5\n9 9\n255\nabc", "P5\n99999999 99999999\n255\n", "P2\n2 2\n255\n1 2 3", "GIF", "\x89PNG\r\n"}) {
    files_.write("lab.pgm", image);
    EXPECT_THAT(errors_of("strata: 1\nmap: lab.yaml\n"), Not(IsEmpty())) << image;
  }
  files_.write("lab.yaml", "image: lab.pgm\nresolution: -1\norigin: [1]\n");
  EXPECT_THAT(to_text(errors_of("strata: 1\nmap: lab.yaml\n")), HasSubstr("resolution"));
}

TEST_F(MapTest, HmrConfiguration) {
  files_.write("project/map.drawio",
               drawing(annotated("r", "type=\"robot\" collision_tag=\"x\" component_Collidable=\"[]\"",
                                 shape("r", "", 95, 95, 40, 40)) +
                       shape("s", "shape=some.thing", 10, 10, 10, 10)));
  files_.write("config.json",
               R"({"context": "project", "map": "map.drawio", "FPS": 20, "DLW": 10, "duration": 6, "verbose": 10,
                   "simulationComponents": {"Map": [50], "Weather": ["rain"]},
                   "extraEntities": [{"entId": "e1", "name": "helper", "type": "robot",
                                      "components": {"Position": [200, 200], "RandomWalk": []}},
                                     {"name": "box", "isObject": true, "isInteractive": true,
                                      "components": {"Position": [300, 200]}}]})");
  const auto scenario = load_scenario(files_.path("config.json"), {}, registry_);
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_EQ(scenario->spec.duration.seconds(), 6);
  EXPECT_EQ(scenario->spec.step.seconds(), 0.05);
  EXPECT_EQ(scenario->spec.groups.size(), 2U);
  ASSERT_EQ(scenario->spec.places.items.size(), 1U);
  EXPECT_NEAR(scenario->spec.places.items[0].at.y, 4, 1e-9);
  EXPECT_THAT(scenario->spec.notes, Contains(HasSubstr("'Weather'")));
  EXPECT_THAT(scenario->spec.notes, Contains(HasSubstr("some.thing")));
}

TEST_F(MapTest, HmrConfigurationMistakes) {
  files_.write("config.json", R"({"map": "nowhere.xml", "FPS": 0, "durration": 5})");
  const auto wrong = load_scenario(files_.path("config.json"), {}, registry_);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(to_text(wrong.errors()), AllOf(HasSubstr("FPS"), HasSubstr("'durration'")));
  files_.write("config.json", R"({"map": "nowhere.xml", "FPS": 10, "duration": 5})");
  const auto missing = load_scenario(files_.path("config.json"), {}, registry_);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(to_text(missing.errors()), HasSubstr("there is no drawing 'nowhere.xml'"));
}

TEST(Outline, CrossedPolygonsAreRefused) {
  EXPECT_FALSE(convex_pieces({{0, 0}, {1, 1}, {1, 0}, {0, 1}}).has_value());
  EXPECT_FALSE(convex_pieces({{0, 0}, {1, 1}, {2, 2}}).has_value());
  EXPECT_FALSE(convex_pieces({}).has_value());
}

}  // namespace
}  // namespace strata::maps
