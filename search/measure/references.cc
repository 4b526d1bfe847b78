// SPDX-License-Identifier: MIT
#include "search/measure/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/trace/trace.h"
#include "search/measure/race/median_interval.h"

namespace exh::search {

using kernels::Verdict;
using Clock = StopToken::Clock;
using Seconds = std::chrono::duration<double>;

TimeShare::TimeShare(StopToken* stop) : stop_(stop) {
  if (stop_ == nullptr) return;
  const double left = stop_->SecondsLeft();
  has_end_ = std::isfinite(left);
  if (!has_end_) return;
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(left));
}

double TimeShare::SecondsLeft() const {
  if (!has_end_) return std::numeric_limits<double>::infinity();
  return std::max(0.0, Seconds(end_ - Clock::now()).count());
}

double TimeShare::Take(double part) {
  if (!has_end_) return std::numeric_limits<double>::infinity();
  const double left = SecondsLeft();
  if (part < 1) {
    stop_->StopIn(part * left);
  } else {
    stop_->StopAt(end_);
  }
  return part * left;
}

std::vector<ReferenceRecord> RecordsOf(const std::vector<Contender>& contenders) {
  std::vector<ReferenceRecord> records;
  for (const Contender& contender : contenders) {
    ReferenceRecord record;
    record.name = contender.name;
    record.workspace_bytes = contender.workspace_bytes;
    const auto& gpu = contender.compiled.gpu;
    if (gpu) record.workspace_bytes += gpu->launch.scratch_bytes();
    record.verdict = contender.compiled.verdict;
    record.why = contender.compiled.verdict == Verdict::kStopped
                     ? "its compiler did not end within what was left of the budget"
                     : contender.compiled.why;
    records.push_back(record);
  }
  return records;
}

void AddRound(const kernels::Measurement& measured, ReferenceRecord& record) {
  record.verdict = measured.verdict;
  record.why = measured.why;
  if (measured.verdict != Verdict::kCorrect || measured.runtimes_ns.empty()) return;
  record.runtimes_ns.push_back(IntervalOfMedian(measured.runtimes_ns).median);
  record.best_ns =
      record.best_ns == 0 ? measured.best_ns : std::min(record.best_ns, measured.best_ns);
  for (const double clock : measured.clocks_mhz) {
    record.clock_mhz = record.clock_mhz == 0 ? clock : std::min(record.clock_mhz, clock);
  }
  const MedianInterval interval = IntervalOfMedian(record.runtimes_ns);
  record.lo_ns = interval.lo;
  record.median_ns = interval.median;
  record.hi_ns = interval.hi;
}

kernels::Measurement MeasureInShare(Evaluator& evaluator, const Contender& contender,
                                    bool is_first_round, std::size_t others, TimeShare& share) {
  const TraceTime begin = TraceNow();
  const double seconds = share.Take(is_first_round ? 1 / static_cast<double>(1 + others) : 1);
  kernels::Measurement measured = evaluator.Measure(contender.compiled, {}, Effort::kFinal);
  share.Take(1);
  TraceSpan(contender.name, begin,
            {{"verdict", kernels::VerdictName(measured.verdict)}, {"ns", measured.best_ns}});
  if (measured.verdict == Verdict::kStopped) {
    measured.why =
        fmt::format("it takes longer than its share of what was left, {:.1f} s", seconds);
  }
  return measured;
}

std::vector<ReferenceRecord> MeasureInTurn(Evaluator& evaluator,
                                           const std::vector<Contender>& contenders, int rounds,
                                           const std::function<bool()>& stopped, StopToken* stop) {
  TimeShare share(stop);
  std::vector<ReferenceRecord> records = RecordsOf(contenders);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t index = 0; index < contenders.size(); ++index) {
      ReferenceRecord& record = records[index];
      if (record.verdict != Verdict::kCorrect) continue;
      if (stopped()) {
        if (round == 0) return {};
        return records;
      }
      const kernels::Measurement measured = MeasureInShare(evaluator, contenders[index], round == 0,
                                                           contenders.size() - 1 - index, share);
      if (measured.verdict == Verdict::kStopped && round > 0) return records;
      record.verdict = measured.verdict;
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
