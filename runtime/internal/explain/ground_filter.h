// SPDX-License-Identifier: MIT
//
// GroundFilter: one ground constraint at a time, as a function of the domains that it reads. It is
// slow and plain, made for explaining: it can also be asked what a constraint would say on other
// domains, or a table with some of its clauses alone. The propagation loop has its own code for the
// same constraints.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ground.h"
#include "runtime/internal/network/literal.h"

namespace exh::runtime::internal {

/// Something that has a domain: a variable or a counter of the ground form.
struct Subject {
  bool is_counter = false;
  std::uint32_t index = 0;
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

struct GroundDomains {
  std::vector<Bits> variables;
  std::vector<Interval> counters;

  Bits domain(std::uint32_t variable) const { return variables[variable]; }
  Interval counter(std::uint32_t number) const { return counters[number]; }
};

/// Keep only these values, or this interval; nothing is left when `failed`.
struct Narrowing {
  Subject subject;
  Bits values = ~Bits{0};
  Interval interval;
  bool failed = false;
};

class GroundFilter {
 public:
  explicit GroundFilter(const GroundForm& form);

  /// Constraints are numbered: tables, then clauses, then counters, then joints.
  std::uint32_t size() const {
    return first_joint() + static_cast<std::uint32_t>(form_.joints.size());
  }
  bool IsTable(std::uint32_t constraint) const { return constraint < form_.tables.size(); }
  const GroundRelation& relation(std::uint32_t table) const {
    return form_.relations[form_.tables[table].relation];
  }
  /// All that the constraint looks at, sorted.
  const std::vector<Subject>& reads(std::uint32_t constraint) const { return reads_[constraint]; }
  /// The constraints that look at it.
  const std::vector<std::uint32_t>& readers(Subject subject) const;
  /// Of a clause, a counter or a joint, which has several.
  std::vector<Origin> origins(std::uint32_t constraint) const;

  /// What the constraint says about these domains, each of them not empty.
  std::vector<Narrowing> Run(std::uint32_t constraint, const GroundDomains& domains) const;
  /// The same for a table of which only the clauses with `used[i]` hold.
  std::vector<Narrowing> RunTable(std::uint32_t table, const GroundDomains& domains,
                                  const std::vector<bool>& used) const;

 private:
  std::uint32_t first_counter() const {
    return static_cast<std::uint32_t>(form_.tables.size() + form_.clauses.size());
  }
  std::uint32_t first_joint() const { return first_counter() + num_counters(); }
  std::uint32_t num_counters() const { return static_cast<std::uint32_t>(form_.counters.size()); }
  std::vector<Narrowing> RunJoint(const GroundJoint& joint, const GroundDomains& domains) const;
  void Read(std::uint32_t constraint, const GroundLiteral& literal);
  void ReadTerm(std::uint32_t constraint, std::uint32_t test);

  const GroundForm& form_;
  std::vector<std::vector<bool>> allowed_;  ///< By relation: tuples in mixed radix.
  std::vector<std::vector<Subject>> reads_;
  std::vector<std::vector<std::uint32_t>> variable_readers_, counter_readers_;
};

/// A comparison, or a weight, of the form.
inline TermView TermOf(const GroundForm& form, std::uint32_t test) {
  return {form.terms, form.universes, form.terms.tests[test]};
}
/// A weight that is a term is within the interval; appends to `out`.
void KeepTerm(const GroundForm& form, const GroundDomains& domains, std::uint32_t test,
              Interval allowed, std::vector<Narrowing>* out);

/// Filters of a counter; appends to `out`. (ground_counter.cc)
void FilterCounter(const GroundForm& form, std::uint32_t counter, const GroundDomains& domains,
                   std::vector<Narrowing>* out);

/// Literals on domains.
Truth Status(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal);
void MakeTrue(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal,
              std::vector<Narrowing>* out);
void MakeFalse(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal,
               std::vector<Narrowing>* out);

}  // namespace exh::runtime::internal
