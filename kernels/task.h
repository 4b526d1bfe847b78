// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/kernel_space.h"
#include "kernels/library/kernel.h"
#include "runtime/candidate.h"

namespace exh::kernels {

/// A kernel at given sizes on a device: all that search needs, behind types of the engine.
struct Task {
  const Kernel* kernel = nullptr;
  const KernelSpace* space = nullptr;
  Parameters sizes;
  std::shared_ptr<const ir::Target> function;         ///< Frozen backbone; outlives `instance`.
  std::shared_ptr<const runtime::Host> host;          ///< Object numbers <-> backbone ids.
  std::shared_ptr<const runtime::Instance> instance;  ///< With the propagated root.
  spaces::linalg::Decisions decisions;                ///< Where they are in the instance.
  bool root_failed = false;        ///< The space has no implementation at all; `notes` says why.
  std::vector<std::string> notes;  ///< "axis m = 97 has no divisor in 2..32: it is not tiled" …
  double flops = 0;
};

/// `paper`: only the decisions of the paper. The space is the one that the kernel was registered
/// with (library/registry.h), linalg.exh for one that was not. Throws exh::Error when the sizes
/// cannot be built, exh::Interrupted when `freeze` says so.
Task MakeTask(const Kernel& kernel, const Parameters& sizes, const ir::Device& device,
              bool paper = false, const runtime::FreezeOptions& freeze = {});

/// Throws exh::Error where programs run on the device and there is no memory for the arrays of a
/// task and their reference (ProblemBytes()). Who only looks at a space, or prints its programs,
/// needs none.
void RequireRoom(const Task& task);
/// The same before the space is built.
void RequireRoom(const Kernel& kernel, const Parameters& sizes, const ir::Device& device);

/// The decisions of an implementation, as code generation reads them.
codegen::Schedule ExtractSchedule(const Task& task, const runtime::Candidate& candidate);

/// The loops of an implementation as indented text, one loop or instruction a line. Throws Refused
/// where it has no code.
std::string Outline(const Task& task, const runtime::Candidate& candidate);

}  // namespace exh::kernels
