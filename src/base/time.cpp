#include "base/time.hpp"

#include <fmt/format.h>

namespace strata {

std::string to_text(Duration d) {
  const std::int64_t ns = d.ns();
  if (d == Duration::max()) return "for ever";
  if (ns < 0) return "-" + to_text(-d);
  if (ns == 0) return "0 s";
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.6g} us", static_cast<double>(ns) / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.6g} ms", static_cast<double>(ns) / 1e6);
  const std::int64_t s = ns / 1'000'000'000;
  if (s < 600) return fmt::format("{:.6g} s", d.seconds());
  if (s < 3'600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 172'800) return fmt::format("{} h {} min", s / 3'600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86'400, s / 3'600 % 24);
}

std::string to_text(Time t) { return t == Time::never() ? "never" : to_text(t.since_start()); }

}  // namespace strata
