// The memory that guests and launcher share: made by the launcher, seen at the same address everywhere. One run at a
// time in a process, because of that address.
#pragma once

#include "base/result.hpp"
#include "guest/spec.hpp"
#include "shim_abi/layout.hpp"

namespace strata::guest {

class RegionMemory {
 public:
  /// Throws std::runtime_error if the kernel refuses.
  explicit RegionMemory(const ExecSpec& spec);
  ~RegionMemory();
  RegionMemory(const RegionMemory&) = delete;
  RegionMemory& operator=(const RegionMemory&) = delete;

  [[nodiscard]] shim::Region& region() const { return *region_; }
  /// Descriptor of the memory, open as long as this object lives.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::vector<std::string>& host_names() const { return hosts_; }

 private:
  void make_hosts(const ExecSpec& spec);
  void make_links(const ExecSpec& spec);
  void make_programs(const ExecSpec& spec);

  int descriptor_ = -1;
  shim::Region* region_ = nullptr;
  std::vector<std::string> hosts_;
};

}  // namespace strata::guest
