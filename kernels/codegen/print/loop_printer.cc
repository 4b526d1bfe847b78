// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/loop_printer.h"

#include <algorithm>

#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

const std::vector<int>& LoopPrinter::BlockClasses() const {
  return part_->blocks;
}

void LoopPrinter::BlockIndices(const std::string& block, const std::string& type, bool bounded,
                               const BlockCluster& cluster) {
  const auto size_of = [&](int c) {
    return Class(c).size / (c == cluster.dim_class ? cluster.blocks : 1);
  };
  std::uint64_t blocks = 1;
  for (const int c : BlockClasses()) blocks *= size_of(c);
  std::uint64_t stride = blocks;
  for (const int c : BlockClasses()) {
    const std::uint32_t size = size_of(c);
    stride /= size;
    // Blocks with most to do come first.
    const bool is_turned = std::ranges::any_of(code_.skipped, [&](const SkippedTiles& tiles) {
      return std::ranges::any_of(
          tiles.ends, [&](const SkippedTiles::End& end) { return end.most.StrideOf(c) > 0; });
    });
    const bool is_cluster = cluster.blocks > 1 && c == cluster.dim_class;
    const std::string digit = loops::DigitText(block, static_cast<std::int64_t>(stride), size,
                                               bounded && stride * size == blocks);
    const std::string turned = is_turned ? std::to_string(size - 1) + " - (" + digit + ")" : digit;
    out_.Line("const " + type + " " + names_.index(c) + " = " +
              (is_cluster ? "(" + turned + ") * " + std::to_string(cluster.blocks) + " + exh_rank"
                          : turned) +
              ";  // BLOCK " + DimNames(code_, c));
  }
}

const SkippedTiles* LoopPrinter::SkippedBy(int loop) const {
  const auto found = std::ranges::find(code_.skipped, loop, &SkippedTiles::loop);
  return found == code_.skipped.end() ? nullptr : &*found;
}

std::string LoopPrinter::DeclareEnd(const SkippedTiles& tiles, const std::string& type) {
  const int dim_class = tree_.node(tiles.loop).dim_class;
  const std::string name = "end_" + names_.index(dim_class).substr(2);
  out_.Line(type + " " + name + " = " + std::to_string(Class(dim_class).size) +
            ";  // What comes behind is masked.");
  for (const SkippedTiles::End& end : tiles.ends) {
    out_.Open("");
    out_.Line("const " + type + " most = " + instructions_.IndexText(end.most) + ";");
    const std::string whole = end.step == 1 ? "most" : "most / " + std::to_string(end.step);
    const bool is_early = code_.fault == Fault::kLostTile;
    out_.Line("const " + type + " count = most < 0 ? 0 : " + whole + (is_early ? ";" : " + 1;"));
    out_.Line("if (count < " + name + ") " + name + " = count;");
    out_.Close();
  }
  return name;
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
