#include "guest/region.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/core/host.hpp"
#include "shim/core/net.hpp"

namespace strata::guest {

namespace {

constexpr std::uint64_t kClockLimit = 10000;
constexpr std::uint64_t kCallLimit = 10000;
constexpr std::uint64_t kLockLimit = 200000;  // starting Python takes tens of thousands
constexpr std::uint64_t kSpinCharge = 1000;
constexpr std::uint64_t kGrace = 2000000000;
constexpr std::uint32_t kProcessLimit = 4000;

std::uint64_t ns(Duration d) { return d.ns() > 0 ? static_cast<std::uint64_t>(d.ns()) : 0; }

shim::Settings settings_of(const ExecSpec& spec) {
  shim::Settings settings;
  settings.seed = spec.seed;
  settings.epoch_ns = static_cast<std::uint64_t>(spec.epoch_s) * 1000000000U;
  settings.timer_slack_ns = ns(spec.timer_slack);
  settings.duration_ns = spec.duration ? ns(*spec.duration) : shim::kNever;
  settings.grace_ns = kGrace;
  settings.spin_charge_ns = kSpinCharge;
  settings.clock_limit = kClockLimit;
  settings.call_limit = kCallLimit;
  settings.lock_limit = kLockLimit;
  settings.pace = spec.pace;
  settings.host_network = spec.host_network ? 1 : 0;
  settings.trace = spec.trace.empty() ? 0 : 1;
  settings.prefix = spec.prefix ? 1 : 0;
  settings.process_limit = kProcessLimit;
  return settings;
}

void copy_name(char (&to)[64], const std::string& from) { std::strncpy(to, from.c_str(), sizeof to - 1); }

}  // namespace

RegionMemory::RegionMemory(const ExecSpec& spec) {
  descriptor_ = ::memfd_create("strata", MFD_CLOEXEC);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(shim::kRegionSize)) != 0)
    throw std::runtime_error("no shared memory for guests: memfd_create or ftruncate is refused");
  void* memory = ::mmap(reinterpret_cast<void*>(shim::kRegionAddress), shim::kRegionSize, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor_, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("the shared memory of guests cannot be mapped at its address");
  region_ = new (memory) shim::Region();
  region_->used = (sizeof(shim::Region) + 4095) & ~std::uint64_t{4095};
  region_->settings = settings_of(spec);
  shim::here = {region_, nullptr, nullptr};
  make_hosts(spec);
  make_links(spec);
  make_programs(spec);
}

RegionMemory::~RegionMemory() {
  if (region_ != nullptr) ::munmap(region_, shim::kRegionSize);
  if (descriptor_ >= 0) ::close(descriptor_);
  shim::here = {};
}

void RegionMemory::make_hosts(const ExecSpec& spec) {
  for (const ProgramSpec& program : spec.programs) {
    if (std::find(hosts_.begin(), hosts_.end(), program.host) == hosts_.end()) hosts_.push_back(program.host);
  }
  region_->host_count = static_cast<std::uint32_t>(hosts_.size());
  for (std::uint32_t i = 0; i < region_->host_count; ++i) {
    const std::uint64_t at = region_->used;
    region_->used += (sizeof(shim::Host) + 4095) & ~std::uint64_t{4095};
    auto* host = new (reinterpret_cast<void*>(shim::kRegionAddress + at)) shim::Host();
    host->index = i;
    host->ip = shim::kNetwork + i + 1;
    host->stop.kind = shim::EntryKind::kStop;
    copy_name(host->name, hosts_[i]);
    region_->hosts[i] = host;
    if (region_->settings.duration_ns != shim::kNever) shim::schedule(*host, host->stop, region_->settings.duration_ns);
  }
}

void RegionMemory::make_links(const ExecSpec& spec) {
  const std::size_t count = hosts_.size();
  region_->links = static_cast<shim::Link*>(shim::allocate(*region_->hosts[0], count * count * sizeof(shim::Link)));
  shim::Link link;
  link.latency_ns = ns(spec.link.latency);
  link.jitter_ns = ns(spec.link.jitter);
  link.loss_ppb = static_cast<std::uint64_t>(std::llround(spec.link.loss * 1e9));
  link.rate_bits = static_cast<std::uint64_t>(std::llround(spec.link.rate_bits));
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      const bool loopback = from == to;
      region_->links[from * count + to] = loopback && count > 1 ? shim::Link{} : link;
    }
  }
  if (count > 1) region_->lookahead = link.latency_ns;
}

void RegionMemory::make_programs(const ExecSpec& spec) {
  for (const ProgramSpec& p : spec.programs) {
    const auto index = region_->program_count++;
    shim::Program& program = region_->programs[index];
    program.host = static_cast<std::uint32_t>(std::find(hosts_.begin(), hosts_.end(), p.host) - hosts_.begin());
    program.function = p.function.kind;
    program.constant_ns = ns(p.function.constant);
    program.factor = p.function.factor;
    copy_name(program.name, p.name);
    shim::Host& host = *region_->hosts[program.host];
    shim::Process* process = shim::new_process(host, nullptr, index);
    shim::schedule(host, shim::new_thread(host, *process)->entry, 0);
  }
}

}  // namespace strata::guest
