// SPDX-License-Identifier: MIT
//
// What a clause has of the language, by name: so that a test can tell what has been proven.
#include <array>
#include <set>
#include <string>

#include "tests/support_spec/filter_case.h"

namespace exh::tests {

using dsl::ChoiceKind;
using dsl::Symmetry;
using Kind = dsl::Condition::Kind;

void FilterCase::AddKinds(std::set<std::string>* kinds) const {
  static const std::array<const char*, 6> kOperators = {"<", ">", "<=", ">=", "==", "!="};
  const auto add = [&](const Atom& atom, const Operand& operand, const std::string& what) {
    const dsl::Choice& choice = spec_.choices[decisions_[operand.decision].choice];
    std::string text = what;
    switch (choice.kind) {
      case ChoiceKind::kEnum:
        text += choice.symmetry == Symmetry::kNone        ? " enum"
                : choice.symmetry == Symmetry::kSymmetric ? " symmetric"
                                                          : " antisymmetric";
        break;
      case ChoiceKind::kInteger:
        text += " integer";
        break;
      case ChoiceKind::kCounter:
        text += " counter";
        break;
    }
    if (operand.swapped) text += " swapped";
    if (&operand == &atom.rhs) text += " right";
    kinds->insert(text + (operand.decision == 0 ? ", target" : ", input"));
  };
  for (const Atom& atom : atoms_) {
    const std::string op = kOperators[static_cast<std::size_t>(atom.condition->op)];
    switch (atom.condition->kind) {
      case Kind::kIs:
        add(atom, atom.lhs, "is");
        break;
      case Kind::kCompare:
        add(atom, atom.lhs, "compare " + op);
        add(atom, atom.rhs, "compare " + op);
        break;
      case Kind::kCompareCode:
        add(atom, atom.lhs, "compare " + op + (atom.snippet < 0 ? " numbers" : " code"));
        break;
      case Kind::kCode:
        kinds->insert(atom.condition->external < 0 ? "code" : "predicate");
        break;
      case Kind::kAscending:
        kinds->insert("ascending");
        break;
      case Kind::kPresent:
        kinds->insert("present");
        break;
      case Kind::kTerms:
        break;  // A fault.
      case Kind::kConstant:
        kinds->insert(atom.condition->constant ? "true" : "false");
        break;
    }
  }
}

}  // namespace exh::tests
