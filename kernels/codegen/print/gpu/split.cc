// SPDX-License-Identifier: MIT
//
// How blocks make one value of what they have of a reduction, as text: what split_plan.h decides.
#include <algorithm>

#include "kernels/codegen/print/gpu/bits.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/codegen/print/partial_index.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

/// What the hardware calls it; what it takes is in `as`, which is not the type for some.
std::string AtomicName(ir::Op op) {
  switch (op) {
    case ir::Op::kAdd:
      return "atomicAdd";
    case ir::Op::kMin:
      return "atomicMin";
    case ir::Op::kMax:
      return "atomicMax";
    case ir::Op::kAnd:
      return "atomicAnd";
    case ir::Op::kOr:
      return "atomicOr";
    default:
      return "atomicXor";
  }
}

}  // namespace

std::string GpuStatements::IndexOver(const std::vector<int>& classes) const {
  return codegen::IndexOver(classes, code_.tree, names_);
}

std::string GpuStatements::IndexOver(const std::vector<ThreadDigit>& digits) const {
  return codegen::IndexOver(digits, code_.tree.num_threads);
}

std::string GpuStatements::CombineFunction(const ir::Instruction& inst) {
  const ir::Type held = ir::ComputeTypeOf(inst.type);
  const std::string element = words_.Register(held);
  // A function, so that each operand is evaluated once.
  const std::string function = "combine_" + BareName(inst.id);
  combiners_.insert(words_.function + element + " " + function + "(" + element + " a, " + element +
                    " b) { return " + Combined(inst, "a", "b") + "; }");
  return function;
}

std::string GpuStatements::CasFunction(const ir::Instruction& inst) {
  const std::string combine = CombineFunction(inst);
  const std::string element = words_.Element(inst.type);
  const std::string function = "cas_" + BareName(inst.id);
  const BitsOf bits = BitsOfType(inst.type);
  // What the output was filled with is the first guess: most elements are read by nobody before.
  combiners_.insert(words_.function + "void " + function + "(" + element + "* p, " + element +
                    " x) { " + bits.word + "* const words = reinterpret_cast<" + bits.word +
                    "*>(p); " + bits.word + " seen = " + bits.to + "(" + IdentityOf(inst) +
                    "); while (true) { const " + bits.word + " before = atomicCAS(words, seen, " +
                    "static_cast<" + bits.word + ">(" + bits.to + "(" + combine + "(" + bits.from +
                    "(seen), x)))); " + "if (before == seen) return; seen = before; } }");
  return function;
}

/// The text of one atomic operation on the element at `pointer`.
std::string GpuStatements::AtomicText(const SplitReduction& split, const std::string& pointer,
                                      const std::string& value) {
  const ir::Instruction& inst = code_.function->inst(split.id);
  if (split.way == AcrossBlocks::ATOMIC_CAS)
    return CasFunction(inst) + "(" + pointer + ", " + value + ")";
  const ir::Op op = ir::CombinedBy(inst.op);
  const bool orders = op == ir::Op::kMin || op == ir::Op::kMax;
  if (inst.type != ir::Type::kI64 || orders)
    return AtomicName(op) + "(" + pointer + ", " + value + ")";
  // Sums and bits of signed numbers are those of numbers without a sign.
  return AtomicName(op) + "(reinterpret_cast<unsigned long long*>(" + pointer +
         "), static_cast<unsigned long long>(" + value + "))";
}

const SplitReduction& GpuStatements::SplitOf(ir::InstId id) const {
  return code_.splits.reductions[At(code_.splits.of_inst[id.index()])];
}

const Combine* GpuStatements::SlicesOf(ir::InstId id) const {
  if (code_.tree.Runs(id) || MaximumOf(id).first.valid()) return nullptr;
  for (const Combine& slices : code_.combines.combines) {
    if (slices.reduction == id) return &slices;
  }
  return nullptr;
}

std::string GpuStatements::PartialName(ir::InstId id) const {
  return "exh_partial_" + BareName(id);
}

void GpuStatements::DeclareWorkspace() {
  const auto declare = [&](const std::string& type, const std::string& name, std::uint64_t offset) {
    const std::string pointer = words_.Pointer(type);
    out_.Line(pointer + " const " + name + " = " +
              words_.CastPointer(pointer, "exh_global + " + Digits(offset)) + ";");
  };
  const bool is_first = part_->finishes < 0;
  if (is_first && code_.splits.draws_numbers()) {
    declare("unsigned long long", "exh_begun", code_.splits.turn_offset);
  }
  for (const SplitReduction& split : code_.splits.reductions) {
    if (!is_first || !split.looks_back()) continue;
    declare("unsigned long long", PartialName(split.id), split.offset);
  }
  for (std::size_t i = 0; i < code_.splits.groups.size(); ++i) {
    const SplitGroup& group = code_.splits.groups[i];
    const bool is_own = part_->finishes < 0 || part_->finishes == static_cast<int>(i);
    if (!is_own) continue;
    if (group.way == AcrossBlocks::LAST_BLOCK) {
      declare("unsigned", "exh_ticket_" + Digits(i), group.ticket_offset);
    }
    for (const std::size_t number : group.reductions) {
      const SplitReduction& split = code_.splits.reductions[number];
      const ir::Type held = ir::ComputeTypeOf(code_.function->inst(split.id).type);
      declare(words_.Register(held), PartialName(split.id), split.offset);
    }
  }
}

/// Of RegistersAt(), the ones in which the thread has what it owns (combine_plan.h). What is in
/// them has that number, and IndexOver(halved) more.
std::vector<Statements::Place> GpuStatements::OwnedAt(ir::InstId id, int node) const {
  std::vector<Place> found = RegistersAt(id, node);
  if (const Combine* const slices = SlicesOf(id)) {
    const std::uint32_t step = SplitOf(id).num_registers / slices->owned;
    std::erase_if(found, [&](const auto& here) { return here.number % step != 0; });
  }
  return found;
}

void GpuStatements::HandOver(int node) {
  const SplitReduction& split = SplitOf(code_.tree.node(node).inst);
  const Combine* const slices = SlicesOf(split.id);
  const ir::Instruction& inst = code_.function->inst(split.id);
  // Threads whose halved bits differ own different registers: all of them write.
  const std::string writes =
      Condition(slices ? Joined(slices->silent, slices->shared) : split.silent, split.below);
  const std::uint64_t all = std::uint64_t{split.num_registers} * split.num_slots;
  out_.Open(writes.empty() ? "" : "if (" + writes + ")",
            inst.name() + ": what this block has of it");
  const std::string at = SumText({{IndexOver(split.tile_classes), split.splits * all},
                                  {IndexOver(split.split_classes), all},
                                  {slices ? IndexOver(slices->halved) : "", split.num_slots},
                                  {IndexOver(split.slots), 1}});
  const std::string type = words_.Pointer(words_.Register(inst.type));
  out_.Line(words_.Deduced("auto* const", type) +
            " exh_part = " + Moved(PartialName(split.id), at) + ";");
  for (const Place& place : OwnedAt(split.id, node)) {
    out_.Line("exh_part[" + Digits(place.number * split.num_slots) + "] = " + place.name + ";");
  }
  out_.Close();
}

std::pair<ir::InstId, const CorrectedSum*> GpuStatements::MaximumOf(ir::InstId sum) const {
  for (const SplitReduction& split : code_.splits.reductions) {
    if (split.is_of_cluster()) continue;
    for (const CorrectedSum& corrected : code_.values.corrected[split.id.index()]) {
      if (corrected.sum == sum) return {split.id, &corrected};
    }
  }
  return {};
}

/// Where the thread finds what blocks have of the maximum that corrects its sums.
void GpuStatements::DeclareMaxima(ir::InstId maximum) {
  const SplitReduction& split = SplitOf(maximum);
  const std::uint64_t all = std::uint64_t{split.num_registers} * split.num_slots;
  const std::string at =
      SumText({{IndexOver(split.tile_classes), split.splits * all}, {IndexOver(split.slots), 1}});
  const std::string type =
      words_.Pointer("const " + words_.Register(code_.function->inst(maximum).type));
  out_.Line(words_.Deduced("const auto* const", type) +
            " exh_maxima = " + Moved(PartialName(maximum), at) + ";");
}

/// What sums of block `s` are multiplied by, whose maximum is in these registers.
std::string GpuStatements::FactorOfBlock(ir::InstId maximum, const Key& key) {
  const ir::Instruction& inst = code_.function->inst(maximum);
  const SplitReduction& split = SplitOf(maximum);
  const ir::Type held = ir::ComputeTypeOf(inst.type);
  const std::string element = words_.Register(held);
  const std::string function = "factor_" + BareName(maximum);
  const ValueText less =
      OpText(ir::Op::kSub, held, {{"before", false}, {"now", false}}, 1, helpers_);
  const ValueText factor = OpText(ir::Op::kExp, held, {{less.text, false}}, 1, helpers_);
  // The difference of two infinities is not a number.
  combiners_.insert(words_.function + element + " " + function + "(" + element + " before, " +
                    element + " now) { return before == now ? " + Number(1, held) + " : " +
                    factor.text + "; }");
  std::uint64_t number = 0, step = split.num_registers;
  const std::vector<KeyDim>& dims = Storage(maximum).key;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    step /= dims[i].size;
    number += static_cast<std::uint64_t>(key[i]) * step;
  }
  const std::uint64_t all = std::uint64_t{split.num_registers} * split.num_slots;
  const std::string place =
      Moved("exh_maxima", SumText({{"s", all}, {Digits(number * split.num_slots), 1}}));
  const std::string now =
      code_.fault == Fault::kUncorrected ? words_.Fresh(place) : Register(maximum, key);
  return function + "(" + words_.Fresh(place) + ", " + now + ")";
}

void GpuStatements::TakeAll(ir::InstId id, int node, std::uint64_t offset) {
  constexpr std::size_t kFew = 8;  ///< Registers, of which several splits are read at once.
  const SplitReduction& split = SplitOf(id);
  const ir::Instruction& inst = code_.function->inst(id);
  const std::string combine = CombineFunction(inst);
  const auto registers = OwnedAt(id, node);
  const std::uint64_t all = std::uint64_t{split.num_registers} * split.num_slots;
  // Threads whose halved bits differ read what they own; the others with slices share the splits.
  const Combine* const slices = SlicesOf(id);
  const auto sharing =
      slices ? Joined(slices->shuffled, slices->shared) : std::vector<ThreadDigit>();
  std::uint64_t sharers = 1;
  for (const ThreadDigit& d : sharing) sharers *= d.size;
  const auto [maximum, of_sum] = MaximumOf(id);
  out_.Open("", inst.name() + ": one of what all blocks have");
  const std::string at = SumText({{IndexOver(split.tile_classes), split.splits * all},
                                  {slices ? IndexOver(slices->halved) : "", split.num_slots},
                                  {IndexOver(split.slots), 1}});
  const std::string type = words_.Pointer("const " + words_.Register(inst.type));
  out_.Line(words_.Deduced("const auto* const", type) +
            " exh_part = " + Moved(PartialName(id), at) + ";");
  if (maximum.valid()) DeclareMaxima(maximum);
  for (const Place& own : registers) out_.Line(own.name + " = " + IdentityOf(inst) + ";");
  if (registers.size() <= kFew) out_.Line("#pragma unroll 8");
  const std::string sharer = IndexOver(sharing);
  out_.Open("for (int s = " + (sharer.empty() ? "0" : sharer) + "; s < " + Digits(split.splits) +
            (sharers == 1 ? "; ++s)" : "; s += " + Digits(sharers) + ")"));
  for (const Place& own : registers) {
    const std::string number = Digits(own.number * split.num_slots);
    const std::string element = Moved("exh_part", SumText({{"s", all}, {number, 1}}));
    std::string more = words_.Fresh(element);
    if (maximum.valid()) more += " * " + FactorOfBlock(maximum, KeyOfMaximum(*of_sum, own.key));
    out_.Line(own.name + " = " + combine + "(" + own.name + ", " + more + ");");
  }
  out_.Close();
  out_.Close();
  if (slices == nullptr) return;
  CombineOwned(*slices, offset);
  ShareOwned(*slices);
}

void GpuStatements::MeetInLastBlock(int node, std::uint64_t offset) {
  const int number = SplitOf(code_.tree.node(node).inst).group;
  const SplitGroup& group = code_.splits.groups[At(number)];
  const bool is_alone = code_.tree.num_threads == 1;
  const std::string ticket =
      Moved("exh_ticket_" + Digits(At(number)), IndexOver(group.tile_classes));
  const std::string is_last = "atomicAdd(" + ticket + ", 1u) == " + Digits(group.splits - 1) + "u";
  const std::string last = "exh_last_" + Digits(At(number));
  // What all threads wrote comes before the ticket.
  if (code_.fault != Fault::kMissingFence) out_.Line("__threadfence();");
  if (!is_alone) out_.Line(Meet());
  out_.Line("const bool " + last + " = " +
            (is_alone ? is_last : "__syncthreads_or(t == 0 && " + is_last + ")") + ";");
  if (group.ends_the_others) {
    out_.Line("if (!" + last + ") return;");
    out_.Open("");
  } else {
    out_.Open("if (" + last + ")");
  }
  if (code_.fault != Fault::kMissingFence) out_.Line("__threadfence();");
  if (code_.fault != Fault::kDirtyTicket) {
    out_.Line((is_alone ? "" : "if (t == 0) ") + ("atomicExch(" + ticket + ", 0u);"));
  }
  for (const std::size_t reduction : group.reductions) {
    TakeAll(code_.splits.reductions[reduction].id, node, offset);
  }
  out_.Close();
}

}  // namespace exh::kernels::codegen
