// SPDX-License-Identifier: MIT
#include "functional/code/lowerer.h"

namespace exh::functional {
namespace {

/// Iterations of loops over private arrays: a compiler unrolls more than it is asked to.
constexpr std::int64_t kMostCopied = 256;

}  // namespace

WorkLoops Lowerer::LoopsAround() const {
  WorkLoops all;
  for (const Loop& loop : loops_) {
    WorkLoop work;
    work.variable = loop.variable.number;
    work.elements = loop.total;
    work.rounds = static_cast<double>((loop.total + loop.count - 1) / loop.count);
    if (loop.code / 10 == 1 || loop.code / 10 == 3) work.dimension = loop.code % 10;
    work.is_unrolled =
        loop.total <= kMostCopied && state_.indexes_private.contains(loop.variable.number);
    all.push_back(std::move(work));
  }
  return all;
}

void Lowerer::CountAccess(const Place& place, bool is_write) {
  if (place.leaf->space == MemorySpace::kPrivate) return;
  if (place.leaf->space == MemorySpace::kGlobal) state_.globals.insert(place.leaf->name);
  const WorkLoops loops = LoopsAround();
  // Four lanes, lowered twice, make one access.
  const double share = vectors_ == nullptr ? 1 : 1.0 / (2 * Vectors::kLanes);
  const double times = share * (is_write ? TimesOf(loops) : TimesOf(loops, place.address));
  GpuWork& work = state_.work;
  const double calculated = times / CopiesOf(loops, place.address);
  work.steps += times + calculated * StepsOf(place.address);
  if (place.leaf->space == MemorySpace::kLocal) {
    work.wavefronts += times * WavefrontsOf(loops, threads_, place.address);
    return;
  }
  work.sectors += times * SectorsOf(loops, threads_, place.address);
  if (!is_write) work.reads += calculated;
}

void Lowerer::CountSteps(double steps) {
  const double share = vectors_ == nullptr ? 1 : 0.5;
  state_.work.steps += share * steps * TimesOf(LoopsAround());
}

}  // namespace exh::functional
