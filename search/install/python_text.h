// SPDX-License-Identifier: MIT
//
// tuned.py, but for what it knows of the kernels.
#pragma once

namespace exh::search {

/// With $DEVICE$, $STREAM$ and $KERNELS$, which is JSON.
extern const char* const kPythonText;

}  // namespace exh::search
