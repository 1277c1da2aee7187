// The network without guests: links, order and loss, on hosts made by hand.
#include "shim/core/net.hpp"

#include <sys/mman.h>

#include <gtest/gtest.h>

namespace strata::shim {
namespace {

// ThreadSanitizer keeps the place of the shared memory for itself.
#if defined(__has_feature)
constexpr bool kHasPlace = !__has_feature(thread_sanitizer);
#else
constexpr bool kHasPlace = true;
#endif

class NetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHasPlace) GTEST_SKIP() << "the shared memory cannot lie where guests expect it";
  }
  NetTest() {
    if (!kHasPlace) return;
    void* memory = ::mmap(reinterpret_cast<void*>(kRegionAddress), std::size_t{64} << 20U, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    region_ = new (memory) Region();
    region_->used = (sizeof(Region) + 4095) & ~std::uint64_t{4095};
    region_->host_count = 2;
    here = {region_, nullptr, nullptr};
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto* host = new (reinterpret_cast<void*>(kRegionAddress + region_->used)) Host();
      region_->used += (sizeof(Host) + 4095) & ~std::uint64_t{4095};
      host->index = i;
      host->ip = kNetwork + i + 1;
      region_->hosts[i] = host;
    }
    region_->links = static_cast<Link*>(allocate(*region_->hosts[0], 4 * sizeof(Link)));
    for (int i = 0; i < 4; ++i) region_->links[i] = Link{};
  }
  ~NetTest() override {
    if (!kHasPlace) return;
    ::munmap(region_, std::size_t{64} << 20U);
    here = {};
  }

  Host& host(int index) { return *region_->hosts[index]; }
  Link& link(int from, int to) { return region_->links[from * 2 + to]; }
  Socket* receiver(int index, std::uint16_t port) {
    Socket* socket = make_file<Socket>(host(index), FileKind::kSocket, port);
    socket->domain = 2;
    socket->type = 2;
    hold(*socket);
    bind_socket(*socket, 0, port);
    return socket;
  }
  void send(int from, int to, std::uint16_t port, std::uint32_t size = 10) {
    Packet* packet = new_packet(host(from), size);
    packet->type = kDatagram;
    packet->to_host = static_cast<std::uint32_t>(to);
    packet->to_ip = host(to).ip;
    packet->to_port = port;
    packet->size = size;
    transmit(host(from), *packet, nullptr);
  }

  Region* region_ = nullptr;
};

TEST_F(NetTest, WithoutLatencyItArrivesAtOnce) {
  Socket* socket = receiver(0, 7);
  send(0, 0, 7);
  EXPECT_EQ(socket->in.count, 1U);
  EXPECT_EQ(socket_readiness(*socket) & kIn, kIn);
}

TEST_F(NetTest, LatencyPutsItIntoTheQueue) {
  Socket* socket = receiver(0, 7);
  link(0, 0).latency_ns = 5000;
  send(0, 0, 7);
  EXPECT_EQ(socket->in.count, 0U);
  ASSERT_NE(host(0).queue.first(), nullptr);
  EXPECT_EQ(host(0).queue.first()->time, 5000U);
}

TEST_F(NetTest, RateMakesPacketsWaitForEachOther) {
  receiver(0, 7);
  link(0, 0).rate_bits = 1000000;
  send(0, 0, 7, 1000 - 42);
  send(0, 0, 7, 1000 - 42);
  EXPECT_EQ(host(0).queue.first()->time, 8000000U);
  host(0).queue.remove(*host(0).queue.first());
  EXPECT_EQ(host(0).queue.first()->time, 16000000U);
}

TEST_F(NetTest, OtherHostsGetItBetweenWindows) {
  Socket* socket = receiver(1, 7);
  link(0, 1).latency_ns = 1000;
  send(0, 1, 7);
  EXPECT_EQ(host(1).queue.first(), nullptr);
  deliver_outboxes();
  ASSERT_NE(host(1).queue.first(), nullptr);
  auto* packet = reinterpret_cast<Packet*>(host(1).queue.first());
  host(1).queue.remove(packet->entry);
  deliver(*packet);
  EXPECT_EQ(socket->in.count, 1U);
}

TEST_F(NetTest, LossIsCountedAndReproducible) {
  Socket* socket = receiver(0, 7);
  link(0, 0).loss_ppb = 500000000;
  for (int i = 0; i < 1000; ++i) send(0, 0, 7);
  const std::uint32_t first = socket->in.count;
  EXPECT_NEAR(first, 500, 60);
  EXPECT_EQ(host(0).counters.packets_lost, 1000U - first);
  link(0, 0).draws = 0;
  for (int i = 0; i < 1000; ++i) send(0, 0, 7);
  EXPECT_EQ(socket->in.count, 2 * first);
}

TEST_F(NetTest, FullBuffersDropAndCount) {
  Socket* socket = receiver(0, 7);
  socket->in_limit = 25;
  for (int i = 0; i < 5; ++i) send(0, 0, 7);
  EXPECT_EQ(socket->in.count, 2U);
  EXPECT_EQ(host(0).counters.overflowed, 3U);
}

TEST_F(NetTest, PortsAreTakenAndFreed) {
  Socket* socket = receiver(0, 7);
  Socket* other = make_file<Socket>(host(0), FileKind::kSocket, 99);
  other->domain = 2;
  other->type = 2;
  EXPECT_TRUE(port_taken(host(0), *other, 0, 7));
  EXPECT_FALSE(port_taken(host(1), *other, 0, 7));
  drop(*socket);
  EXPECT_FALSE(port_taken(host(0), *other, 0, 7));
  EXPECT_NE(free_port(host(0), *other), free_port(host(0), *other));
}

TEST_F(NetTest, MemoryIsUsedAgain) {
  receiver(0, 7);
  link(0, 0).loss_ppb = 1000000000 - 1;
  send(0, 0, 7);
  const std::uint64_t used = region_->used;
  for (int i = 0; i < 100000; ++i) send(0, 0, 7);
  EXPECT_EQ(region_->used, used);
}

}  // namespace
}  // namespace strata::shim
