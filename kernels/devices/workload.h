// SPDX-License-Identifier: MIT
//
// Workload: what a backend runs, whatever it was made from. A kernel as text, a fused operator and
// a functional program are one each: implementations as sources, the problems that these are
// checked with, and what a person compares their times with. Backends and evaluators know nothing
// else of what they run, so that all of it is checked and timed alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/evaluation.h"
#include "kernels/ir/device.h"
#include "kernels/ir/text/type_text.h"
#include "kernels/vendor_call.h"
#include "runtime/candidate.h"

namespace exh::kernels {

class Workload {
 public:
  virtual ~Workload() = default;

  /// The device that it is for.
  virtual const ir::Device& device() const = 0;

  /// The source of an implementation. Source::verdict says where it has none; or it throws Refused.
  /// May be called from several threads at once.
  virtual Source Emit(const runtime::Candidate& implementation) const = 0;

  /// Makes one of kCheckedProblems: inputs, and what must come of them in double precision.
  /// Nothing: `stop`, which may be null, was stopped. Throws Error when it cannot be made. May be
  /// called from several threads at once.
  virtual std::optional<cpu::MadeProblem> MakeProblem(const CheckedProblem& one,
                                                      const StopToken* stop) const = 0;
  /// Do the problems take so long that two of them must do? Nothing: the first one shows.
  virtual std::optional<bool> is_costly() const { return std::nullopt; }

  /// Operations of one run; 0: that is not known.
  virtual double flops() const { return 0; }

  /// What a winner is compared with, as sources in this dialect.
  virtual std::vector<NamedSource> Yardsticks(ir::Dialect /*dialect*/) const { return {}; }
  /// The calls of a GPU vendor's library that compute the same; without steps: it has none.
  virtual VendorCall Vendor() const { return {}; }
  /// What the yardsticks are, in words; may be empty.
  virtual std::string YardstickText() const { return ""; }
  /// Versions of what the yardsticks in this dialect depend on, by name.
  virtual std::map<std::string, std::string, std::less<>> Versions(ir::Dialect /*dialect*/) const {
    return {};
  }
};

}  // namespace exh::kernels
