// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/statements.h"

#include <algorithm>

#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {

Statements::Statements(const LoweredCode& code, const CodeNames& names, const Style& style,
                       ir::HelperFunctions& helpers, TextWriter& out)
    : code_(code),
      names_(names),
      style_(style),
      helpers_(helpers),
      out_(out),
      copy_(code.tree.classes.size()) {
  for (const DimClass& one : code.tree.classes) ranges_.push_back({0, std::int64_t{one.size} - 1});
}

void Statements::MoveLoop(int dim_class, const std::string& index) {
  moved_class_ = dim_class;
  moved_index_ = index;
  const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == index.npos;
  moved_number_ = is_number ? std::optional(std::stoll(index)) : std::nullopt;
}

std::string Statements::AxisIndex(int index, bool bounded) const {
  const ThreadAxis& axis = code_.tree.axes[At(index)];
  const ThreadLayout& layout = code_.tree.layouts[At(axis.layout)];
  const std::uint32_t threads = bounded ? layout.threads : code_.tree.num_threads;
  return ThreadIndex(axis.stride, axis.size, threads, layout.patch == 1 ? "t" : kPlaceInPatches);
}

std::string Statements::Condition(const ThreadGuard& guard) const {
  std::string text;
  for (const int axis : guard.axes) {
    text = And(text, GuardAxis(axis, guard.below != 0) + " == 0");
  }
  return And(text, Condition({}, guard.below));
}

std::string Statements::Condition(const std::vector<ThreadDigit>& zeros,
                                  std::uint32_t below) const {
  std::string text;
  for (const ThreadDigit& digit : zeros) {
    text = And(text, ThreadIndex(digit.stride, digit.size, code_.tree.num_threads) + " == 0");
  }
  return below == 0 ? text : And(text, "t < " + std::to_string(below));
}

// ---- registers ----

std::string Statements::Register(ir::InstId inst, const Key& key) const {
  std::string text = names_.value(inst);
  for (const std::int64_t index : key) text += "_" + std::to_string(index);
  return text;
}

Statements::Key Statements::OwnKey(ir::InstId inst) const {
  Key own;
  for (const KeyDim& key : Storage(inst).key) {
    if (!key.is_vector || !style_.has_vectors) own.push_back(copy(key.dim_class));
  }
  return own;
}

void Statements::DeclareAs(std::string_view type, const std::vector<std::string>& names,
                           const std::string& behind) {
  std::string line;
  for (const std::string& name : names) {
    if (line.size() + name.size() > style_.width) {
      out_.Line(line + ";");
      line.clear();
    }
    line += (line.empty() ? std::string(type) + " " : ", ") + name + behind;
  }
  out_.Line(line + ";");
}

std::vector<Statements::Key> Statements::Written(const InitWrite& write) const {
  std::vector<Key> keys(1);
  const ValueStorage& storage = Storage(write.reduction);
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    if (storage.key[i].is_vector && style_.has_vectors) continue;
    const KeySource& source = write.index[i];
    if (source.dim_class < 0 && !source.every) continue;  // Along a scan.
    const std::int64_t first = source.every ? 0 : copy(source.dim_class);
    const std::int64_t last = source.every ? storage.key[i].size - 1LL : first;
    std::vector<Key> longer;
    for (const Key& key : keys) {
      for (std::int64_t index = first; index <= last; ++index) {
        longer.push_back(key);
        longer.back().push_back(index);
      }
    }
    keys = std::move(longer);
  }
  return keys;
}

std::vector<Statements::Place> Statements::RegistersAt(ir::InstId inst, int node) const {
  const std::vector<int> around = code_.tree.ClassesAround(node);
  std::vector<Place> places(1);
  for (const KeyDim& dim : Storage(inst).key) {
    if (dim.is_vector && style_.has_vectors) {
      for (Place& place : places) place.number *= dim.size, place.lane = 1;
      continue;
    }
    // Lanes are registers of one instruction.
    const bool is_around =
        !dim.is_vector && std::ranges::find(around, dim.dim_class) != around.end();
    const std::int64_t first = is_around ? copy(dim.dim_class) : 0;
    const std::int64_t last = is_around ? first : dim.size - 1LL;
    std::vector<Place> longer;
    for (const Place& place : places) {
      for (std::int64_t index = first; index <= last; ++index) {
        longer.push_back(place);
        longer.back().key.push_back(index);
        longer.back().number = place.number * dim.size + static_cast<std::uint64_t>(index);
        longer.back().lane = place.lane * dim.size;
      }
    }
    places = std::move(longer);
  }
  for (Place& place : places) place.name = Register(inst, place.key);
  return places;
}

// ---- values ----

ValueText Statements::Read(const ir::Instruction& inst, std::size_t operand) const {
  const ir::Operand& source = inst.operands[operand];
  if (Runs(*code_.schedule, source)) return FiniteOf(inst, operand);
  if (source.kind != ir::Operand::Kind::kScalar) return ReadRegister(inst, operand);
  const auto& scalars = code_.function->scalars;
  const auto it = std::ranges::find(scalars, source.scalar, &ir::Scalar::name);
  return {names_.scalar(static_cast<std::size_t>(it - scalars.begin()))};
}

ValueText Statements::ReadAs(const ir::Instruction& inst, std::size_t operand,
                             ir::Type type) const {
  const ir::Operand& source = inst.operands[operand];
  if (const std::optional<ir::Type> from = code_.function->TypeOf(source)) {
    return Convert(Read(inst, operand), *from, type, Values(inst.id).lanes, helpers_);
  }
  const ir::Number number = ir::Rounded(type, source.literal);
  return {NumberText(number, ir::ComputeTypeOf(type), helpers_.dialect())};
}

ValueText Statements::Compute(const ir::Instruction& inst) const {
  if (inst.op == ir::Op::kConst) return ReadAs(inst, 0, inst.type);
  const std::uint32_t lanes = Values(inst.id).lanes;
  const ir::Type computes = EvaluatedIn(inst);
  std::vector<ValueText> inputs;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const std::optional<ir::Type> from = code_.function->TypeOf(inst.operands[i]);
    if (inst.op != ir::Op::kSelect || i > 0) {
      inputs.push_back(ReadAs(inst, i, computes));
    } else if (from) {
      inputs.push_back(ConditionText(Read(inst, i), *from, computes, lanes));
    } else {
      inputs.push_back(ReadAs(inst, i, ir::Type::kBool));
    }
  }
  if (inst.is_reduction()) {
    const ValueText own{Accumulator(inst), style_.has_vectors && lanes > 1};
    inputs.push_back(Convert(own, inst.type, computes, lanes, helpers_));
  }
  ValueText value = OpText(inst.op, computes, inputs, lanes, helpers_);
  const ir::Type result = ir::InfoOf(inst.op).compares() ? ir::Type::kBool : computes;
  if (inst.type == ir::Type::kBool && result != inst.type) value.text = "(" + value.text + ")";
  return Convert(value, result, inst.type, lanes, helpers_);
}

std::string Statements::Combined(const ir::Instruction& reduction, const std::string& own,
                                 const std::string& more, std::uint32_t lanes) const {
  const ir::Type held = HeldBy(reduction.id), type = ir::ComputeTypeOf(reduction.computes);
  const auto operand = [&](const std::string& text) {
    return Convert({text, lanes > 1}, held, type, lanes, helpers_);
  };
  return OpText(CombinedBy(reduction.op), reduction.computes, {operand(own), operand(more)}, lanes,
                helpers_)
      .text;
}

std::string Statements::IdentityOf(const ir::Instruction& reduction) const {
  return Number(ir::IdentityOf(ir::CombinedBy(reduction.op), reduction.type), HeldBy(reduction.id));
}

// ---- indices ----

std::optional<std::int64_t> Statements::FixedIndex(int dim_class, std::int64_t lane) const {
  if (lane >= 0 && Class(dim_class).kind == DimKind::VECTOR) return lane;
  if (IsCopied(dim_class)) return copy(dim_class);
  return dim_class == moved_class_ ? moved_number_ : std::nullopt;
}

std::string Statements::SumOf(const Affine& affine, bool is_large, const Wanted& wanted,
                              std::int64_t constant, std::int64_t lane) const {
  std::string text;
  for (const auto& [dim_class, stride] : affine.strides) {
    if (wanted && !wanted(dim_class)) continue;
    if (const auto index = FixedIndex(dim_class, lane)) {
      constant += *index * stride;
      continue;
    }
    text += text.empty() ? "" : " + ";
    text += dim_class == moved_class_ ? moved_index_ : names_.index(dim_class);
    if (stride != 1) {
      text += " * " + std::to_string(stride) +
              std::string(is_large ? ir::LongSuffix(helpers_.dialect()) : "");
    }
  }
  if (constant == 0) return text;
  return text.empty() ? std::to_string(constant) : Moved(text, std::to_string(constant));
}

Statements::Range Statements::RangeOf(const Affine& affine, std::int64_t lane) const {
  const auto [least, most] = affine.Range([&](int dim_class) {
    const auto fixed = FixedIndex(dim_class, lane);
    return fixed ? Range{*fixed, *fixed} : ranges_[At(dim_class)];
  });
  return {least, most};
}

std::string Statements::Inside(const ir::Instruction& inst, const std::vector<std::int64_t>& lanes,
                               const std::function<bool(const GuardIndex&)>& is_asked) const {
  std::vector<std::string> conditions;
  for (const GuardIndex& guard : code_.memory.guards[inst.id.index()]) {
    if (is_asked && !is_asked(guard)) continue;
    for (const std::int64_t lane : lanes) {
      // Before the last lane that is asked for nothing is beyond, if that is not.
      if (guard.is_cover && lane != lanes.back()) continue;
      const Range range = RangeOf(guard.index, lane);
      if (range.least >= guard.extent || range.most < 0) return kNever;
      if (range.least >= 0 && range.most < guard.extent) continue;
      // Lanes that a guard does not move along say the same.
      const std::string condition = GuardText(guard, range, lane);
      if (std::ranges::find(conditions, condition) == conditions.end()) {
        conditions.push_back(condition);
      }
    }
  }
  std::string all;
  for (const std::string& condition : conditions) all = And(all, condition);
  return all;
}

}  // namespace exh::kernels::codegen
