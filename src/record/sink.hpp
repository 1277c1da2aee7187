// Sinks: where what channels carry goes during a run. A sink is opened before the run and closed after it; in between
// it gets what is published. Sinks are kinds in the catalog, so plugins can add more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "base/result.hpp"
#include "kernel/channels.hpp"
#include "record/run_folder.hpp"

namespace strata {

/// Words about a run that belong into its recording: "scenario", "hash", "seed".
using RunFacts = std::map<std::string, std::string>;

/// What a sink did.
struct SinkReport {
  std::vector<std::string> files;  ///< names within the run folder
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;             ///< written
  std::uint64_t high_water_bytes = 0;  ///< most that waited in memory at one time
  std::vector<std::string> warnings;   ///< check before you trust the result
};

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Before the run; `channels` lives until close(). Channels may be declared later still.
  [[nodiscard]] virtual Result<void> open(Channels& channels, const RunFolder& folder, const RunFacts& facts) = 0;
  /// A file for people or tools that goes with the recording, such as the map. Between open() and close(), in the
  /// simulation's thread. Sinks without a place for it ignore it.
  virtual void attach(const std::string& /*name*/, const std::string& /*media_type*/, std::string /*data*/) {}
  /// True once writing failed: no need to wait for the end of the run to say so. Any thread.
  [[nodiscard]] virtual bool failed() const { return false; }
  /// After the run. `facts` now includes what only the end tells, such as the hash. An error here (a full disk) leaves
  /// what was written before readable.
  [[nodiscard]] virtual Result<SinkReport> close(const RunFacts& facts) = 0;
};

struct SinkKind : KindInfo {
  static constexpr const char* kCategory = "sink";
  std::function<Result<std::unique_ptr<Sink>>(const Config&)> make;
};

/// Adds what this module offers to the catalogs: the sinks `mcap` and `csv`.
void register_record_kinds(Registry& registry);

}  // namespace strata
