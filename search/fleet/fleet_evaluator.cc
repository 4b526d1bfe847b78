// SPDX-License-Identifier: MIT
#include "search/fleet/fleet_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/system/process_tree.h"
#include "base/trace/trace.h"
#include "kernels/build_stamp.h"
#include "kernels/devices/backend.h"
#include "search/descend/descent.h"
#include "search/fleet/pilot.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Measurement;
using kernels::Source;
using kernels::Verdict;

constexpr int kMostDeaths = 2;  // Of pilots, over one program that is compiled.
constexpr int kMostTries = 5;   // Of compiling one, whoever is to blame.

/// "driver 13.0 and 12.8".
std::string Differences(const Machine& here, const Machine& there) {
  std::vector<std::string> texts;
  for (const auto& [name, version] : here) {
    const auto other = there.find(name);
    const std::string has = other == there.end() ? "none" : other->second;
    if (has != version) texts.push_back(fmt::format("{} '{}' instead of '{}'", name, has, version));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

class FleetEvaluator final : public Evaluator {
 public:
  FleetEvaluator(const Subject& subject, const WorkerOptions& options)
      : subject_(subject),
        options_(options),
        root_(subject.root()),
        order_(subject.order("", root_)) {
    StartSupervisor();  // Before there are threads.
    PilotOptions pilot;
    RunRecord& run = pilot.hello.run;
    run.space = root_.instance().space().name;
    run.fingerprint = root_.instance().fingerprint();
    subject.Describe(run);
    pilot.hello.stamp = kernels::BuildStamp();
    pilot.hello.rates = RatesHash(subject);
    pilot.hello.cold = options.cold;
    pilot.silence_s = options.silence_s;
    pilot.stop = options.stop;
    for (std::size_t i = 0; i < options.commands.size(); ++i) {
      pilot.command = options.commands[i];
      pilots_.push_back(std::make_unique<Pilot>(
          fmt::format("pilot {}", i + 1), pilot,
          [this, hello = pilot.hello](const PilotReady& ready) { return Check(hello, ready); }));
      pilots_.back()->OnChange([this] { changed_.notify_all(); });
    }
    AwaitFirst();
  }

  Source Emit(const runtime::Candidate& implementation) override {
    Source source = subject_.Emit(implementation);
    source.careful.clear();  // A pilot does what is to be done with it.
    return source;
  }

  /// A text alone says nothing to a pilot.
  Compiled Compile(const Source& source) override {
    Compiled compiled;
    compiled.source = source.text;
    compiled.verdict = Verdict::kBroken;
    compiled.why = "a pilot compiles decisions and yardsticks, and this is neither";
    return compiled;
  }

  Compiled CompileOf(const Source& source, const runtime::Candidate& implementation) override {
    if (auto refused = kernels::NotCompiled(source)) return *std::move(refused);
    PilotTask task;
    CompletePath(root_, implementation, order_, task.path);
    task.hash = HashText(VectorText(implementation));
    task.code = HashText(WithoutComments(source.text));
    Compiled compiled;
    compiled.source = source.text;
    compiled.library = ProgramText(task);
    int deaths = 0;
    const Pilot* failed = nullptr;
    for (int tries = 0; tries < kMostTries; ++tries) {
      Pilot* const pilot = LeastBusy(failed);
      failed = pilot;
      if (pilot == nullptr) {
        compiled.verdict = Verdict::kBroken;
        compiled.why = "no pilot is left";
        return compiled;
      }
      const TraceTime begin = TraceNow();
      const PilotAnswer answer = pilot->Compile(task, compiled.library);
      TraceSpan("at " + pilot->name(), begin);
      compiled.verdict = answer.measurement.verdict;
      compiled.why = answer.measurement.why;
      compiled.compile_ms = answer.measurement.compile_ms;
      if (answer.registers > 0) compiled.gpu.emplace().registers = answer.registers;
      if (compiled.verdict != Verdict::kBroken) return compiled;
      if (answer.has_died && ++deaths >= kMostDeaths) {
        compiled.verdict = Verdict::kCrash;
        compiled.why = fmt::format("{} pilots died when it was compiled; {}", deaths, compiled.why);
        return compiled;
      }
    }
    return compiled;
  }

  bool compiles_while_measuring() const override { return true; }
  double first_cap_ns() const override { return first_.first_cap_ns; }
  int finalists() const override { return first_.finalists; }

  std::vector<kernels::Lane*> lanes() override {
    std::vector<kernels::Lane*> lanes;
    for (const auto& pilot : pilots_) lanes.push_back(pilot.get());
    return lanes;
  }
  void MeasureAt(kernels::Lane& lane) override { at_ = static_cast<Pilot*>(&lane); }
  std::string measures_at() const override { return at_->name(); }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return At().Measure(compiled, cap, effort);
  }
  Measurement Repeat(const Compiled& compiled, int launches) override {
    PilotTask task = ProgramOf(compiled.library);
    task.mode = PilotMode::kRepeat;
    task.launches = launches;
    return At().Ask(std::move(task)).measurement;
  }

  std::vector<Contender> Yardsticks(int /*jobs*/) override {
    std::vector<Contender> contenders;
    PilotTask task;
    task.mode = PilotMode::kYardsticks;
    for (const PilotYardstick& known : At().Ask(std::move(task)).yardsticks) {
      PilotTask one;
      one.yardstick = known.name;
      Contender& contender = contenders.emplace_back();
      contender.name = known.name;
      contender.compiled.library = ProgramText(one);
      contender.workspace_bytes = known.workspace_bytes;
    }
    return contenders;
  }
  std::optional<kernels::MeasuredRates> Rates() override {
    PilotTask task;
    task.mode = PilotMode::kRates;
    return At().Ask(std::move(task)).rates;
  }
  double CopyNs(std::uint64_t bytes) override {
    if (!rates_) rates_ = Rates();
    return rates_ ? static_cast<double>(bytes) / rates_->copy_gbs() : 0;
  }

  std::string Conditions() const override { return first_.device; }
  std::string YardstickText() const override { return first_.yardstick_text; }
  std::vector<std::string> Notes() const override { return first_.notes; }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    return first_.versions;
  }
  /// What a pilot has compiled goes when it has too much of it.
  void Discard(const Compiled&) override {}

 private:
  /// By a pilot's thread: does it fit this search and the other pilots?
  std::string Check(const PilotHello& hello, const PilotReady& ready) {
    const auto refused = [&](const std::string& what) {
      return fmt::format("refused, on {}: {}", ready.host, what);
    };
    if (ready.stamp != hello.stamp) {
      return refused(fmt::format("it is another program ({}, this is {}): start the same one there",
                                 ready.stamp, hello.stamp));
    }
    if (ready.rates != hello.rates) {
      return refused(fmt::format(
          "its rates of the device are others ({}, here {}): copy the file of rates "
          "that `search devices` names from here to there",
          ready.rates.empty() ? "none" : ready.rates, hello.rates.empty() ? "none" : hello.rates));
    }
    const std::lock_guard lock(mutex_);
    if (!has_first_) {
      first_ = ready;
      has_first_ = true;
      return "";
    }
    if (ready.device != first_.device) {
      return refused(
          fmt::format("its device is '{}', that of the others '{}'", ready.device, first_.device));
    }
    const std::string differences = Differences(first_.versions, ready.versions);
    if (differences.empty()) return "";
    return refused(fmt::format("not as on {}: {}", first_.host, differences));
  }

  void AwaitFirst() {
    const auto begin = std::chrono::steady_clock::now();
    bool has_said = !options_.say;
    while (true) {
      if (IsStopped(options_.stop)) throw Interrupted("stopped before a pilot was ready");
      // Without our lock: a pilot that asks for it has its own.
      std::vector<std::string> lost;
      for (std::size_t i = 0; i < pilots_.size(); ++i) {
        const std::string why = pilots_[i]->lost();
        if (why.empty()) continue;
        lost.push_back(fmt::format("{} ({}): {}", pilots_[i]->name(), options_.commands[i], why));
      }
      std::unique_lock lock(mutex_);
      if (has_first_) break;
      if (lost.size() == pilots_.size()) {
        throw Error(fmt::format("no pilot can measure:\n  {}", fmt::join(lost, "\n  ")));
      }
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      const std::chrono::duration<double> silence = std::chrono::steady_clock::now() - begin;
      if (!has_said && silence.count() >= options_.silence_s) {
        SayWhoIsAwaited();
        has_said = true;
      }
    }
    at_ = pilots_.front().get();
    for (const auto& pilot : pilots_) {
      if (!pilot->ready()) continue;
      at_ = pilot.get();
      break;
    }
  }

  /// A batch system may let them wait for hours, and so may something that asks for a password.
  void SayWhoIsAwaited() {
    for (std::size_t i = 0; i < pilots_.size(); ++i) {
      if (!pilots_[i]->lost().empty()) continue;
      const std::string last = pilots_[i]->LastComplaint();
      options_.say(fmt::format("{} has said nothing for {:.0f} s, and is waited for: {}{}",
                               pilots_[i]->name(), options_.silence_s, options_.commands[i],
                               last.empty() ? "" : fmt::format(" (its last words: {})", last)));
    }
  }

  /// Null: none is left. One that is there before one that is not, and any before one that has just
  /// failed: who fails at once is never busy.
  Pilot* LeastBusy(const Pilot* failed = nullptr) {
    Pilot* least = nullptr;
    for (const auto& pilot : pilots_) {
      if (!pilot->lost().empty()) continue;
      const auto key = [failed](const Pilot& one) {
        return std::tuple(&one == failed, !one.is_ready(), one.load());
      };
      if (least == nullptr || key(*pilot) < key(*least)) least = pilot.get();
    }
    return least;
  }

  /// Where finals are measured: another one, when that is lost.
  Pilot& At() {
    if (at_->lost().empty()) return *at_;
    if (Pilot* const other = LeastBusy()) at_ = other;
    return *at_;
  }

  const Subject& subject_;
  const WorkerOptions options_;
  const runtime::Candidate root_;
  const ChoiceOrder order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  PilotReady first_;
  bool has_first_ = false;
  std::optional<kernels::MeasuredRates> rates_;
  std::vector<std::unique_ptr<Pilot>> pilots_;  ///< Their threads end before what they use.
  Pilot* at_ = nullptr;
};

}  // namespace

std::unique_ptr<Evaluator> MakeFleetEvaluator(const Subject& subject,
                                              const WorkerOptions& options) {
  return std::make_unique<FleetEvaluator>(subject, options);
}

std::string RatesHash(const Subject& subject) {
  if (subject.device() == nullptr) return "";
  const kernels::ir::Device& device = *subject.device();
  std::ifstream file(kernels::BackendOf(device).RatesFile(device));
  if (!file) return "";
  std::ostringstream text;
  text << file.rdbuf();
  return HashText(text.str());
}

}  // namespace exh::search
