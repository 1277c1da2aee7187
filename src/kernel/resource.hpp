// Resource: something that a limited number of processes can hold at a time, such as a charger or a door. Requests wait
// by priority, then first come, first served. A request may pre-empt: it then takes the place of a less important
// holder, who meets a Preempted where it waits.
//
//   Lease lease = co_await charger.acquire();      // given back at the end of the scope
#pragma once

#include <string>
#include <utility>

#include "kernel/intrusive_list.hpp"
#include "kernel/process.hpp"

namespace strata {

class Resource;

/// Thrown in a process whose lease of a resource was taken away.
class Preempted : public Interrupted {
 public:
  explicit Preempted(const std::string& resource)
      : Interrupted("pre-empted from resource '" + resource + "'"), resource_(resource) {}
  [[nodiscard]] const std::string& resource() const { return resource_; }

 private:
  std::string resource_;
};

/// The right to use one unit of a resource; given back when destroyed.
class [[nodiscard]] Lease final : private detail::ListNode {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept { take(other); }
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~Lease() { release(); }
  /// Still held: not given back, moved away or pre-empted.
  [[nodiscard]] bool valid() const { return resource_ != nullptr; }
  [[nodiscard]] int priority() const { return priority_; }
  void release();

 private:
  friend class Resource;
  friend class detail::List<Lease>;
  void take(Lease& other) noexcept;

  Resource* resource_ = nullptr;
  ProcessRef holder_;
  int priority_ = 0;
};

/// Waits for a lease.
class [[nodiscard]] ResourceAcquire final : public Awaitable<ResourceAcquire>, private detail::ListNode {
 public:
  using Value = Lease;
  ResourceAcquire(Resource& resource, int priority, bool preempt)
      : resource_(&resource), priority_(priority), preempt_(preempt) {}
  ResourceAcquire(ResourceAcquire&& other) noexcept
      : Awaitable(std::move(other)),
        ListNode(),
        resource_(other.resource_),
        priority_(other.priority_),
        preempt_(other.preempt_) {}
  ~ResourceAcquire() override { leave(); }
  void leave() noexcept override {
    unlink();
    lease_.release();
  }
  Lease take() { return std::move(lease_); }

 private:
  friend class Resource;
  friend class detail::List<ResourceAcquire>;
  bool begin() override;

  Resource* resource_;
  int priority_;
  bool preempt_;
  Lease lease_;
};

/// Used from the thread of the kernel whose processes wait. Who waits when it is destroyed, waits for ever.
class Resource {
 public:
  explicit Resource(std::string name, std::size_t capacity = 1);
  ~Resource();
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  /// `Lease lease = co_await resource.acquire()`. A lower `priority` is more important. With `preempt`, the least
  /// important holder (the latest among equals) loses its lease if it is less important than this request.
  [[nodiscard]] ResourceAcquire acquire(int priority = 0, bool preempt = false) { return {*this, priority, preempt}; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  [[nodiscard]] std::size_t waiting() const { return requests_.size(); }

 private:
  friend class Lease;
  friend class ResourceAcquire;
  bool request(ResourceAcquire& request);
  void grant(ResourceAcquire& request);
  bool preempt_for(const ResourceAcquire& request);
  void given_back();

  std::string name_;
  std::size_t capacity_;
  std::size_t in_use_ = 0;
  detail::List<Lease> leases_;              // most important first; equals in order of granting
  detail::List<ResourceAcquire> requests_;  // most important first; equals in order of asking
};

}  // namespace strata
