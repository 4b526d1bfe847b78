// SPDX-License-Identifier: MIT
#include "search/fused/row_machine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/devices/backend.h"
#include "kernels/devices/workload.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/problem.h"
#include "search/measure/make_evaluator.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::Compiled;
using kernels::Measurement;
using kernels::Source;

/// What the device has before the first operator: an array of one element.
class Nothing final : public kernels::Workload {
 public:
  explicit Nothing(const kernels::ir::Device& device) : device_(device) {}
  const kernels::ir::Device& device() const override { return device_; }
  Source Emit(const runtime::Candidate&) const override { return {}; }
  std::optional<kernels::cpu::MadeProblem> MakeProblem(const kernels::CheckedProblem&,
                                                       const StopToken*) const override {
    const auto zero = std::make_shared<const std::vector<double>>(1, 0);
    kernels::cpu::Problem problem;
    problem.arrays.push_back(
        {.name = "y", .is_output = true, .values = {}, .reference = *zero, .tolerance = *zero});
    return kernels::cpu::MadeProblem{std::move(problem), zero};
  }

 private:
  const kernels::ir::Device& device_;
};

/// The problems of an operator, whose programs the machine is given as sources.
class OperatorWorkload final : public kernels::Workload {
 public:
  OperatorWorkload(const kernels::ir::Device& device, const fused::Graph& graph,
                   const fused::OperatorProgram& program, std::uint64_t seed,
                   std::uint64_t most_bytes)
      : device_(device), graph_(graph), program_(program), seed_(seed), most_bytes_(most_bytes) {}
  const kernels::ir::Device& device() const override { return device_; }
  Source Emit(const runtime::Candidate&) const override { return {}; }
  std::optional<kernels::cpu::MadeProblem> MakeProblem(const kernels::CheckedProblem& one,
                                                       const StopToken* stop) const override {
    return fused::ProblemsOf(graph_, program_, stop, seed_, most_bytes_)(one);
  }

 private:
  const kernels::ir::Device& device_;
  const fused::Graph& graph_;
  const fused::OperatorProgram& program_;
  const std::uint64_t seed_, most_bytes_;
};

class EvaluatorMachine final : public fused::RowMachine {
 public:
  EvaluatorMachine(const kernels::ir::Device& device, const kernels::EvaluatorOptions& options)
      : device_(device),
        dialect_(kernels::BackendOf(device).dialect()),
        jobs_(std::max(1, options.jobs)),
        evaluator_(MakeEvaluator(std::make_unique<Nothing>(device), options)) {}

  Source Text(const fused::OperatorProgram& program,
              const std::vector<fused::NestNode>& nests) const override {
    return fused::Text(program, nests, dialect_);
  }
  double Steps(const fused::OperatorProgram& program,
               const std::vector<fused::NestNode>& nests) const override {
    return fused::Steps(program, nests, dialect_);
  }
  bool has_patches() const override { return fused::HasPatches(dialect_); }

  std::string Begin(const fused::Graph& graph, const fused::OperatorProgram& program,
                    std::uint64_t seed, std::uint64_t most_bytes) override {
    fused::CheckReferenceBytes(program.list, most_bytes);
    return evaluator_->Take(
        std::make_unique<OperatorWorkload>(device_, graph, program, seed, most_bytes));
  }

  int jobs() const override { return evaluator_->compiles_while_measuring() ? jobs_ : 1; }
  Compiled Compile(const Source& source) override { return evaluator_->Compile(source); }
  Measurement Run(const Compiled& compiled, bool is_full) override {
    constexpr double kMostNs = 2e9;  // Schedules of isl are waited for, too.
    return evaluator_->Measure(compiled, {.ns = kMostNs},
                               is_full ? kernels::Effort::kFinal : kernels::Effort::kQuick);
  }
  void Discard(const Compiled& compiled) override { evaluator_->Discard(compiled); }
  double CopyNs(std::uint64_t bytes) override { return evaluator_->CopyNs(bytes); }
  std::string Conditions() const override { return evaluator_->Conditions(); }

 private:
  const kernels::ir::Device& device_;
  const kernels::ir::Dialect dialect_;
  const int jobs_;
  const std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace

std::unique_ptr<fused::RowMachine> MakeRowMachine(const kernels::ir::Device& device,
                                                  const kernels::EvaluatorOptions& options) {
  return std::make_unique<EvaluatorMachine>(device, options);
}

}  // namespace exh::search
