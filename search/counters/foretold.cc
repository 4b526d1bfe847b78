// SPDX-License-Identifier: MIT
#include "search/counters/foretold.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/codegen/plan/processor_counts.h"
#include "kernels/codegen/plan/static_counts.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {
namespace {

using kernels::codegen::ProcessorCount;
using kernels::codegen::StaticCount;

constexpr double kSectorBytes = 32, kLineBytes = 64, kPercent = 100;

void AddBound(const models::Bound& bound, Foretold& foretold) {
  if (bound.ns > 0) foretold.least["ns"] = bound.ns;
  for (const models::BoundTerm& term : bound.terms) {
    // Caches may hold what this term counts otherwise.
    const bool is_of_memory = term.unit.starts_with("bytes of main memory");
    if (term.resource == "memory" && is_of_memory) {
      foretold.least["dram_bytes"] = term.amount;
      foretold.least["last_misses"] = term.amount / kLineBytes;
    }
    if (term.resource == "supply") foretold.least["l2_to_l1_bytes"] = term.amount;
    if (term.resource == "traffic") foretold.least["unit_l2_to_l1_bytes"] = term.amount;
    if (term.resource == "issue") foretold.least["unit_instructions"] = term.amount;
  }
}

/// The amounts of an implementation by their names; without one, of what has no name.
class Amounts {
 public:
  Amounts(const AmountsFunction& amounts, const runtime::Candidate& implementation)
      : names_(amounts.names), values_(amounts.count) {
    amounts.fill(implementation, values_);
  }

  template <typename Count>
  std::optional<double> Of(Count count) const {
    const auto found = std::ranges::find(names_, NameOf(count));
    if (found == names_.end()) return std::nullopt;
    return values_[static_cast<std::size_t>(found - names_.begin())];
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<double> values_;
};

void AddGpu(const Amounts& amounts, double most_warps, Foretold& foretold) {
  const auto add = [&](const char* key, StaticCount count, double scale = 1) {
    if (const auto amount = amounts.Of(count)) foretold.guessed[key] = *amount * scale;
  };
  add("ns", StaticCount::kGuess);
  add("blocks", StaticCount::kBlocks);
  add("waves", StaticCount::kWaves);
  add("registers", StaticCount::kRegisters);
  add("shared_bytes", StaticCount::kShared);
  add("unit_instructions", StaticCount::kIssues);
  add("unit_tensor_instructions", StaticCount::kUnitSteps);
  add("unit_shared_wavefronts", StaticCount::kWavefronts);
  add("unit_shared_conflicts", StaticCount::kConflicts);
  add("unit_l2_to_l1_bytes", StaticCount::kFromL2, kSectorBytes);
  if (most_warps > 0) add("occupancy", StaticCount::kResidentWarps, kPercent / most_warps);
}

/// Counts are of the thread with the most blocks, and counters of all threads.
void AddProcessor(const Amounts& amounts, Foretold& foretold) {
  const auto of = [&](ProcessorCount count) { return amounts.Of(count).value_or(0); };
  foretold.guessed["ns"] = of(ProcessorCount::kGuess);
  const double threads = of(ProcessorCount::kBlocks) / std::max(1.0, of(ProcessorCount::kRounds));
  foretold.guessed["instructions"] =
      threads *
      (of(ProcessorCount::kArithmetic) + of(ProcessorCount::kReads) + of(ProcessorCount::kWrites) +
       of(ProcessorCount::kLoose) + of(ProcessorCount::kTurns) + of(ProcessorCount::kSpilled));
  foretold.guessed["first_misses"] =
      (threads * of(ProcessorCount::kFromSecond) + of(ProcessorCount::kFromBeyond)) / kLineBytes;
}

void AddAmounts(const Subject& subject, const AmountsFunction& amounts,
                const runtime::Candidate& implementation, Foretold& foretold) {
  if (!amounts.fill || amounts.names.empty()) return;
  const Amounts counted(amounts, implementation);
  if (counted.Of(ProcessorCount::kRounds)) return AddProcessor(counted, foretold);
  if (!counted.Of(StaticCount::kResidentWarps)) return;
  double most_warps = 0;
  if (subject.device() != nullptr) {
    if (const auto rates = KnownRates(*subject.device())) most_warps = rates->unit_warps;
  }
  AddGpu(counted, most_warps, foretold);
}

}  // namespace

Foretold ForetoldOf(const Subject& subject, const runtime::Candidate& implementation,
                    bool is_cold) {
  Foretold foretold;
  if (subject.flops() > 0) foretold.guessed["flops"] = subject.flops();
  try {
    AddBound(subject.Explain(implementation, is_cold), foretold);
    const SearchBound bound = subject.Bound(is_cold, WhichRates::kOfThisMachine);
    AddAmounts(subject, bound.amounts, implementation, foretold);
  } catch (const UsageError&) {  // Nothing is known of the device's speed, or of the subject.
  } catch (const Refused&) {     // There is no code to count in.
  }
  return foretold;
}

}  // namespace exh::search
