// SPDX-License-Identifier: MIT
//
// The way through an inventory: each thing is made once, and shown to the terms that count it. What
// a term does not ask for is not even compiled.
#include "models/tally.h"

#include <algorithm>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

template <class Term>
constexpr bool kIsWait = Term::kGroup == terms::Group::kWaits;

}  // namespace

Tally::Tally(const WorkView& view, Parts* parts) : view_(view) {
  if (parts == nullptr) return;
  auto part = parts->begin();
  terms::ForEach(terms_, [&](auto& term) { term.KeepParts(*part++); });
}

/// What each term counts of `work`, to its sum.
template <class Work>
void Tally::Add(const std::string& what, const Work& work) {
  terms::ForEach(terms_, [&]<class Term>(Term& term) {
    if constexpr (terms::Counts<Term, Work>) term.Add(what, term.Of(work));
  });
}

/// … to what the array takes that is being counted.
template <class Work>
void Tally::Raise(const Work& work) {
  terms::ForEach(terms_, [&]<class Term>(Term& term) {
    if constexpr (terms::Counts<Term, Work>) term.Raise(term.Of(work));
  });
}

/// Shows a thing to the terms that count things of its kind.
template <class Thing>
void Tally::Count(const Thing& thing) {
  terms::ForEach(terms_, [&](auto& term) {
    if constexpr (requires { term.Count(thing); }) term.Count(thing);
  });
}

template <bool is_wait>
double Tally::Longest() const {
  double ns = 0;
  terms::ForEach(terms_, [&]<class Term>(const Term& term) {
    if constexpr (kIsWait<Term> == is_wait) {
      ns = std::max(ns, terms::TimeOf(term, view_));
    }
  });
  return ns;
}

double Tally::CountThroughput() {
  const Inventory& inventory = view_.inventory();
  const DeviceRates& rates = inventory.rates;
  terms::ForEach(terms_, [&](auto& term) {
    if constexpr (requires { term.Begin(view_); }) term.Begin(view_);
  });
  const auto name_of = [&](std::size_t nest) -> const std::string& {
    return inventory.function.inst(inventory.nests[nest].inst).name_;
  };
  const auto is_counted = [&](const OperandRead& read) {
    return view_.IsFenced(read) && view_.IsInAllBlocks(inventory.nests[read.nest]);
  };
  for (const Computation& computation : inventory.computations) {
    if (!view_.IsInAllBlocks(inventory.nests[computation.nest])) continue;
    Add(name_of(computation.nest), terms::ComputationWork(view_, computation));
  }
  for (const ArrayUse& use : inventory.arrays) CountArray(use);
  // What goes through memory is written and read again.
  for (const OperandRead& read : inventory.operands) {
    if (!is_counted(read)) continue;
    const double width = rates.bytes_per_access / read.element_bytes;
    const double lines = read.element_bytes / rates.access_bytes;
    Add(read.what, terms::OperandWork(view_, read));
    // An asynchronous copy is one access, that to the argument.
    if (view_.domains().blocks[read.block.index()].may_be_copied()) continue;
    const double points = std::max(view_.work(read.store).points, view_.Demand(read));
    Add(name_of(read.store),
        terms::AccessWork(view_, read.store, points, width, lines, read.element_bytes));
  }
  CountTemporaries();
  CountPartialResults();
  terms::ForEach(terms_, [&](auto& term) {
    if constexpr (requires { term.Finish(view_); }) term.Finish(view_);
  });
  return Longest<false>();
}

void Tally::CountArray(const ArrayUse& use) {
  const Inventory& inventory = view_.inventory();
  const DeviceRates& rates = inventory.rates;
  for (const ArrayAccess& access : use.accesses) {
    const Nest& nest = inventory.nests[access.nest];
    if (!view_.IsInAllBlocks(nest)) continue;
    const Work& work = view_.work(access.nest);
    double points = work.points;
    for (const std::size_t number : use.operands) {
      const OperandRead& read = inventory.operands[number];
      if (!view_.IsInAllBlocks(inventory.nests[read.nest])) continue;
      if (read.load == nest.inst) points = std::max(points, view_.Demand(read));
    }
    // Bulk copies are no accesses of threads.
    const bool is_bulk = std::ranges::any_of(use.operands, [&](std::size_t number) {
      const OperandRead& read = inventory.operands[number];
      return read.load == nest.inst && read.block.valid() &&
             view_.domains().blocks[read.block.index()].may_be_bulk();
    });
    if (is_bulk) continue;
    // Where a window may be read, the memory that a block shares has neither lines nor sectors, and
    // of the argument no more is known than that each of its elements comes.
    const bool may_have_window = view_.domains().insts[nest.inst.index()].may_have_window;
    double lines = 0;
    if (rates.access_line_bytes > 0 && !may_have_window) {
      lines =
          1 / access.request.Together(view_.domains(), rates.access_line_bytes / use.element_bytes);
    }
    Raise(terms::ArgumentWork(view_, access.nest, points, view_.WidthOf(nest), lines,
                              use.element_bytes));
    if (rates.cache_bytes_per_clk == 0 || may_have_window) continue;
    const double sector = rates.memory_sector_bytes;
    const double bytes =
        sector / access.request.Together(view_.domains(), sector / use.element_bytes);
    Raise(terms::SectorWork{view_, work, points, bytes});
  }
  for (const std::size_t number : use.operands) {
    const OperandRead& read = inventory.operands[number];
    if (view_.IsFenced(read) || !view_.IsInAllBlocks(inventory.nests[read.nest])) continue;
    Raise(terms::OperandWork(view_, read));
  }
  terms::ForEach(terms_, [&](auto& term) {
    if constexpr (requires { term.Take(use, view_); }) term.Take(use, view_);
  });
}

void Tally::CountTemporaries() {
  const Inventory& inventory = view_.inventory();
  // A processor's threads each have one for all of their blocks.
  if (inventory.rates.unit_blocks == 0) return;
  for (const OperandRead& read : inventory.operands) {
    if (!read.block.valid()) continue;
    const MemDomain& mem = view_.domains().blocks[read.block.index()];
    if (mem.presence != Presence::kCertain || mem.spaces != MemSpace::GLOBAL) continue;
    if (view_.IsInAllBlocks(inventory.nests[read.nest])) Count(terms::TemporaryWork{view_, read});
  }
}

void Tally::CountPartialResults() {
  constexpr AcrossBlocksDomain kByUnits = AcrossBlocks::LAST_BLOCK | AcrossBlocks::SECOND_LAUNCH;
  for (const Division& division : view_.inventory().divisions) {
    const double partial = view_.PartialResults(division);
    if (partial == 0) continue;
    const InstDomain& domain = view_.domains().insts[division.reduction.index()];
    // What blocks of a cluster tell each other passes no cache.
    if (domain.across.Contains(AcrossBlocks::CLUSTER)) continue;
    Count(terms::PartialResults{view_, division, partial * division.element_bytes,
                                domain.across.MustBe(kByUnits)});
  }
}

double Tally::CountWaits() {
  const terms::Thread& thread = std::get<terms::Thread>(terms_);
  terms::ForEach(terms_, [&]<class Term>(Term& term) {
    if constexpr (kIsWait<Term>) term.Finish(view_, thread);
  });
  return Longest<true>();
}

}  // namespace exh::models
