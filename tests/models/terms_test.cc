// SPDX-License-Identifier: MIT
//
// The list of terms is what the bound, its explanation and its amounts are made of, for candidates
// on the way of random descents.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "models/inventory/work_view.h"
#include "models/tally.h"
#include "search/descend/choice_order.h"
#include "search/descend/value_set.h"
#include "tests/models/bounded.h"
#include "tests/support/tree.h"

namespace exh::models {
namespace {

struct KernelOnDevice {
  const char *kernel, *size, *device, *space;
};

const KernelOnDevice kKernels[] = {
    {"axpy", "n=4096", "h200", ""},
    {"axpy", "n=1048576", "k4000", "paper"},
    {"mv", "m=4096,n=4096", "cpu", ""},
    {"matmul", "m=64,n=64,k=64", "h200", ""},
    {"matmul", "m=1024,n=1024,k=1024", "k4000", "paper"},
    {"gesummv", "n=64", "h200", ""},
};
constexpr std::size_t kCandidates = 60;
constexpr std::uint64_t kSeed = 1;

/// The domains of candidates on random descents, from roots to implementations or dead ends.
std::vector<Domains> RandomDomains(const search::Problem& problem) {
  const search::ChoiceOrder order = search::ChoiceOrder::Default(problem.root().instance());
  Random random(kSeed);
  std::vector<Domains> all;
  while (all.size() < kCandidates) {
    runtime::Candidate candidate = problem.root();
    for (int step = 0;; ++step) {
      const auto next = order.Next(candidate);
      if (!next || step % 5 == 0) all.push_back(DomainsOf(problem, candidate));
      if (!next) break;
      const int value = search::DrawValue(candidate, *next, random);
      if (candidate.Take(*next, value) != runtime::Propagation::kFixpoint) break;
    }
  }
  return all;
}

/// What the list says of a candidate, without the class that users see.
struct Listed {
  std::vector<BoundTerm> terms;  ///< In the order of the list; those that take time.
  std::vector<double> numbers;
  double ns = 0;
};

Listed ListedOf(const Inventory& inventory, const Domains& domains) {
  const WorkView view(inventory, domains);
  Tally tally(view);
  tally.CountThroughput();
  tally.CountWaits();
  Listed listed;
  terms::ForEach(tally.terms(), [&](const auto& term) {
    const terms::Rate rate = term.RateOf(view.rates());
    const double ns = terms::TimeOf(term, view);
    listed.ns = std::max(listed.ns, ns);
    if (ns > 0) {
      listed.terms.push_back(
          {.resource = term.kResource, .amount = term.amount(), .rate = rate.per_ns, .ns = ns});
    }
  });
  for (const terms::Group group : terms::kGroups) {
    terms::ForEach(tally.terms(), [&](const auto& term) {
      if (term.kGroup == group)
        std::ranges::copy(term.Numbers(), std::back_inserter(listed.numbers));
    });
  }
  return listed;
}

class Terms : public testing::TestWithParam<KernelOnDevice> {
 protected:
  search::Problem problem_ =
      MakeProblem(GetParam().kernel, GetParam().size, GetParam().device, GetParam().space);
  DeviceRates rates_ = RatesOf(problem_);
  LowerBound bound_{*problem_.task.function, rates_};
  Inventory inventory_ = TakeInventory(*problem_.task.function, rates_, CacheState::kWarm);
};

TEST_P(Terms, TheLongestIsTheBound) {
  for (const Domains& domains : RandomDomains(problem_)) {
    const Listed listed = ListedOf(inventory_, domains);
    ASSERT_GT(listed.ns, 0);
    EXPECT_EQ(bound_.Ns(domains), listed.ns);
    // The second tier is asked only where the first does not reach what is enough.
    double first = 0;
    for (const BoundTerm& term : listed.terms) {
      if (term.resource != terms::Latency::kResource) first = std::max(first, term.ns);
    }
    EXPECT_EQ(bound_.Ns(domains, 0), first);
  }
}

TEST_P(Terms, ExplainTheBound) {
  for (const Domains& domains : RandomDomains(problem_)) {
    const Listed listed = ListedOf(inventory_, domains);
    const Bound bound = bound_.Explain(domains);
    EXPECT_EQ(bound.ns, listed.ns);
    ASSERT_EQ(bound.terms.size(), listed.terms.size());
    for (const BoundTerm& term : listed.terms) {
      const auto explained = std::ranges::find(bound.terms, term.resource, &BoundTerm::resource);
      ASSERT_NE(explained, bound.terms.end()) << term.resource;
      EXPECT_EQ(explained->amount, term.amount) << term.resource;
      EXPECT_EQ(explained->rate, term.rate) << term.resource;
      EXPECT_EQ(explained->ns, term.ns) << term.resource;
      if (explained->parts.empty()) continue;
      double sum = 0;
      for (const BoundPart& part : explained->parts) sum += part.amount;
      EXPECT_EQ(sum, term.amount) << term.resource;
    }
    // Of equal times the first of the list.
    EXPECT_EQ(bound.bottleneck,
              std::ranges::max_element(listed.terms, {}, &BoundTerm::ns)->resource);
  }
}

TEST_P(Terms, AreTheFirstAmounts) {
  std::vector<double> amounts(bound_.num_amounts());
  for (const Domains& domains : RandomDomains(problem_)) {
    std::vector<double> expected = ListedOf(inventory_, domains).numbers;
    expected.insert(expected.begin(), bound_.Amounts(domains, amounts));
    EXPECT_EQ(std::vector(amounts.begin(), amounts.begin() + std::ssize(expected)), expected);
  }
}

std::string NameOf(const testing::TestParamInfo<KernelOnDevice>& test) {
  return std::string(test.param.kernel) + "_" + test.param.device;
}
INSTANTIATE_TEST_SUITE_P(Kernels, Terms, testing::ValuesIn(kKernels), NameOf);

TEST(TermList, EachIsInTheReadmeOnce) {
  std::ifstream stream(std::string(kSourceDir) + "/models/README.md");
  const std::string readme(std::istreambuf_iterator<char>(stream), {});
  std::set<std::string_view> names;
  terms::ForEach(terms::List(), [&](const auto& term) {
    EXPECT_TRUE(names.insert(term.kResource).second) << term.kResource;
    const std::string name(term.kResource);
    EXPECT_NE(readme.find("| [`" + name + "`](terms/" + name + ".h) |"), std::string::npos) << name;
  });
}

}  // namespace
}  // namespace exh::models
