// SPDX-License-Identifier: MIT
//
// The lower bound, tier 0: the time that throughput alone takes every implementation below a
// partially specified candidate. For each resource the least amount that the busiest unit has to
// work off, over the fastest rate of the device; the bound is the largest of these times. Whatever
// is open is taken at its best, resource by resource.
//
// A block runs on one unit, so of n blocks some unit runs at least ceil(n / units): amounts are
// counted for the whole kernel and for one block, and each yields what the busiest unit has.
// README.md says why each amount is one that no implementation can go below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/domains.h"
#include "kernels/ir/function.h"
#include "models/bound.h"
#include "models/device_rates.h"

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
  /// candidate below it has no smaller bound. Allocates nothing; any number of threads may call.
  double Ns(const kernels::ir::Domains& domains) const;

  /// The same number with what led to it.
  Bound Explain(const kernels::ir::Domains& domains) const;

 private:
  static constexpr std::size_t kMaxInsts = 48, kMaxAxes = 8;  ///< Beyond: not counted.

  /// An axis of an instruction's nest.
  struct NestAxis {
    kernels::ir::LogicalDimId id;
    double total = 1;
    bool varies = false;  ///< No point of it repeats what another one does.
    std::vector<kernels::ir::DimId> dims;
  };
  struct Nest {
    kernels::ir::InstId inst;
    bool planned = false, once = false;
    double points = 1;  ///< Executions that no compiler can save, of the whole kernel.
    std::vector<NestAxis> axes;
  };
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
  struct ArrayUse {
    kernels::ir::ArrayId id;
    bool is_read = false;
    double elements = 0, sectors = 0;
    std::vector<std::size_t> accesses;  ///< Numbers of nests.
    std::vector<std::size_t> operands;  ///< Numbers of OperandRead.
  };

  /// What the domains leave of a nest.
  struct Work {
    double points = 0, block = 0, thread = 0;  ///< Least executions of kernel, block, thread.
    double waste = 1;                          ///< Lanes that warps take for each that works.
    double max_threads = 1;
    double max_blocks = 1, blocks_divide = 1, min_blocks = 1;
    double serial_min[kMaxAxes], serial_max[kMaxAxes];  ///< By axis: iterations of one thread.
  };
  /// Amounts that instructions add up to.
  struct Amount {
    double lanes = 0;      ///< Of the pipes of products, of the busiest unit.
    double issues = 0;     ///< Warp instructions, of the busiest unit.
    double of_thread = 0;  ///< Instructions of one thread.
  };
  struct Totals {
    Amount amount;
    double unit_bytes = 0;
    double min_blocks = 1, max_blocks = 1;
    double share = 0;  ///< Least share of the kernel's work that some unit has.
  };
  struct Notes;  ///< What Explain wants to know on the way.

  std::size_t AddNest(const kernels::ir::Instruction& inst);
  bool Varies(const kernels::ir::Instruction& inst, kernels::ir::LogicalDimId axis) const;
  void AddArithmetic(const kernels::ir::Instruction& inst);
  void AddOperands(const kernels::ir::Instruction& inst, std::size_t nest);
  void AddAccess(const kernels::ir::Instruction& inst);
  ArrayUse& UseOf(kernels::ir::ArrayId id);

  void Fill(const Nest& nest, const kernels::ir::Domains& domains, Work& work) const;
  double OfUnit(const Totals& totals, double whole, double block) const;
  double OfThread(const Totals& totals, const Work& work) const;
  bool IsFenced(const OperandRead& read, const kernels::ir::Domains& domains) const;
  double WidthOf(const Nest& nest, const kernels::ir::Domains& domains) const;
  Amount OperandAmount(const OperandRead& read, const kernels::ir::Domains& domains,
                       const Totals& totals, const Work* works) const;
  Totals Evaluate(const kernels::ir::Domains& domains, Notes* notes) const;
  double TimeOf(const Totals& totals) const;

  const kernels::ir::Function& function_;
  const DeviceRates rates_;
  std::vector<Nest> nests_;
  std::vector<int> nest_of_inst_;
  std::vector<Arithmetic> arithmetic_;
  std::vector<OperandRead> operands_;
  std::vector<ArrayUse> arrays_;
  double chain_clk_ = 0;     ///< The longest sum, one step after the other.
  double memory_bytes_ = 0;  ///< That have to move between main memory and the caches.
};

}  // namespace exh::models
