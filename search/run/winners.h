// SPDX-License-Identifier: MIT
//
// Winners: the incumbent of a run, and the finalists, which are measured against each other at the
// end. What was compiled for one of them stays there; when the last role of an implementation ends,
// its files go.
//
// The incumbent won a duel; finalists are the best by their first measurement. So the incumbent is
// among the finalists as a rule, but need not be the first of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/measure/evaluator.h"
#include "search/propose/entry.h"
#include "search/run/objective.h"

namespace exh::search {

/// An implementation that may come out of the run.
struct Winner {
  std::uint64_t n = 0;     ///< Its number in the log.
  double ns = 0;           ///< As in its BestRecord: it was measured.
  double compared_ns = 0;  ///< As in its BestRecord, too.
  runtime::Candidate candidate;
  Path path;
  std::string vector;
  kernels::Compiled compiled;  ///< Still there to be run again.
  bool is_restored = false;  ///< Of a run that goes on: only the source of `compiled` is there yet.
  double bound = 0;          ///< Of its evaluation.
  std::uint64_t workspace_bytes = 0;  ///< Likewise.
};

/// Of an evaluation of it that was correct.
Winner WinnerOf(const Entry& entry, const EvalRecord& record);

class Winners {
 public:
  /// `evaluator` outlives it. `finalists`: so many are kept; below 2 none is.
  Winners(Evaluator& evaluator, int finalists, Objective objective)
      : evaluator_(evaluator), most_(finalists), objective_(objective) {}

  bool has_incumbent() const { return incumbent_.has_value(); }
  /// Only when there is one.
  const Winner& incumbent() const { return *incumbent_; }
  /// As it was measured; 0: there is none.
  double incumbent_ns() const { return incumbent_ ? incumbent_->ns : 0; }
  /// What candidates are compared with: 0: there is none.
  double compared_ns() const { return incumbent_ ? incumbent_->compared_ns : 0; }
  std::uint64_t incumbent_number() const { return incumbent_ ? incumbent_->n : 0; }

  /// A new incumbent; the one before loses the role.
  void Promote(Winner winner);
  /// The incumbent took so long, as it was measured: with that candidates are compared from now on.
  void Correct(double ns) {
    incumbent_->ns = std::min(incumbent_->ns, ns);
    incumbent_->compared_ns = ns;
  }
  /// Is the incumbent ready to be measured? One that was restored is compiled first. Only when
  /// there is one, and nothing is being measured.
  bool CompileIncumbent();

  /// Takes it among the finalists if it is fast enough; the slowest may have to go. All of them
  /// take as much memory, where that counts: the finals compare times.
  void Offer(Winner finalist);
  /// Lets the files go of what has no role.
  void Release(const std::string& vector, const kernels::Compiled& compiled);

  /// One of them is being measured beside others: until LetGo() its files stay, whatever it loses.
  void Hold(const std::string& vector) { held_.insert(vector); }
  void LetGo(const std::string& vector, const kernels::Compiled& compiled);

  /// What a log says of both, nothing compiled yet. `root`: that of the run.
  void Restore(const Log& log, const runtime::Candidate& root);
  /// Of an evaluation of a log.
  Winner Restored(const Log& log, const EvalRecord& eval, double ns,
                  const runtime::Candidate& root);
  /// Restored ones are compiled when the search is over, `jobs` at once: most will have been beaten
  /// until then. The incumbent is in any case; finalists are as long as `has_time` says so, and
  /// those that are not are none any more. `has_time` is called by several threads.
  void CompileRestored(int jobs, const std::function<bool()>& has_time);

  /// When the run is over.
  std::optional<Winner> TakeIncumbent() { return std::move(incumbent_); }
  /// Best first.
  std::vector<Winner> TakeFinalists() { return std::move(finalists_); }

 private:
  void DropLastFinalist();

  Evaluator& evaluator_;
  int most_;
  Objective objective_;
  std::optional<Winner> incumbent_;
  std::vector<Winner> finalists_;
  std::multiset<std::string> held_;
};

}  // namespace exh::search
