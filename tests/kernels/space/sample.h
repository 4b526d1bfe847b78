// SPDX-License-Identifier: MIT
//
// Random implementations of a kernel, and which values of which choices they cover.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/task.h"

namespace exh::kernels::testing {

/// How often each value of each choice occurs: in how many of the implementations at least one
/// decision of the choice has it.
class Coverage {
 public:
  /// Every value that some decision of the root may take; they count even if nothing ever has them.
  void Allow(const runtime::Instance& instance);
  void Count(const ir::Function& function, const runtime::Candidate& implementation,
             const codegen::Schedule& schedule);

  int implementations() const { return implementations_; }
  double share_with_temporary() const { return Share(with_temporary_); }
  double share_with_two_thread_dims() const { return Share(with_two_thread_dims_); }
  /// Values that occur in fewer than `least` of the implementations, "choice=value (share)".
  std::vector<std::string> Rare(double least) const;
  std::string Table() const;

 private:
  double Share(int n) const { return implementations_ ? double(n) / implementations_ : 0; }

  std::map<std::string, std::map<std::string, int>> counts_;  ///< Choice, value.
  int implementations_ = 0, with_temporary_ = 0, with_two_thread_dims_ = 0;
};

struct Sample {
  Task task;
  std::vector<codegen::Schedule> schedules;
  std::vector<std::string> decisions;  ///< Of each schedule, in words.
};

/// Device of the tests: the host's vectors, `max_threads` threads a block, and code that compiles
/// in a moment.
ir::Device TestDevice(std::uint32_t max_threads);

/// The same of a GPU that printed CUDA runs on, or is pretended to run on.
ir::Device CudaTestDevice(std::uint32_t max_threads);

/// A task whose space a test changed: `change` sets what a Target may be asked for.
Task ChangedTask(const std::string& kernel, const Parameters& sizes, const ir::Device& device,
                 const std::function<void(ir::Target&)>& change);

/// `sizes` overrides the kernel's defaults. Descents back out of dead ends; the order of choices is
/// drawn anew for each, so that the sample is broad.
/// `paper`: without the decisions that the paper's space does not have. `decisions`: what all of
/// them have, one a line.
Sample Draw(const Kernel& kernel, const Parameters& sizes, const ir::Device& device, int count,
            std::uint64_t seed, Coverage& coverage, bool paper = false,
            const std::string& decisions = "");
/// The same of a kernel in the registry.
Sample Draw(const std::string& kernel, const Parameters& sizes, const ir::Device& device, int count,
            std::uint64_t seed, Coverage& coverage, bool paper = false,
            const std::string& decisions = "");

}  // namespace exh::kernels::testing
