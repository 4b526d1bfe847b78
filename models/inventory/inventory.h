// SPDX-License-Identifier: MIT
//
// Inventory: what the terms of the bound count of one kernel on one device, whatever the candidate.
// Taken once per problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/target.h"
#include "models/device_rates.h"
#include "models/inventory/nests.h"
#include "models/inventory/request.h"

namespace exh::models {

/// What the caches hold when a measured run begins.
enum class CacheState : std::uint8_t {
  kWarm,  ///< What the run before left: launches follow each other on the same arrays.
  kCold,  ///< Nothing of the arrays.
};

inline constexpr std::size_t kMaxNests = 48;  ///< Beyond: not counted.
/// Beyond so many blocks for each unit it does not matter how the last ones are shared out.
inline constexpr double kMostWaves = 64;
inline constexpr std::size_t kNoOperand = ~std::size_t{0};

/// An instruction that computes; the first iteration of a sum is free.
struct Computation {
  std::size_t nest = 0;
  bool is_fma = false;  ///< Takes a place in the pipes of products.
  /// … or in the matrix unit of narrow floats: as a part of what a product of halves takes there.
  /// 0: it has none.
  double unit_share = 0;
  bool is_of_doubles = false;  ///< … or in that of doubles.
  bool is_special = false;     ///< … or in that of reciprocals, roots and powers of 2.
  double free = 0;  ///< Share of the points that may be no operation, in each part of a sum.
};

/// A reduction that blocks may divide among them (kernels/spaces/across.exh).
struct Division {
  kernels::ir::InstId reduction;
  std::vector<kernels::ir::DimId> dims;  ///< Those that may be BLOCK.
  double points = 1;  ///< Values that each part yields: of the result, and beyond its covered axes.
  double element_bytes = 4;  ///< Of one of them.
};

/// An operand of a computation that comes out of memory into registers of the threads that compute:
/// each element once for each thread that needs it.
struct OperandRead {
  std::size_t nest = 0;      ///< Of the computation.
  std::uint32_t axes = 0;    ///< Bits of its axes that the operand moves along.
  kernels::ir::CommId comm;  ///< How it comes.
  kernels::ir::InstId load;  ///< kLoad; invalid: another computation's result.
  kernels::ir::MemId block;  ///< Where it may be staged; invalid: nowhere.
  double element_bytes = 4;  ///< Of the array, or of where it may be staged: they are the same.
  std::size_t store = 0;     ///< Nest of the store that fills `block`.
  bool is_widened = false;   ///< A matrix unit of doubles would take it; memory has floats.
  std::string what;          ///< "load_a for mad".
};

/// A multiply-add of two operands out of memory, each of which stays the same along axes of its
/// own: a block, or a thread, that has many points of one of these reads less of that operand, and
/// has fewer of the other's.
/// Blocks share out its axes and no others.
struct BlockedProduct {
  std::size_t computation = 0;   ///< Its number.
  std::size_t operands[2] = {};  ///< Numbers.
  std::uint32_t reuse[2] = {};   ///< Bits of the nest's axes along which each stays the same.
  double reuse_points = 1;       ///< Of these axes.
  double other_points = 1;       ///< Of those along which nothing is summed up, beside them.
};

/// An instruction whose value is awaited in each round of its loops.
struct Waiting {
  std::size_t nest = 0;
  double clk = 0;        ///< From it to what needs its value.
  double shortened = 1;  ///< Share of the rounds that wait: of a read that may begin early.
  std::size_t operand = kNoOperand;  ///< It is the read of this operand from memory.
  double before = 0, after = 0;      ///< Clocks of a thread before its first round, after its last.
  kernels::ir::MemId ring;  ///< A read of an argument: the temporary that it may fill ahead.
};

/// A kLoad or kStore.
struct ArrayAccess {
  std::size_t nest = 0;
  Request request;
};

/// An argument, with all that accesses it.
struct ArrayUse {
  kernels::ir::ArrayId id;
  bool is_read = false;
  double element_bytes = 4;
  double elements = 0, sectors = 0;  ///< That are touched, at least.
  std::vector<ArrayAccess> accesses;
  std::vector<std::size_t> operands;  ///< Numbers of operands.
};

struct Inventory {
  const kernels::ir::Target& function;
  DeviceRates rates;
  CacheState caches = CacheState::kWarm;
  bool is_uneven = false;         ///< Some axis is: blocks and threads differ.
  bool begins_with_read = false;  ///< Whatever is counted waits for something that is read.
  std::vector<Nest> nests;        ///< At most kMaxNests.
  std::vector<int> nest_of_inst;  ///< By InstId; -1: not counted.
  std::vector<Division> divisions;
  std::vector<Computation> computations;
  std::vector<OperandRead> operands;
  std::vector<BlockedProduct> products;
  /// The first nest that runs once whatever is decided; kMaxNests: there is none. And the whole
  /// numbers that divide its iterations, up to kMostWaves for each unit: the number of blocks is
  /// one of them, or larger, where no axis is uneven.
  std::size_t first_once = kMaxNests;
  std::vector<double> divisors;
  std::vector<ArrayUse> arrays;
  std::vector<Waiting> waiting;
  std::vector<std::size_t> chains;           ///< Nests of sums whose steps wait for each other.
  double bytes_read = 0, bytes_written = 0;  ///< Of the arguments, as sectors of main memory.
  std::uint64_t steps = 0;  ///< Edges of the dataflow that were gone along to take it.
};

/// `function` is frozen and outlives the inventory.
Inventory TakeInventory(const kernels::ir::Target& function, const DeviceRates& rates,
                        CacheState caches);

}  // namespace exh::models
