// From the tree a user wrote to a checked ScenarioSpec. Reports every mistake of the file at once, each with place and
// remedy. Files, includes and the command line come before this (source.hpp), making entities comes after (build.hpp).
#pragma once

#include "base/catalog.hpp"
#include "scenario/spec.hpp"

namespace strata {

/// The version of the language that this program understands.
inline constexpr int kLanguageVersion = 1;

/// Checks the whole scenario. `root` has its includes and overrides applied. The registry must outlive the spec.
[[nodiscard]] Result<ScenarioSpec> read_scenario(const Value& root, Registry& registry);

/// A part of the language, in the catalog so that `strata describe world` explains it like any kind.
struct SectionKind : KindInfo {
  static constexpr const char* kCategory = "section";
};

/// Adds what this module offers: placements, shapes, sections, systems.
void register_scenario_kinds(Registry& registry);

}  // namespace strata
