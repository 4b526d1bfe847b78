// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

#include "base/stop.h"
#include "runtime/instance.h"
#include "search/subject/allowance.h"

namespace exh::search {

/// Options of a freeze that says on `out` how far it is: from its third second on, or at once where
/// it is expected to take a second or more; in one line that is written again and again and erased
/// in the end where `out` is a terminal, elsewhere in a line now and then. A signal that was heard
/// (signals.h) ends the freeze, and so does `stop`, which may be null and outlives the freeze: it
/// throws Interrupted with EndedText().
runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out = stderr);

/// For tests: as above, terminal or not.
runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out, bool is_terminal);

/// The same, with as much memory as is allowed.
runtime::FreezeOptions FreezeWithin(const Allowance& allowance);

/// About how many seconds a whole freeze takes that is so far.
double WholeSeconds(const runtime::FreezeProgress& progress);

/// Why a freeze ended early: a signal, or a budget that was over; then also what would be enough.
std::string EndedText(const runtime::FreezeProgress& progress, bool by_signal);

}  // namespace exh::search
