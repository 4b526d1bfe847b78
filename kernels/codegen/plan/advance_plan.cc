// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/advance_plan.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

/// The child of `ancestor` that `node` lies in.
int ChildToward(const LoopTree& tree, int ancestor, int node) {
  while (tree.node(node).parent != ancestor) node = tree.node(node).parent;
  return node;
}

bool Contains(const std::vector<int>& classes, int wanted) {
  return std::find(classes.begin(), classes.end(), wanted) != classes.end();
}

}  // namespace

std::vector<AdvancedRead> PlanAdvance(const ir::Function& function, const Schedule& schedule,
                                      const LoopTree& tree,
                                      const std::vector<std::vector<ir::InstId>>& readers,
                                      const std::vector<std::vector<int>>& keys) {
  std::vector<AdvancedRead> reads;
  for (const ir::Instruction& inst : function.insts) {
    const std::size_t i = inst.id.index();
    const bool wanted = schedule.advance.Or(Advance::ON_TIME, inst.id) == Advance::ONE_AHEAD;
    if (!wanted || !schedule.InStatements(inst.id) || readers[i].empty()) continue;
    AdvancedRead read{.inst = inst.id, .loop = tree.LoopAround(tree.node_of_inst[i])};
    if (read.loop < 0) continue;
    int scope = tree.node_of_inst[i];
    for (const ir::InstId reader : readers[i]) {
      scope = tree.CommonAncestor(scope, tree.node_of_inst[reader.index()]);
    }
    if (tree.LoopAround(scope) != read.loop && scope != read.loop) continue;
    // Copies that share a value, or a wide access, have all used theirs before the next may come.
    const bool is_wide = schedule.vec.Or(1, inst.id) > 1 ||
                         std::any_of(readers[i].begin(), readers[i].end(),
                                     [&](ir::InstId r) { return schedule.vec.Or(1, r) > 1; });
    for (int node = tree.node(tree.node_of_inst[i]).parent; node != read.loop;
         node = tree.node(node).parent) {
      const int c = tree.node(node).dim_class;
      if (tree.node(node).kind != NodeKind::kUnroll) continue;
      const bool is_own = Contains(keys[i], c);
      if (is_own && !is_wide) continue;
      if (!is_own) read.shared.push_back(c);
      scope = tree.CommonAncestor(scope, tree.node(node).parent);
    }
    read.scope = scope;
    read.child = ChildToward(tree, scope, tree.node_of_inst[i]);
    const auto& children = tree.node(scope).children;
    for (const ir::InstId reader : readers[i]) {
      const int child = ChildToward(tree, scope, tree.node_of_inst[reader.index()]);
      const auto is_later = [&](int a, int b) {
        return std::find(children.begin(), children.end(), a) >
               std::find(children.begin(), children.end(), b);
      };
      if (read.after < 0 || is_later(child, read.after)) read.after = child;
    }
    reads.push_back(read);
  }
  return reads;
}

}  // namespace exh::kernels::codegen
