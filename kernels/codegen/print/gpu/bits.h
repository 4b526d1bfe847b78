// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/ir/types.h"

namespace exh::kernels::codegen {

/// Between a value and its bits in CUDA C++ and HIP, which atomic operations and statuses take.
struct BitsOf {
  const char *word, *to, *from;
};

/// Of a type that is computed in.
inline BitsOf BitsOfType(ir::Type type) {
  switch (type) {
    case ir::Type::kF32:
      return {"unsigned", "__float_as_uint", "__uint_as_float"};
    case ir::Type::kF64:
      return {"unsigned long long", "__double_as_longlong", "__longlong_as_double"};
    case ir::Type::kI64:
      return {"unsigned long long", "static_cast<unsigned long long>", "static_cast<long long>"};
    case ir::Type::kU32:
      return {"unsigned", "static_cast<unsigned>", "static_cast<unsigned>"};
    default:
      return {"unsigned", "static_cast<unsigned>", "static_cast<int>"};
  }
}

}  // namespace exh::kernels::codegen
