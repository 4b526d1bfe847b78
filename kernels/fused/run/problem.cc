// SPDX-License-Identifier: MIT
#include "kernels/fused/run/problem.h"

#include <utility>

#include "kernels/fused/code/code.h"
#include "kernels/fused/inputs.h"

namespace exh::kernels::fused {

std::uint64_t CompulsoryBytes(const Program& program) {
  std::uint64_t bytes = 0;
  for (const int argument : ArgumentsOf(program)) {
    const StatementTensor& tensor = program.list.tensor(argument);
    bytes += static_cast<std::uint64_t>(tensor.elements()) * tensor.element_bytes;
  }
  return bytes;
}

OperatorProblem::OperatorProblem(const Graph& graph, const Program& program, std::uint64_t seed,
                                 std::uint64_t most_bytes, const StopToken* stop)
    : compulsory_bytes_(CompulsoryBytes(program)) {
  CheckReferenceBytes(program.list, most_bytes);
  std::vector<std::vector<double>> inputs = DrawInputs(graph, seed, stop);
  inputs.resize(program.list.tensors.size());
  std::vector<TensorValues> expected = Evaluate(program.list, inputs, most_bytes, stop);
  for (const int index : ArgumentsOf(program)) {
    const auto at = static_cast<std::size_t>(index);
    const StatementTensor& tensor = program.list.tensors[at];
    Argument argument{tensor.name, tensor.type, tensor.is_result(), {}, {}};
    if (argument.is_output) {
      argument.expected = std::move(expected[at]);
    } else {
      argument.values = ir::Elements(tensor.type, inputs[at].size());
      for (std::size_t i = 0; i < inputs[at].size(); ++i) argument.values.Set(i, inputs[at][i]);
    }
    arguments_.push_back(std::move(argument));
  }
}

cpu::Problem OperatorProblem::View() const {
  cpu::Problem problem;
  for (const Argument& argument : arguments_) {
    problem.arrays.push_back({argument.name, argument.is_output, argument.type,
                              argument.values.bytes(), argument.expected.values,
                              argument.expected.tolerance});
  }
  return problem;
}

}  // namespace exh::kernels::fused
