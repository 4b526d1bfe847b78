// SPDX-License-Identifier: MIT
//
// The lower bound of every implementation below a partially specified candidate, in two tiers.
// Whatever is open is taken at its best, term by term, and the bound is the largest term.
//
// The first tier is throughput: for each resource the least amount that the busiest unit has to
// work off, over the fastest rate of the device. A block runs on one unit, so of n blocks some unit
// runs at least ceil(n / units): amounts are counted for the whole kernel and for one block, and
// each yields what the busiest unit has.
//
// The second tier is latency: what a thread has to wait for, one after the other (waits.cc), while
// no more blocks are on a unit than fit (residency.h).
//
// README.md says why each amount is one that no implementation can go below.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/ir/domains.h"
#include "kernels/ir/function.h"
#include "models/bound.h"
#include "models/device_rates.h"
#include "models/nests.h"
#include "models/request.h"

namespace exh::models {

/// What the caches hold when a measured run begins.
enum class CacheState : std::uint8_t {
  kWarm,  ///< What the run before left: launches follow each other on the same arrays.
  kCold,  ///< Nothing of the arrays.
};

class LowerBound {
 public:
  /// `function` is frozen and outlives the bound.
  LowerBound(const kernels::ir::Function& function, const DeviceRates& rates,
             CacheState caches = CacheState::kWarm);

  /// Nanoseconds; 0 when nothing is known. `domains` are those of a candidate of `function`; a
  /// candidate below it has no smaller bound. Once a tier reaches `enough`, what it has is the
  /// result. Allocates nothing; any number of threads may call.
  double Ns(const kernels::ir::Domains& domains, double enough = HUGE_VAL) const;

  /// What is counted on the way, for a model that learns how long things really take
  /// (search/learn/cost_model.h): the bound, amounts by resource, and of each nest and operand what
  /// its loops come to, always in the same order; 0 or more, and 0 of what is absent. Returns the
  /// bound. `amounts` has num_amounts() places. Allocates nothing; any number of threads may call.
  double Amounts(const kernels::ir::Domains& domains, std::span<double> amounts) const;
  std::size_t num_amounts() const;

  /// The same number with what led to it.
  Bound Explain(const kernels::ir::Domains& domains) const;

 private:
  static constexpr std::size_t kMaxInsts = 48;  ///< Beyond: not counted.
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Computations; the first iteration of a sum is free.
  struct Arithmetic {
    std::size_t nest = 0;
    bool is_fma = false;  ///< Takes a place in the pipes of products.
    double share = 1;     ///< Of the points.
  };
  /// An operand of a computation that comes out of memory into registers of the threads that
  /// compute: each element once for each thread that needs it.
  struct OperandRead {
    std::size_t nest = 0;      ///< Of the computation.
    std::uint32_t axes = 0;    ///< Bits of its axes that the operand moves along.
    kernels::ir::CommId comm;  ///< How it comes.
    kernels::ir::InstId load;  ///< kLoad; invalid: another computation's result.
    kernels::ir::MemId block;  ///< Where it may be staged; invalid: nowhere.
    std::size_t store = 0;     ///< Nest of the store that fills `block`.
    std::string what;
  };
  /// An instruction whose value is awaited in each round of its loops.
  struct Waiting {
    std::size_t nest = 0;
    double clk = 0;        ///< From it to what needs its value.
    double shortened = 1;  ///< Share of the rounds that wait: of a read that may begin early.
    std::size_t operand = kNone;   ///< It is the read of this operand from memory.
    double before = 0, after = 0;  ///< Clocks of a thread before its first round, after its last.
  };
  struct Access {
    std::size_t nest = 0;
    Request request;
  };
  struct ArrayUse {
    kernels::ir::ArrayId id;
    bool is_read = false;
    double elements = 0, sectors = 0;
    std::vector<Access> accesses;
    std::vector<std::size_t> operands;  ///< Numbers of OperandRead.
  };

  /// Amounts that instructions add up to.
  struct Amount {
    double lanes = 0;      ///< Of the pipes of products, of the busiest unit.
    double issues = 0;     ///< Warp instructions, of the busiest unit.
    double of_thread = 0;  ///< Instructions of one thread.
    double accesses = 0;   ///< Turns of the pipe to memory, of the busiest unit.
  };
  struct Notes;  ///< What Explain wants to know on the way.
  struct Totals {
    Amount amount;
    double unit_bytes = 0;
    double cache_read = 0, cache_written = 0;  ///< Bytes of the second cache, of all units.
    double memory_bytes = 0;                   ///< Between main memory and the caches.
    double memory_gbs = 0;                     ///< For the mix of them.
    double min_blocks = 1, max_blocks = 1;
    double share = 0;  ///< Least share of the kernel's work that some unit has.

    void Add(const std::string& what, const Amount& more, Notes* notes);
  };
  /// What the second tier finds.
  struct Waits {
    double clk = 0;
    const Waiting* longest = nullptr;  ///< Whose rounds they are.
    Rounds rounds;                     ///< Of it.
    double latency = 0;                ///< Clocks of one.
    double waves = 1;                  ///< Blocks that a place of a unit has to run.
    double resident = 1;               ///< Places of a unit.
    bool is_share = false;  ///< Counted from the points of all threads, not from one after another.
  };

  std::size_t AddNest(const kernels::ir::Instruction& inst);
  bool Varies(const kernels::ir::Instruction& inst, kernels::ir::LogicalDimId axis) const;
  void AddArithmetic(const kernels::ir::Instruction& inst);
  void AddOperands(const kernels::ir::Instruction& inst, std::size_t nest);
  void AddAccess(const kernels::ir::Instruction& inst);
  ArrayUse& UseOf(kernels::ir::ArrayId id);

  double OfUnit(const Totals& totals, double whole, double block) const;
  double OfThread(const Totals& totals, const Work& work) const;
  bool IsFenced(const OperandRead& read, const kernels::ir::Domains& domains) const;
  double WidthOf(const Nest& nest, const kernels::ir::Domains& domains) const;
  Amount OperandAmount(const OperandRead& read, const kernels::ir::Domains& domains,
                       const Totals& totals, const Work* works) const;
  double Demand(const OperandRead& read, const Work* works) const;
  Amount AccessAmount(const Work& work, double points, double width, double lines,
                      const Totals& totals) const;
  void AddArray(const ArrayUse& use, const kernels::ir::Domains& domains, const Work* works,
                Totals& totals, Notes* notes) const;
  void AddTemporaries(const kernels::ir::Domains& domains, const Work* works, Totals& totals) const;
  Totals Evaluate(const kernels::ir::Domains& domains, Work* works, Notes* notes) const;
  double TimeOf(const Totals& totals) const;

  // The second tier (waits.cc).
  double Resident(const kernels::ir::Domains& domains, const Work* works) const;
  Waits WaitsOf(const kernels::ir::Domains& domains, const Totals& totals, const Work* works) const;

  const kernels::ir::Function& function_;
  const DeviceRates rates_;
  std::vector<Nest> nests_;
  std::vector<int> nest_of_inst_;
  std::vector<Arithmetic> arithmetic_;
  std::vector<OperandRead> operands_;
  std::vector<ArrayUse> arrays_;
  std::vector<Waiting> waiting_;
  CacheState caches_;
  double chain_clk_ = 0;                       ///< The longest sum, one step after the other.
  double bytes_read_ = 0, bytes_written_ = 0;  ///< Of the arguments, as sectors of main memory.
};

}  // namespace exh::models
