// SPDX-License-Identifier: MIT
//
// The parameters of a functional program and the mappings of its maps on a GPU, as what is
// searched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "functional/lift/program.h"
#include "functional/lift/tree_file.h"
#include "kernels/devices/workload.h"
#include "kernels/ir/device.h"
#include "models/device_rates.h"
#include "search/functional/mapped_program.h"
#include "search/subject/problem.h"
#include "search/subject/subject.h"

namespace exh::search {

class FunctionalSubject final : public Subject {
 public:
  /// `text`: the program; `given`: its sizes, limits and parameters; `rules`: those of docs/lift.md
  /// that hold. Throws UsageError with the mistakes of the text, when the device is no GPU,
  /// and when it takes more than it may; and Interrupted.
  FunctionalSubject(std::string text, functional::Given given, const lift::Rules& rules,
                    kernels::ir::Device device, const Allowance& allowance = {});
  /// The same again as the header of a run has it. Throws as well when that is no such run.
  static std::unique_ptr<Subject> Of(const RunRecord& run, const Allowance& allowance = {});

  std::string name() const override { return kFunctionalSubject; }
  runtime::Candidate root() const override;
  void Describe(RunRecord& run) const override;
  /// "theta=10", and "A=20,B=10".
  std::string Outline(const runtime::Candidate& implementation) const override;
  kernels::Source Emit(const runtime::Candidate& implementation) const override;
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions& options) const override;
  std::string InWords(const Comparison& comparison) const override;

  /// All results, written at the highest rate that the device may have. Of inputs a program may
  /// leave some out.
  SearchBound Bound(bool is_cold, WhichRates which) const override;
  models::Bound Explain(const runtime::Candidate& candidate, bool is_cold) const override;

  const MappedProgram& mapped() const { return mapped_; }
  const lift::TreeFile& tree() const { return tree_; }
  const kernels::ir::Device* device() const override { return &device_; }
  const lift::Rules& rules() const { return rules_; }

 private:
  std::unique_ptr<const kernels::Workload> MakeWorkload() const;
  /// With these rates of the device.
  models::Bound BoundOfResults(const models::DeviceRates& rates) const;
  /// Values of the parameters that go together; where they are given, those.
  functional::Assignment AnyValues() const;

  const std::string text_;
  const functional::Given given_;
  const lift::Rules rules_;
  const kernels::ir::Device device_;
  const Allowance allowance_;
  const MappedProgram mapped_;
  const lift::TreeFile tree_;
  std::shared_ptr<const runtime::Instance> instance_;
};

}  // namespace exh::search
