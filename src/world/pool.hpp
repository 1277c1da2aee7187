// A component's storage: rows without gaps, in one array, found by entity through a sparse index. Reading never marks
// anything; every way to write goes through a call that bumps the version, so that the state hash of a pool nobody
// touched is not computed again. References are valid until the next add or remove.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/assert.hpp"
#include "kernel/state_hash.hpp"
#include "world/entity.hpp"

namespace strata {

/// One member of a component: its name, unit and place, for describing, recording and checking for padding.
struct Field {
  std::string name;
  std::string unit;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// What is known of a component type at run time.
struct ComponentInfo {
  std::string name;
  std::vector<Field> fields;
  std::size_t size = 0;
  std::uint64_t id = 0;  ///< hash of the name: enters the state hash
};

class PoolBase {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit PoolBase(ComponentInfo info) : info_(std::move(info)) {}
  PoolBase(const PoolBase&) = delete;
  PoolBase& operator=(const PoolBase&) = delete;
  virtual ~PoolBase() = default;

  [[nodiscard]] const ComponentInfo& info() const { return info_; }
  [[nodiscard]] std::size_t size() const { return owners_.size(); }
  [[nodiscard]] std::span<const EntityId> owners() const { return owners_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Grows whenever an entity gets or loses the component.
  [[nodiscard]] std::uint64_t membership() const { return membership_; }
  /// Row of an entity's slot, or kNone.
  [[nodiscard]] std::uint32_t row(EntityId entity) const {
    return entity.slot < rows_.size() ? rows_[entity.slot] : kNone;
  }
  [[nodiscard]] bool has(EntityId entity) const { return row(entity) != kNone; }
  virtual void remove(EntityId entity) = 0;
  [[nodiscard]] virtual const std::byte* bytes() const = 0;
  /// Replaces everything: for restoring a snapshot.
  virtual void assign(std::span<const EntityId> owners, std::span<const std::byte> rows) = 0;
  /// Sum over rows begin .. end-1 of what each adds to the state hash. `stable_ids` by slot.
  [[nodiscard]] virtual std::uint64_t hash_rows(const StableId* stable_ids, std::size_t begin,
                                                std::size_t end) const = 0;
  /// Bytes held per pool, for the memory report.
  [[nodiscard]] virtual std::size_t memory() const = 0;

 protected:
  std::uint32_t insert_row(EntityId entity) {
    if (entity.slot >= rows_.size()) rows_.resize(entity.slot + 1, kNone);
    rows_[entity.slot] = static_cast<std::uint32_t>(owners_.size());
    owners_.push_back(entity);
    ++version_;
    ++membership_;
    return rows_[entity.slot];
  }
  /// The last row takes the place of the removed one.
  void remove_row(std::uint32_t row) {
    rows_[owners_[row].slot] = kNone;
    if (row + 1 != owners_.size()) {
      owners_[row] = owners_.back();
      rows_[owners_[row].slot] = row;
    }
    owners_.pop_back();
    ++version_;
    ++membership_;
  }

  ComponentInfo info_;
  std::vector<EntityId> owners_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t version_ = 1;
  std::uint64_t membership_ = 1;
};

template <class T>
class Pool final : public PoolBase {
  static_assert(std::is_trivially_copyable_v<T>, "components are plain data");

 public:
  using PoolBase::PoolBase;

  [[nodiscard]] const T* get(EntityId entity) const {
    const std::uint32_t r = row(entity);
    return r == kNone ? nullptr : &data_[r];
  }
  [[nodiscard]] T* edit(EntityId entity) {
    const std::uint32_t r = row(entity);
    if (r == kNone) return nullptr;
    ++version_;
    return &data_[r];
  }
  [[nodiscard]] std::span<const T> rows() const { return data_; }
  /// All rows for writing. Data-parallel systems take the span once, then write only their own rows.
  [[nodiscard]] std::span<T> edit_rows() {
    ++version_;
    return data_;
  }
  T& add(EntityId entity, const T& value) {
    const std::uint32_t r = row(entity);
    if (r != kNone) {
      ++version_;
      return data_[r] = value;
    }
    insert_row(entity);
    return data_.emplace_back(value);
  }
  void remove(EntityId entity) override {
    const std::uint32_t r = row(entity);
    if (r == kNone) return;
    data_[r] = data_.back();
    data_.pop_back();
    remove_row(r);
  }
  [[nodiscard]] const std::byte* bytes() const override { return reinterpret_cast<const std::byte*>(data_.data()); }
  void assign(std::span<const EntityId> owners, std::span<const std::byte> rows) override {
    STRATA_ASSERT(rows.size() == owners.size() * sizeof(T), "snapshot rows of another component");
    rows_.clear();
    owners_.clear();
    for (const EntityId owner : owners) insert_row(owner);
    data_.resize(owners.size());
    if (!rows.empty()) std::memcpy(data_.data(), rows.data(), rows.size());
  }
  [[nodiscard]] std::uint64_t hash_rows(const StableId* stable_ids, std::size_t begin, std::size_t end) const override {
    std::uint64_t sum = 0;
    const EntityId* owners = owners_.data();
    const T* rows = data_.data();
    for (std::size_t i = begin; i < end; ++i) {
      sum += StateHash::contribution(static_cast<std::uint64_t>(stable_ids[owners[i].slot]), info_.id, &rows[i],
                                     sizeof(T));
    }
    return sum;
  }
  [[nodiscard]] std::size_t memory() const override {
    return data_.capacity() * sizeof(T) + owners_.capacity() * sizeof(EntityId) +
           rows_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<T> data_;
};

}  // namespace strata
