// The world: entities, their components, and what happened to them. State is plain data here; logic lives in systems.
// Owned by a Simulation, stepped by its kernel; knows no clock of its own. Entity 1 (kEnvironment) carries what is
// global.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/vec.hpp"
#include "kernel/thread_pool.hpp"
#include "world/entity.hpp"
#include "world/places.hpp"
#include "world/pool.hpp"
#include "world/shapes.hpp"

namespace strata {

/// Something that happened at a time: a collision, an empty battery, an arrival. `entity` is whom it concerns.
struct WorldEvent {
  Time time;
  std::string name;  ///< "collision", "battery_empty", ...
  EntityId entity;
  EntityId other;  ///< invalid if there is none
  Vec3 point;
  std::string text;
  double value = 0;
};

/// Describes a member of a component: `field("left", "J", &Charge::left_j)`.
template <class T, class M>
[[nodiscard]] Field field(std::string name, std::string unit, M T::*member) {
  alignas(T) static const std::byte probe[sizeof(T)]{};
  const auto* object = reinterpret_cast<const T*>(probe);
  const auto* place = reinterpret_cast<const std::byte*>(&(object->*member));
  return {std::move(name), std::move(unit), static_cast<std::size_t>(place - probe), sizeof(M)};
}

namespace detail {
/// A small number per component type, the same in every world and plugin of the process.
[[nodiscard]] std::size_t component_slot(std::type_index type);
template <class T>
[[nodiscard]] std::size_t component_slot() {
  static const std::size_t slot = component_slot(std::type_index(typeid(T)));
  return slot;
}
}  // namespace detail

class World {
 public:
  explicit World(std::uint64_t seed = 1);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // Entities.

  /// Makes an entity before the run. An empty name is allowed; else names are unique.
  EntityId create(std::string name = "");
  /// Makes an entity during the run on behalf of `creator`; its StableId comes from (creator, counter of the creator).
  EntityId spawn(EntityId creator, std::string name = "");
  void destroy(EntityId entity);
  [[nodiscard]] bool alive(EntityId entity) const {
    return entity.slot < generations_.size() && generations_[entity.slot] == entity.generation && entity.valid();
  }
  [[nodiscard]] StableId stable_id(EntityId entity) const { return stable_ids_[entity.slot]; }
  [[nodiscard]] const std::string& name(EntityId entity) const { return names_[entity.slot]; }
  /// Invalid if there is none of that name.
  [[nodiscard]] EntityId find(std::string_view name) const;
  [[nodiscard]] std::size_t entity_count() const { return alive_; }
  /// Live entities in the order of their slots.
  [[nodiscard]] std::vector<EntityId> entities() const;

  // Components.

  /// Makes T known. The fields must cover it without padding, since its bytes are hashed. Again with the same T: no
  /// effect.
  template <class T>
  Pool<T>& register_component(std::string name, std::vector<Field> fields) {
    if (Pool<T>* known = find_pool<T>()) return *known;
    auto pool = std::make_unique<Pool<T>>(make_info(std::move(name), std::move(fields), sizeof(T)));
    Pool<T>& out = *pool;
    const std::size_t slot = detail::component_slot<T>();
    if (slot >= by_slot_.size()) by_slot_.resize(slot + 1);
    by_slot_[slot] = pool.get();
    pools_.push_back(std::move(pool));
    return out;
  }
  template <class T>
  [[nodiscard]] Pool<T>* find_pool() const {
    const std::size_t slot = detail::component_slot<T>();
    return slot < by_slot_.size() ? static_cast<Pool<T>*>(by_slot_[slot]) : nullptr;
  }
  template <class T>
  [[nodiscard]] Pool<T>& pool() {
    Pool<T>* found = find_pool<T>();
    STRATA_ASSERT(found != nullptr, std::string("component is not registered: ") + typeid(T).name());
    return *found;
  }
  template <class T>
  [[nodiscard]] const Pool<T>& pool() const {
    return const_cast<World*>(this)->pool<T>();
  }
  template <class T>
  T& add(EntityId entity, const T& value = {}) {
    STRATA_ASSERT(alive(entity), "adding a component to an entity that is gone");
    ++structure_version_;
    return pool<T>().add(entity, value);
  }
  template <class T>
  void remove(EntityId entity) {
    ++structure_version_;
    pool<T>().remove(entity);
  }
  /// Removes by the component's name: a failed part is a removed component. False if it has none.
  bool remove_component(EntityId entity, std::string_view component);
  template <class T>
  [[nodiscard]] bool has(EntityId entity) const {
    const Pool<T>* found = find_pool<T>();
    return found != nullptr && found->has(entity);
  }
  /// For reading; null if the entity has none.
  template <class T>
  [[nodiscard]] const T* get(EntityId entity) const {
    const Pool<T>* found = find_pool<T>();
    return found == nullptr ? nullptr : found->get(entity);
  }
  /// For writing; null if the entity has none.
  template <class T>
  [[nodiscard]] T* edit(EntityId entity) {
    Pool<T>* found = find_pool<T>();
    return found == nullptr ? nullptr : found->edit(entity);
  }
  /// Rows of all entities having every one of the components, as (entity, references...), in the order of the first
  /// component's rows. Write `const T` for what is only read. Do not add or remove these components while iterating.
  template <class First, class... Rest>
  [[nodiscard]] auto each();

  [[nodiscard]] const std::vector<std::unique_ptr<PoolBase>>& pools() const { return pools_; }
  [[nodiscard]] const PoolBase* find_pool(std::string_view component) const;
  /// Grows whenever an entity or a component comes or goes: caches derived from the structure compare it.
  [[nodiscard]] std::uint64_t structure_version() const { return structure_version_; }

  // Shapes of bodies: immutable once added, shared between entities.

  [[nodiscard]] ShapeLibrary& shapes() { return shapes_; }
  [[nodiscard]] const ShapeLibrary& shapes() const { return shapes_; }

  // What the map knows besides obstacles: set up before the run, not part of its state.

  [[nodiscard]] const Places& places() const { return places_; }
  void set_places(Places places) { places_ = std::move(places); }

  /// A table of the world's, made when first asked for: what components name by index, such as the programs of scripts.
  /// Set up before the run; what changes in a run belongs into components, or into a system that saves it.
  template <class T>
  [[nodiscard]] T& table() {
    const std::size_t slot = detail::component_slot<T>();
    if (slot >= tables_.size()) tables_.resize(slot + 1);
    if (tables_[slot] == nullptr) tables_[slot] = std::make_shared<T>();
    return *static_cast<T*>(tables_[slot].get());
  }
  /// Null if nobody has asked for it yet.
  template <class T>
  [[nodiscard]] const T* find_table() const {
    const std::size_t slot = detail::component_slot<T>();
    return slot < tables_.size() ? static_cast<const T*>(tables_[slot].get()) : nullptr;
  }

  // Readings of sensors whose number varies. A component keeps where its own begin, and a digest of them for the hash.

  /// Reserves room and returns where it begins.
  [[nodiscard]] std::uint32_t reserve_readings(std::uint32_t count);
  [[nodiscard]] std::span<const float> readings(std::uint32_t first, std::uint32_t count) const {
    return {&readings_[first], count};
  }
  [[nodiscard]] std::span<float> edit_readings(std::uint32_t first, std::uint32_t count) {
    return {&readings_[first], count};
  }

  // What happened.

  /// Reports an event. Not for use from parallel chunks: collect there, emit afterwards in a fixed order.
  void emit(WorldEvent event) { events_.push_back(std::move(event)); }
  /// Takes the events reported since the last call. Called by the simulation after each phase.
  [[nodiscard]] std::vector<WorldEvent> take_events() { return std::exchange(events_, {}); }
  [[nodiscard]] bool has_events() const { return !events_.empty(); }

  /// Sum over every component of every entity, as the state hash defines it. Pools untouched since the last call are
  /// not hashed again.
  [[nodiscard]] std::uint64_t hash_sum(ThreadPool& threads) const;

  /// Everything needed to continue bit for bit, as bytes with a version.
  [[nodiscard]] std::vector<std::byte> save() const;
  /// Replaces the state by a saved one. The same component types must be registered.
  [[nodiscard]] Result<void> load(std::span<const std::byte> bytes);

  [[nodiscard]] std::size_t memory() const;

 private:
  [[nodiscard]] static ComponentInfo make_info(std::string name, std::vector<Field> fields, std::size_t size);
  EntityId make_entity(StableId stable, std::string name);

  struct PoolHash {
    std::uint64_t version = 0;
    std::uint64_t sum = 0;
  };

  std::uint64_t seed_;
  std::vector<std::uint32_t> generations_;
  std::vector<StableId> stable_ids_;
  std::vector<std::uint32_t> spawn_counts_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<std::string, EntityId> by_name_;
  std::size_t alive_ = 0;
  std::uint64_t created_ = 0;
  std::uint64_t structure_version_ = 1;
  std::vector<std::unique_ptr<PoolBase>> pools_;
  std::vector<PoolBase*> by_slot_;  ///< by detail::component_slot; null where not registered
  ShapeLibrary shapes_;
  Places places_;
  std::vector<std::shared_ptr<void>> tables_;  ///< by detail::component_slot
  std::vector<float> readings_;
  std::vector<WorldEvent> events_;
  mutable std::vector<PoolHash> hashes_;
};

// Iteration over several components.

namespace detail {

template <class T>
struct Access {  // a component that is written
  using PoolRef = Pool<T>&;
  static T* rows(PoolRef pool) { return pool.edit_rows().data(); }
};
template <class T>
struct Access<const T> {
  using PoolRef = const Pool<T>&;
  static const T* rows(PoolRef pool) { return pool.rows().data(); }
};

template <class First, class... Rest>
class EachView {
 public:
  EachView(World& world)  // NOLINT(google-explicit-constructor)
      : owners_(world.pool<std::remove_const_t<First>>().owners()),
        first_(Access<First>::rows(world.pool<std::remove_const_t<First>>())),
        pools_(&world.pool<std::remove_const_t<Rest>>()...),
        rest_(Access<Rest>::rows(world.pool<std::remove_const_t<Rest>>())...) {}

  class Iterator {
   public:
    Iterator(const EachView* view, std::size_t row) : view_(view), row_(row) { skip(); }
    bool operator!=(const Iterator& other) const { return row_ != other.row_; }
    Iterator& operator++() {
      ++row_;
      skip();
      return *this;
    }
    auto operator*() const {
      return std::apply([&](auto*... rest) { return tuple(rest...); }, view_->rest_);
    }

   private:
    template <class... R>
    std::tuple<EntityId, First&, R&...> tuple(R*... rest) const {
      return tuple_at(std::make_index_sequence<sizeof...(R)>{}, rest...);
    }
    template <std::size_t... I, class... R>
    std::tuple<EntityId, First&, R&...> tuple_at(std::index_sequence<I...>, R*... rest) const {
      const EntityId entity = view_->owners_[row_];
      return {entity, view_->first_[row_], rest[std::get<I>(view_->pools_)->row(entity)]...};
    }
    void skip() {
      const auto complete = [&](EntityId entity) {
        return std::apply([&](const auto*... pool) { return (pool->has(entity) && ...); }, view_->pools_);
      };
      while (row_ < view_->owners_.size() && !complete(view_->owners_[row_])) ++row_;
    }
    const EachView* view_;
    std::size_t row_;
  };

  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, owners_.size()}; }

 private:
  std::span<const EntityId> owners_;
  First* first_;
  std::tuple<const Pool<std::remove_const_t<Rest>>*...> pools_;
  std::tuple<Rest*...> rest_;
};

}  // namespace detail

template <class First, class... Rest>
auto World::each() {
  return detail::EachView<First, Rest...>(*this);
}

}  // namespace strata
