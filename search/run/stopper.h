// SPDX-License-Identifier: MIT
//
// Stoppers: when a search ends. They compose: the first one that says so ends it. A new criterion
// is a new class here, and the explorer does not change.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace exh::search {

/// What stoppers look at.
struct Progress {
  std::uint64_t evaluations = 0;  ///< Verdicts so far, failures included.
  std::uint64_t stale = 0;        ///< Those of them since the last best.
  double best_ns = 0;             ///< 0: none yet.
  double bound_ns = 0;            ///< Nothing of the space is faster; 0: nothing is known.
};

/// The reason of a search that ends because its time is over.
inline constexpr std::string_view kTimeIsOver = "budget:time";
/// The same where its evaluations are used up.
inline constexpr std::string_view kEvaluationsAreOver = "budget:evals";

class Stopper {
 public:
  virtual ~Stopper() = default;
  /// Why the search ends now ("budget:time"), or nothing. Cheap; called between all steps.
  virtual std::optional<std::string> Reason(const Progress& progress) const = 0;
  /// Evaluations left before this stopper ends the search; nothing when it does not count them.
  virtual std::optional<std::uint64_t> EvaluationsLeft(const Progress&) const {
    return std::nullopt;
  }
  /// Seconds until this stopper ends the search; infinity when it does not look at the time.
  virtual double SecondsLeft() const { return std::numeric_limits<double>::infinity(); }
};

/// Ends `seconds` after it was made.
class TimeStopper final : public Stopper {
 public:
  TimeStopper(double seconds, Clock clock);
  std::optional<std::string> Reason(const Progress& progress) const override;
  double SecondsLeft() const override;

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

/// Ends when the best is at most so much slower than anything can be: 0.1 for 10 % of its time.
class GapStopper final : public Stopper {
 public:
  explicit GapStopper(double gap) : gap_(gap) {}
  std::optional<std::string> Reason(const Progress& progress) const override;

 private:
  double gap_;
};

/// Ends after so many evaluations without a new best.
class StaleStopper final : public Stopper {
 public:
  explicit StaleStopper(std::uint64_t limit) : limit_(limit) {}
  std::optional<std::string> Reason(const Progress& progress) const override;

 private:
  std::uint64_t limit_;
};

/// Ends when the best is as fast as somebody wants it.
class BoundStopper final : public Stopper {
 public:
  explicit BoundStopper(double ns) : ns_(ns) {}
  std::optional<std::string> Reason(const Progress& progress) const override;

 private:
  double ns_;
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
  double SecondsLeft() const override;

 private:
  std::vector<std::unique_ptr<Stopper>> parts_;
};

/// `60s`, `1.5m`, `2h` in seconds. Throws UsageError.
double ParseBudgetSeconds(std::string_view text);
/// `60s`, `1.5m`, `2h`, a bare number of seconds, `evals=500`.
/// Throws UsageError that says what is wrong and what is legal.
std::unique_ptr<Stopper> ParseBudget(std::string_view text, const Clock& clock);

/// `gap=10%`, `stale=3000`, `bound=12us`. Throws UsageError like ParseBudget().
std::unique_ptr<Stopper> ParseStop(std::string_view text);

}  // namespace exh::search
