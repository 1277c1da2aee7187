#include "coordinator/service/syncer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace strata::coordinator {

Syncer::Syncer(Store& store) : store_(store), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { run(); });
}

Syncer::~Syncer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  ::close(event_);
}

std::uint64_t Syncer::request() {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++wanted_;
  }
  wake_.notify_one();
  return ticket;
}

std::uint64_t Syncer::done() {
  std::uint64_t ignored = 0;
  static_cast<void>(::read(event_, &ignored, sizeof(ignored)) == 0);
  const std::lock_guard lock(mutex_);
  return done_;
}

void Syncer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || wanted_ > done_; });
    if (wanted_ == done_) return;
    const std::uint64_t ticket = wanted_;
    lock.unlock();
    store_.sync();
    lock.lock();
    done_ = ticket;
    const std::uint64_t one = 1;
    static_cast<void>(::write(event_, &one, sizeof(one)) == 0);
    lock.unlock();
    store_.tidy();
    lock.lock();
  }
}

}  // namespace strata::coordinator
