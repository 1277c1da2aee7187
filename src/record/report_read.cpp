// What a report needs, read back from a run folder.
#include <nlohmann/json.hpp>

#include "record/mcap_reader.hpp"
#include "record/report.hpp"

namespace strata {

namespace {

// An overview is enough: of a large recording only some chunks are unpacked.
constexpr std::size_t kMostChunks = 400;

void read_recording(const RunFolder& folder, StoredRun& run) {
  auto reader = McapReader::open(folder.file(RunFolder::kRecording));
  if (!reader) {
    run.notes.push_back("The recording cannot be read: " + reader.errors().front().problem);
    return;
  }
  if (const auto map = reader->attachment(MapData::kAttachment)) {
    if (auto data = map_from_json(*map)) run.map = std::move(*data);
  }
  Trajectories trajectories;
  std::shared_ptr<const ros1::TransformTemplate> frames;
  reader->for_each_sampled({"/tf"}, kMostChunks, [&](const McapMessage& message) {
    const auto tf = ros1::decode_tf(message.data);
    if (!tf) return false;
    auto sample = std::make_shared<TransformSample>();
    std::vector<std::string> names;
    for (const ros1::TransformStamped& transform : tf->transforms) {
      names.push_back(transform.child_frame_id);
      sample->poses.push_back({transform.translation, transform.rotation});
    }
    if (frames == nullptr || frames->children() != names)
      frames = std::make_shared<const ros1::TransformTemplate>("map", std::move(names));
    sample->stamp = message.time;
    sample->frames = frames;
    trajectories.add(sample);
    return true;
  });
  if (!trajectories.names().empty()) run.trajectories = std::move(trajectories);
  for (const std::string& warning : reader->warnings()) run.notes.push_back("About the recording: " + warning);
}

}  // namespace

ReportInput StoredRun::input() const {
  ReportInput input;
  input.summary_json = summary_json;
  input.map = map ? &*map : nullptr;
  input.trajectories = trajectories ? &*trajectories : nullptr;
  input.metrics = metrics ? &*metrics : nullptr;
  input.notes = notes;
  return input;
}

Result<StoredRun> read_run(const RunFolder& folder, const Catalog<MetricKind>* kinds) {
  StoredRun run;
  Result<std::string> summary = folder.read(RunFolder::kSummary);
  if (!summary) return summary.errors();
  if (!nlohmann::json::parse(*summary, nullptr, false).is_object())
    return Error{
        {folder.file(RunFolder::kSummary).string(), 0, 0, ""}, "the summary is damaged", "run the scenario again"};
  run.summary_json = std::move(*summary);
  if (folder.has(RunFolder::kMetrics)) {
    const Result<std::string> text = folder.read(RunFolder::kMetrics);
    Result<MetricTable> table = text ? MetricTable::from_csv(*text, folder.file(RunFolder::kMetrics).string())
                                     : Result<MetricTable>(text.errors());
    if (table)
      run.metrics = std::move(*table);
    else
      run.notes.push_back("The metrics cannot be read: " + table.errors().front().problem);
  }
  if (run.metrics && kinds != nullptr) run.metrics->describe(*kinds);
  if (folder.has(RunFolder::kRecording)) read_recording(folder, run);
  return run;
}

}  // namespace strata
