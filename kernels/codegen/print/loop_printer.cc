// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/loop_printer.h"

#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

const std::vector<int>& LoopPrinter::BlockClasses() const {
  if (part_->finishes < 0) return tree_.block_classes;
  return code_.splits.groups[static_cast<std::size_t>(part_->finishes)].tile_classes;
}

void LoopPrinter::BlockIndices(const std::string& block, const std::string& type, bool bounded) {
  std::uint64_t blocks = 1;
  for (const int c : BlockClasses()) blocks *= Class(c).size;
  std::uint64_t stride = blocks;
  for (const int c : BlockClasses()) {
    stride /= Class(c).size;
    const std::uint32_t size = Class(c).size;
    out_.Line("const " + type + " " + names_.index(c) + " = " +
              loops::DigitText(block, static_cast<std::int64_t>(stride), size,
                               bounded && stride * size == blocks) +
              ";  // BLOCK " + DimNames(code_, c));
  }
}

void LoopPrinter::Body(int index) {
  for (const ir::Instruction& inst : code_.function->insts) {
    const bool is_here = code_.values.storage[inst.id.index()].home == index;
    if (is_here && part_->values[inst.id.index()] && instructions_.HasRegister(inst.id)) {
      instructions_.Declare(inst.id);
    }
  }
  Children(index);
}

void LoopPrinter::Children(int index) {
  for (const int child : tree_.node(index).children) Node(child);
}

void LoopPrinter::Node(int index) {
  const LoopNode& node = tree_.node(index);
  if (!Runs(index)) return;
  Before(index);
  switch (node.kind) {
    case NodeKind::kRoot:
    case NodeKind::kBlock:
      return Body(index);
    case NodeKind::kThreads:
      return Threads(index);
    case NodeKind::kExec:
      return Execute(node.inst);
    case NodeKind::kLanes:
    case NodeKind::kRound:
    case NodeKind::kCombine:
    case NodeKind::kCorrect:
    case NodeKind::kSettle:
    case NodeKind::kHandOver:
    case NodeKind::kLastBlock:
    case NodeKind::kExchange:
      return Ending(index);
    case NodeKind::kLoop:
      return Loop(index);
    case NodeKind::kUnroll: {
      const bool is_tile = Class(node.dim_class).part != ir::FragmentPart::kNone;
      Comment(is_tile ? "// TENSOR " : "// UNROLL ", node.dim_class);
      const int before = repeats_;
      ForEachCopy(
          tree_, node, [&](int dim_class) { return instructions_.copy(dim_class); },
          [&](std::uint32_t copy) {
            instructions_.SetIndex(node.dim_class, copy);
            Body(index);
            repeats_ = before + 1;
          });
      repeats_ = before;
      return instructions_.SetIndex(node.dim_class, 0);
    }
    case NodeKind::kVector:
      Comment("// VECTOR ", node.dim_class);
      return Body(index);
  }
}

void LoopPrinter::Comment(const std::string& kind, int dim_class) {
  if (repeats_ == 0) out_.Line(kind + DimNames(code_, dim_class));
}

}  // namespace exh::kernels::codegen
