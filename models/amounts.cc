// SPDX-License-Identifier: MIT
//
// What the bound counts on its way, as numbers for whoever learns from them. Of an implementation,
// where nothing is open, the least of an amount is the amount.
#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "models/inventory/work_view.h"
#include "models/lower_bound.h"
#include "models/tally.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

constexpr std::size_t kOfNest = 6, kOfAxis = 2;

/// Of all terms of a list.
template <class... Term>
constexpr std::size_t NumNumbers(const std::tuple<Term...>*) {
  return (std::tuple_size_v<decltype(std::declval<const Term&>().Numbers())> + ...);
}
/// Does a model learn from what the term counts of an operand?
template <class Term>
constexpr bool kSaysOfOperand =
    terms::Counts<Term, terms::OperandWork>&&
        std::tuple_size_v<decltype(std::declval<const Term&>().Numbers())> != 0;
/// How many terms say something of operands.
template <class... Term>
constexpr std::size_t NumOfOperand(const std::tuple<Term...>*) {
  return (std::size_t{kSaysOfOperand<Term>} + ...);
}
constexpr const terms::List* kList = nullptr;
constexpr std::size_t kOfAll = 1 + NumNumbers(kList), kOfOperand = NumOfOperand(kList) + 1;
// The first kind of each nest, axis and operand, and that of divided reductions.
constexpr std::size_t kNest = kOfAll, kAxis = kNest + kOfNest, kOperand = kAxis + kOfAxis,
                      kDivision = kOperand + kOfOperand;

}  // namespace

std::size_t LowerBound::num_amounts() const {
  std::size_t count = kOfAll + kOfOperand * inventory_.operands.size();
  count += inventory_.divisions.size();
  for (const Nest& nest : inventory_.nests) count += kOfNest + kOfAxis * nest.axes.size();
  return count;
}

std::vector<std::uint16_t> LowerBound::KindsOfAmounts() const {
  std::vector<std::uint16_t> kinds;
  kinds.reserve(num_amounts());
  const auto put = [&](std::size_t first, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) kinds.push_back(static_cast<std::uint16_t>(first + n));
  };
  put(0, kOfAll);
  for (const Nest& nest : inventory_.nests) {
    put(kNest, kOfNest);
    for (std::size_t axis = 0; axis < nest.axes.size(); ++axis) put(kAxis, kOfAxis);
  }
  for (std::size_t n = 0; n < inventory_.operands.size(); ++n) put(kOperand, kOfOperand);
  for (std::size_t n = 0; n < inventory_.divisions.size(); ++n) put(kDivision, 1);
  EXH_CHECK(kinds.size() == num_amounts());
  return kinds;
}

std::size_t LowerBound::NumKindsOfAmounts() {
  return kDivision + 1;
}

double LowerBound::Amounts(const Domains& domains, std::span<double> amounts) const {
  EXH_CHECK(amounts.size() == num_amounts());
  const WorkView view(inventory_, domains);
  Tally tally(view);
  const double throughput = tally.CountThroughput();
  const double ns = std::max(throughput, tally.CountWaits());
  std::size_t next = 0;
  const auto put = [&](auto... numbers) { ((amounts[next++] = numbers), ...); };
  put(ns);
  for (const terms::Group group : terms::kGroups) {
    terms::ForEach(tally.terms(), [&](const auto& term) {
      if (term.kGroup != group) return;
      for (const double number : term.Numbers()) put(number);
    });
  }
  for (std::size_t i = 0; i < inventory_.nests.size(); ++i) {
    const Nest& nest = inventory_.nests[i];
    if (!view.TakesPart(nest)) {
      for (std::size_t n = kOfNest + kOfAxis * nest.axes.size(); n > 0; --n) put(0.0);
      continue;
    }
    const Work& work = view.work(i);
    const Rounds rounds = RoundsOf(nest, domains, inventory_.function.device.max_threads);
    put(work.min_threads, work.waste, view.WidthOf(nest), rounds.least, rounds.most_copies,
        Accumulators(inventory_.function.inst(nest.inst), domains));
    for (std::size_t axis = 0; axis < nest.axes.size(); ++axis) {
      put(work.serial_min[axis], work.block_max[axis]);
    }
  }
  for (const OperandRead& read : inventory_.operands) {
    const terms::OperandWork operand(view, read);
    terms::ForEach(tally.terms(), [&]<class Term>(const Term& term) {
      if constexpr (kSaysOfOperand<Term>) put(term.Of(operand));
    });
    const bool is_staged =
        read.block.valid() && domains.blocks[read.block.index()].presence == Presence::kCertain;
    put(is_staged ? StoredElements(inventory_.function, domains, read.block) : 0);
  }
  for (const Division& division : inventory_.divisions) put(view.PartialResults(division));
  EXH_CHECK(next == amounts.size());
  return ns;
}

}  // namespace exh::models
