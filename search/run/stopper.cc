// SPDX-License-Identifier: MIT
#include "search/run/stopper.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"

namespace exh::search {
namespace {

constexpr std::string_view kLegal = "legal: 90s, 5m, 2h, evals=500";
constexpr std::string_view kLegalStops = "legal: gap=10%, stale=3000, bound=12us";

}  // namespace

TimeStopper::TimeStopper(double seconds, Clock clock)
    : clock_(std::move(clock)), end_(clock_() + seconds) {}

std::optional<std::string> TimeStopper::Reason(const Progress&) const {
  if (clock_() < end_) return std::nullopt;
  return std::string(kTimeIsOver);
}

double TimeStopper::SecondsLeft() const {
  return std::max(0.0, end_ - clock_());
}

std::optional<std::string> EvaluationsStopper::Reason(const Progress& progress) const {
  if (progress.evaluations < limit_) return std::nullopt;
  return std::string(kEvaluationsAreOver);
}

std::optional<std::uint64_t> EvaluationsStopper::EvaluationsLeft(const Progress& progress) const {
  return limit_ - std::min(limit_, progress.evaluations);
}

std::optional<std::string> GapStopper::Reason(const Progress& progress) const {
  if (progress.best_ns <= 0 || progress.bound_ns <= 0) return std::nullopt;
  if (progress.best_ns - progress.bound_ns > gap_ * progress.best_ns) return std::nullopt;
  return "stop:gap";
}

std::optional<std::string> StaleStopper::Reason(const Progress& progress) const {
  if (progress.stale < limit_) return std::nullopt;
  return "stop:stale";
}

std::optional<std::string> BoundStopper::Reason(const Progress& progress) const {
  if (progress.best_ns <= 0 || progress.best_ns > ns_) return std::nullopt;
  return "stop:bound";
}

std::optional<std::string> SignalStopper::Reason(const Progress&) const {
  if (!raised_->load(std::memory_order_relaxed)) return std::nullopt;
  return "signal";
}

std::optional<std::string> AnyStopper::Reason(const Progress& progress) const {
  for (const auto& part : parts_) {
    if (auto reason = part->Reason(progress)) return reason;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> AnyStopper::EvaluationsLeft(const Progress& progress) const {
  std::optional<std::uint64_t> left;
  for (const auto& part : parts_) {
    const auto part_left = part->EvaluationsLeft(progress);
    if (part_left) left = left ? std::min(*left, *part_left) : *part_left;
  }
  return left;
}

double AnyStopper::SecondsLeft() const {
  double left = std::numeric_limits<double>::infinity();
  for (const auto& part : parts_) left = std::min(left, part->SecondsLeft());
  return left;
}

double ParseBudgetSeconds(std::string_view text) {
  constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const auto& known) { return text.ends_with(known.first); });
  if (unit == std::end(kUnits)) {
    if (!ParseReal(text)) throw UsageError(fmt::format("bad budget '{}'; {}", text, kLegal));
    throw UsageError(
        fmt::format("bad budget '{0}': it has no unit, as {0}s and {0}m have; {1}", text, kLegal));
  }
  const auto seconds = ParseReal(text.substr(0, text.size() - 1));
  if (!seconds) throw UsageError(fmt::format("bad budget '{}'; {}", text, kLegal));
  if (*seconds <= 0) {
    throw UsageError(fmt::format("bad budget '{}': it must be above zero; {}", text, kLegal));
  }
  return *seconds * unit->second;
}

std::unique_ptr<Stopper> ParseBudget(std::string_view text, const Clock& clock) {
  if (text.starts_with("evals=")) {
    const auto count = ParseInteger(text.substr(6));
    if (!count || *count < 1) {
      throw UsageError(fmt::format("bad budget '{}': evals must be 1 or more; {}", text, kLegal));
    }
    return std::make_unique<EvaluationsStopper>(static_cast<std::uint64_t>(*count));
  }
  return std::make_unique<TimeStopper>(ParseBudgetSeconds(text), clock);
}

std::unique_ptr<Stopper> ParseStop(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return UsageError(fmt::format("bad stop '{}': {}; {}", text, why, kLegalStops));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) throw refuse("it is no NAME=VALUE");
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  if (name == "gap") {
    const auto percent =
        value.ends_with('%') ? ParseReal(value.substr(0, value.size() - 1)) : std::nullopt;
    if (!percent || *percent < 0 || *percent >= 100) throw refuse("gap is 0% or more, below 100%");
    return std::make_unique<GapStopper>(*percent / 100);
  }
  if (name == "stale") {
    const auto count = ParseInteger(value);
    if (!count || *count < 1) throw refuse("stale is a number of evaluations, 1 or more");
    return std::make_unique<StaleStopper>(static_cast<std::uint64_t>(*count));
  }
  if (name == "bound") {
    const auto ns = ParseTime(value);
    if (!ns || *ns <= 0) throw refuse("bound is a time above zero in ns, us, ms or s");
    return std::make_unique<BoundStopper>(*ns);
  }
  throw refuse(fmt::format("'{}' is nothing to stop by", name));
}

}  // namespace exh::search
