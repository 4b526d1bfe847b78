// SPDX-License-Identifier: MIT
//
// Domains: what a partially specified candidate still allows, by object of the backbone, as plain
// data. What the models reason about; a DomainReader (kernels/kernel_space.h) fills it.
#pragma once

#include <cstdint>
#include <vector>

namespace exh::kernels::ir {

/// Sets of kinds of a dimension: which it may still become.
using Kinds = std::uint8_t;
inline constexpr Kinds kLoop = 1, kUnroll = 2, kVector = 4, kThread = 8, kBlock = 16;
inline constexpr Kinds kAllKinds = kLoop | kUnroll | kVector | kThread | kBlock;

/// Sets of places of a temporary array.
using MemSpaces = std::uint8_t;
inline constexpr MemSpaces kGlobalSpace = 1, kSharedSpace = 2;

/// Does an object that lowering plans take part?
enum class Presence : std::uint8_t { kAbsent, kPossible, kCertain };

struct DimDomain {
  std::uint32_t min = 1, max = 1;  ///< Number of iterations.
  std::uint32_t gcd = 1;           ///< Divides every possible number of iterations.
  Kinds kinds = kAllKinds;
  Presence presence = Presence::kCertain;

  bool must_be(Kinds some) const { return (kinds & ~some) == 0; }
  bool may_be(Kinds some) const { return (kinds & some) != 0; }
};

struct InstDomain {
  std::uint32_t max_width = 1;  ///< Of an access: elements that it may take at once.
  Presence presence = Presence::kCertain;
};

struct MemDomain {
  MemSpaces spaces = kGlobalSpace | kSharedSpace;
  Presence presence = Presence::kPossible;
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

}  // namespace exh::kernels::ir
