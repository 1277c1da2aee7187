#include "kernel/entry_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace strata::detail {

void EntryQueue::sift_down(std::size_t hole) {
  // Walk the hole down to a leaf along the smallest children, then let the entry rise: it came from the bottom and
  // mostly returns there, which saves one comparison per level.
  EventEntry* const heap = heap_.data();
  const std::size_t size = heap_.size();
  const EventEntry entry = heap[hole];
  const std::size_t start = hole;
  for (std::size_t child = 4 * hole + 1; child < size; child = 4 * hole + 1) {
    std::size_t best = child;
    if (child + 4 <= size) [[likely]] {
      const std::size_t left = child + static_cast<std::size_t>(heap[child + 1].before(heap[child]));
      const std::size_t right = child + 2 + static_cast<std::size_t>(heap[child + 3].before(heap[child + 2]));
      best = heap[right].before(heap[left]) ? right : left;
    } else {
      for (std::size_t other = child + 1; other < size; ++other) best = heap[other].before(heap[best]) ? other : best;
    }
    heap[hole] = heap[best];
    hole = best;
  }
  while (hole > start) {
    const std::size_t parent = (hole - 1) / 4;
    if (!entry.before(heap[parent])) break;
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = entry;
}

void EntryQueue::heapify() {
  if (heap_.size() < 2) return;
  for (std::size_t i = (heap_.size() - 2) / 4 + 1; i-- > 0;) sift_down(i);
}

void EntryQueue::gather() {
  const auto take = [this](std::vector<EventEntry>& part) {
    far_.insert(far_.end(), part.begin(), part.end());
    part.clear();
  };
  take(run_);
  take(heap_);
  for (std::size_t i = next_bucket_; i < bucket_count_; ++i) take(buckets_[i]);
  next_bucket_ = bucket_count_ = 0;
}

void EntryQueue::rebuild() {
  gather();
  refill();
}

void EntryQueue::refill() {
  if (next_bucket_ == bucket_count_) cut_buckets();
  if (bucket_count_ == 0) return;
  while (buckets_[next_bucket_].empty()) {
    // More may lie far away when all buckets are empty.
    if (++next_bucket_ == bucket_count_) return refill();
  }
  run_.swap(buckets_[next_bucket_]);
  std::sort(run_.begin(), run_.end(), [](const EventEntry& a, const EventEntry& b) { return b.before(a); });
  ++next_bucket_;
  near_end_ = buckets_start_ + (static_cast<std::uint64_t>(next_bucket_) << bucket_shift_);
}

void EntryQueue::cut_buckets() {
  near_pushes_ = 0;
  next_bucket_ = bucket_count_ = 0;
  if (far_.size() <= kSmall) {
    heap_.swap(far_);
    heapify();
    near_end_ = kForEver;
    return;
  }
  // The buckets span twice the way to the median of a sample: they take a good part of all entries, so that each entry
  // is looked at here only a few times, and the latest ones do not spread the others thinly.
  std::array<std::int64_t, 63> sample{};
  const std::size_t stride = far_.size() / sample.size();
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = far_[i * stride].time;
  std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
  std::int64_t first = far_.front().time;
  for (const EventEntry& entry : far_) first = std::min(first, entry.time);
  const std::uint64_t span = 2 * static_cast<std::uint64_t>(sample[sample.size() / 2] - first);

  const std::uint64_t wanted = std::min(far_.size() / kEntriesPerBucket, kMaxBuckets);
  buckets_start_ = static_cast<std::uint64_t>(first);
  bucket_shift_ = static_cast<unsigned>(std::bit_width(span / wanted));
  bucket_count_ = static_cast<std::size_t>(span >> bucket_shift_) + 1;
  if (buckets_.size() < bucket_count_) buckets_.resize(bucket_count_);
  std::erase_if(far_, [this](const EventEntry& entry) {
    const std::uint64_t bucket = (static_cast<std::uint64_t>(entry.time) - buckets_start_) >> bucket_shift_;
    if (bucket >= bucket_count_) return false;
    buckets_[bucket].push_back(entry);
    return true;
  });
}

void EntryQueue::clear() {
  gather();
  far_.clear();
  size_ = 0;
  near_end_ = kForEver;
}

}  // namespace strata::detail
