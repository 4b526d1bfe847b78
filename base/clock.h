// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace exh {

/// Seconds on a clock that only goes forward; its zero is arbitrary. Tests pass their own.
using Clock = std::function<double()>;

/// The clock of the machine.
Clock SteadyClock();

}  // namespace exh
