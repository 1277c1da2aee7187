// Container: an amount of something continuous, such as fuel in a tank. Processes take from it and add to it; they wait
// until there is enough, or room enough. Each side is first come, first served.
#pragma once

#include <limits>

#include "kernel/intrusive_list.hpp"
#include "kernel/process.hpp"

namespace strata {

class Container;

/// Waits to take an amount out. Given up after it was taken, the amount goes back.
class [[nodiscard]] ContainerGet final : public Awaitable<ContainerGet>, private detail::ListNode {
 public:
  using Value = void;
  ContainerGet(Container& container, double amount) : container_(&container), amount_(amount) {}
  ContainerGet(ContainerGet&& other) noexcept
      : Awaitable(std::move(other)), ListNode(), container_(other.container_), amount_(other.amount_) {}
  ~ContainerGet() override { leave(); }
  void leave() noexcept override;
  void take() {
    unlink();
    received_ = false;
  }

 private:
  friend class Container;
  friend class detail::List<ContainerGet>;
  bool begin() override;

  Container* container_;  // null once the container is gone
  double amount_;
  bool received_ = false;
  bool starting_ = false;
};

/// Waits to put an amount in.
class [[nodiscard]] ContainerPut final : public Awaitable<ContainerPut>, private detail::ListNode {
 public:
  using Value = void;
  ContainerPut(Container& container, double amount) : container_(&container), amount_(amount) {}
  ContainerPut(ContainerPut&& other) noexcept
      : Awaitable(std::move(other)), ListNode(), container_(other.container_), amount_(other.amount_) {}
  ~ContainerPut() override { leave(); }
  void leave() noexcept override;
  void take() const {}

 private:
  friend class Container;
  friend class detail::List<ContainerPut>;
  bool begin() override;

  Container* container_;
  double amount_;
  bool done_ = false;
  bool starting_ = false;
};

/// Used from the thread of the kernel whose processes wait. Who waits when it is destroyed, waits for ever.
class Container {
 public:
  explicit Container(double capacity = std::numeric_limits<double>::infinity(), double level = 0);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// `co_await container.get(2.5)`; 0 .. capacity.
  [[nodiscard]] ContainerGet get(double amount);
  /// `co_await container.put(2.5)`; 0 .. capacity.
  [[nodiscard]] ContainerPut put(double amount);
  [[nodiscard]] double level() const { return level_; }
  [[nodiscard]] double capacity() const { return capacity_; }
  [[nodiscard]] std::size_t waiting_gets() const { return gets_.size(); }
  [[nodiscard]] std::size_t waiting_puts() const { return puts_.size(); }

 private:
  friend class ContainerGet;
  friend class ContainerPut;
  void settle();
  bool serve_one();
  bool admit_one();

  double capacity_;
  double level_;
  bool settling_ = false;
  detail::List<ContainerGet> gets_;
  detail::List<ContainerGet> received_;  // have their amount, but did not go on yet
  detail::List<ContainerPut> puts_;
};

}  // namespace strata
