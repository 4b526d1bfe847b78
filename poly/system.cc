// SPDX-License-Identifier: MIT
//
// Which rows a system has (paper of influence.h, section IV-A). With phi_S the row of statement S
// that is looked for, over iterators, parameters and 1:
//
//  * validity: phi_T(t) - phi_S(s) >= 0 on all pairs of a dependence;
//  * proximity: u * parameters + w - phi_T(t) + phi_S(s) >= 0 on all pairs;
//  * coincidence: also phi_S(s) - phi_T(t) >= 0;
//  * progression: the sum of a statement's iterator coefficients is at least 1, no product with a
//  vector of
//    the orthogonal complement of its rows is negative, and their sum is at least 1;
//  * influence: the rows of a node.
//
// Farkas' lemma makes the first three constraints on coefficients. It is applied once to each
// dependence: the forms that are >= 0 on its pairs; what differs is what is put in for their
// coefficients.
#include "poly/system.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"

namespace exh::poly {
namespace {

constexpr int kSumOfU = 0, kW = 1, kSumOfCoefficients = 2;

LinearRow RowOf(const std::map<int, std::int64_t>& terms, std::int64_t constant, bool is_equality) {
  LinearRow row{.constant = constant, .is_equality = is_equality};
  for (const auto& [variable, coefficient] : terms) {
    if (coefficient != 0) row.terms.emplace_back(variable, coefficient);
  }
  return row;
}

// What the bounds of the variables imply says nothing.
bool IsImplied(const LinearRow& row, const LexProblem& problem) {
  std::int64_t least = row.constant;
  for (const auto& [variable, coefficient] : row.terms) {
    least += coefficient * (coefficient > 0 ? problem.lower[variable] : problem.upper[variable]);
  }
  return row.is_equality ? row.terms.empty() && row.constant == 0 : least >= 0;
}

void SortOut(std::vector<LinearRow>& rows, const LexProblem& problem) {
  std::erase_if(rows, [&](const LinearRow& row) { return IsImplied(row, problem); });
  const auto key = [](const LinearRow& row) {
    return std::tie(row.is_equality, row.terms, row.constant);
  };
  std::sort(rows.begin(), rows.end(),
            [&](const LinearRow& a, const LinearRow& b) { return key(a) < key(b); });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](const LinearRow& a, const LinearRow& b) { return key(a) == key(b); }),
             rows.end());
}

}  // namespace

SystemBuilder::SystemBuilder(const Scop& scop, const std::vector<Dependence>& dependences,
                             const CoefficientBounds& bounds)
    : scop_(scop),
      dependences_(dependences),
      num_parameters_(static_cast<int>(ParametersOf(scop).size())) {
  AddVariables(bounds);
  for (const Dependence& dependence : dependences_) AddRows(dependence);
}

int SystemBuilder::NumColumns(int statement) const {
  return static_cast<int>(scop_.statements[statement].iterators.size()) + num_parameters_ + 1;
}

// No distance is larger than the largest date, which bounds u and w.
void SystemBuilder::AddVariables(const CoefficientBounds& bounds) {
  std::int64_t most_iterators = 0, most_literal = 0;
  for (const ScopStatement& statement : scop_.statements) {
    std::int64_t literal = 0;
    for (const ScopIterator& iterator : statement.iterators) {
      if (iterator.extent < kLeastParameter) literal += iterator.extent;
    }
    most_literal = std::max(most_literal, literal);
    most_iterators =
        std::max(most_iterators, static_cast<std::int64_t>(statement.iterators.size()));
  }
  const std::int64_t most_u = most_iterators * bounds.iterators + bounds.parameters;
  empty_.AddVariable(0, num_parameters_ * most_u);
  empty_.AddVariable(0, bounds.constants + bounds.iterators * most_literal);
  empty_.AddVariable(0, 0);  // Its bound follows from what is summed.
  std::map<int, std::int64_t> sum_of_u{{kSumOfU, -1}}, sum{{kSumOfCoefficients, -1}};
  for (int j = 0; j < num_parameters_; ++j) {
    u_.push_back(empty_.AddVariable(0, most_u));
    sum_of_u[u_.back()] = 1;
  }
  empty_.rows.push_back(RowOf(sum_of_u, 0, true));
  std::vector<std::map<int, std::int64_t>> sums(scop_.statements.size());
  std::vector<std::int64_t> most(scop_.statements.size(), 0);
  for (std::size_t s = 0; s < scop_.statements.size(); ++s) {
    const std::size_t rank = scop_.statements[s].iterators.size();
    std::vector<int> columns(NumColumns(static_cast<int>(s)), -1);
    const auto add = [&](std::size_t column, std::int64_t bound) {
      if (bound == 0) return;
      columns[column] = empty_.AddVariable(0, bound);
      if (column + 1 == columns.size()) return;
      sums[s][columns[column]] = 1;
      most[s] += bound;
    };
    for (std::size_t i = rank; i-- > 0;) add(i, bounds.iterators);
    for (int j = 0; j < num_parameters_; ++j) add(rank + j, bounds.parameters);
    add(columns.size() - 1, bounds.constants);
    columns_.push_back(std::move(columns));
  }
  for (std::size_t s = 0; s < scop_.statements.size(); ++s) {
    const int part = empty_.AddVariable(0, most[s]);
    sums[s][part] = -1;
    sum[part] = 1;
    empty_.rows.push_back(RowOf(sums[s], 0, true));
    empty_.upper[kSumOfCoefficients] += most[s];
  }
  empty_.rows.push_back(RowOf(sum, 0, true));
}

LinearRow SystemBuilder::Substituted(const IntRow& row, const Dependence& dependence,
                                     int sign) const {
  std::map<int, std::int64_t> terms;
  const int source_rank = static_cast<int>(scop_.statements[dependence.source].iterators.size());
  const int target_rank = static_cast<int>(scop_.statements[dependence.target].iterators.size());
  const auto add = [&](int statement, int column, std::int64_t coefficient) {
    const int variable = columns_[statement][column];
    if (variable >= 0) terms[variable] += coefficient;
  };
  for (int i = 0; i < source_rank; ++i) add(dependence.source, i, -sign * row[i]);
  for (int i = 0; i < target_rank; ++i) add(dependence.target, i, sign * row[source_rank + i]);
  for (int i = 0; i <= num_parameters_; ++i) {
    const std::int64_t number = row[source_rank + target_rank + i];
    add(dependence.source, source_rank + i, -sign * number);
    add(dependence.target, target_rank + i, sign * number);
  }
  return RowOf(terms, 0, false);
}

void SystemBuilder::AddRows(const Dependence& dependence) {
  dual_of_.push_back(duals_.Of(dependence.pairs));
  const Dual& dual = dual_of_.back();
  Rows rows;
  for (const IntMatrix* matrix : {&dual.equalities, &dual.inequalities}) {
    for (const IntRow& row : *matrix) {
      LinearRow forward = Substituted(row, dependence, 1);
      LinearRow backward = Substituted(row, dependence, -1);
      std::map<int, std::int64_t> bounded(backward.terms.begin(), backward.terms.end());
      for (int j = 0; j < num_parameters_; ++j)
        bounded[u_[j]] += row[dependence.pairs.num_variables + j];
      bounded[kW] += row.back();
      const bool is_equality = matrix == &dual.equalities;
      forward.is_equality = backward.is_equality = is_equality;
      rows.validity.push_back(std::move(forward));
      rows.coincidence.push_back(std::move(backward));
      rows.proximity.push_back(RowOf(bounded, 0, is_equality));
    }
  }
  SortOut(rows.validity, empty_);
  SortOut(rows.proximity, empty_);
  SortOut(rows.coincidence, empty_);
  rows_.push_back(std::move(rows));
}

int SystemBuilder::NumMissing(const Schedule& schedule, int statement) const {
  const int rank = static_cast<int>(scop_.statements[statement].iterators.size());
  return rank - Rank(schedule.statements[statement], rank);
}

void SystemBuilder::AddProgression(const Schedule& schedule, int statement,
                                   LexProblem& problem) const {
  const std::vector<int>& columns = columns_[statement];
  const int rank = static_cast<int>(scop_.statements[statement].iterators.size());
  std::map<int, std::int64_t> sum, sum_of_products;
  for (int i = 0; i < rank; ++i) sum[columns[i]] = 1;
  for (const IntRow& vector : OrthogonalComplement(schedule.statements[statement], rank)) {
    std::map<int, std::int64_t> product;
    for (int i = 0; i < rank; ++i) {
      product[columns[i]] = vector[i];
      sum_of_products[columns[i]] += vector[i];
    }
    LinearRow row = RowOf(product, 0, false);
    if (!IsImplied(row, problem)) problem.rows.push_back(std::move(row));
  }
  problem.rows.push_back(RowOf(sum, -1, false));
  problem.rows.push_back(RowOf(sum_of_products, -1, false));
}

LinearRow SystemBuilder::InfluenceRowOf(const InfluenceRow& row, const Schedule& schedule) const {
  std::vector<int> dimensions;
  for (std::size_t i = 0; i < schedule.rows.size(); ++i) {
    if (!schedule.rows[i].is_scalar) dimensions.push_back(static_cast<int>(i));
  }
  std::map<int, std::int64_t> terms;
  std::int64_t constant = row.constant;
  for (const InfluenceTerm& term : row.terms) {
    if (term.depth < static_cast<int>(dimensions.size())) {
      constant += term.coefficient *
                  schedule.statements[term.statement][dimensions[term.depth]][term.column];
    } else {
      const int variable = columns_[term.statement][term.column];
      if (variable >= 0) terms[variable] += term.coefficient;
    }
  }
  return RowOf(terms, constant, row.is_equality);
}

LexProblem SystemBuilder::Build(const SystemRequest& request, const Schedule& schedule) const {
  LexProblem problem = empty_;
  for (int dependence : request.dependences) {
    const Rows& rows = rows_[dependence];
    problem.rows.insert(problem.rows.end(), rows.validity.begin(), rows.validity.end());
    problem.rows.insert(problem.rows.end(), rows.proximity.begin(), rows.proximity.end());
    if (request.influence != nullptr && request.influence->parallel) {
      problem.rows.insert(problem.rows.end(), rows.coincidence.begin(), rows.coincidence.end());
    }
  }
  for (int statement : request.progressing) AddProgression(schedule, statement, problem);
  if (request.influence != nullptr) {
    for (const InfluenceRow& row : request.influence->rows)
      problem.rows.push_back(InfluenceRowOf(row, schedule));
  }
  return problem;
}

std::vector<IntRow> SystemBuilder::RowsOf(const std::vector<std::int64_t>& solution) const {
  std::vector<IntRow> rows;
  for (const std::vector<int>& columns : columns_) {
    IntRow row;
    for (int variable : columns) row.push_back(variable < 0 ? 0 : solution[variable]);
    rows.push_back(std::move(row));
  }
  return rows;
}

IntRow SystemBuilder::Difference(int dependence, const IntRow& source, const IntRow& target) const {
  const Dependence& pair = dependences_[dependence];
  const std::size_t source_rank = scop_.statements[pair.source].iterators.size();
  const std::size_t target_rank = scop_.statements[pair.target].iterators.size();
  EXH_CHECK(source.size() == source_rank + num_parameters_ + 1);
  IntRow difference;
  for (std::size_t i = 0; i < source_rank; ++i) difference.push_back(-source[i]);
  for (std::size_t i = 0; i < target_rank; ++i) difference.push_back(target[i]);
  for (int i = 0; i <= num_parameters_; ++i)
    difference.push_back(target[target_rank + i] - source[source_rank + i]);
  return difference;
}

bool SystemBuilder::IsStrong(int dependence, const IntRow& source, const IntRow& target) const {
  IntRow form = Difference(dependence, source, target);
  --form.back();
  return Contains(dual_of_[dependence], form);
}

bool SystemBuilder::IsCoincident(int dependence, const IntRow& source, const IntRow& target) const {
  const IntRow form = Difference(dependence, source, target);
  IntRow negative;
  for (std::int64_t number : form) negative.push_back(-number);
  return Contains(dual_of_[dependence], form) && Contains(dual_of_[dependence], negative);
}

}  // namespace exh::poly
