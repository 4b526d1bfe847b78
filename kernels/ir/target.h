// SPDX-License-Identifier: MIT
//
// Target: what the snippets of a space ask. A backbone says what is computed; a target adds the
// machine that shall compute it, and which decisions there are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// Most bytes of a block's shared memory in which slices of a reduction meet.
inline constexpr std::uint32_t kSliceBytes = 16384;
/// Rows of a scan that a block looks back for: up to 8 bytes each, of these.
inline constexpr std::uint32_t kMostRowsLookedFor = 512;
/// Most bytes of it in which the blocks of a cluster leave what they tell each other, …
inline constexpr std::uint32_t kClusterBytes = 32768;
/// … and what they tell of one reduction.
inline constexpr std::uint32_t kClusterBytesOfOne = 8192;

/// A list of objects by reference: what the iterators of a space range over.
template <typename T>
using Refs = std::vector<std::reference_wrapper<const T>>;

/// Names of the values of `cache` (kernels/spaces/memory.exh).
inline constexpr std::string_view kCacheDefault = "CACHE_DEFAULT";
inline constexpr std::string_view kCacheGlobal = "CACHE_GLOBAL";
inline constexpr std::string_view kCacheReadOnly = "CACHE_READ_ONLY";
inline constexpr std::string_view kNoCache = "NO_CACHE";

/// Names of the values of `skew` (kernels/spaces/memory.exh), but PLAIN.
inline constexpr std::string_view kPad4Bytes = "PAD_4_BYTES";
inline constexpr std::string_view kPad16Bytes = "PAD_16_BYTES";
inline constexpr std::string_view kPad64Bytes = "PAD_64_BYTES";
inline constexpr std::string_view kXor = "XOR";
inline constexpr std::string_view kSwizzle64 = "SWIZZLE_64";
inline constexpr std::string_view kSwizzle128 = "SWIZZLE_128";

/// Names of the values of `across_blocks` (kernels/spaces/across.exh), but NOT_ACROSS.
inline constexpr std::string_view kAtomicCas = "ATOMIC_CAS";
inline constexpr std::string_view kAtomicRed = "ATOMIC_RED";
inline constexpr std::string_view kAtomicVector = "ATOMIC_VECTOR";
inline constexpr std::string_view kLastBlock = "LAST_BLOCK";
inline constexpr std::string_view kSecondLaunch = "SECOND_LAUNCH";
inline constexpr std::string_view kLookBack = "LOOK_BACK";
inline constexpr std::string_view kCluster = "CLUSTER";
inline constexpr std::array kWaysAcross = {kAtomicCas,    kAtomicRed, kAtomicVector, kLastBlock,
                                           kSecondLaunch, kLookBack,  kCluster};

/// Names of the values of `unit` (kernels/spaces/units.exh), but FMA.
inline constexpr std::string_view kDmma = "DMMA";
inline constexpr std::string_view kMma = "MMA";
inline constexpr std::string_view kImma = "IMMA";
inline constexpr std::string_view kQmma = "QMMA";
inline constexpr std::string_view kWgmma = "WGMMA";
/// Warps that share an instruction of WGMMA.
inline constexpr std::uint32_t kGroupWarps = 4;
/// Of bulk copies: elements of a side of a box, axes of a tensor, and what these are multiples of
/// that are not neighbours.
inline constexpr std::uint32_t kBoxSide = 256, kTensorAxes = 5, kTensorBytes = 16;
/// What they are waited for with takes so many bytes of shared memory at most.
inline constexpr std::uint32_t kBarrierBytes = 512;
/// Columns of its tiles at most, in tiles of kMma, and columns of one row of a swizzle.
inline constexpr std::uint32_t kGroupCopies = 32;
inline constexpr std::uint32_t kSwizzleCopies = 8;

/// A backbone on a device: `$fun` in the files of kernels/spaces. Its questions stand by the file
/// that asks them, in the order in which linalg.exh includes these, and the file of that name in
/// target/ answers them. One that several files ask stands by the one that it is about.
class Target : public Function {
 public:
  Device device;
  /// Only the decisions of the paper: the space has none of those added to it.
  bool paper = false;
  /// The space keeps programs that fill a temporary which nothing needs (memory.exh,
  /// nothing_is_filled_in_vain), so that they can be counted.
  bool keeps_vain_fills = false;
  /// The space keeps copies of arguments that are not in the canonical form (copies.exh), so that
  /// what was measured of them still bounds.
  bool keeps_loose_copies = false;
  /// The sizes of axes are known when the code is printed also in the paper's space (dims.exh).
  bool known_sizes = false;

  // statements.exh: the objects.
  const Statement& statement(StmtId id) const;
  /// The dimension (instruction) that a statement is, or null.
  const Dimension* as_dim(const Statement& statement) const;
  const Instruction* as_inst(const Statement& statement) const;
  Refs<Instruction> memory_insts() const;
  Refs<Instruction> once_insts() const;
  Refs<Instruction> reductions() const;
  Refs<Instruction> init_of(const Instruction& reduction) const;
  Refs<Dimension> own_dims(const Instruction& inst) const { return refs(inst.dims); }
  /// Is `dim` one of the declared dims of `inst`?
  bool is_own(const Instruction& inst, const Dimension& dim) const;
  /// Its own dims, and those that may_split() of reductions that it comes after.
  Refs<Dimension> once_dims(const Instruction& inst) const;
  bool is_once_dim(const Instruction& inst, const Dimension& dim) const;
  Refs<Dimension> reduce_dims(const Instruction& inst) const { return refs(inst.reduce_dims); }
  /// The dims that are parts of fragments where a matrix unit does the reduction.
  Refs<Dimension> tensor_dims(const Instruction& reduction) const;
  bool is_tensor_dim(const Instruction& reduction, const Dimension& d) const {
    return d.part != FragmentPart::kNone && d.unit == reduction.id && may_use_unit(reduction);
  }
  /// The dims of blocks along which neighbours may share bulk copies: the outermost level of an
  /// axis of a result of groups of warps which one of the operands moves along and another does
  /// not.
  Refs<Dimension> cluster_dims() const;
  bool may_be_cluster(const Dimension& d) const;
  /// The store of a result that takes the value as it is, if nothing else reads it.
  Refs<Instruction> direct_store(const Instruction& reduction) const;
  bool stores_directly(const Instruction& reduction, const Instruction& store) const {
    const Refs<Instruction> direct = direct_store(reduction);
    return !direct.empty() && direct.front().get().id == store.id;
  }
  Refs<Dimension> tile_dims(const LogicalDim& axis) const { return refs(axis.dims); }
  Refs<Communication> lowerable_comms() const;
  Refs<Instruction> producer(const Communication& c) const { return {std::cref(inst(c.producer))}; }
  /// Is it a read of an argument that nothing writes?
  bool reads_input(const Instruction& inst) const {
    return inst.op == Op::kLoad && array(inst.array).role == ArrayRole::kInput;
  }
  /// The producer if reads_input().
  Refs<Instruction> input_read(const Communication& c) const {
    const Instruction& inst = this->inst(c.producer);
    return reads_input(inst) ? Refs<Instruction>{std::cref(inst)} : Refs<Instruction>{};
  }
  Refs<Instruction> consumer(const Communication& c) const { return {std::cref(inst(c.consumer))}; }
  /// The dims that the producer reduces over.
  Refs<Dimension> done_dims(const Communication& c) const {
    const Instruction& producer = inst(c.producer);
    return producer.is_scan() ? Refs<Dimension>{} : refs(producer.reduce_dims);
  }
  bool is_done_dim(const Communication& c, const Dimension& d) const {
    return d.is_reduction && d.inst == c.producer && !inst(c.producer).is_scan();
  }
  Refs<Instruction> scans() const;
  /// The dims that the producer scans along.
  Refs<Dimension> scanned_dims(const Communication& c) const {
    const Instruction& producer = inst(c.producer);
    return producer.is_scan() ? refs(producer.reduce_dims) : Refs<Dimension>{};
  }
  bool is_scanned_dim(const Communication& c, const Dimension& d) const {
    return d.is_reduction && d.inst == c.producer && inst(c.producer).is_scan();
  }
  Refs<DimPair> pairs_of(const Communication& c) const;
  /// The pairs of lowerable communications.
  Refs<DimPair> tile_pairs() const;
  Refs<Communication> comm_of(const DimPair& p) const { return {std::cref(comm(p.comm))}; }
  Refs<Dimension> src(const DimPair& p) const { return {std::cref(dim(p.src))}; }
  Refs<Dimension> dst(const DimPair& p) const { return {std::cref(dim(p.dst))}; }
  Refs<Communication> served(const MemBlock& b) const { return {std::cref(comm(b.comm))}; }
  Refs<Instruction> store_of(const MemBlock& b) const { return {std::cref(inst(b.store))}; }
  Refs<Instruction> load_of(const MemBlock& b) const { return {std::cref(inst(b.load))}; }
  Refs<Instruction> accesses_of(const MemBlock& b) const {
    return {std::cref(inst(b.store)), std::cref(inst(b.load))};
  }
  /// Is a lowered communication a copy and nothing else: an argument is read and stored, by threads
  /// that have nothing else to do?
  bool is_copy(const Communication& c) const;
  Refs<Communication> copies() const;
  /// The copy between whose read and whose store the pair is, if it is one.
  Refs<Communication> copy_of(const DimPair& p) const;
  /// The copy that fills the array, if it is one.
  Refs<Communication> copy_into(const MemBlock& b) const;
  Refs<Axis> axes_of(const MemBlock& b) const;
  Refs<Dimension> store_dim(const Axis& a) const { return {std::cref(dim(a.store_dim))}; }
  Refs<Dimension> load_dim(const Axis& a) const { return {std::cref(dim(a.load_dim))}; }
  /// The dim of the producer that an axis of the array stores.
  Refs<Dimension> filled_from(const Axis& a) const;
  bool is_filled_from(const Axis& a, const Dimension& d) const {
    return filled_from(a).front().get().id == d.id;
  }
  Refs<Dimension> dims_of(const Phase& p) const;
  /// The dim along which an access to an array moves from element to element, if there is one.
  Refs<Dimension> contiguous_dim(const Instruction& inst) const;
  bool is_contiguous(const Instruction& inst, const Dimension& dim) const;
  /// 1, 2, … as far as slots, or blocks that a kernel may ask for, are counted.
  Refs<Count> counts() const;
  const Count& count(std::uint32_t value) const;
  /// What reads the argument of a copy, and stores it.
  Refs<Phase> read_phase(const Communication& c) const {
    return {std::cref(phase(inst(c.producer).phase))};
  }
  /// The innermost position of a storage order.
  Refs<Rank> first_rank() const;

  // dims.exh: sizes and kinds of dimensions.
  /// Is the statement the instruction of the dim's nest, or another dim of it?
  bool shares_nest(const Statement& s, const Dimension& d) const {
    return s.id.is_inst ? s.id.inst() == d.inst : dim(s.id.dim()).inst == d.inst;
  }
  bool share_nest(const Dimension& a, const Dimension& b) const { return a.inst == b.inst; }
  /// Is `outer` the tile level around `inner`, and not the outermost level of their axis?
  bool tiles_next(const Dimension& outer, const Dimension& inner) const {
    return outer.logical == inner.logical && outer.level >= 1 && outer.level + 1 == inner.level;
  }
  /// Is the size of the dim what a program of the paper learns when it runs: that of the outermost
  /// level of its axis?
  bool has_run_time_size(const Dimension& d) const { return paper && !known_sizes && d.level == 0; }
  /// May lanes have parts of the reduction along its dimension? They compute.
  bool may_take_lanes(const Dimension& d) const {
    return may_have_parts(d) && device.vector_arithmetic && !inst(d.inst).is_scan();
  }
  /// May threads have slices of the reduction along its dimension? They have memory to meet in.
  bool may_slice(const Dimension& d) const {
    return may_have_parts(d) && device.max_threads > 1 && device.shared_bytes >= 2 * kSliceBytes;
  }
  /// Does consecutive iteration of `dim` touch consecutive elements, so that an access of several
  /// at once is one vector access? Asked for declared dims of accesses to arrays only: those of
  /// temporaries depend on the layout, which is a decision.
  bool vectorizable(const Instruction& inst, const Dimension& dim) const;

  // threads.exh: threads and the hardware axes that they share.
  PhaseId phase_of(const Dimension& d) const { return inst(d.inst).phase; }

  // operands.exh: how values travel.
  /// May the value be read inside of this dim of its reduction?
  bool may_run(const Communication& c, const Dimension& d) const {
    return !paper && (is_running_loop(c, d) || is_running_loop_of_block(c, d));
  }
  /// Is `outer` the tile level around that of `inner`, of the same axis of one communication?
  bool level_around_pair(const DimPair& outer, const DimPair& inner) const;
  /// Of one communication: is `other` of another axis, or a level further out than `pair`?
  bool stays_around(const DimPair& other, const DimPair& pair) const;
  /// Has some pair a level around it?
  bool has_level_around(const DimPair& inner) const;
  const LoweredObjects& lowering(CommId id) const { return lowered[id.index()]; }

  // memory.exh: where temporaries live, their layout, how wide accesses are.
  bool level_around(const Axis& outer, const Axis& inner) const;
  /// Positions that an axis of the block may take: 0 (not stored), 1 … number of axes.
  std::vector<std::uint32_t> rank_universe(const MemBlock& b) const;
  /// Places of axes that may have a rank; and 0.
  std::vector<std::uint32_t> place_universe(const MemBlock& b, const Rank& rank) const;
  /// Place of an axis among those of its temporary, from 1.
  std::uint32_t place_of(const Axis& axis) const;
  /// Places of axes whose loop the two sides of a temporary can share, so that each iteration uses
  /// the array again; and 0.
  std::vector<std::uint32_t> shared_universe(const MemBlock& b) const;
  bool refuses_vain_fills() const { return !paper && !keeps_vain_fills; }
  /// How many elements an access may take at once: 16 bytes at most.
  std::vector<std::uint32_t> vec_universe(const Instruction& inst) const;
  /// n, 2n, … as far as sizes go.
  std::vector<std::uint32_t> multiples(std::uint32_t n) const;
  /// May the rows of the array be skewed in this way (a value of `skew`)? The device has it, and
  /// the array has rows.
  bool may_skew(const MemBlock& b, std::string_view way) const;
  /// … or swizzled, for a group of warps that takes what it has as an operand (units.exh)?
  bool may_swizzle(const MemBlock& b, std::string_view way) const;
  /// Place of the axis that ends the row of an array which `a` is a level of.
  std::uint32_t row_place(const Axis& a) const { return place_of(axis(a.row_end)); }
  /// 1, 2, 4 … as far as sizes go.
  std::vector<std::uint32_t> powers_of_two() const;
  /// Does the device have this cache directive, and is it legal for this instruction?
  bool allows_cache(const Instruction& inst, std::string_view flag) const;
  /// May the read begin an iteration before its value is needed? (advance)
  bool allows_advance(const Instruction& inst) const {
    return !paper && !device.vector_arithmetic && reads_input(inst);
  }

  // copies.exh: how threads copy an argument into a temporary.
  /// Elements that a thread copies at most: all of them are in registers at once.
  std::uint32_t most_copied() const {
    return device.max_registers == 0 ? device.max_unroll : device.max_registers / 4 + 1;
  }
  /// … of what this reads: two halves are in one register.
  std::uint32_t most_copied(const Instruction& read) const {
    const bool are_halves = device.max_registers > 0 && BytesOf(element_type(read)) == 2;
    return most_copied() * (are_halves ? 2 : 1);
  }
  /// Threads that copy at least: a warp, or as many as may have four elements of the argument; of a
  /// vector one.
  std::uint32_t least_copying(const Communication& c) const;
  /// Of two dimensions of an access to an array: does a canonical copy put `outer` outside? The
  /// axis along which neighbours are nearest in memory is innermost, and levels are as they are
  /// numbered.
  bool copied_outside(const Dimension& outer, const Dimension& inner) const;
  /// May a bulk copy bring what the communication hands over (may_copy_bulk())?
  bool may_come_in_bulk(const Communication& c) const;

  // ring.exh: temporaries of several slots.
  /// May the temporary have several slots? It holds what was read of an argument, and
  /// nothing else needs that.
  bool may_turn(const MemBlock& b) const;
  /// Slots that it may have.
  std::vector<std::uint32_t> stage_universe(const MemBlock& b) const;
  /// May the argument be copied to the temporary without registers? The device can, and elements
  /// are of one type.
  bool may_copy_async(const MemBlock& b) const;
  /// May a bulk copy bring it (TMA)? A group of warps takes it, and the argument is a tensor whose
  /// axes but one are multiples of 16 bytes apart.
  bool may_copy_bulk(const MemBlock& b) const;
  /// Elements that an asynchronous copy may take at once: 4, 8 or 16 bytes.
  std::vector<std::uint32_t> async_lanes(const MemBlock& b) const;
  /// Elements of the largest one.
  std::uint32_t widest_copy(const MemBlock& b) const;
  /// Is it the storage axis that the read of the argument moves along from element to element?
  bool is_copied_along(const Axis& axis) const;
  /// Bytes that a block shares, where bulk copies are waited for with the rest.
  std::uint32_t shared_beside_barriers() const { return device.shared_bytes - kBarrierBytes; }

  // roles.exh: who asks for bulk copies, and which blocks there are.
  /// May threads of a block do nothing but ask for such copies?
  bool may_have_producers() const {
    return std::ranges::any_of(blocks, [&](const MemBlock& b) { return may_copy_bulk(b); });
  }
  /// … and blocks go through several tiles?
  bool may_persist() const { return device.multiprocessors > 0 && may_have_producers(); }
  /// Blocks of a cluster that shares bulk copies.
  static std::vector<std::uint32_t> cluster_universe() { return {1, 2}; }

  // windows.exh: what reads copy of an argument.
  Refs<Instruction> window_read(const Window& w) const { return {std::cref(inst(w.read))}; }
  Refs<Instruction> window_copy(const Window& w) const { return {std::cref(inst(w.copy))}; }
  /// The dims of its read.
  Refs<Dimension> window_dims(const Window& w) const { return own_dims(inst(w.read)); }
  Refs<WindowSpan> spans_of(const Window& w) const;
  Refs<SpanTerm> terms_of(const WindowSpan& s) const;
  Refs<Window> window_of(const SpanTerm& t) const {
    return {std::cref(window(span(t.span).window))};
  }
  /// What copying the window brings to life.
  LoweredObjects window_objects(WindowId id) const {
    return {.statements = {StmtId(window(id).copy)}};
  }
  /// Is `outer` a level of the same axis around that of `inner`, at whatever distance?
  bool is_level_around(const Dimension& outer, const Dimension& inner) const {
    return outer.logical == inner.logical && outer.level < inner.level;
  }
  bool is_window_dim(const Window& w, const Dimension& d) const { return d.inst == w.read; }
  const Room& room(std::uint32_t number) const { return room_list[number - 1]; }
  /// KiB that windows may take; none where there are no windows.
  Refs<Room> rooms() const;
  bool is_last_room(const Room& room) const { return room.bytes() >= device.shared_bytes; }
  /// Bytes that windows leave to others of `all`, when they take up to so many KiB.
  std::uint32_t left_by(const Room& room, std::uint32_t all) const {
    return all > room.bytes() ? all - room.bytes() : 0;
  }

  // across.exh: reductions that are divided among blocks.
  /// May the partial results of the reduction become one in this way (a value of `across_blocks`)?
  bool may_cross(const Instruction& reduction, std::string_view way) const {
    return why_not_across(reduction, way).empty();
  }
  /// May blocks divide the reduction along its dimension? It is the outermost level, and the device
  /// has a way to make one value of the parts: of those that other reductions come after, clusters.
  /// Of a scan: no reduction comes after it, and whoever reads a value of it reads the one of its
  /// own step.
  bool may_split(const Dimension& d) const;
  /// May the dim be one that blocks divide a reduction along, and what comes after that does not
  /// have? (Of a scan it has it.)
  bool may_end(const Dimension& d) const { return may_split(d) && !inst(d.inst).is_scan(); }
  /// Rows of a block that looks back, at most: what is before each takes a place among those where
  /// slices meet.
  std::uint32_t max_rows_looked_for() const { return kMostRowsLookedFor; }
  /// How many dims of the scan may_slice().
  std::uint32_t sliceable_dims(const Instruction& scan) const;
  /// How many dims of the reduction may_split().
  std::uint32_t splittable_dims(const Instruction& reduction) const;
  /// Parts of the reduction at most; 1: it is not divided.
  std::uint32_t max_splits(const Instruction& reduction) const;
  /// Is it the outermost level of what is computed of a maximum while that runs?
  bool is_term_of(const Instruction& maximum, const Dimension& d) const;
  /// Blocks that a cluster may have.
  std::vector<std::uint32_t> cluster_sizes() const;
  /// Values of 4 bytes that each block of a cluster tells the others of a reduction, at most.
  std::uint32_t most_told_in_clusters() const;
  /// Tiles of a matrix unit, at most, each of which is so many values.
  std::uint32_t most_tiles_told_in_clusters(const Instruction& reduction) const;
  /// Does the value of `producer` reach the instruction, through others or not?
  bool is_after(const Instruction& inst, const Instruction& producer) const;
  /// Does `b` come after `a`, and reduce along an axis for whose points `a` has values?
  bool comes_in_parts(const Instruction& a, const Instruction& b) const;
  /// Are there instructions which values of both reach? Also when each meets a third reduction.
  bool meet(const Instruction& a, const Instruction& b) const;

  // running.exh: reductions that are read while they run, and scans.
  Refs<Communication> running_comms() const;
  /// The loop that a reduction is read inside of while it runs: the outermost level of its axis.
  Refs<Dimension> running_loop(const Communication& c) const {
    return c.running ? Refs<Dimension>{std::cref(dim(c.running->loop))} : Refs<Dimension>{};
  }
  bool is_running_loop(const Communication& c, const Dimension& d) const {
    return c.running && c.running->loop == d.id;
  }
  /// … which is one with these: the same level of what is computed of it along the axis.
  Refs<Dimension> term_loops(const Communication& c) const {
    return c.running ? refs(c.running->term_loops) : Refs<Dimension>{};
  }
  bool is_term_loop(const Communication& c, const Dimension& d) const;
  /// The same of the next level, where there is one.
  Refs<Dimension> running_loop_of_block(const Communication& c) const {
    return has_running_loop_of_block(c) ? Refs<Dimension>{std::cref(dim(c.running->loop_of_block))}
                                        : Refs<Dimension>{};
  }
  bool has_running_loop_of_block(const Communication& c) const {
    return c.running && c.running->loop_of_block.valid();
  }
  bool is_running_loop_of_block(const Communication& c, const Dimension& d) const {
    return c.running && c.running->loop_of_block == d.id;
  }
  Refs<Dimension> term_loops_of_block(const Communication& c) const {
    return c.running ? refs(c.running->term_loops_of_block) : Refs<Dimension>{};
  }
  bool is_term_loop_of_block(const Communication& c, const Dimension& d) const;
  Refs<Link> links_of(const Communication& c) const;
  Refs<Dimension> linked_from(const Link& link) const { return {std::cref(dim(link.src))}; }
  Refs<Dimension> linked_to(const Link& link) const { return {std::cref(dim(link.dst))}; }
  /// Do lanes that have a part of the src's fragment have the same part of the dst's?
  bool fits_link(const Link& link) const;

  // units.exh: reductions that matrix units do.
  /// The matrix unit that may do the steps of the reduction, a value of `unit`: the reduction has
  /// fragments (fragments.h), the device has the unit, and no step needs to be left out. Empty:
  /// none.
  std::string_view unit_of(const Instruction& reduction) const;
  bool may_use_unit(const Instruction& reduction) const { return !unit_of(reduction).empty(); }
  /// May the dim be part of a fragment?
  bool may_be_tensor(const Dimension& d) const {
    return d.part != FragmentPart::kNone && may_use_unit(inst(d.unit));
  }
  /// May the warps of a group do the steps of the reduction together (WGMMA), with both operands
  /// where they are in shared memory? The device has it, operands are of one or two bytes, columns
  /// are the innermost level of their axis, and a level around the rows may be the warps.
  bool may_use_groups(const Instruction& reduction) const;
  /// Does the communication bring an operand of the reduction, and may it go through memory?
  bool is_operand(const Instruction& reduction, const Communication& c) const;
  /// How many tiles of 8 columns one instruction of a group may have.
  std::vector<std::uint32_t> group_copies(const Instruction& reduction) const;
  /// Tiles of sums that a thread has room for where a block has so many pairs of groups, and a
  /// multiprocessor so many blocks. Promoted sums are there twice.
  std::uint32_t group_tiles_of(const Instruction& reduction, const Count& group_pairs,
                               const Count& resident) const;
  /// Are sums that groups of warps make of it promoted (fragments.h), and how many tiles of such
  /// sums has a thread room for?
  bool is_promoted(const Instruction& reduction) const;
  std::uint32_t promoted_tiles() const;
  /// Is the pair, of an operand of the reduction, that of the rows or of the columns of its tile?
  bool is_across(const Instruction& reduction, const DimPair& pair) const;
  /// Of the reduction's own dims: the level around that of rows, whose iterations are warps of a
  /// group; that around columns, whose iterations are further columns of one instruction.
  bool is_group_level(const Instruction& reduction, const Dimension& d) const;
  bool is_column_level(const Instruction& reduction, const Dimension& d) const;
  /// Does the axis store a part of a tile of the reduction: of rows, columns or depth?
  bool is_of_tile(const Instruction& reduction, const Axis& a) const;
  /// … of its depth? Then rows that end with it are of the sum.
  bool is_of_depth(const Instruction& reduction, const Axis& a) const;
  /// Is the axis one of the operand that moves along columns?
  bool is_of_columns(const Instruction& reduction, const MemBlock& b) const;
  /// Elements of a row of a swizzle of so many bytes.
  static std::uint32_t swizzle_elements(const MemBlock& b, std::uint32_t bytes) {
    return bytes / b.element_bytes;
  }
  /// Do lanes that have a part of the src's fragment have the same part of the dst's, or is the dst
  /// the matrix unit's, which takes it as its operand?
  bool fits_fragment(const DimPair& pair) const;
  /// Is the dim part of a fragment only where the pair stays in registers?
  bool hangs_on(const Dimension& d, const DimPair& pair) const {
    return may_be_tensor(d) && inst(d.inst).fragment_through == pair.comm;
  }
  /// Blocks of threads have at most so many warps.
  std::uint32_t max_warps() const { return device.max_threads / kUnitLanes; }
  /// Most lanes of a block when so many blocks are to be held, and a matrix unit is at work, whose
  /// lanes hold fragments: threads_of_resident() of these.
  std::uint32_t lanes_of_resident(const Instruction& reduction, const Count& wanted) const;
  /// Registers of 4 bytes that the sums of a fragment take of a lane, for each that one sum takes
  /// elsewhere (registers_of).
  std::uint32_t tensor_registers(const Instruction& reduction) const;
  /// Sums of a reduction that the warps of a block hold at most when so many blocks are to be held,
  /// counted for one lane and register of each fragment.
  std::uint32_t sums_of_resident_warps(const Instruction& reduction, const Count& wanted) const;
  /// Neighbouring iterations that a lane has of a dim that is part of a fragment; 1: it never is.
  std::uint32_t tensor_run(const Dimension& d) const {
    return may_be_tensor(d) ? d.fragment().run() : 1;
  }

  // places.exh: which threads are a warp, and which block comes when.
  /// Lanes of a warp that may lie along the second innermost axis of a block's threads, and rows of
  /// blocks that may be gone through together.
  std::vector<std::uint32_t> patch_universe() const;
  std::vector<std::uint32_t> raster_universe() const;
  std::uint32_t warp_lanes() const { return kWarpLanes; }
  /// May the threads of a processor share out blocks in more than one way?
  /// (block_schedule)
  bool may_schedule() const { return !paper && device.vector_arithmetic && device.threads > 1; }

  // limits.exh: what the device can hold.
  /// Limits on dims of one kind. Linear indices have none; the paper's space has the hardware's.
  std::uint32_t max_thread_dims() const { return paper ? device.max_thread_dims : 64; }
  std::uint32_t max_block_dims() const { return paper ? device.max_block_dims : 64; }
  /// Limits that the paper's space does not have.
  bool limits_code() const { return !paper && device.max_code > 0; }
  bool counts_as_code(const Instruction& inst) const {
    return limits_code() && inst.op != Op::kConst;
  }
  /// Of 4 bytes: what a value takes.
  std::uint32_t registers_of(const Instruction& inst) const {
    return BytesOf(ComputeTypeOf(inst.type)) / 4;
  }
  /// Has the reduction a value for each iteration of its dim?
  bool has_value_of(const Instruction& reduction, const Dimension& d) const {
    return !d.is_reduction || reduction.is_scan();
  }
  bool limits_registers() const { return !paper && device.max_registers > 0; }
  /// Iterations that the loops around a tile of the communication must have for the tile to fit the
  /// memory of temporary arrays.
  std::uint32_t least_around_tile(const Communication& c) const;
  /// Are there tiles of the pair's communication that do not fit?
  bool limits_tile(const DimPair& pair) const { return least_around_tile(comm(pair.comm)) > 1; }
  /// Bytes that a block shares, where slices meet in the rest.
  std::uint32_t shared_beside_slices() const { return device.shared_bytes - kSliceBytes; }
  /// … and the blocks of a cluster, too.
  std::uint32_t shared_beside_clusters() const { return shared_beside_slices() - kClusterBytes; }
  /// Blocks that a kernel may ask a multiprocessor to hold.
  std::vector<std::uint32_t> min_blocks_universe() const;
  /// Most threads of a block when so many blocks are to be held: fewer registers than this leaves
  /// to each are too few for any program.
  std::uint32_t threads_of_resident(const Count& wanted) const;

  // No space asks these.
  /// Do blocks of a cluster tell each other what they have (CLUSTER)?
  bool has_clusters() const;
  /// Why the partial results of the reduction may not become one in this way, in words; empty: they
  /// may_cross().
  std::string_view why_not_across(const Instruction& reduction, std::string_view way) const;
  /// Are fragments of halves read by whole matrices (Device::matrix_reads)?
  bool reads_matrices() const { return !paper && device.matrix_reads; }
  /// Does the space have windows (kernels/spaces/windows.exh)?
  bool plans_windows() const { return !paper && device.windows && device.max_threads > 1; }

 private:
  /// Do lanes along the axis begin at aligned elements of the array?
  bool is_aligned(const Instruction& inst, const LogicalDim& lanes) const;
  /// Is it a dimension of a reduction whose steps may be taken in any order? Each operator that
  /// reduces is associative. But what begins with its value would see a part of it.
  bool may_have_parts(const Dimension& d) const;
  bool is_guarded(const Instruction& inst, LogicalDimId axis) const;
  Refs<Dimension> refs(const std::vector<DimId>& ids) const;
  /// 1, 2, … `most`, as far as these are counted.
  static std::vector<std::uint32_t> up_to(std::uint32_t most);
};

}  // namespace exh::kernels::ir
