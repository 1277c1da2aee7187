#include "kernel/resource.hpp"

#include "kernel/kernel.hpp"

namespace strata {

void Lease::take(Lease& other) noexcept {
  resource_ = std::exchange(other.resource_, nullptr);
  holder_ = std::move(other.holder_);
  priority_ = other.priority_;
  if (resource_ == nullptr) return;
  resource_->leases_.insert_before(&other, *this);
  other.unlink();
}

void Lease::release() {
  Resource* resource = std::exchange(resource_, nullptr);
  if (resource == nullptr) return;
  unlink();
  holder_ = ProcessRef();
  resource->given_back();
}

bool ResourceAcquire::begin() { return resource_->request(*this); }

Resource::Resource(std::string name, std::size_t capacity) : name_(std::move(name)), capacity_(capacity) {
  STRATA_ASSERT(capacity > 0, "a resource needs at least one unit");
}

Resource::~Resource() {
  for (Lease* lease = leases_.front(); lease != nullptr; lease = leases_.next(*lease)) lease->resource_ = nullptr;
}

bool Resource::request(ResourceAcquire& request) {
  if (in_use_ < capacity_ || (request.preempt_ && preempt_for(request))) {
    grant(request);
    return true;
  }
  ResourceAcquire* position = requests_.front();
  while (position != nullptr && position->priority_ <= request.priority_) position = requests_.next(*position);
  requests_.insert_before(position, request);
  return false;
}

void Resource::grant(ResourceAcquire& request) {
  ++in_use_;
  Lease& lease = request.lease_;
  lease.resource_ = this;
  lease.holder_ = ProcessRef(request.core()->control_);
  lease.priority_ = request.priority_;
  Lease* position = leases_.front();
  while (position != nullptr && position->priority_ <= lease.priority_) position = leases_.next(*position);
  leases_.insert_before(position, lease);
}

bool Resource::preempt_for(const ResourceAcquire& request) {
  Lease* loser = leases_.back();
  // Nobody pre-empts itself: it could not meet the interruption.
  if (loser == nullptr || loser->priority_ <= request.priority_ ||
      loser->holder_ == ProcessRef(request.core()->control_))
    return false;
  ProcessRef holder = std::move(loser->holder_);
  loser->unlink();
  loser->resource_ = nullptr;
  --in_use_;
  holder.interrupt(std::make_exception_ptr(Preempted(name_)));
  return true;
}

void Resource::given_back() {
  --in_use_;
  if (ResourceAcquire* next = requests_.front(); next != nullptr && in_use_ < capacity_) {
    next->unlink();
    grant(*next);
    next->fulfil();
  }
}

}  // namespace strata
