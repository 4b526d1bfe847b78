// SPDX-License-Identifier: MIT
//
// The best of a run for a page: its loops and its code, made again from its decisions.
#pragma once

#include "search/log/log_reader.h"
#include "search/page/again/rebuilt.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The member "winner": null without a best. Its loops ("outline", indented text) and its code
/// ("source") need the kernel and the space of the run. Where this program has others, "trouble"
/// says why they are not there. "finalists" are the other ones of the finals, or else the next
/// fastest, with the decisions in which they differ.
void WriteWinner(const Log& log, const Rebuilt& rebuilt, ScriptJson& json);

}  // namespace exh::search
