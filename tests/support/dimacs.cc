// SPDX-License-Identifier: MIT
#include "tests/support/dimacs.h"

#include <bit>
#include <chrono>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "tests/support/shell.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::GroundClause;
using runtime::GroundForm;
using runtime::GroundLiteral;
using Clock = std::chrono::steady_clock;

class DimacsWriter {
 public:
  explicit DimacsWriter(const GroundForm& form) : form_(form) {}

  std::string Run() {
    EXH_CHECK(form_.counters.empty());
    for (const runtime::GroundVariable& variable : form_.variables) {
      first_.push_back(next_);
      next_ += variable.num_values;
    }
    for (std::size_t v = 0; v < form_.variables.size(); ++v) ExactlyOne(v);
    for (const runtime::GroundTable& table : form_.tables) {
      for (const GroundClause& clause : form_.relations[table.relation].clauses) {
        std::vector<int> literals;
        for (const std::uint32_t variable : form_.gates[table.gate]) {
          literals.push_back(-Literal(variable, 1));
        }
        Write(clause, table.variables, literals);
      }
    }
    for (const GroundClause& clause : form_.clauses) Write(clause, {}, {});
    return "p cnf " + std::to_string(next_ - 1) + " " + std::to_string(num_clauses_) + "\n" + text_;
  }

 private:
  int Literal(std::uint32_t variable, int value) const { return first_[variable] + value; }

  void ExactlyOne(std::size_t variable) {
    const int values = form_.variables[variable].num_values;
    std::vector<int> some;
    for (int value = 0; value < values; ++value) {
      const int literal = Literal(static_cast<std::uint32_t>(variable), value);
      if ((form_.variables[variable].root >> value & 1) == 0) {
        Write({-literal});
        continue;
      }
      for (const int other : some) Write({-other, -literal});
      some.push_back(literal);
    }
    Write(some);
  }

  /// A disjunction; of each comparison in it one clause a value of its left side.
  void Write(const GroundClause& clause, const std::vector<std::uint32_t>& variables,
             std::vector<int> literals, std::size_t first = 0) {
    for (std::size_t i = first; i < clause.literals.size(); ++i) {
      const GroundLiteral& literal = clause.literals[i];
      const std::uint32_t a = variables.empty() ? literal.a : variables[literal.a];
      if (literal.kind == GroundLiteral::Kind::kIn) {
        Append(a, literal.values, &literals);
        continue;
      }
      EXH_CHECK(literal.kind == GroundLiteral::Kind::kPair);
      const std::uint32_t b = variables.empty() ? literal.b : variables[literal.b];
      const std::vector<Bits>& pairs = form_.pair_relations[literal.pairs];
      for (int value = 0; value < form_.variables[a].num_values; ++value) {
        std::vector<int> with = literals;
        with.push_back(-Literal(a, value));
        Append(b, pairs[static_cast<std::size_t>(value)], &with);
        Write(clause, variables, std::move(with), i + 1);
      }
      return;
    }
    Write(literals);
  }

  void Append(std::uint32_t variable, Bits values, std::vector<int>* literals) const {
    for (int value = 0; value < form_.variables[variable].num_values; ++value) {
      if ((values >> value & 1) != 0) literals->push_back(Literal(variable, value));
    }
  }

  void Write(const std::vector<int>& literals) {
    for (const int literal : literals) text_ += std::to_string(literal) + " ";
    text_ += "0\n";
    ++num_clauses_;
  }

  const GroundForm& form_;
  std::vector<int> first_;
  int next_ = 1;
  std::size_t num_clauses_ = 0;
  std::string text_;
};

}  // namespace

std::string ToDimacs(const GroundForm& form) {
  return DimacsWriter(form).Run();
}

std::string MissingClasp() {
  return IsOnPath("clasp") ? "" : "clasp is not installed (Debian package clasp)";
}

ClaspRate MeasureClasp(const std::string& dimacs, std::uint64_t solutions, int timeout_s,
                       std::uint64_t seed) {
  const Scratch scratch;
  std::ofstream(scratch / "form.cnf") << dimacs;
  ClaspRate rate;
  const std::string command = "timeout " + std::to_string(timeout_s) + " clasp -n " +
                              std::to_string(solutions) + " --enum-mode=record --restart-on-model" +
                              " --configuration=trendy --sat-prepro=no --sign-def=rnd" +
                              " --save-progress=0 --seed=" + std::to_string(seed) + " " +
                              (scratch / "form.cnf") + " 2>" + (scratch / "errors");
  const Clock::time_point start = Clock::now();
  Clock::time_point first = start;
  const auto since = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  bool satisfiable = false, unsatisfiable = false, more = true;
  ReadLines(command, [&](std::string_view line) {
    satisfiable |= line.starts_with("s SATISFIABLE");
    unsatisfiable |= line.starts_with("s UNSATISFIABLE");
    if (line.starts_with("c Models") && line.find('+') == std::string_view::npos) more = false;
    if (!line.starts_with("c Answer:")) return;
    if (++rate.solutions == 1) {
      first = Clock::now();
      rate.start_seconds = since(start);
    } else {
      rate.seconds = since(first);
    }
  });
  if (!satisfiable && !unsatisfiable) {
    rate.error = "clasp found " + std::to_string(rate.solutions) + " solutions in " +
                 std::to_string(timeout_s) + " s: " + Contents(scratch / "errors");
  }
  rate.all = !more;
  if (rate.solutions > 1 && rate.seconds > 0) {
    rate.solutions_per_second = static_cast<double>(rate.solutions - 1) / rate.seconds;
  }
  return rate;
}

}  // namespace exh::tests
