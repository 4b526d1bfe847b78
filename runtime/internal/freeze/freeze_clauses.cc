// SPDX-License-Identifier: MIT
//
// Clauses of requirements, one after the other: by the row where that can be said (clause_lanes.h),
// otherwise over all tuples of their objects, one by one.
#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "runtime/internal/freeze/uniform_finder.h"

namespace exh::runtime::internal {

void Freezer::GroundTuple(const Clause& clause, const Scope& scope, const Object* objects,
                          std::uint32_t origin) {
  std::vector<Slot> memberships, gate;
  std::vector<Literal> literals;
  scope.AppendMemberships(objects, 0, scope.size(), &memberships);
  for (const Slot slot : memberships) {
    if (clauses_.known(slot) == kFalseBit) return;
    if (clauses_.known(slot) == kTrueBit) continue;
    if (is_flag_[slot]) {
      literals.push_back(GroundClauses::MemberLiteral(slot, false));
    } else {
      gate.push_back(slot);
    }
  }
  for (const bool known : {false, true}) {  // Host code last: it is the dear part.
    for (const Condition& condition : clause.conditions) {
      if (IsKnown(condition) != known) continue;
      Literal literal;
      const Outcome outcome = Ground(condition, objects, scope.size(), &literal);
      if (outcome == Outcome::kTrue || outcome == Outcome::kUndefined) return;
      if (outcome == Outcome::kOpen) literals.push_back(literal);
    }
  }
  clauses_.Add(literals, gate, origin);
}

/// What holds for some of the objects, or does not exist for them, is not asked for the others.
void Freezer::GroundByTuples(const Clause& clause) {
  const Scope scope(space_, objects_, clause.variables);
  const std::uint32_t origin =
      relations_.InternOrigin({Origin::Kind::kRequirement, clause.requirement});
  // Tests of decisions, by the number of variables that have to be bound for them.
  std::vector<std::vector<const Condition*>> tests(scope.size() + 1);
  for (const Condition& condition : clause.conditions) {
    if (condition.kind != Condition::Kind::kIs) continue;
    const std::vector<int>& arguments = condition.lhs.arguments;
    const int last = arguments.empty() ? -1 : std::ranges::max(arguments);
    tests[static_cast<std::size_t>(last + 1)].push_back(&condition);
  }
  std::array<Object, kMaxVariables> objects{};
  const auto is_open = [&](std::size_t num_bound) {
    return std::ranges::all_of(tests[num_bound], [&](const Condition* condition) {
      Literal literal;
      return GroundIs(*condition, objects.data(), &literal) == Outcome::kOpen &&
             (clauses_.known(literal.a) & ~literal.x) != 0;
    });
  };
  if (!is_open(0)) return;
  const auto enter = [&](std::size_t variable) {
    ticker_.Tick();
    return is_open(variable + 1);
  };
  scope.ForEach(0, objects.data(), enter,
                [&] { GroundTuple(clause, scope, objects.data(), origin); });
}

void Freezer::GroundClausesThat(bool are_unary) {
  std::vector<std::pair<const Clause*, double>> clauses;
  double tuples = 0;
  for (const Clause& clause : space_.clauses) {
    if (IsUnary(clause) != are_unary) continue;
    if (clause.variables.size() > kMaxVariables) {
      throw Error("requirement " + space_.requirements[clause.requirement].label +
                  ": too many variables");
    }
    clauses.emplace_back(&clause, Scope(space_, objects_, clause.variables).NumTuples());
    tuples += clauses.back().second;
  }
  const double share = are_unary ? kUnaryShare : kClauseShare;
  for (const auto& [clause, of_clause] : clauses) {
    ticker_.Begin("requirement " + space_.requirements[clause->requirement].label,
                  share * of_clause / std::max(1.0, tuples), of_clause);
    const Requirement& requirement = space_.requirements[clause->requirement];
    place_ = "requirement " + requirement.label + " (" + requirement.position.file + ":" +
             std::to_string(requirement.position.line) + ")";
    // What is unary acts before the others are simplified.
    using Kind = UniformFinder::Kind;
    const Kind kind = are_unary || !uniform_ ? Kind::kNone : uniform_->KindOf(*clause);
    if (kind == Kind::kTables) {
      uniform_->GroundAlone(*clause);
      continue;
    }
    if (are_unary || !lanes_.is_on() || !GroundByLanes(*clause, kind == Kind::kClause)) {
      GroundByTuples(*clause);
    }
  }
}

}  // namespace exh::runtime::internal
