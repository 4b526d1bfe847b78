// SPDX-License-Identifier: MIT
//
// Several places that measure at once (Evaluator::lanes()), and one thread that decides. Threads
// descend and compile ahead, as where there is one GPU (pipeline/ahead.h). A thread for each lane
// measures. This one takes in what was found, gives it to lanes that are free, and alone records,
// logs and teaches. An entry is a state machine:
//
//     made ── trial ── compiling ── ready ── measuring ── confirming ── recorded
//                                     ▲            │            │
//                                     └────────────┴────────────┘  the lane failed
//
// What is confirmed is confirmed at the lane that measured it, so a duel measures both at one
// place. The incumbent may change while a duel goes on elsewhere. Who beat one that is no incumbent
// any more is measured in turn with the new one.
//
// A lane fails without the candidate being to blame: its process dies, its machine is gone. Then
// the candidate goes to others, twice. A candidate over which two lanes died is a crash, and they
// are not to blame. A lane
// that fails again and again, is lost, or deviates from the others (calibration.h), is said and
// left out; without one left the run ends as broken.
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/ahead.h"
#include "search/run/lanes/calibration.h"
#include "search/run/lanes/lane_threads.h"
#include "search/run/pipeline/pipeline.h"

namespace exh::search {

class LanesPipeline final : public Pipeline {
 public:
  explicit LanesPipeline(const RunParts& parts);
  ~LanesPipeline() override;

  /// As with one lane, a compiler that takes long holds nobody up.
  void EvaluateFirst(Entry entry) override;
  void Run() override;

 private:
  enum class State { kTrial, kCompiling, kReady, kMeasuring, kConfirming };
  struct Item {
    explicit Item(Entry made) : entry(std::move(made)) {}

    Entry entry;
    State state = State::kReady;
    Effort effort = Effort::kQuick;           ///< As long as nothing is known.
    std::future<kernels::Compiled> compiled;  ///< While it is compiling.
    kernels::Measurement measurement;
    SecondLook look;
    std::vector<std::size_t> failed_at;  ///< Lanes that failed with it, each time.
    int deaths = 0;                      ///< How many of these times the lane died.
  };
  /// What a lane is at: an item, or a calibration.
  struct Place {
    kernels::Lane* lane = nullptr;
    AtLane at;
    Item* item = nullptr;  ///< Null: nothing, or a calibration.
    kernels::Measurement calibration = {};
    bool is_out = false;
    int deaths = 0;    ///< Known.
    int failures = 0;  ///< In a row.
  };

  /// Does whatever can be done now. False: nothing.
  bool Step(Ahead<Attempt>* attempts);
  /// Waits for something to happen.
  void Wait();
  bool TakeIn(Attempt attempt);
  void CompileFully(Item& item);
  bool CollectCompiled();
  bool GiveOut();
  void Start(Place& place, Item& item);
  void Confirm(Place& place, Item& item);
  void Calibrate(Place& place);
  /// Begins a calibration when it is time for one, and leaves out who deviated in the last.
  void Compare();
  void HandleEnd(std::size_t number);
  void HandleCalibration(Place& place);
  /// Did the lane fail, rather than the candidate? Then the item is ready for another lane, or has
  /// a verdict that stands in `measurement`: true where it is to be measured again.
  bool HasFailed(Place& place, Item& item, kernels::Measurement& measurement);
  void LeaveOut(Place& place, const std::string& why);
  void Record(Place& place, Item& item);
  void Remove(Item& item);
  std::size_t NumLeft() const;
  /// May one more be begun, as far as evaluations are counted?
  bool HasRoom(std::size_t begun) const;
  /// What is ready, the best for this lane first.
  Item* ReadyFor(const Place& place);
  /// Finals and yardsticks are measured where the incumbent was.
  void Settle();

  int jobs_;
  std::uint64_t window_;  ///< Attempts under way at once, at most.
  std::vector<Place> places_;
  std::list<Item> items_;  ///< All that are in some state.
  Calibration calibration_;
  SecondLook calibrated_;        ///< What the lanes measure for it.
  std::size_t calibrating_ = 0;  ///< Lanes that measure it now.
  std::size_t best_ = 0;         ///< The lane that measured the incumbent.
  std::string last_loss_;
  std::size_t traced_ = 0;  ///< How many were ready when a trace was told last.
  LaneThreads threads_;     ///< Last: it ends before what it works with.
};

}  // namespace exh::search
