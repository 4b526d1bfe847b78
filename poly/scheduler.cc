// SPDX-License-Identifier: MIT
//
// Algorithm 1 of the paper of influence.h: rows are found one by one, from the outside in, each as
// the lexicographic minimum of a system. When there is none, the steps of `Step` are tried in their
// order.
//
// As printed it does not end: once ranks are complete it appends rows of zeros for ever, and step 5
// is repeated where influence is what fails. Three things are different here.
//
//  * Scalar rows are no depth of the tree.
//  * When the ranks are complete and the tree is done, dependences that rows order are dropped, and
//  one
//    scalar row orders the rest.
//  * Step 5 is taken only if it removes a dependence. Otherwise the tree is left, and everything
//  begins anew.
//
// Where step 5 splits is open in the paper. Here statements stay together as long as a system of
// them has a solution: components are taken in the order of the program, and a new group begins
// where the next one cannot join.
//
// Invariants: no row reverses a dependence that was open when the row was found; a dependence that
// was dropped is ordered by the rows before. Both together make the schedule legal; isl proves it
// in the end. It ends: each dimension makes the sum of ranks larger or goes down the tree, each
// step moves right in the tree or drops a dependence or progression, and the tree is left once.
#include "poly/scheduler.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "poly/isl/legality.h"

namespace exh::poly {
namespace {

// Where a node of the tree stands.
struct Place {
  const std::vector<InfluenceNode>* siblings;
  std::size_t position;

  const InfluenceNode& node() const { return (*siblings)[position]; }
  bool HasNext() const { return position + 1 < siblings->size(); }
};

// For each statement the number of its strongly connected component, in an order in which sources
// come first; among those that could be next, the one with the first statement.
std::vector<int> Components(int num_statements, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<char>> reaches(num_statements, std::vector<char>(num_statements, 0));
  for (const auto& [source, target] : edges) reaches[source][target] = 1;
  for (int via = 0; via < num_statements; ++via) {
    for (int from = 0; from < num_statements; ++from) {
      if (!reaches[from][via]) continue;
      for (int to = 0; to < num_statements; ++to) reaches[from][to] |= reaches[via][to];
    }
  }
  std::vector<int> component(num_statements, -1);
  for (int next = 0;; ++next) {
    // The first statement that nothing outside of its component and not yet numbered reaches.
    const auto is_ready = [&](int statement) {
      for (int other = 0; other < num_statements; ++other) {
        if (component[other] < 0 && reaches[other][statement] && !reaches[statement][other])
          return false;
      }
      return component[statement] < 0;
    };
    int first = 0;
    while (first < num_statements && !is_ready(first)) ++first;
    if (first == num_statements) return component;
    component[first] = next;
    for (int other = 0; other < num_statements; ++other) {
      if (reaches[first][other] && reaches[other][first]) component[other] = next;
    }
  }
}

class Construction {
 public:
  Construction(const Scop& scop, const std::vector<Dependence>& dependences,
               const SchedulerOptions& options, const SystemBuilder& systems)
      : scop_(scop), dependences_(dependences), options_(options), systems_(systems) {}

  Scheduled Run(const InfluenceTree& tree) {
    if (!tree.nodes.empty()) {
      Begin();
      ways_ = {{&tree.nodes, 0}};
      result_.outcome = Scheduled::Outcome::kInfluenced;
      if (Construct()) return std::move(result_);
      AddEvent(SchedulerStep::kLeaveTree);
      result_.leaf.clear();
    }
    Begin();
    result_.outcome = Scheduled::Outcome::kUninfluenced;
    if (Construct()) return std::move(result_);
    AddEvent(SchedulerStep::kOriginalOrder);
    result_.outcome = Scheduled::Outcome::kOriginal;
    schedule() = OriginalSchedule(scop_);
    EXH_CHECK(WhyIllegal(scop_, dependences_, schedule()).empty());
    return std::move(result_);
  }

 private:
  // What a dimension began with.
  struct Backup {
    std::size_t num_rows;
    std::vector<int> open;
    int band;
  };

  Schedule& schedule() { return result_.schedule; }

  void Begin() {
    ways_.clear();
    backups_.clear();
    band_ = 0;
    schedule() = Schedule{};
    schedule().num_parameters = static_cast<int>(ParametersOf(scop_).size());
    schedule().statements.resize(scop_.statements.size());
    open_.resize(dependences_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) open_[i] = static_cast<int>(i);
  }

  const InfluenceNode* node() const { return ways_.empty() ? nullptr : &ways_.back().node(); }

  int depth() const { return static_cast<int>(backups_.size()) - 1; }

  void AddEvent(SchedulerStep step) {
    result_.events.push_back(
        {.step = step, .depth = depth(), .label = node() == nullptr ? "" : node()->label});
  }

  std::vector<int> Incomplete() {
    std::vector<int> incomplete;
    for (int s = 0; s < static_cast<int>(scop_.statements.size()); ++s) {
      if (!systems_.IsComplete(schedule(), s)) incomplete.push_back(s);
    }
    return incomplete;
  }

  // Those that have to make progress in the next dimension. A statement aside waits as long as
  // another one has more rows to come: it is then before all of the other's iterations.
  std::vector<int> Progressing() {
    std::vector<int> progressing = Incomplete();
    int most = 0;
    for (const int s : progressing) most = std::max(most, systems_.NumMissing(schedule(), s));
    std::erase_if(progressing, [&](int s) {
      return scop_.statements[s].is_aside && systems_.NumMissing(schedule(), s) < most;
    });
    return progressing;
  }

  bool Construct() {
    while (node() != nullptr || !Incomplete().empty()) {
      backups_.push_back({schedule().rows.size(), open_, band_});
      if (!FindDimension()) return false;
    }
    return Finish();
  }

  // Appends a row; or, in step 4, goes back to an earlier dimension and appends its row.
  bool FindDimension() {
    bool with_progression = true;
    while (true) {
      const LexResult solution =
          Solve({.dependences = open_,
                 .progressing = with_progression ? Progressing() : std::vector<int>{},
                 .influence = node()});
      if (solution.status == LexResult::Status::kFound) {
        Append(systems_.RowsOf(solution.values), /*is_scalar=*/false);
        Descend();
        return true;
      }
      if (open_.empty() && with_progression && node() != nullptr) {
        AddEvent(SchedulerStep::kDropProgression);
        with_progression = false;
      } else if (node() != nullptr && ways_.back().HasNext()) {
        AddEvent(SchedulerStep::kNextSibling);
        ++ways_.back().position;
        Restore();
        with_progression = true;
      } else if ((node() == nullptr || !node()->permutable) && DropSatisfied()) {
        AddEvent(SchedulerStep::kDropSatisfied);
      } else if (GoToAncestorSibling()) {
        with_progression = true;
      } else if (!Split()) {
        return false;
      }
    }
  }

  LexResult Solve(const SystemRequest& request) {
    LexResult solution = LexMin(systems_.Build(request, schedule()), options_.max_nodes);
    ++result_.num_systems;
    result_.num_infeasible += solution.status != LexResult::Status::kFound;
    result_.num_nodes += solution.num_nodes;
    return solution;
  }

  void Append(std::vector<IntRow> rows, bool is_scalar) {
    schedule().rows.push_back({.is_scalar = is_scalar, .band = band_});
    for (std::size_t s = 0; s < rows.size(); ++s)
      schedule().statements[s].push_back(std::move(rows[s]));
  }

  void Descend() {
    if (node() == nullptr) return;
    if (node()->children.empty()) {
      result_.leaf = node()->label;
      ways_.clear();
    } else {
      ways_.push_back({&node()->children, 0});
    }
  }

  // Back to what this dimension began with.
  void Restore() {
    const Backup& backup = backups_.back();
    open_ = backup.open;
    band_ = backup.band;
    schedule().rows.resize(backup.num_rows);
    for (IntMatrix& rows : schedule().statements) rows.resize(backup.num_rows);
  }

  // Drops what some row orders by itself; then, if that was nothing, what only several rows order.
  bool DropSatisfied() {
    const std::size_t before = open_.size();
    std::erase_if(open_,
                  [&](int dependence) { return IsStrong(dependence, 0, schedule().rows.size()); });
    if (open_.size() == before) {
      std::erase_if(open_, [&](int dependence) { return IsOrderedByRows(dependence); });
    }
    if (open_.size() == before) return false;
    ++band_;
    return true;
  }

  bool IsStrong(int dependence, std::size_t begin, std::size_t end) {
    const IntMatrix& source = schedule().statements[dependences_[dependence].source];
    const IntMatrix& target = schedule().statements[dependences_[dependence].target];
    for (std::size_t row = begin; row < end; ++row) {
      if (systems_.IsStrong(dependence, source[row], target[row])) return true;
    }
    return false;
  }

  bool IsOrderedByRows(int dependence) {
    const Dependence& pair = dependences_[dependence];
    const IntMatrix& source = schedule().statements[pair.source];
    const IntMatrix& target = schedule().statements[pair.target];
    // Where no row makes a difference, isl need not be asked.
    bool is_at_once = true;
    for (std::size_t row = 0; row < source.size() && is_at_once; ++row) {
      is_at_once = systems_.IsCoincident(dependence, source[row], target[row]);
    }
    return !is_at_once && IsOrdered(scop_, pair, source, target);
  }

  bool GoToAncestorSibling() {
    std::size_t depth = ways_.size();
    while (depth > 0 && !ways_[depth - 1].HasNext()) --depth;
    if (depth == 0) return false;
    AddEvent(SchedulerStep::kAncestorSibling);
    ways_.resize(depth);
    backups_.resize(depth);
    ++ways_.back().position;
    Restore();
    return true;
  }

  bool Split() {
    const int num_statements = static_cast<int>(scop_.statements.size());
    const std::vector<int> component = Components(num_statements, EdgesOf(open_));
    const int num_components = 1 + *std::max_element(component.begin(), component.end());
    if (num_components < 2) return false;
    const std::vector<int> incomplete = Progressing();
    std::vector<int> group(num_statements, -1);
    int num_groups = 1;
    for (int next = 0; next < num_components; ++next) {
      for (int s = 0; s < num_statements; ++s) {
        if (component[s] == next) group[s] = num_groups - 1;
      }
      if (next == 0) continue;
      const auto is_member = [&](int statement) { return group[statement] == num_groups - 1; };
      SystemRequest request{.influence = node()};
      std::copy_if(incomplete.begin(), incomplete.end(), std::back_inserter(request.progressing),
                   is_member);
      for (int dependence : open_) {
        if (is_member(dependences_[dependence].source) &&
            is_member(dependences_[dependence].target)) {
          request.dependences.push_back(dependence);
        }
      }
      if (Solve(request).status == LexResult::Status::kFound) continue;
      ++num_groups;
      for (int s = 0; s < num_statements; ++s) {
        if (component[s] == next) group[s] = num_groups - 1;
      }
    }
    std::vector<int> left;
    for (int dependence : open_) {
      if (group[dependences_[dependence].source] == group[dependences_[dependence].target])
        left.push_back(dependence);
    }
    if (left.size() == open_.size()) return false;
    AddEvent(SchedulerStep::kSplit);
    open_ = std::move(left);
    ++band_;
    Append(ScalarRows(group), /*is_scalar=*/true);
    ++band_;
    return true;
  }

  std::vector<std::pair<int, int>> EdgesOf(const std::vector<int>& which) const {
    std::vector<std::pair<int, int>> edges;
    for (int dependence : which)
      edges.emplace_back(dependences_[dependence].source, dependences_[dependence].target);
    return edges;
  }

  std::vector<IntRow> ScalarRows(const std::vector<int>& numbers) {
    std::vector<IntRow> rows;
    for (std::size_t s = 0; s < numbers.size(); ++s) {
      IntRow row(scop_.statements[s].iterators.size() + schedule().num_parameters + 1, 0);
      row.back() = numbers[s];
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Orders what the rows leave open. False if that cannot be done.
  bool Finish() {
    DropSatisfied();
    std::erase_if(open_, [&](int dependence) { return IsOrderedByRows(dependence); });
    if (!open_.empty() && !AddLastScalarRow()) return false;
    EXH_CHECK(WhyIllegal(scop_, dependences_, schedule()).empty());
    MarkParallelRows();
    return true;
  }

  // The scalar row goes last, or before rows in which only one of the groups that it orders has a
  // loop: these rows are then loops of that group, and the others stand before and after them.
  bool AddLastScalarRow() {
    const Schedule without = schedule();
    std::vector<std::size_t> ends;  // Behind the last row of each statement that is not 0.
    for (const IntMatrix& rows : without.statements) {
      std::size_t end = rows.size();
      while (end > 0 &&
             std::all_of(rows[end - 1].begin(), rows[end - 1].end(), [](auto x) { return x == 0; }))
        --end;
      ends.push_back(end);
    }
    std::vector<std::size_t> places = ends;
    places.push_back(without.rows.size());
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (std::size_t place : places) {
      const std::vector<int> levels = LevelsAt(place);
      if (place < without.rows.size() && !IsForOneLevel(levels, ends, place)) continue;
      const std::vector<IntRow> scalars = ScalarRows(levels);
      schedule() = without;
      schedule().rows.insert(schedule().rows.begin() + static_cast<std::ptrdiff_t>(place),
                             {.is_scalar = true, .band = 0});
      for (std::size_t s = 0; s < scalars.size(); ++s) {
        IntMatrix& rows = schedule().statements[s];
        rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(place), scalars[s]);
      }
      // Rows on both sides of it are of different bands.
      if (place > 0) schedule().rows[place].band = schedule().rows[place - 1].band + 1;
      for (std::size_t row = place + 1; row < schedule().rows.size(); ++row)
        schedule().rows[row].band += 2;
      if (WhyIllegal(scop_, dependences_, schedule()).empty()) return true;
    }
    schedule() = without;
    return false;
  }

  // The longest way to each statement over dependences that no row before `place` orders.
  std::vector<int> LevelsAt(std::size_t place) {
    std::vector<int> which;
    for (int dependence = 0; dependence < static_cast<int>(dependences_.size()); ++dependence) {
      // What the rows from here on order counts, too: the scalar row comes before them.
      const bool is_open = std::find(open_.begin(), open_.end(), dependence) != open_.end();
      if ((is_open || place < schedule().rows.size()) && !IsStrong(dependence, 0, place))
        which.push_back(dependence);
    }
    const std::vector<std::pair<int, int>> edges = EdgesOf(which);
    const std::vector<int> component = Components(static_cast<int>(scop_.statements.size()), edges);
    std::vector<int> level_of_component(component.size(), 0);
    for (std::size_t round = 0; round < component.size(); ++round) {
      for (const auto& [source, target] : edges) {
        if (component[source] == component[target]) continue;
        int& level = level_of_component[component[target]];
        level = std::max(level, level_of_component[component[source]] + 1);
      }
    }
    std::vector<int> levels;
    for (int number : component) levels.push_back(level_of_component[number]);
    return levels;
  }

  static bool IsForOneLevel(const std::vector<int>& levels, const std::vector<std::size_t>& ends,
                            std::size_t place) {
    int level = -1;
    for (std::size_t s = 0; s < levels.size(); ++s) {
      if (ends[s] <= place) continue;
      if (level >= 0 && levels[s] != level) return false;
      level = levels[s];
    }
    return true;
  }

  void MarkParallelRows() {
    for (std::size_t row = 0; row < schedule().rows.size(); ++row) {
      if (schedule().rows[row].is_scalar) continue;
      bool is_parallel = true;
      for (int dependence = 0; dependence < static_cast<int>(dependences_.size()) && is_parallel;
           ++dependence) {
        const Dependence& pair = dependences_[dependence];
        is_parallel = IsStrong(dependence, 0, row) ||
                      systems_.IsCoincident(dependence, schedule().statements[pair.source][row],
                                            schedule().statements[pair.target][row]);
      }
      schedule().rows[row].is_parallel = is_parallel;
    }
  }

  const Scop& scop_;
  const std::vector<Dependence>& dependences_;
  const SchedulerOptions& options_;
  const SystemBuilder& systems_;
  Scheduled result_;
  std::vector<int> open_;  // Dependences that the next row must not reverse.
  int band_ = 0;           // Of the next row.
  std::vector<Place>
      ways_;  // From the root of the tree to the present node; empty when it is done.
  std::vector<Backup> backups_;  // By dimension.
};

const char* TextOf(SchedulerStep step) {
  switch (step) {
    case SchedulerStep::kDropProgression:
      return "without progression";
    case SchedulerStep::kNextSibling:
      return "next sibling";
    case SchedulerStep::kDropSatisfied:
      return "without ordered dependences: a band ends";
    case SchedulerStep::kAncestorSibling:
      return "sibling of an ancestor";
    case SchedulerStep::kSplit:
      return "statements split by a scalar row";
    case SchedulerStep::kLeaveTree:
      return "tree left";
    case SchedulerStep::kOriginalOrder:
      return "order of the program";
  }
  EXH_UNREACHABLE();
}

}  // namespace

int Scheduled::NumSteps(SchedulerStep step) const {
  return static_cast<int>(
      std::count_if(events.begin(), events.end(),
                    [&](const ScheduleEvent& event) { return event.step == step; }));
}

Scheduler::Scheduler(Scop scop, std::vector<Dependence> dependences, SchedulerOptions options)
    : scop_(std::move(scop)), dependences_(std::move(dependences)), options_(options) {
  EXH_CHECK(ProblemOf(scop_).empty());
  EXH_CHECK(!scop_.statements.empty());
  systems_ = std::make_unique<const SystemBuilder>(scop_, dependences_, options_.bounds);
}

Scheduler::~Scheduler() = default;

Scheduled Scheduler::Find(const InfluenceTree& tree) const {
  std::vector<int> num_columns;
  for (const ScopStatement& statement : scop_.statements) {
    num_columns.push_back(
        static_cast<int>(statement.iterators.size() + ParametersOf(scop_).size() + 1));
  }
  EXH_CHECK(ProblemOf(tree, num_columns).empty());
  return Construction(scop_, dependences_, options_, *systems_).Run(tree);
}

std::string EventsText(const Scheduled& scheduled) {
  std::string text;
  for (const ScheduleEvent& event : scheduled.events) {
    text += fmt::format("dimension {}: ({}) {}", event.depth, static_cast<int>(event.step),
                        TextOf(event.step));
    if (!event.label.empty()) text += fmt::format(", after '{}'", event.label);
    text += "\n";
  }
  return text;
}

}  // namespace exh::poly
