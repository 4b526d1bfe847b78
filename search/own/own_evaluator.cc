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
  bool is_gpu = false;

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
  ServePlace(int number, const Asking& asking, const std::string& command)
      : Place(number),
        asking_(asking),
        process_(command, {"EXH_DIR=" + asking.folder, fmt::format("EXH_SERVER={}", number)}) {}

  /// Starts the program of a kernel, which may take longer than an answer. Empty, or why it is of
  /// no use. `name`: what it calls itself.
  std::string Begin(std::string* name) {
    const std::uint64_t id = ++last_id_;
    const double limit_s = std::max(kBeginSeconds, asking_.program.timeout_s);
    const LineProcess::Reply reply = process_.Ask(Json{{"id", id}, {"begin", true}}.dump(), limit_s,
                                                  asking_.stop, OlderThan(id));
    if (reply.end != LineProcess::End::kAnswered) {
      return fmt::format("what measures the kernel did not begin: {}", reply.why);
    }
    const Json answer = TryUserJson<Json>(reply.line);
    if (!answer.is_object() || !answer.contains("ready")) {
      process_.Kill();
      return answer.is_object() ? answer.value("problem", "it gave no answer") : "no answer";
    }
    has_lived_ = true;
    if (name != nullptr) *name = answer.value("ready", "");
    return "";
  }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    if (asking_.is_gpu && !process_.is_running()) {
      std::string why = Begin(nullptr);
      if (IsStopped(asking_.stop)) return Failed(Verdict::kStopped, "");
      if (!why.empty()) return Failed(Verdict::kBroken, std::move(why));
    }
    const std::uint64_t id = ++last_id_;
    Json question = {{"v", 1}, {"id", id}, {"decisions", asking_.values.JsonOf(compiled.source)}};
    if (Json sizes = asking_.values.SizesJson(); !sizes.empty()) {
      question["sizes"] = std::move(sizes);
    }
    question["effort"] = EffortName(effort);
    if (cap.ns > 0) question["cap_ns"] = cap.ns;
    if (asking_.is_gpu) {
      question["cubin"] = compiled.library;
      question["launch"] = OwnKernel::LaunchOf(compiled.source);
    }
    const bool was_known = process_.is_running() && process_.has_answered();
    const LineProcess::Reply reply =
        process_.Ask(question.dump(), asking_.program.timeout_s, asking_.stop, OlderThan(id));
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

  static LineProcess::IsOld OlderThan(std::uint64_t id) {
    return [id](const std::string& line) {
      const auto said = IdOf(line);
      return said && *said < id;
    };
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
    if (asking_.is_gpu) {
      const Json answer = TryUserJson<Json>(reply.line);
      if (answer.is_object() && answer.value("ends", false)) process_.Kill();
      if (answer.is_object() && answer.contains("problem")) {
        return NoAnswer(answer["problem"].get<std::string>());
      }
    }
    return ReadAnswer(reply.line, asking_.program.trust_times);
  }

  static constexpr double kBeginSeconds = 120;

  const Asking& asking_;
  LineProcess process_;
  std::uint64_t last_id_ = 0;
  bool has_lived_ = false;  ///< It has answered once: what it dies of is an implementation.
};

class OwnEvaluator final : public Evaluator {
 public:
  OwnEvaluator(const OwnProgram& program, const Subject& subject, const DecidedValues& values,
               const OwnPlaces& places, const StopToken* stop, OwnGpu gpu)
      : program_(program),
        gpu_(std::move(gpu)),
        subject_(subject),
        values_(values),
        stop_(stop),
        folder_(scratch_.path()),
        asking_{program_, values_, folder_, stop, gpu_.kernel != nullptr} {
    StartSupervisor();  // Before there are threads.
    if (gpu_.kernel != nullptr) {
      auto place = std::make_unique<ServePlace>(1, asking_, gpu_.bench->command());
      const std::string why = place->Begin(&measures_on_);
      if (IsStopped(stop)) throw Interrupted("stopped before the GPU was ready");
      if (!why.empty()) throw Error(fmt::format("{}: {}", gpu_.kernel->name(), why));
      places_.push_back(std::move(place));
      at_ = places_.front().get();
      return;
    }
    for (int i = 1; i <= places.measure; ++i) {
      if (program_.serve.empty()) {
        places_.push_back(std::make_unique<RunPlace>(i, asking_));
      } else {
        places_.push_back(std::make_unique<ServePlace>(i, asking_, program_.serve));
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
    if (gpu_.kernel != nullptr) {
      compiled = gpu_.bench->Compile(gpu_.kernel->DefinesOf(source.text));
      compiled.source = source.text;
      return compiled;
    }
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

  bool compiles_while_measuring() const override {
    return places_.size() > 1 || gpu_.kernel != nullptr;
  }
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
    if (compiled.verdict != Verdict::kCorrect) return Failed(compiled.verdict, compiled.why);
    return at_->Measure(compiled, cap, effort);
  }

  std::string Conditions() const override {
    if (gpu_.kernel != nullptr) return measures_on_;
    return fmt::format("'{}'", program_.serve.empty() ? program_.run : program_.serve);
  }
  std::string YardstickText() const override {
    return Conditions() + (program_.trust_times ? ", whose times are believed unchecked" : "");
  }
  void Discard(const Compiled& compiled) override {
    // Other implementations share a build.
    if (gpu_.kernel != nullptr) gpu_.bench->Discard(compiled);
  }

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
  const OwnGpu gpu_;
  std::string measures_on_;
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
                                            const StopToken* stop, OwnGpu gpu) {
  return std::make_unique<OwnEvaluator>(program, subject, values, places, stop, std::move(gpu));
}

}  // namespace exh::search
