// SPDX-License-Identifier: MIT
#include "models/terms/work.h"

namespace exh::models::terms {
namespace ir = kernels::ir;

OperandWork::OperandWork(const WorkView& seen, const OperandRead& counted)
    : view(seen), read(counted), work(seen.work(counted.nest)) {
  const Inventory& inventory = view.inventory();
  const Nest& nest = inventory.nests[read.nest];
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    if (!nest.axes[i].varies) continue;
    if ((read.axes >> i & 1) != 0) {
      of_thread *= work.serial_min[i];
    } else {
      reuse *= work.serial_max[i];
    }
  }
  // Temporaries are aligned, so that compilers may merge what is read from them.
  width = view.rates().bytes_per_access / read.element_bytes;
  const bool may_stage =
      read.block.valid() && view.domains().blocks[read.block.index()].presence != Presence::kAbsent;
  if (!may_stage && read.load.valid()) {
    const int load = inventory.nest_of_inst[read.load.index()];
    if (load >= 0) width = view.WidthOf(inventory.nests[static_cast<std::size_t>(load)]);
  }
  const double per_point = work.waste / (view.rates().warp_lanes * width * reuse);
  warps = view.OfUnit(work.points, work, per_point);
  may_stay = view.domains().insts[nest.inst.index()].may_be_of_group;
  if (may_stay) warps = 0;
  is_converted = read.is_widened && work.is_of_unit;
}

}  // namespace exh::models::terms
