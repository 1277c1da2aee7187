#include "world/places.hpp"

namespace strata {

const Vec3* Places::find(std::string_view tag) const {
  for (const Place& place : points) {
    if (place.tag == tag) return &place.at;
  }
  for (const Charger& charger : chargers) {
    if (charger.tag == tag) return &charger.at;
  }
  return nullptr;
}

std::vector<std::string> Places::tags() const {
  std::vector<std::string> out;
  for (const Place& place : points) out.push_back(place.tag);
  for (const Charger& charger : chargers) out.push_back(charger.tag);
  return out;
}

}  // namespace strata
