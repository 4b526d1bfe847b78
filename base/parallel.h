// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace exh {

/// Cores that this process may use, at least 1: fewer than the machine has where a shell, a batch
/// system or a container keeps it to some of them.
int NumCores();

/// Calls `work(0)` to `work(count - 1)`, `jobs` at once, in this order of starting. A `work` that
/// returns false keeps the rest from being started. The first exception is thrown again when all
/// that were started have ended.
void RunInParallel(std::size_t count, int jobs, const std::function<bool(std::size_t)>& work);

}  // namespace exh
