// SPDX-License-Identifier: MIT
//
// Clauses of requirements by the row; clause_lanes.h says what for. The passes, from the outside
// in:
//
//   Prepare()      Can rows say this clause at all? Sorts its conditions into tests of a decision,
//                  comparisons of two, and codes, which are snippets and order of objects.
//   RunLane()      One round for each variable that can be the lane.
//   Bind()         Goes over the objects of the other variables, and leaves out at once what the
//                  root satisfies.
//   Tuple()        The others are bound: what no lane changes, and the gate of the tuple.
//   Word()         64 lanes: masks of the lanes that exist, that the root satisfies, in which
//                  nothing is left of a test. The lanes then fall apart by what they wait for
//                  (GroundWaiting) and by which tests are still open (SplitByTests).
//   Contribute()   What such lanes have in common goes to the store.
//
// An example: c(x,y) is A || d(y) is B, for all x and y that differ. The lane is y, and x is 3:
//
//   lane y                0   1   2   3   4
//   exist                 1   1   1   .   1     3 is x itself
//   c(3,y) may be A       1   .   1       1
//   c(3,y) is A           .   .   1       .     satisfied: nothing to say
//   d(y) may be B         1   1   1       .
//   open conditions       2   1           1     0: to the store. 1 and 4: the root gets it at once,
//                                               d(1) must be B, and c(3,4) must be A
//
// Invariants. `known_cells_` shows the domains by which all clauses are simplified, so what is left
// of a clause does not depend on when it is its turn. A ground clause gets to the store once for
// each object that can be its lane, with the same conditions each time; what is not for the store
// (General(), RestrictLanes()) is done in the first round only, and so once.
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/internal/freeze/clause_lanes.h"
#include "runtime/internal/rows/row_kernels.h"

namespace exh::runtime::internal {
namespace {

/// Lanes of a row of cells that hold none of the values.
std::uint64_t Excluded(const std::uint8_t* row, std::uint8_t values) {
  return ActiveRowKernels().excluded(row, values);
}
/// Lanes that hold only values of the set.
std::uint64_t Certain(const std::uint8_t* row, std::uint8_t values) {
  return ActiveRowKernels().certain(row, values);
}

}  // namespace

Freezer::ClauseLanes::ClauseLanes(Freezer& freezer, const Clause& clause, bool only_few)
    : freezer_(freezer),
      clause_(clause),
      scope_(freezer.space_, freezer.objects_, clause.variables),
      depth_(clause.variables.size()),
      only_few_(only_few) {
  origin_ = freezer.relations_.InternOrigin({Origin::Kind::kRequirement, clause.requirement});
  by_lanes_ = Prepare();
}

bool Freezer::ClauseLanes::Prepare() {
  if (depth_ < 2 || depth_ > kMaxVariables) return false;
  const auto use_of = [&](const ChoiceUse& choice_use) {
    Use use;
    use.choice = choice_use.choice;
    use.table = &freezer_.objects_.choices[choice_use.choice];
    use.arguments = &choice_use.arguments;
    return use;
  };
  const auto is_enum = [&](int choice) {
    const Choice& c = freezer_.space_.choices[choice];
    return c.kind == ChoiceKind::kEnum && c.values.size() <= 8;
  };
  for (const Condition& condition : clause_.conditions) {
    switch (condition.kind) {
      case Condition::Kind::kConstant:
        always_ |= condition.constant;
        break;
      case Condition::Kind::kCode:
      case Condition::Kind::kAscending:
        codes_.push_back(&condition);
        break;
      case Condition::Kind::kIs: {
        if (!is_enum(condition.lhs.choice)) return false;
        Test& test = tests_.emplace_back();
        test.use = use_of(condition.lhs);
        test.masks = {static_cast<std::uint8_t>(condition.values),
                      static_cast<std::uint8_t>(
                          freezer_.instance_->Invert(condition.lhs.choice, condition.values))};
        break;
      }
      case Condition::Kind::kCompare: {
        if (!is_enum(condition.lhs.choice)) return false;
        Comparison& comparison = comparisons_.emplace_back();
        comparison.condition = &condition;
        comparison.left = use_of(condition.lhs);
        comparison.right = use_of(condition.rhs);
        break;
      }
      case Condition::Kind::kCompareCode:
      case Condition::Kind::kPresent:
      case Condition::Kind::kTerms:
        return false;
    }
  }
  if (num_uses() < 2 || num_uses() > kMaxTests || comparisons_.size() > 1) return false;
  // A pair relation is part of a table: of three decisions at most.
  if (!comparisons_.empty() && num_uses() > 3) return false;
  // Two conditions on the same decision are one.
  int largest = 0;
  for (std::size_t i = 0; i < num_uses(); ++i) {
    std::vector<int> arguments = *UseOf(i).arguments;
    std::ranges::sort(arguments);
    if (std::ranges::adjacent_find(arguments) != arguments.end()) return false;
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<int> others = *UseOf(j).arguments;
      std::ranges::sort(others);
      if (UseOf(i).choice == UseOf(j).choice && arguments == others) return false;
    }
    largest =
        std::max(largest, static_cast<int>(freezer_.space_.choices[UseOf(i).choice].values.size()));
  }
  if (largest > kMaxValues) return false;
  const std::vector<std::size_t> lanes = LaneVariables();
  if (num_uses() > 3) {
    // What is left of the clause has no other lanes than the clause.
    std::vector<int> read;
    for (std::size_t i = 0; i < num_uses(); ++i) {
      read.insert(read.end(), UseOf(i).arguments->begin(), UseOf(i).arguments->end());
    }
    std::ranges::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    if (read.size() != lanes.size()) return false;
  }
  if (num_uses() == 3 && !IsStored(0)) return false;
  return !lanes.empty() && std::ranges::all_of(lanes, [&](std::size_t v) { return CanBeLane(v); });
}

/// The variables whose object every condition that reads it has in a row.
std::vector<std::size_t> Freezer::ClauseLanes::LaneVariables() const {
  std::vector<std::size_t> lanes;
  for (std::size_t v = 0; v < depth_; ++v) {
    bool read = false, in_rows = true;
    for (std::size_t i = 0; i < num_uses(); ++i) {
      const Use& use = UseOf(i);
      const std::vector<int>& arguments = *use.arguments;
      const auto at = std::ranges::find(arguments, static_cast<int>(v));
      if (at == arguments.end()) continue;
      read = true;
      const bool paired = freezer_.space_.choices[use.choice].symmetry != Symmetry::kNone;
      in_rows &= freezer_.network_.rows_by_choice[use.choice].in_rows &&
                 (paired || at + 1 == arguments.end());
    }
    if (read && in_rows) lanes.push_back(v);
  }
  return lanes;
}

/// Can its members be told as bits?
bool Freezer::ClauseLanes::CanBeLane(std::size_t variable) const {
  for (std::size_t v = 0; v < depth_; ++v) {
    if (clause_.variables[v].set.parameter == static_cast<int>(variable)) return false;
  }
  return !scope_.IsParametricallyConditional(variable);
}

void Freezer::ClauseLanes::Run() {
  if (always_) return;
  for (const std::size_t lane : LaneVariables()) {
    RunLane(lane);
    first_round_ = false;
  }
}

void Freezer::ClauseLanes::RunLane(std::size_t lane) {
  lane_ = lane;
  order_.clear();
  distinct_.clear();
  for (std::size_t v = 0; v < depth_; ++v) {
    if (v == lane) continue;
    order_.push_back(v);
    if (scope_.AreDistinct(v, lane)) distinct_.push_back(v);
  }
  const auto place = [&](Use* use) {
    const std::vector<int>& arguments = *use->arguments;
    const auto at = std::ranges::find(arguments, static_cast<int>(lane));
    use->in_row = at != arguments.end();
    use->mirrored = use->in_row && at + 1 != arguments.end();
    use->swapped = use->mirrored;
    use->last = -1;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (std::ranges::count(arguments, static_cast<int>(order_[i])) != 0) {
        use->last = static_cast<int>(i);
      }
    }
  };
  for (Test& test : tests_) place(&test.use);
  for (Comparison& comparison : comparisons_) {
    place(&comparison.left);
    place(&comparison.right);
  }
  looks_.fill({});
  answers_.clear();

  const Variable& variable = clause_.variables[lane];
  const SetTable& table = freezer_.objects_.sets[variable.set.set];
  members_ = {};
  members_.words = (table.num_objects + kLanes - 1) / kLanes;
  const std::size_t num_rows = table.begin.size() - 1;
  members_.rows.assign(num_rows * members_.words, 0);
  members_.planned.assign(members_.words, 0);
  members_.by_flag.assign(members_.words, 0);
  std::vector<bool> known(table.num_objects, false);
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (const Object object : table.row(row)) {
      const std::size_t word = object / kLanes;
      const std::uint64_t bit = std::uint64_t{1} << object % kLanes;
      members_.rows[row * members_.words + word] |= bit;
      if (known[object]) continue;
      known[object] = true;
      std::vector<Slot> memberships, needed;
      objects_[lane] = object;
      scope_.AppendMemberships(objects_.data(), lane, lane + 1, &memberships);
      bool never = false, flag = false;
      for (const Slot slot : memberships) {
        const Bits domain = freezer_.clauses_.known(slot);
        never |= domain == kFalseBit;
        if (domain == kTrueBit) continue;
        flag |= freezer_.is_flag_[slot];
        needed.push_back(slot);
      }
      if (never) continue;
      if (flag) {
        members_.by_flag[word] |= bit;
        continue;
      }
      if (!needed.empty()) members_.planned[word] |= bit;
      const int root = freezer_.space_.sets[variable.set.set].root;
      const Slot own = freezer_.places_->MembershipOf({root, object});
      const bool always = std::erase(needed, own) == 0 && own != RowPlaces::kAlwaysThere;
      const auto list = std::ranges::find_if(members_.waiting, [&](const Members::Waiting& w) {
        return w.memberships == needed && w.always == always;
      });
      if (list != members_.waiting.end()) {
        list->objects[word] |= bit;
        continue;
      }
      members_.waiting.push_back({needed, always, std::vector<std::uint64_t>(members_.words, 0)});
      members_.waiting.back().objects[word] |= bit;
    }
  }
  Bind(0);
}

/// Binds the other variables, one after the other; what the root satisfies needs no lanes.
void Freezer::ClauseLanes::Bind(std::size_t depth) {
  if (depth == order_.size()) {
    Tuple();
    return;
  }
  const std::size_t variable = order_[depth];
  for (const Object object : scope_.Row(variable, objects_.data())) {
    bool distinct = true;
    for (std::size_t i = 0; i < depth; ++i) {
      distinct &= !(scope_.AreDistinct(order_[i], variable) && objects_[order_[i]] == object);
    }
    if (!distinct) continue;
    objects_[variable] = object;
    bool open = true;
    for (Test& test : tests_) {
      if (test.use.last != static_cast<int>(depth)) continue;
      open = Locate(&test.use);
      if (!open) break;
      if (!test.use.in_row && (freezer_.clauses_.known(test.use.cell) & ~Bits{test.mask()}) == 0) {
        open = false;
        break;
      }
    }
    for (Comparison& comparison : comparisons_) {
      for (Use* use : {&comparison.left, &comparison.right}) {
        if (open && use->last == static_cast<int>(depth)) open = Locate(use);
      }
    }
    if (open) Bind(depth + 1);
  }
}

/// False: there is no such decision, and the tuple does not exist.
bool Freezer::ClauseLanes::Locate(Use* use) const {
  const std::vector<int>& arguments = *use->arguments;
  if (use->in_row) {
    // By what stands before the lane; in a pair the other object does.
    std::size_t index = 0;
    if (use->mirrored) {
      index = objects_[arguments[1]];
    } else {
      for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        index += objects_[arguments[i]] * use->table->strides[i];
      }
    }
    const std::vector<Slot>& rows = freezer_.network_.rows_by_choice[use->choice].rows;
    if (index >= rows.size() || rows[index] == kNoRow) return false;
    use->cell = rows[index];
    return true;
  }
  std::size_t index = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    index += objects_[arguments[i]] * use->table->strides[i];
  }
  const std::int32_t found = use->table->lookup[index];
  if (found < 0) return false;
  use->cell = freezer_.instance_->slots_[found >> 1];
  use->swapped = (found & 1) != 0;
  return true;
}

/// Does the store take what is left of the clause without these conditions? As
/// LaneStore::Accepts() says.
bool Freezer::ClauseLanes::IsStored(unsigned dropped) const {
  const int size = static_cast<int>(num_uses()) - std::popcount(dropped);
  if (size != 3) return true;
  for (const std::size_t lane : LaneVariables()) {
    int readers = 0;
    for (std::size_t i = 0; i < num_uses(); ++i) {
      readers += (dropped >> i & 1) == 0 &&
                 std::ranges::count(*UseOf(i).arguments, static_cast<int>(lane)) != 0;
    }
    if (readers == 2) return true;
  }
  return false;
}

/// All variables but the lane are bound.
void Freezer::ClauseLanes::Tuple() {
  for (Test& test : tests_) {
    if (test.use.last < 0 && !Locate(&test.use)) return;
  }
  for (Comparison& comparison : comparisons_) {
    for (Use* use : {&comparison.left, &comparison.right}) {
      if (use->last < 0 && !Locate(use)) return;
    }
  }
  gate_.clear();
  by_flag_ = coincides_ = false;
  std::vector<Slot> memberships;
  for (const std::size_t v : order_) {
    scope_.AppendMemberships(objects_.data(), v, v + 1, &memberships);
  }
  for (const Slot slot : memberships) {
    const Bits domain = freezer_.clauses_.known(slot);
    if (domain == kFalseBit) return;
    if (domain == kTrueBit) continue;
    by_flag_ |= freezer_.is_flag_[slot];
    gate_.push_back(slot);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      coincides_ |=
          objects_[order_[i]] == objects_[order_[j]] && scope_.HaveSameRoot(order_[i], order_[j]);
    }
  }
  // What depends on no lane.
  for (const Condition* condition : codes_) {
    const std::vector<int>& arguments = condition->lhs.arguments;
    const bool inline_code = condition->kind == Condition::Kind::kCode && !condition->external;
    if (inline_code || std::ranges::count(arguments, static_cast<int>(lane_)) != 0) continue;
    if (freezer_.Holds(*condition, objects_.data(), depth_)) return;
  }
  freezer_.ticker_.Tick();
  if (only_few_ && !MayBeFew()) return;
  freezer_.instance_->statistics_.words_looked_at += members_.words;
  for (std::uint32_t word = 0; word < members_.words; ++word) Word(word);
}

/// Can there be lanes in which the root leaves three tests or fewer?
bool Freezer::ClauseLanes::MayBeFew() {
  std::size_t open = 0;
  for (Test& test : tests_) {
    if (!test.use.in_row) {
      open += (freezer_.clauses_.known(test.use.cell) & test.mask()) != 0;
      continue;
    }
    const auto [known, is_new] =
        test.ruled_out[test.use.swapped].try_emplace(test.use.cell / kLanes, false);
    for (std::uint32_t word = 0; is_new && word < members_.words; ++word) {
      const std::uint8_t* const cells = CellsOf(test.use, word);
      known->second |= (Excluded(cells, test.mask()) & ~Excluded(cells, 0xFF)) != 0;
    }
    open += !known->second;
  }
  return open <= 3;
}

/// A code of the lanes: where it holds.
std::uint64_t Freezer::ClauseLanes::HoldsIn(const Condition& condition, std::uint32_t word,
                                            std::uint64_t lanes) {
  const std::uint32_t first = word * kLanes;
  if (condition.kind == Condition::Kind::kAscending) {
    const std::vector<int>& arguments = condition.lhs.arguments;
    const bool lane_is_first = arguments[0] == static_cast<int>(lane_);
    const Object other = objects_[arguments[lane_is_first ? 1 : 0]];
    const std::uint64_t after = LanesAfter({0, other}, 0, first);
    std::uint64_t same = 0;
    if (other >= first && other - first < kLanes) same = std::uint64_t{1} << (other - first);
    const std::uint64_t ascending = lane_is_first ? ~(after | same) : after;
    return condition.negated ? ~ascending : ascending;
  }
  std::uint64_t holds = 0;
  const auto ask = [&](std::uint64_t asked) {
    for (; asked != 0; asked &= asked - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(asked));
      objects_[lane_] = static_cast<Object>(first + lane);
      if (freezer_.Holds(condition, objects_.data(), depth_)) holds |= std::uint64_t{1} << lane;
    }
  };
  if (!condition.external) {
    ask(lanes);
    return holds;
  }
  // The answers depend on the objects asked for alone.
  std::vector<std::uint32_t> key = {
      static_cast<std::uint32_t>(&condition - clause_.conditions.data()), word};
  for (const int argument : condition.lhs.arguments) {
    key.push_back(argument == static_cast<int>(lane_) ? 0u : objects_[argument]);
  }
  std::vector<std::uint64_t>& answer = answers_[key];  // Lanes that were asked for, that hold.
  if (answer.empty()) answer.assign(2, 0);
  ask(lanes & ~answer[0]);
  answer[0] |= lanes;
  answer[1] |= holds;
  return answer[1];
}

std::uint32_t Freezer::ClauseLanes::PairsOf(Comparison* comparison, unsigned sides) {
  std::uint32_t& pairs = comparison->pairs[sides];
  if (pairs == kNoPairs) {
    // Decisions of an enum all have the same values: any two will do.
    const Condition& condition = *comparison->condition;
    const DecisionId any = freezer_.instance_->first_decision_[condition.lhs.choice];
    pairs =
        freezer_.InternComparison(condition, any, (sides & 2) != 0, any, (sides & 1) != 0).first;
    std::vector<std::uint8_t>& status = comparison->status[sides];
    status.assign(1u << 16, 0);
    const PairRelation& relation = freezer_.network_.pair_relations[pairs];
    for (unsigned left = 1; left < 1u << relation.num_left; ++left) {
      for (unsigned right = 1; right < 1u << relation.num_right; ++right) {
        status[left << 8 | right] =
            static_cast<std::uint8_t>(PairStatus(relation.rows, left, right));
      }
    }
  }
  return pairs;
}

/// The lanes in which the comparison holds whatever is decided, and those in which it never does.
std::uint64_t Freezer::ClauseLanes::StatusIn(Comparison* comparison, std::uint32_t word,
                                             std::uint64_t lanes, std::uint64_t* never) {
  const unsigned sides = 2u * comparison->left.swapped + comparison->right.swapped;
  PairsOf(comparison, sides);
  const std::uint8_t* const status = comparison->status[sides].data();
  const std::uint8_t* const left = CellsOf(comparison->left, word);
  const std::uint8_t* const right = CellsOf(comparison->right, word);
  const std::uint32_t left_step = comparison->left.in_row, right_step = comparison->right.in_row;
  std::uint64_t always = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const auto truth =
        static_cast<Truth>(status[left[lane * left_step] << 8 | right[lane * right_step]]);
    if (truth == Truth::kTrue) always |= std::uint64_t{1} << lane;
    if (truth == Truth::kFalse) *never |= std::uint64_t{1} << lane;
  }
  return always;
}

void Freezer::ClauseLanes::General(std::uint32_t word, std::uint64_t lanes) {
  // Once for each tuple is enough.
  if (!first_round_) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    objects_[lane_] =
        static_cast<Object>(word * kLanes + static_cast<std::uint32_t>(std::countr_zero(lanes)));
    freezer_.GroundTuple(clause_, scope_, objects_.data(), origin_);
  }
}

/// The lanes in which a single condition is left: it acts on the root itself.
void Freezer::ClauseLanes::RestrictLanes(const Test& test, std::uint32_t word,
                                         std::uint64_t lanes) {
  if (!first_round_) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    Slot slot = test.use.cell;
    Bits mask = test.mask();
    if (test.use.in_row) {
      slot += word * kLanes + lane;
      const Cell& cell = freezer_.network_.cells[slot];
      if (cell.slot != slot) mask = freezer_.network_.inverses[cell.inverse][mask];
      slot = cell.slot;
    }
    freezer_.clauses_.RestrictSlot(slot, mask, origin_);
  }
}

std::uint32_t Freezer::ClauseLanes::GateOf(const std::vector<Slot>& lane_memberships, Slot own) {
  if (gate_.empty() && lane_memberships.empty()) return 0;
  std::vector<Slot> all = gate_;
  std::erase(all, own);
  all.insert(all.end(), lane_memberships.begin(), lane_memberships.end());
  return freezer_.gates_.Intern(std::move(all));
}

/// Members of the set, but for those that other variables have where they must differ.
bool Freezer::ClauseLanes::FindLanes(Block& block) const {
  const SetRef& set = clause_.variables[lane_].set;
  const std::size_t row = set.parameter < 0 ? 0 : objects_[set.parameter];
  const std::uint32_t first = block.word * kLanes;
  const auto bit_of = [&](Object object) {
    return object >= first && object - first < kLanes ? std::uint64_t{1} << (object - first) : 0;
  };
  block.exist = members_.rows[row * members_.words + block.word];
  for (const std::size_t v : distinct_) block.exist &= ~bit_of(objects_[v]);
  if (block.exist == 0) return false;
  if (coincides_) {
    block.coincide = block.exist;
    return true;
  }
  for (const std::size_t v : order_) {
    if (scope_.HaveSameRoot(v, lane_)) block.coincide |= bit_of(objects_[v]);
  }
  return true;
}

/// Where the decisions exist, and what the root says of the conditions.
bool Freezer::ClauseLanes::LookAtDecisions(Block& block) {
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    const Test& test = tests_[i];
    if (!test.use.in_row) {
      const Bits domain = freezer_.clauses_.known(test.use.cell);
      if ((domain & ~Bits{test.mask()}) == 0) return false;
      block.never[i] = (domain & test.mask()) == 0 ? ~std::uint64_t{0} : 0;
    } else {
      const std::uint8_t* const cells = CellsOf(test.use, block.word);
      block.exist &= ~Excluded(cells, 0xFF);
      block.satisfied |= Certain(cells, test.mask());
      block.never[i] = Excluded(cells, test.mask());
    }
    block.CountOpen(~block.never[i]);
  }
  for (const Comparison& comparison : comparisons_) {
    for (const Use* use : {&comparison.left, &comparison.right}) {
      if (use->in_row) block.exist &= ~Excluded(CellsOf(*use, block.word), 0xFF);
    }
  }
  if (block.active() == 0) return false;
  std::uint64_t never_equal = 0;
  for (Comparison& comparison : comparisons_) {
    block.satisfied |= StatusIn(&comparison, block.word, block.active(), &never_equal);
    block.CountOpen(~never_equal);
    // A comparison alone is a table.
    block.several |= ~never_equal;
  }
  return true;
}

/// Lanes in which a code holds are left out.
bool Freezer::ClauseLanes::AskCodes(Block& block) {
  for (const Condition* condition : codes_) {
    const std::vector<int>& arguments = condition->lhs.arguments;
    const bool inline_code = condition->kind == Condition::Kind::kCode && !condition->external;
    if (inline_code) {
      // Dear: only where it matters. What the root satisfies is left out, too.
      block.exist = block.active();
      block.exist &= ~HoldsIn(*condition, block.word, block.exist);
    } else if (std::ranges::count(arguments, static_cast<int>(lane_)) != 0) {
      block.exist &= ~HoldsIn(*condition, block.word, block.exist);
    }
    if (block.active() == 0) return false;
  }
  return true;
}

/// Lanes fall apart by which of their tests are open.
void Freezer::ClauseLanes::SplitByTests(std::uint64_t of_gate, std::uint64_t open,
                                        std::uint64_t exist, LaneGate gate, Block& block) {
  if (num_uses() <= 3) {  // As GroundClauses::Add(): nothing is left out.
    Contribute(block.word, 0, of_gate, open, gate);
    return;
  }
  while (open != 0) {
    const int lane = std::countr_zero(open);
    std::uint64_t alike = open;
    unsigned dropped = 0;
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const std::uint64_t never = block.never[i];
      const bool out = (never >> lane & 1) != 0;
      dropped |= static_cast<unsigned>(out) << i;
      alike &= out ? never : ~never;
    }
    const int num_open = static_cast<int>(tests_.size()) - std::popcount(dropped);
    dropped = num_open <= 3 ? dropped : 0;
    if (only_few_ && dropped == 0) {
      // In the uniform clause.
    } else if (IsStored(dropped)) {
      // A clause of many conditions: where some of them are known it says no more, and no less.
      const bool many = tests_.size() > kMaxTableArity && dropped == 0;
      Contribute(block.word, dropped, many ? exist : alike, alike, gate);
    } else {
      block.general |= alike;
    }
    open &= ~alike;
  }
}

/// The lanes among `left` that wait for the same.
void Freezer::ClauseLanes::GroundWaiting(const Members::Waiting& waiting, std::uint64_t left,
                                         Block& block) {
  std::uint64_t of_gate = waiting.objects[block.word] & left;
  std::uint64_t exist = of_gate;
  std::uint64_t open = of_gate & block.active();
  if (open == 0) return;
  const std::uint64_t few = open & ~block.several;
  if (few != 0) {
    const std::uint64_t gated = gate_.empty() ? few & members_.planned[block.word] : few;
    block.general |= gated | (few & ~block.one);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const std::uint64_t alone = few & ~gated & ~block.never[i];
      if (alone != 0) RestrictLanes(tests_[i], block.word, alone);
    }
    open &= ~few;
    of_gate &= ~few;
    if (open == 0) return;
  }
  if (first_round_) freezer_.clauses_.CountAdded(static_cast<std::size_t>(std::popcount(open)));
  // What lanes wait for themselves is no part of the gate, even when the tuple waits for it too.
  const int root = freezer_.space_.sets[clause_.variables[lane_].set.set].root;
  for (const RowPlaces::Needed& needed : freezer_.places_->NeededIn(root, block.word * kLanes)) {
    if (std::ranges::count(gate_, needed.membership) == 0) continue;
    const std::uint64_t own = of_gate & needed.lanes;
    if ((own & open) == 0) continue;
    SplitByTests(own, own & open, exist & needed.lanes,
                 {GateOf(waiting.memberships, needed.membership), waiting.always}, block);
    of_gate &= ~own;
    open &= ~own;
    exist &= ~needed.lanes;
  }
  if (open == 0) return;
  SplitByTests(of_gate, open, exist,
               {GateOf(waiting.memberships, RowPlaces::kAlwaysThere), waiting.always}, block);
}

void Freezer::ClauseLanes::Word(std::uint32_t word) {
  Block block;
  block.word = word;
  if (!FindLanes(block) || !LookAtDecisions(block) || !AskCodes(block)) return;
  const std::uint64_t one_by_one =
      by_flag_ ? ~std::uint64_t{0} : block.coincide | members_.by_flag[word];
  block.general = block.active() & one_by_one;
  const std::uint64_t left = block.exist & ~one_by_one;
  for (const Members::Waiting& waiting : members_.waiting) GroundWaiting(waiting, left, block);
  if (block.general != 0) General(word, block.general);
}

/// The clause in these lanes, without the conditions that are left out.
void Freezer::ClauseLanes::Contribute(std::uint32_t word, unsigned dropped, std::uint64_t lanes,
                                      std::uint64_t active, LaneGate gate) {
  std::array<Place, kMaxTests> scalars, rows;
  std::size_t num_scalars = 0, num_rows = 0;
  for (std::size_t i = 0; i < num_uses(); ++i) {
    if ((dropped >> i & 1) != 0) continue;
    const Use& use = UseOf(i);
    const auto number = static_cast<std::uint8_t>(i);
    if (use.in_row) {
      rows[num_rows++] = {use.cell + word * kLanes, number};
    } else {
      scalars[num_scalars++] = {use.cell, number};
    }
  }
  // What the lanes differ in was ruled out: this is no lane of what is left. And runs over three
  // cells hang on one that they share.
  if (num_rows == 0 || (num_scalars + num_rows == 3 && num_rows != 2)) return;
  const std::size_t size = num_scalars + num_rows;
  if (size > kMaxTableArity) {
    LaneClause clause;
    clause.num_scalars = static_cast<std::uint8_t>(num_scalars);
    clause.num_rows = static_cast<std::uint8_t>(num_rows);
    for (std::size_t i = 0; i < size; ++i) {
      const Place& place = i < num_scalars ? scalars[i] : rows[i - num_scalars];
      clause.literals[i] = PackLiteral(place.cell, tests_[place.number].mask());
    }
    clause.lanes = lanes;
    clause.gate = gate.rest;
    clause.always = gate.always;
    clause.origin = origin_;
    clause.root =
        static_cast<std::uint16_t>(freezer_.space_.sets[clause_.variables[lane_].set.set].root);
    clause.first = word * kLanes;
    freezer_.lanes_.AddClause(clause);
    return;
  }
  const auto sort = [](std::array<Place, kMaxTests>& places, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      for (std::size_t j = i; j > 0 && places[j].cell < places[j - 1].cell; --j) {
        std::swap(places[j], places[j - 1]);
      }
    }
  };
  sort(scalars, num_scalars);
  sort(rows, num_rows);
  LaneView view;
  view.num_scalars = static_cast<std::uint8_t>(num_scalars);
  view.arity = static_cast<std::uint8_t>(size);
  view.root =
      static_cast<std::uint16_t>(freezer_.space_.sets[clause_.variables[lane_].set.set].root);
  view.first = word * kLanes;
  // Their number comes first: with 4 bits for each, three and a dropped one could be four.
  std::uint64_t look = std::uint64_t{size} << 16 | dropped;
  std::array<std::uint8_t, kMaxTests> position{};
  for (std::size_t i = 0; i < size; ++i) {
    const Place& place = i < num_scalars ? scalars[i] : rows[i - num_scalars];
    view.cells[i] = place.cell;
    position[place.number] = static_cast<std::uint8_t>(i);
    look = look << 4 | static_cast<unsigned>(place.number << 1) |
           static_cast<unsigned>(UseOf(place.number).swapped);
  }
  Look& known = looks_[look * 0x9E3779B97F4A7C15u >> 56];
  if (known.look != look) {
    Pattern pattern;
    pattern.origin = origin_;
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      if ((dropped >> i & 1) == 0) pattern.masks[position[i]] = tests_[i].mask();
    }
    for (Comparison& comparison : comparisons_) {
      const unsigned sides = 2u * comparison.left.swapped + comparison.right.swapped;
      pattern.pair_positions[pattern.num_pairs] = {position[tests_.size()],
                                                   position[tests_.size() + 1]};
      pattern.pair_relations[pattern.num_pairs++] = PairsOf(&comparison, sides);
    }
    known = {look, freezer_.relations_.InternPattern(pattern)};
  }
  freezer_.lanes_.Add(view, gate, known.pattern, lanes, active);
}

bool Freezer::GroundByLanes(const Clause& clause, bool only_few) {
  ClauseLanes lanes(*this, clause, only_few);
  if (!lanes.IsByLanes()) return false;
  lanes.Run();
  return true;
}

}  // namespace exh::runtime::internal
