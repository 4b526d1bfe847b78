// SPDX-License-Identifier: MIT
#include "kernels/ir/function.h"

namespace exh::kernels::ir {

std::vector<bool> ReachedFrom(const Function& function, InstId producer) {
  std::vector<bool> reached(function.insts.size(), false);
  std::vector<InstId> open = {producer};
  while (!open.empty()) {
    const InstId from = open.back();
    open.pop_back();
    for (const Communication& comm : function.comms) {
      if (comm.producer != from || reached[comm.consumer.index()]) continue;
      reached[comm.consumer.index()] = true;
      open.push_back(comm.consumer);
    }
  }
  return reached;
}

bool Meet(const Function& function, InstId a, InstId b) {
  std::vector<std::vector<bool>> reached(function.insts.size());  // Of reductions.
  for (const Instruction& inst : function.insts) {
    if (inst.is_reduction()) reached[inst.id.index()] = ReachedFrom(function, inst.id);
  }
  const auto share = [&](InstId x, InstId y) {
    const std::vector<bool>&first = reached[x.index()], &second = reached[y.index()];
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] && second[i]) return true;
    }
    return false;
  };
  // Whom the first one meets at once; then whom those meet, until nobody is new.
  std::vector<bool> meets(function.insts.size(), false);
  std::vector<InstId> open = {a};
  while (!open.empty()) {
    const InstId from = open.back();
    open.pop_back();
    for (const Instruction& other : function.insts) {
      if (!other.is_reduction() || meets[other.id.index()] || !share(from, other.id)) continue;
      meets[other.id.index()] = true;
      open.push_back(other.id);
    }
  }
  return a != b && meets[b.index()];
}

}  // namespace exh::kernels::ir
