// SPDX-License-Identifier: MIT
#include "tests/functional/oracle/calculate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "tests/functional/oracle/compile.h"
#include "tests/functional/oracle/lengths.h"
#include "tests/functional/oracle/steps.h"

namespace exh::functional {
namespace {

using reference::Cell;
using CellsByName = std::map<std::string, std::vector<Cell>>;

std::vector<Cell> CellsOf(const ArrayFacts& input,
                          const std::map<std::string, std::vector<double>>& inputs) {
  const auto found = inputs.find(input.name);
  if (found == inputs.end()) throw Error(fmt::format("input '{}' is missing", input.name));
  if (static_cast<std::int64_t>(found->second.size()) != input.elements) {
    throw Error(fmt::format("input '{}' has {} elements, not {}", input.name, input.elements,
                            found->second.size()));
  }
  std::vector<Cell> cells;
  cells.reserve(found->second.size());
  for (const double value : found->second) cells.push_back({value, 0});
  return cells;
}

std::vector<Cell> RunKernel(reference::Code& code, CellsByName& memory) {
  std::vector<Cell> result(static_cast<std::size_t>(code.result_cells));
  std::vector<Cell*> frame(static_cast<std::size_t>(code.slots));
  frame[reference::Code::kConstants] = code.constants.data();
  frame[reference::Code::kResult] = result.data();
  for (const auto& [name, slot] : code.inputs) {
    frame[static_cast<std::size_t>(slot)] = memory.at(name).data();
  }
  Run(code, std::move(frame));
  return result;
}

Reference ReferenceOf(const std::vector<Cell>& cells) {
  constexpr double kErrors = 4, kLeast = 1e-30;
  Reference reference;
  reference.values.reserve(cells.size());
  reference.tolerances.reserve(cells.size());
  for (const Cell& cell : cells) {
    reference.values.push_back(cell.value);
    const double tolerance = cell.error == 0 ? 0 : kErrors * cell.error + kLeast;
    reference.tolerances.push_back(std::isnan(tolerance) ? std::numeric_limits<double>::infinity()
                                                         : tolerance);
  }
  return reference;
}

}  // namespace

std::vector<Reference> Calculate(const Program& program, const Assignment& parameters,
                                 const std::map<std::string, std::vector<double>>& inputs) {
  CellsByName memory;
  reference::Lengths lengths(program, parameters);
  for (const auto& [name, node] : InputsOf(program)) {
    memory[name] = CellsOf(lengths.FactsOf(name, *node->type), inputs);
  }
  reference::Compiler compiler(lengths);
  std::vector<reference::Code> codes;
  for (const ProgramKernel& kernel : program.kernels) codes.push_back(compiler.Compile(kernel));
  std::vector<Reference> results;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::vector<Cell> result = RunKernel(codes[i], memory);
    results.push_back(ReferenceOf(result));
    for (Cell& cell : result) cell = Stored(cell);
    memory[program.kernels[i].name] = std::move(result);
  }
  return results;
}

}  // namespace exh::functional
