// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// The order relation as an ordered forest, before kinds give its loops a meaning. Items are the
/// classes of MERGED dims first, then the active instructions.
struct Forest {
  std::vector<DimClass> classes;
  std::vector<int> class_of_dim;           ///< By dim; -1: not active.
  std::vector<ir::InstId> insts;           ///< Active instructions: item = classes.size() + i.
  std::vector<int> parent;                 ///< By item; -1: a root.
  std::vector<std::vector<int>> children;  ///< By item, in order; the last entry: the roots.
  std::string error;                       ///< Why the order is none; empty if it is one.

  bool is_class(int item) const { return static_cast<std::size_t>(item) < classes.size(); }
  const std::vector<int>& roots() const { return children.back(); }
};

/// Derives the forest from the relation, then recomputes the relation between every two
/// statements from the forest: a single difference is an error.
Forest BuildForest(const ir::Function& function, const Schedule& schedule);

}  // namespace exh::kernels::codegen
