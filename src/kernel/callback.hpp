// Callables for the kernel: Callback owns a move-only `void()` with room for small captures, so that most events
// allocate nothing; FunctionRef borrows any callable for the duration of a call.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace strata {

namespace detail {
/// Keeps a converting constructor from taking the place of the copy and move constructors.
template <class F, class Self, class R = void, class... Args>
concept CallableOtherThan = !std::is_same_v<std::remove_cvref_t<F>, Self> && std::is_invocable_r_v<R, F&, Args...>;
}  // namespace detail

/// Owns a callable `void()`. Moves, does not copy. Captures of up to 48 bytes live inside.
class Callback {
 public:
  Callback() = default;
  template <detail::CallableOtherThan<Callback> F>
  Callback(F&& function) {  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
    using Fn = std::remove_cvref_t<F>;
    constexpr bool kFits = sizeof(Fn) <= kInside && kAlignment % alignof(Fn) == 0;
    if constexpr (kFits && std::is_nothrow_move_constructible_v<Fn>) {
      ::new (static_cast<void*>(storage_)) Fn(std::forward<F>(function));
      operations_ = &kInsideOperations<Fn>;
    } else {
      ::new (static_cast<void*>(storage_)) Fn*(new Fn(std::forward<F>(function)));
      operations_ = &kOutsideOperations<Fn>;
    }
  }
  Callback(Callback&& other) noexcept { take(other); }
  Callback& operator=(Callback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }
  void operator()() {
    STRATA_ASSERT(operations_ != nullptr, "an empty callback was called");
    operations_->call(storage_);
  }
  void reset() noexcept {
    if (operations_ == nullptr) return;
    const Operations* operations = std::exchange(operations_, nullptr);
    operations->destroy(storage_);
  }

 private:
  static constexpr std::size_t kInside = 48;
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);
  struct Operations {
    void (*call)(void* storage);
    void (*move)(void* from, void* to) noexcept;  // leaves nothing to destroy at `from`
    void (*destroy)(void* storage) noexcept;
  };
  template <class Fn>
  static Fn& inside(void* storage) {
    return *std::launder(static_cast<Fn*>(storage));
  }
  template <class Fn>
  static constexpr Operations kInsideOperations{[](void* storage) { static_cast<void>(inside<Fn>(storage)()); },
                                                [](void* from, void* to) noexcept {
                                                  ::new (to) Fn(std::move(inside<Fn>(from)));
                                                  inside<Fn>(from).~Fn();
                                                },
                                                [](void* storage) noexcept { inside<Fn>(storage).~Fn(); }};
  template <class Fn>
  static constexpr Operations kOutsideOperations{
      [](void* storage) { static_cast<void>((*inside<Fn*>(storage))()); },
      [](void* from, void* to) noexcept { ::new (to) Fn*(inside<Fn*>(from)); },
      [](void* storage) noexcept { delete inside<Fn*>(storage); }};

  void take(Callback& other) noexcept {
    if (other.operations_ == nullptr) return;
    other.operations_->move(other.storage_, storage_);
    operations_ = std::exchange(other.operations_, nullptr);
  }

  alignas(kAlignment) std::byte storage_[kInside];
  const Operations* operations_ = nullptr;
};

template <class Signature>
class FunctionRef;

/// Borrows a callable; must not outlive it.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <detail::CallableOtherThan<FunctionRef, R, Args...> F>
  FunctionRef(F&& function)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace strata
