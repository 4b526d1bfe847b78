// SPDX-License-Identifier: MIT
//
// A fused operator on a device, as what is searched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/devices/workload.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/fused/space/mapping_space.h"
#include "kernels/ir/device.h"
#include "search/subject/problem.h"
#include "search/subject/subject.h"

namespace exh::search {

/// What moving so many bytes takes at least, at the highest rates that a device may have: through
/// its cores, and what no cache holds through memory. Throws UsageError when nothing is known of
/// the device's rates.
models::Bound BoundOfBytes(const kernels::ir::Device& device, std::uint64_t bytes,
                           WhichRates which = WhichRates::kOfThisMachine);

class FusedSubject final : public Subject {
 public:
  /// `text`: the operator as JSON. `leaves`: schedules of the tree beside the first. Throws
  /// UsageError with the mistakes of the text and when it takes more than it may, Error when it
  /// cannot be scheduled, and Interrupted.
  FusedSubject(std::string text, kernels::ir::Device device, int leaves,
               const Allowance& allowance = {});
  /// The same again as the header of a run has it. Throws as well when that is no such run.
  static std::unique_ptr<Subject> Of(const RunRecord& run, const Allowance& allowance = {});

  std::string name() const override { return kFusedSubject; }
  runtime::Candidate root() const override;
  void Describe(RunRecord& run) const override;
  std::string Outline(const runtime::Candidate& implementation) const override;
  kernels::Source Emit(const runtime::Candidate& implementation) const override;
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions& options) const override;
  std::string InWords(const Comparison& comparison) const override;
  /// The bytes that every implementation moves, at the highest rate that the device may have.
  SearchBound Bound(bool is_cold, WhichRates which) const override;
  models::Bound Explain(const runtime::Candidate& candidate, bool is_cold) const override;
  std::vector<kernels::Recipe> Recipes() const override { return space_.Recipes(); }

  const kernels::ir::Device* device() const override { return &device_; }

 private:
  std::unique_ptr<const kernels::Workload> MakeWorkload() const;
  const std::string text_;
  const kernels::fused::Graph graph_;
  const kernels::ir::Device device_;
  const int leaves_;
  const Allowance allowance_;
  const kernels::fused::OperatorProgram program_;
  const kernels::fused::Schedules schedules_;
  const kernels::fused::MappingSpace space_;
};

}  // namespace exh::search
