// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/printer.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/text_writer.h"
#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/gpu/copies/bulk.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/gpu/words.h"
#include "kernels/codegen/print/loop_printer.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/codegen/print/repeated_reads.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/helper_functions.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kFillThreads = 256;

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

/// Bytes of a temporary, and what follows it.
std::uint64_t BytesOf(const LoweredCode& code, const TempArray& temp) {
  return temp.slots * SlotStride(*code.function, temp) *
         ir::BytesOf(code.function->block(temp.block).type);
}

std::uint64_t BytesOf(const LoweredCode& code, const CopiedWindow& window) {
  return Aligned(window.elements() * code.function->window(window.window).element_bytes);
}

std::string KernelName(const std::string& name, std::size_t number) {
  return "exh_" + name + (number == 0 ? "" : Number(number));
}

/// How a kernel takes part when launches overlap. All blocks of one that waits do: so it ends after
/// the one before, and the last launch of a program ends last.
struct Overlap {
  bool awaits = false;  ///< It is launched early, and waits for the kernel before.
  bool lets = false;    ///< The next one is launched early.
};

constexpr const char* kAwait = "exh_await_previous();";

/// The launches of all kernels.
Launch PlanLaunch(const LoweredCode& code, const GpuOptions& options) {
  Launch launch;
  launch.grid = code.tree.num_blocks;
  if (code.rings.is_persistent) {
    launch.grid = std::min<std::uint64_t>(launch.grid, options.multiprocessors);
  }
  launch.threads = code.tree.num_threads + code.rings.more_threads();
  for (const Ring& ring : code.rings.rings) {
    for (const RingBlock& block : ring.blocks) {
      if (block.bulk) launch.maps.push_back(block.bulk->map);
    }
  }
  for (const TempArray& temp : code.memory.temps) {
    (temp.space == MemSpace::SHARED ? launch.shared_bytes : launch.global_bytes) +=
        BytesOf(code, temp);
  }
  for (const CopiedWindow& window : code.memory.windows) {
    launch.shared_bytes += BytesOf(code, window);
  }
  std::uint64_t slices = 0;  // One after the other, they take the same memory.
  for (const Combine& combine : code.combines.combines) {
    slices = std::max(slices, Aligned(combine.shared_bytes));
  }
  launch.shared_bytes += slices;
  // Behind all of it: the number that the block has drawn, …
  if (code.splits.draws_numbers()) launch.shared_bytes += kTurnBytes;
  // … or what blocks of a cluster tell each other; and what bulk copies are waited for with.
  launch.shared_bytes += code.splits.cluster_bytes;
  if (code.rings.barrier_bytes > 0) {
    launch.shared_bytes = Aligned(launch.shared_bytes) + code.rings.barrier_bytes;
  }
  if (const int c = code.splits.cluster_class; c >= 0) {
    launch.cluster = code.tree.classes[static_cast<std::size_t>(c)].size;
  }
  launch.in_any_order = BitsMayVary(*code.function, code.splits);
  launch.workspace_bytes = code.splits.workspace_bytes;
  launch.ticket_bytes = code.splits.ticket_bytes;
  std::size_t fills = 0, finishes = 0;
  for (const SplitReduction& split : code.splits.reductions) {
    if (!split.is_atomic() || code.fault == Fault::kMissingFill) continue;
    const ir::InstId store = split.store;
    const std::uint64_t elements = code.function->array(code.function->inst(store).array).elements;
    launch.sides.push_back({KernelName("fill", fills++), true,
                            (elements + kFillThreads - 1) / kFillThreads, kFillThreads, 0});
  }
  for (const Part& part : code.splits.parts) {
    if (part.finishes < 0) continue;
    std::uint64_t blocks = 1;
    for (const int c : part.blocks) blocks *= code.tree.classes[static_cast<std::size_t>(c)].size;
    launch.sides.push_back(
        {KernelName("finish", finishes++), false, blocks, launch.threads, launch.shared_bytes});
  }
  // One block that fills has ended before another kernel could begin. To launch that one early
  // costs more than it saves then (0.1 us on an H200, in a graph).
  const bool fills_at_once =
      launch.sides.size() == 1 && launch.sides[0].is_before && launch.sides[0].grid == 1;
  launch.overlaps = options.overlaps && !launch.sides.empty() && !fills_at_once;
  return launch;
}

/// Parameters, which all kernels have.
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

/// One kernel: what a part of the program runs.
class KernelPrinter : LoopPrinter {
 public:
  KernelPrinter(const LoweredCode& code, const Part& part, const Overlap& overlap,
                const GpuOptions& options, const CodeNames& names, const Launch& launch,
                const GpuWords& words, GpuStatements& statements, TextWriter& out)
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

  void Print(const std::string& name) {
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
    if (launch_.cluster > 1 && code_.fault != Fault::kEarlyTelling) {
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
    out_.Close();
  }

 private:
  /// In what is left of a divided reduction, nothing comes before what the others left. Threads
  /// that give up may not end before they have waited.
  int WhereToAwait() const {
    if (part_->finishes >= 0 || options_.gives_up) return kStart;
    return FirstOf([&](const LoopNode& node) {
      return node.kind == NodeKind::kExec && code_.splits.of_store[node.inst.index()] >= 0;
    });
  }

  /// The first node of the part that is `wanted`, or what is passed once around it. All threads
  /// that come to a node that is wanted have been there before.
  int FirstOf(const std::function<bool(const LoopNode&)>& wanted) const {
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

  bool IsPassedOnce(const LoopNode& node) const {
    const bool is_trivial = node.kind == NodeKind::kLoop && Class(node.dim_class).size == 1;
    return is_trivial || node.kind == NodeKind::kRoot || node.kind == NodeKind::kBlock ||
           node.kind == NodeKind::kThreads;
  }

  bool Holds(int index, const std::function<bool(const LoopNode&)>& wanted) const {
    const LoopNode& node = tree_.node(index);
    if (!Runs(index)) return false;
    return wanted(node) ||
           std::ranges::any_of(node.children, [&](int child) { return Holds(child, wanted); });
  }

  void AwaitAt(int node) {
    if (await_at_ == node) out_.Line(kAwait);
  }

  /// Where the thread is, in the layout whose warps are patches: ThreadLayout::PlaceOf().
  void Patches() {
    for (const ThreadLayout& layout : tree_.layouts) {
      if (layout.patch == 1) continue;
      const std::string rows = Number(layout.patch * layout.row),
                        columns = Number(layout.columns());
      const std::string lanes = Number(ir::kWarpLanes);
      const std::string warp = code_.fault == Fault::kLostPlace
                                   ? ""
                                   : " + t % " + rows + " / " + lanes + " * " + columns;
      out_.Line("const int " + std::string(kPlaceInPatches) + " = t / " + rows + " * " + rows +
                " + t % " + lanes + " / " + columns + " * " + Number(layout.row) + warp +
                " + t % " + columns + ";  // patches of " + columns + " x " + Number(layout.patch));
    }
  }

  /// Prints what a block does of each of its tiles.
  template <typename Print>
  void EachTile(const Print& print) {
    if (!code_.rings.is_persistent) return print();
    out_.Line("#pragma unroll 1");
    out_.Open("for (unsigned exh_tile = " + words_.block + "; exh_tile < " +
              Number(tree_.num_blocks) + "; exh_tile += " + Number(launch_.grid) + ")");
    print();
    out_.Close();
  }

  /// Has the block shared memory beside what rings and their barriers take? What is there of a tile
  /// is read before the next one.
  bool IsSharedOtherwise() const {
    const bool has_others = std::ranges::any_of(code_.memory.temps, [&](const TempArray& temp) {
      return temp.space == MemSpace::SHARED && code_.rings.of_block[temp.block.index()] < 0;
    });
    return has_others || !code_.memory.windows.empty() || !code_.combines.combines.empty();
  }

  /// The barriers of rings that bulk copies fill, from byte `offset` of what the block shares on.
  void MakeBarriers(std::uint64_t offset) {
    if (code_.rings.barrier_bytes == 0) return;
    const bool has_producers = code_.rings.has_producers;
    std::vector<std::pair<std::string, std::string>> barriers;  // Places, and who arrives there.
    const auto declare = [&](const std::string& name, std::uint32_t count, std::uint32_t arrivals) {
      out_.Line("unsigned long long* const " + name +
                " = reinterpret_cast<unsigned long long*>(exh_shared + " + Number(offset) + ");");
      offset += 8 * count;
      for (std::uint32_t i = 0; i < count; ++i) {
        barriers.emplace_back(name + " + " + Number(i), Number(arrivals));
      }
    };
    for (const Ring& ring : code_.rings.rings) {
      if (!ring.is_bulk()) continue;
      const std::string name = statements_.RingName(ring);
      declare("full" + name, ring.lengths.front(), 1);
      if (has_producers) {
        declare("empty" + name, ring.lengths.front(), tree_.num_threads / ir::kWarpLanes);
      }
    }
    out_.Open("if (t == 0)");
    for (const auto& [place, arrivals] : barriers) {
      out_.Line("exh_barrier_init(" + place + ", " + arrivals + ");");
    }
    out_.Line("exh_barriers_made();");
    out_.Close();
    out_.Line(words_.barrier);
    if (has_producers) return;
    for (const Ring& ring : code_.rings.rings) {
      if (ring.is_bulk()) DeclareTurn(ring);
    }
  }

  std::string SlotOf(const Ring& ring) const { return "slot" + statements_.RingName(ring); }
  std::string PhaseOf(const Ring& ring) const { return "phase" + statements_.RingName(ring); }
  void DeclareTurn(const Ring& ring) {
    out_.Line("int " + SlotOf(ring) + " = 0;");
    out_.Line("unsigned " + PhaseOf(ring) + " = 0;");
  }
  /// The next slot; with the first one the parity changes.
  void NextSlot(const Ring& ring) {
    const std::string slot = SlotOf(ring);
    out_.Line("if (++" + slot + " == " + Number(ring.lengths.front()) + ") " + slot + " = 0, " +
              PhaseOf(ring) + " ^= 1;");
  }

  /// The threads that ask for copies and do nothing else.
  void Produce() {
    const Ring& ring = code_.rings.ring_of_producers();
    const std::string threads = Number(tree_.num_threads), name = statements_.RingName(ring);
    const RoleRegisters registers =
        RegistersOfRoles(tree_.num_threads / (ir::kGroupWarps * ir::kWarpLanes));
    out_.Open("if (t >= " + threads + ")", "producers");
    if (registers.producer > 0) {
      out_.Line("exh_fewer_registers<" + Number(registers.producer) + ">();");
    }
    out_.Line("if (t != " + threads + ") return;");
    DeclareTurn(ring);
    EachTile([&] {
      Blocks();
      const std::string& i = names_.index(tree_.node(ring.loop).dim_class);
      out_.Line("#pragma unroll 1");
      out_.Open(loops::ForText("int", i, "0",
                               i + " < " + Number(Class(tree_.node(ring.loop).dim_class).size)));
      if (code_.fault != Fault::kEarlyRefill) {
        out_.Line(statements_.AwaitText("empty" + name + " + " + SlotOf(ring),
                                        PhaseOf(ring) + " ^ 1"));
      }
      statements_.FillInBulk(ring, SlotOf(ring), i);
      NextSlot(ring);
      out_.Close();
    });
    out_.Line("return;");
    out_.Close();
    if (registers.other > 0) out_.Line("exh_more_registers<" + Number(registers.other) + ">();");
    DeclareTurn(ring);
  }

  /// A loop that a ring of bulk copies turns in.
  void TurnInBulk(const Ring& ring) {
    const bool has_producers = code_.rings.has_producers;
    const std::string& i = names_.index(tree_.node(ring.loop).dim_class);
    const std::uint32_t size = Class(tree_.node(ring.loop).dim_class).size;
    const std::uint32_t stages = ring.lengths.front(), ahead = stages - 1 - ring.lag;
    const std::string slot = SlotOf(ring), name = statements_.RingName(ring);
    const auto moved = [&](std::uint32_t by) {
      return by == 0 ? slot : "((" + slot + " + " + Number(by) + ") % " + Number(stages) + ")";
    };
    if (!has_producers) {
      out_.Open("if (t == 0)", "the first iterations of " + NameOf(tree_.node(ring.loop).dim_class));
      for (std::uint32_t step = 0; step < std::min(ahead, size); ++step) {
        statements_.FillInBulk(ring, moved(step), Number(step));
      }
      out_.Close();
    }
    LoopOf(ring.loop, [&] {
      const bool is_wrong = code_.fault == Fault::kWrongParity;
      if (code_.fault != Fault::kMissingCopyWait) {
        out_.Line(statements_.AwaitText("full" + name + " + " + slot,
                                        PhaseOf(ring) + (is_wrong ? " ^ 1" : "")));
      }
      if (!has_producers) {
        if (code_.fault != Fault::kMissingBarrier) Barrier();
        const std::string later = i + " + " + Number(ahead);
        out_.Open("if (t == 0 && " + later + " < " + Number(size) + ")");
        statements_.FillInBulk(ring, moved(ahead), "(" + later + ")");
        out_.Close();
      }
      statements_.DeclareReadSlots(ring, [&](std::uint32_t) { return slot; });
      const bool is_early = code_.fault == Fault::kEarlyRelease;
      if (has_producers && is_early) Release(ring, slot);
      Body(ring.loop);
      if (has_producers && !is_early) {
        if (ring.lag == 0) Release(ring, slot);
        if (ring.lag > 0) Release(ring, moved(stages - ring.lag), i + " >= " + Number(ring.lag));
      }
      NextSlot(ring);
    });
    if (ring.lag == 0) return;
    statements_.AwaitBatches(0);
    if (!has_producers || code_.fault == Fault::kEarlyRelease) return;
    for (std::uint32_t late = ring.lag; late > 0; --late) Release(ring, moved(stages - late));
  }

  /// The warp has read the slot.
  void Release(const Ring& ring, const std::string& slot, const std::string& when = "") {
    out_.Line("if (t % " + Number(ir::kWarpLanes) + " == 0" + (when.empty() ? "" : " && " + when) +
              ") exh_arrive(empty" + statements_.RingName(ring) + " + " + slot + ");");
  }

  bool DrawsNumbers() const { return part_->finishes < 0 && code_.splits.draws_numbers(); }
  std::string BlockNumber() const {
    if (code_.rings.is_persistent) return "exh_tile";
    const bool has_drawn = DrawsNumbers() && code_.fault != Fault::kPlainNumber;
    return has_drawn ? "exh_number" : words_.block;
  }

  /// The block's number, or which block it is when `raster` rows of `columns` blocks are gone
  /// through together, column by column; in the last rows there may be fewer.
  std::string BlockIndex(std::uint64_t blocks, std::uint64_t columns) {
    const std::uint64_t raster = code_.schedule->raster.Or(1), rows = blocks / columns;
    const std::string number = BlockNumber();
    if (raster == 1 || columns == 1 || rows == 1) return number;
    const std::string together = Number(raster * columns);
    std::string height = Number(std::min(raster, rows));
    if (rows > raster && rows % raster != 0) {
      out_.Line("const int exh_rows = " + number + " < " +
                Number(rows / raster * raster * columns) + " ? " + height + " : " +
                Number(rows % raster) + ";");
      height = "exh_rows";
    }
    const std::string within = " + " + number + " % " + together;
    const std::string column = code_.fault == Fault::kLostPlace ? "" : within + " / " + height;
    out_.Line("const int exh_block = " + number + " / " + together + " * " + together + within +
              " % " + height + " * " + Number(columns) + column + ";");
    return "exh_block";
  }

  /// Where the block is. One that makes a value of what several have is in none of these.
  void Blocks() {
    const std::vector<int>& classes = BlockClasses();
    const bool is_plain = part_->finishes >= 0 || classes.empty();
    BlockIndices(
        is_plain ? BlockNumber() : BlockIndex(tree_.num_blocks, Class(classes.back()).size), "int",
        true);
  }

  void Temporaries() {
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

  const Combine& CombineOf(int node) const {
    const int number = code_.combines.of_node[static_cast<std::size_t>(node)];
    return code_.combines.combines[static_cast<std::size_t>(number)];
  }

  void Children(int index) override {
    for (const int child : tree_.node(index).children) {
      const GroupProduct* const batch = part_ == &rest_ ? code_.groups.OfBatch(child) : nullptr;
      const bool has_batch = batch != nullptr && Runs(child);
      if (has_batch) statements_.BeginBatch();
      Node(child);
      if (has_batch) statements_.EndBatch(batch->lag);
      if (part_ != &rest_) continue;  // What fills rings is not read ahead.
      for (const AdvancedRead& read : code_.values.ahead) {
        if (read.after == child && part_->insts[read.inst.index()]) ReadNext(read);
      }
    }
  }

  /// The first iteration's value of a read that is ahead of a loop.
  void ReadFirst(const AdvancedRead& read) {
    out_.Line("// " + code_.function->inst(read.inst).name() + " of the first iteration");
    statements_.MoveLoop(tree_.node(read.loop).dim_class, "0");
    const LoopNode& loop = tree_.node(read.loop);
    for (const int child : loop.children) Only(child, read);
    statements_.MoveLoop(-1, "");
  }

  /// The next iteration's.
  void ReadNext(const AdvancedRead& read) {
    const int loop = tree_.node(read.loop).dim_class;
    const std::string next = names_.index(loop) + " + 1";
    out_.Open("if (" + next + " < " + Number(Class(loop).size) + ")",
              code_.function->inst(read.inst).name() + " of the next iteration");
    statements_.MoveLoop(loop, "(" + next + ")");
    Only(read.child, read);
    statements_.MoveLoop(-1, "");
    out_.Close();
  }

  /// The node with nothing in it but a read; nothing when the read is not in it.
  void Only(int index, const AdvancedRead& read) {
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

  void Execute(ir::InstId inst) override {
    const auto& ahead = code_.values.ahead;
    if (std::ranges::find(ahead, inst, &AdvancedRead::inst) == ahead.end()) {
      statements_.Execute(inst);
    }
  }

  /// A band; without thread dims every thread runs it.
  void Threads(int index) override {
    if (tree_.node(index).layout >= 0) {
      OpenBand(index);
      statements_.DeclarePointers(index);
    } else {
      out_.Open("");
    }
    Body(index);
    out_.Close();
  }

  void OpenBand(int index) {
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

  void Before(int index) override {
    if (part_ != &rest_) return;
    AwaitAt(index);  // Before a ring's loop: before its first iterations, too.
    if (code_.threads.barrier_before[static_cast<std::size_t>(index)]) Barrier();
  }

  /// Do threads store what groups of warps take? What bulk copies bring these see by themselves.
  bool IsPublished() const {
    return std::ranges::any_of(code_.groups.products, [&](const GroupProduct& product) {
      return std::ranges::any_of(product.operands, [&](const GroupOperand& operand) {
        const int ring = code_.rings.of_block[operand.block.index()];
        return ring < 0 || !code_.rings.rings[static_cast<std::size_t>(ring)].is_bulk();
      });
    });
  }

  /// Behind it all threads see what each has stored, and so do groups of warps.
  void Barrier() {
    if (IsPublished() && code_.fault != Fault::kMissingPublication) out_.Line("exh_publish();");
    out_.Line(statements_.Meet());
  }

  void Ending(int index) override {
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

  void Loop(int index) override {
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

  template <typename Print>
  void LoopOf(int index, const Print& body) {
    const int dim_class = tree_.node(index).dim_class;
    const SkippedTiles* const skipped = SkippedBy(index);
    const std::string end =
        skipped != nullptr ? DeclareEnd(*skipped, "int") : std::to_string(Class(dim_class).size);
    out_.Line("#pragma unroll 1");
    const std::string& i = names_.index(dim_class);
    out_.Open(loops::ForText("int", i, "0", i + " < " + end), "LOOP " + DimNames(code_, dim_class));
    if (skipped != nullptr) statements_.DeclareWhole(*skipped);
    if (options_.gives_up) LookAtTheClock(index);
    body();
    out_.Close();
  }

  const std::string& NameOf(int dim_class) const {
    return code_.function->dim(Class(dim_class).dims.front()).name();
  }

  /// Marks the nodes around the instructions of a part.
  void MarkNodes(Part& part) const {
    for (std::size_t inst = 0; inst < part.insts.size(); ++inst) {
      if (!part.insts[inst]) continue;
      for (int node = tree_.node_of_inst[inst]; node >= 0; node = tree_.node(node).parent) {
        part.nodes[static_cast<std::size_t>(node)] = true;
      }
    }
  }

  /// The part without what fills rings: that is printed where they turn.
  Part WithoutFills(const Part& part) const {
    Part rest = part;
    for (std::size_t inst = 0; inst < part.insts.size(); ++inst) {
      if (code_.rings.of_inst[inst] >= 0) rest.insts[inst] = rest.values[inst] = false;
    }
    if (code_.rings.rings.empty()) return rest;
    // What is no instruction is where it was.
    rest.nodes.assign(part.nodes.size(), false);
    MarkNodes(rest);
    for (std::size_t node = 0; node < part.nodes.size(); ++node) {
      const NodeKind kind = tree_.nodes[node].kind;
      const bool is_other = kind == NodeKind::kRound || kind == NodeKind::kCombine ||
                            kind == NodeKind::kCorrect || kind == NodeKind::kSettle ||
                            kind == NodeKind::kHandOver || kind == NodeKind::kLastBlock ||
                            kind == NodeKind::kExchange;
      if (!is_other || !part.nodes[node]) continue;
      for (int around = static_cast<int>(node); around >= 0; around = tree_.node(around).parent) {
        rest.nodes[static_cast<std::size_t>(around)] = true;
      }
    }
    return rest;
  }

  /// The rings that turn in a loop; null: none.
  const Ring* RingOf(int loop) const {
    const int number = code_.rings.of_node[static_cast<std::size_t>(loop)];
    if (number < 0) return nullptr;
    const Ring& ring = code_.rings.rings[static_cast<std::size_t>(number)];
    return ring.IsFilled(kernel_.insts) ? &ring : nullptr;
  }

  /// Steps of what fills a ring (ring_plan.h).
  enum class Fill { kAll, kBegin, kEnd };

  /// What fills those rings of a loop that have so many slots.
  Part PartOf(const Ring& ring, std::uint32_t stages, Fill fill) const {
    Part part = rest_;
    part.insts.assign(part.insts.size(), false);
    part.values.assign(part.values.size(), false);
    part.nodes.assign(part.nodes.size(), false);
    for (const RingBlock& block : ring.blocks) {
      if (block.stages != stages || !kernel_.insts[block.store.index()]) continue;
      const bool is_begin = fill != Fill::kEnd, is_end = fill != Fill::kBegin;
      part.insts[block.read.index()] = is_begin && !block.is_async;
      part.insts[block.store.index()] = block.is_async ? is_begin : is_end;
      part.values[block.read.index()] = !block.is_async && fill == Fill::kAll;
    }
    MarkNodes(part);
    // What is copied is read where it is stored.
    for (const RingBlock& block : ring.blocks) {
      if (block.is_async && part.insts[block.store.index()]) part.insts[block.read.index()] = true;
    }
    return part;
  }

  /// Prints what fills rings with iteration `index`, a number or an expression in parentheses.
  void PrintFill(const Ring& ring, std::uint32_t stages, const Part& part, const std::string& index,
                 const std::string& slot) {
    Select(part);
    statements_.DeclareFilledSlots(ring, stages, slot);
    statements_.MoveLoop(tree_.node(ring.loop).dim_class, index);
    Body(ring.loop);
    statements_.MoveLoop(-1, "");
    Select(rest_);
  }

  /// A loop that rings turn in, and what comes before it.
  void Turn(const Ring& ring) {
    const int loop = tree_.node(ring.loop).dim_class;
    const std::string& i = names_.index(loop);
    const bool is_short = code_.fault == Fault::kShortRing;
    const auto slots = [&](std::uint32_t stages) { return is_short ? stages - 1 : stages; };
    const auto slot = [&](std::uint32_t stages) { return "slot" + Number(stages) + i.substr(1); };
    const std::uint32_t most = ring.lengths.front();
    for (std::uint32_t step = 0; step + 1 + ring.lag < most; ++step) {
      for (const std::uint32_t stages : ring.lengths) {
        if (step + stages < most) continue;
        const std::uint32_t iteration = step + stages - most;
        out_.Open("", "iteration " + Number(iteration) + " of " + NameOf(loop));
        PrintFill(ring, stages, PartOf(ring, stages, Fill::kAll), Number(iteration),
                  Number(iteration % slots(stages)));
        out_.Close();
      }
      if (ring.under_way >= 0) out_.Line("exh_commit();");
    }
    for (const std::uint32_t stages : ring.lengths) out_.Line("int " + slot(stages) + " = 0;");
    LoopOf(ring.loop, [&] {
      if (code_.fault == Fault::kEarlyRefill) Refill(ring, slot, slots);
      if (ring.under_way >= 0 && code_.fault != Fault::kMissingCopyWait) {
        out_.Line("exh_wait<" + std::to_string(ring.under_way) + ">();");
      }
      if (code_.fault != Fault::kMissingBarrier) Barrier();
      if (code_.fault != Fault::kEarlyRefill) Refill(ring, slot, slots);
      statements_.DeclareReadSlots(ring, slot);
      Body(ring.loop);
      if (code_.fault != Fault::kEarlyRefill) Refilled(ring, slot, slots);
      for (const std::uint32_t stages : ring.lengths) {
        const std::string& s = slot(stages);
        out_.Line(s + " = " + s + " == " + Number(slots(stages) - 1) + " ? 0 : " + s + " + 1;");
      }
    });
    if (ring.lag > 0) statements_.AwaitBatches(0);
    // Where it ended early, copies are under way that nobody wants; it may begin again.
    if (ring.under_way >= 0 && SkippedBy(ring.loop) != nullptr) out_.Line("exh_wait<0>();");
  }

  /// The step of an iteration that begins to fill later ones.
  template <typename Slot, typename Slots>
  void Refill(const Ring& ring, const Slot& slot, const Slots& slots) {
    for (const RingBlock& block : ring.blocks) {
      if (!block.is_async && kernel_.insts[block.read.index()]) statements_.Declare(block.read);
    }
    for (const std::uint32_t stages : ring.lengths) {
      Ahead(ring, stages, Fill::kBegin, slot(stages), slots(stages));
    }
    if (ring.under_way >= 0) out_.Line("exh_commit();");
    if (code_.fault == Fault::kEarlyRefill) Refilled(ring, slot, slots);
  }
  /// … and the one that ends it, of what registers hold.
  template <typename Slot, typename Slots>
  void Refilled(const Ring& ring, const Slot& slot, const Slots& slots) {
    for (const std::uint32_t stages : ring.lengths) {
      Ahead(ring, stages, Fill::kEnd, slot(stages), slots(stages));
    }
  }

  void Ahead(const Ring& ring, std::uint32_t stages, Fill fill, const std::string& slot,
             std::uint32_t slots) {
    const Part part = PartOf(ring, stages, fill);
    if (std::ranges::find(part.insts, true) == part.insts.end()) return;
    const int loop = tree_.node(ring.loop).dim_class;
    const std::string later = names_.index(loop) + " + " + Number(stages - 1 - ring.lag);
    out_.Open("if (" + later + " < " + Number(Class(loop).size) + ")",
              "iteration " + later + " of " + NameOf(loop));
    // Of the slot before, which is the one that comes last, or of the one before that.
    const std::uint32_t back = 1 + ring.lag;
    const std::string free = "(" + slot + (back == 1 ? " == 0 ? " : " < 2 ? ") +
                             (back == 1 ? "" : slot + " + ") + Number(slots - back) + " : " + slot +
                             " - " + Number(back) + ")";
    PrintFill(ring, stages, part, "(" + later + ")", slots == stages ? free : slot);
    out_.Close();
  }

  /// Often enough to end in time, and so rarely that it takes little.
  void LookAtTheClock(int loop) {
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

  /// A loop of one iteration.
  void Once(int index) {
    const int dim_class = tree_.node(index).dim_class;
    out_.Open("", "LOOP " + DimNames(code_, dim_class));
    out_.Line("const int " + names_.index(dim_class) + " = 0;");
    Body(index);
    out_.Close();
  }

  const Overlap overlap_;
  const GpuOptions options_;
  const Launch& launch_;
  const GpuWords& words_;
  const Part& kernel_;  ///< All of it.
  const Part rest_;     ///< … but what fills its rings.
  GpuStatements& statements_;
  std::vector<double> steps_;       ///< By node.
  std::uint64_t slices_begin_ = 0;  ///< In shared memory: what combines slices.
  int exchanges_ = 0;               ///< That have been printed.
  int await_at_ = -1;  ///< Before which node it waits for the kernel before; -1: nowhere.
  static constexpr int kStart = 0;  ///< Of the kernel: the root.
};

/// Fills the output of an atomic reduction with the identity of its operator.
void PrintFill(const LoweredCode& code, const SplitReduction& split, const SideLaunch& launch,
               const Overlap& overlap, const std::string& parameters, const CodeNames& names,
               const GpuWords& words, TextWriter& out) {
  const ir::Instruction& inst = code.function->inst(split.id);
  const ir::Array& array = code.function->array(code.function->inst(split.store).array);
  const double identity = ir::IdentityOf(ir::CombinedBy(inst.op), inst.type);
  OpenKernel(launch.kernel, launch.threads, 1, parameters, overlap, words, out);
  if (overlap.awaits) out.Line(kAwait);
  out.Line("const unsigned long long i = " + words.block + " * " + Number(launch.threads) +
           "ull + " + words.thread + ";");
  out.Line("if (i < " + Number(array.elements) + "ull) " + names.array(array.id) +
           "[i] = " + NumberText(identity, array.type, words.dialect) + ";");
  out.Close();
}

/// What helpers kernels share is said once.
void AddLines(const std::vector<std::string>& lines, std::vector<std::string>& all) {
  for (const std::string& line : lines) {
    if (std::ranges::find(all, line) == all.end()) all.push_back(line);
  }
}

}  // namespace

GpuText PrintGpu(const LoweredCode& code, const GpuOptions& options) {
  if (code.values.repeats.empty() && code.seeded == Fault::kNone && !code.tree.has_lanes()) {
    LoweredCode kept = code;
    KeepRepeatedReads(kept);
    return PrintGpu(kept, options);
  }
  if (!options.shuffles) {
    LoweredCode apart = code;
    apart.combines = PlanCombines(*code.function, code.tree, code.values, code.splits, false);
    GpuOptions others = options;
    others.shuffles = true;
    return PrintGpu(apart, others);
  }
  const GpuWords& words = WordsOf(options.dialect);
  const Needs asked = NeedsOf(code, options);
  for (const std::string_view what : asked) {
    if (!words.lacks.contains(what)) continue;
    throw Refused(std::string(words.name) + " has no word for " + std::string(what));
  }
  const Launch launch = PlanLaunch(code, options);
  const CodeNames names(code);
  TextWriter body;
  ir::HelperFunctions called(words.dialect);  // By the body, and by the lines of `helpers`.
  std::vector<std::string> helpers;
  bool copies_async = false;
  std::set<std::size_t> bulk_axes;
  auto side = launch.sides.begin();
  const auto next = [&]() -> const SideLaunch& {
    if (side != launch.sides.begin()) body.Line();
    return *side++;
  };
  std::size_t kernels = 0;  // That have been printed, in the order of their launches.
  const auto overlap = [&]() -> Overlap {
    const std::size_t number = kernels++;
    if (!launch.overlaps) return {};
    return {.awaits = number > 0 && code.fault != Fault::kMissingWait,
            .lets = number < launch.sides.size()};
  };
  for (const SplitReduction& split : code.splits.reductions) {
    if (side == launch.sides.end() || !side->is_before || !split.is_atomic()) continue;
    PrintFill(code, split, next(), overlap(), Parameters(code, names, launch, options, words),
              names, words, body);
  }
  if (side != launch.sides.begin()) body.Line();
  for (const Part& part : code.splits.parts) {
    LoweredCode rest;  // Other barriers, of what is left.
    const bool is_first = part.finishes < 0;
    if (!is_first) {
      rest = code;
      rest.threads = PlanThreads(*code.function, code.tree, code.values, code.rings, part);
      body.Line();
    }
    const LoweredCode& own = is_first ? code : rest;
    GpuStatements statements(own, names, words, called, body, options.gives_up);
    KernelPrinter(own, part, overlap(), options, names, launch, words, statements, body)
        .Print(is_first ? "exh_kernel" : (side++)->kernel);
    AddLines(statements.Helpers(), helpers);
    copies_async |= statements.copies_async();
    bulk_axes.insert(statements.bulk_axes().begin(), statements.bulk_axes().end());
  }
  TextWriter out;
  if (!options.gives_up) PrintSourceHeader(code, out);  // Nobody reads the other.
  if (const std::string head = words.Head(asked); !head.empty()) out.Raw(head);
  if (const std::string functions = called.Text(); !functions.empty()) out.Raw(functions);
  if (copies_async) out.Raw(AsyncFunctions());
  if (options.gives_up) out.Raw(ClockFunctions());
  if (!bulk_axes.empty()) {
    out.Raw(BulkFunctions(bulk_axes, code.rings.has_producers, options.gives_up));
  }
  if (asked.contains(needs::kLookBack)) out.Raw(words.LookBackFunctions());
  for (const std::string& line : helpers) out.Line(line);
  if (!helpers.empty()) out.Line();
  if (launch.overlaps) {
    out.Raw(OverlapFunctions());
    out.Line();
  }
  if (launch.cluster > 1) {
    out.Raw(ClusterFunctions(options.gives_up));
    out.Line();
  }
  const bool is_aligned = code.groups.products.empty();
  const std::string shared = is_aligned ? words.Shared(launch.shared_bytes)
                                        : words.SharedAt(code.memory.temps.front().alignment);
  if (launch.shared_bytes > 0 && !shared.empty()) {
    out.Line(shared);
    out.Line();
  }
  return {out.Take() + body.Take(), launch};
}

}  // namespace exh::kernels::codegen
