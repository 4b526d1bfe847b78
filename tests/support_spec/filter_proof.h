// SPDX-License-Identifier: MIT
//
// Proofs by brute force that a generated filter is its specification, and that the engine, given
// the clause alone, leaves exactly the same: it is at least as strong and loses nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsl/spec.h"
#include "runtime/filter_table.h"

namespace exh::tests {

struct ProofOptions {
  /// With more combinations of domains than this: every two domains of every two parameters with
  /// random others, and `random` more.
  std::uint64_t limit = 2'000'000;
  std::uint64_t random = 20'000;
  std::uint64_t seed = 1;
};

struct Proof {
  std::uint64_t combinations = 0;  ///< Looked at.
  bool exhaustive = true;
  std::string fault;  ///< The first one found; empty: none.
};

using FilterFunction =
    std::function<runtime::FilterResult(std::span<const runtime::FilterArgument>)>;

/// Compares the filter with its clause; `call`, when given, stands for the filter.
Proof ProveFilter(const dsl::Spec& spec, const runtime::SpecFilter& filter,
                  const ProofOptions& options = {}, const FilterFunction& call = {});

/// Freezes the filter's clause, as it is in the tables of `space`, over one object per variable,
/// and compares what restricting the inputs leaves of the target. Counters get their numbers from
/// an integer decision of their own. A counter that several conditions of the clause mention may
/// keep more: the engine waits until one of them is left.
Proof ProveEngine(const dsl::Spec& spec, const runtime::Space& space,
                  const runtime::SpecFilter& filter, const ProofOptions& options = {});

/// Empty if every decision of every clause has exactly one filter; otherwise what is wrong.
std::string ProveComplete(const dsl::Spec& spec, const runtime::Space& space,
                          const std::vector<runtime::SpecFilter>& filters);

}  // namespace exh::tests
