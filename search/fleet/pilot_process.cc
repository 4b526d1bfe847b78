// SPDX-License-Identifier: MIT
//
// The other end of pilot.h. One thread reads, some compile, one measures, and one says every few
// seconds that the process is alive. Where compilers would disturb what is measured, one thread
// does both.
#include "search/fleet/pilot_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "base/system/descriptor.h"
#include "base/system/process_tree.h"
#include "base/system/signals.h"
#include "kernels/build_stamp.h"
#include "search/descend/dropped/dropped.h"
#include "search/fleet/fleet_evaluator.h"
#include "search/fleet/message_lines.h"
#include "search/fleet/pilot_protocol.h"
#include "search/log/decisions.h"
#include "search/subject/problem.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Measurement;
using kernels::Verdict;

/// The standard output, for messages alone: whatever else is printed goes to the standard error.
class Voice {
 public:
  Voice() : fd_(::dup(STDOUT_FILENO)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~Voice() { ::close(fd_); }
  Voice(const Voice&) = delete;
  Voice& operator=(const Voice&) = delete;

  /// From any thread. Who does not listen any more has ended this process's input, too.
  void Say(const std::string& message) {
    const std::string lines = LinesOf(message);
    const std::lock_guard lock(mutex_);
    for (std::size_t sent = 0; sent < lines.size();) {
      const ssize_t n = ::write(fd_, lines.data() + sent, lines.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }

 private:
  int fd_;
  std::mutex mutex_;
};

std::string HostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Measurement Failed(Verdict verdict, const std::string& why) {
  Measurement failed;
  failed.verdict = verdict;
  failed.why = why;
  return failed;
}

/// A program that a task named.
struct Program {
  std::mutex mutex;  ///< Who compiles it.
  bool is_made = false;
  kernels::Source source;
  Compiled compiled;
  bool was_tried = false;
};

/// What a search asked for, once it said what is searched.
class Bench {
 public:
  /// Throws Error and UsageError.
  Bench(const PilotHello& hello, const PilotProcessOptions& options, const StopToken& stop)
      : subject_(SubjectOf(hello.run, {MemoryFor(""), &stop})),
        root_(subject_->root()),
        jobs_(options.jobs > 0 ? options.jobs : NumCores()),
        stop_(stop) {
    if (root_.instance().fingerprint() != hello.run.fingerprint) {
      throw Error(fmt::format("the space is another one: {} {}, here {}", hello.run.space,
                              hello.run.fingerprint, root_.instance().fingerprint()));
    }
    EvaluatorOptions wanted{jobs_, options.gpu, hello.cold, &stop};
    wanted.cache = options.cache;
    evaluator_ = subject_->MakeEvaluator(wanted);
  }

  PilotReady Ready() {
    PilotReady ready;
    ready.rates = RatesHash(*subject_);
    ready.device = evaluator_->Conditions();
    ready.versions = evaluator_->Versions();
    ready.jobs = jobs_;
    ready.finalists = evaluator_->finalists();
    ready.first_cap_ns = evaluator_->first_cap_ns();
    ready.yardstick_text = evaluator_->YardstickText();
    ready.notes = evaluator_->Notes();
    return ready;
  }

  int jobs() const { return jobs_; }
  bool compiles_while_measuring() const { return evaluator_->compiles_while_measuring(); }

  PilotAnswer Do(const PilotTask& task) {
    PilotAnswer answer;
    answer.id = task.id;
    answer.measurement.verdict = Verdict::kStopped;
    try {
      DoGuarded(task, answer);
    } catch (const std::exception& error) {
      answer.measurement = Failed(Verdict::kBroken, error.what());
    }
    return answer;
  }

 private:
  void DoGuarded(const PilotTask& task, PilotAnswer& answer) {
    switch (task.mode) {
      case PilotMode::kYardsticks:
        for (const Contender& one : YardsticksHere()) {
          answer.yardsticks.push_back({one.name, one.workspace_bytes});
        }
        answer.measurement.verdict = Verdict::kCorrect;
        return;
      case PilotMode::kRates:
        answer.rates = evaluator_->Rates();
        answer.measurement.verdict = Verdict::kCorrect;
        return;
      default:
        break;
    }
    if (!task.yardstick.empty()) {
      for (const Contender& one : YardsticksHere()) {
        if (one.name == task.yardstick) return Measure(task, one.compiled, answer);
      }
      answer.measurement = Failed(Verdict::kBroken, "there is no such yardstick here");
      return;
    }
    const std::shared_ptr<Program> program = Make(task);
    const Compiled& compiled = program->compiled;
    if (compiled.gpu) answer.registers = compiled.gpu->registers;
    if (task.mode == PilotMode::kCompile || compiled.verdict != Verdict::kCorrect) {
      answer.measurement = Failed(compiled.verdict, compiled.why);
      answer.measurement.compile_ms = compiled.compile_ms;
      return;
    }
    if (!program->source.careful.empty() && !program->was_tried) {
      const Compiled trial = evaluator_->CompileTrial(program->source);
      answer.measurement = trial.verdict == Verdict::kCorrect ? evaluator_->Try(trial, task.cap)
                                                              : Failed(trial.verdict, trial.why);
      evaluator_->Discard(trial);
      if (answer.measurement.verdict != Verdict::kCorrect) return;
      program->was_tried = true;
    }
    Measure(task, compiled, answer);
  }

  void Measure(const PilotTask& task, const Compiled& compiled, PilotAnswer& answer) {
    if (compiled.verdict != Verdict::kCorrect) {
      answer.measurement = Failed(compiled.verdict, compiled.why);
      return;
    }
    constexpr double kMoment = 0.1;  // Seconds.
    while (!evaluator_->IsReady(kMoment)) {
      if (stop_.stopped()) return;
    }
    answer.measurement = task.mode == PilotMode::kRepeat
                             ? evaluator_->Repeat(compiled, task.launches)
                             : evaluator_->Measure(compiled, task.cap, EffortOf(task.mode));
  }

  static Effort EffortOf(PilotMode mode) {
    switch (mode) {
      case PilotMode::kFinal:
        return Effort::kFinal;
      case PilotMode::kAgain:
        return Effort::kAgain;
      case PilotMode::kAudit:
        return Effort::kAudit;
      default:
        return Effort::kQuick;
    }
  }

  const std::vector<Contender>& YardsticksHere() {
    if (!yardsticks_) yardsticks_ = evaluator_->Yardsticks(jobs_);
    return *yardsticks_;
  }

  /// The program of a task, compiled: now, or before.
  std::shared_ptr<Program> Make(const PilotTask& task) {
    const std::shared_ptr<Program> program = Known(task.hash);
    const std::lock_guard lock(program->mutex);
    if (program->is_made) return program;
    program->compiled = CompileOf(task, *program);
    // What the end of a run cut short is not known.
    program->is_made = program->compiled.verdict != Verdict::kStopped;
    return program;
  }

  Compiled CompileOf(const PilotTask& task, Program& program) {
    Compiled none;
    none.verdict = Verdict::kBroken;
    runtime::Candidate candidate = root_;
    for (const PathStep& step : task.path) {
      const auto count = static_cast<int>(candidate.instance().num_decisions());
      if (step.decision < 0 || step.decision >= count || step.value < 0) {
        none.why = "a path has a decision that there is not";
        return none;
      }
      const auto decision = static_cast<runtime::DecisionId>(step.decision);
      const std::string why = TryRestrict(candidate, runtime::Action::Take(decision, step.value));
      if (why.empty()) continue;
      none.why = fmt::format("a path leads nowhere here: {}", why);
      return none;
    }
    if (!candidate.IsImplementation() || HashText(VectorText(candidate)) != task.hash) {
      none.why = "a path leads to another implementation here";
      return none;
    }
    if (const auto dropped = DroppedBy([&] { program.source = evaluator_->Emit(candidate); })) {
      none.why = dropped->why;
      return none;
    }
    if (HashText(WithoutComments(program.source.text)) != task.code) {
      none.why = "the code of an implementation is another one here";
      return none;
    }
    return evaluator_->CompileOf(program.source, candidate);
  }

  /// Those that were not asked for of late go: the search may want any again.
  std::shared_ptr<Program> Known(const std::string& hash) {
    constexpr std::size_t kMost = 512;
    const std::lock_guard lock(mutex_);
    std::erase(recent_, hash);
    recent_.push_back(hash);
    std::shared_ptr<Program>& program = programs_[hash];
    if (!program) program = std::make_shared<Program>();
    const std::shared_ptr<Program> found = program;
    while (recent_.size() > kMost) {
      const auto old = programs_.find(recent_.front());
      if (old->second.use_count() == 1 && old->second->is_made) {
        evaluator_->Discard(old->second->compiled);
      }
      programs_.erase(old);
      recent_.pop_front();
    }
    return found;
  }

  const std::unique_ptr<Subject> subject_;
  const runtime::Candidate root_;
  const int jobs_;
  const StopToken& stop_;
  std::unique_ptr<Evaluator> evaluator_;
  std::optional<std::vector<Contender>> yardsticks_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Program>> programs_;  ///< By the hash of their decisions.
  std::deque<std::string> recent_;                            ///< Those asked for last stand last.
};

/// Tasks, and the threads that do them.
class Desk {
 public:
  Desk(Bench& bench, Voice& voice, StopToken& stop) : bench_(bench), voice_(voice), stop_(stop) {
    const int compilers = bench.compiles_while_measuring() ? bench.jobs() : 0;
    threads_.emplace_back([this, compilers] { Work(compilers == 0, true); });
    for (int i = 0; i < compilers; ++i) threads_.emplace_back([this] { Work(true, false); });
  }
  ~Desk() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Add(PilotTask task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  /// Nobody waits for it any more.
  void Stop(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    std::erase_if(tasks_, [&](const PilotTask& task) { return task.id == id; });
    if (measured_ == id) stop_.StopIn(0);
  }

 private:
  void Work(bool compiles, bool measures) {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto is_mine = [&](const PilotTask& task) {
        return task.mode == PilotMode::kCompile ? compiles : measures;
      };
      std::deque<PilotTask>::iterator mine;
      changed_.wait(lock, [&] {
        mine = std::ranges::find_if(tasks_, is_mine);
        return is_over_ || mine != tasks_.end();
      });
      if (is_over_) return;
      const PilotTask task = std::move(*mine);
      tasks_.erase(mine);
      if (measures) {
        measured_ = task.id;
        stop_.StopIn(std::numeric_limits<double>::infinity());
      }
      lock.unlock();
      const PilotAnswer answer = bench_.Do(task);
      lock.lock();
      if (measures) measured_ = 0;
      voice_.Say(ToMessage(answer));
    }
  }

  Bench& bench_;
  Voice& voice_;
  StopToken& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PilotTask> tasks_;
  std::uint64_t measured_ = 0;  ///< The task that is measured now; 0: none.
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

/// Says that the process is alive, from its beginning to its end.
class Heart {
 public:
  explicit Heart(Voice& voice) : thread_([this, &voice] { Beat(voice); }) {}
  ~Heart() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void Beat(Voice& voice) {
    constexpr auto kEvery = std::chrono::seconds(5);
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      voice.Say(BeatMessage());
      changed_.wait_for(lock, kEvery, [this] { return is_over_; });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

/// The bench, or nothing where there is none: `voice` has said why.
std::unique_ptr<Bench> Begin(const PilotHello& hello, const PilotProcessOptions& options,
                             const StopToken& stop, Voice& voice) {
  PilotReady ready;
  std::unique_ptr<Bench> bench;
  ready.stamp = kernels::BuildStamp();
  if (hello.stamp == ready.stamp) {
    try {
      bench = std::make_unique<Bench>(hello, options, stop);
      ready = bench->Ready();
      ready.stamp = kernels::BuildStamp();
    } catch (const std::exception& error) {
      ready.why = error.what();
    }
  }  // Otherwise nothing else that it says is sure to mean the same; the search refuses it.
  ready.host = HostName();
  voice.Say(ToMessage(ready));
  return bench;
}

}  // namespace

int PilotMain(const PilotProcessOptions& options) {
  StartSupervisor();  // Before there are threads.
  StopToken over(&ListenForSignals());
  StopToken stop(nullptr, &over);  // Of what is measured now, too.
  Voice voice;
  const Heart heart(voice);

  // What arrives while a space is built or something is measured is read at once: the end of the
  // input ends all of it.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<PilotAsked> asked;
  bool is_over = false;
  std::thread reader([&] {
    MessageReader messages;
    std::array<char, 4096> buffer;
    bool has_beat = false;
    while (true) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const double patience = has_beat ? options.silence_s : INFINITY;
      if (DescriptorWait(patience, &over).For({&input, 1}) != DescriptorWait::End::kReady) break;
      const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      messages.Add({buffer.data(), static_cast<std::size_t>(n)});
      const std::lock_guard lock(mutex);
      while (const std::optional<std::string> message = messages.Next()) {
        auto one = ParseAsked(*message);
        if (!one) continue;
        has_beat |= !one->hello && !one->task && !one->stop;
        asked.push_back(*std::move(one));
      }
      changed.notify_all();
    }
    over.Stop();
    const std::lock_guard lock(mutex);
    is_over = true;
    changed.notify_all();
  });

  std::unique_ptr<Bench> bench;
  std::unique_ptr<Desk> desk;
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_over || !asked.empty(); });
    if (is_over) break;
    const PilotAsked one = std::move(asked.front());
    asked.pop_front();
    lock.unlock();
    if (one.hello && !bench) {
      bench = Begin(*one.hello, options, stop, voice);
      if (bench) desk = std::make_unique<Desk>(*bench, voice, stop);
    }
    if (one.task && desk) desk->Add(*one.task);
    if (one.stop && desk) desk->Stop(*one.stop);
    lock.lock();
  }
  lock.unlock();
  reader.join();
  desk.reset();
  return 0;
}

}  // namespace exh::search
