#include "kernel/container.hpp"

namespace strata {

Container::Container(double capacity, double level) : capacity_(capacity), level_(level) {
  STRATA_ASSERT(capacity > 0 && level >= 0 && level <= capacity, "a container's level lies between 0 and its capacity");
}

Container::~Container() {
  for (ContainerGet* get = received_.front(); get != nullptr; get = received_.next(*get)) get->container_ = nullptr;
  for (ContainerGet* get = gets_.front(); get != nullptr; get = gets_.next(*get)) get->container_ = nullptr;
  for (ContainerPut* put = puts_.front(); put != nullptr; put = puts_.next(*put)) put->container_ = nullptr;
}

ContainerGet Container::get(double amount) {
  STRATA_ASSERT(amount >= 0 && amount <= capacity_, "an amount lies between 0 and the capacity");
  return {*this, amount};
}

ContainerPut Container::put(double amount) {
  STRATA_ASSERT(amount >= 0 && amount <= capacity_, "an amount lies between 0 and the capacity");
  return {*this, amount};
}

void Container::settle() {
  if (settling_) return;  // a part of an any_of that is taken out comes back here; the loop below goes on anyway
  settling_ = true;
  while (serve_one() || admit_one()) {
  }
  settling_ = false;
}

bool Container::serve_one() {
  ContainerGet* get = gets_.front();
  if (get == nullptr || get->amount_ > level_) return false;
  get->unlink();
  level_ -= get->amount_;
  get->received_ = true;
  received_.push_back(*get);
  if (!get->starting_) get->fulfil();
  return true;
}

bool Container::admit_one() {
  ContainerPut* put = puts_.front();
  if (put == nullptr || put->amount_ > capacity_ - level_) return false;
  put->unlink();
  level_ += put->amount_;
  put->done_ = true;
  if (!put->starting_) put->fulfil();
  return true;
}

bool ContainerGet::begin() {
  container_->gets_.push_back(*this);
  starting_ = true;
  container_->settle();
  starting_ = false;
  return received_;
}

void ContainerGet::leave() noexcept {
  const bool waited = linked();
  unlink();
  if (!waited || container_ == nullptr) return;
  if (std::exchange(received_, false)) container_->level_ += amount_;
  // Those behind it may be served now, as it was their turn only after it.
  container_->settle();
}

bool ContainerPut::begin() {
  container_->puts_.push_back(*this);
  starting_ = true;
  container_->settle();
  starting_ = false;
  return done_;
}

void ContainerPut::leave() noexcept {
  const bool waited = linked();
  unlink();
  if (waited && container_ != nullptr) container_->settle();
}

}  // namespace strata
