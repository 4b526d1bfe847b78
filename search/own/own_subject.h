// SPDX-License-Identifier: MIT
//
// A program of a user with parameters, as what is searched: a space without C++ (load/load.h), and
// commands that say how long an implementation takes (own_text.h). `search --space my.exh --run
// './bench.sh {block_x}'`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/objective/grounded_term.h"
#include "search/own/decided_values.h"
#include "search/own/filter.h"
#include "search/own/own_evaluator.h"
#include "search/own/own_kernel.h"
#include "search/own/own_text.h"
#include "search/subject/allowance.h"
#include "search/subject/subject.h"

namespace exh::search {

class OwnSubject final : public Subject {
 public:
  /// `sizes`: what --size says. Throws UsageError with the mistakes of the space and of the
  /// commands, and Interrupted.
  OwnSubject(OwnText own, DecidedValues::Sizes sizes, const Allowance& allowance = {});
  /// The same again as the header of a run has it. Throws as well when that is no such run.
  static std::unique_ptr<Subject> Of(const RunRecord& run, const Allowance& allowance = {});

  std::string name() const override;
  runtime::Candidate root() const override;
  void Describe(RunRecord& run) const override;
  std::string Outline(const runtime::Candidate& implementation) const override;
  kernels::Source Emit(const runtime::Candidate& implementation) const override;
  /// Throws UsageError where the run has no command that measures.
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions& options) const override;
  std::string InWords(const Comparison& comparison) const override;
  std::vector<std::string> notes() const override;

  /// What the space states as `lower_bound`; none where it states none.
  SearchBound Bound(bool is_cold, WhichRates which) const override;
  models::Bound Explain(const runtime::Candidate& candidate, bool is_cold) const override;
  /// The best by what the space minimizes or maximizes, where it does, as far as it is found soon.
  std::vector<kernels::Recipe> Recipes() const override;

  bool writes_code() const override { return false; }
  std::string source_suffix() const override { return ".env"; }
  std::string comment_mark() const override { return "#"; }

  const DecidedValues& values() const { return *values_; }

 private:
  const OwnText own_;
  const DecidedValues::Sizes sizes_;
  std::shared_ptr<const runtime::Instance> instance_;
  std::optional<runtime::GroundedTerm> lower_bound_;
  std::optional<DecidedValues> values_;
  std::unique_ptr<OwnFilter> filter_;  ///< Null: there is none.
  std::unique_ptr<OwnKernel> kernel_;  ///< Likewise.
};

/// The space at `path` with all that it includes, as a run keeps it. Throws UsageError with its
/// mistakes.
std::vector<OwnFile> OwnFilesOf(const std::string& path);

}  // namespace exh::search
