// SPDX-License-Identifier: MIT
#include "kernels/ir/fragments.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/target/covered_rows.h"
#include "kernels/ir/target/nest_axes.h"

namespace exh::kernels::ir {
namespace {

/// Dimensions of an instruction with what they are to the unit.
using Parts = std::vector<std::pair<DimId, FragmentPart>>;

bool IsWideFloat(Type type) {
  return type == Type::kF32 || type == Type::kF64;
}

/// The axis of the product's result along which another product of the same kind sums it, or what
/// is made of each of its elements; invalid: there is none.
LogicalDimId AxisIntoOperand(const Function& function, const Instruction& product) {
  std::vector<bool> is_made_of(function.insts.size(), false);
  is_made_of[product.id.index()] = true;
  // Readers come after what they read.
  for (const Instruction& reader : function.insts) {
    for (const Communication& comm : function.comms) {
      if (comm.planned || comm.consumer != reader.id || comm.is_init) continue;
      if (!is_made_of[comm.producer.index()]) continue;
      if (!reader.is_reduction()) is_made_of[reader.id.index()] = true;
      if (!reader.is_reduction() || UnitOf(function, reader) != MatrixUnit::kMma) continue;
      for (const DimId summed : reader.reduce_dims) {
        const std::string_view name = function.logical(function.dim(summed).logical).axis_name();
        for (const DimId own : product.dims) {
          const LogicalDim& axis = function.logical(function.dim(own).logical);
          if (!function.dim(own).is_reduction && axis.axis_name() == name) return axis.id;
        }
      }
    }
  }
  return {};
}

/// The fragments of one multiply-add.
template <typename Backbone>
class Finder {
 public:
  Finder(Backbone& function, const Instruction& product)
      : f_(function), product_(product), unit_(UnitOf(function, product)) {}

  /// Of the unit.
  std::uint32_t columns() const { return ShapeOf(unit_).columns.size(); }

  /// The axis that would be columns if it were covered; invalid: there is none, or no need.
  LogicalDimId AxisToCover() {
    const bool is_one_sum = std::ranges::all_of(product_.reduce_dims, [&](DimId dim) {
      return AxisOf(dim) == AxisOf(product_.reduce_dims.front());
    });
    if (!IsProduct() || is_one_sum || FindTile() || !FindDepth().valid()) return {};
    const Alone alone = FindAlone(FindDepth());
    if (!alone.axes[0].valid() || !alone.axes[1].valid()) return {};
    for (const std::size_t operand : {alone.first, 1 - alone.first}) {
      const LogicalDim& axis = f_.logical(alone.axes[1 - operand]);
      const std::uint32_t beyond = (columns() - axis.total % columns()) % columns();
      const bool is_near = beyond > 0 && beyond * kMostBeyond <= axis.total;
      if (is_near && MayAdd(alone.axes[operand], 0, FragmentPart::kRow)) return axis.id;
    }
    return {};
  }

  /// False: it has none.
  bool Run() {
    if (!IsProduct() || !FindTile()) return false;
    parts_.resize(f_.insts.size());
    through_.resize(f_.insts.size());
    Take(product_.id, tile_, CommId());
    for (std::size_t i = 0; i < found_.size() && is_good_; ++i) Follow(found_[i]);
    if (!is_good_) return false;
    for (const InstId inst : found_) {
      f_.insts[inst.index()].fragment_through = through_[inst.index()];
      for (const auto& [id, part] : parts_[inst.index()]) {
        Dimension& dim = f_.dims[id.index()];
        if (dim.part != FragmentPart::kNone) continue;  // Of the product before.
        dim.part = part;
        dim.matrix_unit = unit_;
        dim.unit = product_.id;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kMostBeyond = 7;  ///< A covered axis has 1 / 7 more at most.

  /// By operand: the last axis that it moves along and the other does not.
  struct Alone {
    LogicalDimId axes[2];
    std::size_t first = 0;  ///< The operand whose axis comes first.
  };

  bool IsProduct() const {
    return !product_.planned && product_.is_reduction() && !product_.is_scan() &&
           unit_ != MatrixUnit::kNone;
  }

  LogicalDimId AxisOf(DimId dim) const { return f_.dim(dim).logical; }

  /// Is an operand made of the sums of a chain?
  bool ReadsChain() const {
    return std::ranges::any_of(product_.operands, [&](const Operand& operand) {
      return operand.kind == Operand::Kind::kComm &&
             std::ranges::any_of(f_.comm(operand.comm).pairs, [&](PairId pair) {
               return f_.dim(f_.pair(pair).src).matrix_unit == MatrixUnit::kMmaChain &&
                      f_.dim(f_.pair(pair).src).part == FragmentPart::kColumn;
             });
    });
  }

  /// Does the operand's value differ from point to point of the axis?
  bool Moves(std::size_t operand, LogicalDimId axis) const {
    const Communication& comm = f_.comm(product_.operands[operand].comm);
    return std::ranges::any_of(comm.pairs,
                               [&](PairId pair) { return AxisOf(f_.pair(pair).dst) == axis; });
  }

  /// Are both operands read where neighbours along the axis are neighbours in memory?
  bool LieAlong(LogicalDimId axis) const {
    return std::ranges::all_of(product_.operands, [&](const Operand& operand) {
      if (operand.kind != Operand::Kind::kComm) return false;
      const Communication& comm = f_.comm(operand.comm);
      const LogicalDim* const along = ProducersAxis(f_, comm, f_.logical(axis));
      const auto& access = f_.inst(comm.producer).access;
      return along != nullptr && std::ranges::any_of(access, [&](const AccessAxis& one) {
               return one.stride == 1 && one.logical == along->id;
             });
    });
  }

  bool MayHave(const Dimension& dim, FragmentPart part) const {
    const std::uint32_t size = ShapeOf(unit_).Of(part).size();
    return std::ranges::find(dim.sizes, size) != dim.sizes.end();
  }

  /// What a unit sums over: of the axes that both operands move along the longest one that it may
  /// have as its depth. The others are loops around it. Invalid: there is none.
  LogicalDimId FindDepth() const {
    LogicalDimId found;
    for (const DimId dim : product_.reduce_dims) {
      const LogicalDimId axis = AxisOf(dim);
      if (!Moves(0, axis) || !Moves(1, axis) || !MayAdd(axis, 0, FragmentPart::kDepth)) continue;
      if (!found.valid() || f_.logical(found).extent < f_.logical(axis).extent) found = axis;
    }
    return found;
  }

  Alone FindAlone(LogicalDimId depth) const {
    Alone alone;
    for (const DimId dim : product_.dims) {
      const LogicalDimId axis = AxisOf(dim);
      const bool moves[] = {Moves(0, axis), Moves(1, axis)};
      if (axis == depth || moves[0] == moves[1]) continue;
      const std::size_t operand = moves[0] ? 0 : 1;
      if (!alone.axes[1 - operand].valid() && !alone.axes[operand].valid()) alone.first = operand;
      alone.axes[operand] = axis;
    }
    return alone;
  }

  /// Rows are the axis that comes first of the two, if it may be. Its innermost level is part of
  /// the tile; of columns the level before that, so that a lane's copies of a column are
  /// neighbours.
  bool FindTile() {
    const LogicalDimId depth = FindDepth();
    if (!depth.valid()) return false;
    const Alone alone = FindAlone(depth);
    if (!alone.axes[0].valid() || !alone.axes[1].valid()) return false;
    // The columns of a chain are the innermost level, as the depth of the next product is. Those of
    // the next product are, too: its second operand comes by matrices of 8 x 8, of which a row is 8
    // neighbours in memory. So are those of all halves where a device reads matrices, and of bytes
    // that it reads so.
    const bool is_chain = unit_ == MatrixUnit::kMmaChain, ends_chain = ReadsChain();
    const bool may_read = IsOfHalves(unit_) || (HasGroups(unit_) && LieAlong(depth));
    const bool are_innermost = ends_chain || (may_read && f_.matrix_reads);
    const LogicalDimId next = is_chain ? AxisIntoOperand(f_, product_) : LogicalDimId();
    for (const std::size_t operand : {alone.first, 1 - alone.first}) {
      const LogicalDimId rows = alone.axes[operand], columns = alone.axes[1 - operand];
      if (is_chain && columns != next) continue;
      tile_.clear();
      if (Add(rows, 0, FragmentPart::kRow) &&
          ((are_innermost && Add(columns, 0, FragmentPart::kColumn)) ||
           (!is_chain && Add(columns, 1, FragmentPart::kColumn)) ||
           Add(columns, 0, FragmentPart::kColumn)) &&
          Add(depth, 0, FragmentPart::kDepth)) {
        return true;
      }
    }
    return false;
  }

  /// `inside`: levels of the axis within that of the part.
  bool Add(LogicalDimId axis, std::size_t inside, FragmentPart part) {
    if (!MayAdd(axis, inside, part)) return false;
    const std::vector<DimId>& levels = f_.logical(axis).dims;
    tile_.emplace_back(levels[levels.size() - 1 - inside], part);
    return true;
  }
  bool MayAdd(LogicalDimId axis, std::size_t inside, FragmentPart part) const {
    const std::vector<DimId>& levels = f_.logical(axis).dims;
    return levels.size() > inside && MayHave(f_.dim(levels[levels.size() - 1 - inside]), part);
  }

  void Take(InstId inst, Parts parts, CommId through) {
    parts_[inst.index()] = std::move(parts);
    through_[inst.index()] = through;
    found_.push_back(inst);
  }

  static FragmentPart PartIn(const Parts& parts, DimId dim) {
    const auto it = std::ranges::find(parts, dim, &Parts::value_type::first);
    return it == parts.end() ? FragmentPart::kNone : it->second;
  }

  /// Everything that hands values to the instruction, or takes its values.
  void Follow(InstId from) {
    for (const Communication& comm : f_.comms) {
      // What it has parts through only where it stays in registers leads nowhere else.
      if (comm.planned || comm.id == through_[from.index()]) continue;
      if (comm.consumer == from) {
        if (comm.lowered) Reach(from, f_.comm(comm.lowered->load_comm), true, CommId());
        Reach(from, comm, true, comm.may_lower ? comm.id : CommId());
      }
      if (comm.producer == from) {
        if (comm.lowered) Reach(from, f_.comm(comm.lowered->store_comm), false, CommId());
        Reach(from, comm, false, comm.may_lower ? comm.id : CommId());
      }
    }
  }

  /// The other side of a communication. `through`: what need not be in registers; then it is no
  /// harm where the other side has no such fragment.
  void Reach(InstId from, const Communication& comm, bool is_back, CommId through) {
    const InstId to = is_back ? comm.producer : comm.consumer;
    const bool is_operand = is_back && from == product_.id && comm.operand >= 0;
    if (to == product_.id) return;  // It was found first.
    Parts parts;
    for (const PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      FragmentPart part = PartIn(parts_[from.index()], is_back ? pair.dst : pair.src);
      if (part == FragmentPart::kNone) continue;
      if (is_operand && part == FragmentPart::kColumn) part = FragmentPart::kOperandColumn;
      parts.emplace_back(is_back ? pair.src : pair.dst, part);
    }
    if (parts.empty()) return;
    // A further product has a tile of its own, and what it hands over fits or does not.
    if (TakesBits(unit_) && UnitOf(f_, f_.inst(to)) != MatrixUnit::kNone) return;
    if (!MayHaveParts(f_.inst(to)) || !Agree(to, parts)) {
      if (!through.valid()) is_good_ = false;
      return;
    }
    Parts& known = parts_[to.index()];
    Parts all = known;
    for (const auto& [dim, part] : parts) {
      if (PartIn(known, dim) == FragmentPart::kNone) all.emplace_back(dim, part);
    }
    std::ranges::sort(all);
    if (all == known) {
      if (through.valid() || !through_[to.index()].valid()) return;
      through_[to.index()] = CommId();  // It is in registers for certain, if it is so in one way.
      return found_.push_back(to);
    }
    const bool is_new = known.empty();
    if (is_new && IsTaken(parts)) return;  // Of the product before, and so is what comes of it.
    if (is_new) return Take(to, std::move(all), through);
    if (through.valid()) return;
    known = std::move(all);
    through_[to.index()] = CommId();
    found_.push_back(to);
  }

  /// Reductions other than products for matrix units have fragments of narrow elements: there is no
  /// recipe for those of doubles.
  bool MayHaveParts(const Instruction& inst) const {
    if (!inst.is_reduction()) return true;
    return TakesBits(unit_) && !inst.is_scan() && UnitOf(f_, inst) == MatrixUnit::kNone;
  }
  /// Are all parts those of products before?
  bool IsTaken(const Parts& parts) const {
    return std::ranges::all_of(
        parts, [&](const auto& one) { return f_.dim(one.first).part != FragmentPart::kNone; });
  }
  /// Has each lane the same of the dims as by what was found of this product, and of those before?
  bool Agree(InstId inst, const Parts& parts) const {
    return std::ranges::all_of(parts, [&](const auto& one) {
      const auto& [id, part] = one;
      const FragmentPart known = PartIn(parts_[inst.index()], id);
      if (known != FragmentPart::kNone && known != part) return false;
      const Dimension& dim = f_.dim(id);
      if (dim.part == FragmentPart::kNone) return true;
      return TakesBits(unit_) && TakesBits(dim.matrix_unit) &&
             dim.fragment() == ShapeOf(unit_).Of(part);
    });
  }

  Backbone& f_;
  const Instruction& product_;
  const MatrixUnit unit_;        ///< That may do it.
  Parts tile_;                   ///< Of the product itself.
  std::vector<Parts> parts_;     ///< By instruction.
  std::vector<CommId> through_;  ///< The same.
  std::vector<InstId> found_;    ///< Whoever has parts, in the order of its finding.
  bool is_good_ = true;
};

}  // namespace

MatrixUnit UnitOf(const Function& function, const Instruction& product) {
  // What multiplies and adds point by point, such as a polynomial of a sum, is no product.
  if (!product.is_reduction() || product.op != Op::kMad || product.type != product.computes) {
    return MatrixUnit::kNone;
  }
  std::optional<Type> factors[2];
  for (std::size_t i = 0; i < std::size(factors); ++i) {
    const Operand& operand = product.operands[i];
    if (operand.kind != Operand::Kind::kComm) return MatrixUnit::kNone;
    factors[i] = function.TypeOf(operand);
    if (!factors[i]) return MatrixUnit::kNone;
  }
  const auto [a, b] = factors;
  if (IsWideFloat(product.type) && IsWideFloat(*a) && IsWideFloat(*b)) return MatrixUnit::kDmma;
  const bool are_halves = IsHalf(*a) && a == b && product.type == Type::kF32;
  if (are_halves) return product.sums_are_operand ? MatrixUnit::kMmaChain : MatrixUnit::kMma;
  if (IsF8(*a) && a == b && product.type == Type::kF32) return MatrixUnit::kQmma;
  const bool are_bytes = *a == Type::kI8 && a == b && product.type == Type::kI32;
  return are_bytes ? MatrixUnit::kImma : MatrixUnit::kNone;
}

bool HaveSameLanes(const Dimension& a, const Dimension& b) {
  if (a.part == FragmentPart::kNone || b.part == FragmentPart::kNone) return false;
  const bool may_meet = a.unit == b.unit || (TakesBits(a.matrix_unit) && TakesBits(b.matrix_unit));
  return may_meet && a.fragment() == b.fragment();
}

void FindFragments(Function& function) {
  for (Instruction& inst : function.insts) {
    if (UnitOf(function, inst) == MatrixUnit::kMma) {
      inst.sums_are_operand = AxisIntoOperand(function, inst).valid();
    }
    // Where levels do not fit, or what is read of its sums does not, it is a product as any other.
    if (!Finder(function, inst).Run() && std::exchange(inst.sums_are_operand, false)) {
      Finder(function, inst).Run();
    }
  }
}

CoveredRows AxesToCover(const Function& function) {
  CoveredRows covered;
  for (const Instruction& inst : function.insts) {
    Finder finder(function, inst);
    const LogicalDimId axis = finder.AxisToCover();
    if (!axis.valid()) continue;
    const std::string& name = function.logical(axis).name;
    covered.axes.push_back(name.substr(name.rfind('.') + 1));
    covered.multiple = std::lcm(covered.multiple, finder.columns());
  }
  return covered;
}

}  // namespace exh::kernels::ir
