// SPDX-License-Identifier: MIT
//
// A kernel at given sizes on a device, as what is searched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/subject/problem.h"
#include "search/subject/subject.h"

namespace exh::search {

class KernelSubject final : public Subject {
 public:
  explicit KernelSubject(Problem problem) : problem_(std::move(problem)) {}
  KernelSubject(const KernelSubject&) = delete;
  KernelSubject& operator=(const KernelSubject&) = delete;

  /// The kernel of a logged run.
  static std::unique_ptr<Subject> Of(const RunRecord& run, const Allowance& allowance = {});

  const Problem& problem() const { return problem_; }

  std::string name() const override { return std::string(problem_.kernel->name()); }
  runtime::Candidate root() const override { return problem_.root(); }
  std::string usual_order() const override { return problem_.order(""); }
  void Describe(RunRecord& run) const override;
  std::string Outline(const runtime::Candidate& implementation) const override;
  kernels::Source Emit(const runtime::Candidate& implementation) const override;
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions& options) const override;
  std::string InWords(const Comparison& comparison) const override;
  SearchBound Bound(bool is_cold, WhichRates which) const override;
  BoundFunction BoundUpTo(double enough) const override;
  models::Bound Explain(const runtime::Candidate& candidate, bool is_cold) const override;
  std::string prior_file() const override;
  double flops() const override { return problem_.task.flops; }
  std::vector<kernels::Recipe> Recipes() const override;
  std::vector<std::string> notes() const override;
  const kernels::ir::Device* device() const override { return &problem_.device; }

 private:
  Problem problem_;
};

}  // namespace exh::search
