// SPDX-License-Identifier: MIT
#include "search/run/lanes/lanes_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <semaphore>
#include <utility>

#include "base/activity.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "search/measure/timed.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Lane;
using kernels::Measurement;
using kernels::Verdict;

constexpr double kLook = 0.02;    // Seconds between two looks at clocks and signals.
constexpr int kMostFailures = 4;  // In a row, of a lane that is given up.
constexpr int kMostDeaths = 2;    // Of lanes, over one candidate.
constexpr int kMostTries = 3;     // Of one candidate, when no lane says that it is to blame.

std::vector<std::string> NamesOf(const std::vector<Lane*>& lanes) {
  std::vector<std::string> names;
  for (const Lane* const lane : lanes) names.push_back(lane->name());
  return names;
}

/// One of so many at once, as long as it lives.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>& turns) : turns_(turns) { turns_.acquire(); }
  ~Turn() { turns_.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>& turns_;
};

}  // namespace

LanesPipeline::LanesPipeline(const RunParts& parts)
    : Pipeline(parts),
      jobs_(std::max(1, parts.options.jobs)),
      threads_(NamesOf(parts.evaluator.lanes())) {
  for (Lane* const lane : parts.evaluator.lanes()) {
    places_.push_back({.lane = lane, .at = {places_.size(), lane->name()}});
  }
  window_ = 2 * (static_cast<std::uint64_t>(jobs_) + places_.size());
  if (!parts.frontier.learns()) {
    window_ = std::max(window_, static_cast<std::uint64_t>(std::max(1, parts.options.batch)));
  }
}

LanesPipeline::~LanesPipeline() {
  // Compilers wake the threads when they end.
  for (const Item& item : items_) {
    if (item.compiled.valid()) item.compiled.wait();
  }
}

// ---- The loop ---------------------------------------------------------------------------------

void LanesPipeline::EvaluateFirst(Entry entry) {
  RunState& state = parts_.state;
  Item& item = items_.emplace_back(std::move(entry));
  item.effort = Effort::kFinal;
  CompileFully(item);
  const double end = state.now() + parts_.options.first_patience_s;
  const auto is_there = [&] {
    return std::ranges::any_of(items_, [&](const Item& one) { return &one == &item; });
  };
  while (is_there() && !state.Stopped()) {
    const bool is_late = item.state == State::kCompiling && state.now() >= end;
    if (is_late) return;
    if (!Step(nullptr)) Wait();
  }
}

void LanesPipeline::Run() {
  RunState& state = parts_.state;
  // There may be many more threads than cores, as most of them only wait for compilers elsewhere.
  // All of them descending at once would leave too little of a core to this thread, for which all
  // of them wait.
  std::counting_semaphore<> cores(NumCores());
  const auto make = [this, &cores](std::uint64_t number) {
    Random random = RandomOf(number);
    Attempt attempt;
    {
      const Turn turn(cores);
      const Doing descend(Activity::kDescend);
      parts_.proposer.Propose(random, attempt);
    }
    if (!attempt.entry || parts_.frontier.IsKnown(attempt.entry->code_hash)) return attempt;
    Compile(*attempt.entry);
    return attempt;
  };
  const HandOut order = parts_.frontier.learns() ? HandOut::kAsMade : HandOut::kInOrder;
  {
    Ahead<Attempt> attempts(jobs_, window_, order, make, [this] { threads_.Wake(); });
    while (!state.Stopped()) {
      LookForEnd();
      if (!Step(&attempts)) Wait();
    }
  }
  // What is being measured ends soon: the token of the run says when. Where nothing new is found,
  // what is compiled is still worth its evaluation.
  const std::string why = state.why();
  const bool goes_on = why == "exhausted" || why == "stuck";
  if (goes_on) {
    state.GoOn();
    while (!items_.empty() && !state.Stopped()) {
      if (!Step(nullptr)) Wait();
    }
    if (state.why().empty()) state.End(why);
  }
  while (!threads_.are_all_free()) {
    if (const auto lane = threads_.Next(kLook)) HandleEnd(*lane);
  }
  while (!items_.empty()) {
    Item& item = items_.front();
    if (item.compiled.valid()) item.entry.compiled = item.compiled.get();
    Remove(item);
  }
  Settle();
}

bool LanesPipeline::Step(Ahead<Attempt>* attempts) {
  bool has_done = false;
  while (const auto lane = threads_.Next(0)) {
    HandleEnd(*lane);
    has_done = true;
  }
  if (parts_.state.Stopped()) return has_done;
  has_done |= CollectCompiled();
  const auto is_ready = [](const Item& item) {
    return item.state == State::kReady || item.state == State::kTrial;
  };
  // As many are ready as lanes may want next; the others wait where they were made, so that what is
  // learned meanwhile still decides over what is made.
  const auto ready = static_cast<std::size_t>(std::ranges::count_if(items_, is_ready));
  if (attempts != nullptr && ready < NumLeft() && HasRoom(items_.size())) {
    if (std::optional<Attempt> attempt = attempts->Poll()) {
      TakeIn(*std::move(attempt));
      has_done = true;
    }
  }
  if (std::exchange(traced_, ready) != ready) {
    TraceCounter("ready to be measured", static_cast<double>(ready));
  }
  return GiveOut() || has_done;
}

void LanesPipeline::Wait() {
  parts_.state.ShowStatus(false);
  if (const auto lane = threads_.Next(kLook)) HandleEnd(*lane);
}

bool LanesPipeline::HasRoom(std::size_t begun) const {
  const auto left = parts_.state.EvaluationsLeft();
  return !left || begun < *left;
}

std::size_t LanesPipeline::NumLeft() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(places_, [](const Place& place) { return !place.is_out; }));
}

// ---- From made to ready -----------------------------------------------------------------------

bool LanesPipeline::TakeIn(Attempt attempt) {
  RunState& state = parts_.state;
  state.ShowStatus(false);
  if (!state.Accept(attempt)) return false;
  Entry& entry = *attempt.entry;
  if (entry.compiled.verdict != Verdict::kCorrect) {
    parts_.judge.Evaluate(entry);
    return true;
  }
  Item& item = items_.emplace_back(std::move(entry));
  item.state = item.entry.is_trial ? State::kTrial : State::kReady;
  return true;
}

void LanesPipeline::CompileFully(Item& item) {
  item.state = State::kCompiling;
  item.compiled = std::async(std::launch::async, [this, &entry = item.entry] {
    const Doing compile(Activity::kCompile);
    Compiled compiled = parts_.evaluator.CompileOf(entry.source, entry.candidate);
    threads_.Wake();
    return compiled;
  });
}

bool LanesPipeline::CollectCompiled() {
  bool has_found = false;
  for (auto at = items_.begin(); at != items_.end();) {
    Item& item = *at++;
    if (item.state != State::kCompiling ||
        item.compiled.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      continue;
    }
    has_found = true;
    const double trial_ms = item.entry.compiled.compile_ms;
    item.entry.compiled = item.compiled.get();
    item.entry.compiled.compile_ms += trial_ms;
    item.state = State::kReady;
    if (item.entry.compiled.verdict == Verdict::kCorrect) continue;
    parts_.judge.Evaluate(item.entry);
    items_.remove_if([&](const Item& one) { return &one == &item; });
  }
  return has_found;
}

// ---- To lanes ---------------------------------------------------------------------------------

LanesPipeline::Item* LanesPipeline::ReadyFor(const Place& place) {
  Item* first = nullptr;
  for (Item& item : items_) {
    if (item.state != State::kReady && item.state != State::kTrial) continue;
    // Another lane may do better, as long as there is one that has not tried.
    const auto has_failed = [&](const Place& one) {
      return one.is_out || !one.lane->is_ready() ||
             std::ranges::count(item.failed_at, one.at.number) > 0;
    };
    if (has_failed(place) && !std::ranges::all_of(places_, has_failed)) continue;
    if (place.lane->has(item.entry.compiled)) return &item;
    if (first == nullptr) first = &item;
  }
  return first;
}

bool LanesPipeline::GiveOut() {
  bool has_given = false;
  Compare();
  for (Place& place : places_) {
    if (place.is_out || !threads_.is_free(place.at.number)) continue;
    if (const std::string lost = place.lane->lost(); !lost.empty()) {
      LeaveOut(place, lost);
      continue;
    }
    if (!place.lane->is_ready()) continue;
    if (calibration_.IsWaitedFor(place.at.number)) {
      Calibrate(place);
      has_given = true;
      continue;
    }
    Item* const item = ReadyFor(place);
    if (item == nullptr) continue;
    if (!parts_.judge.AwaitEvaluator()) return has_given;
    Start(place, *item);
    has_given = true;
  }
  return has_given;
}

void LanesPipeline::Compare() {
  RunState& state = parts_.state;
  if (calibrating_ > 0) return;
  for (const Deviation& deviation : calibration_.Take()) {
    if (NumLeft() < 2) break;
    LeaveOut(places_[deviation.lane],
             fmt::format("the best takes {} there and {} elsewhere, which is more than {}% apart, "
                         "twice in a row",
                         FormatTime(deviation.ns), FormatTime(deviation.middle_ns),
                         100 * Calibration::kMost));
  }
  const Winners& winners = state.winners();
  const bool is_known = winners.has_incumbent() && !winners.incumbent().is_restored;
  if (!parts_.evaluator.calibrates_lanes()) return;
  if (NumLeft() < 2 || !is_known || !calibration_.IsDue(state.now())) return;
  if (!calibrated_.vector.empty()) {
    state.winners().LetGo(calibrated_.vector, calibrated_.incumbent);
  }
  calibrated_.vector = winners.incumbent().vector;
  calibrated_.incumbent = winners.incumbent().compiled;
  state.winners().Hold(calibrated_.vector);
  std::vector<std::size_t> lanes;
  for (const Place& place : places_) {
    if (!place.is_out && place.lane->is_ready()) lanes.push_back(place.at.number);
  }
  calibration_.Begin(lanes, state.now());
}

void LanesPipeline::Start(Place& place, Item& item) {
  place.item = &item;
  place.at.began = TraceNow();
  const Cap cap = parts_.judge.CapNow(item.entry, place.at);
  if (item.state == State::kTrial) {
    threads_.Start(place.at.number, [&item, cap, lane = place.lane] {
      item.measurement = Timed([&] { return lane->Try(item.entry.compiled, cap); });
    });
    return;
  }
  item.state = State::kMeasuring;
  const Effort effort = parts_.state.winners().has_incumbent() ? Effort::kQuick : item.effort;
  threads_.Start(place.at.number, [&item, cap, effort, lane = place.lane] {
    item.measurement = Timed([&] { return lane->Measure(item.entry.compiled, cap, effort); });
  });
}

void LanesPipeline::Confirm(Place& place, Item& item) {
  item.state = State::kConfirming;
  place.item = &item;
  if (item.look.kind == SecondLook::Kind::kInTurn) parts_.state.winners().Hold(item.look.vector);
  threads_.Start(place.at.number, [&item, lane = place.lane] {
    LookAgain(
        item.entry.compiled,
        [lane](const Compiled& program, Effort effort) {
          return Timed([&] { return lane->Measure(program, {}, effort); });
        },
        item.look);
  });
}

void LanesPipeline::Calibrate(Place& place) {
  place.item = nullptr;
  ++calibrating_;
  calibration_.Add(place.at.number, 0);  // It is not asked twice.
  threads_.Start(place.at.number, [this, &place] {
    place.calibration =
        Timed([&] { return place.lane->Measure(calibrated_.incumbent, {}, Effort::kFinal); });
  });
}

// ---- From lanes -------------------------------------------------------------------------------

void LanesPipeline::HandleEnd(std::size_t number) {
  Place& place = places_[number];
  if (place.item == nullptr) return HandleCalibration(place);
  Item& item = *std::exchange(place.item, nullptr);
  Judge& judge = parts_.judge;
  Winners& winners = parts_.state.winners();
  const bool was_confirming = item.state == State::kConfirming;
  if (was_confirming && item.look.kind == SecondLook::Kind::kInTurn) {
    winners.LetGo(item.look.vector, item.look.incumbent);
  }
  Measurement& measurement = !was_confirming ? item.measurement
                             : item.look.kind == SecondLook::Kind::kInTurn
                                 ? item.look.duel.measurement
                                 : item.look.alone;
  if (HasFailed(place, item, measurement)) return;
  if (item.state == State::kTrial) {
    parts_.evaluator.Discard(item.entry.compiled);
    if (item.measurement.verdict == Verdict::kCorrect) return CompileFully(item);
  }
  if (!was_confirming) {
    if (!judge.IsVerdict(item.measurement)) return Remove(item);
    item.look = judge.Doubt(item.entry, item.measurement, place.at);
    if (item.look.kind != SecondLook::Kind::kNone && !place.is_out) return Confirm(place, item);
    item.look = {};
    return Record(place, item);
  }
  if (judge.IsOutdated(item.entry, item.look) && !place.is_out) {
    SecondLook look = judge.Doubt(item.entry, item.measurement, place.at);
    if (look.kind == SecondLook::Kind::kInTurn) {
      item.look = std::move(look);
      return Confirm(place, item);
    }
  }
  Record(place, item);
}

void LanesPipeline::Record(Place& place, Item& item) {
  const std::uint64_t before = parts_.state.winners().incumbent_number();
  parts_.judge.Record(item.entry, item.measurement, item.look, place.at);
  if (parts_.state.winners().incumbent_number() != before) best_ = place.at.number;
  Remove(item);
  parts_.state.ShowStatus(false);
}

void LanesPipeline::Remove(Item& item) {
  parts_.state.winners().Release(item.entry.vector, item.entry.compiled);
  items_.remove_if([&](const Item& one) { return &one == &item; });
}

bool LanesPipeline::HasFailed(Place& place, Item& item, Measurement& measurement) {
  if (measurement.verdict != Verdict::kBroken) {
    if (measurement.verdict != Verdict::kStopped) place.failures = 0;
    return false;
  }
  const int deaths = place.lane->deaths();
  const bool has_died = deaths > place.deaths;
  place.deaths = deaths;
  ++place.failures;
  item.failed_at.push_back(place.at.number);
  if (has_died) ++item.deaths;
  if (const std::string lost = place.lane->lost(); !lost.empty()) {
    LeaveOut(place, lost);
  } else if (place.failures >= kMostFailures) {
    LeaveOut(place,
             fmt::format("it failed {} times in a row: {}", place.failures, measurement.why));
  }
  if (item.deaths >= kMostDeaths) {
    for (const std::size_t lane : item.failed_at) {
      places_[lane].failures = std::max(0, places_[lane].failures - 1);
    }
    item.measurement = {};
    item.measurement.verdict = Verdict::kCrash;
    item.measurement.why = fmt::format("{} lanes died over it, the last one ({}) so: {}",
                                       item.deaths, place.at.name, measurement.why);
    item.look = {};
    item.state = State::kMeasuring;
    Record(place, item);
    return true;
  }
  // All of them say so.
  if (static_cast<int>(item.failed_at.size()) >= kMostTries && !has_died) return false;
  item.look = {};
  item.state = item.state == State::kTrial ? State::kTrial : State::kReady;
  return true;
}

void LanesPipeline::HandleCalibration(Place& place) {
  --calibrating_;
  const Measurement& measurement = place.calibration;
  const bool is_correct = measurement.verdict == Verdict::kCorrect;
  if (measurement.verdict == Verdict::kBroken) {
    place.deaths = place.lane->deaths();
    if (const std::string lost = place.lane->lost(); !lost.empty()) LeaveOut(place, lost);
  }
  if (!place.is_out) calibration_.Add(place.at.number, is_correct ? measurement.best_ns : 0);
}

void LanesPipeline::LeaveOut(Place& place, const std::string& why) {
  if (place.is_out) return;
  place.is_out = true;
  calibration_.Drop(place.at.number);
  last_loss_ = fmt::format("{} is left out: {}", place.at.name, why);
  parts_.state.reporter().Say("note: " + last_loss_);
  if (NumLeft() == 0) {
    parts_.state.Break(fmt::format("no lane is left to measure at; the last one, {}", last_loss_));
  }
}

void LanesPipeline::Settle() {
  if (!calibrated_.vector.empty()) {
    parts_.state.winners().LetGo(std::exchange(calibrated_.vector, {}), calibrated_.incumbent);
  }
  if (NumLeft() == 0) return;
  const auto is_left = [](const Place& place) { return !place.is_out; };
  const auto first = std::ranges::find_if(places_, is_left);
  const Place& where = places_[best_].is_out ? *first : places_[best_];
  parts_.evaluator.MeasureAt(*where.lane);
}

}  // namespace exh::search
