// SPDX-License-Identifier: MIT
#include "search/references.h"

#include <algorithm>

#include "search/parallel.h"

namespace exh::search {

using kernels::Verdict;

std::vector<Contender> CompileYardsticks(Evaluator& evaluator,
                                         const std::vector<Yardstick>& yardsticks, int jobs) {
  std::vector<Contender> contenders(yardsticks.size());
  RunInParallel(yardsticks.size(), jobs, [&](std::size_t index) {
    contenders[index].name = yardsticks[index].name;
    contenders[index].compiled = evaluator.Compile(yardsticks[index].source);
    return true;
  });
  return contenders;
}

std::vector<ReferenceRecord> RecordsOf(const std::vector<Contender>& contenders) {
  std::vector<ReferenceRecord> records;
  for (const Contender& contender : contenders) {
    ReferenceRecord record;
    record.name = contender.name;
    record.verdict = kernels::VerdictName(contender.compiled.verdict);
    record.why = contender.compiled.why;
    records.push_back(record);
  }
  return records;
}

std::vector<ReferenceRecord> MeasureInTurn(Evaluator& evaluator,
                                           const std::vector<Contender>& contenders, int rounds,
                                           const std::function<bool()>& stopped) {
  std::vector<ReferenceRecord> records = RecordsOf(contenders);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t index = 0; index < contenders.size(); ++index) {
      ReferenceRecord& record = records[index];
      if (record.verdict != kernels::VerdictName(Verdict::kCorrect)) continue;
      if (stopped()) {
        if (round == 0) return {};
        return records;
      }
      const kernels::Measurement measured =
          evaluator.Measure(contenders[index].compiled, 0, Effort::kFinal);
      record.verdict = kernels::VerdictName(measured.verdict);
      record.why = measured.why;
      record.runtimes_ns.insert(record.runtimes_ns.end(), measured.runtimes_ns.begin(),
                                measured.runtimes_ns.end());
      record.best_ns =
          record.best_ns == 0 ? measured.best_ns : std::min(record.best_ns, measured.best_ns);
    }
  }
  return records;
}

}  // namespace exh::search
