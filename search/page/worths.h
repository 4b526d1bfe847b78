// SPDX-License-Identifier: MIT
//
// What decisions are worth, for a page: of what `search why` wrote beside the log.
#pragma once

#include <string>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The member "why": null where `search why` was not called, or its file is of another record than
/// the log has, or is damaged. Otherwise the record, the noise, the most valuable decisions
/// ([name, value, worth, [[other value, ratio or null, verdict, follows] …]] each) and the steps of
/// changing them one after the other ([name, value, ratio]). `name`: how the run is called.
void WriteWorths(const std::string& name, const Log& log, ScriptJson& json);

}  // namespace exh::search
