#include "world/world.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/bytes.hpp"

namespace strata {

std::size_t detail::component_slot(std::type_index type) {
  static std::mutex mutex;
  static std::unordered_map<std::type_index, std::size_t> slots;
  const std::lock_guard lock(mutex);
  return slots.try_emplace(type, slots.size()).first->second;
}

World::World(std::uint64_t seed) : seed_(seed) {
  const EntityId environment = create("environment");
  STRATA_ASSERT(environment == kEnvironment, "the environment is the first entity");
}

EntityId World::make_entity(StableId stable, std::string name) {
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(generations_.size());
    generations_.push_back(1);
    stable_ids_.push_back(stable);
    spawn_counts_.push_back(0);
    names_.push_back(std::move(name));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    ++generations_[slot];
    stable_ids_[slot] = stable;
    spawn_counts_[slot] = 0;
    names_[slot] = std::move(name);
  }
  const EntityId entity{slot, generations_[slot]};
  if (!names_[slot].empty()) {
    const bool fresh = by_name_.emplace(names_[slot], entity).second;
    STRATA_ASSERT(fresh, "an entity of this name exists: " + names_[slot]);
  }
  ++alive_;
  ++structure_version_;
  return entity;
}

EntityId World::create(std::string name) { return make_entity(StableId{++created_}, std::move(name)); }

EntityId World::spawn(EntityId creator, std::string name) {
  STRATA_ASSERT(alive(creator), "the creator of an entity must be alive");
  const std::uint64_t parent = static_cast<std::uint64_t>(stable_ids_[creator.slot]);
  return make_entity(StableId{mix(parent, ++spawn_counts_[creator.slot])}, std::move(name));
}

void World::destroy(EntityId entity) {
  STRATA_ASSERT(alive(entity) && entity != kEnvironment, "destroying an entity that is gone, or the environment");
  for (const auto& pool : pools_) pool->remove(entity);
  if (!names_[entity.slot].empty()) by_name_.erase(names_[entity.slot]);
  names_[entity.slot].clear();
  ++generations_[entity.slot];
  free_slots_.push_back(entity.slot);
  --alive_;
  ++structure_version_;
}

EntityId World::find(std::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? EntityId{} : it->second;
}

std::vector<EntityId> World::entities() const {
  std::vector<bool> free(generations_.size(), false);
  for (const std::uint32_t slot : free_slots_) free[slot] = true;
  std::vector<EntityId> out;
  out.reserve(alive_);
  for (std::uint32_t slot = 0; slot < generations_.size(); ++slot) {
    if (!free[slot]) out.push_back({slot, generations_[slot]});
  }
  return out;
}

const PoolBase* World::find_pool(std::string_view component) const {
  for (const auto& pool : pools_) {
    if (pool->info().name == component) return pool.get();
  }
  return nullptr;
}

bool World::remove_component(EntityId entity, std::string_view component) {
  for (const auto& pool : pools_) {
    if (pool->info().name != component || !pool->has(entity)) continue;
    pool->remove(entity);
    ++structure_version_;
    return true;
  }
  return false;
}

ComponentInfo World::make_info(std::string name, std::vector<Field> fields, std::size_t size) {
  std::size_t covered = 0;
  for (const Field& field : fields) covered += field.size;
  STRATA_ASSERT(
      covered == size,
      "component '" + name + "' has padding or undeclared members: its bytes could not be hashed; reorder or fill it");
  const std::uint64_t id = hash_text(name);
  return {std::move(name), std::move(fields), size, id};
}

std::uint64_t World::hash_sum(ThreadPool& threads) const {
  constexpr std::size_t kRowsPerChunk = 2048;
  hashes_.resize(pools_.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const PoolBase& pool = *pools_[i];
    PoolHash& cached = hashes_[i];
    if (cached.version != pool.version()) {
      // A sum, so it does not matter which thread adds its part first.
      std::atomic<std::uint64_t> total{0};
      threads.for_each_chunk(pool.size(), kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
        total.fetch_add(pool.hash_rows(stable_ids_.data(), begin, end), std::memory_order_relaxed);
      });
      cached = {pool.version(), total.load()};
    }
    sum += cached.sum;
  }
  return sum;
}

std::uint32_t World::reserve_readings(std::uint32_t count) {
  const auto first = static_cast<std::uint32_t>(readings_.size());
  readings_.resize(readings_.size() + count, 0.0F);
  return first;
}

std::size_t World::memory() const {
  std::size_t total = generations_.capacity() * sizeof(std::uint32_t) + stable_ids_.capacity() * sizeof(StableId) +
                      spawn_counts_.capacity() * sizeof(std::uint32_t) + names_.capacity() * sizeof(std::string) +
                      readings_.capacity() * sizeof(float) +
                      by_name_.size() * (sizeof(std::string) + sizeof(EntityId) + 3 * sizeof(void*));
  for (const std::string& name : names_) total += name.capacity() > 15 ? name.capacity() : 0;
  for (const auto& pool : pools_) total += pool->memory();
  return total;
}

namespace {
constexpr std::uint64_t kWorldMagic = 0x3153544154525453;  // "STRATATS1" cut to eight letters
Error bad_snapshot(const char* what) {
  return {{}, std::string("the snapshot does not fit: ") + what, "restore it into the scenario it was taken from"};
}
}  // namespace

std::vector<std::byte> World::save() const {
  std::vector<std::byte> out;
  put(out, kWorldMagic);
  put(out, seed_);
  put(out, created_);
  put_rows<std::uint32_t>(out, generations_);
  put_rows<StableId>(out, stable_ids_);
  put_rows<std::uint32_t>(out, spawn_counts_);
  put_rows<std::uint32_t>(out, free_slots_);
  for (const std::string& name : names_) put_text(out, name);
  put_rows<float>(out, readings_);
  put(out, static_cast<std::uint64_t>(pools_.size()));
  for (const auto& pool : pools_) {
    put_text(out, pool->info().name);
    put(out, static_cast<std::uint64_t>(pool->info().size));
    put_rows<EntityId>(out, pool->owners());
    put_bytes(out, {pool->bytes(), pool->size() * pool->info().size});
  }
  return out;
}

Result<void> World::load(std::span<const std::byte> bytes) {
  std::uint64_t magic = 0;
  std::uint64_t seed = 0;
  std::uint64_t created = 0;
  std::vector<std::uint32_t> generations;
  std::vector<StableId> stable_ids;
  std::vector<std::uint32_t> spawn_counts;
  std::vector<std::uint32_t> free_slots;
  if (!take(bytes, magic) || magic != kWorldMagic) return bad_snapshot("it is not one of this version");
  if (!take(bytes, seed) || !take(bytes, created) || !take_rows(bytes, generations) || !take_rows(bytes, stable_ids) ||
      !take_rows(bytes, spawn_counts) || !take_rows(bytes, free_slots) || stable_ids.size() != generations.size() ||
      spawn_counts.size() != generations.size()) {
    return bad_snapshot("it is cut short");
  }
  std::vector<std::string> names(generations.size());
  for (std::string& name : names) {
    if (!take_text(bytes, name)) return bad_snapshot("it is cut short");
  }
  // Everything is checked before anything is replaced.
  struct Rows {
    PoolBase* pool;
    std::vector<EntityId> owners;
    std::span<const std::byte> rows;
  };
  std::vector<Rows> all;
  std::vector<float> readings;
  if (!take_rows(bytes, readings)) return bad_snapshot("it is cut short");
  std::uint64_t pool_count = 0;
  if (!take(bytes, pool_count) || pool_count != pools_.size()) return bad_snapshot("it has other components");
  for (std::uint64_t i = 0; i < pool_count; ++i) {
    std::string name;
    std::uint64_t size = 0;
    Rows rows{};
    if (!take_text(bytes, name) || !take(bytes, size) || !take_rows(bytes, rows.owners) ||
        !take_bytes(bytes, rows.rows)) {
      return bad_snapshot("it is cut short");
    }
    rows.pool = const_cast<PoolBase*>(find_pool(name));
    if (rows.pool == nullptr || rows.pool->info().size != size || rows.rows.size() != rows.owners.size() * size) {
      return bad_snapshot("it has other components");
    }
    for (const EntityId owner : rows.owners) {
      if (owner.slot >= generations.size()) return bad_snapshot("it names entities that do not exist");
    }
    all.push_back(std::move(rows));
  }
  seed_ = seed;
  created_ = created;
  generations_ = std::move(generations);
  stable_ids_ = std::move(stable_ids);
  spawn_counts_ = std::move(spawn_counts);
  free_slots_ = std::move(free_slots);
  names_ = std::move(names);
  readings_ = std::move(readings);
  for (Rows& rows : all) rows.pool->assign(rows.owners, rows.rows);
  alive_ = generations_.size() - free_slots_.size();
  by_name_.clear();
  for (const EntityId entity : entities()) {
    if (!names_[entity.slot].empty()) by_name_.emplace(names_[entity.slot], entity);
  }
  events_.clear();
  ++structure_version_;
  return {};
}

}  // namespace strata
