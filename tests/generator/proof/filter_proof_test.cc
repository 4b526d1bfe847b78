// SPDX-License-Identifier: MIT
//
// Every generated filter of the golden spaces, of the space of linear algebra and of one with every
// kind of condition is its specification, and the engine is as strong as each. The faults that are
// planted below are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsl/dsl.h"
#include "generated/proof_spaces.h"  // EXH_PROOF_SPACES(X): X(name, file) for each space
#include "tests/support/tree.h"
#include "tests/support_spec/filter_case.h"
#include "tests/support_spec/filter_proof.h"

namespace exh::tests {
namespace {

using runtime::FilterArgument;
using runtime::FilterResult;
using runtime::SpecFilter;

/// A generated space and what it was generated from.
struct ProvenSpace {
  dsl::Spec spec;
  const runtime::Space* tables = nullptr;
  std::vector<SpecFilter> filters;
};

ProvenSpace Load(const std::string& file, const runtime::Space& tables,
                 std::vector<SpecFilter> filters) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions options;
  options.root = kSourceDir;
  auto spec = dsl::Compile(std::string(kSourceDir) + "/" + file, options, sink);
  EXPECT_TRUE(spec.has_value()) << dsl::RenderText(sink);
  return {std::move(*spec), &tables, std::move(filters)};
}

const std::map<std::string, ProvenSpace>& Spaces() {
  static const std::map<std::string, ProvenSpace> spaces = [] {
    std::map<std::string, ProvenSpace> loaded;
#define EXH_LOAD(name, file) \
  loaded.emplace(#name, Load(file, spaces::name::GetSpace(), spaces::name::filters::All()));
    EXH_PROOF_SPACES(EXH_LOAD)
#undef EXH_LOAD
    return loaded;
  }();
  return spaces;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, space] : Spaces()) names.push_back(name);
  return names;
}

const SpecFilter& FilterNamed(const ProvenSpace& space, const std::string& name) {
  const auto it = std::ranges::find(space.filters, name, &SpecFilter::name);
  EXPECT_NE(it, space.filters.end()) << name;
  return *it;
}

class FilterProof : public testing::TestWithParam<std::string> {
 protected:
  const ProvenSpace& space() const { return Spaces().at(GetParam()); }
};

TEST_P(FilterProof, EveryFilterIsItsSpecification) {
  int exhaustive = 0;
  std::uint64_t combinations = 0;
  for (const SpecFilter& filter : space().filters) {
    const Proof proof = ProveFilter(space().spec, filter);
    EXPECT_EQ(proof.fault, "");
    EXPECT_GT(proof.combinations, 0u) << filter.name;
    exhaustive += proof.exhaustive;
    combinations += proof.combinations;
  }
  RecordProperty("filters", static_cast<int>(space().filters.size()));
  RecordProperty("exhaustive", exhaustive);
  RecordProperty("combinations", std::to_string(combinations));
}

TEST_P(FilterProof, EveryDecisionOfEveryClauseHasAFilter) {
  EXPECT_EQ(ProveComplete(space().spec, *space().tables, space().filters), "");
}

TEST_P(FilterProof, TheEngineIsAsStrongAndLosesNothing) {
  ProofOptions options;
  options.limit = 20'000;
  options.random = 5000;
  std::uint64_t combinations = 0;
  for (const SpecFilter& filter : space().filters) {
    const Proof proof = ProveEngine(space().spec, *space().tables, filter, options);
    EXPECT_EQ(proof.fault, "");
    combinations += proof.combinations;
  }
  RecordProperty("engine_combinations", std::to_string(combinations));
}

/// One wrong value for one combination of arguments is enough to be found.
TEST_P(FilterProof, OneWrongValueOfAnyFilterIsFound) {
  ProofOptions options;
  options.limit = 50'000;
  std::mt19937 random(1);
  int planted = 0;
  for (const SpecFilter& filter : space().filters) {
    const FilterCase filter_case(space().spec, filter);
    if (filter_case.NumCombinations(options.limit) > options.limit) continue;
    const std::uint64_t wrong_call = random() % filter_case.NumCombinations(options.limit);
    const std::uint64_t bit = random() % filter_case.target().values.size();
    std::uint64_t calls = 0;
    const auto wrong = [&](std::span<const FilterArgument> arguments) {
      FilterResult result = filter.call(arguments);
      if (calls++ == wrong_call) {
        result.bits ^= runtime::Bits{1} << bit;
        result.interval.min =
            result.interval.IsEmpty() ? result.interval.max : result.interval.min + 1;
      }
      return result;
    };
    const Proof proof = ProveFilter(space().spec, filter, options, wrong);
    EXPECT_NE(proof.fault, "") << filter.name;
    EXPECT_EQ(proof.combinations, wrong_call + 1) << filter.name;
    ++planted;
  }
  EXPECT_EQ(planted > 0, !space().filters.empty());
  RecordProperty("planted", planted);
}

INSTANTIATE_TEST_SUITE_P(Spaces, FilterProof, testing::ValuesIn(Names()),
                         [](const auto& name) { return name.param; });

/// Everything that a condition may be, with the target on either side and among the inputs.
TEST(FilterProofKinds, EveryKindOfConditionIsProven) {
  std::set<std::string> expected = {"code",
                                    "true",
                                    "false",
                                    "predicate",
                                    "ascending",
                                    "present",
                                    "compare == numbers integer, target",
                                    "compare != numbers integer, target",
                                    "compare >= numbers integer, input",
                                    "compare == numbers counter, input",
                                    "compare > numbers counter, target"};
  const std::vector<std::string> equalities = {"==", "!="};
  const std::vector<std::string> operators = {"<", ">", "<=", ">=", "==", "!="};
  for (const std::string role : {", target", ", input"}) {
    for (const std::string kind : {" enum", " symmetric", " antisymmetric"}) {
      expected.insert("is" + kind + role);
      for (const std::string& op : equalities) {
        expected.insert("compare " + op + kind + role);
        expected.insert("compare " + op + kind + " right" + role);
      }
      if (kind == " enum") continue;
      expected.insert("is" + kind + " swapped" + role);
      for (const std::string& op : equalities) {
        expected.insert("compare " + op + kind + " swapped" + role);
        expected.insert("compare " + op + kind + " swapped right" + role);
      }
    }
    for (const std::string kind : {" integer", " counter"}) {
      for (const std::string& op : operators) {
        expected.insert("compare " + op + kind + role);
        expected.insert("compare " + op + kind + " right" + role);
        expected.insert("compare " + op + " code" + kind + role);
      }
    }
  }
  std::set<std::string> proven;
  const ProvenSpace& space = Spaces().at("every_clause");
  for (const SpecFilter& filter : space.filters) {
    FilterCase(space.spec, filter).AddKinds(&proven);
  }
  for (const std::string& kind : expected) EXPECT_TRUE(proven.contains(kind)) << kind;
}

// ---- Filters that are wrong in the ways in which a generator goes wrong.

namespace every = spaces::every_clause;
using every::Mode;
using every::ModeDomain;
using every::Order;
using every::OrderDomain;
using runtime::CallFilter;
using runtime::CompareOp;
using runtime::IntDomain;
using runtime::Interval;
using runtime::Universe;

std::string FaultOf(const std::string& name,
                    FilterResult (*wrong)(std::span<const FilterArgument>)) {
  const ProvenSpace& space = Spaces().at("every_clause");
  const SpecFilter& filter = FilterNamed(space, name);
  EXPECT_EQ(ProveFilter(space.spec, filter).fault, "");
  return ProveFilter(space.spec, filter, {}, wrong).fault;
}

/// Prunes while the other may still satisfy the clause.
ModeDomain TooSoon(ModeDomain mode_b) {
  if (!mode_b.MayBe(Mode::NOW)) return ModeDomain::All();
  return Mode::NOW | ModeDomain(Mode::LATER);
}

/// Waits although the other can no longer satisfy the clause.
ModeDomain Never(ModeDomain) {
  return ModeDomain::All();
}

/// The pair is read as it is stored, not as the clause reads it.
OrderDomain WithoutInversion(OrderDomain order_a_c) {
  return OrderDomain(Order::AFTER) | OrderDomain(Order::AFTER) | order_a_c;
}

IntDomain OtherOperator(Universe universe, const IntDomain& pieces_b,
                        std::span<const std::uint32_t> numbers) {
  return IntDomain::All(universe).That(CompareOp::kLe, pieces_b) |
         IntDomain::That(universe, CompareOp::kLt, numbers);
}

IntDomain WithoutTheSnippet(Universe universe, const IntDomain& pieces_b,
                            std::span<const std::uint32_t>) {
  return IntDomain::All(universe).That(CompareOp::kLt, pieces_b);
}

Interval OffByOne(Interval ahead_b, std::span<const std::uint32_t> numbers) {
  return runtime::Hull(runtime::CounterThat(CompareOp::kLe, ahead_b),
                       runtime::CounterThat(CompareOp::kLt, numbers));
}

TEST(PlantedFilterFault, IsFound) {
  EXPECT_NE(FaultOf("test::FilterModeA", CallFilter<Never>), "");
  EXPECT_NE(FaultOf("test::FilterModeA", CallFilter<TooSoon>), "");
  EXPECT_NE(FaultOf("order_other_swapped::FilterOrderAB", CallFilter<WithoutInversion>), "");
  EXPECT_NE(FaultOf("less::FilterPiecesA", CallFilter<OtherOperator>), "");
  EXPECT_NE(FaultOf("less::FilterPiecesA", CallFilter<WithoutTheSnippet>), "");
  EXPECT_NE(FaultOf("fewer::FilterAheadA", CallFilter<OffByOne>), "");
}

TEST(PlantedFilterFault, IsFoundByASampleToo) {
  const ProvenSpace& space = Spaces().at("every_clause");
  const SpecFilter& filter = FilterNamed(space, "less::FilterPiecesA");
  ProofOptions options;
  options.limit = 10;
  options.random = 0;  // Every two domains of two parameters are enough here.
  const Proof right = ProveFilter(space.spec, filter, options);
  EXPECT_EQ(right.fault, "");
  EXPECT_FALSE(right.exhaustive);
  EXPECT_NE(ProveFilter(space.spec, filter, options, CallFilter<OtherOperator>).fault, "");
}

TEST(PlantedFilterFault, ATableThatIsNotComplete) {
  const ProvenSpace& space = Spaces().at("every_clause");
  std::vector<SpecFilter> filters = space.filters;
  filters.pop_back();
  EXPECT_NE(ProveComplete(space.spec, *space.tables, filters), "");
  filters.push_back(filters.front());
  EXPECT_NE(ProveComplete(space.spec, *space.tables, filters), "");
  filters = space.filters;
  std::swap(filters[0].clause, filters.back().clause);
  EXPECT_NE(ProveFilter(space.spec, filters[0]).fault, "");
}

/// The tables of the engine say something else than the filters.
TEST(PlantedFilterFault, AClauseOfTheTables) {
  const ProvenSpace& space = Spaces().at("every_clause");
  for (const SpecFilter& filter : space.filters) {
    runtime::Space wrong = *space.tables;
    bool changed = false;
    for (runtime::Condition& condition : wrong.clauses[filter.clause].conditions) {
      if (condition.kind != runtime::Condition::Kind::kIs) continue;
      condition.values ^= 1;
      changed = true;
    }
    if (!changed || filter.name.starts_with("always")) continue;
    EXPECT_NE(ProveEngine(space.spec, wrong, filter).fault, "") << filter.name;
  }
}

}  // namespace
}  // namespace exh::tests
