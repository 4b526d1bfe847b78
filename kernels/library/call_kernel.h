// SPDX-License-Identifier: MIT
//
// Calls into a kernel, which may be a stranger's: whatever goes wrong in it is said with its name.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/ir/function.h"
#include "kernels/library/kernel.h"

namespace exh::kernels {

/// While one lives, its thread runs code of a kernel. Should that code end the process (a signal
/// like SIGSEGV, abort() or exit()), the last words on stderr name the kernel and what it was asked
/// for, and the exit code is 1. Handlers of signals that somebody else has set are left alone.
class KernelCall {
 public:
  /// Both texts outlive the call. `part` is the function of the kernel: "Build".
  KernelCall(std::string_view kernel, std::string_view part);
  ~KernelCall();
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

 private:
  std::string_view kernel_, part_;
  const KernelCall* outer_;
  friend void SayWhoseFault(const char* what);
};

/// What goes wrong in a kernel: the text begins with "kernel 'axpy': ".
class KernelError : public Error {
 public:
  KernelError(const Kernel& kernel, std::string_view what);
};

/// Returns what `call` does. Its exceptions become KernelErrors, which pass as they are: "kernel
/// 'axpy': Reference: there is no array 'w'; …". In Build, the text names a value or an array and
/// `part` is left out. Memory that runs out is no fault of the kernel.
template <typename Call>
auto CallKernel(const Kernel& kernel, std::string_view part, Call&& call) {
  const KernelCall running(kernel.name(), part);
  const std::string where = part == "Build" ? "" : std::string(part) + ": ";
  try {
    return call();
  } catch (const KernelError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw KernelError(kernel, where + error.what());
  } catch (...) {
    throw KernelError(kernel, std::string(part) + " throws something that is no std::exception");
  }
}

/// A function of the kernel that takes the sizes: CallKernel(kernel, "Flops", &Kernel::Flops,
/// sizes).
template <typename Result>
Result CallKernel(const Kernel& kernel, std::string_view part,
                  Result (Kernel::*function)(const Parameters&) const, const Parameters& sizes) {
  return CallKernel(kernel, part, [&] { return (kernel.*function)(sizes); });
}

struct BuiltBackbone {
  bool knows_sizes = false;        ///< Builder::knows_sizes().
  std::vector<std::string> notes;  ///< Builder::notes().
};

/// Writes the kernel's backbone to `function`, which becomes nothing else. Where something must not
/// see what lies beyond an axis, no axis is covered (Builder::CoverNothing()).
///
/// `device`: what is to run it (Builder::RunOn()), where that matters. Where it has matrix units,
/// and a convolution, or what is summed over several axes alike, has no axis for the columns of a
/// unit but one that is a little too short for whole ones, that axis is covered
/// (ir::AxesToCover()). Where it has few vector registers, so are rows of products that are no
/// multiple of 6 (ir::RowsToCover()).
BuiltBackbone BuildBackbone(const Kernel& kernel, const Parameters& sizes, bool paper,
                            ir::Function& function, const ir::Device* device = nullptr);

/// Whether Kernel::Reference did what it says: every output of the backbone has a reference and a
/// tolerance of its length, inputs keep their length and no array is added. `finite`: all inputs
/// are, so references must be, too, and tolerances finite and not negative. `cuts_floats`: floats
/// become integers, of which nothing may be known (an infinite tolerance). Throws KernelError.
void CheckReference(const Kernel& kernel, const ir::Function& function, bool finite,
                    bool cuts_floats, const ProblemData& data);

}  // namespace exh::kernels
