// SPDX-License-Identifier: MIT
//
// What the engine of the published kind cannot run is refused where it is written, and ours builds
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "dsl/dsl.h"
#include "tests/maps/generator/maps.h"
#include "tests/support/tree.h"

namespace exh::generator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSpace[] = R"(include "../generator/toy/tasks.exh"
choice enum mode($task in Tasks):
  value NOW:
  value LATER:
end
)";

/// What is refused of kSpace with `more` behind it.
std::vector<std::string> Refused(const std::string& more) {
  dsl::DiagnosticSink sink;
  const std::optional<dsl::Spec> spec =
      dsl::CompileText(std::string(kSourceDir) + "/tests/maps/space.exh", kSpace + more, {}, sink);
  EXPECT_TRUE(spec) << RenderText(sink);
  if (!spec) return {};
  Options options;
  options.space = "space";
  options.prefix = "space.exh";
  EXPECT_FALSE(Generate(*spec, options).files.empty()) << more;
  const std::vector<std::string> refused = FindMapsRefusals(*spec);
  const Generated generated = GenerateMaps(*spec, options);
  EXPECT_EQ(generated.files.empty(), !refused.empty());
  if (refused.empty()) {
    EXPECT_THAT(generated.files.at(0).text, HasSubstr("GetMapsModel()"));
    EXPECT_THAT(generated.files.at(1).text, HasSubstr("OnMode"));
  }
  return refused;
}

TEST(MapsRefusalsTest, CountersAreIntervals) {
  EXPECT_THAT(Refused(""), IsEmpty());
  EXPECT_THAT(Refused(R"(
define counter busy(): forall $task in Tasks: sum "1" when: mode($task) is NOW end
require not_one: busy() != "1"
)"),
              ElementsAre(HasSubstr("space.exh:8: a counter is an interval")));
}

TEST(MapsRefusalsTest, Terms) {
  const std::string size = "choice integer size($t in Tasks): \"$t.sizes\" end\n";
  const auto refuses = [&](const std::string& text, const std::string& what) {
    EXPECT_THAT(Refused(text), ElementsAre(HasSubstr(what))) << text;
  };
  refuses("choice integer size($t in Tasks): 1 .. 8 end", "the numbers of choice 'size' stand in");
  refuses(size + "require forall $t in Tasks: size($t) * 2 < 8", "a condition compares terms");
  refuses(size + "choice counter n(): forall $t in Tasks: sum size($t) + 1 when: end",
          "counter 'n' counts a term");
  refuses(size + "choice counter n(): base 3 forall $t in Tasks: sum size($t) when: end",
          "the base of counter 'n' is a number");
  refuses(size + "choice counter n(): forall $t in Tasks: sum size($t) when: size($t) % 2 == 0 end",
          "a condition compares terms");
}

TEST(MapsRefusalsTest, IncrementsOverMoreThanFourObjects) {
  // The test of one decision is an increment only when it names all that the counter runs over.
  const auto refused = [&](const std::string& arguments, const std::string& test) {
    return Refused(R"(
choice enum pair($a in Tasks, $b in Tasks): value NEAR: value FAR: end
choice counter near()" +
                   arguments +
                   R"():
  forall $d in Tasks:
    forall $e in Tasks:
      sum "1" when:
        )" + test + "\nend\n");
  };
  const std::string three = "$a in Tasks, $b in Tasks, $c in Tasks";
  EXPECT_THAT(
      refused(three, "pair($a, $d) is NEAR"),
      ElementsAre(HasSubstr("the increments of counter 'near' are a choice with 5 arguments")));
  EXPECT_THAT(refused(three, "pair($d, $e) is NEAR"), IsEmpty());
  EXPECT_THAT(refused("$a in Tasks, $b in Tasks", "pair($a, $d) is NEAR"), IsEmpty());
}

}  // namespace
}  // namespace exh::generator
