#include "scenario/sections.hpp"

namespace strata::sections {
namespace {

using param::any;
using param::flag;
using param::integer;
using param::point;
using param::points;
using param::quantity;
using param::text;
using param::texts;

constexpr double kLongest = 9.2e9;     // seconds; beyond, nanoseconds no longer fit
constexpr double kLargestSeed = 9e15;  // whole numbers are exact up to here
constexpr double kMostRobots = 1e7;

Param with_default(Param p, std::string default_text) {
  p.default_text = std::move(default_text);
  return p;
}

}  // namespace

const std::vector<Param>& scenario() {
  static const std::vector<Param> params{
      integer("strata", "", "version of the language: begin with 'strata: 1'").required(),
      text("name", "", "of the experiment; the name of the file or folder if not given"),
      text("description", "", "what it is about, for the report"),
      quantity("duration", "s", "60 s", "virtual time to run").above(0).at_most(kLongest),
      quantity("step", "s", "50 ms", "of the world; events happen in between at any time")
          .at_least(1e-9)
          .at_most(kLongest),
      integer("seed", "1", "of all random numbers").at_least(0).at_most(kLargestSeed),
      any("include", "files to begin with, relative to this one; what stands here wins"),
      any("plugins", "shared libraries that add kinds, relative to this file"),
      any("map", "a drawing or ROS map file: its walls, robots and places come under those written here"),
      any("world", "walls, objects and the world server"),
      any("places", "tagged points, paths, things to pick up, chargers"),
      any("robots", "groups of robots by name"),
      any("override", "what is different for single robots, by name or pattern"),
      any("systems", "systems to add or configure, by name"),
      any("team", "who shares tasks, by which strategy"),
      any("on_error", "what scripts do about errors that they do not handle themselves"),
      any("faults", "what breaks, and when"),
      any("record", "what to record, how often and where"),
      any("expect", "what must come true: makes the run a test"),
  };
  return params;
}

const std::vector<Param>& world() {
  static const std::vector<Param> params{
      any("border", "four walls around a rectangle"),
      any("walls", "straight walls between two points"),
      any("objects", "things with a shape, standing or drifting"),
      with_default(any("server", "what moves bodies and answers geometric questions"), "footprint"),
  };
  return params;
}

const std::vector<Param>& border() {
  static const std::vector<Param> params{
      point("from", "a corner of the free rectangle").required(),
      point("to", "the opposite corner").required(),
      quantity("thickness", "m", "0.1 m", "of the walls, outside the rectangle").above(0).at_most(1e5),
      quantity("height", "m", "1 m", "of the walls").above(0).at_most(1e5),
  };
  return params;
}

const std::vector<Param>& wall() {
  static const std::vector<Param> params{
      text("name", "", "wall1, wall2, ... if not given"),
      point("from", "one end of the centre line").required(),
      point("to", "the other end").required(),
      quantity("thickness", "m", "0.1 m", "across").above(0).at_most(1e5),
      quantity("height", "m", "1 m", "above its base").above(0).at_most(1e5),
      quantity("base", "m", "0 m", "height at which it begins").at_least(-1e5).at_most(1e5),
  };
  return params;
}

const std::vector<Param>& object() {
  static const std::vector<Param> params{
      text("name", "", "object1, object2, ... if not given"),
      point("at", "where it is").required(),
      quantity("heading", "rad", "0 deg", "where its x axis points"),
      point("velocity", "[x, y] in m/s: makes it move; without, it stands still"),
      quantity("turn", "rad/s", "0 rad/s", "how fast a moving object turns"),
      any("body", "its shapes, if there are several"),
  };
  return params;
}

const std::vector<Param>& shape_in_body() {
  static const std::vector<Param> params{
      point("at", "[x, y] or [x, y, z] from the body's position"),
      quantity("heading", "rad", "0 deg", "turned within the body"),
  };
  return params;
}

const std::vector<Param>& robots() {
  static const std::vector<Param> params{
      integer("count", "", "how many: name1, name2, ...; not given: one, with the name of the group")
          .at_least(1)
          .at_most(kMostRobots),
      any("place", "where they start: a placement"),
      any("at", "where they start: [x, y], or a list of points"),
      quantity("heading", "rad", "", "where they look, together with 'at'"),
      with_default(any("body", "shape or shapes they occupy, or none"), "circle of radius 0.15 m, height 0.3 m"),
      any("motion", "how they move: a motion model; not given: they do not"),
      any("behaviours", "what they do: a list of behaviours"),
      any("sensors", "what they sense: a list of sensors"),
  };
  return params;
}

const std::vector<Param>& fault() {
  static const std::vector<Param> params{
      quantity("at", "s", "", "when it happens").at_least(0).at_most(kLongest),
      quantity("rate", "Hz", "", "how often it happens to each of them, at random: '1 per h'").above(0).at_most(1e6),
      text("remove", "", "robot.component, or a robot; patterns like walker*.battery name many").required(),
  };
  return params;
}

const std::vector<Param>& record() {
  static const std::vector<Param> params{
      with_default(any("poses", "how often: a rate, or none"), "10 Hz"),
      with_default(any("metrics", "how often: a rate, or none"), "1 Hz"),
      with_default(any("battery", "how often: a rate, or none"), "1 Hz"),
      with_default(any("events", "all, none, or a list of names"), "all"),
      with_default(any("sinks", "where it goes: a list of sinks"), "mcap"),
  };
  return params;
}

const std::vector<Param>& places() {
  static const std::vector<Param> params{
      any("points", "points of interest with a tag, a list"),  any("paths", "ways that robots may travel, a list"),
      any("routes", "ways that single robots follow, a list"), any("items", "things that a claw can pick up, a list"),
      any("chargers", "where batteries are charged, a list"),
  };
  return params;
}

const std::vector<Param>& place_point() {
  static const std::vector<Param> params{
      text("tag", "", "what robots are sent to").required(),
      point("at", "where it is").required(),
  };
  return params;
}

const std::vector<Param>& place_path() {
  static const std::vector<Param> params{
      text("name", "", "path1, path2, ... if not given"),
      points("points", "at least two").required(),
      flag("one_way", false, "only from the first point to the last"),
  };
  return params;
}

const std::vector<Param>& place_route() {
  static const std::vector<Param> params{
      text("robot", "", "who follows it").required(),
      points("points", "at least two").required(),
  };
  return params;
}

const std::vector<Param>& place_item() {
  static const std::vector<Param> params{
      text("name", "", "what claws grab").required(),
      point("at", "where it lies").required(),
      quantity("weight", "kg", "1 kg", "what a claw has to lift").at_least(0).at_most(1e6),
      quantity("radius", "m", "0.1 m", "its size, for drawing it").above(0).at_most(1e5),
  };
  return params;
}

const std::vector<Param>& place_charger() {
  static const std::vector<Param> params{
      text("tag", "", "what robots are sent to").required(),
      point("at", "where it is").required(),
      quantity("radius", "m", "0.5 m", "how near a robot must be").above(0).at_most(1e5),
      quantity("power", "W", "100 W", "into a robot's battery").above(0).at_most(1e9),
  };
  return params;
}

const std::vector<Param>& team() {
  static const std::vector<Param> params{
      texts("members", "names or patterns of robots").required(),
      with_default(any("strategy", "how tasks are shared out: an allocation"), "greedy"),
      param::choice("estimate", {"straight", "way"}, "straight",
                    "cost of a task: distance, or length of the way to it"),
      integer("attempts", "3", "how often a task is given before it counts as failed").at_least(1).at_most(1e6),
      any("tasks", "a list of {do: [...]}, or {do: [...], arrive: {...}}").required(),
  };
  return params;
}

const std::vector<Param>& team_tasks() {
  static const std::vector<Param> params{
      any("do", "instructions of the task"),
      any("each", "instructions of several tasks, a list of lists: taken in turn"),
      any("arrive", "when tasks arrive; not given: one of each at the start"),
  };
  return params;
}

const std::vector<Param>& task_arrivals() {
  static const std::vector<Param> params{
      quantity("every", "s", "", "mean time between two tasks").required().above(0).at_most(kLongest),
      param::choice("random", {"no", "poisson"}, "no", "evenly, or at random with that mean"),
      quantity("first", "s", "0 s", "when the first arrives").at_least(0).at_most(kLongest),
      integer("count", "0", "how many in all; 0: no end").at_least(0).at_most(1e9),
  };
  return params;
}

const std::vector<std::string>& later_sections() {
  static const std::vector<std::string> keys{"boards", "stations", "links", "radio", "models", "software"};
  return keys;
}

const std::vector<std::string>& later_robot_keys() {
  static const std::vector<std::string> keys{"model",       "detail", "computer", "software",
                                             "coordinator", "tasks",  "level"};
  return keys;
}

std::vector<std::string> names(const std::vector<Param>& params) {
  std::vector<std::string> out;
  for (const Param& param : params) out.push_back(param.name);
  return out;
}

}  // namespace strata::sections
