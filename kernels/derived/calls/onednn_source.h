// SPDX-License-Identifier: MIT
//
// A primitive as a call of oneDNN, for a processor: the yardstick of what is no product of
// matrices.
#pragma once

#include <string>

#include "kernels/derived/calls/primitive.h"
#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// C++ that calls the primitive, with the interface of BlasSource() (blas_source.h). Images and
/// results lie as the backbone says. Weights of a convolution become what oneDNN asks for in every
/// run, as part of it, as panels of our own are filled in every run.
///
/// It speaks the interface of versions 2: of another one `exh_ready` says so.
std::string OneDnnSource(const Primitive& primitive, const ir::Function& function);

/// The same of what a backbone is. Empty: it is no primitive.
std::string OneDnnSource(const ir::Function& function);

}  // namespace exh::kernels::derived
