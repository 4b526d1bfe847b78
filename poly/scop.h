// SPDX-License-Identifier: MIT
//
// What is scheduled: statements in loops with fixed bounds, the cells that they read and write, and
// the order in which the program executes them. Plain values, without isl: whoever has an operator
// of their own fills them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poly/matrix.h"

namespace exh::poly {

/// Extents below this are numbers in every set. One that is not below becomes a parameter, of which
/// nothing is known but that it is not below this: schedules then hold for all sizes, and their
/// number of constraints does not depend on them.
inline constexpr std::int64_t kLeastParameter = 4;

/// A loop around a statement: from 0 up to `extent` - 1, in steps of 1.
struct ScopIterator {
  std::string name;
  std::int64_t extent = 1;  // >= 1
};

/// What statements read and write, row-major. A scalar has no extents.
struct ScopArray {
  std::string name;
  std::vector<std::int64_t> extents;
  int element_bytes = 4;
};

/// One access of a statement. `map` has a row for each dimension of the array; its columns are the
/// iterators of the statement, then the constant.
struct ScopAccess {
  int array = 0;  // Position in Scop::arrays.
  bool is_write = false;
  IntMatrix map;
};

struct ScopStatement {
  std::string name;  // A C identifier, no word of isl (min), different from others.
  std::vector<ScopIterator> iterators;  // From the outside in.
  IntMatrix guards;                     // Rows over (iterators, 1): executed where each is >= 0.
  std::vector<ScopAccess> accesses;
  /// Where the statement stands in the text: order[0] among the outermost loops and statements,
  /// order[d] among what lies in its d-th loop. iterators.size() + 1 numbers. Statements that
  /// share a loop have the same numbers up to it. Empty for all statements of a scop: each is in a
  /// nest of its own, in the order of Scop::statements.
  std::vector<int> order;
  /// It goes where the others leave room: scenarios want nothing of it, and its rows may wait as
  /// long as others have more to come. The beginning of a sum.
  bool is_aside = false;
};

struct Scop {
  std::vector<ScopArray> arrays;
  std::vector<ScopStatement> statements;
};

/// What is wrong with a scop, in one line: "statement Y: ...". Empty if nothing is. Everything in
/// poly/ needs a scop that is right.
std::string ProblemOf(const Scop& scop);

/// The parameters: the distinct extents of iterators that are not below kLeastParameter, in order
/// of their first use. Parameter j is called n<j>.
std::vector<std::int64_t> ParametersOf(const Scop& scop);

/// The textual positions of a statement, also where `order` is empty.
std::vector<int> OrderOf(const Scop& scop, int statement);

/// How far apart in memory, in elements, two neighbours along an iterator are; negative for
/// backwards.
std::int64_t StrideOf(const Scop& scop, const ScopAccess& access, int iterator);

}  // namespace exh::poly
