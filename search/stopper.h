// SPDX-License-Identifier: MIT
//
// Stoppers: when a search ends. They compose: the first one that says so ends it. A new criterion
// is a new class here, and the explorer does not change.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/clock.h"

namespace exh::search {

/// What stoppers look at.
struct Progress {
  std::uint64_t evaluations = 0;  ///< Verdicts so far, failures included.
};

class Stopper {
 public:
  virtual ~Stopper() = default;
  /// Why the search ends now ("budget:time"), or nothing. Cheap; called between all steps.
  virtual std::optional<std::string> Reason(const Progress& progress) const = 0;
  /// Evaluations left before this stopper ends the search; nothing when it does not count them.
  virtual std::optional<std::uint64_t> EvaluationsLeft(const Progress&) const {
    return std::nullopt;
  }
};

/// Ends `seconds` after it was made.
class TimeStopper final : public Stopper {
 public:
  TimeStopper(double seconds, Clock clock);
  std::optional<std::string> Reason(const Progress& progress) const override;

 private:
  Clock clock_;
  double end_;
};

class EvaluationsStopper final : public Stopper {
 public:
  explicit EvaluationsStopper(std::uint64_t limit) : limit_(limit) {}
  std::optional<std::string> Reason(const Progress& progress) const override;
  std::optional<std::uint64_t> EvaluationsLeft(const Progress& progress) const override;

 private:
  std::uint64_t limit_;
};

/// Ends when a flag is raised; a signal handler raises it (signals.h).
class SignalStopper final : public Stopper {
 public:
  explicit SignalStopper(const std::atomic<bool>* raised) : raised_(raised) {}
  std::optional<std::string> Reason(const Progress& progress) const override;

 private:
  const std::atomic<bool>* raised_;
};

/// Ends when any of its parts does; the first part that says so names the reason.
class AnyStopper final : public Stopper {
 public:
  void Add(std::unique_ptr<Stopper> part) { parts_.push_back(std::move(part)); }
  std::optional<std::string> Reason(const Progress& progress) const override;
  std::optional<std::uint64_t> EvaluationsLeft(const Progress& progress) const override;

 private:
  std::vector<std::unique_ptr<Stopper>> parts_;
};

/// `60s`, `1.5m`, `2h`, a bare number of seconds, `evals=500`.
/// Throws UsageError that says what is wrong and what is legal.
std::unique_ptr<Stopper> ParseBudget(std::string_view text, const Clock& clock);

}  // namespace exh::search
