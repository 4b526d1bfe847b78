// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/registry.h"
#include "search/subject/subject.h"
#include "tests/search/fake_evaluator.h"
#include "tests/search/toy_space.h"

namespace exh::search {

/// The toy space with a function of the decisions as its time. EXH_TOY_MS in the environment says
/// how many milliseconds each measurement takes.
class ToySubject final : public Subject {
 public:
  static std::unique_ptr<Subject> Of(const RunRecord&, const Allowance&) {
    return std::make_unique<ToySubject>();
  }
  std::string name() const override { return "toy"; }
  runtime::Candidate root() const override { return ToyRoot(); }
  void Describe(RunRecord& run) const override {
    run.subject = run.kernel = "toy";
    run.device = "nowhere";
  }
  std::string Outline(const runtime::Candidate&) const override { return "one loop\n"; }
  kernels::Source Emit(const runtime::Candidate& implementation) const override {
    return FakeEvaluator().Emit(implementation);
  }
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions&) const override {
    auto evaluator = std::make_unique<FakeEvaluator>();
    const char* const text = std::getenv("EXH_TOY_MS");
    const std::chrono::milliseconds takes(text != nullptr ? std::atoi(text) : 0);
    evaluator->measure = [takes](const std::string& source, int) {
      std::this_thread::sleep_for(takes);
      return Correct(FakeEvaluator::TimeOf(source));
    };
    return evaluator;
  }
  std::string InWords(const Comparison& comparison) const override {
    return ComparisonText(comparison.records);
  }
};

}  // namespace exh::search
