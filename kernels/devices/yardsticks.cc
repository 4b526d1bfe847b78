// SPDX-License-Identifier: MIT
#include "kernels/devices/yardsticks.h"

#include "base/parallel.h"

namespace exh::kernels {

std::vector<Contender> CompileYardsticks(Evaluator& evaluator,
                                         const std::vector<NamedSource>& yardsticks, int jobs) {
  std::vector<Contender> contenders(yardsticks.size());
  RunInParallel(yardsticks.size(), jobs, [&](std::size_t index) {
    contenders[index].name = yardsticks[index].name;
    contenders[index].workspace_bytes = yardsticks[index].workspace_bytes;
    if (yardsticks[index].verdict == Verdict::kCorrect) {
      contenders[index].compiled = evaluator.Compile(yardsticks[index].source);
    } else {
      contenders[index].compiled.verdict = yardsticks[index].verdict;
      contenders[index].compiled.why = yardsticks[index].why;
    }
    return true;
  });
  return contenders;
}

}  // namespace exh::kernels
