// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// The same where every tensor is written by one statement at most, and inputs by none. What is
/// written in place becomes a tensor of its own: the last one is the result, called "x, updated".
/// Statements read what the original ones read. So a program can run again and again with the same
/// inputs, and no statement has to wait for those that still read what was there.
StatementList WrittenOnce(const StatementList& list);

struct Versions {
  StatementList list;     ///< WrittenOnce().
  std::vector<int> last;  ///< By tensor of the original: what it is in the end.
};
Versions VersionsOf(const StatementList& list);

}  // namespace exh::kernels::fused
