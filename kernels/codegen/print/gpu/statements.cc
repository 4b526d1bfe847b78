// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/statements.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

/// The suffix of the intrinsic that a value of `cache` stands for: "cg" as in __ldcg.
std::string CacheSuffix(Cache cache, bool is_load) {
  if (cache == Cache::CACHE_GLOBAL) return "cg";
  if (cache == Cache::NO_CACHE) return "cs";
  if (cache == Cache::CACHE_READ_ONLY && is_load) return "g";
  return "";
}

}  // namespace

GpuStatements::GpuStatements(const LoweredCode& code, const CodeNames& names, const GpuWords& words,
                             ir::HelperFunctions& helpers, TextWriter& out, bool gives_up)
    : Statements(code, names, {false, 92}, helpers, out), words_(words), gives_up_(gives_up) {
  for (const int node : code.tree.node_of_inst) band_.push_back(code.tree.BandAround(node));
  for (const AdvancedRead& read : code.values.ahead) band_[read.inst.index()] = -1;
  for (const Ring& ring : code.rings.rings) {
    for (const RingBlock& block : ring.blocks) {
      if (block.is_async) band_[block.read.index()] = band_[block.store.index()];
      if (block.bulk) band_[block.read.index()] = band_[block.store.index()] = -1;
    }
  }
}

std::string GpuStatements::Meet() const {
  if (!code_.rings.has_producers) return words_.barrier;
  return "exh_meet(" + std::to_string(code_.tree.num_threads) + ");";
}

void GpuStatements::Declare(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  std::vector<std::string> points = Registers(id);
  if (Storage(id).is_bits) return DeclareAs(words_.Element(inst.type), points);
  DeclareAs(words_.Register(inst.type), points);
  if (Storage(id).beside != BesideValue::kNothing && part_->insts[id.index()]) {
    DeclareAs(words_.Register(inst.type), BesideRegisters(id));
  }
  if (!HasWideSums(id)) return;
  for (std::string& point : points) point.front() = 'a';
  DeclareAs(words_.Register(code_.tree.SumType(*code_.function, inst)), points);
}

ValueText GpuStatements::ReadRegister(const ir::Instruction& inst, std::size_t operand) const {
  const ValueRead& read = Values(inst.id).reads[operand];
  Key key;
  for (const KeySource& index : read.index) key.push_back(copy(index.dim_class));
  return {Register(read.producer, key)};
}

std::string GpuStatements::ReadElement(const ir::Instruction& inst, std::size_t operand,
                                       ir::Type element) const {
  const ir::InstId producer = Values(inst.id).reads[operand].producer;
  if (producer.valid() && Storage(producer).is_bits) return ReadRegister(inst, operand).text;
  const ir::Type from = code_.function->TypeOf(inst.operands[operand]).value_or(element);
  return ToElementText(ReadAs(inst, operand, ir::ComputeTypeOf(from)).text, from, element,
                       helpers_);
}

/// Elements of the array are too many for an int, or what loops count beyond covered axes is.
bool GpuStatements::IsLarge(const ir::Instruction& inst) const {
  if (inst.op != ir::Op::kLoad && inst.op != ir::Op::kStore) return false;
  if (code_.memory.window(inst) != nullptr) return false;
  const Affine& address = code_.memory.address[inst.id.index()];
  return !FitsInt(codegen::RangeOf(code_.tree, address).second) ||
         code_.function->array(inst.array).elements >
             static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
}

std::string GpuStatements::GuardText(const GuardIndex& guard, const Range& range,
                                     std::int64_t lane) const {
  const bool is_large = !FitsInt(guard.extent) || !FitsInt(range.least) || !FitsInt(range.most);
  // Below 0 is far beyond the extent without a sign.
  return words_.Unsigned(is_large, Sum(guard.index, is_large, lane)) + " < " +
         words_.UnsignedNumber(guard.extent, is_large);
}

bool GpuStatements::IsFixedIn(int band, int dim_class) const {
  if (band < 0 || IsCopied(dim_class)) return false;
  const std::vector<int> around = code_.tree.ClassesAround(band);
  return std::find(around.begin(), around.end(), dim_class) != around.end();
}

void GpuStatements::DeclarePointers(int band) {
  for (const ir::Instruction& inst : code_.function->insts) {
    if (!inst.is_memory() || !part_->insts[inst.id.index()]) continue;
    if (code_.tree.stays_in_place[inst.id.index()]) continue;
    if (band_[inst.id.index()] != band || RepeatOf(inst.id) != nullptr) continue;
    const Affine& address = code_.memory.address[inst.id.index()];
    const std::string terms = SumOf(
        address, IsLarge(inst), [&](int c) { return IsFixedIn(band, c); }, address.offset);
    if (const XorLayout* layout = LayoutOf(inst)) {
      DeclarePlace(inst, *layout, terms);
      continue;
    }
    const bool is_read = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
    const std::string type = words_.Pointer(
        (is_read ? "const " : "") + words_.Element(ElementType(inst)), SpaceOf(inst));
    out_.Line(words_.Deduced("const auto", type) + " p_" + BareName(inst.id) + " = " +
              ArrayOf(inst) + (terms.empty() ? "" : " + (" + terms + ")") + ";");
  }
}

GpuStatements::Address GpuStatements::AddressOf(const ir::Instruction& inst) {
  const int band = band_[inst.id.index()];
  if (const XorLayout* layout = LayoutOf(inst)) {
    return {ArrayOf(inst), PlacedOffset(inst, *layout)};
  }
  const std::string base = band < 0 ? ArrayOf(inst) : "p_" + BareName(inst.id);
  const Affine& address = code_.memory.address[inst.id.index()];
  const std::string terms = SumOf(
      address, IsLarge(inst), [&](int c) { return !IsFixedIn(band, c); },
      band < 0 ? address.offset : 0);
  return {base, terms};
}

std::string GpuStatements::Pointer(const ir::Instruction& inst) {
  const Address place = AddressOf(inst);
  return Moved(place.base, place.offset);
}

/// "p_load_a[i_k0 * 8 + 3]".
std::string GpuStatements::Element(const ir::Instruction& inst) {
  const Address place = AddressOf(inst);
  return place.base + "[" + (place.offset.empty() ? "0" : place.offset) + "]";
}

bool GpuStatements::IsSplit(const ir::Instruction& inst, const Width& width) const {
  return codegen::IsSplit(code_.memory, inst.id, width.dim_class, width.lanes);
}

bool GpuStatements::HasScopeOfEach(const ir::Instruction& inst, int dim_class) const {
  const InstValues& values = Values(inst.id);
  const ir::InstId value = values.reads.empty() ? inst.id : values.reads[0].producer;
  if (!value.valid()) return false;  // A literal.
  for (int node = Storage(value).home; node >= 0; node = code_.tree.node(node).parent) {
    const LoopNode& around = code_.tree.node(node);
    if (around.kind == NodeKind::kUnroll && around.dim_class == dim_class) return true;
  }
  return false;
}

GpuStatements::Width GpuStatements::WidthOf(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const Affine& address = code_.memory.address[inst.id.index()];
  if (values.lanes > 1 && address.StrideOf(values.vector_class) != 0) {
    const Width width = {values.vector_class, values.lanes};
    return IsSplit(inst, width) ? Width{} : width;
  }
  const std::uint32_t vec = code_.schedule->vec.Or(1, inst.id);
  for (const auto& [dim_class, stride] : address.strides) {
    if (vec > 1 && stride == 1 && Kind(dim_class) == DimKind::UNROLL) {
      const Width width = {dim_class, vec};
      return IsSplit(inst, width) || HasScopeOfEach(inst, dim_class) ? Width{} : width;
    }
  }
  return {};
}

const WideAccess& GpuStatements::Wide(ir::Type element, std::uint32_t lanes, bool is_load,
                                      const std::string& suffix) {
  std::string name = (is_load ? "load" : "store") + std::to_string(lanes);
  if (!suffix.empty()) name += "_" + suffix;
  // All floats of a width are the same bits.
  if (element == ir::Type::kBf16) element = ir::Type::kF16;
  if (ir::IsF8(element)) element = ir::Type::kBool;
  return *wide_.insert({name, {element, lanes}, is_load, suffix}).first;
}

/// "load4_cg(p_load_a + 8)", "tmp_load_a[3]" …: an element, or several.
std::string GpuStatements::Load(const ir::Instruction& inst, std::uint32_t lanes) {
  const bool is_shared = inst.op == ir::Op::kTempLoad || code_.memory.window(inst) != nullptr;
  const std::string suffix = is_shared ? "" : CacheSuffix(code_.schedule->cache(inst.id), true);
  const std::string pointer = Pointer(inst);
  if (lanes == 1) return suffix.empty() ? Element(inst) : "__ld" + suffix + "(" + pointer + ")";
  return words_.Load(Wide(ElementType(inst), lanes, true, suffix), pointer);
}

std::string GpuStatements::LoadPiece(const ir::Window& window, const std::string& pointer,
                                     std::uint32_t lanes) {
  const std::string suffix = CacheSuffix(code_.schedule->cache(window.read), true);
  if (lanes > 1) return words_.Load(Wide(window.type, lanes, true, suffix), pointer);
  return suffix.empty() ? "*(" + pointer + ")" : "__ld" + suffix + "(" + pointer + ")";
}

std::string GpuStatements::ElementText(const ir::Number& value, ir::Type type) const {
  if (!ir::IsFloatBits(type)) return Number(value, type);
  std::uint8_t bytes[sizeof(std::uint16_t)] = {};
  ir::WriteElement(type, bytes, value);
  return std::to_string(bytes[0] | bytes[1] << 8);
}

std::string GpuStatements::OutsidePiece(const ir::Window& window, std::uint32_t lanes) const {
  const std::string one = ElementText(window.outside, window.type);
  if (lanes == 1) return one;
  std::string all;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) all += (lane == 0 ? "" : ", ") + one;
  return words_.Make({window.type, lanes}, all);
}

void GpuStatements::WriteInit(const InitWrite& write, const std::string& value) {
  const ir::Instruction& reduction = code_.function->inst(write.reduction);
  std::string is_first;
  for (const int axis : write.slices) is_first = And(is_first, AxisIndex(axis) + " == 0");
  for (const int split : write.splits) is_first = And(is_first, names_.index(split) + " == 0");
  const std::string first =
      is_first.empty() ? value : is_first + " ? " + value + " : " + IdentityOf(reduction);
  for (const Key& key : Written(write)) {
    BeginBefore(write.reduction, key);
    const std::string begun = reduction.is_scan() ? FirstRegister(write.reduction, key)
                                                  : SumRegister(write.reduction, key);
    out_.Line(begun + " = " + SumBegin(reduction, first) + ";");
  }
}

/// The value of one point: into its own register, and into those of the reductions it starts.
void GpuStatements::ExecuteScalar(const ir::Instruction& inst, const std::string& value) {
  std::string text = value;
  if (HasRegister(inst.id)) {
    text = OwnRegister(inst.id);
    // A step of a reduction is not taken beyond a covered axis.
    const std::string inside = inst.is_reduction() ? Inside(inst) : "";
    if (inst.is_scan()) {
      StepOfScan(inst, value, inside);
      for (const InitWrite& write : Values(inst.id).inits) WriteInit(write, text);
      return;
    }
    const std::string guard = inside.empty() ? "" : "if (" + inside + ") ";
    if (inside != kNever) out_.Line(guard + text + " = " + value + ";");
  }
  for (const InitWrite& write : Values(inst.id).inits) WriteInit(write, text);
}

const RepeatedRead* GpuStatements::RepeatOf(ir::InstId id) const {
  if (code_.values.repeats.empty()) return nullptr;
  const RepeatedRead& repeat = code_.values.repeats[id.index()];
  const bool is_there = repeat.first.valid() && part_->insts[repeat.first.index()];
  return is_there ? &repeat : nullptr;
}

void GpuStatements::ExecuteLoad(const ir::Instruction& inst) {
  if (code_.tree.reads[inst.id.index()].depth_class >= 0) return LoadMatrices(inst);
  if (const RepeatedRead* const repeat = RepeatOf(inst.id)) {
    const Key own = OwnKey(inst.id);
    Key first;
    for (const std::size_t place : repeat->places) {
      first.push_back(place == kNoPlace ? 0 : own[place]);
    }
    return ExecuteScalar(inst, Register(repeat->first, first));
  }
  const InstValues& values = Values(inst.id);
  const Width width = WidthOf(inst);
  if (values.lanes == 1 || width.dim_class == values.vector_class) return LoadElements(inst, width);
  ForEachLane(inst, [&] { LoadElements(inst, width); });  // They share an element.
}

void GpuStatements::LoadElements(const ir::Instruction& inst, const Width& width) {
  const ir::Type element = ElementType(inst);
  const bool is_bits = Storage(inst.id).is_bits;
  const auto value_of = [&](const std::string& text) {
    if (is_bits) return text;
    if (element != ir::Type::kI8) return FromElementText(text, element, helpers_);
    widens_bytes_ = true;
    return "exh_from_i8(" + text + ")";
  };
  const std::string inside = Inside(inst);
  const std::string outside =
      is_bits ? ElementText(inst.outside, element) : Number(inst.outside, HeldBy(inst.id));
  if (width.lanes == 1) {
    if (inside == kNever) return ExecuteScalar(inst, outside);
    const std::string value = value_of(Load(inst, 1));
    return ExecuteScalar(inst, inside.empty() ? value : inside + " ? " + value + " : " + outside);
  }
  // The first of the copies that a wide access serves loads for all of them. All are read, or none.
  const std::int64_t first = copy(width.dim_class);
  if (first % width.lanes != 0) return;
  const auto each = [&](const auto& value) {
    for (std::uint32_t lane = 0; lane < width.lanes; ++lane) {
      SetIndex(width.dim_class, first + lane);
      ExecuteScalar(inst, value(lane));
    }
    SetIndex(width.dim_class, first);
  };
  const auto beyond = [&](std::uint32_t) { return outside; };
  if (inside == kNever) return each(beyond);
  const WideType type = {element, width.lanes};
  out_.Open(inside.empty() ? "" : "if (" + inside + ")");
  out_.Line("const " + words_.Name(type) + " q = " + Load(inst, width.lanes) + ";");
  each([&](std::uint32_t lane) { return value_of("q" + words_.Member(type, lane)); });
  out_.Close();
  if (inside.empty()) return;
  out_.Open("else");
  each(beyond);
  out_.Close();
}

void GpuStatements::ExecuteStore(const ir::Instruction& inst) {
  const InstValues& values = Values(inst.id);
  const Width width = WidthOf(inst);
  if (values.lanes == 1 || width.lanes > 1) return StoreElements(inst, width);
  // Some are beyond a covered axis.
  ForEachLane(inst, [&] { StoreElements(inst, width); });
}

std::string GpuStatements::WhenStored(const ir::Instruction& inst) const {
  std::string last;
  const int group = code_.splits.last_of[inst.id.index()];
  if (group >= 0 && !code_.splits.groups[At(group)].ends_the_others) {
    last = "exh_last_" + std::to_string(group);
  }
  for (const int c : code_.splits.first_of[inst.id.index()]) {
    last = And(last, names_.index(c) + " == 0");
  }
  return And(last, Condition(code_.threads.store[inst.id.index()]));
}

std::int64_t GpuStatements::FirstOfStore(const Width& width) const {
  // Lanes of a VECTOR dim are not copies: there is one, number 0.
  const bool is_copy = width.lanes > 1 && Kind(width.dim_class) == DimKind::UNROLL;
  if (!is_copy) return 0;
  const std::int64_t own = copy(width.dim_class);
  return own % width.lanes == width.lanes - 1 ? own + 1 - width.lanes : -1;
}

std::string GpuStatements::StoreSuffix(const ir::Instruction& inst) const {
  return CacheSuffix(code_.schedule->cache(inst.id), false);
}

void GpuStatements::StoreElements(const ir::Instruction& inst, const Width& width) {
  const bool is_wide = width.lanes > 1;
  const std::int64_t own = is_wide ? copy(width.dim_class) : 0;
  const std::int64_t first = FirstOfStore(width);
  if (is_wide && StoreExchanged(inst, width)) return;
  if (first < 0) return;
  if (is_wide) SetIndex(width.dim_class, first);
  const std::string inside = Inside(inst);
  const std::string condition = And(WhenStored(inst), inside);
  const std::string guard = condition.empty() ? "" : "if (" + condition + ") ";
  const bool is_output = inst.op == ir::Op::kStore;
  const std::string suffix = is_output ? StoreSuffix(inst) : "";
  const ir::Type element = ElementType(inst);
  const std::string pointer = Pointer(inst);
  const int split = code_.splits.of_store[inst.id.index()];  // It adds to the output.
  if (!is_wide) {
    if (inside == kNever) return;
    const std::string value = ReadElement(inst, 0, element);
    if (split >= 0) {
      out_.Line(guard + AtomicText(code_.splits.reductions[At(split)], pointer, value) + ";");
      return;
    }
    out_.Line(guard + (suffix.empty() ? Element(inst) + " = " + value + ";"
                                      : "__st" + suffix + "(" + pointer + ", " + value + ");"));
    return;
  }
  std::string values;
  for (std::uint32_t lane = 0; lane < width.lanes && inside != kNever; ++lane) {
    SetIndex(width.dim_class, first + lane);
    values += (lane > 0 ? ", " : "") + ReadElement(inst, 0, element);
  }
  SetIndex(width.dim_class, own);
  if (inside == kNever) return;
  const WideType type = {element, width.lanes};
  const std::string all = words_.Make(type, values);
  if (split >= 0) {
    const std::string to = words_.CastPointer(words_.Pointer(words_.Name(type)), pointer);
    out_.Line(guard + "atomicAdd(" + to + ", " + all + ");");
  } else {
    const WideAccess& store = Wide(element, width.lanes, false, suffix);
    out_.Line(guard + words_.Store(store, pointer, all) + ";");
  }
}

std::string GpuStatements::Index(const ir::Instruction& inst) const {
  const std::string text = Sum(code_.memory.address[inst.id.index()], inst.type == ir::Type::kI64);
  return text.empty() ? "0" : text;
}

/// The element if there is one, and else what is outside. Numbers without a sign wrap around, so
/// what is below 0 is far beyond the last one.
std::string GpuStatements::Gather(const ir::Instruction& inst) {
  const std::string outside = Number(inst.outside, HeldBy(inst.id));
  const std::string inside = Inside(inst);
  if (inside == kNever) return outside;
  const std::string index = ReadAs(inst, 0, ir::Type::kI32).text;
  const std::string place = Sum(code_.memory.address[inst.id.index()]);
  const std::string element =
      words_.Unsigned(false, index) + (place.empty() ? "" : " + (" + place + ")");
  const std::uint64_t elements = code_.function->array(inst.array).elements;
  const std::string is_there =
      element + " < " + words_.UnsignedNumber(static_cast<std::int64_t>(elements), false);
  const std::string value = FromElementText(names_.array(inst.array) + "[" + element + "]",
                                            code_.function->array(inst.array).type, helpers_);
  return And(inside, is_there) + " ? " + value + " : " + outside;
}

void GpuStatements::Execute(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (code_.rings.of_inst[id.index()] >= 0) {
    const RingBlock& block = code_.rings.BlockOf(inst);
    if (block.is_async) {
      if (id == block.store) CopyAsync(inst, code_.function->inst(block.read));
      return;
    }
  }
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return ExecuteStore(inst);
  if (inst.op == ir::Op::kWindow) return CopyWindow(inst);
  const InstValues& values = Values(id);
  if (!HasRegister(id) && values.inits.empty()) return;  // Nobody wants the value.
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad) return ExecuteLoad(inst);
  if (code_.tree.IsGroup(inst)) return MultiplyInPlace(inst);
  if (code_.tree.IsUnit(inst)) return MultiplyTile(inst);
  if (Storage(id).is_bits) return MakeBits(inst);
  ForEachLane(inst, [&] {
    const bool is_left_out = inst.is_reduction() && Inside(inst) == kNever;
    if (is_left_out) return ExecuteScalar(inst, "");
    if (const std::string whole = WholeOf(id); !whole.empty()) {
      ExecuteScalar(inst, ReadAs(inst, 1, inst.type).text);
      out_.Open("if (!" + whole + ")");
      // Otherwise compilers compare, and choose, in all tiles.
      if (words_.dialect == ir::Dialect::kCuda) out_.Line("asm volatile(\"\");");
      ExecuteScalar(inst, Compute(inst).text);
      return out_.Close();
    }
    const bool is_term = IsDifference(inst) || IsPowerOfTwo(inst);
    ExecuteScalar(inst, inst.op == ir::Op::kIndex    ? Index(inst)
                        : inst.op == ir::Op::kGather ? Gather(inst)
                        : is_term                    ? Term(inst)
                                                     : Compute(inst).text);
  });
}

std::vector<std::string> GpuStatements::Helpers() const {
  std::vector<std::string> lines = words_.Definitions(wide_);
  lines.insert(lines.end(), combiners_.begin(), combiners_.end());
  lines.insert(lines.end(), look_backs_.begin(), look_backs_.end());
  lines.insert(lines.end(), places_.begin(), places_.end());
  if (widens_bytes_) lines.push_back(words_.widen_byte);
  std::ranges::move(UnitFunctions(units_, begins_), std::back_inserter(lines));
  if (exchanges_) std::ranges::move(ExchangeFunctions(), std::back_inserter(lines));
  if (powers_of_two_) lines.push_back(PowerFunction());
  for (const auto& [count, is_turned] : matrices_) {
    lines.push_back(MatrixFunction(count, is_turned));
  }
  std::ranges::move(GroupFunctions(group_steps_), std::back_inserter(lines));
  for (const ir::Type type : made_pairs_) lines.push_back(PairFunction(type));
  return lines;
}

}  // namespace exh::kernels::codegen
