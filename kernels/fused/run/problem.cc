// SPDX-License-Identifier: MIT
#include "kernels/fused/run/problem.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/most_exact.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/inputs.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::fused {
namespace {

using Values = std::vector<std::vector<double>>;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// Inputs, and what comes of them.
struct Evaluated {
  Values inputs;
  std::vector<ArrayData> values;
};

/// Draws inputs of a kind and evaluates them.
class Drawing {
 public:
  Drawing(const Graph& graph, const OperatorProgram& program, std::uint64_t seed,
          std::uint64_t most_bytes, const StopToken* stop)
      : graph_(graph), list_(program.list), seed_(seed), most_bytes_(most_bytes), stop_(stop) {}

  Evaluated Of(Inputs kind) const {
    switch (kind) {
      case Inputs::kUniform:
        break;
      case Inputs::kWholeNumbers:
        return WholeNumbers(seed_);
      case Inputs::kSpecial:
        return Special();
    }
    return Of(DrawInputs(graph_, seed_, stop_));
  }

 private:
  Evaluated Of(Values inputs) const {
    inputs.resize(list_.tensors.size());
    std::vector<ArrayData> values = Evaluate(list_, inputs, most_bytes_, stop_);
    return {std::move(inputs), std::move(values)};
  }

  /// Sums of whole numbers are rounded in one direction for long: limits of the mean are of
  /// roundings at random.
  Evaluated OfWhole(Values inputs) const {
    Evaluated one = Of(std::move(inputs));
    for (ArrayData& of : one.values) of.rms_limit = 1;
    return one;
  }

  /// The largest with which all results are numbers, and all of them exact, or as many as may be.
  Evaluated WholeNumbers(std::uint64_t seed) const {
    const bool may_be_exact = std::ranges::all_of(list_.statements, [](const Statement& of) {
      return std::ranges::all_of(of.steps, [](const Step& step) {
        return step.what != Step::What::kCompute || ir::InfoOf(step.op).keeps_whole;
      });
    });
    const auto draw = [&](const WholeRange& range) -> std::optional<Evaluated> {
      Evaluated one = OfWhole(DrawWholeInputs(graph_, list_, seed, range, stop_));
      if (!IsKnown(one.values) || !AreNumbers(one.values)) return std::nullopt;
      return one;
    };
    auto best = derived::MostExact(Ranges(), draw, [&](const Evaluated& one) {
      return may_be_exact ? ShareOfExact(one.values) : 1;
    });
    if (best) return *std::move(best);
    // Nothing of that has a meaning here: other numbers.
    constexpr std::uint64_t kOther = 1000;
    return Of(DrawInputs(graph_, seed + kOther, stop_));
  }

  std::vector<WholeRange> Ranges() const {
    // Products of two of twelve bits are exact in f32.
    constexpr int kLarge = 4095, kSummed = 8;
    const std::vector<WholeRange> all = {{kLarge, kSummed, true},
                                         {kSummed, kSummed, true},
                                         {kLarge, kSummed, false},
                                         {kSummed, kSummed, false},
                                         {3, 3, false},
                                         {1, 1, false}};
    const bool has_integers = std::ranges::any_of(graph_.inputs, [&](int input) {
      return ir::InfoOf(graph_.tensor(input).type).is_integer();
    });
    std::vector<WholeRange> ranges;
    for (const WholeRange& range : all) {
      if (has_integers || !range.wide_integers) ranges.push_back(range);
    }
    return ranges;
  }

  Evaluated Special() const {
    for (const SpecialKinds kinds : {SpecialKinds::kAll, SpecialKinds::kNotFinite}) {
      for (const int range : {8, 1}) {
        Values inputs = DrawWholeInputs(graph_, list_, seed_, {range, range, false}, stop_);
        if (!MakeInputsSpecial(graph_, list_, seed_, kinds, inputs)) break;
        Evaluated one = OfWhole(std::move(inputs));
        if (!IsKnown(one.values)) continue;
        DistinguishZeros(one.values);
        return one;
      }
    }
    constexpr std::uint64_t kOther = 2000;
    return WholeNumbers(seed_ + kOther);
  }

  /// The signs of zeros are what the operations say; but which of two zeros is the larger one
  /// nobody does, and sums begin with one.
  void DistinguishZeros(std::vector<ArrayData>& values) const {
    const bool is_open = std::ranges::any_of(list_.statements, [](const Statement& of) {
      return of.reduces || std::ranges::any_of(of.steps, [](const Step& step) {
               return step.what == Step::What::kCompute &&
                      (step.op == ir::Op::kMin || step.op == ir::Op::kMax);
             });
    });
    if (is_open) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!ir::IsFloat(list_.tensors[i].type)) continue;
      for (std::size_t j = 0; j < values[i].reference.size(); ++j) {
        if (values[i].reference[j] == 0 && values[i].tolerance[j] == 0) {
          values[i].tolerance[j] = cpu::kSameBits;
        }
      }
    }
  }

  /// Calls `visit` with the values of each result, and says whether it was true of all.
  template <typename Visit>
  bool OfResults(const std::vector<ArrayData>& values, const Visit& visit) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (list_.tensors[i].is_result() && !visit(values[i])) return false;
    }
    return true;
  }
  bool IsKnown(const std::vector<ArrayData>& values) const {
    return OfResults(values, [](const ArrayData& of) { return of.is_known; });
  }
  bool AreNumbers(const std::vector<ArrayData>& values) const {
    return OfResults(values, [](const ArrayData& of) {
      return std::ranges::all_of(of.reference, [](double value) { return std::isfinite(value); });
    });
  }
  double ShareOfExact(const std::vector<ArrayData>& values) const {
    double exact = 0, all = 0;
    OfResults(values, [&](const ArrayData& of) {
      all += static_cast<double>(of.tolerance.size());
      exact += static_cast<double>(std::ranges::count(of.tolerance, 0));
      return true;
    });
    return all == 0 ? 1 : exact / all;
  }

  const Graph& graph_;
  const StatementList& list_;
  const std::uint64_t seed_;
  const std::uint64_t most_bytes_;
  const StopToken* const stop_;
};

std::uint64_t SeedOf(const CheckedProblem& one, std::uint64_t seed) {
  return one.seed - kTimedSeed + seed;
}

}  // namespace

std::uint64_t CompulsoryBytes(const OperatorProgram& program) {
  std::uint64_t bytes = 0;
  for (const int argument : ArgumentsOf(program)) {
    const StatementTensor& tensor = program.list.tensor(argument);
    bytes += static_cast<std::uint64_t>(tensor.elements()) * tensor.element_bytes;
  }
  return bytes;
}

OperatorProblem::OperatorProblem(const Graph& graph, const OperatorProgram& program,
                                 std::uint64_t seed, std::uint64_t most_bytes,
                                 const StopToken* stop, Inputs inputs)
    : compulsory_bytes_(CompulsoryBytes(program)) {
  CheckReferenceBytes(program.list, most_bytes);
  Evaluated of = Drawing(graph, program, seed, most_bytes, stop).Of(inputs);
  for (const int index : ArgumentsOf(program)) {
    const StatementTensor& tensor = program.list.tensor(index);
    Argument argument{tensor.name, tensor.type, tensor.is_result(), {}};
    if (argument.is_output) {
      argument.data = std::move(of.values[At(index)]);
    } else {
      argument.data.values = ElementsOf(tensor.type, of.inputs[At(index)]);
    }
    arguments_.push_back(std::move(argument));
  }
}

cpu::Problem OperatorProblem::View() const {
  cpu::Problem problem;
  for (const Argument& argument : arguments_) {
    const ArrayData& data = argument.data;
    problem.arrays.push_back({argument.name, argument.is_output, argument.type, data.values.bytes(),
                              data.reference, data.tolerance, data.rms_limit, data.whole});
  }
  return problem;
}

cpu::ProblemBench::Make ProblemsOf(const Graph& graph, const OperatorProgram& program,
                                   const StopToken* stop, std::uint64_t seed,
                                   std::uint64_t most_bytes) {
  return [&graph, &program, stop, seed,
          most_bytes](const CheckedProblem& one) -> std::optional<cpu::MadeProblem> {
    try {
      auto made = std::make_shared<const OperatorProblem>(graph, program, SeedOf(one, seed),
                                                          most_bytes, stop, one.inputs);
      return cpu::MadeProblem{made->View(), made};
    } catch (const Interrupted&) {
      return std::nullopt;
    }
  };
}

}  // namespace exh::kernels::fused
