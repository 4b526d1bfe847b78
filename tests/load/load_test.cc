// SPDX-License-Identifier: MIT
//
// A space that is loaded is the one that exhc generates: the same tables, the same count, the same
// solutions; and what asks a backbone is refused where it stands.
#include "load/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "search/exact/exact_count.h"
#include "search/solve/open_space.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"
#include "spaces/plain.exh.h"
#include "tests/load/nothing.h"
#include "tests/load/space_text.h"

namespace exh::load {
namespace {

using runtime::Candidate;
using runtime::Instance;
using testing::HasSubstr;

constexpr const char* kPlain = "tests/load/plain.exh";

LoadedSpace Plain() {
  dsl::DiagnosticSink sink;
  auto loaded = LoadFile(kPlain, sink);
  EXPECT_TRUE(loaded.has_value()) << dsl::RenderText(sink);
  return *loaded;
}

std::shared_ptr<const Instance> Generated() {
  static const Nothing nothing;
  const spaces::plain::SpaceHost host(nothing);
  return Instance::Freeze(spaces::plain::GetSpace(), host);
}

std::set<std::string> Solutions(const std::shared_ptr<const Instance>& instance) {
  std::set<std::string> found;
  const search::ChoiceOrder order = search::ChoiceOrder::Default(*instance);
  search::Solver solver(*instance, order);
  solver.Run(Candidate(instance), [&](const Candidate& solution) {
    found.insert(search::SolutionJson(solution).dump());
    return true;
  });
  return found;
}

TEST(Load, MakesTheTablesThatExhcWrites) {
  EXPECT_EQ(SpaceText(Plain().space), SpaceText(spaces::plain::GetSpace()));
}

TEST(Load, HasTheSameSolutions) {
  const auto loaded = Freeze(Plain());
  const std::set<std::string> solutions = Solutions(loaded);
  EXPECT_GT(solutions.size(), 100u);
  EXPECT_EQ(solutions, Solutions(Generated()));
  search::ExactCounter counter(loaded, {});
  EXPECT_EQ(counter.Count(Candidate(loaded)).count, solutions.size());
}

TEST(Load, NeedsNoHostStatement) {
  dsl::DiagnosticSink sink;
  const auto loaded = LoadText("a/my-space.exh", R"(
choice integer a(): 1 .. 4 end
choice integer b(): 1 .. 4 end
require divides: a() % b() == 0
)",
                               sink);
  ASSERT_TRUE(loaded) << dsl::RenderText(sink);
  EXPECT_EQ(loaded->space.name, "my_space");
  EXPECT_EQ(Solutions(Freeze(*loaded)).size(), 8u);
}

std::string RefusalOf(const std::string& text) {
  dsl::DiagnosticSink sink;
  EXPECT_FALSE(LoadText("t.exh", text, sink));
  return dsl::RenderText(sink);
}

TEST(Load, RefusesWhatAsksABackboneWhereItStands) {
  EXPECT_THAT(RefusalOf("choice integer a(): \"$fun.all()\" end\n"),
              HasSubstr("t.exh:1:22: error: code needs a backbone in C++"));
  EXPECT_THAT(RefusalOf("choice integer a(): 1 | 2 end\nrequire x: a() <= \"$fun.most()\"\n"),
              HasSubstr("t.exh:2:20: error: code needs"));
  EXPECT_THAT(RefusalOf("choice integer a(): 1 | 2 end\nrequire x: a() * 2 <= \"$fun.most()\"\n"),
              HasSubstr("t.exh:2:24: error: code needs"));
  EXPECT_THAT(RefusalOf("choice integer a(): 1 | 2 end\nrequire x: a() is 1 || \"$fun.yes()\"\n"),
              HasSubstr("t.exh:2:25: error: code needs"));
  EXPECT_THAT(
      RefusalOf("extern constant most\nchoice integer a(): 1 | 2 end\nrequire x: a() <= most\n"),
      HasSubstr("t.exh:1:17: error: constant 'most' is not given: say --size most=NUMBER"));
  EXPECT_THAT(RefusalOf("extern constant most = \"$fun.most()\"\nchoice integer a(): 1 | 2 end\n"
                        "require x: a() <= most\n"),
              HasSubstr("t.exh:1:17: error: extern 'most' needs"));
  EXPECT_THAT(RefusalOf("choice counter c(): base \"$fun.base()\" sum 1 when: true end\n"),
              HasSubstr("t.exh:1:27: error: code needs"));
  EXPECT_THAT(
      RefusalOf("set As: item_type = \"A\" id_type = \"B\" item_getter = \"$fun.a($id)\"\n"
                "  id_getter = \"$item.id\" iterator = \"$fun.as()\" new_objs = \"$objs.as\" end\n"
                "choice integer a($a in As): 1 | 2 end\n"
                "require x: forall $a < $b in As: a($a) != a($b)\n"),
      HasSubstr("t.exh:1:5: error: set 'As' needs"));
  EXPECT_THAT(RefusalOf("choice enum a(): end\n"), HasSubstr("has no values"));
  EXPECT_THAT(RefusalOf("choice integer a(): 1 | 2"), HasSubstr("t.exh:1:"));
}

TEST(Load, OpensFilesForSolve) {
  const search::OpenedSpace opened = search::OpenSpace(kPlain, "", "", {});
  EXPECT_EQ(opened.name, "plain");
  EXPECT_EQ(opened.instance->fingerprint(), spaces::plain::GetSpace().fingerprint);
  EXPECT_EQ(search::OpenSpace("queens", "n=4", "", {}).name, "queens");
}

}  // namespace
}  // namespace exh::load
