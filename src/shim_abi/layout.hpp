// What guests and the launcher share: one memory region per run, mapped at the same address in every process.
// A host (robot, station) owns a token, a clock, a queue and everything its programs made; only the holder of its token
// touches it, so nothing here is locked. Hosts meet at the end of a window no longer than the shortest link between
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shim_abi/queue.hpp"

namespace strata::shim {

inline constexpr std::uint32_t kAbiVersion = 1;
inline constexpr std::uint64_t kRegionAddress = 0x200000000000;
inline constexpr std::uint64_t kRegionSize = std::uint64_t{64} << 30;  ///< reserved; memory is used when touched
inline constexpr int kMaxHosts = 1024;
inline constexpr int kMaxPrograms = 4096;
inline constexpr int kFutexBuckets = 1024;
inline constexpr int kFileBuckets = 1024;
inline constexpr int kSizeClasses = 40;
inline constexpr int kBreakSignal = 63;  ///< from the warden to a thread that does not let go
inline constexpr const char* kRegionVariable = "STRATA_SHIM_REGION";
inline constexpr const char* kHostVariable = "STRATA_SHIM_HOST";
inline constexpr const char* kPreloadVariable = "STRATA_SHIM_LIBRARY";

/// How a thread's time grows while it computes.
enum class TimeFunction : std::uint32_t { kNone, kConstant, kCpu, kWall };

/// Directed figures of a link between two hosts, or of a host's loopback.
struct Link {
  std::uint64_t latency_ns = 0;
  std::uint64_t jitter_ns = 0;
  std::uint64_t loss_ppb = 0;   ///< per thousand million
  std::uint64_t rate_bits = 0;  ///< bits per second; 0 = unlimited
  std::uint64_t free_at = 0;    ///< when the transmitter is idle again
  std::uint64_t draws = 0;      ///< position in the link's random stream
};

struct Settings {
  std::uint64_t seed = 1;
  std::uint64_t epoch_ns = 0;  ///< CLOCK_REALTIME at the start
  std::uint64_t timer_slack_ns = 0;
  std::uint64_t duration_ns = kNever;
  std::uint64_t grace_ns = 0;        ///< between SIGTERM and SIGKILL at the end of the duration
  std::uint64_t spin_charge_ns = 0;  ///< charged per call once a loop does not block
  std::uint64_t clock_limit = 0;     ///< clock reads without blocking before time is charged
  std::uint64_t call_limit = 0;      ///< other calls without blocking before time is charged
  std::uint64_t lock_limit = 0;      ///< free locks taken without blocking before time is charged
  double pace = 0;                   ///< virtual seconds per wall second; 0 = as fast as possible
  std::uint32_t host_network = 0;    ///< guests use the real network
  std::uint32_t trace = 0;
  std::uint32_t prefix = 0;         ///< lines of output start with program and time
  std::uint32_t process_limit = 0;  ///< processes alive at once per host
};

/// What happened, by cause: `--stats` shows it, the last lines are losses of fidelity.
struct Counters {
  std::uint64_t syncs = 0;
  std::uint64_t switches = 0;
  std::uint64_t traps = 0;
  std::uint64_t clock_reads = 0;
  std::uint64_t futex_waits = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t file_waits = 0;
  std::uint64_t packets = 0;
  std::uint64_t timers = 0;
  std::uint64_t signals = 0;
  std::uint64_t windows = 0;
  // Intended by the user.
  std::uint64_t packets_lost = 0;
  // Losses of fidelity.
  std::uint64_t overflowed = 0;  ///< datagrams dropped because the receiver's buffer was full
  std::uint64_t spins_charged = 0;
  std::uint64_t spins_broken = 0;     ///< by the watchdog: not reproducible
  std::uint64_t real_waits = 0;       ///< waits on descriptors of the real world
  std::uint64_t measured = 0;         ///< wake-ups charged with measured time: not reproducible
  std::uint64_t unknown_threads = 0;  ///< threads made behind our back
  std::uint64_t late_ns = 0;          ///< real-time mode: how far behind at worst
};

struct Host;
struct Process;
struct File;
struct WaitNode;

/// One wait of one thread for one file.
struct WaitNode {
  struct Thread* thread = nullptr;
  File* file = nullptr;
  WaitNode* next = nullptr;
  WaitNode* previous = nullptr;
  WaitNode* next_of_thread = nullptr;
};

struct Thread {
  Entry entry;
  Process* process = nullptr;
  Thread* next = nullptr;   ///< of the same process
  std::uint64_t local = 0;  ///< local time; ahead of the host's while computing
  std::uint64_t key = 0;    ///< futex waited for; 0 = none
  Thread* next_waiter = nullptr;
  Thread* previous_waiter = nullptr;
  std::uint64_t blocked_signals = 0;
  std::uint64_t cost_mark = 0;    ///< measured clock at the last settlement
  std::uint64_t tid_address = 0;  ///< where the kernel clears the id at the end
  std::uint64_t handle = 0;       ///< pthread_t
  WaitNode node;                  ///< for waits on one file
  WaitNode* nodes = nullptr;
  std::uint64_t unblocked_calls = 0;
  std::uint64_t unblocked_reads = 0;
  std::uint64_t unblocked_locks = 0;
  std::uint64_t counted_at = 0;  ///< all three are counts since this time
  std::int32_t go = 0;           ///< futex: the token is yours
  std::int32_t tid = 0;
  std::uint32_t number = 0;  ///< of the host, in order of creation
  std::uint32_t bits = 0;    ///< futex bitset
  std::uint32_t gone = 0;
  std::uint32_t waiting = 0;      ///< for its turn: it may be woken
  std::uint32_t woken = 0;        ///< by an event rather than the clock
  std::uint32_t interrupted = 0;  ///< by a signal
  std::uint32_t waits_signal = 0;
};

enum class Life : std::uint32_t { kFree, kStarting, kRunning, kZombie };

struct Process {
  Host* host = nullptr;
  Process* parent = nullptr;
  Process* next = nullptr;  ///< of the host
  Thread* threads = nullptr;
  File** files = nullptr;  ///< by descriptor
  std::uint32_t file_capacity = 0;
  std::int32_t pid = 0;
  Life life = Life::kFree;
  std::uint32_t program = 0;     ///< index in Region::programs
  std::uint32_t number = 0;      ///< of the host, in order of creation
  std::uint32_t watched = 0;     ///< the warden has a descriptor for it
  std::uint32_t died_alone = 0;  ///< ended without holding the token
  std::uint64_t handled = 0;     ///< signals with a handler
  std::uint64_t ignored = 0;
  std::uint64_t restarting = 0;  ///< handlers with SA_RESTART
  std::uint64_t alarm_interval = 0;
  struct Timer* alarm = nullptr;
  struct Timer* timers = nullptr;  ///< timer_create
  std::int32_t timer_ids = 0;
  std::uint32_t at_line_start = 3;  ///< bit per descriptor 1 and 2
};

/// A payload on its way or waiting to be read.
struct Packet {
  Entry entry;
  Packet* next = nullptr;
  std::uint64_t to_id = 0;  ///< socket it is for; 0 = by address
  std::uint64_t from_id = 0;
  std::uint32_t to_host = 0;
  std::uint32_t from_host = 0;
  std::uint32_t type = 0;
  std::uint32_t size = 0;    ///< bytes of payload
  std::uint32_t offset = 0;  ///< bytes read already
  std::uint32_t capacity = 0;
  std::uint32_t from_ip = 0;
  std::uint32_t to_ip = 0;
  std::uint16_t from_port = 0;
  std::uint16_t to_port = 0;
  std::uint32_t rights = 0;  ///< descriptors that travel along
  std::uint64_t amount = 0;
  File** carried = nullptr;
  [[nodiscard]] std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(this + 1); }
};

struct PacketList {
  Packet* first = nullptr;
  Packet* last = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t count = 0;
};

struct TraceRecord {
  std::uint64_t time;
  std::uint32_t thread;
  std::uint32_t what;  ///< 0 runs, 1 waits; from 16: cause of the wait
};
struct TraceBlock {
  TraceBlock* next = nullptr;
  std::uint32_t used = 0;
  TraceRecord records[4096];
};

struct ThreadName {
  ThreadName* next = nullptr;
  std::uint32_t number = 0;
  std::uint32_t process = 0;
  std::uint32_t program = 0;
};

struct Host {
  std::uint64_t now = 0;
  std::uint64_t sequence = 0;
  std::uint64_t hash = 0;
  Queue queue;
  Thread* current = nullptr;  ///< holds the token; null = the warden does
  std::uint32_t index = 0;
  std::uint32_t ip = 0;
  std::int32_t go = 0;  ///< futex: the next window is open
  std::uint32_t parked = 0;
  std::uint32_t attention = 0;  ///< somebody died outside the order
  std::int32_t warden_pid = 0;
  std::int32_t warden_go = 0;  ///< futex: the warden holds the token
  std::uint32_t next_thread = 0;
  std::uint32_t next_process = 0;
  std::uint32_t alive = 0;  ///< processes
  std::uint32_t port_hint = 0;
  std::uint64_t next_file = 0;
  std::uint64_t draws = 0;
  Process* processes = nullptr;
  Process* free_processes = nullptr;
  Thread* free_threads = nullptr;
  File* bound = nullptr;  ///< sockets with a local address
  File* by_inode[kFileBuckets] = {};
  File* by_id[kFileBuckets] = {};
  Thread* futex_first[kFutexBuckets] = {};
  Thread* futex_last[kFutexBuckets] = {};
  PacketList outbox;  ///< for other hosts, delivered between windows
  void* free_blocks[kSizeClasses] = {};
  std::uint64_t extent = 0;  ///< rest of the memory this host took
  std::uint64_t extent_end = 0;
  Entry stop;
  std::uint32_t stopping = 0;
  Counters counters;
  std::uint64_t traps_by_call[512] = {};
  TraceBlock* trace_first = nullptr;
  TraceBlock* trace_last = nullptr;
  ThreadName* names = nullptr;
  char name[64] = {};
};

struct Program {
  std::uint32_t host = 0;
  std::int32_t pid = 0;
  std::uint32_t ended = 0;
  std::int32_t status = 0;  ///< as of waitpid
  std::uint32_t claimed = 0;
  std::int32_t exec_error = 0;  ///< why it could not be started
  TimeFunction function = TimeFunction::kNone;
  std::uint64_t constant_ns = 0;
  double factor = 1;
  std::uint64_t end_time = 0;
  char name[64] = {};
};

enum class Stop : std::uint32_t { kNo, kEnded, kDuration, kBlocked, kFailed };

/// The start of the region.
struct Region {
  std::uint32_t version = kAbiVersion;
  std::uint32_t host_count = 0;
  std::uint32_t program_count = 0;
  std::uint32_t active = 0;  ///< hosts still in their window
  std::uint64_t window_end = kNever;
  std::uint64_t lookahead = kNever;
  std::uint64_t used = 0;  ///< bytes handed out
  std::uint64_t wall_start_ns = 0;
  std::int32_t bell = 0;  ///< futex: the launcher is wanted
  Stop stop = Stop::kNo;
  Settings settings;
  Link* links = nullptr;  ///< [from * host_count + to]
  char message[256] = {};
  Host* hosts[kMaxHosts] = {};
  Program programs[kMaxPrograms];
};

}  // namespace strata::shim
