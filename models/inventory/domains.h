// SPDX-License-Identifier: MIT
//
// Domains: what a partially specified candidate still allows of the choices that the models reason
// about, by object of the backbone, as plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/function.h"
#include "runtime/candidate.h"
#include "spaces/linalg.exh.schedule.h"

namespace exh::models {

using spaces::linalg::AcrossBlocks;
using spaces::linalg::AcrossBlocksDomain;
using spaces::linalg::DimKind;
using spaces::linalg::DimKindDomain;
using spaces::linalg::MemSpace;
using spaces::linalg::MemSpaceDomain;
using spaces::linalg::Transfer;

/// Does an object that lowering plans take part?
enum class Presence : std::uint8_t { kAbsent, kPossible, kCertain };

struct DimDomain {
  std::uint32_t min = 1, max = 1;  ///< Number of iterations.
  std::uint32_t gcd = 1;           ///< Divides every possible number of iterations.
  DimKindDomain kinds = DimKindDomain::All();
  Presence presence = Presence::kCertain;

  bool must_be(DimKindDomain some) const { return kinds.MustBe(some); }
  bool may_be(DimKindDomain some) const { return kinds.MayBe(some); }
};

struct InstDomain {
  std::uint32_t max_width = 1;  ///< Of an access: elements that it may take at once.
  Presence presence = Presence::kCertain;
  /// Of a reduction: how one value is made of what blocks have of it.
  AcrossBlocksDomain across = AcrossBlocks::NOT_ACROSS;
  /// Of a read: it may take its elements from a window, which threads copy together.
  bool may_have_window = false;
  /// Of a product: groups of warps may do it (WGMMA), which take operands out of shared memory.
  bool may_be_of_group = false;
};

struct MemDomain {
  MemSpaceDomain spaces = MemSpaceDomain::All();
  Presence presence = Presence::kPossible;
  std::uint32_t min_stages = 1, max_stages = 1;  ///< Slots.
  bool may_copy = false;  ///< Asynchronous copies may fill it, without registers, …
  bool may_bulk = false;  ///< … bulk copies, too, of which one brings any number of elements.

  /// Slots that it has at most, if it takes part.
  std::uint32_t most_stages() const { return presence == Presence::kAbsent ? 1 : max_stages; }
  bool may_be_copied() const { return presence != Presence::kAbsent && may_copy; }
  bool may_be_bulk() const { return presence != Presence::kAbsent && may_bulk; }
};

/// Of a storage axis of a temporary array: is it stored, or does each of its iterations reuse the
/// array?
struct AxisDomain {
  Presence stored = Presence::kPossible;
};

/// Dims and instructions that are not certain to take part have whatever their decisions would
/// allow. Domains of a child are subsets of its parent's.
struct Domains {
  std::vector<DimDomain> dims;    ///< By DimId.
  std::vector<InstDomain> insts;  ///< By InstId.
  std::vector<MemDomain> blocks;  ///< By MemId.
  std::vector<AxisDomain> axes;   ///< By AxisId.
};

/// The domains of a candidate. `decisions` are those of its instance, which was frozen over
/// `function`. The vectors of `domains` are reused: from the second call on nothing is allocated.
/// Any number of threads may read.
void ReadDomains(const kernels::ir::Function& function, const spaces::linalg::Decisions& decisions,
                 const runtime::Candidate& candidate, Domains& domains);

}  // namespace exh::models
