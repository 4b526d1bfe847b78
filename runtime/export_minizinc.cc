// SPDX-License-Identifier: MIT
#include "runtime/export_minizinc.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "base/check.h"
#include "base/error.h"
#include "runtime/int_domain.h"
#include "runtime/internal/minizinc/minizinc_writer.h"

namespace exh::runtime {
namespace internal {
namespace {

/// A larger table is written as the clauses that it was made of.
constexpr std::size_t kMostTuples = 5000;

constexpr const char* kOperators[] = {"<", ">", "<=", ">=", "=", "!="};

std::string Join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace

MiniZincWriter::MiniZincWriter(const Instance& instance, const MiniZincOptions& options)
    : instance_(instance), options_(options), form_(MakeGroundForm(instance)) {}

std::string MiniZincWriter::Run() {
  const Space& space = instance_.space();
  text_ = "% Implementations of space " + space.name + " " + space.fingerprint + "\n";
  if (options_.gecode_tables) {
    text_ +=
        "predicate gecode_table_int(array[int] of var int: x, array[int] of int: t);\n"
        "predicate gecode_table_int_imp(array[int] of var int: x, array[int] of int: t, "
        "var bool: b);\n";
  } else {
    text_ += "include \"table.mzn\";\n";
  }
  AddObjective();
  WriteVariables();
  PlanCounters();
  for (std::uint32_t counter = 0; counter < form_.counters.size(); ++counter) {
    if (plans_[counter].needed > 0) WriteCounter(counter);
  }
  for (const GroundTable& table : form_.tables) WriteTable(table);
  for (const GroundClause& clause : form_.clauses) {
    std::vector<std::string> literals;
    for (const GroundLiteral& literal : clause.literals) literals.push_back(LiteralText(literal));
    WriteClause(literals);
  }
  WriteSearch();
  return std::move(text_);
}

std::string MiniZincWriter::UniqueName(const std::string& prefix, const std::string& name) {
  std::string word = prefix;
  for (const char c : name) {
    const bool keeps = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (keeps || word.back() != '_') word += keeps ? c : '_';
  }
  while (word.back() == '_') word.pop_back();
  std::string unique = word;
  for (int number = 2; !names_.insert(unique).second; ++number) {
    unique = word + "_" + std::to_string(number);
  }
  return unique;
}

std::uint64_t MiniZincWriter::Number(std::uint32_t variable, int value) const {
  const GroundVariable& v = form_.variables[variable];
  if (v.decision != kNoDecision) {
    const auto universe = instance_.universe(v.decision);
    if (!universe.empty()) return universe[static_cast<std::size_t>(64 * v.word + value)];
  }
  return static_cast<std::uint64_t>(value);
}

std::string MiniZincWriter::SetText(std::uint32_t variable, Bits values) const {
  std::vector<std::string> numbers;
  for (; values != 0; values &= values - 1) {
    numbers.push_back(std::to_string(Number(variable, std::countr_zero(values))));
  }
  return "{" + Join(numbers, ",") + "}";
}

std::string MiniZincWriter::InText(std::uint32_t variable, Bits values) const {
  const Bits root = form_.variables[variable].root, inside = root & values;
  if (inside == root) return "true";
  if (inside == 0) return "false";
  const auto compared = [&](const char* op, Bits value) {
    return variable_names_[variable] + op +
           std::to_string(Number(variable, std::countr_zero(value)));
  };
  if (std::has_single_bit(inside)) return compared(" = ", inside);
  if (std::has_single_bit(root & ~inside)) return compared(" != ", root & ~inside);
  return variable_names_[variable] + " in " + SetText(variable, inside);
}

/// As a comparison of the two variables where it is one, otherwise value by value.
std::string MiniZincWriter::PairText(const GroundLiteral& literal) const {
  const std::vector<Bits>& rows = form_.pair_relations[literal.pairs];
  const Bits left = form_.variables[literal.a].root, right = form_.variables[literal.b].root;
  for (int op = 0; op < 6; ++op) {
    bool same = true;
    for (Bits l = left; l != 0; l &= l - 1) {
      for (Bits r = right; r != 0; r &= r - 1) {
        const int v = std::countr_zero(l), w = std::countr_zero(r);
        same = same && Compare(static_cast<CompareOp>(op), Number(literal.a, v),
                               Number(literal.b, w)) == ((rows[v] >> w & 1) != 0);
      }
    }
    if (same) {
      return variable_names_[literal.a] + " " + kOperators[op] + " " + variable_names_[literal.b];
    }
  }
  std::vector<std::string> cases;
  for (Bits l = left; l != 0; l &= l - 1) {
    const int v = std::countr_zero(l);
    if ((rows[v] & right) == 0) continue;
    cases.push_back("(" + InText(literal.a, Bits{1} << v) + " /\\ " + InText(literal.b, rows[v]) +
                    ")");
  }
  return cases.empty() ? "false" : "(" + Join(cases, " \\/ ") + ")";
}

std::string MiniZincWriter::CounterText(const GroundLiteral& literal) const {
  const std::string& name = counter_names_[literal.a];
  if (literal.kind == GroundLiteral::Kind::kCounterPair) {
    return name + " " + kOperators[static_cast<int>(literal.op)] + " " + counter_names_[literal.b];
  }
  const std::uint64_t cap = plans_[literal.a].cap;
  if (literal.kind == GroundLiteral::Kind::kCounterNot) {
    return literal.interval.min > cap ? "true"
                                      : name + " != " + std::to_string(literal.interval.min);
  }
  if (literal.interval.IsEmpty() || literal.interval.min > cap) return "false";
  std::vector<std::string> bounds;
  if (literal.interval.min > 0)
    bounds.push_back(name + " >= " + std::to_string(literal.interval.min));
  if (literal.interval.max < cap)
    bounds.push_back(name + " <= " + std::to_string(literal.interval.max));
  if (bounds.empty()) return "true";
  return bounds.size() == 1 ? bounds.front() : "(" + Join(bounds, " /\\ ") + ")";
}

std::string MiniZincWriter::LongText(const GroundLiteral& literal) const {
  std::vector<std::string> inside;
  bool all = true;
  for (std::uint32_t word = 0; word < literal.b; ++word) {
    const std::uint32_t variable = literal.a + word;
    const Bits root = form_.variables[variable].root;
    Bits values = root & form_.long_masks[literal.pairs + word];
    all &= values == root;
    for (; values != 0; values &= values - 1) {
      inside.push_back(std::to_string(Number(variable, std::countr_zero(values))));
    }
  }
  if (all) return "true";
  return inside.empty() ? "false" : variable_names_[literal.a] + " in {" + Join(inside, ",") + "}";
}

std::string MiniZincWriter::LiteralText(const GroundLiteral& literal) const {
  switch (literal.kind) {
    case GroundLiteral::Kind::kIn:
      return InText(literal.a, literal.values);
    case GroundLiteral::Kind::kPair:
      return PairText(literal);
    case GroundLiteral::Kind::kCounterIn:
    case GroundLiteral::Kind::kCounterNot:
    case GroundLiteral::Kind::kCounterPair:
      return CounterText(literal);
    case GroundLiteral::Kind::kLong:
      return LongText(literal);
    case GroundLiteral::Kind::kTerm: {
      const std::string text = ComparedText(form_.terms.tests[literal.a]);
      return literal.negated ? "not (" + text + ")" : "(" + text + ")";
    }
  }
  EXH_UNREACHABLE();
}

void MiniZincWriter::WriteVariables() {
  text_ += "\n% Decisions.\n";
  for (std::uint32_t v = 0; v < form_.variables.size(); ++v) {
    const GroundVariable& variable = form_.variables[v];
    if (variable.num_words != 0 && v >= instance_.num_decisions()) {  // A word of one above.
      variable_names_.push_back(variable_names_[variable.decision]);
      continue;
    }
    const bool is_decision = variable.decision != kNoDecision;
    if (!is_decision && form_.variables[v - 1].decision != kNoDecision) {
      text_ += "\n% Planned objects: 1 when they are there.\n";
    }
    variable_names_.push_back(UniqueName(is_decision ? "d_" : "h_", variable.name));
    std::string values = SetText(v, variable.root);
    if (variable.num_words != 0) {
      values.clear();
      for (std::uint32_t word = 0; word < variable.num_words; ++word) {
        std::string here =
            SetText(variable.first_word + word, form_.variables[variable.first_word + word].root);
        here = here.substr(1, here.size() - 2);
        if (!here.empty()) values += (values.empty() ? "" : ",") + here;
      }
      values = "{" + values + "}";
    }
    text_ += "var " + values + ": " + variable_names_[v] + ";  % " + variable.name;
    if (is_decision && instance_.universe(v).empty()) {
      for (Bits rest = variable.root; rest != 0; rest &= rest - 1) {
        const int value = std::countr_zero(rest);
        text_ += " " + std::to_string(value) + "=" + instance_.ValueName(v, value);
      }
    }
    text_ += "\n";
  }
  text_ += "\n% A decision whose objects are not all there has its first value.\n";
  for (DecisionId d = 0; d < instance_.num_decisions(); ++d) {
    const GroundVariable& variable = form_.variables[d];
    if (IsAlwaysOpen(variable.live_gate) || std::has_single_bit(variable.root)) continue;
    if (variable.num_words != 0) {
      std::uint32_t first = variable.first_word;
      while (form_.variables[first].root == 0) ++first;
      WriteClause(
          {GateText(variable.live_gate),
           variable_names_[d] + " = " +
               std::to_string(Number(first, std::countr_zero(form_.variables[first].root)))});
      continue;
    }
    WriteClause({GateText(variable.live_gate), InText(d, variable.root & (~variable.root + 1))});
  }
}

bool MiniZincWriter::IsAlwaysOpen(std::uint32_t gate) const {
  return std::ranges::all_of(form_.gates[gate], [&](std::uint32_t variable) {
    return form_.variables[variable].root == Bits{2};
  });
}

std::string MiniZincWriter::GateText(std::uint32_t gate) {
  const auto [it, is_new] = gate_names_.try_emplace(gate);
  if (is_new) {
    std::vector<std::string> members;
    for (const std::uint32_t variable : form_.gates[gate]) {
      members.push_back(variable_names_[variable] + " = 1");
    }
    it->second = UniqueName("g_", std::to_string(gate));
    text_ += "var bool: " + it->second + " = (" + Join(members, " /\\ ") + ");\n";
  }
  return it->second;
}

void MiniZincWriter::WriteClause(const std::vector<std::string>& literals) {
  std::vector<std::string> open;
  for (const std::string& literal : literals) {
    if (literal == "true") return;
    if (literal != "false") open.push_back(literal);
  }
  text_ += "constraint " + (open.empty() ? "false" : Join(open, " \\/ ")) + ";\n";
}

void MiniZincWriter::WriteClauses(const GroundTable& table) {
  const std::string closed = IsAlwaysOpen(table.gate) ? "false" : "not " + GateText(table.gate);
  for (const GroundClause& clause : form_.relations[table.relation].clauses) {
    std::vector<std::string> literals = {closed};
    for (GroundLiteral literal : clause.literals) {  // A copy: positions become variables.
      literal.a = table.variables[literal.a];
      literal.b = table.variables[literal.b];
      literals.push_back(LiteralText(literal));
    }
    WriteClause(literals);
  }
}

void MiniZincWriter::WriteTable(const GroundTable& table) {
  const bool gated = !IsAlwaysOpen(table.gate);
  const GroundRelation& relation = form_.relations[table.relation];
  std::string key = std::to_string(table.relation);
  for (const std::uint32_t variable : table.variables) {
    key += ":";
    if (variable >= instance_.num_decisions()) continue;
    for (const std::uint32_t number : instance_.universe(variable)) {
      key += std::to_string(number) + ",";
    }
  }
  auto [it, is_new] = table_names_.try_emplace(key);
  if (is_new) {
    const std::vector<std::vector<int>> tuples = AllowedTuples(form_, relation);
    if (!tuples.empty() && tuples.size() <= kMostTuples) {
      it->second = UniqueName("t_", std::to_string(table_names_.size()));
      const std::string width = std::to_string(table.variables.size());
      const std::string height = std::to_string(tuples.size());
      std::vector<std::string> numbers;
      for (const std::vector<int>& tuple : tuples) {
        for (std::size_t i = 0; i < tuple.size(); ++i) {
          numbers.push_back(std::to_string(Number(table.variables[i], tuple[i])));
        }
      }
      text_ += options_.gecode_tables
                   ? "array[int] of int: " + it->second + " = [" + Join(numbers, ",") + "];\n"
                   : "array[int,int] of int: " + it->second + " = array2d(1.." + height + ",1.." +
                         width + ",[" + Join(numbers, ",") + "]);\n";
    }
  }
  if (it->second.empty() || (gated && !options_.gecode_tables)) {
    WriteClauses(table);
    return;
  }
  std::vector<std::string> variables;
  for (const std::uint32_t variable : table.variables) {
    variables.push_back(variable_names_[variable]);
  }
  const std::string gate = gated ? GateText(table.gate) : "";  // Before the constraint's own line.
  const std::string call = "([" + Join(variables, ",") + "]," + it->second;
  if (!options_.gecode_tables) {
    text_ += "constraint table" + call + ");\n";
  } else if (gated) {
    text_ += "constraint gecode_table_int_imp" + call + "," + gate + ");\n";
  } else {
    text_ += "constraint gecode_table_int" + call + ");\n";
  }
}

void MiniZincWriter::WriteSearch() {
  std::vector<bool> listed(instance_.num_decisions(), false);
  std::vector<std::string> branch, output;
  const auto add = [&](DecisionId decision) {
    if (listed[decision]) return;
    listed[decision] = true;
    if (std::has_single_bit(form_.variables[decision].root)) return;
    branch.push_back(variable_names_[decision]);
    output.push_back("\"" + variable_names_[decision] + " = \\(" + variable_names_[decision] +
                     ");\\n\"");
  };
  for (const DecisionId decision : options_.order) {
    EXH_CHECK(decision < instance_.num_decisions());
    add(decision);
  }
  for (DecisionId decision = 0; decision < instance_.num_decisions(); ++decision) add(decision);
  std::string goal = "satisfy";
  if (objective_) {
    goal = instance_.space().objective->maximize ? "maximize " : "minimize ";
    goal += TermText(*objective_, objective_->left).over;
  }
  text_ += "\nsolve :: int_search([" + Join(branch, ",") + "], input_order, " +
           options_.value_choice + ", complete) " + goal + ";\n";
  text_ += "output [" + Join(output, ",") + "];\n";
}

}  // namespace internal

std::string ExportMiniZinc(const Instance& instance, const MiniZincOptions& options) {
  if (instance.root_result() == Propagation::kDeadEnd) {
    return "% No implementation: " + OriginText(instance.space(), instance.root_conflict().origin) +
           "\nconstraint false;\nsolve satisfy;\n";
  }
  return internal::MiniZincWriter(instance, options).Run();
}

}  // namespace exh::runtime
