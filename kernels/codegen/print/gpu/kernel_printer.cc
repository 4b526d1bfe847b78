// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/kernel_printer.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/codegen/plan/work.h"

namespace exh::kernels::codegen {
namespace {

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

std::uint64_t BytesOf(const LoweredCode& code, const TempArray& temp) {
  return temp.slots * SlotStride(*code.function, temp) *
         ir::BytesOf(code.function->block(temp.block).type);
}

std::uint64_t BytesOf(const LoweredCode& code, const CopiedWindow& window) {
  return Aligned(window.elements() * code.function->window(window.window).element_bytes);
}

std::string Parameters(const LoweredCode& code, const CodeNames& names, const Launch& launch,
                       const GpuOptions& options, const GpuWords& words) {
  std::string text;
  const auto add = [&](const std::string& parameter) {
    text += (text.empty() ? "" : ", ") + parameter;
  };
  for (const ir::Array& array : code.function->arrays) {
    const bool is_input = array.role == ir::ArrayRole::kInput;
    add(words.Pointer((is_input ? "const " : "") + words.Element(array.type)) + " " +
        words.restricted + " " + names.array(array.id));
  }
  for (std::size_t i = 0; i < code.function->scalars.size(); ++i) {
    add(words.Register(code.function->scalars[i].type) + " " + names.scalar(i));
  }
  if (launch.scratch_bytes() > 0 || options.gives_up) {
    // Not restricted: threads hand each other what lies there, and a compiler may move accesses to
    // a restricted pointer across barriers, as if no other thread could reach it.
    add(words.Pointer(words.byte) + " exh_global");
  }
  if (options.gives_up) add("const unsigned long long* exh_deadline");
  for (const Ring& ring : code.rings.rings) {
    for (const RingBlock& block : ring.blocks) {
      if (block.bulk) {
        add("const __grid_constant__ exh_tensor_map " + MapName(names, block.block));
      }
    }
  }
  return text;
}

void OpenKernel(const std::string& name, std::uint32_t threads, std::uint32_t blocks,
                const std::string& parameters, const Overlap& overlap, const GpuWords& words,
                TextWriter& out) {
  out.Line(words.Kernel(threads, blocks));
  out.Open(name + "(" + parameters + ")");
  if (overlap.lets) out.Line("exh_let_next_begin();");
}

KernelPrinter::KernelPrinter(const LoweredCode& code, const Part& part, const Overlap& overlap,
                             const GpuOptions& options, const CodeNames& names,
                             const Launch& launch, const GpuWords& words, GpuStatements& statements,
                             TextWriter& out)
    : LoopPrinter(code, names, statements, out),
      overlap_(overlap),
      options_(options),
      launch_(launch),
      words_(words),
      kernel_(part),
      rest_(WithoutFills(part)),
      statements_(statements),
      steps_(StepsOfNodes(code.tree)) {
  Select(rest_);
  if (overlap.awaits) await_at_ = WhereToAwait();
}

void KernelPrinter::Print(const std::string& name) {
  for (const TempArray& temp : code_.memory.temps) {
    if (temp.space == MemSpace::SHARED) slices_begin_ += BytesOf(code_, temp);
  }
  for (const CopiedWindow& window : code_.memory.windows) {
    slices_begin_ += BytesOf(code_, window);
  }
  OpenKernel(name, launch_.threads, code_.schedule->min_blocks.Or(1),
             Parameters(code_, names_, launch_, options_, words_), overlap_, words_, out_);
  const std::string shared = words_.SharedOfKernel(launch_.shared_bytes);
  if (launch_.shared_bytes > 0 && !shared.empty()) out_.Line(shared);
  AwaitAt(kStart);
  if (options_.gives_up) {
    out_.Line("const unsigned long long exh_end = *exh_deadline;");
    if (launch_.cluster == 1) out_.Line("exh_look(exh_end);");
  }
  if (code_.splits.cluster_class >= 0 && code_.fault != Fault::kEarlyTelling) {
    out_.Line("exh_cluster_arrive();");
  }
  if (launch_.threads > 1) out_.Line("const int t = " + words_.thread + ";");
  Patches();
  Temporaries();
  statements_.DeclareWorkspace();
  const std::uint64_t barriers = launch_.shared_bytes - code_.rings.barrier_bytes;
  const std::uint64_t behind = barriers - code_.splits.cluster_bytes;
  if (DrawsNumbers()) statements_.DrawNumber(behind - kTurnBytes);
  statements_.DeclareExchanges(behind);
  MakeBarriers(barriers);
  if (code_.rings.has_producers) Produce();
  EachTile([&] {
    Blocks();
    Body(0);
    if (code_.rings.is_persistent && IsSharedOtherwise()) out_.Line(statements_.Meet());
  });
  // Others may still arrive at barriers of this block.
  if (code_.rings.cluster.blocks > 1 && code_.fault != Fault::kEarlyEnd) MeetCluster();
  out_.Close();
}

int KernelPrinter::WhereToAwait() const {
  if (part_->finishes >= 0 || options_.gives_up) return kStart;
  return FirstOf([&](const LoopNode& node) {
    return node.kind == NodeKind::kExec && code_.splits.of_store[node.inst.index()] >= 0;
  });
}

int KernelPrinter::FirstOf(const std::function<bool(const LoopNode&)>& wanted) const {
  int at = kStart;
  while (IsPassedOnce(tree_.node(at))) {
    std::vector<int> inside = tree_.node(at).children;
    std::erase_if(inside, [&](int child) { return !Holds(child, wanted); });
    if (inside.empty()) break;
    at = inside.front();
    if (inside.size() > 1) break;  // Threads that are not in this one may be in another.
  }
  return at;
}

bool KernelPrinter::IsPassedOnce(const LoopNode& node) const {
  const bool is_trivial = node.kind == NodeKind::kLoop && Class(node.dim_class).size == 1;
  return is_trivial || node.kind == NodeKind::kRoot || node.kind == NodeKind::kBlock ||
         node.kind == NodeKind::kThreads;
}

bool KernelPrinter::Holds(int index, const std::function<bool(const LoopNode&)>& wanted) const {
  const LoopNode& node = tree_.node(index);
  if (!Runs(index)) return false;
  return wanted(node) ||
         std::ranges::any_of(node.children, [&](int child) { return Holds(child, wanted); });
}

void KernelPrinter::AwaitAt(int node) {
  if (await_at_ == node) out_.Line(kAwait);
}

void KernelPrinter::Patches() {
  for (const ThreadLayout& layout : tree_.layouts) {
    if (layout.patch != 1) out_.Line(PatchLine("int", layout, code_.fault == Fault::kLostPlace));
  }
}

std::string KernelPrinter::BlockNumber() const {
  if (code_.rings.cluster.blocks > 1) {
    return std::string("(") + (code_.rings.is_persistent ? "exh_tile" : words_.block) + " / " +
           Number(code_.rings.cluster.blocks) + ")";
  }
  if (code_.rings.is_persistent) return "exh_tile";
  const bool has_drawn = DrawsNumbers() && code_.fault != Fault::kPlainNumber;
  return has_drawn ? "exh_number" : words_.block;
}

std::string KernelPrinter::BlockIndex(std::uint64_t blocks, std::uint64_t columns) {
  const std::uint64_t raster = code_.schedule->raster.Or(1), rows = blocks / columns;
  const std::string number = BlockNumber();
  if (raster == 1 || columns == 1 || rows == 1) return number;
  const std::string together = Number(raster * columns);
  std::string height = Number(std::min(raster, rows));
  if (rows > raster && rows % raster != 0) {
    out_.Line("const int exh_rows = " + number + " < " + Number(rows / raster * raster * columns) +
              " ? " + height + " : " + Number(rows % raster) + ";");
    height = "exh_rows";
  }
  const std::string within = " + " + number + " % " + together;
  const std::string column = code_.fault == Fault::kLostPlace ? "" : within + " / " + height;
  out_.Line("const int exh_block = " + number + " / " + together + " * " + together + within +
            " % " + height + " * " + Number(columns) + column + ";");
  return "exh_block";
}

void KernelPrinter::Blocks() {
  const std::vector<int>& classes = BlockClasses();
  const bool is_plain = part_->finishes >= 0 || classes.empty();
  const BlockCluster& cluster = code_.rings.cluster;
  const auto columns = [&] {
    return Class(classes.back()).size / (classes.back() == cluster.dim_class ? cluster.blocks : 1);
  };
  BlockIndices(is_plain ? BlockNumber() : BlockIndex(tree_.num_blocks / cluster.blocks, columns()),
               "int", true, cluster);
}

void KernelPrinter::Temporaries() {
  std::uint64_t shared = 0, global = 0;  // In bytes.
  const auto declare = [&](ir::Type type, MemSpace space, const std::string& name,
                           const std::string& offset, const std::string& what) {
    const bool is_shared = space == MemSpace::SHARED;
    const std::string pointer = words_.Pointer(words_.Element(type), space);
    out_.Line(pointer + " const " + name + " = " +
              words_.CastPointer(pointer, is_shared ? "exh_shared" : "exh_global") + " + " +
              offset + ";  // " + (is_shared ? "SHARED " : "GLOBAL ") + what);
  };
  for (const TempArray& temp : code_.memory.temps) {
    const ir::MemBlock& block = code_.function->block(temp.block);
    const std::uint64_t size = ir::BytesOf(block.type), bytes = BytesOf(code_, temp);
    const bool is_shared = temp.space == MemSpace::SHARED;
    const std::string first =
        is_shared ? Number(shared / size)
                  : "(" + words_.block + " * " +
                        words_.UnsignedNumber(launch_.global_bytes / size, true) + " + " +
                        Number((launch_.workspace_bytes + global) / size) + ")";
    declare(block.type, temp.space, names_.temp(temp.block), first, block.name());
    (is_shared ? shared : global) += bytes;
  }
  for (const CopiedWindow& window : code_.memory.windows) {
    const ir::Window& planned = code_.function->window(window.window);
    declare(planned.type, MemSpace::SHARED, names_.window(planned),
            Number(shared / planned.element_bytes), planned.name());
    shared += BytesOf(code_, window);
  }
}

const Combine& KernelPrinter::CombineOf(int node) const {
  const int number = code_.combines.of_node[static_cast<std::size_t>(node)];
  return code_.combines.combines[static_cast<std::size_t>(number)];
}

void KernelPrinter::Children(int index) {
  for (const int child : tree_.node(index).children) {
    const GroupProduct* const batch = part_ == &rest_ ? code_.groups.OfBatch(child) : nullptr;
    const bool has_batch = batch != nullptr && Runs(child);
    if (has_batch) statements_.BeginBatch(*batch);
    Node(child);
    if (has_batch) statements_.EndBatch(*batch);
    if (part_ != &rest_) continue;  // What fills rings is not read ahead.
    for (const AdvancedRead& read : code_.values.ahead) {
      if (read.after == child && part_->insts[read.inst.index()]) ReadNext(read);
    }
  }
}

void KernelPrinter::ReadFirst(const AdvancedRead& read) {
  out_.Line("// " + code_.function->inst(read.inst).name() + " of the first iteration");
  statements_.MoveLoop(tree_.node(read.loop).dim_class, "0");
  const LoopNode& loop = tree_.node(read.loop);
  for (const int child : loop.children) Only(child, read);
  statements_.MoveLoop(-1, "");
}

void KernelPrinter::ReadNext(const AdvancedRead& read) {
  const int loop = tree_.node(read.loop).dim_class;
  const std::string next = names_.index(loop) + " + 1";
  out_.Open("if (" + next + " < " + Number(Class(loop).size) + ")",
            code_.function->inst(read.inst).name() + " of the next iteration");
  statements_.MoveLoop(loop, "(" + next + ")");
  Only(read.child, read);
  statements_.MoveLoop(-1, "");
  out_.Close();
}

void KernelPrinter::Only(int index, const AdvancedRead& read) {
  int inside = tree_.node_of_inst[read.inst.index()];
  while (inside >= 0 && inside != index) inside = tree_.node(inside).parent;
  if (inside < 0) return;
  const LoopNode& node = tree_.node(index);
  const auto children = [&] {
    for (const int child : node.children) Only(child, read);
  };
  switch (node.kind) {
    case NodeKind::kExec:
      return statements_.Execute(read.inst);
    case NodeKind::kLanes:
    case NodeKind::kRound:
    case NodeKind::kCombine:
    case NodeKind::kCorrect:
    case NodeKind::kSettle:
    case NodeKind::kHandOver:
    case NodeKind::kLastBlock:
    case NodeKind::kExchange:
      return;
    case NodeKind::kThreads:
      if (node.layout < 0) return children();
      OpenBand(index);
      children();
      return out_.Close();
    case NodeKind::kLoop:  // Of a single iteration.
      out_.Open("");
      out_.Line("const int " + names_.index(node.dim_class) + " = 0;");
      children();
      return out_.Close();
    case NodeKind::kUnroll:
      for (std::uint32_t copy = 0; copy < Class(node.dim_class).size; ++copy) {
        statements_.SetIndex(node.dim_class, copy);
        children();
        if (std::ranges::find(read.shared, node.dim_class) != read.shared.end()) break;
      }
      return statements_.SetIndex(node.dim_class, 0);
    case NodeKind::kRoot:
    case NodeKind::kBlock:
    case NodeKind::kVector:
      return children();
  }
}

void KernelPrinter::Execute(ir::InstId inst) {
  const auto& ahead = code_.values.ahead;
  if (std::ranges::find(ahead, inst, &AdvancedRead::inst) == ahead.end()) {
    statements_.Execute(inst);
  }
}

void KernelPrinter::Threads(int index) {
  if (tree_.node(index).layout >= 0) {
    OpenBand(index);
    statements_.DeclarePointers(index);
  } else {
    out_.Open("");
  }
  Body(index);
  out_.Close();
}

void KernelPrinter::OpenBand(int index) {
  const LoopNode& node = tree_.node(index);
  const ThreadGuard& guard = code_.threads.band[static_cast<std::size_t>(index)];
  const std::string condition = statements_.Condition(guard);
  out_.Open(condition.empty() ? "" : "if (" + condition + ")");
  for (const int c : node.thread_classes) {
    out_.Line("const int " + names_.index(c) + " = " +
              statements_.AxisIndex(Class(c).axis, guard.below != 0) + ";  // THREAD " +
              DimNames(code_, c));
  }
}

void KernelPrinter::Before(int index) {
  if (part_ != &rest_) return;
  AwaitAt(index);  // Before a ring's loop: before its first iterations, too.
  if (code_.threads.barrier_before[static_cast<std::size_t>(index)]) Barrier();
}

void KernelPrinter::Ending(int index) {
  const LoopNode& node = tree_.node(index);
  switch (node.kind) {
    case NodeKind::kRound:
      return statements_.RoundSums(index);
    case NodeKind::kCombine:
      return statements_.CombineSlices(CombineOf(index), slices_begin_);
    case NodeKind::kCorrect:
      return statements_.Correct(index);
    case NodeKind::kSettle:
      return statements_.Settle(index);
    case NodeKind::kHandOver:
      if (part_->finishes < 0) return statements_.HandOver(index);
      return statements_.TakeAll(node.inst, index, slices_begin_);
    case NodeKind::kExchange:
      return statements_.Exchange(index, exchanges_++ == 0, options_.gives_up);
    default:  // Lanes compute on no device of this kind.
      EXH_CHECK(node.kind == NodeKind::kLastBlock);
      return statements_.MeetInLastBlock(index, slices_begin_);
  }
}

void KernelPrinter::Loop(int index) {
  if (Class(tree_.node(index).dim_class).size == 1) return Once(index);
  if (part_ == &rest_) {
    for (const AdvancedRead& read : code_.values.ahead) {
      if (read.loop == index && part_->insts[read.inst.index()]) ReadFirst(read);
    }
    if (const Ring* const ring = RingOf(index)) {
      return ring->is_bulk() ? TurnInBulk(*ring) : Turn(*ring);
    }
  }
  LoopOf(index, [&] { Body(index); });
}

const std::string& KernelPrinter::NameOf(int dim_class) const {
  return code_.function->dim(Class(dim_class).dims.front()).name();
}

void KernelPrinter::LookAtTheClock(int loop) {
  constexpr double kLong = 4096, kBody = 1024;
  constexpr std::uint32_t kEvery = 64;
  const std::uint32_t size = Class(tree_.node(loop).dim_class).size;
  const double all = steps_[static_cast<std::size_t>(loop)];
  if (all < kLong) return;
  const bool always = all / size >= kBody || size < kEvery;
  const std::string when = "if (" + names_.index(tree_.node(loop).dim_class) + " % " +
                           Number(kEvery) + " == " + Number(kEvery - 1) + ") ";
  // Others of a cluster may still write to the memory of this block for a short time.
  const std::string end = launch_.cluster > 1 ? "exh_end + 50000ull" : "exh_end";
  out_.Line((always ? "" : when) + "exh_look(" + end + ");");
}

void KernelPrinter::Once(int index) {
  const int dim_class = tree_.node(index).dim_class;
  out_.Open("", "LOOP " + DimNames(code_, dim_class));
  out_.Line("const int " + names_.index(dim_class) + " = 0;");
  Body(index);
  out_.Close();
}

}  // namespace exh::kernels::codegen
