// SPDX-License-Identifier: MIT
//
// One kernel of a program as text (printer.h has all of them, and what stands above): the walk over
// the loop tree, and what a kernel has around it. Where rings turn is copies/turns.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_writer.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/gpu/words.h"
#include "kernels/codegen/print/loop_printer.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

/// How a kernel takes part when launches overlap. All blocks of one that waits do: so it ends after
/// the one before, and the last launch of a program ends last.
struct Overlap {
  bool awaits = false;  ///< It is launched early, and waits for the kernel before.
  bool lets = false;    ///< The next one is launched early.
};

/// What such a kernel waits by.
inline constexpr const char* kAwait = "exh_await_previous();";

/// Bytes of a temporary, with all its slots, and of a window.
std::uint64_t BytesOf(const LoweredCode& code, const TempArray& temp);
std::uint64_t BytesOf(const LoweredCode& code, const CopiedWindow& window);

/// Parameters, which all kernels of a program have.
std::string Parameters(const LoweredCode& code, const CodeNames& names, const Launch& launch,
                       const GpuOptions& options, const GpuWords& words);

/// Prints the head of a kernel.
void OpenKernel(const std::string& name, std::uint32_t threads, std::uint32_t blocks,
                const std::string& parameters, const Overlap& overlap, const GpuWords& words,
                TextWriter& out);

/// One kernel: what a part of the program runs.
class KernelPrinter : LoopPrinter {
 public:
  KernelPrinter(const LoweredCode& code, const Part& part, const Overlap& overlap,
                const GpuOptions& options, const CodeNames& names, const Launch& launch,
                const GpuWords& words, GpuStatements& statements, TextWriter& out);

  /// Prints all of it.
  void Print(const std::string& name);

 private:
  /// In what is left of a divided reduction, nothing comes before what the others left. Threads
  /// that give up may not end before they have waited.
  int WhereToAwait() const;

  /// The first node of the part that is `wanted`, or what is passed once around it. All threads
  /// that come to a node that is wanted have been there before.
  int FirstOf(const std::function<bool(const LoopNode&)>& wanted) const;

  bool IsPassedOnce(const LoopNode& node) const;

  bool Holds(int index, const std::function<bool(const LoopNode&)>& wanted) const;

  void AwaitAt(int node);

  /// Where the thread is, in the layout whose warps are patches: ThreadLayout::PlaceOf().
  void Patches();

  /// Prints what a block does of each of its tiles.
  template <typename Print>
  void EachTile(const Print& print) {
    if (!code_.rings.is_persistent) return print();
    out_.Line("#pragma unroll 1");
    out_.Open("for (unsigned exh_tile = " + words_.block + "; exh_tile < " +
              std::to_string(tree_.num_blocks) + "; exh_tile += " + std::to_string(launch_.grid) +
              ")");
    print();
    out_.Close();
  }

  /// Has the block shared memory beside what rings and their barriers take? What is there of a tile
  /// is read before the next one.
  bool IsSharedOtherwise() const;

  /// The barriers of rings that bulk copies fill, from byte `offset` of what the block shares on.
  void MakeBarriers(std::uint64_t offset);

  std::string SlotOf(const Ring& ring) const { return "slot" + statements_.RingName(ring); }
  std::string PhaseOf(const Ring& ring) const { return "phase" + statements_.RingName(ring); }
  void DeclareTurn(const Ring& ring);
  /// The next slot; with the first one the parity changes.
  void NextSlot(const Ring& ring);

  /// The threads that ask for copies and do nothing else.
  void Produce();

  /// A loop that a ring of bulk copies turns in.
  void TurnInBulk(const Ring& ring);

  /// All threads of the blocks of a cluster wait for each other, but those that have ended.
  void MeetCluster();

  /// The warp has read the slot.
  void Release(const Ring& ring, const std::string& slot, const std::string& when = "");

  bool DrawsNumbers() const { return part_->finishes < 0 && code_.splits.draws_numbers(); }
  std::string BlockNumber() const;

  /// The block's number, or which block it is when `raster` rows of `columns` blocks are gone
  /// through together, column by column; in the last rows there may be fewer.
  std::string BlockIndex(std::uint64_t blocks, std::uint64_t columns);

  /// Where the block is. One that makes a value of what several have is in none of these.
  void Blocks();

  void Temporaries();

  const Combine& CombineOf(int node) const;

  void Children(int index) override;

  /// The first iteration's value of a read that is ahead of a loop.
  void ReadFirst(const AdvancedRead& read);

  /// The next iteration's.
  void ReadNext(const AdvancedRead& read);

  /// The node with nothing in it but a read; nothing when the read is not in it.
  void Only(int index, const AdvancedRead& read);

  void Execute(ir::InstId inst) override;

  /// A band; without thread dims every thread runs it.
  void Threads(int index) override;

  void OpenBand(int index);

  void Before(int index) override;

  /// Do threads store what groups of warps take? What bulk copies bring these see by themselves.
  bool IsPublished() const;

  /// Behind it all threads see what each has stored, and so do groups of warps.
  void Barrier();

  void Ending(int index) override;

  void Loop(int index) override;

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

  const std::string& NameOf(int dim_class) const;

  /// Marks the nodes around the instructions of a part.
  void MarkNodes(Part& part) const;

  /// The part without what fills rings: that is printed where they turn.
  Part WithoutFills(const Part& part) const;

  /// The rings that turn in a loop; null: none.
  const Ring* RingOf(int loop) const;

  /// Steps of what fills a ring (ring_plan.h).
  enum class Fill { kAll, kBegin, kEnd };

  /// What fills those rings of a loop that have so many slots.
  Part PartOf(const Ring& ring, std::uint32_t stages, Fill fill) const;

  /// Prints what fills rings with iteration `index`, a number or an expression in parentheses.
  void PrintFill(const Ring& ring, std::uint32_t stages, const Part& part, const std::string& index,
                 const std::string& slot);

  /// A loop that rings turn in, and what comes before it.
  void Turn(const Ring& ring);

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
             std::uint32_t slots);

  /// Often enough to end in time, and so rarely that it takes little.
  void LookAtTheClock(int loop);

  /// A loop of one iteration.
  void Once(int index);

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

}  // namespace exh::kernels::codegen
