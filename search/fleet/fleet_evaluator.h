// SPDX-License-Identifier: MIT
//
// FleetEvaluator: pilots (pilot.h) as an evaluator with a lane for each. What is compiled is
// compiled by the pilot that has least to do, and measured there if it can be. Decisions, bounds,
// and the text that is known here already need no pilot; what compiles and measures need not be on
// this machine.
//
// All pilots must measure on the same device, with the same driver and versions, and be the same
// program with the same rates: the first that is ready decides, and another one is refused by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/measure/evaluator.h"
#include "search/subject/subject.h"

namespace exh::search {

struct WorkerOptions {
  std::vector<std::string> commands;  ///< One for each pilot, the shell's: `search worker`.
  bool cold = false;                  ///< As EvaluatorOptions::cold.
  double silence_s = 30;              ///< A pilot that says nothing for so long is given up.
  const StopToken* stop = nullptr;    ///< As EvaluatorOptions::stop.
  /// Told for which pilots it waits, when none has said anything for `silence_s`; may be empty.
  std::function<void(const std::string& note)> say;
};

/// Waits for the first pilot that is ready; others join when they are. The subject outlives it.
/// Throws Error when none can be, with what each of them says, and Interrupted.
std::unique_ptr<Evaluator> MakeFleetEvaluator(const Subject& subject, const WorkerOptions& options);

/// The hash of the rates of the subject's device, as this machine has them; empty: there are none.
std::string RatesHash(const Subject& subject);

}  // namespace exh::search
