// SPDX-License-Identifier: MIT
//
// Freezing as those see it who wait for it: how far it is, how to stop it, and how large a space
// may be.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/rows/propagator.h"
#include "tests/runtime/model.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::FreezeOptions;
using runtime::FreezeProgress;
using runtime::Instance;

constexpr Bits A = 1, BC = 6;

/// A space whose host takes its time: half a second at least.
struct Slow {
  Slow() {
    const int items = test.AddRoot("Items", 30);
    const int kind = test.AddEnum("kind", {Var(items)}, 3);
    test.Require({Var(items), Var(items)},
                 {Is(kind, {0}, A), Is(kind, {1}, BC), test.Code([this](TableHost::Tuple) {
                    ++asked;
                    std::this_thread::sleep_for(std::chrono::microseconds(600));
                    return false;
                  })},
                 "slow_pairs");
  }
  TestSpace test;
  int asked = 0;
};

TEST(Freeze, SaysHowFarItIs) {
  Slow slow;
  std::vector<FreezeProgress> seen;
  FreezeOptions options;
  options.progress = [&](const FreezeProgress& progress) {
    seen.push_back(progress);
    return true;
  };
  ASSERT_NE(Instance::Freeze(slow.test.space, slow.test.host, options), nullptr);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().phase, "requirement slow_pairs");
  EXPECT_GE(seen.front().seconds, 0.2);
  double share = 0, seconds = 0;
  for (const FreezeProgress& progress : seen) {
    EXPECT_GE(progress.share, share);
    EXPECT_LE(progress.share, 1);
    EXPECT_GE(progress.seconds, seconds);
    EXPECT_GT(progress.expected_s, 0);  // By the sizes, so from the beginning on …
    EXPECT_EQ(progress.expected_s, seen.front().expected_s);  // … and the same to the end.
    share = progress.share;
    seconds = progress.seconds;
  }
}

TEST(Freeze, StopsWhenAsked) {
  Slow slow;
  FreezeOptions options;
  options.progress = [](const FreezeProgress&) { return false; };
  EXPECT_THROW(Instance::Freeze(slow.test.space, slow.test.host, options), exh::Interrupted);
  EXPECT_LT(slow.asked, 30 * 29);
  // Nothing is left behind in the thread that froze.
  EXPECT_TRUE(Model(OrderSpace(2, 3)).candidate().IsOpen(0));
}

/// The whole of a long freeze can be stopped, not only its snippets.
TEST(Freeze, StopsInEveryPhase) {
  std::vector<std::string> phases;
  const TestSpace test = OrderSpace(2, 14);
  for (int number = 0;; ++number) {
    FreezeOptions options;
    options.progress_interval_s = 0;
    int left = number;
    std::string phase;
    options.progress = [&](const FreezeProgress& progress) {
      phase = progress.phase;
      return left-- > 0;
    };
    try {
      Instance::Freeze(test.space, test.host, options);
      break;
    } catch (const exh::Interrupted&) {
      if (phases.empty() || phases.back() != phase) phases.push_back(phase);
    }
  }
  EXPECT_EQ(phases, (std::vector<std::string>{
                        "requirement instructions_are_leaves", "requirement before_is_transitive",
                        "requirement inner_is_transitive", "requirement before_outer",
                        "requirement after_outer", "requirement common_inner",
                        "requirement merged_is_the_same", "tables", "the root", "rows"}));
}

TEST(Freeze, TooMuchMemoryIsSaidWithWhatIsLarge) {
  const TestSpace test = OrderSpace(2, 300);
  FreezeOptions options;
  options.progress_interval_s = 0;
  options.max_bytes = 1 << 20;
  try {
    Instance::Freeze(test.space, test.host, options);
    FAIL() << "300 objects fit a megabyte";
  } catch (const exh::TooLarge& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(" MiB while it is built, and 1 MiB are allowed. It was at requirement "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("302 objects in Statements and 45451 decisions, most of order, in "),
              std::string::npos)
        << text;
  }
  options.max_bytes = std::uint64_t{1} << 34;
  EXPECT_NE(Instance::Freeze(OrderSpace(2, 14).space, OrderSpace(2, 14).host, options), nullptr);
}

TEST(Freeze, TooManyObjectsAreAMistakeWithAPlace) {
  TestSpace test;
  test.AddRoot("Few", 3);
  test.AddRoot("Many", 65535);
  try {
    Instance::Freeze(test.space, test.host);
    FAIL() << "65535 objects were taken";
  } catch (const exh::Error& error) {
    EXPECT_STREQ(error.what(), "set Many has 65535 objects: a set holds 0 to 65534");
  }
}

TEST(Freeze, ObjectsHaveNamesThatCanBeWritten) {
  class Named final : public TableHost {
   public:
    explicit Named(TableHost host, std::string name) : TableHost(std::move(host)), name_(name) {}
    std::string Name(int, Object object) const override { return object == 1 ? name_ : "a"; }

   private:
    std::string name_;
  };
  TestSpace test;
  test.AddRoot("Items", 2);
  const auto message = [&](const std::string& name) -> std::string {
    try {
      Instance::Freeze(test.space, Named(test.host, name));
    } catch (const exh::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("b"), "");
  EXPECT_EQ(message("a"), "set Items: objects 0 and 1 have the same name, 'a'");
  for (const char* name : {"b c", "", "b,c", "b(c)", "b\tc", "b\n"}) {
    EXPECT_EQ(message(name), "set Items: object 1 is named '" + std::string(name) +
                                 "': a name is not empty and holds no blank, comma or parenthesis");
  }
}

/// A choice over pairs of 257 objects takes more than 2^16 cells of a state.
TEST(Freeze, PairsOfMoreThan256ObjectsLieInTablesAndRows) {
  constexpr int kObjects = 300;
  for (const int objects : {250, kObjects}) {
    TestSpace test;
    const int items = test.AddRoot("Items", objects);
    const int kind = test.AddEnum("kind", {Var(items)}, 3);
    const int order = test.AddAntisymmetric("order", items, {1, 0, 2});
    test.Require({Var(items), Var(items)}, {Is(kind, {0}, A), Is(order, {0, 1}, BC)});
    test.Require({Var(items), Var(items)},
                 {Is(kind, {0}, BC), Is(kind, {1}, BC), Is(order, {0, 1}, A | 4)});
    Model model(test);
    const auto& network = model.candidate().instance().network();
    EXPECT_EQ(model.candidate().instance().statistics().wide_tables, 0u);
    EXPECT_EQ(network.num_loose, 0u);
    EXPECT_GE(network.pair_runs.size() + network.triple_runs.size(),
              static_cast<std::size_t>(objects));
    const std::uint64_t before = runtime::internal::EventsOfThread();
    const auto last = static_cast<Object>(objects - 1);
    ASSERT_TRUE(model.Set(kind, {last}, 2));
    EXPECT_EQ(model(order, {last, 0}), BC);
    EXPECT_EQ(model(order, {0, last}), 5u);
    EXPECT_EQ(model(order, {0, 1}), 7u);
    // One event a pair that changed, and one for the kind: no more for those beyond 2^16.
    EXPECT_LE(runtime::internal::EventsOfThread() - before, static_cast<std::uint64_t>(objects));
  }
}

}  // namespace
}  // namespace exh::tests
