// SPDX-License-Identifier: MIT
//
// Local search beside the tree: a large neighbourhood search around an elite set.
//
// The tree takes decisions in one order. To change an early one it has to go back to where that was
// taken, and loses everything below. Local search can change any decision of a good implementation:
//
//   1. Draw a structure (structure.h), then one of its elites, the fastest implementations of that
//      structure so far.
//   2. Choose the neighbourhood: some decisions of the elite that are open again.
//   3. Descend from the root. Decisions that are not open take the elite's value while propagation
//      leaves it, open ones take another (NearGuide). What propagation rules out is repaired by
//      drawing at random.
//
// Each structure has an elite set of its own. A step to another structure changes much at once, so
// its first implementations are slow; in one common set they would be gone before they improve.
// Evaluations are shared out among the structures (DrawStructure), so that none starves.
//
// The implementation that is found enters the tree at its place like every other one
// (Tree::SelectTo), and is pruned by the same bound: nothing is lost or counted twice. Paths in
// this file list decisions in the order of these descents (ChoiceOrder::ForRepair()), not of the
// tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/log/log_records.h"
#include "search/near/structure.h"
#include "search/near/trade.h"

namespace exh::search {

/// An implementation, and which of its decisions are open again.
struct Neighbourhood {
  runtime::Candidate elite;
  /// A second elite: open decisions take its values where they can, so that the merits of both come
  /// together (path relinking). Without it open decisions are drawn at random.
  std::optional<runtime::Candidate> mate;
  std::vector<runtime::DecisionId> open;  ///< Ascending; at least one, or `first` has some.
  /// Steps that are taken together before all others and change decisions of the elite; the rest of
  /// the elite is kept as far as it agrees with them. Some changes are out of reach otherwise:
  /// where many decisions must follow one, as those of all nests that share an axis do, opening a
  /// few does not help.
  std::vector<PathStep> first = {};
  Path path = {};  ///< Steps that lead to the elite, in the order of these descents.
};

/// Takes steps at once. False: that is a dead end.
bool RestrictTo(std::span<const PathStep> steps, runtime::Candidate& candidate);

struct LocalSearchOptions {
  /// Size of an elite set.
  std::size_t elites = 16;
  /// So many of an elite set at most are of one family, which means that the first half of their
  /// paths is the same: variants of one implementation would soon fill the set.
  std::size_t related = 4;
  /// A structure makes progress when its fastest gets faster by this share.
  double progress = 0.01;
  /// After so many evaluations without progress the due of a structure (DrawStructure) is half of
  /// what it was, after twice as many a third, and so on.
  double patience = 100;
  /// DrawStructure() looks back over about so many evaluations: one that is so many evaluations old
  /// counts 1/e of a new one.
  double window = 200;
  /// A structure that already had its due still keeps this share of it as its weight.
  double always = 0.1;
};

/// The elite sets, one for each structure. Any thread may call everything.
class LocalSearch {
 public:
  /// For implementations below `root`.
  explicit LocalSearch(const runtime::Candidate& root, const LocalSearchOptions& options = {})
      : structure_(root), trades_(root.instance()), options_(options) {}

  /// The number of an implementation's structure.
  std::uint64_t StructureOf(const runtime::Candidate& implementation) const {
    return structure_.Of(implementation);
  }

  /// Might the elite set of the structure take an implementation with this time?
  bool MayTake(std::uint64_t structure, double ns) const;
  /// The same with its path, which says of which family it is.
  bool Takes(std::uint64_t structure, const Path& path, double ns) const;
  /// An implementation of this structure was evaluated, whatever came of it.
  void Count(std::uint64_t structure);
  /// Offers an implementation to the elite set of its structure: it is correct and takes `ns`.
  void Add(const runtime::Candidate& candidate, const Path& path, double ns);

  /// Is there any elite?
  bool is_ready() const;
  /// The structure that the next evaluation is for, drawn by weights. Each structure has a due, its
  /// fair share of the evaluations: 1 / rank by its fastest elite, less the longer it made no
  /// progress, scaled so that all dues add up to 1. Its weight is the due minus the share of the
  /// latest evaluations that it had, and LocalSearchOptions::always of its due at least. So slow
  /// structures are worked on as well: the one that is fastest early need not be in the end.
  /// Nothing before is_ready().
  std::optional<std::uint64_t> DrawStructure(Random& random) const;
  /// An elite of the structure, fast ones more often, with a neighbourhood (Around) and, one time
  /// in three, a mate. Nothing when the structure has no elite.
  std::optional<Neighbourhood> Draw(std::uint64_t structure, Random& random) const;
  /// One of the fastest of its structure.
  struct Fast {
    runtime::Candidate candidate;
    Path path;
    double ns = 0;
  };
  /// The `count` fastest elites of each structure, the fastest of all first.
  std::vector<Fast> Fastest(std::size_t count) const;
  /// Another number whenever an elite set changed.
  std::uint64_t version() const;
  /// A neighbourhood of any implementation with this path, without a mate. One of five kinds,
  /// drawn: a few decisions are open; or about half of those of one choice; or about half of those
  /// that share an object with one; or one decision changes first and the others follow; or, where
  /// there are products of decisions, a trade (trade.h) does.
  static Neighbourhood Around(const runtime::Candidate& candidate, const Path& path,
                              const Trades& trades, Random& random);

 private:
  struct Elite {
    runtime::Candidate candidate;
    Path path;
    double ns = 0;
    std::uint64_t family = 0;  ///< Hash of the first half of the path.
  };
  /// The elite set of a structure, and what it had of the search.
  struct Elites {
    std::uint64_t structure = 0;
    std::vector<Elite> members;  ///< Fastest first.
    double fastest = 0;          ///< Time of the elite that was the last progress.
    double stale = 0;            ///< Evaluations of the structure since that progress.
    double recent = 0;           ///< Its evaluations, those long ago counting less (`window`).
  };

  /// Null: the structure is new. With the lock held, as is what follows.
  const std::vector<Elite>* ElitesOf(std::uint64_t structure) const;
  /// The member that would have to go for a new one. The end: there is room. Nothing: the new one
  /// is too slow.
  std::optional<std::vector<Elite>::const_iterator> RoomFor(const std::vector<Elite>& elites,
                                                            std::uint64_t family, double ns) const;

  Structure structure_;
  Trades trades_;
  LocalSearchOptions options_;
  mutable std::mutex mutex_;
  std::vector<Elites> structures_;  ///< By time of their fastest member.
  std::uint64_t version_ = 0;       ///< Elites that were taken so far.
};

/// A descent in a neighbourhood. A decision that is not open takes the elite's value if propagation
/// left it. An open one takes the mate's value if there is one, and a random one otherwise; the
/// first random one differs from the elite's, so that something changes. Children whose bound
/// reaches the cut are pruned.
class NearGuide final : public Guide {
 public:
  /// All references outlive the guide; `bound` may be empty. Of the children one in `every` is
  /// bounded: a bound takes as long as a propagation, and near the fastest few are cut.
  NearGuide(const Neighbourhood& neighbourhood, const BoundFunction& bound, double cut,
            int every = 1)
      : neighbourhood_(neighbourhood), bound_(bound), cut_(cut), every_(every) {}

  /// What walks and their like give as `every`; they look at the bound of what they find.
  static constexpr int kSeldom = 8;

  int Draw(const runtime::Candidate& state, runtime::DecisionId decision, int depth,
           Random& random) override;
  bool Prunes(const runtime::Candidate& child) override;

 private:
  const Neighbourhood& neighbourhood_;
  const BoundFunction& bound_;
  double cut_;
  int every_, until_next_ = 0;
  bool has_changed_ = false;
};

}  // namespace exh::search
