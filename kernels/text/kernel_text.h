// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/derived/expression.h"
#include "kernels/text/shapes.h"

namespace exh::kernels::text {

/// What a text says beside the computation.
struct Title {
  std::string name;
  std::string doc;  ///< A line on the kernel.
  int part = 0;     ///< Which of PartsOf(), from 1 on; 0: all of them.
};

/// What an expression computes as the text of a kernel (docs/kernels.md), at its sizes: it has no
/// sizes of its own, but those that say how far an index runs. Arrays and values have the names
/// that they have, as far as those are names of the notation; an output has a dimension for each
/// axis of its store. `shapes`: of inputs and outputs; an input that is not named, or is read
/// across its rows, has one dimension. Where there are several parts the doc says so.
///
/// Of this: `expression` may load what it has stored (SplitAxes(), InlineArrays() and JoinAxes()
/// are called). Throws Refused with the reason for what the notation has no words for: elements
/// whose place is read or divided, outputs that are written in parts, NaN; for a scan, whose terms
/// have another index than its value; and for a part that
/// there is not.
std::string KernelText(derived::Expression expression, const Shapes& shapes, Title title);

}  // namespace exh::kernels::text
