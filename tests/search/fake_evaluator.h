// SPDX-License-Identifier: MIT
//
// An evaluator without a compiler: a time is a function of the source, and the source is the list
// of decisions. Scripts make it fail.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/log/decisions.h"
#include "search/measure/evaluator.h"

namespace exh::search {

inline kernels::Measurement Correct(double ns) {
  kernels::Measurement measurement;
  measurement.verdict = kernels::Verdict::kCorrect;
  measurement.runtimes_ns = {ns * 1.5, ns};
  measurement.best_ns = ns;
  measurement.max_error = 1e-6;
  measurement.max_error_ratio = 0.5;
  return measurement;
}

inline kernels::Measurement Failed(kernels::Verdict verdict, const std::string& why) {
  kernels::Measurement measurement;
  measurement.verdict = verdict;
  measurement.why = why;
  return measurement;
}

class FakeEvaluator final : public Evaluator {
 public:
  /// Given the source, and how often it was measured before.
  std::function<kernels::Measurement(const std::string& source, int before)> measure =
      [](const std::string& source, int) { return Correct(TimeOf(source)); };
  /// The same for an audit, where it is something else.
  std::function<kernels::Measurement(const std::string& source)> audit = nullptr;
  /// Verdict of the compiler.
  std::function<kernels::Verdict(const std::string& source)> compile = [](const std::string&) {
    return kernels::Verdict::kCorrect;
  };
  /// What Emit() makes of the list of decisions.
  std::function<std::string(const std::string&)> emit = [](const std::string& list) {
    return list;
  };

  /// What it says of the time by the number of instructions.
  std::function<double(const std::string& source)> rough_ns = [](const std::string&) { return 0; };
  /// … and by all else that it knows.
  std::function<double(const std::string& source)> guess_ns = [](const std::string&) { return 0; };
  /// What a run takes beside the arrays, which have kArgumentBytes.
  std::function<std::uint64_t(const std::string& source)> workspace_bytes = [](const std::string&) {
    return 0;
  };
  static constexpr std::uint64_t kArgumentBytes = 1000;

  /// Whether compilers run ahead, and which sources are tried first: those for which this is kSlow
  /// end with that. Without a value, a source needs no trial.
  bool ahead = false;
  std::function<std::optional<kernels::Verdict>(const std::string& source)> attempt =
      [](const std::string&) { return std::nullopt; };

  std::atomic<int> compiling = 0, compiled = 0, trials = 0;
  int measured = 0;
  std::atomic<int> discarded = 0;
  bool overlapped = false;  ///< Something was measured while something compiled.
  std::vector<double> caps;
  std::vector<Effort> efforts;
  double first_cap = 0;                ///< As first_cap_ns().
  std::vector<kernels::Lane*> at;      ///< As lanes().
  kernels::Lane* finals_at = nullptr;  ///< As it was told by MeasureAt().

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    const runtime::Instance& instance = implementation.instance();
    std::string list = "// the decisions are the program\n";
    for (runtime::DecisionId id = 0; id < instance.num_decisions(); ++id) {
      const runtime::Action action = instance.IsLong(id)
                                         ? runtime::Action::Take(id, implementation.FirstValue(id))
                                         : runtime::Action(id, implementation.domain(id));
      list += ActionText(instance, action) + "\n";
    }
    kernels::Source source = emit(list);
    source.rough_ns = rough_ns(source.text);
    source.guess_ns = guess_ns(source.text);
    source.argument_bytes = kArgumentBytes;
    source.workspace_bytes = workspace_bytes(source.text);
    if (attempt(source.text)) source.careful = source.text + "careful\n";
    return source;
  }

  kernels::Compiled Compile(const kernels::Source& text) override {
    const std::string& source = text.text;
    ++compiling;
    kernels::Compiled result;
    result.verdict = compile(source);
    if (result.verdict != kernels::Verdict::kCorrect) result.why = "no such luck";
    result.source = source;
    result.compile_ms = 12;
    ++compiled;
    --compiling;
    return result;
  }

  kernels::Compiled CompileTrial(const kernels::Source& source) override {
    kernels::Compiled result;
    result.source = source.text;
    result.compile_ms = 5;
    ++trials;
    return result;
  }

  kernels::Measurement Try(const kernels::Compiled& trial, const kernels::Cap&) override {
    const auto verdict = attempt(trial.source);
    if (verdict == kernels::Verdict::kCorrect) return Correct(1);
    return Failed(verdict.value(), "gave up");
  }

  bool compiles_while_measuring() const override { return ahead; }
  double first_cap_ns() const override { return first_cap; }
  std::vector<kernels::Lane*> lanes() override { return at; }
  void MeasureAt(kernels::Lane& lane) override { finals_at = &lane; }

  kernels::Measurement Measure(const kernels::Compiled& program, const kernels::Cap& cap,
                               Effort effort) override {
    overlapped |= compiling != 0;
    ++measured;
    if (effort == Effort::kAudit && audit) return audit(program.source);
    caps.push_back(cap.ns);
    efforts.push_back(effort);
    return measure(program.source, times_measured_[program.source]++);
  }

  void Discard(const kernels::Compiled&) override { ++discarded; }

  /// Large sizes and a RED `a` are fast; every implementation has another time.
  static double TimeOf(const std::string& source) {
    double ns = 1000;
    for (const char* item : {"a", "b", "c"}) {
      if (source.find(std::string("size(") + item + ")=4") != std::string::npos) ns -= 200;
    }
    if (source.find("color(a)=RED") != std::string::npos) ns -= 100;
    return ns + static_cast<double>(std::hash<std::string>()(source) % 1000) / 100;
  }

 private:
  std::map<std::string, int> times_measured_;
};

}  // namespace exh::search
