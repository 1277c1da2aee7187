#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "scenario/expect.hpp"
#include "scenario/yaml.hpp"
#include "world/event_kind.hpp"

namespace strata {
namespace {

using When = ExpectSpec::When;
using What = ExpectSpec::What;
using Aggregate = ExpectSpec::Aggregate;

struct AggregateName {
  const char* suffix;
  Aggregate aggregate;
};
constexpr std::array kAggregates{AggregateName{".mean", Aggregate::kMean}, AggregateName{".min", Aggregate::kMin},
                                 AggregateName{".max", Aggregate::kMax}, AggregateName{".sum", Aggregate::kSum}};
constexpr std::array kBounds{"above", "below", "at_least", "at_most", "equals"};
constexpr std::array kWhens{"never", "always", "at_end", "by"};

class ExpectReader {
 public:
  explicit ExpectReader(Registry& registry) : registry_(registry) {}
  [[nodiscard]] Errors& errors() { return errors_; }

  std::optional<ExpectSpec> read(const Value& given) {
    const std::size_t before = errors_.size();
    ExpectSpec spec;
    spec.text = to_yaml_line(given);
    spec.where = given.where();
    if (!given.is_map()) {
      error(given, fmt::format("expected an expectation, found {}", given.kind_text()),
            "write for example {never: overlap}");
      return std::nullopt;
    }
    check_keys(given);
    const Value* subject = read_when(given, spec);
    if (subject != nullptr) {
      read_what(*subject, given, spec);
      if (errors_.size() == before) read_whom(given, spec);
      if (errors_.size() == before) read_bounds(given, spec);
    }
    if (errors_.size() > before) return std::nullopt;
    return spec;
  }

 private:
  void error(const Value& at, std::string problem, std::string remedy) {
    errors_.push_back({at.where(), std::move(problem), std::move(remedy)});
  }

  void check_keys(const Value& given) {
    std::vector<std::string> known{"metric", "event", "of", "between", "count", "after"};
    known.insert(known.end(), kWhens.begin(), kWhens.end());
    known.insert(known.end(), kBounds.begin(), kBounds.end());
    for (const auto& [key, value] : given.members()) {
      if (std::find(known.begin(), known.end(), key) == known.end())
        error(value, fmt::format("unknown key '{}'", key), suggestion(key, known));
    }
  }

  std::optional<Time> read_time(const Value& given) {
    const Result<Duration> time =
        given.is_scalar()
            ? parse_duration(given.text())
            : Result<Duration>(Error{{}, "expected a time, found " + given.kind_text(), "write for example 30 s"});
    if (time.ok() && *time >= Duration{}) return Time{} + *time;
    if (time.ok()) error(given, "the time is negative", "count from the start of the run");
    for (size_t i = 0; !time.ok() && i < time.errors().size(); ++i)
      error(given, time.errors()[i].problem, time.errors()[i].remedy);
    return std::nullopt;
  }

  /// What is said to be never, always, ... the case; null after an error.
  const Value* read_when(const Value& given, ExpectSpec& spec) {
    const Value* subject = nullptr;
    int found = 0;
    for (std::size_t i = 0; i < kWhens.size(); ++i) {
      const Value* value = given.find(kWhens[i]);
      if (value == nullptr) continue;
      ++found;
      spec.when = static_cast<When>(i);
      subject = value;
    }
    if (found != 1) {
      error(given, found == 0 ? "nothing says when it is expected" : "it is expected at several times",
            "use one of never, always, at_end, by");
      return nullptr;
    }
    if (const Value* after = given.find("after")) {
      if (spec.when == When::kAtEnd) error(*after, "'after' makes no sense with 'at_end'", "remove it");
      if (const auto time = read_time(*after)) spec.after = *time;
    }
    if (spec.when == When::kBy) {
      if (const auto time = read_time(*subject)) spec.by = *time;
      return &given;  // metric: or event: stand beside it
    }
    return subject;
  }

  void read_what(const Value& subject, const Value& given, ExpectSpec& spec) {
    if (subject.is_scalar()) {
      for (const char* key : {"metric", "event"}) {
        if (const Value* second = given.find(key))
          return error(*second, fmt::format("both '{}' and this say what is expected", subject.text()),
                       "keep one of them");
      }
      return read_name(subject, spec, true, true);
    }
    const Value* metric = subject.find("metric");
    const Value* event = subject.find("event");
    const bool has_others = &subject != &given && subject.members().size() > 1;
    if ((metric == nullptr) == (event == nullptr) || has_others) {
      return error(subject, "what is expected is not clear",
                   "name one metric or one event: {metric: distance.mean} or {event: collision}");
    }
    read_name(metric != nullptr ? *metric : *event, spec, metric != nullptr, event != nullptr);
  }

  void read_name(const Value& name, ExpectSpec& spec, bool may_be_metric, bool may_be_event) {
    const std::string text = name.is_scalar() ? name.text() : "";
    if (may_be_event && text == "overlap") {
      if (spec.when != When::kNever) error(name, "overlap can only be expected never", "write {never: overlap}");
      spec.what = What::kOverlap;
    } else if (may_be_metric && find_metric(text, spec)) {
      spec.what = What::kMetric;
    } else if (may_be_event && registry_.catalog<EventKind>().find(text) != nullptr) {
      spec.what = What::kEvent;
      spec.event = text;
    } else {
      std::vector<std::string> names = may_be_metric ? metric_names() : std::vector<std::string>{};
      if (may_be_event) {
        for (const std::string& event : registry_.catalog<EventKind>().names()) names.push_back(event);
        if (spec.when == When::kNever) names.emplace_back("overlap");
      }
      error(name,
            fmt::format("unknown {} '{}'",
                        may_be_metric && may_be_event ? "metric or event"
                        : may_be_metric               ? "metric"
                                                      : "event",
                        text.substr(0, 60)),
            suggestion(text, names));
    }
  }

  bool find_metric(const std::string& text, ExpectSpec& spec) const {
    const auto& metrics = registry_.catalog<MetricKind>();
    if (const MetricKind* metric = metrics.find(text); metric != nullptr && !metric->per_entity) {
      spec.metric = metric;
      return true;
    }
    for (const AggregateName& known : kAggregates) {
      if (!text.ends_with(known.suffix)) continue;
      const MetricKind* metric = metrics.find(text.substr(0, text.size() - std::string_view(known.suffix).size()));
      if (metric == nullptr || !metric->per_entity) continue;
      spec.metric = metric;
      spec.aggregate = known.aggregate;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<std::string> metric_names() const {
    std::vector<std::string> names;
    for (const auto& [name, metric] : registry_.catalog<MetricKind>().kinds()) {
      if (!metric.per_entity) names.push_back(name);
      for (const AggregateName& known : kAggregates) {
        if (metric.per_entity) names.push_back(name + known.suffix);
      }
    }
    return names;
  }

  void read_whom(const Value& given, ExpectSpec& spec) {
    const Value* of = given.find("of");
    const Value* between = given.find("between");
    if (of != nullptr && between != nullptr)
      return error(*between, "both 'of' and 'between' are given", "keep one of them");
    if (of != nullptr && !of->is_scalar())
      return error(*of, fmt::format("expected a name, found {}", of->kind_text()),
                   "write of: walker or of: \"walker*\"");
    if (of != nullptr) spec.of = {of->text()};
    if ((of != nullptr || between != nullptr) && spec.metric != nullptr && !spec.metric->per_entity) {
      return error(of != nullptr ? *of : *between, fmt::format("'{}' is about the whole world", spec.metric->name),
                   "remove it");
    }
    if (between == nullptr) return;
    if (spec.what == What::kMetric)
      return error(*between, "'between' is for overlaps and events", "use of: NAME; for bounds use above and below");
    const bool two_words = between->is_list() && between->items().size() == 2 && between->items()[0].is_scalar() &&
                           between->items()[1].is_scalar();
    if (!two_words)
      return error(*between, fmt::format("expected two names, found {}", between->kind_text()),
                   "write between: [walker, \"*\"]");
    spec.of = {between->items()[0].text(), between->items()[1].text()};
  }

  void read_bounds(const Value& given, ExpectSpec& spec) {
    std::vector<Param> params;
    Value picked = Value::map({}, given.where());
    const std::string unit = spec.what == What::kMetric ? spec.metric->unit : "";
    for (const char* key : kBounds) {
      params.push_back(param::quantity(key, unit, "", "bound"));
      if (const Value* value = given.find(key)) picked.set(key, *value);
    }
    const Value* count = given.find("count");
    if (count != nullptr) {
      params.push_back(param::integer("count", "", "at least").at_least(0).at_most(9e15));
      picked.set("count", *count);
    }
    const Result<Config> config = Config::check(picked, params);
    if (!collect(config, errors_)) return;
    if (config->has("above")) spec.bounds.above = config->quantity("above");
    if (config->has("below")) spec.bounds.below = config->quantity("below");
    if (config->has("at_least")) spec.bounds.at_least = config->quantity("at_least");
    if (config->has("at_most")) spec.bounds.at_most = config->quantity("at_most");
    if (config->has("equals")) spec.bounds.equals = config->quantity("equals");
    if (count != nullptr) spec.bounds.at_least = static_cast<double>(config->integer("count"));
    check_bounds(given, spec, picked.members().empty(), count);
  }

  void check_bounds(const Value& given, ExpectSpec& spec, bool none, const Value* count) {
    if (count != nullptr && spec.what != What::kEvent)
      return error(*count, "'count' is for events", "use above, below, at_least, at_most or equals");
    if (spec.what == What::kOverlap && !none) return error(given, "an overlap has no amount", "write {never: overlap}");
    if (!none) return;
    if (spec.what == What::kMetric || spec.when == When::kAlways) {
      return error(given, "nothing says how much is expected", "add above, below, at_least, at_most or equals");
    }
    // An event, in plain words: it never happens, or it does.
    spec.bounds.at_least = 1;
  }

  Registry& registry_;
  Errors errors_;
};

}  // namespace

Result<std::vector<ExpectSpec>> read_expectations(const Value& list, Registry& registry) {
  std::vector<ExpectSpec> specs;
  if (list.is_null()) return specs;
  if (!list.is_list()) {
    return Error{list.where(), fmt::format("expected a list of expectations, found {}", list.kind_text()),
                 "write '- {never: overlap}'"};
  }
  ExpectReader reader(registry);
  for (const Value& item : list.items()) {
    if (std::optional<ExpectSpec> spec = reader.read(item)) specs.push_back(std::move(*spec));
  }
  if (!reader.errors().empty()) return std::move(reader.errors());
  return specs;
}

}  // namespace strata
