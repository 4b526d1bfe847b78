// SPDX-License-Identifier: MIT
#include "search/measure/finals.h"

#include <algorithm>
#include <chrono>

#include "search/measure/references.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// No round begins later: what the last one takes has to fit as well.
constexpr double kOfWhatIsLeft = 0.7;

bool IsCorrect(const ReferenceRecord& record) {
  return record.verdict == Verdict::kCorrect && !record.runtimes_ns.empty();
}

}  // namespace

int FastestOf(const std::vector<ReferenceRecord>& records) {
  int fastest = -1;
  for (int i = 0; i < static_cast<int>(records.size()); ++i) {
    const ReferenceRecord& record = records[static_cast<std::size_t>(i)];
    if (!IsCorrect(record)) continue;
    if (fastest < 0 || record.median_ns < records[static_cast<std::size_t>(fastest)].median_ns) {
      fastest = i;
    }
  }
  return fastest;
}

std::vector<ReferenceRecord> Finals(Evaluator& evaluator, const std::vector<Contender>& contenders,
                                    const FinalsOptions& options,
                                    const std::function<bool()>& stopped, StopToken* stop) {
  TimeShare share(stop);
  const double seconds = std::min(options.seconds, kOfWhatIsLeft * share.SecondsLeft());
  const auto start = std::chrono::steady_clock::now();
  std::vector<ReferenceRecord> records = RecordsOf(contenders);
  std::vector<bool> is_settled(contenders.size(), false);
  for (int round = 0; round < options.most_rounds; ++round) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (round >= options.least_rounds && spent.count() > seconds) break;
    for (std::size_t index = 0; index < contenders.size(); ++index) {
      ReferenceRecord& record = records[index];
      if (is_settled[index] || record.verdict != Verdict::kCorrect) continue;
      if (stopped()) return round == 0 ? std::vector<ReferenceRecord>{} : records;
      const kernels::Measurement measured = MeasureInShare(evaluator, contenders[index], round == 0,
                                                           contenders.size() - 1 - index, share);
      if (measured.verdict == Verdict::kStopped && round > 0) return records;
      AddRound(measured, record);
    }
    if (round + 1 < options.least_rounds) continue;
    const int fastest = FastestOf(records);
    if (fastest < 0) break;
    bool open = false;
    for (std::size_t index = 0; index < records.size(); ++index) {
      if (static_cast<int>(index) == fastest || !IsCorrect(records[index])) continue;
      is_settled[index] = !Tied(records[index], records[static_cast<std::size_t>(fastest)]);
      open = open || !is_settled[index];
    }
    is_settled[static_cast<std::size_t>(fastest)] = false;
    if (!open) break;
  }
  return records;
}

}  // namespace exh::search
