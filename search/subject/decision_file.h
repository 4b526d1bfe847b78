// SPDX-License-Identifier: MIT
//
// Lists of decisions that a person writes (or `search` after a run), to be replayed:
//
//   # A comment.
//   kernel: matmul
//   size: m=512,n=512,k=512
//   device: cpu
//   space: paper
//   subject: fused (of what is no kernel: RunRecord::subject)
//   settings: leaves=4 (the same: RunRecord::settings)
//   text: "kernel …\n…end\n"   (of a kernel that is not in the library; a string of JSON)
//   dim_kind(mad.m1)=LOOP
//   size(mad.n2)=4|8
//
// Header lines may be left out; the order of the others does not matter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "kernels/recipes/recipe.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"
#include "search/log/log_records.h"
#include "search/subject/problem.h"

namespace exh::search {

struct DecisionFile {
  struct Line {
    int number = 0;
    std::string text;
  };
  std::string path;
  std::optional<std::string> subject, kernel, sizes, device, space, settings;
  std::optional<std::string> text;  ///< Of a kernel that the library lacks.
  std::vector<Line> decisions;
};

/// Reads the header and splits the rest. Throws UsageError ("mm.txt:3: unknown header 'kernle' …").
DecisionFile ParseDecisionFile(std::string_view text, const std::string& path);
DecisionFile ReadDecisionFile(const std::string& path);

/// The decisions as wishes, in their order: what they say of another space is taken as far as it is
/// possible (descend/first.h). Throws UsageError for a line that is no decision.
kernels::Recipe WishesOf(const DecisionFile& file);

/// Fills in what the command line left out from the header; the device is cpu when neither names
/// it.
void MergeHeader(const DecisionFile& file, ProblemOptions& options);

/// The text of such a file.
std::string WriteDecisionFile(const RunRecord& run, const runtime::Instance& instance,
                              const Path& path, const std::string& comment);

/// Applies all decisions of the file. Throws UsageError with one line per mistake: names that do
/// not exist, with the nearest legal one, and the first decision that the space does not have, with
/// those of `notes` (Subject::notes()) that name its value in brackets, or that contradicts those
/// above it. Returns the lines that took no effect because their objects take no part.
std::vector<DecisionFile::Line> ApplyDecisions(const DecisionFile& file,
                                               runtime::Candidate& candidate,
                                               const std::vector<std::string>& notes = {});

/// Decides what is still open by a random descent; returns how many decisions that took. Throws
/// UsageError when there is no way down.
Path CompleteByDescent(const ChoiceOrder& order, Random& random, runtime::Candidate& candidate);

}  // namespace exh::search
