// SPDX-License-Identifier: MIT
//
// What a scheduler is asked for, from how memory is accessed: section V and Algorithm 2 of the
// paper of influence.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poly/influence.h"
#include "poly/isl/dependences.h"
#include "poly/scop.h"

namespace exh::poly {

/// The weights of the cost function, in the paper's order and with its values.
struct ScenarioWeights {
  double vector_stores = 5;
  double vector_loads = 3;
  double stride = 1;
  double accesses = 1;
  double threads = 1;
  /// These two are not the paper's: what an innermost iterator loses for each access whose
  /// neighbours along it lie apart in memory. On GPUs, where neighbouring threads have neighbours
  /// of the innermost iterator, a scattered store costs more than a scattered load that is a
  /// vector.
  double scattered_stores = 8;
  double scattered_loads = 3;
};

struct ScenarioOptions {
  ScenarioWeights weights;
  std::int64_t max_threads =
      1024;  // Of one statement. (The paper's program divides it for all together.)
  int max_scenarios = 8;
  int max_dimensions = 3;  // Iterators that a scenario reserves for a statement.
  /// Two terms of the cost are others than in the paper's formula unless this is set.
  /// The last one is max_threads / extent there: 256 for an extent of 4, more than all others
  /// together. The text wants to favour what brings many threads, without exceeding the limit, and
  /// only to order what is equal otherwise: extent / max_threads, and 1 where blocks divide more.
  /// The term before counts accesses with the smallest stride, also where that one is large, and
  /// two accesses far apart beat one to neighbours: it is divided by the stride.
  bool as_printed = false;
};

/// What a scenario wants of one statement.
struct Reserved {
  std::vector<int> iterators;  // Innermost last. Empty: nothing is wanted of the statement.
  int vector_width = 0;        // Elements of a vector along the last one: 2 or 4; 0 for none.
  double cost = 0;             // Of the last one. The higher, the better.
};

struct Scenario {
  std::vector<Reserved> statements;
  double cost = 0;  // The sum.
};

/// One access along one iterator that is to be innermost.
struct VectorAccess {
  bool is_contiguous = false;  // Neighbours along the iterator are neighbours in memory.
  bool is_constant = false;    // All along the iterator it is one cell.
  int width = 0;  // The widest vector, 4 or 2, that is aligned in the array; 0 for none.
};

/// Whether an access can be one of 64 or 128 bits along an iterator. A vector is 4 or 2 elements,
/// of at most 16 bytes together, divides the extent of the iterator, and lies where its width
/// divides all else that the access adds up. That the array itself is aligned is not known here.
VectorAccess VectorAccessOf(const Scop& scop, int statement, int access, int iterator);

/// The cost of an iterator as the next one that Algorithm 2 reserves, from the inside out;
/// `threads` is what is left of the statement's threads. The higher, the better.
double CostOf(const Scop& scop, int statement, int iterator, bool is_innermost, double threads,
              const ScenarioOptions& options);

/// Up to max_scenarios scenarios, the highest cost first: every statement has the iterators of
/// Algorithm 2; then one statement has another innermost one, and what Algorithm 2 reserves around
/// it.
std::vector<Scenario> ScenariosOf(const Scop& scop, const ScenarioOptions& options);

/// The tree of all scenarios, each with five variants, the best first:
///  fused        as plain, and the outer dimensions of statements that depend on each other are the
///               same;
///  fused inner  as inner, and the outer dimensions are the same: Figure 3(b) is of this form;
///  plain        the innermost dimensions of each statement are the reserved iterators, and no
///  other
///               dimension has them;
///  inner        only the innermost dimension of each statement is reserved;
///  leader       only the statement with the highest cost is constrained.
/// Leaves are labelled with the number of their scenario and the variant: "0 fused".
InfluenceTree TreeOf(const Scop& scop, const std::vector<Dependence>& dependences,
                     const std::vector<Scenario>& scenarios);

}  // namespace exh::poly
