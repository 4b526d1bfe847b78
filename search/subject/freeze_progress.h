// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "base/stop.h"
#include "runtime/instance.h"

namespace exh::search {

/// Options of a freeze that says on `out`, from its third second on, how far it is: in one line
/// that is written again and again and erased in the end where `out` is a terminal, elsewhere in a
/// line now and then. A signal that was heard (signals.h) ends the freeze, and so does `stop`,
/// which may be null and outlives the freeze.
runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out = stderr);

/// For tests: as above, terminal or not.
runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out, bool is_terminal);

}  // namespace exh::search
