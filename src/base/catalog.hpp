// The catalog of kinds: everything a scenario can name (systems, components, sensors, motion models, sinks, ...). A
// kind has a name, a summary, parameters and a way to make it; an ordinary function adds it. `strata list`, `strata
// describe`, validation and the documentation read the catalog. No static initialisers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"

namespace strata {

/// What every kind has, whatever it makes.
struct KindInfo {
  std::string name;
  std::string summary;  ///< one line
  std::vector<Param> params;
  std::string details;            ///< further text for `strata describe`; may be empty
  std::string origin = "strata";  ///< the plugin that added it
};

/// A catalog seen without knowing what its kinds make: for listing and describing.
class CatalogBase {
 public:
  explicit CatalogBase(std::string category) : category_(std::move(category)) {}
  CatalogBase(const CatalogBase&) = delete;
  CatalogBase& operator=(const CatalogBase&) = delete;
  virtual ~CatalogBase() = default;
  [[nodiscard]] const std::string& category() const { return category_; }
  [[nodiscard]] virtual std::vector<const KindInfo*> infos() const = 0;
  /// Who adds from now on: set by the plugin loader.
  void set_origin(std::string origin) { origin_ = std::move(origin); }

 protected:
  std::string origin_ = "strata";

 private:
  std::string category_;
};

/// Kinds of one category, by name. `Kind` derives from KindInfo, adds how to make the thing, and names its category:
/// `static constexpr const char* kCategory = "system";`.
template <class Kind>
class Catalog final : public CatalogBase {
 public:
  Catalog() : CatalogBase(Kind::kCategory) {}

  void add(Kind kind) {
    STRATA_ASSERT(!kind.name.empty() && !kinds_.contains(kind.name),
                  "kind '" + kind.name + "' is in the catalog already");
    kind.origin = origin_;
    std::string name = kind.name;
    kinds_.emplace(std::move(name), std::move(kind));
  }
  [[nodiscard]] const Kind* find(std::string_view name) const {
    const auto it = kinds_.find(name);
    return it == kinds_.end() ? nullptr : &it->second;
  }
  /// By name; the error suggests what was meant.
  [[nodiscard]] Result<const Kind*> get(const std::string& name, const Where& where) const {
    if (const Kind* kind = find(name)) return kind;
    return Error{where, "unknown " + category() + " '" + name + "'", suggestion(name, names())};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, kind] : kinds_) out.push_back(name);
    return out;
  }
  [[nodiscard]] const std::map<std::string, Kind, std::less<>>& kinds() const { return kinds_; }
  [[nodiscard]] std::vector<const KindInfo*> infos() const override {
    std::vector<const KindInfo*> out;
    for (const auto& [name, kind] : kinds_) out.push_back(&kind);
    return out;
  }

 private:
  std::map<std::string, Kind, std::less<>> kinds_;
};

/// All catalogs of a program. A module asks for the catalog of its own kinds; nobody needs to know all of them.
class Registry {
 public:
  template <class Kind>
  [[nodiscard]] Catalog<Kind>& catalog() {
    auto& slot = catalogs_[Kind::kCategory];
    if (!slot) {
      slot = std::make_unique<Catalog<Kind>>();
      slot->set_origin(origin_);
    }
    return static_cast<Catalog<Kind>&>(*slot);
  }
  template <class Kind>
  [[nodiscard]] const Catalog<Kind>& catalog() const {
    const auto it = catalogs_.find(Kind::kCategory);
    STRATA_ASSERT(it != catalogs_.end(), "no catalog of this category");
    return static_cast<const Catalog<Kind>&>(*it->second);
  }
  /// By category name, for listing.
  [[nodiscard]] const std::map<std::string, std::unique_ptr<CatalogBase>, std::less<>>& all() const {
    return catalogs_;
  }
  void set_origin(const std::string& origin) {
    origin_ = origin;
    for (auto& [name, catalog] : catalogs_) catalog->set_origin(origin);
  }

 private:
  std::string origin_ = "strata";
  std::map<std::string, std::unique_ptr<CatalogBase>, std::less<>> catalogs_;
};

}  // namespace strata
