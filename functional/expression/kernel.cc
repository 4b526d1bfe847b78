// SPDX-License-Identifier: MIT
#include "functional/expression/kernel.h"

#include <utility>

#include "functional/expression/expression.h"
#include "kernels/text/kernel_text.h"

namespace exh::functional {

std::string KernelTextOf(const Program& program, const Assignment& parameters,
                         const std::string& name) {
  kernels::derived::Expression expression = ExpressionOf(program, parameters, Results::kInPlace);
  return kernels::text::KernelText(std::move(expression), ShapesOf(program, parameters),
                                   {name, "a functional program"});
}

}  // namespace exh::functional
