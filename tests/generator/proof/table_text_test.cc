// SPDX-License-Identifier: MIT
//
// `exhc build --emit=tables` says of each clause, mask and snippet, and of the order of choices,
// what the compiled tables hold.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "generated/proof_spaces.h"
#include "generator/generator.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

std::string Use(const runtime::Space& space, const runtime::ChoiceUse& use) {
  return fmt::format("{}({})", space.choices[use.choice].name, fmt::join(use.arguments, ", "));
}

std::string Known(const runtime::Condition& condition, std::string text, bool with_arguments) {
  if (with_arguments) text += fmt::format("({})", fmt::join(condition.lhs.arguments, ", "));
  return condition.negated ? "not " + text : text;
}

std::string TermText(const runtime::Space& space, const runtime::Term& term) {
  using Kind = runtime::TermNode::Kind;
  static constexpr std::array<const char*, 12> kOperations = {
      "", "", "", "negated", "+", "-", "*", "/", "div", "%", "min", "max"};
  std::vector<std::string> nodes;
  for (const runtime::TermNode& node : term) {
    nodes.push_back(node.kind == Kind::kNumber ? fmt::format("{}", node.number)
                    : node.kind == Kind::kCode ? fmt::format("code {}", node.code)
                    : node.kind == Kind::kChoice
                        ? Use(space, node.use)
                        : kOperations[static_cast<std::size_t>(node.kind)]);
  }
  return fmt::format("[{}]", fmt::join(nodes, " "));
}

std::string ConditionText(const runtime::Space& space, const runtime::Condition& condition) {
  static constexpr std::array<const char*, 6> kOperators = {"<", ">", "<=", ">=", "==", "!="};
  const char* op = kOperators[static_cast<std::size_t>(condition.op)];
  switch (condition.kind) {
    case runtime::Condition::Kind::kIs: {
      std::vector<std::string> names;
      const runtime::Choice& choice = space.choices[condition.lhs.choice];
      for (std::size_t i = 0; i < choice.values.size(); ++i) {
        if ((condition.values >> i & 1) != 0) names.push_back(choice.values[i]);
      }
      return fmt::format("{} in 0x{:02x} {{{}}}", Use(space, condition.lhs), condition.values,
                         fmt::join(names, ", "));
    }
    case runtime::Condition::Kind::kCompare:
      return fmt::format("{} {} {}", Use(space, condition.lhs), op, Use(space, condition.rhs));
    case runtime::Condition::Kind::kCompareCode:
      if (condition.code < 0) {
        return fmt::format("{} {} {{{}}}", Use(space, condition.lhs), op,
                           fmt::join(condition.numbers, ", "));
      }
      return fmt::format("{} {} code {}", Use(space, condition.lhs), op, condition.code);
    case runtime::Condition::Kind::kCode:
      return Known(condition, fmt::format("code {}", condition.code), condition.external);
    case runtime::Condition::Kind::kPresent:
      return Known(condition, fmt::format("present {}", condition.code), condition.external);
    case runtime::Condition::Kind::kAscending:
      return Known(condition, "ascending", true);
    case runtime::Condition::Kind::kTerms:
      return fmt::format("{}{} {} {}", condition.negated ? "not " : "",
                         TermText(space, condition.left), op, TermText(space, condition.right));
    case runtime::Condition::Kind::kConstant:
      return condition.constant ? "true" : "false";
  }
  return "";
}

std::string ClauseLine(const runtime::Space& space, std::size_t number) {
  std::vector<std::string> conditions;
  for (const runtime::Condition& condition : space.clauses[number].conditions) {
    conditions.push_back(ConditionText(space, condition));
  }
  return fmt::format("    clause {}: {}", number, fmt::join(conditions, " || "));
}

void ExpectSameClauses(const std::string& name, const std::string& file,
                       const runtime::Space& space) {
  SCOPED_TRACE(name);
  dsl::DiagnosticSink sink;
  dsl::CompileOptions compile_options;
  compile_options.root = kSourceDir;
  const auto spec = dsl::Compile(std::string(kSourceDir) + "/" + file, compile_options, sink);
  ASSERT_TRUE(spec.has_value());
  generator::Options options;
  options.space = name;
  options.emit = {false, false, false, true};
  std::istringstream lines(generator::Generate(*spec, options).files.at(0).text);
  std::string line;
  std::size_t clauses = 0;
  bool fingerprint = false;
  bool ordered = false;  // The lines of the order come last.
  std::vector<std::string> order;
  while (std::getline(lines, line)) {
    if (ordered) order.push_back(line);
    ordered |= line == "order";
    fingerprint |= line == fmt::format("space {}, fingerprint {}", name, space.fingerprint);
    if (!line.starts_with("    clause ")) continue;
    ASSERT_LT(clauses, space.clauses.size());
    EXPECT_EQ(line, ClauseLine(space, clauses));
    ++clauses;
  }
  EXPECT_EQ(clauses, space.clauses.size());
  EXPECT_TRUE(fingerprint);
  std::vector<std::string> expected;
  for (const int choice : space.order) {
    expected.push_back(fmt::format("  {} {}", choice, space.choices[choice].name));
  }
  EXPECT_EQ(order, expected);
}

TEST(TableText, SaysWhatTheTablesHold) {
#define EXH_EXPECT(name, file) ExpectSameClauses(#name, file, spaces::name::GetSpace());
  EXH_PROOF_SPACES(EXH_EXPECT)
#undef EXH_EXPECT
}

}  // namespace
}  // namespace exh::tests
