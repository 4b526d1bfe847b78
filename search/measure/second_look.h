// SPDX-License-Identifier: MIT
//
// SecondLook: what is measured once more before a verdict counts. Who decides that it is needed,
// and what follows from it, need not be the thread that measures: this is what crosses between
// both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "search/measure/duel.h"

namespace exh::search {

struct SecondLook {
  enum class Kind {
    kNone,    ///< The first measurement is enough.
    kAlone,   ///< There is nothing to compare it with, or it has to show that it is possible.
    kInTurn,  ///< With the incumbent.
  };
  Kind kind = Kind::kNone;

  // The incumbent of that moment; of kInTurn alone.
  std::uint64_t against = 0;  ///< Its number in the log.
  double known_ns = 0;        ///< What it is known to take.
  double bound_ns = 0;        ///< Nothing of its kind is faster.
  std::string vector;         ///< Its decisions.
  kernels::Compiled incumbent;

  // What came of it.
  kernels::Measurement alone;
  Duel duel;

  /// The verdict of it.
  kernels::Verdict verdict() const {
    return kind == Kind::kInTurn ? duel.measurement.verdict : alone.verdict;
  }
};

/// Measures something compiled as long as it is told to.
using MeasureProgram =
    std::function<kernels::Measurement(const kernels::Compiled& program, kernels::Effort effort)>;

/// Measures the candidate, and what it is up against, and says in `look` what came of it.
void LookAgain(const kernels::Compiled& candidate, const MeasureProgram& measure, SecondLook& look);

}  // namespace exh::search
