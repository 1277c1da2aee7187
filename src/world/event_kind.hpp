// Events by name, in the catalog so that recordings and expectations can name them, and a misspelt one is noticed.
#pragma once

#include "base/catalog.hpp"

namespace strata {

/// Something that systems report with World::emit. Whoever emits a new name adds it here.
struct EventKind : KindInfo {
  static constexpr const char* kCategory = "event";
};

inline void add_event(Registry& registry, std::string name, std::string summary) {
  EventKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  registry.catalog<EventKind>().add(std::move(kind));
}

}  // namespace strata
