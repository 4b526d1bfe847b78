// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/codegen/print/gpu/units/group.h"
#include "kernels/codegen/print/gpu/words.h"
#include "kernels/codegen/print/statements.h"

namespace exh::kernels::codegen {

/// Single instructions of a GPU's language. Every value is a scalar register of a compute type;
/// lanes of VECTOR dims are registers of their own, and only accesses to memory are vector
/// operations. The loops are the business of printer.cc.
class GpuStatements : public Statements {
 public:
  GpuStatements(const LoweredCode& code, const CodeNames& names, const GpuWords& words,
                ir::HelperFunctions& helpers, TextWriter& out, bool gives_up = false);

  void Declare(ir::InstId inst) override;
  void Execute(ir::InstId inst) override;

  /// A kRound node: values of a reduction from the sums of a matrix unit.
  void RoundSums(int node);
  /// Makes one value of the slices of a reduction. All of their threads have it then; where it is
  /// handed over, each has what it owns. Its shared memory begins at byte `offset`.
  void CombineSlices(const Combine& combine, std::uint64_t offset);
  /// In a loop that skips tiles: declares whether the mask hides nothing of this one.
  void DeclareWhole(const SkippedTiles& tiles);

  /// Declares where in the workspace the partial results of divided reductions are, and tickets.
  void DeclareWorkspace();
  /// Blocks that look back draw their numbers. Their threads meet at byte `offset` of what they
  /// share, where nothing else is.
  void DrawNumber(std::uint64_t offset);
  /// A kHandOver node: the block writes what it has of a divided reduction.
  void HandOver(int node);
  /// One value of what all blocks have; slices are combined in shared memory from byte `offset` on.
  /// `node`: where that happens.
  void TakeAll(ir::InstId id, int node, std::uint64_t offset);
  /// Declares where in shared memory, from byte `offset` on, blocks of a cluster leave what they
  /// have.
  void DeclareExchanges(std::uint64_t offset);
  /// A kExchange node: each block tells the others of its cluster what it has, and makes one value
  /// of all. `is_first`: of the kernel, whose blocks may not have begun yet.
  void Exchange(int node, bool is_first, bool gives_up);
  /// A kLastBlock node: the block that comes last takes all of those that meet.
  void MeetInLastBlock(int node, std::uint64_t offset);

  /// Declares the slots that the rings of a loop are read from in an iteration; `slot`: the name of
  /// its number, for a ring of so many slots.
  void DeclareReadSlots(const Ring& ring, const std::function<std::string(std::uint32_t)>& slot);
  /// … the slot that rings of so many slots are filled in, which is an expression.
  void DeclareFilledSlots(const Ring& ring, std::uint32_t stages, const std::string& slot);

  /// The name of a ring, "_k0".
  std::string RingName(const Ring& ring) const;
  /// A wait for a barrier's phase.
  std::string AwaitText(const std::string& barrier, const std::string& parity) const;
  /// The running thread asks for all that a slot holds in an iteration (copies/bulk.h). Both are
  /// numbers, names, or in parentheses.
  void FillInBulk(const Ring& ring, const std::string& slot, const std::string& iteration);

  /// What stands before a batch of steps of groups of warps, and behind it; waits for all batches
  /// but the last `left`.
  void BeginBatch(const GroupProduct& product);
  void EndBatch(const GroupProduct& product);
  void AwaitBatches(std::uint32_t left);

  /// Declares the part of the address that no loop inside of the band moves, for every access in
  /// it but those that read ahead.
  void DeclarePointers(int band);

  /// Lines that define the helpers which the statements printed so far use.
  std::vector<std::string> Helpers() const;
  /// Has it printed asynchronous copies (AsyncFunctions())?
  bool copies_async() const { return copies_async_; }
  /// Axes of the tensors that it has printed bulk copies of (BulkFunctions()).
  const std::set<std::size_t>& bulk_axes() const { return bulk_axes_; }
  /// What the threads that compute meet at.
  std::string Meet() const;

 private:
  ir::Type ElementType(const ir::Instruction& inst) const {
    return code_.function->element_type(inst);
  }
  static bool FitsInt(std::int64_t value) { return std::in_range<std::int32_t>(value); }
  DimKind Kind(int dim_class) const { return Class(dim_class).kind; }
  /// Where the steps of a reduction accumulate: the same, or, where a matrix unit has wider sums
  /// than the value has, one beside it.
  std::string SumRegister(ir::InstId inst, const Key& key) const;
  /// Both, where they differ: in a block sums are rounded before a cluster corrects them.
  std::vector<std::string> SumsOf(ir::InstId sum, const Key& key) const override {
    std::vector<std::string> sums = {SumRegister(sum, key)};
    if (HasWideSums(sum)) sums.push_back(Register(sum, key));
    return sums;
  }
  bool HasWideSums(ir::InstId inst) const;
  std::string ConstantOf(ir::Type type) const override { return "const " + words_.Register(type); }
  /// What a sum of the reduction begins with, in a form that is compiled rightly.
  std::string SumBegin(const ir::Instruction& reduction, const std::string& first);
  /// All steps of a tile at once.
  void MultiplyTile(const ir::Instruction& inst);
  /// … of a group of warps, whose operands are in shared memory (units/group.cc), and the text that
  /// describes one of these.
  void MultiplyInPlace(const ir::Instruction& inst);
  std::string MatrixOf(const GroupProduct& product, const GroupOperand& operand);
  /// Registers of the batch beside promoted sums, which are declared with the first step that adds
  /// to them. Was it this one?
  bool BesideSums(std::vector<std::string>& sums);
  ValueText ReadRegister(const ir::Instruction& inst, std::size_t operand) const override;
  /// An operand as an element in memory.
  std::string ReadElement(const ir::Instruction& inst, std::size_t operand, ir::Type element) const;
  /// Where the loops are.
  std::string Index(const ir::Instruction& inst) const;
  std::string Gather(const ir::Instruction& inst);
  std::string GuardText(const GuardIndex& guard, const Range& range,
                        std::int64_t lane) const override;
  /// The class along which the access takes several elements at once, and how many; {-1, 1}: none.
  struct Width {
    int dim_class = -1;
    std::uint32_t lanes = 1;
  };
  bool IsLarge(const ir::Instruction& inst) const;
  /// Terms that stand in what a band declares of an address: those that nothing inside of it moves.
  bool IsFixedIn(int band, int dim_class) const;
  /// The layout of the rows that the access goes by; null: they are one after the other.
  const XorLayout* LayoutOf(const ir::Instruction& inst) const;
  /// "place_tmp_load_a": a function from the number of an element to where it is.
  std::string PlaceFunction(const ir::Instruction& inst, const XorLayout& layout);
  /// Bits of the number of an element that the terms may set which `wanted` accepts.
  std::uint64_t SettableBits(const Affine& affine, const Wanted& wanted) const;
  /// The bits of what a band declares, of what loops in it add, and of what unrolled copies add,
  /// are apart from each other: the place of their sum is that of each, joined by exclusive or.
  bool HasPlacesApart(const ir::Instruction& inst) const;
  /// Of an access to such rows: what its band declares (`terms`: what does not move in it), …
  void DeclarePlace(const ir::Instruction& inst, const XorLayout& layout, const std::string& terms);
  /// … and what stands behind the name of the array.
  std::string PlacedOffset(const ir::Instruction& inst, const XorLayout& layout);
  /// Are some elements of an access of this width inside, and others not?
  bool IsSplit(const ir::Instruction& inst, const Width& width) const;
  Width WidthOf(const ir::Instruction& inst) const;
  /// What is loaded or stored is declared anew for each copy of an UNROLL class: no access serves
  /// several of them.
  bool HasScopeOfEach(const ir::Instruction& inst, int dim_class) const;
  struct Address {
    std::string base, offset;
  };
  Address AddressOf(const ir::Instruction& inst);
  /// The memory that the access is to.
  MemSpace SpaceOf(const ir::Instruction& inst) const;
  /// "float*", to where a temporary lies.
  std::string PointerTo(ir::MemId temp) const;
  /// Where the array begins that the access is to; of a ring, its slot.
  std::string ArrayOf(const ir::Instruction& inst) const;
  std::string Pointer(const ir::Instruction& inst);
  std::string Element(const ir::Instruction& inst);
  /// A function that loads or stores several elements at once.
  const WideAccess& Wide(ir::Type element, std::uint32_t lanes, bool is_load,
                         const std::string& suffix);
  std::string Load(const ir::Instruction& inst, std::uint32_t lanes);
  /// Prints for each lane of the instruction's own VECTOR dim.
  template <typename Print>
  void ForEachLane(const ir::Instruction& inst, const Print& print) {
    const InstValues& values = Values(inst.id);
    for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
      if (values.lanes > 1) SetIndex(values.vector_class, lane);
      print();
    }
    if (values.lanes > 1) SetIndex(values.vector_class, 0);
  }
  /// What the read repeats, where registers of the kernel have it; null: nothing.
  const RepeatedRead* RepeatOf(ir::InstId id) const;
  void ExecuteLoad(const ir::Instruction& inst);
  void LoadElements(const ir::Instruction& inst, const Width& width);
  /// A fragment, or two, by matrices (FragmentRead).
  void LoadMatrices(const ir::Instruction& inst);
  void ExecuteStore(const ir::Instruction& inst);
  /// The store to a ring, and the read of the argument, as one asynchronous copy.
  /// All threads copy a window (window.cc).
  void CopyWindow(const ir::Instruction& copy);
  /// The piece of number `e` of a window, whose sides have so many pieces.
  void CopyPiece(const ir::Instruction& copy, const CopiedWindow& window,
                 const std::vector<std::uint64_t>& lengths);
  /// So many elements of the argument at `pointer`, and as many zeros.
  std::string LoadPiece(const ir::Window& window, const std::string& pointer, std::uint32_t lanes);
  std::string OutsidePiece(const ir::Window& window, std::uint32_t lanes) const;
  /// The number as an element in memory: of a narrow float its bits.
  std::string ElementText(const ir::Number& value, ir::Type type) const;
  void CopyAsync(const ir::Instruction& store, const ir::Instruction& read);
  /// When a store is to do what it does, beside its guards for memory; empty: always.
  std::string WhenStored(const ir::Instruction& inst) const;
  /// The copy of a wide access that does it for all of them is the last one: its first, or -1 when
  /// it is not this one's turn.
  std::int64_t FirstOfStore(const Width& width) const;
  void StoreElements(const ir::Instruction& inst, const Width& width);
  std::string StoreSuffix(const ir::Instruction& inst) const;
  /// Tiles of a matrix unit side by side whose columns lanes exchange before they store them
  /// (units/exchange.cc): the class of the copies that are the tiles.
  std::optional<int> ExchangedTiles(const ir::Instruction& inst, const Width& width) const;
  /// What the lane stores of the tile that the copies say, along the class of its columns.
  std::string WordOf(const ir::Instruction& inst, int dim_class);
  /// False: nothing is exchanged.
  bool StoreExchanged(const ir::Instruction& inst, const Width& width);
  void ExecuteScalar(const ir::Instruction& inst, const std::string& value);
  /// The condition under which no mask of the loop hides anything; empty: the choice is none of
  /// them.
  std::string WholeOf(ir::InstId choice) const;
  std::string WholeName(const SkippedTiles& tiles) const;
  /// Terms of a maximum (terms.cc): the difference, which is as many times as large as the
  /// logarithm of e to base 2 says; the exponential of such a one; and either of them as text.
  bool IsDifference(const ir::Instruction& inst) const;
  bool IsPowerOfTwo(const ir::Instruction& inst) const;
  std::string Term(const ir::Instruction& inst);
  std::string Correction(ir::InstId maximum, const std::string& before,
                         const std::string& now) const override;
  /// A value that becomes a narrow float, in a register as in memory.
  void MakeBits(const ir::Instruction& inst);
  void WriteInit(const InitWrite& write, const std::string& value);

  std::string ShuffleText(const std::string& value, std::uint32_t bit) const {
    return words_.Shuffle(value, bit, code_.tree.num_threads);
  }
  /// A loop over the slices in shared memory, and what a thread reads there.
  struct SliceWalk {
    std::string slot, first, from;  ///< Its own slot, that of the first slice, that of slice `s`.
    std::uint32_t slices = 1;
  };
  SliceWalk WalkOf(const Combine& combine) const;
  /// The steps of CombineSlices: see combine_plan.h. `Halve` leaves each thread what it owns,
  /// `CombineOwned` combines that, `ShareOwned` gives it to the others.
  void Halve(const Combine& combine);
  /// The registers of the reduction where the slices meet.
  std::vector<std::string> MeetingRegisters(const Combine& combine) const;
  void CombineOwned(const Combine& combine, std::uint64_t offset);
  void MeetInShared(const Combine& combine, std::uint64_t offset);
  void ShareOwned(const Combine& combine);
  /// Slices of a scan: each begins where the one before it ends (scan.cc).
  void JoinSlicesOfScan(const Combine& combine, std::uint64_t offset);
  void PassThroughShared(const Combine& combine, std::uint64_t offset);
  bool WarpsPass(const Combine& combine, std::uint64_t offset);
  /// What is carried to the block, from the blocks before it (look_back.cc).
  void LookBack(const Combine& combine, std::uint64_t offset);
  /// The names of functions that say a value in a status, that wait until one says any, and that
  /// find what is before a block.
  std::string TellFunction(const ir::Instruction& scan);
  std::string HearFunction(const ir::Instruction& scan);
  std::string LookFunction(const ir::Instruction& scan, const Combine& combine);
  void LookForEach(const SplitReduction& split, const Combine& combine, const std::string& look,
                   const std::string& tell);
  /// "i_m0 * 4 + i_n0", a mixed radix number, and the same of digits of the thread index, fastest
  /// first; empty for none.
  std::string IndexOver(const std::vector<int>& classes) const;
  std::string IndexOver(const std::vector<ThreadDigit>& digits) const;
  /// How its slices are combined, where each thread is left with what it owns at the end; null: all
  /// threads have all of it.
  const Combine* SlicesOf(ir::InstId id) const;
  const SplitReduction& SplitOf(ir::InstId id) const;
  std::string PartialName(ir::InstId id) const;
  std::vector<Place> OwnedAt(ir::InstId id, int node) const;
  /// The maximum that corrects a sum where blocks have met, that of a cluster has before; not
  /// valid: there is none.
  std::pair<ir::InstId, const CorrectedSum*> MaximumOf(ir::InstId sum) const;
  void DeclareMaxima(ir::InstId maximum);
  std::string FactorOfBlock(ir::InstId maximum, const Key& key);
  /// The name of a function that makes one of two partial results of a reduction.
  std::string CombineFunction(const ir::Instruction& inst);
  /// The name of one that does so with an element in memory.
  std::string CasFunction(const ir::Instruction& inst);
  std::string AtomicText(const SplitReduction& split, const std::string& pointer,
                         const std::string& value);

  const GpuWords& words_;
  /// By instruction: the band around it that declares a pointer for it, or -1.
  std::vector<int> band_;
  std::set<WideAccess> wide_;                            ///< That were used.
  std::set<std::pair<ir::MatrixUnit, ir::Type>> units_;  ///< That were used, and elements.
  std::set<ir::Type> made_pairs_;                        ///< Halves that were made two at once.
  std::set<ir::Type> begins_;        ///< Of values that sums of a unit of doubles begin with.
  std::set<std::string> places_;     ///< Lines: functions that say where an element of a row is.
  std::set<std::string> combiners_;  ///< Lines: functions that make one of two partial results.
  std::vector<std::string> look_backs_;  ///< Lines: functions that call some of these.
  /// How many matrices were read at once, and turned.
  std::set<std::pair<std::uint32_t, bool>> matrices_;
  std::set<GroupStep> group_steps_;     ///< That were used.
  std::vector<std::string> promoted_;   ///< Sums that the batch adds to.
  mutable bool powers_of_two_ = false;  ///< Terms were computed.
  bool widens_bytes_ = false;           ///< Elements that are i8 became registers.
  bool exchanges_ = false;              ///< Lanes exchanged what they store.
  bool copies_async_ = false;
  std::set<std::size_t> bulk_axes_;
  /// The parameter of functions that may wait.
  const char* Deadline() const { return gives_up_ ? ", unsigned long long exh_end" : ""; }
  const bool gives_up_;  ///< Who waits looks at the clock.
};

/// The parameter with the tensor map of what a temporary holds: "map_load_a".
std::string MapName(const CodeNames& names, ir::MemId temp);

struct GpuOptions;
/// What the program needs of the language (needs.cc).
Needs NeedsOf(const LoweredCode& code, const GpuOptions& options);

/// The functions by which lanes exchange what they store.
std::vector<std::string> ExchangeFunctions();

/// Defines what asynchronous copies are made and waited for with.
std::string AsyncFunctions();

/// Defines how blocks of a cluster meet, and how one reaches the memory of another. `gives_up`: and
/// when one of them has no time left.
std::string ClusterFunctions(bool gives_up);

}  // namespace exh::kernels::codegen
