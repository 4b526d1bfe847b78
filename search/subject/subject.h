// SPDX-License-Identifier: MIT
//
// Subject: what is searched. A search needs a root candidate, and something that times
// implementations; all else may be absent. A kernel on a device is one subject
// (kernel/kernel_subject.h); a space of your own with an evaluator of your own is another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/devices/evaluator.h"
#include "kernels/first.h"
#include "models/bound.h"
#include "runtime/candidate.h"
#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/log/log_records.h"

namespace exh::search {

using kernels::Evaluator;
using kernels::EvaluatorOptions;

struct Comparison;

class Subject {
 public:
  virtual ~Subject() = default;

  /// What the folder of a run is called after.
  virtual std::string name() const = 0;
  /// The root candidate. Throws Error when the space has no implementation at all.
  virtual runtime::Candidate root() const = 0;
  /// The order of choices that is meant where a command line asks for none, as ChoiceOrder::Parse()
  /// takes it.
  virtual std::string usual_order() const { return ""; }
  /// The order that a command line asks for, in a space with this root. Throws UsageError.
  ChoiceOrder order(const std::string& text, const runtime::Candidate& root) const {
    return ChoiceOrder::Parse(text.empty() ? usual_order() : text, root.instance());
  }
  /// Adds to the header of a log what makes the same root again. The space and how it was searched
  /// stand there already.
  virtual void Describe(RunRecord& run) const = 0;
  /// An implementation in words, in lines; may be empty.
  virtual std::string Outline(const runtime::Candidate& implementation) const = 0;

  /// The source of an implementation. Throws Refused where it has none.
  virtual kernels::Source Emit(const runtime::Candidate& implementation) const = 0;
  /// What times implementations. The subject and the options' token outlive it. Throws Error when
  /// what it needs is not there, and UsageError when nothing can be timed at all.
  virtual std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions& options) const = 0;
  /// The end of a run in words: the winner beside the yardsticks.
  virtual std::string InWords(const Comparison& comparison) const = 0;

  /// A lower bound; an empty one where there is none. Throws UsageError when there should be one,
  /// and what it rests on is not known. `is_cold`: inputs are not in the cache.
  virtual SearchBound Bound(bool /*is_cold*/, WhichRates /*which*/) const { return {}; }
  /// The same bound, of which what reaches `enough` is not looked at any closer.
  virtual BoundFunction BoundUpTo(double /*enough*/) const {
    return Bound(/*is_cold=*/false, WhichRates::kOfThisMachine).bound;
  }
  /// The lower bound of a candidate with what led to it, with the rates of this machine. Throws
  /// UsageError where there is none.
  virtual models::Bound Explain(const runtime::Candidate& candidate, bool is_cold) const;
  /// The file with what earlier runs on such a device learned (learn/prior.h), whether it is there
  /// or not; empty: no file can be.
  virtual std::string prior_file() const { return ""; }
  /// What such devices are called together; prior_file() is of them.
  std::string device_class() const;
  /// Operations of one run, for rates; 0: that means nothing.
  virtual double flops() const { return 0; }
  /// Implementations that a search with a tree may begin with, the most promising first.
  virtual std::vector<kernels::Recipe> Recipes() const { return {}; }
  /// What a person should know of the space, a line each.
  virtual std::vector<std::string> notes() const { return {}; }

  /// The device that it runs on; null: none, or nobody knows it.
  virtual const kernels::ir::Device* device() const { return nullptr; }
  /// How much slower than the incumbent a candidate may be before it is stopped early.
  double slow_factor() const;
  /// Seconds of a time budget, at most, that are left for yardsticks and finals.
  double most_reserve_s() const;
  /// How the file with the source of an implementation ends: ".cc".
  virtual std::string source_suffix() const;
  /// What begins a line of that file which is a comment.
  virtual std::string comment_mark() const { return "//"; }
  /// Is the source of an implementation code of ours, so that a result that is wrong is a mistake
  /// of ours or of a compiler?
  virtual bool writes_code() const { return true; }
};

/// A bound that all implementations of a subject have in common, as a search takes it. `name`: the
/// same name is the same bound.
SearchBound CommonBound(const models::Bound& bound, std::string name, AmountsFunction amounts = {});

/// The bound that a logged run had; an empty one if it had none. Throws UsageError when the bound
/// of the subject is not the same any more.
SearchBound BoundOf(const Subject& subject, const RunRecord& run);

}  // namespace exh::search
