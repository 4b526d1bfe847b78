// SPDX-License-Identifier: MIT
//
// Repairs damaged logs. A line in which one bit changed is what it was: its checksum says which bit
// that is. Lines that stand twice or in another order are put right. What else is damaged is lost,
// and with it what makes no sense without it:
//
//   an evaluation   a best or a violation of it; its selection has no result (docs/log.md)
//   a selection     its result; its evaluation stays, but the tree does not know of it
//   a choice        nothing: a run that goes on writes it again
//   the header      all: nothing says what the run is of
//
// The events of the tree are numbered anew then, so that a tree can be made of them again. It is
// one that a run may have had, but not the one that this run had.
#pragma once

#include <string>
#include <string_view>

#include "search/log/log_records.h"

namespace exh::search {

struct LogRepair {
  bool needed = false;  ///< Nothing else is set when the log is whole.
  std::string text;     ///< The whole log, with the record of its repair as the last line.
  RepairRecord record;
};

/// `record` says who repairs it and when, and where the damaged one is kept. Throws UsageError when
/// the header is lost.
LogRepair RepairLog(std::string_view damaged, RepairRecord record);

/// Repairs the log of a run in its place; the damaged file stays beside it under another name.
/// Nothing changes when the log is whole. Throws UsageError when it is in use or lacks its header,
/// Error when it cannot be written.
LogRepair RepairRun(const std::string& run, const std::string& tool);

}  // namespace exh::search
