// SPDX-License-Identifier: MIT
#include "search/measure/possible.h"

#include <fmt/format.h>

#include <algorithm>

namespace exh::search {

kernels::Measurement MeasurePossible(Evaluator& evaluator, const kernels::Compiled& compiled,
                                     double least_ns) {
  kernels::Measurement first = evaluator.Measure(compiled, {}, Effort::kFinal);
  if (first.verdict != kernels::Verdict::kCorrect || first.best_ns >= least_ns) return first;
  kernels::Measurement again = evaluator.Measure(compiled, {}, Effort::kFinal);
  if (again.verdict != kernels::Verdict::kCorrect || again.best_ns >= least_ns) return again;
  again.verdict = kernels::Verdict::kImpossible;
  again.why = fmt::format("{:.4g} ns, twice, and its bound is {:.4g} ns",
                          std::max(first.best_ns, again.best_ns), least_ns);
  return again;
}

}  // namespace exh::search
