// SPDX-License-Identifier: MIT
//
// The libraries of a processor that know more than we do, as yardsticks: the calls of a VendorCall
// as C++ that finds the library when it is run. Nothing of it is needed to build or to search.
#pragma once

#include <string>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/vendor_call.h"

namespace exh::kernels::derived {

enum class BlasLibrary {
  kOpenBlas,  ///< f32 and f64, by the functions of CBLAS.
  kOneDnn,    ///< f32: dnnl_sgemm.
};

/// C++ that makes the calls, with the interface of an emitted candidate
/// (kernels/codegen/print/cpu_printer.h) and two functions beside it, of yardsticks alone:
///
///   const char* exh_ready(const char** which)
///     Loads the library. Null, and `which` is what it calls itself ("OpenBLAS 0.3.21 for
///     Haswell"); or why it cannot be used, in one sentence.
///   void exh_before(void* const* arrays, const double* scalars, int threads)
///     What a run spoils and is not timed; only where the call has such steps.
///
/// Empty: the library has no routines for it.
///
/// `scalars`: what the kernel gives them, for factors that are scalars: a run has its own.
std::string BlasSource(const VendorCall& call, const std::vector<double>& scalars,
                       BlasLibrary library);
/// The same with the scalars of a backbone.
std::string BlasSource(const VendorCall& call, const ir::Function& function, BlasLibrary library);

}  // namespace exh::kernels::derived
