// SPDX-License-Identifier: MIT
//
// The yardsticks that know more than we do: a backbone as what libraries can be asked for. Both are
// made of its linear form (linear_form.h).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/ir/function.h"
#include "kernels/vendor_call.h"

namespace exh::kernels::derived {

/// The routines of a GPU vendor's library that compute the same. Scalars have the values of the
/// function. Without steps if the library has none for it.
VendorCall Vendor(const ir::Function& function);

/// C++ that computes the same with Eigen, with the interface of an emitted candidate
/// (kernels/codegen/print/cpu_printer.h). Its first line is the only #include. Empty if it is
/// nothing but loops for Eigen, too.
std::string EigenSource(const ir::Function& function);
/// Bytes that it keeps beside the arrays: factors that are copied, products on the way.
std::uint64_t EigenWorkspace(const ir::Function& function);

}  // namespace exh::kernels::derived
