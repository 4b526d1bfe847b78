// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cpu_statements.h"

#include <algorithm>
#include <optional>

#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

/// What a value is before it becomes an element of the type: bools are told from other numbers by a
/// comparison, and rounding is left to the store.
ir::Type WideOf(ir::Type element) {
  return element == ir::Type::kBool ? element : ir::ComputeTypeOf(element);
}

}  // namespace

bool Streams(const LoweredCode& code, const ir::Instruction& inst) {
  return inst.op == ir::Op::kStore && code.values.insts[inst.id.index()].lanes > 1 &&
         code.schedule->cache.Or(Cache::CACHE_DEFAULT, inst.id) == Cache::NO_CACHE;
}

bool IsHeld(const LoweredCode& code, const ir::Instruction& inst) {
  const bool is_read = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
  if (!is_read || code.values.insts[inst.id.index()].lanes == 1) return false;
  const auto copies = [&](ir::InstId id) {
    std::uint64_t count = 1;
    for (const int c : code.tree.ClassesAround(code.tree.node_of_inst[id.index()])) {
      const DimClass& one = code.tree.classes[static_cast<std::size_t>(c)];
      if (one.kind == DimKind::UNROLL) count *= one.size;
    }
    return count;
  };
  std::uint64_t uses = 0;
  for (const ir::Communication& comm : code.function->comms) {
    const bool reads =
        comm.producer == inst.id && code.tree.node_of_inst[comm.consumer.index()] >= 0;
    if (reads) uses += copies(comm.consumer);
  }
  return uses > copies(inst.id);
}

std::string CpuStatements::Register(ir::InstId inst, const Key& unrolled) const {
  return Statements::Register(inst, unrolled) + (Storage(inst).per_thread ? "[t]" : "");
}

std::string CpuStatements::BesideRegister(ir::InstId inst, const Key& key) const {
  return Statements::BesideRegister(inst, key) + (Storage(inst).per_thread ? "[t]" : "");
}

std::vector<std::string> CpuStatements::SumsOf(ir::InstId sum, const Key& key) const {
  return Storage(sum).parts.empty() ? Statements::SumsOf(sum, key) : Parts(sum, key);
}

/// What the instruction writes: a reduction along lanes the parts that these have.
std::string CpuStatements::OwnRegister(ir::InstId inst) const {
  const ValueStorage& storage = Storage(inst);
  if (storage.parts.empty()) return Statements::OwnRegister(inst);
  std::size_t number = 0, stride = 1;
  for (const KeyDim& part : storage.parts.copies) {
    number += static_cast<std::size_t>(copy(part.dim_class)) * stride;
    stride *= part.size;
  }
  return Parts(inst, OwnKey(inst))[number];
}

// float v_acc_0, v_acc_1;   or   vec8 v_acc_0[64], v_acc_1[64];
void CpuStatements::Declare(ir::InstId inst) {
  const ValueStorage& storage = Storage(inst);
  DeclareAll(inst, Registers(inst), storage.lanes);
  if (storage.beside != BesideValue::kNothing && part_->insts[inst.index()]) {
    DeclareAll(inst, BesideRegisters(inst), storage.lanes);
  }
  if (storage.parts.empty() || !part_->insts[inst.index()]) return;
  std::vector<std::string> parts;
  for (const std::string& point : RegistersOf(LanesName(inst), storage, false)) {
    for (std::string& part : PartNames(inst, point)) parts.push_back(std::move(part));
  }
  DeclareAll(inst, parts, storage.parts.lanes);
}

void CpuStatements::DeclareAll(ir::InstId inst, const std::vector<std::string>& names,
                               std::uint32_t lanes) {
  const bool per_thread = Storage(inst).per_thread;
  DeclareAs(lanes > 1 ? VectorName(HeldBy(inst), lanes) : std::string(RegisterName(HeldBy(inst))),
            names, per_thread ? "[" + std::to_string(code_.tree.num_threads) + "]" : "");
}

/// The scalar that lane `lane` of the reader reads.
std::string CpuStatements::Lane(const ValueRead& read, int vector_class, std::int64_t lane) const {
  const ValueStorage& storage = Storage(read.producer);
  std::vector<std::int64_t> unrolled;
  std::string extract;
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    const int source = read.index[i].dim_class;
    const std::int64_t index = source == vector_class ? lane : copy(source);
    if (storage.key[i].is_vector) {
      extract = "[" + std::to_string(index) + "]";
    } else {
      unrolled.push_back(index);
    }
  }
  return Register(read.producer, unrolled) + extract;
}

ValueText CpuStatements::ReadRegister(const ir::Instruction& inst, std::size_t operand) const {
  const InstValues& values = Values(inst.id);
  const ValueRead& read = values.reads[operand];
  const ValueStorage& storage = Storage(read.producer);
  bool per_lane = false, whole_vector = false;
  std::vector<std::int64_t> unrolled;
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    const bool moves = values.vector_class >= 0 && read.index[i].dim_class == values.vector_class;
    per_lane |= moves;
    whole_vector |= moves && storage.key[i].is_vector;
    if (!storage.key[i].is_vector) {
      per_lane = per_lane || moves;
      unrolled.push_back(copy(read.index[i].dim_class));
    }
  }
  if (!per_lane) return {Lane(read, -1, 0), false};
  if (whole_vector) return {Register(read.producer, unrolled), true};
  std::string text = VectorName(HeldBy(read.producer), values.lanes) + "{";
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    text += (lane > 0 ? ", " : "") + Lane(read, values.vector_class, lane);
  }
  return {text + "}", true};
}

std::string CpuStatements::Text(const Affine& affine, std::int64_t lane) const {
  const std::string text = Sum(affine, false, lane);
  return text.empty() ? "0" : text;
}

bool CpuStatements::IsAlongLanes(const ir::Instruction& inst, const GuardIndex& guard) const {
  const InstValues& values = Values(inst.id);
  return values.lanes > 1 && guard.index.StrideOf(values.vector_class) != 0;
}

/// "(unsigned long)(i_n0 * 4 - 1) < 16"
std::string CpuStatements::GuardText(const GuardIndex& guard, const Range& range,
                                     std::int64_t lane) const {
  const std::string text = Text(guard.index, lane), extent = std::to_string(guard.extent);
  if (range.least >= 0) return text + " < " + extent;
  if (range.most < guard.extent) return text + " >= 0";
  return "(unsigned long)(" + text + ") < " + extent;
}

std::string CpuStatements::InsideOfAllLanes(const ir::Instruction& inst) const {
  return Inside(inst, {0}, [&](const GuardIndex& guard) { return !IsAlongLanes(inst, guard); });
}

std::int64_t CpuStatements::IterationsInside(ir::InstId inst, int dim_class) const {
  std::int64_t inside = code_.tree.classes[At(dim_class)].size;
  for (const GuardIndex& guard : code_.memory.guards[inst.index()]) {
    const std::int64_t step = guard.index.StrideOf(dim_class);
    if (!guard.is_cover || step <= 0) continue;
    std::int64_t beyond = guard.extent - guard.index.offset;  // What is left for this loop.
    for (const auto& [other, stride] : guard.index.strides) {
      if (other == dim_class) continue;
      const auto [first, last] = ranges_[At(other)];
      beyond -= (stride < 0 ? first : last) * stride;
    }
    inside = std::min(inside, beyond <= 0 ? 0 : (beyond + step - 1) / step);
  }
  return inside;
}

/// The element that a lane reads, or 0.
std::string CpuStatements::LoadLane(const ir::Instruction& inst, std::int64_t lane) const {
  const ir::Type type = ElementType(inst);
  const std::string element =
      FromElementText(ArrayName(inst) + "[" + Address(inst, lane) + "]", type, helpers_);
  const std::string inside = Inside(inst, {lane});
  if (inside.empty()) return element;
  const std::string outside = Number(inst.outside, ir::ComputeTypeOf(type));
  return inside == kNever ? outside : inside + " ? " + element + " : " + outside;
}

const GuardIndex* CpuStatements::CoverAlongLanes(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const Affine& address = code_.memory.address[inst.id.index()];
  if (values.lanes == 1 || address.StrideOf(values.vector_class) != 1) return nullptr;
  const GuardIndex* only = nullptr;
  for (const GuardIndex& guard : code_.memory.guards[inst.id.index()]) {
    if (!IsAlongLanes(inst, guard)) continue;
    const bool is_simple = guard.is_cover && guard.index.StrideOf(values.vector_class) == 1;
    if (only != nullptr || !is_simple) return nullptr;
    only = &guard;
  }
  return only;
}

const GuardIndex* CpuStatements::GuardAlongLanes(const ir::Instruction& inst) const {
  for (const GuardIndex& guard : code_.memory.guards[inst.id.index()]) {
    if (IsAlongLanes(inst, guard)) return &guard;
  }
  return nullptr;
}

std::string CpuStatements::LanesInside(const ir::Instruction& inst, const GuardIndex& cover) const {
  const std::string left = std::to_string(cover.extent) + " - (" + Text(cover.index, 0) + ")";
  const std::int64_t step = cover.index.StrideOf(Values(inst.id).vector_class);
  if (step == 1) return left;
  return "(" + left + " + " + std::to_string(step - 1) + ") / " + std::to_string(step);
}

/// Lanes of which the last ones may be beyond a covered axis: all at once where all are inside.
ValueText CpuStatements::LoadPart(const ir::Instruction& inst, const GuardIndex& cover) const {
  const ir::Type type = ElementType(inst), held = ir::ComputeTypeOf(type);
  const std::uint32_t lanes = Values(inst.id).lanes;
  const std::string outside = AsVector({Number(inst.outside, held), false}, held, lanes);
  const std::string any = Inside(inst, {0}), fixed = InsideOfAllLanes(inst);
  if (any == kNever) return {outside, true};
  const std::string all = Inside(inst, {std::int64_t{lanes} - 1});
  const std::string name = std::to_string(lanes) + VectorSuffix(type);
  const std::string pointer = ArrayName(inst) + " + " + Address(inst);
  const std::string whole = "load" + name + "(" + pointer + ")";
  if (all.empty()) return {whole, true};
  std::string part = "part_load" + name + "(" + pointer + ", " + LanesInside(inst, cover) + ")";
  if (!fixed.empty()) part = "(" + fixed + " ? " + part + " : " + outside + ")";
  return {all == kNever ? part : all + " ? " + whole + " : " + part, true};
}

ValueText CpuStatements::Load(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  if (const GuardIndex* const cover = CoverAlongLanes(inst)) return LoadPart(inst, *cover);
  const auto moves = [&](const Affine& affine) {
    return values.lanes > 1 && affine.StrideOf(values.vector_class) != 0;
  };
  const auto& guards = code_.memory.guards[inst.id.index()];
  const bool lanes_move = moves(code_.memory.address[inst.id.index()]);
  const bool guards_move =
      std::ranges::any_of(guards, [&](const GuardIndex& guard) { return moves(guard.index); });
  if (!lanes_move && !guards_move) return {LoadLane(inst, 0), false};

  const ir::Type type = ElementType(inst), held = ir::ComputeTypeOf(type);
  const auto lanes = static_cast<std::int64_t>(values.lanes);
  // An index is inside at all lanes if it is at the first and at the last.
  const std::string inside = Inside(inst, {0, lanes - 1});
  const std::string number = std::to_string(lanes);
  const std::string whole =
      lanes_move
          ? "load" + number + VectorSuffix(type) + "(" + ArrayName(inst) + " + " + Address(inst) +
                ")"
          : AsVector({FromElementText(ArrayName(inst) + "[" + Address(inst) + "]", type, helpers_),
                      false},
                     held, values.lanes);
  if (inside.empty()) return {whole, true};
  std::string others = AsVector({Number(inst.outside, held), false}, held, values.lanes);
  if (guards_move) {
    others = VectorName(held, values.lanes) + "{";
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      others += (lane > 0 ? ", " : "") + LoadLane(inst, lane);
    }
    others += "}";
  }
  return {inside == kNever ? others : inside + " ? " + whole + " : " + others, true};
}

/// Where the loops are.
ValueText CpuStatements::Index(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const Affine& index = code_.memory.address[inst.id.index()];
  const std::string type(RegisterName(inst.type));
  const std::string first = "static_cast<" + type + ">(" + Text(index, 0) + ")";
  const std::int64_t step = values.lanes > 1 ? index.StrideOf(values.vector_class) : 0;
  if (step == 0) return {first, false};
  std::string steps = VectorName(inst.type, values.lanes) + "{";
  for (std::int64_t lane = 0; lane < values.lanes; ++lane) {
    steps += (lane > 0 ? ", " : "") +
             NumberText(static_cast<double>(lane * step), inst.type, Dialect::kCpp);
  }
  return {first + " + " + steps + "}", true};
}

/// Its number. Numbers without a sign wrap around, so what is below 0 is far beyond the last one.
std::string CpuStatements::GatheredElement(const ir::Instruction& inst, const std::string& index,
                                           std::int64_t lane) const {
  const std::string place = Sum(code_.memory.address[inst.id.index()], false, lane);
  return "static_cast<unsigned>(" + index + ")" + (place.empty() ? "" : " + (" + place + ")");
}

/// At a lane, of which `index` is the operand: the element if there is one, and else what is
/// outside.
std::string CpuStatements::GatherLane(const ir::Instruction& inst, const std::string& index,
                                      std::int64_t lane) const {
  const ir::Array& array = code_.function->array(inst.array);
  const std::string outside = Number(inst.outside, ir::ComputeTypeOf(array.type));
  const std::string inside = Inside(inst, {lane});
  if (inside == kNever) return outside;
  const std::string element = GatheredElement(inst, index, lane);
  const std::string is_there = element + " < " + std::to_string(array.elements) + "u";
  const std::string value =
      FromElementText(ArrayName(inst) + "[" + element + "]", array.type, helpers_);
  return And(inside, is_there) + " ? " + value + " : " + outside;
}

ValueText CpuStatements::Gather(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const ValueText index = ReadAs(inst, 0, ir::Type::kI32);
  if (values.lanes == 1) return {GatherLane(inst, index.text, 0), false};
  std::string all = VectorName(ir::ComputeTypeOf(inst.type), values.lanes) + "{";
  for (std::int64_t lane = 0; lane < values.lanes; ++lane) {
    const std::string one =
        index.is_vector ? "(" + index.text + ")[" + std::to_string(lane) + "]" : index.text;
    all += (lane > 0 ? ", " : "") + GatherLane(inst, one, lane);
  }
  all += "}";
  // A part of a row: where the array has the last element, too, all are read at once.
  const Affine& address = code_.memory.address[inst.id.index()];
  const ir::Array& array = code_.function->array(inst.array);
  const bool is_row = !index.is_vector && address.StrideOf(values.vector_class) == 1 &&
                      array.elements >= values.lanes && GuardAlongLanes(inst) == nullptr;
  const std::string inside = is_row ? Inside(inst, {0}) : kNever;
  if (inside == kNever) return {all, true};
  const std::string element = GatheredElement(inst, index.text, 0);
  const std::string is_there =
      element + " < " + std::to_string(array.elements - values.lanes + 1) + "u";
  const std::string row = "load" + std::to_string(values.lanes) + VectorSuffix(array.type) + "(" +
                          ArrayName(inst) + " + (" + element + "))";
  return {And(inside, is_there) + " ? " + row + " : " + all, true};
}

/// The right-hand side.
ValueText CpuStatements::ValueOf(const ir::Instruction& inst) const {
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad) return Load(inst);
  if (inst.op == ir::Op::kGather) return Gather(inst);
  return inst.op == ir::Op::kIndex ? Index(inst) : Compute(inst);
}

void CpuStatements::Store(const ir::Instruction& inst) {
  const std::uint32_t lanes = Values(inst.id).lanes;
  const bool is_output = inst.op == ir::Op::kStore;
  const std::string& array = ArrayName(inst);
  const ir::Type type = ElementType(inst);
  const ValueText value = ReadAs(inst, 0, WideOf(type));
  const GuardIndex* const cover = CoverAlongLanes(inst);
  const std::string inside = InsideOfAllLanes(inst);
  if (inside == kNever || Inside(inst, {0}) == kNever) return;
  std::string guard = And(Condition(Values(inst.id).guard), inside);
  for (const int c : code_.splits.first_of[inst.id.index()]) {
    guard = And(guard, names_.index(c) + " == 0");
  }
  if (!guard.empty()) guard = "if (" + guard + ") ";
  const std::string suffix = std::to_string(lanes) + VectorSuffix(type);
  std::string text;
  if (lanes == 1) {
    text = ToElementText(value.text, WideOf(type), type, helpers_);
  } else {
    text = AsVector(value, ir::ComputeTypeOf(type), lanes);
  }
  if (cover != nullptr && !Inside(inst, {std::int64_t{lanes} - 1}).empty()) {
    if (!guard.empty()) out_.Open(guard.substr(0, guard.size() - 1));
    StorePart(inst, *cover, text);
    if (!guard.empty()) out_.Close();
    return;
  }
  if (checked_ && is_output) {
    if (lanes > 1 && ir::InfoOf(type).is_narrow()) text = "narrow" + suffix + "(" + text + ")";
    const std::string where =
        std::to_string(inst.array.value) + ", " + array + ", " + Address(inst) + ", ";
    out_.Line(guard + (lanes > 1 ? "EXH_STORE_VECTOR(" + std::to_string(lanes) + ", " + where +
                                       "(" + text + "));"
                                 : "EXH_STORE(" + where + text + ");"));
  } else if (lanes > 1) {
    out_.Line(guard + (Streams(code_, inst) ? "stream" : "store") + suffix + "(" + array + " + " +
              Address(inst) + ", " + text + ");");
  } else {
    out_.Line(guard + array + "[" + Address(inst) + "] = " + text + ";");
  }
}

/// Lanes of which the last ones may be beyond a covered axis: all at once where all are inside.
/// `value`: the vector as it is in registers.
void CpuStatements::StorePart(const ir::Instruction& inst, const GuardIndex& cover,
                              const std::string& value) {
  const std::uint32_t lanes = Values(inst.id).lanes;
  const ir::Type type = ElementType(inst);
  const std::string name = std::to_string(lanes) + VectorSuffix(type);
  const std::string& array = ArrayName(inst);
  // Only the guard along the lanes: the others are asked around this.
  const std::int64_t last = std::int64_t{lanes} - 1;
  const bool may_be_whole = RangeOf(cover.index, last).least < cover.extent;
  const std::string all = Text(cover.index, last) + " < " + std::to_string(cover.extent);
  std::string whole = "store" + name + "(" + array + " + " + Address(inst) + ", " + value + ");";
  std::string part = "part_store" + name + "(" + array + " + " + Address(inst) + ", " + value +
                     ", " + LanesInside(inst, cover) + ");";
  if (checked_ && inst.op == ir::Op::kStore) {
    const bool is_narrow = ir::InfoOf(type).is_narrow();
    const std::string elements = is_narrow ? "narrow" + name + "(" + value + ")" : value;
    const std::string rest = std::to_string(inst.array.value) + ", " + array + ", " +
                             Address(inst) + ", (" + elements + "));";
    whole = "EXH_STORE_VECTOR(" + std::to_string(lanes) + ", " + rest;
    part = "EXH_STORE_VECTOR(" + LanesInside(inst, cover) + ", " + rest;
  }
  if (!may_be_whole) return out_.Line(part);
  out_.Line("if (" + all + ") " + whole);
  out_.Line("else " + part);
}

/// At the current copies. Where lanes of the init go to different registers, at the current lane.
void CpuStatements::WriteInitAt(const InitWrite& write, int vector_class, const ValueText& value) {
  const ValueStorage& storage = Storage(write.reduction);
  const auto vector = std::ranges::find(storage.key, true, &KeyDim::is_vector);
  const KeySource* const lane =
      vector == storage.key.end() ? nullptr : &write.index[At(vector - storage.key.begin())];
  for (const Key& unrolled : Written(write)) {
    BeginBefore(write.reduction, unrolled);
    if (!storage.parts.empty()) {
      BeginParts(write, unrolled, value.text);
      continue;
    }
    const std::string target = FirstRegister(write.reduction, unrolled);
    if (lane == nullptr) {
      out_.Line(target + " = " + value.text + ";");
    } else if (lane->every || lane->dim_class == vector_class) {
      out_.Line(target + " = " + AsVector(value, HeldBy(write.reduction), storage.lanes) + ";");
    } else {
      out_.Line(target + "[" + std::to_string(copy(lane->dim_class)) + "] = " + value.text + ";");
    }
  }
}

void CpuStatements::WriteInit(const ir::Instruction& inst, const InitWrite& write,
                              const ValueText& value) {
  WriteInitAnywhere(inst, write, value);
  if (write.slices.empty() && write.splits.empty()) return;
  std::string is_other;
  const auto add = [&](const std::string& index) {
    is_other += (is_other.empty() ? "" : " || ") + index + " != 0";
  };
  for (const int axis : write.slices) add(AxisIndex(axis));
  for (const int c : write.splits) add(names_.index(c));
  const ir::Instruction& reduction = code_.function->inst(write.reduction);
  out_.Open("if (" + is_other + ")", "the other parts");
  InitWrite others = write;
  others.first_lane_only = false;
  WriteInitAnywhere(inst, others, {IdentityOf(reduction)});
  out_.Close();
}

void CpuStatements::WriteInitAnywhere(const ir::Instruction& inst, const InitWrite& write,
                                      const ValueText& value) {
  const InstValues& values = Values(inst.id);
  const ValueStorage& storage = Storage(write.reduction);
  bool scatter = false;  // Lanes of the init go to different registers.
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    scatter |= values.vector_class >= 0 && !storage.key[i].is_vector &&
               write.index[i].dim_class == values.vector_class;
  }
  if (!scatter) return WriteInitAt(write, values.vector_class, value);
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    const std::string text =
        value.is_vector ? value.text + "[" + std::to_string(lane) + "]" : value.text;
    SetIndex(values.vector_class, lane);
    WriteInitAt(write, values.vector_class, {text});
  }
  SetIndex(values.vector_class, 0);
}

void CpuStatements::Execute(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return Store(inst);
  const InstValues& values = Values(id);
  const bool has_register = HasRegister(id);
  std::vector<InitWrite> inits = values.inits;  // Those of this kernel.
  std::erase_if(inits,
                [&](const InitWrite& init) { return !part_->insts[init.reduction.index()]; });
  if (!has_register && inits.empty()) return;  // Nobody wants the value.
  // A step of a reduction is not taken beyond a covered axis.
  const std::string inside = inst.is_reduction() ? Inside(inst, {0}) : "";
  ValueText value;
  if (inside != kNever) value = ValueOf(inst);
  if (has_register) {
    const std::string target = OwnRegister(id);
    const std::string text =
        values.lanes > 1 ? AsVector(value, HeldBy(id), values.lanes) : value.text;
    const GuardIndex* const cover = inst.is_reduction() ? GuardAlongLanes(inst) : nullptr;
    if (inst.is_scan()) {
      StepOfScan(inst, text, inside);
    } else if (inside != kNever && cover != nullptr) {
      StepOfFirstLanes(inst, *cover, target, text);
    } else if (inside != kNever) {
      out_.Line((inside.empty() ? "" : "if (" + inside + ") ") + target + " = " + text + ";");
    }
    if (IsHeld(code_, inst)) out_.Line("hold(" + target + ");");
    value = {target, values.lanes > 1};
  }
  if (inits.empty()) return;
  const bool is_plain = inst.op == ir::Op::kConst &&
                        code_.function->TypeOf(inst.operands[0]).value_or(inst.type) == inst.type;
  const bool name_it = !has_register && !is_plain;
  if (name_it) {
    out_.Open("");
    out_.Line("const auto init = " + value.text + ";");
    value.text = "init";
  }
  for (const InitWrite& write : inits) WriteInit(inst, write, value);
  if (name_it) out_.Close();
}

}  // namespace exh::kernels::codegen
