// SPDX-License-Identifier: MIT
//
// Logs in words: what `search log show`, `diff` and `repair` print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/log/log_reader.h"

namespace exh::search {

/// "order(a,b)" of a decision of the log; "#17" when its dictionary line was damaged.
std::string DecisionName(const Log& log, int decision);
/// "BEFORE"; "#2" when the dictionary lacks it.
std::string ValueName(const Log& log, const PathStep& step);

/// "a=1,op=max": the sizes of the run, as --size takes them.
std::string SizesText(const RunRecord& run);
/// "leaves=4": its settings.
std::string SettingsText(const RunRecord& run);
/// What was searched, in a few words: "matmul m=512", "fused leaves=4".
std::string NameText(const RunRecord& run);

/// The machine of a run, a fact a line: "compiler g++ (Debian 12.2.0-14) 12.2.0".
std::string MachineText(const Machine& machine);
/// Facts in which two machines differ, `what: a -> b` a line; "not known" where a log says nothing.
std::string MachineDifferences(const Machine& a, const Machine& b);

/// "ATOMIC_RED, bits may vary from run to run": what kernels::Source says of divided reductions.
std::string AcrossText(const std::string& across, bool bits_vary);
/// The same as a line, "blocks divide reductions: …"; empty where they divide none.
std::string DivisionText(const std::string& across, bool bits_vary);

/// The decisions of a path by choice, several on a line:
///   size      mad.m1=4  mad.n1=8
///   dim_kind  mad.m1=LOOP  …
std::string DecisionsInWords(const Log& log, const Path& path, const std::string& indent);

/// The run: what was searched, what came of it, and the best evaluations.
std::string RunText(const Log& log, std::size_t most_lines);

/// What a repair did, one lost line a line.
std::string RepairText(const RepairRecord& repair);

/// One evaluation. `full`: the whole decision vector instead of the decisions taken, one a line.
std::string EvalText(const Log& log, const EvalRecord& eval, bool full);

/// Decisions whose values differ, `name: a -> b` a line; `-` where a decision takes no part. Only
/// those that were taken for one of both, and how many follow from them; `full`: all of them.
std::string DiffText(const Log& a, const EvalRecord& eval_a, const Log& b, const EvalRecord& eval_b,
                     bool full);

/// `RUN`, `RUN@N` (record N) or `RUN@best`; the best when nothing is said.
struct RecordName {
  std::string run;
  std::optional<std::uint64_t> n;
};
RecordName ParseRecordName(const std::string& text);

/// The record of that number, or the best. Throws UsageError when the log has none.
const EvalRecord& PickRecord(const Log& log, const std::string& run,
                             std::optional<std::uint64_t> n);

}  // namespace exh::search
