// SPDX-License-Identifier: MIT
#include "models/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/access_pattern.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

constexpr std::string_view kArithmetic = "arithmetic", kIssue = "issue", kThread = "thread",
                           kChain = "chain", kTraffic = "traffic", kMemory = "memory",
                           kAccess = "access", kCache = "cache", kLatency = "latency";

bool IsArithmetic(ir::Op op) {
  return op == ir::Op::kAdd || op == ir::Op::kMul || op == ir::Op::kMax || op == ir::Op::kMad;
}

/// How many iterations the busiest of `units` has at least for each of n, where n divides `most`
/// and is at most that: for n = q * m, ceil(q * m / units) <= q * ceil(m / units).
double BusiestShare(double divides, double most, double units) {
  return std::max(1 / std::min(most, units), std::ceil(divides / units) / divides);
}

/// What a thread waits for, in words.
std::string WaitsText(const std::string& what, double clk, double rounds, double waves,
                      double resident, bool is_share) {
  if (is_share)
    return fmt::format("clocks: {:g} for each point of {}, as many as fit at once", clk, what);
  return fmt::format(
      "clocks: {:g} for each of {:g} rounds of {}, {:g} times with {:g} blocks a unit", clk, rounds,
      what, waves, resident);
}

std::string KindsText(ir::Kinds kinds) {
  constexpr std::array<std::string_view, 5> names = {"LOOP", "UNROLL", "VECTOR", "THREAD", "BLOCK"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((kinds >> i & 1) == 0) continue;
    text += (text.empty() ? "" : " or ") + std::string(names[i]);
  }
  return text;
}

}  // namespace

struct LowerBound::Notes {
  std::vector<BoundPart> lanes, issues, of_thread, accesses, unit_bytes;

  void Add(const std::string& what, const Amount& amount) {
    Add(lanes, what, amount.lanes);
    Add(issues, what, amount.issues);
    Add(of_thread, what, amount.of_thread);
    Add(accesses, what, amount.accesses);
  }
  static void Add(std::vector<BoundPart>& to, const std::string& what, double amount) {
    if (amount > 0) to.push_back({what, amount});
  }
};

void LowerBound::Totals::Add(const std::string& what, const Amount& more, Notes* notes) {
  amount.lanes += more.lanes;
  amount.issues += more.issues;
  amount.of_thread += more.of_thread;
  amount.accesses += more.accesses;
  if (notes != nullptr) notes->Add(what, more);
}

LowerBound::LowerBound(const ir::Function& function, const DeviceRates& rates, CacheState caches)
    : function_(function),
      rates_(rates),
      nest_of_inst_(function.insts.size(), -1),
      caches_(caches) {
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) AddAccess(inst);
    if (IsArithmetic(inst.op)) AddArithmetic(inst);
  }
  // A sum begins with something read, and what was read last is still to be added.
  for (Waiting& waiting : waiting_) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const OperandRead& read = operands_[i];
      if (!read.load.valid()) continue;
      const bool is_user = waiting.nest == read.nest, is_reader = waiting.operand == i;
      if (is_user || is_reader) waiting.before = rates.read_latency_clk;
      const bool is_load = nests_[waiting.nest].inst == read.load;
      if (function.inst(nests_[read.nest].inst).op != ir::Op::kMad) continue;
      if (is_load || is_reader) waiting.after = rates.fma_latency_clk;
    }
  }
  for (const ArrayUse& use : arrays_) {
    (use.is_read ? bytes_read_ : bytes_written_) += use.sectors * rates.memory_sector_bytes;
  }
}

/// The nest's number, or kMaxInsts when it is not counted.
std::size_t LowerBound::AddNest(const ir::Instruction& inst) {
  int& known = nest_of_inst_[inst.id.index()];
  if (known >= 0) return static_cast<std::size_t>(known);
  Nest nest{.inst = inst.id, .planned = inst.planned, .once = inst.executes_once()};
  for (const ir::DimId dim : inst.dims) {
    const ir::LogicalDimId axis = function_.dim(dim).logical;
    const auto same = [&](const NestAxis& a) { return a.id == axis; };
    if (std::any_of(nest.axes.begin(), nest.axes.end(), same)) continue;
    const ir::LogicalDim& logical = function_.logical(axis);
    nest.axes.push_back({axis, static_cast<double>(logical.total), false, false, logical.dims});
  }
  if (nests_.size() == kMaxInsts || nest.axes.size() > kMaxAxes) return kMaxInsts;
  known = static_cast<int>(nests_.size());
  nests_.push_back(std::move(nest));
  return nests_.size() - 1;
}

/// Does the value of the instruction (what it adds, for a sum) differ from point to point of the
/// axis? Where it does not, a compiler may compute it once.
bool LowerBound::Varies(const ir::Instruction& inst, ir::LogicalDimId axis) const {
  if (inst.op == ir::Op::kLoad) {
    const auto& axes = PatternOf(function_, inst, rates_.memory_sector_bytes).axes;
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
  for (const ir::DimId dim : inst.reduce_dims) {
    if (function_.dim(dim).logical == axis) return true;  // No two steps of a sum are one.
  }
  for (const ir::Communication& comm : function_.comms) {
    if (comm.consumer != inst.id || comm.planned) continue;
    for (const ir::PairId id : comm.pairs) {
      const ir::DimPair& pair = function_.pair(id);
      if (function_.dim(pair.dst).logical != axis) continue;
      if (Varies(function_.inst(comm.producer), function_.dim(pair.src).logical)) return true;
    }
  }
  return false;
}

void LowerBound::AddArithmetic(const ir::Instruction& inst) {
  const std::size_t number = AddNest(inst);
  if (number == kMaxInsts) return;
  Nest& nest = nests_[number];
  double steps = 1;
  for (NestAxis& axis : nest.axes) {
    axis.varies = Varies(inst, axis.id);
    if (axis.varies) nest.points *= axis.total;
    const bool reduced =
        std::any_of(inst.reduce_dims.begin(), inst.reduce_dims.end(),
                    [&](ir::DimId d) { return function_.dim(d).logical == axis.id; });
    if (reduced) steps *= axis.total;
    axis.is_sum = reduced;
  }
  if (inst.is_reduction() && inst.op != ir::Op::kMax) {
    chain_clk_ = std::max(chain_clk_, (steps - 1) * rates_.fma_latency_clk);
  }
  if (inst.op == ir::Op::kMad) waiting_.push_back({number, rates_.fma_latency_clk});

  // What compilers may simplify or contract away: operations on constants, and a product that
  // becomes part of the sum that reads it.
  bool has_literal = false;
  for (const ir::Operand& operand : inst.operands) {
    has_literal |= operand.kind == ir::Operand::Kind::kLiteral;
  }
  bool may_merge = has_literal && inst.op != ir::Op::kMax;
  for (const ir::Communication& comm : function_.comms) {
    may_merge |= inst.op == ir::Op::kMul && comm.producer == inst.id &&
                 function_.inst(comm.consumer).op == ir::Op::kAdd;
  }
  const bool adds = inst.op == ir::Op::kAdd;
  const bool is_fma =
      inst.op == ir::Op::kMad || inst.op == ir::Op::kMul || (adds && rates_.adds_share_fma > 0);
  // The first step of a sum that starts from a constant may be no operation at all.
  const double share = inst.is_reduction() && inst.op != ir::Op::kMad ? 1 - 1 / steps : 1;
  if (!may_merge) arithmetic_.push_back({number, is_fma, share});
  AddOperands(inst, number);
}

void LowerBound::AddOperands(const ir::Instruction& inst, std::size_t number) {
  for (const ir::Communication& comm : function_.comms) {
    if (comm.consumer != inst.id || comm.planned || comm.operand < 0) continue;
    const ir::Instruction& producer = function_.inst(comm.producer);
    OperandRead read{.nest = number, .comm = comm.id};
    if (producer.op == ir::Op::kLoad) read.load = producer.id;
    if (comm.lowered) {
      const std::size_t store = AddNest(function_.inst(comm.lowered->store));
      if (store != kMaxInsts) {
        for (NestAxis& axis : nests_[store].axes) {
          if (!axis.varies) nests_[store].points *= axis.total;
          axis.varies = true;
        }
        read.block = comm.lowered->block;
        read.store = store;
        const std::size_t load = AddNest(function_.inst(comm.lowered->load));
        if (load != kMaxInsts) {
          for (NestAxis& axis : nests_[load].axes) {
            if (!axis.varies) nests_[load].points *= axis.total;
            axis.varies = true;
          }
          waiting_.push_back({load, rates_.shared_latency_clk, 1, operands_.size()});
        }
      }
    }
    if (!read.load.valid() && !read.block.valid()) continue;
    const std::vector<NestAxis>& axes = nests_[number].axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (const ir::PairId id : comm.pairs) {
        const ir::DimPair& pair = function_.pair(id);
        if (function_.dim(pair.dst).logical != axes[i].id) continue;
        if (Varies(producer, function_.dim(pair.src).logical)) read.axes |= 1u << i;
      }
    }
    read.what = fmt::format("{} for {}", producer.name(), inst.name());
    if (read.load.valid()) UseOf(producer.array).operands.push_back(operands_.size());
    operands_.push_back(std::move(read));
  }
}

LowerBound::ArrayUse& LowerBound::UseOf(ir::ArrayId id) {
  for (ArrayUse& use : arrays_) {
    if (use.id == id) return use;
  }
  arrays_.push_back({.id = id, .is_read = function_.array(id).role == ir::ArrayRole::kInput});
  return arrays_.back();
}

void LowerBound::AddAccess(const ir::Instruction& inst) {
  const AccessPattern pattern = PatternOf(function_, inst, rates_.memory_sector_bytes);
  ArrayUse& use = UseOf(inst.array);
  use.elements = std::max(use.elements, pattern.elements);
  use.sectors = std::max(use.sectors, pattern.sectors);
  const std::size_t number = AddNest(inst);
  if (number == kMaxInsts) return;
  Nest& nest = nests_[number];
  nest.points = pattern.elements;
  for (NestAxis& axis : nest.axes) {
    axis.varies =
        std::find(pattern.axes.begin(), pattern.axes.end(), axis.id) != pattern.axes.end();
  }
  use.accesses.push_back({number, Request(function_, inst)});
  if (inst.op != ir::Op::kLoad) return;
  // The first two reads of a loop may be under way together when one of them is ahead.
  const double shortened = function_.allows_advance(inst) ? 0.5 : 1;
  waiting_.push_back({number, rates_.read_latency_clk, shortened});
}

/// Least that the busiest unit has of what is `whole` in the kernel and `block` in each block.
double LowerBound::OfUnit(const Totals& totals, double whole, double block) const {
  return std::max(whole * totals.share, block * std::ceil(totals.min_blocks / rates_.units));
}

double LowerBound::OfThread(const Totals& totals, const Work& work) const {
  return std::max(work.thread, work.points / (totals.max_blocks * work.max_threads));
}

/// Is the operand surely written by threads and read back behind a barrier? Then no compiler
/// forwards it in registers.
bool LowerBound::IsFenced(const OperandRead& read, const ir::Domains& domains) const {
  if (!read.block.valid()) return false;
  const ir::InstDomain& store = domains.insts[nests_[read.store].inst.index()];
  if (store.presence != ir::Presence::kCertain) return false;
  for (const NestAxis& axis : nests_[read.store].axes) {
    for (const ir::DimId dim : axis.dims) {
      const ir::DimDomain& domain = domains.dims[dim.index()];
      if (domain.presence == ir::Presence::kCertain && domain.must_be(ir::kThread)) return true;
    }
  }
  return false;
}

/// Most elements that one access of an argument takes. Compilers do not merge accesses whose
/// alignment they cannot know.
double LowerBound::WidthOf(const Nest& nest, const ir::Domains& domains) const {
  double width = domains.insts[nest.inst.index()].max_width;
  for (const NestAxis& axis : nest.axes) {
    for (const ir::DimId id : axis.dims) {
      const ir::DimDomain& dim = domains.dims[id.index()];
      if (dim.may_be(ir::kVector)) width = std::max<double>(width, dim.max);
    }
  }
  return std::min(width, rates_.bytes_per_access / kElementBytes);
}

/// How many elements of the operand the blocks need, each of them by itself: the fewer points of
/// the other axes a block has, the more often the kernel reads the same element.
double LowerBound::Demand(const OperandRead& read, const Work* works) const {
  const Nest& nest = nests_[read.nest];
  const Work& work = works[read.nest];
  double reuse = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    if (nest.axes[i].varies && (read.axes >> i & 1) == 0) reuse *= work.block_max[i];
  }
  return work.points / reuse;
}

/// A thread that computes points needs each element of the operand at least once; the fewer points
/// of the other axes it has, the more often that is for each point.
LowerBound::Amount LowerBound::OperandAmount(const OperandRead& read, const ir::Domains& domains,
                                             const Totals& totals, const Work* works) const {
  const Nest& nest = nests_[read.nest];
  const Work& work = works[read.nest];
  double reuse = 1, thread = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    if (!nest.axes[i].varies) continue;
    if ((read.axes >> i & 1) != 0) {
      thread *= work.serial_min[i];
    } else {
      reuse *= work.serial_max[i];
    }
  }
  // Temporaries are aligned, so that compilers may merge what is read from them.
  const double most = rates_.bytes_per_access / kElementBytes;
  const bool may_stage =
      read.block.valid() && domains.blocks[read.block.index()].presence != ir::Presence::kAbsent;
  double width = most;
  if (!may_stage && read.load.valid()) {
    const int load = nest_of_inst_[read.load.index()];
    if (load >= 0) width = WidthOf(nests_[static_cast<std::size_t>(load)], domains);
  }
  const double per_point = work.waste / (rates_.warp_lanes * width * reuse);
  Amount amount;
  amount.issues = OfUnit(totals, work.points * per_point, work.block * per_point);
  // No warp has more points of the other axes than its block.
  amount.accesses = std::max(
      amount.issues, Demand(read, works) * totals.share * kElementBytes / rates_.access_bytes);
  amount.of_thread = std::max(thread, OfThread(totals, work) / reuse) / width;
  return amount;
}

/// An access by itself. `points`: its executions, at least; `lines`: accesses that each of them
/// takes, at least, however wide they are.
LowerBound::Amount LowerBound::AccessAmount(const Work& work, double points, double width,
                                            double lines, const Totals& totals) const {
  const double per_point = work.waste / (rates_.warp_lanes * width);
  Amount amount;
  amount.issues = OfUnit(totals, points * per_point, work.block * per_point);
  amount.of_thread = OfThread(totals, work) / width;
  amount.accesses = std::max(amount.issues, OfUnit(totals, points * lines, work.block * lines));
  return amount;
}

/// What two accesses of one array read may be the same.
void LowerBound::AddArray(const ArrayUse& use, const ir::Domains& domains, const Work* works,
                          Totals& totals, Notes* notes) const {
  const double sector = rates_.memory_sector_bytes;
  Amount most;
  const auto perhaps = [&](const Amount& amount) {
    most.issues = std::max(most.issues, amount.issues);
    most.of_thread = std::max(most.of_thread, amount.of_thread);
    most.accesses = std::max(most.accesses, amount.accesses);
  };
  double block_elements = 0, cache_bytes = 0, unit_bytes = 0;
  for (const Access& access : use.accesses) {
    const Nest& nest = nests_[access.nest];
    const Work& work = works[access.nest];
    double points = work.points;
    for (const std::size_t number : use.operands) {
      if (operands_[number].load == nest.inst) {
        points = std::max(points, Demand(operands_[number], works));
      }
    }
    double lines = 0;
    if (rates_.access_line_bytes > 0) {
      lines = 1 / access.request.Together(domains, rates_.access_line_bytes / kElementBytes);
    }
    perhaps(AccessAmount(work, points, WidthOf(nest, domains), lines, totals));
    block_elements = std::max(block_elements, work.block);
    if (rates_.cache_bytes_per_clk == 0) continue;
    const double bytes = sector / access.request.Together(domains, sector / kElementBytes);
    cache_bytes = std::max(cache_bytes, bytes * std::max(points, work.block * totals.min_blocks));
    unit_bytes = std::max(unit_bytes, OfUnit(totals, points * bytes, work.block * bytes));
  }
  for (const std::size_t number : use.operands) {
    if (IsFenced(operands_[number], domains)) continue;
    perhaps(OperandAmount(operands_[number], domains, totals, works));
  }
  const std::string& name = function_.array(use.id).name;
  totals.Add(name, most, notes);
  (use.is_read ? totals.cache_read : totals.cache_written) += cache_bytes;
  if (!use.is_read) return;
  // A unit starts with nothing: what its blocks read arrives at least once.
  unit_bytes = std::max(
      unit_bytes, kElementBytes * std::max(use.elements / std::min(totals.max_blocks, rates_.units),
                                           block_elements));
  totals.unit_bytes += unit_bytes;
  if (notes != nullptr) Notes::Add(notes->unit_bytes, name, unit_bytes);
}

/// Temporaries in main memory: each block has its own, and what it wrote there goes the way of
/// results.
void LowerBound::AddTemporaries(const ir::Domains& domains, const Work* works,
                                Totals& totals) const {
  double written = bytes_written_;
  for (const OperandRead& read : operands_) {
    // A processor's threads each have one for all of their blocks.
    if (!read.block.valid() || rates_.unit_blocks == 0) continue;
    const ir::MemDomain& mem = domains.blocks[read.block.index()];
    if (mem.presence != ir::Presence::kCertain || mem.spaces != ir::kGlobalSpace) continue;
    written += kElementBytes * totals.min_blocks * StoredElements(function_, domains, read.block);
    if (rates_.cache_bytes_per_clk == 0 || !IsFenced(read, domains)) continue;
    const double bytes = kElementBytes * std::max(works[read.store].points, Demand(read, works));
    totals.cache_read += bytes;
    totals.cache_written += bytes;
  }
  // What a cache kept from the run before, or keeps for the next, does not move; it holds each byte
  // once, read or written.
  const double kept = rates_.memory_cache_bytes;
  const auto moved = [&](double out) {
    return caches_ == CacheState::kWarm ? std::max(0.0, bytes_read_ + out - kept)
                                        : bytes_read_ + std::max(0.0, out - kept);
  };
  // More traffic never takes less time, though it may change the mix to a faster one.
  totals.memory_bytes = moved(bytes_written_);
  totals.memory_gbs = MemoryGbs(rates_, bytes_read_, bytes_written_);
  const double all = moved(written);
  if (all * totals.memory_gbs > totals.memory_bytes * rates_.memory_gbs) {
    totals.memory_bytes = all;
    totals.memory_gbs = rates_.memory_gbs;
  }
}

LowerBound::Totals LowerBound::Evaluate(const ir::Domains& domains, Work* works,
                                        Notes* notes) const {
  Totals totals;
  double max_blocks = 0;
  for (std::size_t i = 0; i < nests_.size(); ++i) {
    const Nest& nest = nests_[i];
    if (nest.planned && domains.insts[nest.inst.index()].presence != ir::Presence::kCertain) {
      continue;
    }
    Work& work = works[i];
    FillWork(nest, domains, rates_.warp_lanes, function_.device.max_threads, work);
    totals.min_blocks = std::max(totals.min_blocks, work.min_blocks);
    if (!nest.once) continue;
    // Blocks are around everything, and nothing but its own dims is around what runs once: its own
    // blocks are all there are.
    max_blocks = max_blocks == 0 ? work.max_blocks : std::min(max_blocks, work.max_blocks);
    totals.share =
        std::max(totals.share, BusiestShare(work.blocks_divide, work.max_blocks, rates_.units));
  }
  if (totals.share == 0) totals.share = 1 / rates_.units;  // Nothing runs once.
  totals.max_blocks = max_blocks == 0 ? HUGE_VAL : max_blocks;

  for (const Arithmetic& arithmetic : arithmetic_) {
    const Work& work = works[arithmetic.nest];
    const double per_point = work.waste * arithmetic.share;
    const double lanes = OfUnit(totals, work.points * per_point, work.block * per_point);
    totals.Add(function_.inst(nests_[arithmetic.nest].inst).name_,
               {arithmetic.is_fma ? lanes : 0, lanes / rates_.warp_lanes,
                OfThread(totals, work) * arithmetic.share, 0},
               notes);
  }
  for (const ArrayUse& use : arrays_) AddArray(use, domains, works, totals, notes);
  // What goes through memory is written and read again.
  const double most = rates_.bytes_per_access / kElementBytes;
  for (const OperandRead& read : operands_) {
    if (!IsFenced(read, domains)) continue;
    totals.Add(read.what, OperandAmount(read, domains, totals, works), notes);
    const Work& store = works[read.store];
    totals.Add(function_.inst(nests_[read.store].inst).name_,
               AccessAmount(store, std::max(store.points, Demand(read, works)), most,
                            kElementBytes / rates_.access_bytes, totals),
               notes);
  }
  AddTemporaries(domains, works, totals);
  return totals;
}

double LowerBound::TimeOf(const Totals& totals) const {
  const auto time = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  const double clock = rates_.clock_ghz;
  return std::max(
      {time(totals.amount.lanes, rates_.fma_per_clk * clock),
       time(totals.amount.issues, rates_.issues_per_clk * clock),
       time(totals.amount.of_thread, rates_.warp_issues_per_clk * clock),
       time(totals.amount.accesses, rates_.accesses_per_clk * clock), chain_clk_ / clock,
       time(totals.unit_bytes, rates_.unit_bytes_per_clk * clock),
       time(std::max(totals.cache_read, totals.cache_written), rates_.cache_bytes_per_clk * clock),
       time(totals.memory_bytes, totals.memory_gbs)});
}

double LowerBound::Ns(const ir::Domains& domains, double enough) const {
  std::array<Work, kMaxInsts> works;  // Those of the nests that take part are filled.
  const Totals totals = Evaluate(domains, works.data(), nullptr);
  const double throughput = TimeOf(totals);
  if (throughput >= enough) return throughput;
  return std::max(throughput, WaitsOf(domains, totals, works.data()).clk / rates_.clock_ghz);
}

Bound LowerBound::Explain(const ir::Domains& domains) const {
  Notes notes;
  std::array<Work, kMaxInsts> works;
  const Totals totals = Evaluate(domains, works.data(), &notes);
  const Waits waits = WaitsOf(domains, totals, works.data());
  Bound bound;
  bound.ns = std::max(TimeOf(totals), waits.clk / rates_.clock_ghz);
  bound.least_blocks = totals.min_blocks;
  bound.most_blocks = totals.max_blocks;
  const double clock = rates_.clock_ghz;
  const auto add = [&](std::string_view resource, double amount, std::string unit, double rate,
                       std::string rate_text, std::vector<BoundPart> parts) {
    if (rate <= 0 || amount <= 0) return;
    bound.terms.push_back({resource, amount, std::move(unit), rate, std::move(rate_text),
                           amount / rate, std::move(parts)});
  };
  const auto per_clk = [&](double rate) {
    return fmt::format("{:g} a clock at {:g} GHz", rate, clock);
  };
  add(kArithmetic, totals.amount.lanes, "lanes of the busiest unit", rates_.fma_per_clk * clock,
      per_clk(rates_.fma_per_clk), std::move(notes.lanes));
  add(kIssue, totals.amount.issues, "warp instructions of the busiest unit",
      rates_.issues_per_clk * clock, per_clk(rates_.issues_per_clk), std::move(notes.issues));
  add(kThread, totals.amount.of_thread, "instructions of a thread",
      rates_.warp_issues_per_clk * clock, per_clk(rates_.warp_issues_per_clk),
      std::move(notes.of_thread));
  add(kChain, chain_clk_, "clocks of one sum after another", clock, fmt::format("{:g} GHz", clock),
      {});
  add(kLatency, waits.clk,
      waits.longest == nullptr
          ? fmt::format(
                "clocks: those of a thread's instructions, {:g} times with {:g} blocks a unit",
                waits.waves, waits.resident)
          : WaitsText(function_.inst(nests_[waits.longest->nest].inst).name(), waits.latency,
                      waits.rounds.least, waits.waves, waits.resident, waits.is_share),
      clock, fmt::format("{:g} GHz", clock), {});
  add(kTraffic, totals.unit_bytes, "bytes into the busiest unit", rates_.unit_bytes_per_clk * clock,
      per_clk(rates_.unit_bytes_per_clk), std::move(notes.unit_bytes));
  add(kAccess, totals.amount.accesses, "accesses of warps of the busiest unit",
      rates_.accesses_per_clk * clock, per_clk(rates_.accesses_per_clk), std::move(notes.accesses));
  add(kCache, std::max(totals.cache_read, totals.cache_written),
      totals.cache_read >= totals.cache_written ? "bytes out of the second cache"
                                                : "bytes into the second cache",
      rates_.cache_bytes_per_clk * clock, per_clk(rates_.cache_bytes_per_clk), {});
  add(kMemory, totals.memory_bytes, "bytes of main memory that no cache holds", totals.memory_gbs,
      fmt::format("{:g} GB/s", totals.memory_gbs), {});
  std::stable_sort(bound.terms.begin(), bound.terms.end(),
                   [](const BoundTerm& a, const BoundTerm& b) { return a.ns > b.ns; });
  if (!bound.terms.empty()) bound.bottleneck = bound.terms.front().resource;

  for (const Nest& nest : nests_) {
    if (nest.planned) continue;
    for (const NestAxis& axis : nest.axes) {
      for (const ir::DimId id : axis.dims) {
        const ir::DimDomain& dim = domains.dims[id.index()];
        const bool is_open = (dim.kinds & (dim.kinds - 1)) != 0;
        if (!is_open && dim.min == dim.max) continue;
        std::string line = fmt::format("{}: {}", function_.dim(id).name(), KindsText(dim.kinds));
        if (dim.min != dim.max) line += fmt::format(", {} to {} iterations", dim.min, dim.max);
        bound.assumed.push_back(std::move(line));
      }
    }
  }
  for (const OperandRead& read : operands_) {
    if (!read.block.valid()) continue;
    if (domains.blocks[read.block.index()].presence != ir::Presence::kPossible) continue;
    bound.assumed.push_back(
        fmt::format("{}: in registers or through memory", function_.comm(read.comm).name()));
  }
  for (const ir::MemBlock& block : function_.blocks) {
    const ir::MemDomain& mem = domains.blocks[block.id.index()];
    if (mem.presence != ir::Presence::kCertain) continue;
    if (mem.spaces != (ir::kGlobalSpace | ir::kSharedSpace)) continue;
    bound.assumed.push_back(fmt::format("{}: SHARED or GLOBAL", block.name()));
  }
  return bound;
}

}  // namespace exh::models
