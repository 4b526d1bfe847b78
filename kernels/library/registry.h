// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_space.h"
#include "kernels/library/kernel.h"

namespace exh::kernels {

/// Where a kernel comes from.
struct KernelOrigin {
  std::string file;                    ///< Of the plugin; empty for the kernels of this folder.
  const KernelSpace* space = nullptr;  ///< Null: linalg.exh. Lives as long as the program.
};

/// Every kernel there is, in the order of `search list`.
const std::vector<std::unique_ptr<Kernel>>& AllKernels();
/// Null when there is none of that name.
const Kernel* FindKernel(std::string_view name);

/// Adds a kernel behind the others; its name must be free. Not for several threads at once, and
/// before anything holds a reference to the list.
void AddKernel(std::unique_ptr<Kernel> kernel, KernelOrigin origin);
/// A kernel as text (text_kernel.h), which is not in the list. The same text gives the same kernel,
/// which lives as long as the program. Throws UsageError with what is wrong in the text.
const Kernel& KernelOfText(const std::string& path, const std::string& text);

/// Null for a kernel that is not registered.
const KernelOrigin* FindOrigin(const Kernel& kernel);
/// The space that a kernel is searched in: linalg.exh unless its origin has another.
const KernelSpace& SpaceOf(const Kernel& kernel);

}  // namespace exh::kernels
