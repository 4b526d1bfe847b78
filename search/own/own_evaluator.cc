// SPDX-License-Identifier: MIT
#include "search/own/own_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/process.h"
#include "base/system/process_tree.h"
#include "base/system/scratch_folder.h"
#include "base/user_json.h"
#include "search/log/run_folder.h"
#include "search/own/answer.h"
#include "search/own/line_process.h"

namespace exh::search {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Compiled;
using kernels::Measurement;
using kernels::Source;
using kernels::Verdict;

constexpr double kBuildTimeout = 600;
constexpr std::size_t kShown = 1000;  // Bytes of a complaint.

Measurement Failed(Verdict verdict, std::string why) {
  Measurement failed;
  failed.verdict = verdict;
  failed.why = std::move(why);
  return failed;
}

/// The last lines of what a program said against something.
std::string Tail(const std::string& text) {
  const std::string_view trimmed = Trim(text);
  const std::size_t begin = trimmed.size() > kShown ? trimmed.size() - kShown : 0;
  const std::size_t line = begin == 0 ? 0 : trimmed.find('\n', begin) + 1;
  return std::string(trimmed.substr(line));
}

/// Where one implementation is measured after the other.
class Place : public kernels::Lane {
 public:
  explicit Place(int number) : name_(fmt::format("program {}", number)) {}
  std::string name() const override { return name_; }
  Measurement Try(const Compiled& trial, const Cap& cap) override {
    return Measure(trial, cap, Effort::kQuick);
  }

 private:
  const std::string name_;
};

/// What all places have in common.
struct Asking {
  const OwnProgram& program;
  const DecidedValues& values;
  const std::string& folder;  ///< For what has no folder of its own.
  const StopToken* stop;

  const std::string& FolderOf(const Compiled& compiled) const {
    return compiled.library.empty() ? folder : compiled.library;
  }
};

std::string_view EffortName(Effort effort) {
  return effort == Effort::kQuick ? "quick" : "final";
}

/// `--run`: the shell is asked anew for each time.
class RunPlace final : public Place {
 public:
  RunPlace(int number, const Asking& asking) : Place(number), asking_(asking) {}

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    const OwnProgram& program = asking_.program;
    const std::string& folder = asking_.FolderOf(compiled);
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", asking_.values.Filled(program.run, compiled.source, folder)};
    request.environment = asking_.values.EnvironmentOf(compiled.source);
    request.environment.push_back("EXH_DIR=" + folder);
    request.environment.push_back(fmt::format("EXH_EFFORT={}", EffortName(effort)));
    if (cap.ns > 0) request.environment.push_back(fmt::format("EXH_CAP_NS={:.0f}", cap.ns));
    request.timeout_s = program.timeout_s;
    request.stop = asking_.stop;
    const ProcessResult result = RunProcess(request);
    return OfResult(result);
  }

 private:
  Measurement OfResult(const ProcessResult& result) {
    using Status = ProcessResult::Status;
    switch (result.status) {
      case Status::kStopped:
        return Failed(Verdict::kStopped, "");
      case Status::kTimedOut:
        return Failed(Verdict::kTimeout,
                      fmt::format("not through after {:.6g} s", asking_.program.timeout_s));
      case Status::kNotStarted:
        return Failed(Verdict::kBroken, result.error);
      case Status::kSignalled:
        return Failed(IsSentByOthers(result.code) ? Verdict::kBroken : Verdict::kCrash,
                      fmt::format("the program ended with {}", SignalText(result.code)));
      case Status::kExited:
        break;
    }
    if (result.code == 0) return ReadLastLine(result.out, asking_.program.trust_times);
    // So a shell says that there is no such program, or that it cannot be run.
    constexpr int kCannotRun = 126, kNotFound = 127, kSignal = 128;
    const bool is_missing = result.code == kCannotRun || result.code == kNotFound;
    std::string why =
        result.code > kSignal && result.code < kSignal + 64
            ? fmt::format("the program ended with {}", SignalText(result.code - kSignal))
            : fmt::format("the program ended with code {}", result.code);
    if (const std::string said = Tail(result.err); !said.empty()) why += ": " + said;
    return Failed(is_missing ? Verdict::kBroken : Verdict::kCrash, std::move(why));
  }

  const Asking& asking_;
};

/// `--serve`: one process, asked again and again.
class ServePlace final : public Place {
 public:
  ServePlace(int number, const Asking& asking)
      : Place(number),
        asking_(asking),
        process_(asking.program.serve,
                 {"EXH_DIR=" + asking.folder, fmt::format("EXH_SERVER={}", number)}) {}

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    const std::uint64_t id = ++last_id_;
    Json question = {{"v", 1}, {"id", id}, {"decisions", asking_.values.JsonOf(compiled.source)}};
    if (Json sizes = asking_.values.SizesJson(); !sizes.empty()) {
      question["sizes"] = std::move(sizes);
    }
    question["effort"] = EffortName(effort);
    if (cap.ns > 0) question["cap_ns"] = cap.ns;
    const bool was_known = process_.is_running() && process_.has_answered();
    const LineProcess::Reply reply = process_.Ask(question.dump(), asking_.program.timeout_s,
                                                  asking_.stop, [id](const std::string& line) {
                                                    const auto said = IdOf(line);
                                                    return said && *said < id;
                                                  });
    return OfReply(reply, id, was_known);
  }

 private:
  /// What a line says whose answer it is; nothing: it does not say so.
  static std::optional<std::uint64_t> IdOf(const std::string& line) {
    const nlohmann::json json = TryUserJson<nlohmann::json>(line);
    if (!json.is_object()) return std::nullopt;
    const auto found = json.find("id");
    if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
  }

  Measurement OfReply(const LineProcess::Reply& reply, std::uint64_t id, bool was_known) {
    using End = LineProcess::End;
    switch (reply.end) {
      case End::kStopped:
        return Failed(Verdict::kStopped, "");
      case End::kTimedOut:
        return Failed(Verdict::kTimeout, reply.why);
      case End::kFlooded:
        return Failed(Verdict::kCrash, reply.why);
      case End::kNotStarted:
        return Failed(Verdict::kBroken, reply.why);
      case End::kEnded:
        has_lived_ = has_lived_ || was_known;
        return Failed(has_lived_ ? Verdict::kCrash : Verdict::kBroken,
                      has_lived_
                          ? fmt::format("the program {}", reply.why)
                          : fmt::format("the program {}, before it answered anything", reply.why));
      case End::kAnswered:
        break;
    }
    has_lived_ = true;
    if (const auto said = IdOf(reply.line); said && *said != id) {
      process_.Kill();
      return NoAnswer(
          fmt::format("asked {}, the program answered {}, which it was not asked", id, *said));
    }
    return ReadAnswer(reply.line, asking_.program.trust_times);
  }

  const Asking& asking_;
  LineProcess process_;
  std::uint64_t last_id_ = 0;
  bool has_lived_ = false;  ///< It has answered once: what it dies of is an implementation.
};

class OwnEvaluator final : public Evaluator {
 public:
  OwnEvaluator(const OwnProgram& program, const Subject& subject, const DecidedValues& values,
               const OwnPlaces& places, const StopToken* stop)
      : program_(program),
        subject_(subject),
        values_(values),
        stop_(stop),
        folder_(scratch_.path()),
        asking_{program_, values_, folder_, stop} {
    StartSupervisor();  // Before there are threads.
    for (int i = 1; i <= places.measure; ++i) {
      if (program_.serve.empty()) {
        places_.push_back(std::make_unique<RunPlace>(i, asking_));
      } else {
        places_.push_back(std::make_unique<ServePlace>(i, asking_));
      }
    }
    at_ = places_.front().get();
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return subject_.Emit(implementation);
  }

  Compiled Compile(const Source& source) override {
    if (auto refused = kernels::NotCompiled(source)) return *std::move(refused);
    Compiled compiled;
    compiled.source = source.text;
    if (program_.build.empty()) return compiled;
    const std::string key = values_.NamesAny(program_.build)
                                ? values_.Filled(program_.build, source.text, "")
                                : source.text;
    std::promise<Built> promise;
    std::shared_future<Built> built;
    bool is_mine = false;
    {
      const std::lock_guard lock(mutex_);
      const auto [place, is_new] = built_.try_emplace(key);
      if (is_new) place->second = promise.get_future().share();
      built = place->second;
      is_mine = is_new;
    }
    if (is_mine) {
      Built made = Build(key, source.text);
      // What was stopped may be built another time.
      const bool is_final = made.verdict != Verdict::kStopped && made.verdict != Verdict::kBroken;
      promise.set_value(std::move(made));
      if (!is_final) {
        const std::lock_guard lock(mutex_);
        built_.erase(key);
      }
    }
    const Built& made = built.get();
    compiled.verdict = made.verdict;
    compiled.why = made.why;
    compiled.library = made.folder;
    compiled.compile_ms = is_mine ? made.ms : 0;
    return compiled;
  }

  bool compiles_while_measuring() const override { return places_.size() > 1; }
  bool calibrates_lanes() const override { return false; }
  int finalists() const override { return kFinalists; }

  std::vector<kernels::Lane*> lanes() override {
    std::vector<kernels::Lane*> lanes;
    if (places_.size() < 2) return lanes;
    for (const auto& place : places_) lanes.push_back(place.get());
    return lanes;
  }
  void MeasureAt(kernels::Lane& lane) override { at_ = &lane; }
  std::string measures_at() const override { return places_.size() < 2 ? "" : at_->name(); }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return at_->Measure(compiled, cap, effort);
  }

  std::string Conditions() const override {
    return fmt::format("'{}'", program_.serve.empty() ? program_.run : program_.serve);
  }
  std::string YardstickText() const override {
    return Conditions() + (program_.trust_times ? ", whose times are believed unchecked" : "");
  }
  void Discard(const Compiled& /*compiled*/) override {}  // Other implementations share a build.

 private:
  static constexpr int kFinalists = 4;

  struct Built {
    Verdict verdict = Verdict::kCorrect;
    std::string why, folder;
    double ms = 0;
  };

  Built Build(const std::string& key, const std::string& text) {
    Built built;
    built.folder = fmt::format("{}/{:016x}", folder_, Fnv1a64(key));
    try {
      MakeFolder(built.folder);
    } catch (const Error& error) {
      return {Verdict::kBroken, error.what(), "", 0};
    }
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", values_.Filled(program_.build, text, built.folder)};
    request.environment = values_.EnvironmentOf(text);
    request.environment.push_back("EXH_DIR=" + built.folder);
    request.timeout_s = kBuildTimeout;
    request.stop = stop_;
    const ProcessResult result = RunProcess(request);
    built.ms = result.wall_ms;
    using Status = ProcessResult::Status;
    if (result.ok()) return built;
    const std::string said = Tail(result.err.empty() ? result.out : result.err);
    built.verdict = Verdict::kCompileError;
    switch (result.status) {
      case Status::kStopped:
        built.verdict = Verdict::kStopped;
        break;
      case Status::kTimedOut:
        built.verdict = Verdict::kCompileTimeout;
        built.why = fmt::format("the build was not through after {} s", kBuildTimeout);
        break;
      case Status::kNotStarted:
        built.verdict = Verdict::kBroken;
        built.why = result.error;
        break;
      case Status::kSignalled:
        built.why = fmt::format("the build ended with {}", SignalText(result.code));
        break;
      case Status::kExited:
        built.why = said.empty() ? fmt::format("the build ended with code {}", result.code) : said;
        break;
    }
    return built;
  }

  const OwnProgram program_;
  const Subject& subject_;
  const DecidedValues& values_;
  const StopToken* stop_;
  const ScratchFolder scratch_;
  const std::string folder_;
  const Asking asking_;
  std::vector<std::unique_ptr<Place>> places_;
  kernels::Lane* at_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Built>> built_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeOwnEvaluator(const OwnProgram& program, const Subject& subject,
                                            const DecidedValues& values, const OwnPlaces& places,
                                            const StopToken* stop) {
  return std::make_unique<OwnEvaluator>(program, subject, values, places, stop);
}

}  // namespace exh::search
