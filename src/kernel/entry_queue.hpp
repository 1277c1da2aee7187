// The order of pending events: a priority queue of small entries that stays quick with hundreds of thousands of them.
// Few entries are kept in one 4-ary heap. Of many, only the near future is kept in order - a sorted run, and a heap for
// what is added to it later - while the rest lies in unsorted buckets of equal spans of time, and beyond those in no
// order at all. The order of the entries that come out is the same whatever the inside looks like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::detail {

struct EventEntry {
  std::int64_t time;    // never negative
  std::uint64_t order;  // phase and key
  std::uint32_t sequence;
  std::uint32_t slot;

  [[nodiscard]] bool before(const EventEntry& other) const {
    __extension__ using Wide = unsigned __int128;
    const Wide left = static_cast<Wide>(static_cast<std::uint64_t>(time)) << 64 | order;
    const Wide right = static_cast<Wide>(static_cast<std::uint64_t>(other.time)) << 64 | other.order;
    if (left == right) [[unlikely]]
      return sequence < other.sequence;
    return left < right;
  }
};

class EntryQueue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The first entry; the queue must not be empty.
  [[nodiscard]] const EventEntry& top() const { return top_is_run() ? run_.back() : heap_.front(); }

  void push(const EventEntry& entry) {
    ++size_;
    const auto time = static_cast<std::uint64_t>(entry.time);
    if (time < near_end_) {
      push_near(entry);
    } else if (const std::uint64_t bucket = (time - buckets_start_) >> bucket_shift_; bucket < bucket_count_) {
      buckets_[bucket].push_back(entry);
    } else {
      far_.push_back(entry);
      if (size_ == 1) refill();
    }
  }
  /// Removes the first entry.
  void pop() {
    --size_;
    if (top_is_run()) {
      run_.pop_back();
    } else {
      pop_heap();
    }
    if (heap_.empty() && run_.empty() && size_ != 0) [[unlikely]]
      refill();
  }
  /// An entry that probably comes `ahead` places after the top; null if unknown.
  [[nodiscard]] const EventEntry* upcoming(std::size_t ahead) const {
    if (run_.size() > ahead) return &run_[run_.size() - 1 - ahead];
    return ahead == 0 && !heap_.empty() ? &heap_.front() : nullptr;
  }

  /// Visits all entries in no particular order. Changes must keep the order among entries.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::vector<EventEntry>* part : {&run_, &heap_, &far_}) {
      for (EventEntry& entry : *part) visit(entry);
    }
    for (std::size_t i = next_bucket_; i < bucket_count_; ++i) {
      for (EventEntry& entry : buckets_[i]) visit(entry);
    }
  }
  /// Removes the entries for which `condition` holds; calls it once for each.
  template <class Condition>
  void erase_if(Condition condition) {
    gather();
    std::erase_if(far_, condition);
    size_ = far_.size();
    if (size_ != 0) refill();
  }
  void clear();

 private:
  // Up to this many, one heap is the quickest.
  static constexpr std::size_t kSmall = 1024;
  static constexpr std::size_t kEntriesPerBucket = 128;
  static constexpr std::size_t kMaxBuckets = 8192;
  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};

  [[nodiscard]] bool top_is_run() const {
    if (run_.empty()) return false;
    return heap_.empty() || run_.back().before(heap_.front());
  }
  void push_near(const EventEntry& entry) {
    heap_.push_back(entry);
    std::size_t hole = heap_.size() - 1;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!entry.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = entry;
    // So much for the near future that the spans no longer fit: cut them anew, but not before it pays.
    if (++near_pushes_ > size_ && heap_.size() > kSmall) [[unlikely]]
      rebuild();
  }
  void pop_heap() {
    const EventEntry last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    heap_.front() = last;
    sift_down(0);
  }
  void sift_down(std::size_t hole);
  void heapify();
  /// Moves everything to far_.
  void gather();
  void rebuild();
  /// Nothing is left in run and heap: takes the next bucket, or makes new buckets of what is far.
  void refill();
  void cut_buckets();

  std::size_t size_ = 0;
  std::uint64_t near_end_ = kForEver;  // run and heap hold all before it
  std::vector<EventEntry> heap_;
  std::vector<EventEntry> run_;  // latest first
  std::uint64_t buckets_start_ = 0;
  unsigned bucket_shift_ = 63;    // a bucket spans 2^shift ns
  std::size_t bucket_count_ = 0;  // in use, out of buckets_
  std::size_t next_bucket_ = 0;
  std::vector<std::vector<EventEntry>> buckets_;
  std::vector<EventEntry> far_;  // beyond the buckets
  std::size_t near_pushes_ = 0;  // since the last rebuild
};

}  // namespace strata::detail
