// SPDX-License-Identifier: MIT
//
// Yardsticks: the naive kernel and the libraries that people use, run like candidates and measured
// in turn with one, so that a machine that changes its speed meanwhile does so for all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/evaluator.h"
#include "search/log_records.h"

namespace exh::search {

/// A source to be compiled.
struct Yardstick {
  std::string name;
  kernels::Source source;
};

/// Compiles all of them, `jobs` at once.
std::vector<Contender> CompileYardsticks(Evaluator& evaluator,
                                         const std::vector<Yardstick>& yardsticks, int jobs);

/// A record for each contender, with what its compiler said and no times yet.
std::vector<ReferenceRecord> RecordsOf(const std::vector<Contender>& contenders);

/// Measures all contenders in turn, `rounds` times; the best of each counts. One that fails is not
/// measured again. `stopped` ends it early: then only what is complete for all is used.
std::vector<ReferenceRecord> MeasureInTurn(Evaluator& evaluator,
                                           const std::vector<Contender>& contenders, int rounds,
                                           const std::function<bool()>& stopped);

}  // namespace exh::search
