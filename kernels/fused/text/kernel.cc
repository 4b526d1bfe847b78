// SPDX-License-Identifier: MIT
#include "kernels/fused/text/kernel.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/fused/expression.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/versions.h"
#include "kernels/text/kernel_text.h"

namespace exh::kernels::fused {

std::string KernelTextOf(const Graph& graph, int part) {
  const StatementList list = WrittenOnce(StatementsOf(graph));
  derived::Expression expression = ExpressionOf(list);
  text::Shapes shapes;
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    const StatementTensor& tensor = list.tensors[i];
    std::string name = tensor.name;  // Names of tensors need not be unique.
    while (shapes.count(name) != 0) name += "_";
    shapes[name] = tensor.shape;
    expression.arrays[i].name = std::move(name);
  }
  const std::size_t count = graph.operations.size();
  const std::string doc =
      fmt::format("a fused operator of {} operation{}", count, count == 1 ? "" : "s");
  return text::KernelText(std::move(expression), shapes, {list.name, doc, part});
}

}  // namespace exh::kernels::fused
