// SPDX-License-Identifier: MIT
#include "kernels/ir/text/unit_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ir/fragments.h"

namespace exh::kernels::ir {
namespace {

bool HasNeighbours(const Instruction& load, LogicalDimId along) {
  return std::ranges::any_of(load.access, [&](const AccessAxis& axis) {
    return axis.stride == 1 && axis.logical == along;
  });
}

class UnitNoter {
 public:
  explicit UnitNoter(const Target& target) : f_(target) {}

  std::vector<std::string> Run() {
    for (const Instruction& product : f_.insts) {
      if (!product.is_reduction() || f_.unit_of(product).empty()) continue;
      if (!f_.may_use_groups(product)) {
        NoteNoGroups(product);
      } else if (f_.device.bulk_copies) {
        NoteNoBulkCopies(product);
      }
    }
    return std::move(notes_);
  }

 private:
  /// The load that an operand comes from; null: it is computed.
  const Instruction* LoadOf(const Operand& operand) const {
    if (operand.kind != Operand::Kind::kComm) return nullptr;
    const Instruction& load = f_.inst(f_.comm(operand.comm).producer);
    return load.op == Op::kLoad ? &load : nullptr;
  }
  std::string ArrayOf(const Instruction& load) const { return f_.array(load.array).name; }

  void NoteNoGroups(const Instruction& product) {
    const std::string why = WhyNoGroups(product);
    if (why.empty()) return;
    notes_.push_back(fmt::format("groups of warps (WGMMA) do not do {}: {}", product.name(), why));
  }
  std::string WhyNoGroups(const Instruction& product) const {
    const MatrixUnit unit = UnitOf(f_, product);
    if (!HasGroups(unit)) return "";
    const bool are_bytes = ShapeOf(unit) == kDeepShape;
    for (const Operand& operand : product.operands) {
      const Instruction* const load = LoadOf(operand);
      if (!are_bytes || load == nullptr || LiesAlong(product, operand, *load)) continue;
      return fmt::format(
          "they take bytes whose neighbours in memory lie along the sum, and those of {} lie "
          "across it; turned in memory it would fit",
          ArrayOf(*load));
    }
    for (const DimId id : product.dims) {
      const Dimension& dim = f_.dim(id);
      const LogicalDim& axis = f_.logical(dim.logical);
      constexpr std::uint32_t kRows = 16 * kGroupWarps;
      if (dim.part != FragmentPart::kRow || axis.extent % kRows == 0) continue;
      return fmt::format("their rows come by {}, and {} has {}", kRows, axis.axis_name(),
                         axis.extent);
    }
    return "";
  }
  /// Is the operand read where neighbours along what is summed over are neighbours in memory?
  bool LiesAlong(const Instruction& product, const Operand& operand,
                 const Instruction& load) const {
    for (const PairId id : f_.comm(operand.comm).pairs) {
      const Dimension& to = f_.dim(f_.pair(id).dst);
      const bool is_summed =
          std::ranges::find(product.reduce_dims, to.id) != product.reduce_dims.end();
      if (is_summed && HasNeighbours(load, f_.dim(f_.pair(id).src).logical)) return true;
    }
    return false;
  }

  void NoteNoBulkCopies(const Instruction& product) {
    for (const MemBlock& block : f_.blocks) {
      const Communication& served = f_.comm(block.comm);
      if (!f_.is_operand(product, served) || f_.may_copy_bulk(block)) continue;
      const Instruction& load = f_.inst(served.producer);
      if (load.op != Op::kLoad || !f_.may_copy_async(block)) continue;
      const std::string why = WhyNoBulkCopies(load, block.element_bytes);
      if (why.empty()) continue;
      notes_.push_back(fmt::format("no bulk copy (TMA) brings {}: {}", ArrayOf(load), why));
    }
  }
  std::string WhyNoBulkCopies(const Instruction& load, std::uint32_t element_bytes) const {
    if (!load.guards.empty()) return "it is read beyond its ends, too";
    if (load.offset != 0) return "what is read does not begin with its first element";
    if (load.access.size() > kTensorAxes) return fmt::format("more than {} axes", kTensorAxes);
    for (const AccessAxis& axis : load.access) {
      if (axis.stride == 1 || (axis.stride > 0 && axis.stride * element_bytes % kTensorBytes == 0))
        continue;
      return fmt::format("from one {} to the next there are {} bytes; a multiple of {} would fit",
                         f_.logical(axis.logical).axis_name(), axis.stride * element_bytes,
                         kTensorBytes);
    }
    const bool has_neighbours =
        std::ranges::any_of(load.access, [](const AccessAxis& axis) { return axis.stride == 1; });
    return has_neighbours ? "" : "along none of its axes are neighbours adjacent in memory";
  }

  const Target& f_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> UnitNotes(const Target& target) {
  const auto& units = target.device.tensor_units;
  const bool has_groups =
      target.reads_matrices() && std::ranges::find(units, kWgmma) != units.end();
  return has_groups ? UnitNoter(target).Run() : std::vector<std::string>();
}

}  // namespace exh::kernels::ir
