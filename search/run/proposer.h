// SPDX-License-Identifier: MIT
//
// Proposer: phase 1 of the explorer, what to evaluate next. Without a tree that is a random descent
// from the root. With one it is a rollout from where the tree selects, or something near the
// fastest implementations so far.
//
// To find an implementation takes far less than to compile and run one. So many are found for each
// that is compiled, and a cost model that learns from every result chooses. From a rollout of the
// tree, from the fastest, and from those of lines that began elsewhere (lines.h) it is walked on,
// each step to a neighbour that the model thinks more of, and what promises most of all that was
// seen on the way is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/descend/patient_descent.h"
#include "search/learn/cost_model.h"
#include "search/measure/evaluator.h"
#include "search/near/lines.h"
#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "search/tree/tree_search.h"

namespace exh::search {

/// An implementation on its way through the phases.
struct Entry {
  runtime::Candidate candidate;
  Path path = {};  ///< In the order of the tree.
  kernels::Source source = {};
  std::string vector = {}, code = {};
  std::uint64_t code_hash = 0;
  std::optional<Selection> selection = {};  ///< With a tree.
  double bound = 0;
  std::shared_ptr<Line> line = {};  ///< That it was found for.
  kernels::Compiled compiled = {};
  bool ready = false;     ///< Phase 2 came to it before the run was stopped.
  bool is_trial = false;  ///< Only its trial is compiled.
};

/// What came of looking for one.
struct Attempt {
  DescentResult result = DescentResult::kGaveUp;
  bool is_idle = false;  ///< There was nothing to select.
  std::optional<Selection> selection;
  int pruned = 0;
  std::vector<DeadEnd> dead_ends;
  std::optional<Entry> entry;
};

struct ProposerOptions {
  /// The share of descents that start near one of the fastest implementations, 0 to 1
  /// (local_search.h). Only with a tree.
  double local_share = 0;
  /// Steps of a walk, each a descent of which the cost model sees what it found, before one
  /// implementation is compiled; 1: no walk and no model. Only with a tree.
  int screen = 1;
  BoundFunction bound = {};      ///< Only a search with a tree looks at it.
  BoundFunction check = {};      ///< Instead: cuts nothing, stands beside what is measured.
  AmountsFunction amounts = {};  ///< What the cost model learns from, beside the decisions.
  int weighted_depth = 8;        ///< Decisions of a rollout that are drawn by bounds.
};

class Proposer {
 public:
  /// All references outlive the proposer; `tree` may be null.
  Proposer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
           TreeSearch* tree, const ProposerOptions& options, std::uint64_t seed);

  /// A descent, or several. From any thread when each has its own source of chance.
  Attempt Make(Random& random) const;
  /// An implementation that the run begins with. Only with a tree; nothing when that has seen it.
  std::optional<Attempt> MakeFirst(const runtime::Candidate& implementation) const;

  /// What an evaluation said; `ns` 0: the implementation did not work, or not in time. One thread
  /// alone may teach.
  void Learn(const Entry& entry, double ns);
  /// The evaluations of a log in their order, so that what is known is the same as in a run that
  /// was not stopped.
  void Learn(const Log& log);

 private:
  /// What a walk led to.
  struct Prospect {
    Entry entry;       ///< Without its path.
    double score = 0;  ///< The less the better.
  };

  void MakeAtRandom(Random& random, Attempt& attempt) const;
  void MakeFromTree(Attempt& attempt) const;
  /// True: there is an implementation near one of the fastest whose program is new, and `attempt`
  /// has it; otherwise it has the dead ends more. What is pruned beside the tree is no pruning of
  /// the tree, and not counted.
  bool MakeNear(Random& random, Attempt& attempt) const;
  /// Neighbours of the fastest implementations, as they come. True as above.
  bool LookAround(Random& random, Attempt& attempt) const;
  /// A walk from one of the fastest implementations, or on a line.
  std::optional<Prospect> WalkNear(Random& random, Attempt& attempt) const;
  /// Where a walk begins; false: it stands nowhere.
  bool BeginNearFastest(Walker& walker, Random& random, Attempt& attempt) const;
  bool BeginOn(const Line& line, Walker& walker, Random& random, Attempt& attempt) const;
  bool BeginNear(const LocalSearch& local, std::uint64_t structure, Walker& walker, Random& random,
                 Attempt& attempt) const;
  bool BeginAnywhere(std::uint64_t structure, Walker& walker, Random& random,
                     Attempt& attempt) const;
  /// From where `walker` stands to neighbours and neighbours of those that the model thinks more
  /// and more of. Of all that it looked at, what promises most and nobody has compiled; nothing
  /// when all of it is known. `structure`: of all of them, unless they may have any.
  std::optional<Prospect> Walk(Walker& walker, double cut, std::optional<std::uint64_t> structure,
                               Random& random, const Descender::OnDeadEnd& note) const;
  /// Makes it what `attempt` has, unless its program is known or the tree is through with it.
  bool Take(Entry entry, Attempt& attempt, ChosenBy chosen_by = ChosenBy::kLocal) const;

  /// Of what a descent from the end of `start` found, in the order of the tree.
  Path PathOf(const PatientDescent& descent, const Path& start) const;
  double BoundOf(const runtime::Candidate& candidate) const;
  /// How little the model thinks of it: the logarithm of its time, less what it does not know of it
  /// times `hope`.
  double Score(const runtime::Candidate& candidate, double hope) const;
  /// What the device says of it; until the thread asks again.
  std::span<const double> AmountsOf(const runtime::Candidate& candidate) const;
  /// `ns` 0: it has no time; `line` may be null.
  void Learn(const runtime::Candidate& candidate, const std::string& vector, const Path& path,
             double ns, const std::shared_ptr<Line>& line);
  /// With its source, and without its paths.
  Entry EntryOf(const runtime::Candidate& implementation) const;

  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  Evaluator& evaluator_;
  TreeSearch* tree_;
  ProposerOptions options_;
  /// The tree decides first what bounds can say something of. What keeps most of an implementation
  /// decides last what is easily mended: each searches far better in its own order.
  ChoiceOrder near_order_;
  LocalSearch local_;
  mutable Lines lines_;  ///< Begin when they are wanted.
  CostModel model_;
};

}  // namespace exh::search
