// SPDX-License-Identifier: MIT
//
// What there is to count of a candidate: computations, accesses, operands, temporaries. Each is
// made once, with what several terms need of it, and is shown to the terms that count things of its
// kind.
#pragma once

#include <algorithm>

#include "models/inventory/domains.h"
#include "models/inventory/work_view.h"

namespace exh::models::terms {

/// A computation.
struct ComputationWork {
  ComputationWork(const WorkView& seen, const Computation& counted)
      : view(seen), computation(counted), work(seen.work(counted.nest)) {
    share = std::max(0.0, 1 - computation.free * work.splits);
    lanes = view.OfUnit(work.points, work, work.waste * share);
  }

  const WorkView& view;
  const Computation& computation;
  const Work& work;
  double share = 1;  ///< Of the points: those that are operations for certain.
  double lanes = 0;  ///< Of warps that the busiest unit runs, idle ones too.
};

/// The accesses of an instruction.
struct AccessWork {
  /// The numbers are points, width, lines and element_bytes.
  AccessWork(const WorkView& seen, std::size_t nest, double num_points, double most_elements,
             double num_lines, double bytes)
      : view(seen),
        work(seen.work(nest)),
        points(num_points),
        width(most_elements),
        lines(num_lines),
        element_bytes(bytes) {
    const double per_point = work.waste / (view.rates().warp_lanes * width);
    warps = view.OfUnit(points, work, per_point);
  }

  const WorkView& view;
  const Work& work;
  double points;  ///< Executions, at least.
  double width;   ///< Elements of one access, at most.
  double lines;   ///< Accesses that each point takes, at least, however wide they are.
  double element_bytes;
  double warps = 0;  ///< Warp instructions of the busiest unit.
};

/// … which reads or writes an argument.
struct ArgumentWork : AccessWork {
  using AccessWork::AccessWork;
};

/// … by the sectors that it touches. Only of devices whose second cache has a rate.
struct SectorWork {
  const WorkView& view;
  const Work& work;
  double points = 0;
  double bytes = 0;  ///< Of sectors for each point, at least.
};

/// The reads of an operand, be it from an argument or from a temporary: a thread that computes
/// points needs each element at least once; the fewer points of the other axes it has, the more
/// often that is for each point.
struct OperandWork {
  OperandWork(const WorkView& seen, const OperandRead& counted);

  const WorkView& view;
  const OperandRead& read;
  const Work& work;      ///< Of the computation.
  double reuse = 1;      ///< Points of a thread that share an element, at most.
  double of_thread = 1;  ///< Elements that a thread needs, at least.
  double width = 1;      ///< Elements of one read, at most.
  double warps = 0;      ///< Warp instructions of the busiest unit.
  /// A group of warps may take it from where it is: no thread reads it, and no more is known than
  /// that each element is read once for all of a block.
  bool may_stay = false;
  bool is_converted = false;  ///< Floats that a matrix unit takes as doubles, for certain.
};

/// A temporary array that is certain, in main memory, and of each block its own.
struct TemporaryWork {
  const WorkView& view;
  const OperandRead& read;  ///< What it is for.
};

/// What blocks yield that surely divide a reduction among them. It leaves the unit of each block;
/// it may stay in the second cache.
struct PartialResults {
  const WorkView& view;
  const Division& division;
  double bytes = 0;       ///< Of all blocks together.
  bool are_read = false;  ///< Units make one value of them, not the memory by atomic operations.
};

}  // namespace exh::models::terms
