// SPDX-License-Identifier: MIT
//
// FilterEngine: the clause of a generated filter, as it stands in the tables of the space, frozen
// over one object per variable, so that it is the only thing that is propagated.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/filter_table.h"
#include "tests/support/table_host.h"
#include "tests/support_spec/filter_case.h"

namespace exh::tests {

class FilterEngine {
 public:
  /// All of them outlive the engine.
  FilterEngine(const runtime::Space& space, const runtime::SpecFilter& filter,
               const FilterCase& filter_case)
      : space_(space), filter_(filter), case_(filter_case) {}

  /// Restricts the inputs; empty if what propagation leaves of the target is what the clause
  /// allows, otherwise what is wrong. Domains of counters without an end are skipped.
  std::string Judge(std::span<const int> combination, runtime::Bits exact);

 private:
  std::shared_ptr<const runtime::Instance> Freeze(std::span<const int> snippets) const;
  int AddChoice(TestSpace& test, int choice, int root) const;
  std::vector<std::uint32_t> UniverseOf(int choice, TableHost::Tuple tuple) const;
  const FilterAxis& AxisOf(int decision) const;
  runtime::Bits Domain(const runtime::Candidate& candidate, int decision) const;
  runtime::Action Restriction(const runtime::Instance& instance, int decision,
                              runtime::Bits values) const;

  const runtime::Space& space_;
  const runtime::SpecFilter& filter_;
  const FilterCase& case_;
  std::map<std::vector<int>, std::shared_ptr<const runtime::Instance>> frozen_;  // By snippets.
};

}  // namespace exh::tests
