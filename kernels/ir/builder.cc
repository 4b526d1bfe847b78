// SPDX-License-Identifier: MIT
#include "kernels/ir/builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "kernels/ir/ops.h"
#include "kernels/ir/target/lanes.h"

namespace exh::kernels::ir {
namespace {

template <typename IdType, typename T>
IdType NextId(const std::vector<T>& items) {
  constexpr std::size_t kNone = 0xFFFF;  // Ids have 16 bits, and this one means: none.
  if (items.size() >= kNone) {
    throw BackboneError("the backbone has more than " + std::to_string(kNone - 1) +
                        " objects of one kind: fewer instructions, axes or tile levels");
  }
  return IdType{static_cast<std::uint16_t>(items.size())};
}

/// Decisions are written as size(load_a.m0): a name has nothing that a line of them is cut at.
void CheckName(const std::string& kind, const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto in_name = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (!name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), in_name)) {
    return;
  }
  throw BackboneError(kind + " '" + name +
                      "': a name is made of letters, digits and '_', and begins with no digit");
}

/// "kAdd"; of what is no operator in words.
std::string OpName(Op op) {
  return InfoOf(op).operands > 0 ? std::string(InfoOf(op).name) : "an access to memory";
}

void CheckCount(const std::string& who, Op op, std::size_t wanted, std::size_t got) {
  if (got == wanted) return;
  throw BackboneError(who + OpName(op) + " takes " + std::to_string(wanted) +
                      (wanted == 1 ? " operand" : " operands") + ", got " + std::to_string(got));
}

bool Contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::vector<int> Indices(const std::vector<AxisRef>& axes) {
  std::vector<int> out;
  for (const AxisRef a : axes) out.push_back(a.index);
  return out;
}

std::vector<int> Indices(const Strides& strides) {
  std::vector<int> out;
  for (const auto& [axis, stride] : strides) out.push_back(axis.index);
  return out;
}

}  // namespace

// ---- what is refused ----

void Builder::CheckArgument(const char* kind, const std::string& name) const {
  CheckName(kind, name);
  const auto named = [&](const auto& other) { return other.name == name; };
  const bool array = std::any_of(function_.arrays.begin(), function_.arrays.end(), named);
  const bool scalar = std::any_of(function_.scalars.begin(), function_.scalars.end(), named);
  if (!array && !scalar) return;
  throw BackboneError(std::string(kind) + " '" + name + "': there is already " +
                      (array ? "an array" : "a scalar") + " of that name");
}

std::string Builder::AxisNames(const std::vector<int>& axes) const {
  if (axes.empty()) return "none";
  std::string names;
  for (const int axis : axes) {
    names += (names.empty() ? "" : ", ") + axes_[static_cast<std::size_t>(axis)].name;
  }
  return names;
}

std::vector<int> Builder::AxesOf(Value value) const {
  std::vector<int> axes;
  const Nest& nest = nests_[value.inst.index()];
  for (const auto& [axis, logical] : nest.axes) {
    if (!Contains(nest.reduce, axis)) axes.push_back(axis);
  }
  return axes;
}

void Builder::CheckNest(const std::string& who, const std::string& name,
                        const std::vector<int>& axes) const {
  CheckName("value", name);
  for (const Instruction& inst : function_.insts) {
    if (inst.name_ == name) throw BackboneError(who + "there is already a value of that name");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || static_cast<std::size_t>(axes[i]) >= axes_.size()) {
      throw BackboneError(who + "its axis number " + std::to_string(i + 1) +
                          " was not made by Axis() of this builder");
    }
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw BackboneError(who + "axis " + AxisNames({axes[i]}) +
                          " stands twice; for a diagonal, one axis with the sum of both strides");
    }
  }
}

void Builder::CheckAccess(const std::string& who, ArrayId array, ArrayRole role,
                          const Strides& strides, std::int64_t offset,
                          const std::vector<Guard>& guards) const {
  if (array.index() >= function_.arrays.size()) {
    throw BackboneError(who +
                        "its array was not made by InputArray() or OutputArray() of this "
                        "builder");
  }
  const Array& accessed = function_.array(array);
  const std::string what = "array '" + accessed.name + "'";
  if (accessed.role != role) {
    throw BackboneError(who + what +
                        (role == ArrayRole::kInput
                             ? " is an output: what was computed is read as a value, not by Load()"
                             : " is an input: only an OutputArray() can be stored to"));
  }
  // Sums that do not fit 63 bits are out of bounds anyway.
  __int128 first = offset, last = offset;
  std::string steps;
  for (const auto& [axis, stride] : strides) {
    const AxisInfo& info = axes_[static_cast<std::size_t>(axis.index)];
    const __int128 way = static_cast<__int128>(stride) * (info.total - 1);
    (way < 0 ? first : last) += way;
    steps += (steps.empty() ? "" : ", ") + info.name + " takes " + std::to_string(info.total) +
             " steps of " + std::to_string(stride);
  }
  if (offset != 0) steps += ", from element " + std::to_string(offset);
  for (const Guard& guard : guards) {
    if (guard.extent >= 1) continue;
    throw BackboneError(who + "a dimension that it may leave has " + std::to_string(guard.extent) +
                        " elements; it must have 1 or more");
  }
  // What is inside for all guards is for the caller to know.
  if (!guards.empty()) return;
  if (first >= 0 && last < static_cast<__int128>(accessed.elements)) return;
  const bool below = first < 0;
  const __int128 reached = below ? first : last;
  constexpr __int128 kMost = std::numeric_limits<std::int64_t>::max();
  const std::string element = reached > kMost || reached < -kMost
                                  ? "beyond 2^63"
                                  : "element " + std::to_string(static_cast<std::int64_t>(reached));
  throw BackboneError(who + "it reaches " + element + " in " + what + ", which has elements 0 to " +
                      std::to_string(accessed.elements - 1) + " (axis " + steps + ")");
}

/// The index is in bounds. It takes every value once if and only if the axes, sorted by stride, are
/// the digits of a mixed radix number.
void Builder::CheckWritesAll(const std::string& who, ArrayId array, const Strides& strides) const {
  const Array& written = function_.array(array);
  for (const Instruction& inst : function_.insts) {
    if (inst.op == Op::kStore && inst.array == array) {
      throw BackboneError(who + "array '" + written.name + "' is already written by '" +
                          inst.name_ + "'");
    }
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> digits;  // Stride and total.
  for (const auto& [axis, stride] : strides) {
    const std::uint32_t total = axes_[static_cast<std::size_t>(axis.index)].total;
    if (total > 1) digits.emplace_back(std::abs(stride), total);
  }
  std::sort(digits.begin(), digits.end());
  std::uint64_t points = 1;
  bool distinct = true;
  for (const auto& [stride, total] : digits) {
    distinct = distinct && static_cast<std::uint64_t>(stride) >= points;
    points *= total;
  }
  if (!distinct) {
    throw BackboneError(who + "it writes elements of array '" + written.name +
                        "' more than once: each axis must step over what those of smaller strides "
                        "write");
  }
  if (points != written.elements) {
    throw BackboneError(who + "it writes " + std::to_string(points) + " of the " +
                        std::to_string(written.elements) + " elements of array '" + written.name +
                        "'; every element of an output is written");
  }
}

void Builder::CheckValue(const std::string& who, Value value) const {
  if (value.inst.index() >= function_.insts.size()) {
    throw BackboneError(who + "a value that it reads was not made by this builder");
  }
  const Instruction& inst = function_.inst(value.inst);
  if (inst.op == Op::kStore) {
    throw BackboneError(who + "'" + inst.name_ + "' is a store, which has no value");
  }
}

void Builder::CheckInputs(const std::string& who, const std::vector<int>& axes,
                          const std::vector<Input>& inputs) const {
  for (const Input& input : inputs) {
    if (input.kind == Operand::Kind::kScalar) {
      const auto named = [&](const ir::Scalar& scalar) { return scalar.name == input.scalar; };
      if (std::any_of(function_.scalars.begin(), function_.scalars.end(), named)) continue;
      throw BackboneError(who + "there is no scalar '" + input.scalar + "'; Scalar(\"" +
                          input.scalar + "\", value) declares it, before it is used");
    }
    if (input.kind != Operand::Kind::kComm) continue;
    CheckValue(who, input.value);
    std::vector<int> lacking;
    for (const int axis : AxesOf(input.value)) {
      if (!Contains(axes, axis)) lacking.push_back(axis);
    }
    if (lacking.empty()) continue;
    throw BackboneError(who + "it reads '" + function_.inst(input.value.inst).name_ +
                        "', which has another value for each step of axis " + AxisNames(lacking) +
                        "; it must iterate over that axis, too (its axes: " + AxisNames(axes) +
                        ")");
  }
}

void Builder::Finish() {
  bool any_store = false;
  for (const Array& array : function_.arrays) {
    if (array.role != ArrayRole::kOutput) continue;
    any_store = true;
    const auto writes = [&](const Instruction& inst) {
      return inst.op == Op::kStore && inst.array == array.id;
    };
    if (std::none_of(function_.insts.begin(), function_.insts.end(), writes)) {
      throw BackboneError("array '" + array.name + "' is an output that no Store() writes");
    }
  }
  if (!any_store) throw BackboneError("it has no OutputArray(): there is nothing to compute");
  for (const Instruction& inst : function_.insts) {
    const auto reads = [&](const Communication& comm) { return comm.producer == inst.id; };
    if (inst.op != Op::kStore &&
        std::none_of(function_.comms.begin(), function_.comms.end(), reads)) {
      throw BackboneError("value '" + inst.name_ + "': nothing reads it");
    }
  }
  if (!paper_) KeepUsefulStaging();
}

/// The axis along which an access has its neighbours, or -1 if it does not move.
int Builder::RunsAlong(const Instruction& access) const {
  int along = -1;
  std::int64_t least = 0;
  for (const AccessAxis& axis : access.access) {
    const std::int64_t step = std::abs(axis.stride);
    if (step == 0 || (along >= 0 && step >= least)) continue;
    for (const auto& [number, logical] : nests_[access.id.index()].axes) {
      if (logical == axis.logical) along = number;
    }
    least = step;
  }
  return along;
}

/// By instruction: is its value read by a reduction, or by what hands its own on to one in
/// registers?
std::vector<bool> Builder::FeedingReductions() const {
  std::vector<bool> feeds(function_.insts.size(), false);
  // Readers come after what they read.
  for (std::size_t reader = function_.insts.size(); reader-- > 0;) {
    const bool is_reduction = function_.insts[reader].is_reduction();
    for (const Communication& comm : function_.comms) {
      if (comm.consumer.index() != reader || comm.is_init) continue;
      if (is_reduction || (feeds[reader] && !comm.may_lower)) feeds[comm.producer.index()] = true;
    }
  }
  return feeds;
}

/// A temporary array is of use to a value that several points of its reader share, to one that a
/// reduction reads in another order than it lies in, and to one that is stored in another order. A
/// value that is read once, where it lies, by what is stored alike gains nothing: it would be
/// written and read once more. Each temporary has two nests of its own, and building a space costs
/// more than the square of their number. So such a value may have one only where there are no more
/// than two that may, which is what the paper has (axpy).
void Builder::KeepUsefulStaging() {
  constexpr std::ptrdiff_t kFew = 2;
  if (std::ranges::count_if(function_.comms, &Communication::may_lower) <= kFew) return;
  const std::vector<bool> feeds = FeedingReductions();
  for (Communication& comm : function_.comms) {
    const Instruction& producer = function_.inst(comm.producer);
    const bool is_shared =
        nests_[comm.consumer.index()].axes.size() != AxesOf({producer.id}).size();
    if (!comm.may_lower || producer.op != Op::kLoad || is_shared) continue;
    if (feeds[comm.consumer.index()] || function_.inst(comm.consumer).is_reduction()) continue;
    const int along = RunsAlong(producer);
    const bool lies_alike = std::ranges::all_of(function_.insts, [&](const Instruction& inst) {
      const int stored = inst.op == Op::kStore ? RunsAlong(inst) : along;
      return stored == along;
    });
    if (lies_alike) comm.may_lower = false;
  }
}

// ---- what a device holds ----

/// Threads of a block have a few each, beside all else that they hold. A core has as many as it may
/// unroll, as far as they are lanes; half of that, since such a nest has other copies, too.
bool Builder::RegistersHold(std::uint64_t points, std::uint64_t neighbours, bool are_sums) const {
  constexpr std::uint64_t kOfThread = 4, kOfTile = 8;
  if (device_ == nullptr) return true;
  if (device_->max_threads > 1) return points <= device_->max_threads * kOfThread;
  const std::uint32_t lanes =
      WidestVector(*device_, [&](std::uint32_t size) { return neighbours % size == 0; });
  return points / lanes <= (are_sums ? kOfTile : device_->max_unroll / 2);
}

/// With room for a second one, and for what else is kept.
bool Builder::MemoryHolds(std::uint64_t points) const {
  constexpr std::uint64_t kWidestElement = 8, kArrays = 4;
  if (device_ == nullptr) return true;
  const std::uint64_t most = std::max<std::uint64_t>(device_->shared_bytes, device_->global_bytes);
  return points * kWidestElement * kArrays <= most;
}

// ---- what is written ----

ArrayId Builder::InputArray(std::string name, std::uint64_t elements, Type type,
                            std::uint32_t alignment) {
  CheckArgument("array", name);
  if (elements == 0) throw BackboneError("array '" + name + "': it has no elements");
  if (!std::has_single_bit(alignment) || alignment < BytesOf(type)) {
    throw BackboneError("array '" + name + "': it cannot be aligned to " +
                        std::to_string(alignment) + " bytes; that is a power of two, " +
                        std::to_string(BytesOf(type)) + " or more");
  }
  const auto id = NextId<ArrayId>(function_.arrays);
  function_.arrays.push_back({id, std::move(name), ArrayRole::kInput, elements, type, alignment});
  return id;
}

ArrayId Builder::OutputArray(std::string name, std::uint64_t elements, Type type,
                             std::uint32_t alignment) {
  const ArrayId id = InputArray(std::move(name), elements, type, alignment);
  function_.arrays.back().role = ArrayRole::kOutput;
  return id;
}

void Builder::Scalar(std::string name, const Number& value, Type type) {
  CheckArgument("scalar", name);
  const Number rounded = Rounded(type, value);
  const bool is_there = IsFloat(type) ? std::isfinite(double{rounded}) : AreEqual(rounded, value);
  if (!is_there) {
    throw BackboneError("scalar '" + name + "': its value is " + std::to_string(double{value}) +
                        (std::isfinite(double{value})
                             ? ", which " + std::string(WordOf(type)) + " has not"
                             : "; it must be finite"));
  }
  function_.scalars.push_back({std::move(name), rounded, type});
}

void Builder::Cover(std::vector<std::string> names, std::uint32_t multiple) {
  covered_ = std::move(names);
  cover_multiple_ = multiple;
}

AxisRef Builder::Axis(std::string name, std::uint32_t total, const Tiling& tiling) {
  const bool may_cover = !paper_ && may_cover_;
  if (may_cover && std::ranges::find(covered_, name) != covered_.end()) {
    const std::uint32_t extent = (total + cover_multiple_ - 1) / cover_multiple_ * cover_multiple_;
    return CoveredAxis(std::move(name), total, extent, tiling);
  }
  return CoveredAxis(std::move(name), total, may_cover ? CoveringExtent(total) : total, tiling);
}

AxisRef Builder::CoveredAxis(std::string name, std::uint32_t total, std::uint32_t extent,
                             const Tiling& tiling) {
  constexpr std::uint32_t kLargestTile = 1024;
  constexpr std::size_t kMostLevels = 8;
  CheckName("axis", name);
  const auto named = [&](const AxisInfo& other) { return other.name == name; };
  if (std::any_of(axes_.begin(), axes_.end(), named)) {
    throw BackboneError("axis '" + name + "': there is already an axis of that name");
  }
  if (total == 0) throw BackboneError("axis '" + name + "': it has no iterations");
  if (tiling.size() > kMostLevels) {
    throw BackboneError("axis '" + name + "': it has " + std::to_string(tiling.size()) +
                        " tile levels, at most " + std::to_string(kMostLevels) + " are possible");
  }
  if (extent < total) {
    throw BackboneError("axis '" + name + "': " + std::to_string(extent) +
                        " iterations do not cover its " + std::to_string(total) + " points");
  }
  if (extent > total) {
    notes_.push_back("axis " + name + " = " + std::to_string(total) + ", covered by " +
                     std::to_string(extent));
  }
  AxisInfo info{name, total, extent,
                paper_ ? SplitAxis(name, extent, tiling)
                       : SplitAxisFreely(name, extent, tiling, kLargestTile)};
  if (!info.levels.note.empty()) notes_.push_back(info.levels.note);
  axes_.push_back(std::move(info));
  return {static_cast<int>(axes_.size()) - 1};
}

bool Builder::must_cover_nothing() const {
  const auto divides_integers = [](const Instruction& inst) {
    if (inst.op != Op::kDiv || IsFloat(inst.computes)) return false;
    const Operand& by = inst.operands[1];
    return by.kind != Operand::Kind::kLiteral || double{by.literal} == 0;
  };
  return std::ranges::any_of(function_.logical_dims, &LogicalDim::covers) &&
         std::ranges::any_of(function_.insts, divides_integers);
}

Instruction& Builder::AddInst(std::string name, Op op, const std::vector<int>& axes,
                              const std::vector<int>& reduce) {
  Instruction inst;
  inst.id = NextId<InstId>(function_.insts);
  inst.name_ = std::move(name);
  inst.op = op;
  Nest nest;
  for (const int axis : axes) {
    const AxisInfo& info = axes_[static_cast<std::size_t>(axis)];
    const bool reduces = std::find(reduce.begin(), reduce.end(), axis) != reduce.end();
    LogicalDim logical{NextId<LogicalDimId>(function_.logical_dims),
                       inst.name_ + "." + info.name,
                       info.total,
                       {},
                       info.extent};
    const int levels = static_cast<int>(info.levels.sizes.size());
    for (int level = 0; level < levels; ++level) {
      Dimension dim;
      dim.id = NextId<DimId>(function_.dims);
      dim.name_ = logical.name + std::to_string(level);
      dim.logical = logical.id;
      dim.level = level;
      dim.sizes = info.levels.sizes[static_cast<std::size_t>(level)];
      dim.is_reduction = reduces;
      dim.innermost_level = level == levels - 1;
      dim.inst = inst.id;
      inst.dims.push_back(dim.id);
      if (reduces) inst.reduce_dims.push_back(dim.id);
      logical.dims.push_back(dim.id);
      function_.dims.push_back(std::move(dim));
    }
    nest.axes.emplace_back(axis, logical.id);
    function_.logical_dims.push_back(std::move(logical));
  }
  nest.reduce = reduce;
  nests_.push_back(std::move(nest));
  function_.insts.push_back(std::move(inst));
  return function_.insts.back();
}

CommId Builder::Connect(InstId producer, InstId consumer, int operand, bool may_lower) {
  Communication comm;
  comm.id = NextId<CommId>(function_.comms);
  comm.name_ = function_.inst(producer).name_ + ":" + function_.inst(consumer).name_;
  // The same value read twice by one instruction: the operand tells the two apart.
  const std::string plain = comm.name_;
  for (const Communication& other : function_.comms) {
    if (other.name_ == comm.name_) comm.name_ = plain + "." + std::to_string(operand);
  }
  comm.producer = producer;
  comm.consumer = consumer;
  comm.operand = operand;
  comm.may_lower = may_lower;
  comm.is_init = operand < 0;
  for (const auto& [axis, src_logical] : nests_[producer.index()].axes) {
    for (const auto& [other, dst_logical] : nests_[consumer.index()].axes) {
      if (axis != other) continue;
      const auto& src = function_.logical(src_logical).dims;
      const auto& dst = function_.logical(dst_logical).dims;
      // A value reduced over an axis no longer has it, but that of a scan.
      if (function_.dim(src.front()).is_reduction && !function_.inst(producer).is_scan()) continue;
      for (std::size_t level = 0; level < src.size(); ++level) {
        const auto id = NextId<PairId>(function_.pairs);
        function_.pairs.push_back({id, comm.id, src[level], dst[level], false,
                                   comm.name_ + "." + axes_[static_cast<std::size_t>(axis)].name +
                                       std::to_string(level)});
        comm.pairs.push_back(id);
      }
    }
  }
  function_.comms.push_back(std::move(comm));
  return function_.comms.back().id;
}

Operand Builder::AddInput(InstId consumer, const Input& input, int operand) {
  Operand out;
  out.kind = input.kind;
  out.literal = input.literal;
  out.scalar = input.scalar;
  if (input.kind == Operand::Kind::kComm) {
    out.comm = Connect(input.value.inst, consumer, operand, input.may_lower);
  }
  return out;
}

std::vector<AccessAxis> Builder::AccessOf(InstId inst, const Strides& strides) const {
  std::vector<AccessAxis> access;
  for (const auto& [axis, stride] : strides) {
    for (const auto& [own, logical] : nests_[inst.index()].axes) {
      if (own == axis.index) access.push_back({logical, stride});
    }
  }
  return access;
}

Value Builder::Load(std::string name, ArrayId array, const Strides& strides, std::int64_t offset,
                    const std::vector<Guard>& guards, const Number& outside) {
  const std::string who = "load '" + name + "': ";
  CheckNest(who, name, Indices(strides));
  CheckAccess(who, array, ArrayRole::kInput, strides, offset, guards);
  Instruction& inst = AddInst(std::move(name), Op::kLoad, Indices(strides), {});
  inst.computes = function_.array(array).type;
  AddRead(who, inst, array, strides, offset, guards, outside);
  return {inst.id};
}

Value Builder::Gather(std::string name, ArrayId array, const Strides& strides, std::int64_t offset,
                      const Input& index, const std::vector<Guard>& guards, const Number& outside) {
  const std::string who = "gather '" + name + "': ";
  CheckNest(who, name, Indices(strides));
  CheckAccess(who, array, ArrayRole::kInput, strides, offset, guards);
  CheckInputs(who, Indices(strides), {index});
  if (TypeOf(index) != Type::kI32) throw BackboneError(who + "its index is no i32");
  if (function_.array(array).elements > static_cast<std::uint64_t>(kLargestExtent)) {
    throw BackboneError(who + "the array has more elements than an i32 can number");
  }
  const InstId id = AddInst(std::move(name), Op::kGather, Indices(strides), {}).id;
  const Operand operand = AddInput(id, index, 0);
  Instruction& inst = function_.insts[id.index()];
  inst.operands = {operand};
  inst.computes = Type::kI32;
  AddRead(who, inst, array, strides, offset, guards, outside);
  return {id};
}

void Builder::AddRead(const std::string& who, Instruction& inst, ArrayId array,
                      const Strides& strides, std::int64_t offset, const std::vector<Guard>& guards,
                      const Number& outside) {
  inst.array = array;
  inst.type = function_.array(array).type;
  inst.offset = offset;
  inst.access = AccessOf(inst.id, strides);
  inst.outside = Rounded(inst.type, outside);
  for (const Guard& guard : guards) {
    inst.guards.push_back({guard.offset, AccessOf(inst.id, guard.strides), guard.extent});
    if (inst.guards.back().axes.size() == guard.strides.size()) continue;
    throw BackboneError(who + "an axis of a dimension that it may leave is none of its axes");
  }
}

void Builder::AddNote(const std::string& note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
}

Value Builder::Index(std::string name, const Strides& strides, std::int64_t offset) {
  const std::string who = "index '" + name + "': ";
  CheckNest(who, name, Indices(strides));
  // It may be as far from 0 as all steps together.
  double most = std::abs(static_cast<double>(offset));
  for (const auto& [axis, stride] : strides) {
    most +=
        std::abs(static_cast<double>(stride)) * axes_[static_cast<std::size_t>(axis.index)].total;
  }
  if (most > InfoOf(Type::kI64).largest) {
    throw BackboneError(who + "its values do not fit 64 bits");
  }
  Instruction& inst = AddInst(std::move(name), Op::kIndex, Indices(strides), {});
  inst.type = inst.computes = most > InfoOf(Type::kI32).largest ? Type::kI64 : Type::kI32;
  inst.offset = offset;
  inst.access = AccessOf(inst.id, strides);
  return {inst.id};
}

void Builder::Store(std::string name, ArrayId array, const Strides& strides, const Input& value,
                    std::int64_t offset) {
  const std::string who = "store '" + name + "': ";
  CheckNest(who, name, Indices(strides));
  CheckAccess(who, array, ArrayRole::kOutput, strides, offset);
  CheckWritesAll(who, array, strides);
  CheckInputs(who, Indices(strides), {value});
  const InstId id = AddInst(std::move(name), Op::kStore, Indices(strides), {}).id;
  const Operand operand = AddInput(id, value, 0);
  Instruction& inst = function_.insts[id.index()];
  inst.array = array;
  inst.type = inst.computes = function_.array(array).type;
  inst.operands = {operand};
  inst.offset = offset;
  inst.access = AccessOf(id, strides);
}

std::optional<Type> Builder::TypeOf(const Input& input) const {
  if (input.kind == Operand::Kind::kLiteral) return std::nullopt;
  if (input.kind == Operand::Kind::kComm) return TypeOf(input.value);
  return function_.scalar(input.scalar)->type;
}

Type Builder::CommonTypeOf(const std::string& who, std::span<const Input> inputs) const {
  std::optional<Type> common;
  for (const Input& input : inputs) {
    const std::optional<Type> type = TypeOf(input);
    if (!type) continue;
    const std::optional<Type> both = common ? CommonType(*common, *type) : type;
    if (!both) {
      throw BackboneError(who + "one operand is " + std::string(WordOf(*common)) +
                          " and another one " + std::string(WordOf(*type)) +
                          ": one of them must be cast, by kConst");
    }
    common = both;
  }
  return common.value_or(Type::kF32);
}

void Builder::CheckTakes(const std::string& who, Op op, Type operands) const {
  const Takes takes = InfoOf(op).takes;
  if (takes == Takes::kAny || (takes == Takes::kFloats) == IsFloat(operands)) return;
  throw BackboneError(who + OpName(op) + " takes " +
                      (takes == Takes::kFloats ? "floats" : "integers and bools") +
                      ", its operands are " + std::string(WordOf(operands)));
}

Value Builder::Compute(std::string name, Op op, const std::vector<AxisRef>& axes,
                       const std::vector<Input>& inputs, std::optional<Type> type) {
  const std::string who = "value '" + name + "': ";
  CheckNest(who, name, Indices(axes));
  const auto operands_of_op = static_cast<std::size_t>(InfoOf(op).operands);
  if (operands_of_op == 0) {
    throw BackboneError(who +
                        "Compute() takes an operator (kernels/ir/ops.h); arrays are read by "
                        "Load() and written by Store()");
  }
  CheckCount(who, op, operands_of_op, inputs.size());
  CheckInputs(who, Indices(axes), inputs);
  // The condition of a choice has a type of its own.
  const std::span<const Input> computed = std::span(inputs).subspan(op == Op::kSelect ? 1 : 0);
  const bool all_literals = std::ranges::all_of(
      computed, [](const Input& input) { return input.kind == Operand::Kind::kLiteral; });
  const Type common = all_literals && type ? *type : CommonTypeOf(who, computed);
  CheckTakes(who, op, common);
  const Type result = ResultType(op, common);
  if (type && *type != result && op != Op::kConst) {
    throw BackboneError(who + OpName(op) + " of " + std::string(WordOf(common)) + " is " +
                        std::string(WordOf(result)) + ", not " + std::string(WordOf(*type)) +
                        "; kConst casts");
  }
  const InstId id = AddInst(std::move(name), op, Indices(axes), {}).id;
  function_.insts[id.index()].type = type.value_or(result);
  function_.insts[id.index()].computes =
      InfoOf(op).compares() ? ComputeTypeOf(common) : type.value_or(result);
  std::vector<Operand> operands;
  for (const Input& input : inputs) {
    operands.push_back(AddInput(id, input, static_cast<int>(operands.size())));
  }
  function_.insts[id.index()].operands = std::move(operands);
  return {id};
}

Value Builder::Reduce(std::string name, Op op, const std::vector<AxisRef>& axes,
                      const std::vector<AxisRef>& reduce, Value init,
                      const std::vector<Input>& inputs, std::optional<Type> type) {
  return Accumulated(std::move(name), op, axes, reduce, Keeps::kLast, init, inputs, type);
}

Value Builder::Scan(std::string name, Op op, const std::vector<AxisRef>& axes, AxisRef along,
                    Keeps keeps, Value init, const Input& input, std::optional<Type> type) {
  if (op == Op::kMad) {
    throw BackboneError("value '" + name + "': Scan() takes kAdd, kMul, kMin or kMax, got " +
                        OpName(op));
  }
  return Accumulated(std::move(name), op, axes, {along}, keeps, init, {input}, type);
}

Value Builder::Accumulated(std::string name, Op op, const std::vector<AxisRef>& axes,
                           const std::vector<AxisRef>& reduce, Keeps keeps, Value init,
                           const std::vector<Input>& inputs, std::optional<Type> type) {
  const std::string who = "value '" + name + "': ";
  CheckNest(who, name, Indices(axes));
  if (!InfoOf(op).may_reduce) {
    throw BackboneError(who + "Reduce() takes kMad, kAdd, kMul, kMin or kMax, got " + OpName(op));
  }
  // The last operand is what was accumulated so far.
  CheckCount(who + "as a reduction, ", op, static_cast<std::size_t>(InfoOf(op).operands) - 1,
             inputs.size());
  CheckInputs(who, Indices(axes), inputs);
  if (reduce.empty()) {
    throw BackboneError(who + "it reduces over no axis; Compute() is for that");
  }
  std::vector<int> kept = Indices(axes);
  for (const AxisRef axis : reduce) {
    if (std::erase(kept, axis.index) == 1) continue;
    throw BackboneError(who + "it reduces over an axis that is not one of its axes (" +
                        AxisNames(Indices(axes)) + "), or twice over one");
  }
  CheckValue(who, init);
  const std::vector<int> initial = AxesOf(init);
  if (!std::is_permutation(initial.begin(), initial.end(), kept.begin(), kept.end())) {
    throw BackboneError(who + "its initial value '" + function_.inst(init.inst).name_ +
                        "' must have the axes that are not reduced (" + AxisNames(kept) +
                        "), it has " + AxisNames(initial));
  }
  const Type common = CommonTypeOf(who, inputs);
  const Type accumulated = type.value_or(ResultType(op, common));
  if (InfoOf(accumulated).is_narrow() && accumulated != Type::kBool) {
    throw BackboneError(who + "nothing is accumulated in " + std::string(WordOf(accumulated)) +
                        ", but in " + std::string(WordOf(ComputeTypeOf(accumulated))));
  }
  if (IsFloat(common) && !IsFloat(accumulated)) {
    throw BackboneError(who + "its terms are " + std::string(WordOf(common)) +
                        " and cannot be accumulated in " + std::string(WordOf(accumulated)));
  }
  const InstId id = AddInst(std::move(name), op, Indices(axes), Indices(reduce)).id;
  function_.insts[id.index()].type = function_.insts[id.index()].computes = accumulated;
  std::vector<Operand> operands;
  for (const Input& input : inputs) {
    operands.push_back(AddInput(id, input, static_cast<int>(operands.size())));
  }
  const CommId comm = Connect(init.inst, id, -1, false);
  Instruction& inst = function_.insts[id.index()];
  inst.operands = std::move(operands);
  inst.init = comm;
  inst.keeps = keeps;
  if (inst.is_scan()) nests_[id.index()].reduce.clear();
  return {id};
}

}  // namespace exh::kernels::ir
