// SPDX-License-Identifier: MIT
//
// A run that goes on, as what a page shows of it. Of what has ended that is the report. Until then
// each record of the log goes into columns and counts and is forgotten, so that memory grows by a
// few hundred bytes an evaluation, however long its line is. A place is made of counts:
//
//   "2:1500:3:41:7:12"   of the second log at this path 1,500 evaluations, 3 reasons and 41
//                        decisions; the seventh time that loops and code were made, and the twelfth
//                        change of anything else
//   "2:report"           the report of the second log
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "search/page/again/rebuilt.h"
#include "search/page/columns.h"
#include "search/page/decisions/dead_ends.h"
#include "search/page/decisions/decision_columns.h"
#include "search/page/prefix_tree.h"
#include "search/view/eval_sample.h"
#include "search/view/log_follower.h"
#include "search/view/watched.h"

namespace exh::search {

class LiveRun : public Watched {
 public:
  /// `name`: the folder of the run, or its log.
  explicit LiveRun(std::string name);

  bool Look() override;
  std::string WhyNoPage() override;
  /// Why the log can never be shown: it has another version, or lines and no header. Empty: it can.
  std::string WhyRefused();
  std::string PageData(const std::string& made) override;
  std::string Title() override;
  PageNews Since(const std::string& place) override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Place {
    std::uint64_t log = 0, evals = 0, reasons = 0, decisions = 0, again = 0, events = 0;
  };
  /// What is made of some evaluations, beside the thread that reads.
  struct Making {
    std::uint64_t log_number = 0;
    std::shared_ptr<const Rebuilt> rebuilt;
    std::string members;  ///< An object.
    double seconds = 0;
  };

  // With the mutex held.
  void Forget();
  void TakeRecords();
  std::string PlaceText() const;
  std::optional<Place> PlaceOf(const std::string& text) const;
  void WriteEventsAndDamage(ScriptJson& json) const;
  void WriteState(ScriptJson& json) const;
  std::string WriteAll() const;
  /// WhyRefused(), with the mutex held.
  std::string Refusal() const;
  bool HasEnded() const { return log_.end.has_value(); }

  bool TakeMade();
  void MakeAgain();

  const std::string name_;
  LogFollower follower_;  ///< Of the thread that looks.
  std::future<Making> making_;
  Clock::time_point made_at_{};
  double made_s_ = 0;
  std::uint64_t made_best_ = 0, made_count_ = 0;

  std::mutex mutex_;  ///< Of everything below.
  std::uint64_t log_number_ = 1, again_number_ = 0, events_number_ = 1;
  Log log_;  ///< The records of which there are few.
  bool has_selects_ = false, half_line_ = false;
  std::vector<std::string> missing_;
  std::string trouble_;
  EvalColumns evals_;
  GrowingDecisions decisions_;
  DeadEndsByLabel dead_ends_;
  PrefixTree prefixes_;
  EvalSample sample_;
  std::shared_ptr<const Rebuilt> rebuilt_;
  std::string again_;   ///< An object.
  std::string report_;  ///< The data of the report, once it was made; empty again when it is old.
};

}  // namespace exh::search
