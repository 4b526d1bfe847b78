// SPDX-License-Identifier: MIT
//
// Spaces with data: the solutions of random small ones are those that trying everything finds, and
// what is wrong with data is said with its place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "load/load.h"
#include "runtime/candidate.h"
#include "runtime/export_minizinc.h"
#include "runtime/objective/grounded_term.h"
#include "tests/load/all_solutions.h"
#include "tests/support/tree.h"

namespace exh::load {
namespace {

using runtime::Candidate;
using runtime::Instance;
using testing::HasSubstr;

std::shared_ptr<const Instance> Loaded(const std::string& text, const Given& given) {
  dsl::DiagnosticSink sink;
  const auto loaded = LoadText("t.exh", text, sink, given);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink);
  return loaded ? Freeze(*loaded) : nullptr;
}

constexpr const char* kSpace = R"(
extern constant n
extern constant limit
extern constant least = -1
extern constant most
set Rows = 1 .. n
extern set Items
extern set Big subsetof Items
extern set Near($item in Items) subsetof Items
extern constant cost($item in Items)
extern constant gap($a in Items, $b in Items)
extern predicate linked($a in Items, $b in Items)

choice integer x($item in Items): 0 .. limit - cost($item) | limit + 2 end
choice integer column($row in Rows): 1 .. n end
choice integer top(): 0 .. limit end
choice counter total():
  base most
  forall $item in Items: sum cost($item) * 2 when: x($item) >= 2
end
choice counter each():
  forall $item in Items where cost($item) != 1: sum cost($item) when: x($item) <= top()
end

require forall $a < $b in Items where cost($a) <= cost($b): x($a) + gap($a, $b) != x($b)
require forall $a in Items: forall $b in Near($a): x($a) != x($b) + 1
require forall $a < $b in Items where linked($a, $b) && gap($a, $b) > 0: x($a) <= x($b)
require forall $b in Big: x($b) >= least
require forall $a < $b in Rows: column($a) - column($b) != $a - $b
require forall $row in Rows: column($row) >= $row - 1
require total() <= most + 4
require forall $item in Items: x($item) <= cost($item) || top() != 2
)";

/// One random space of this text, and what it allows.
struct Drawn {
  std::int64_t n = 0, limit = 0, least = 0, most = 0;
  std::vector<std::int64_t> cost;
  std::vector<std::vector<std::int64_t>> gap;
  std::set<std::size_t> big;
  std::set<std::pair<std::size_t, std::size_t>> near, linked;

  std::string Name(std::size_t item) const { return fmt::format("i{}", item); }

  std::string Json() const {
    std::string items, rows, tuples, bigs;
    for (std::size_t a = 0; a < cost.size(); ++a) {
      std::string nears, row;
      for (std::size_t b = 0; b < cost.size(); ++b) {
        if (near.contains({a, b}))
          nears += fmt::format("{}\"{}\"", nears.empty() ? "" : ",", Name(b));
        if (a == b) continue;
        row += fmt::format("{}\"{}\": {}", row.empty() ? "" : ",", Name(b), gap[a][b]);
        if (!linked.contains({a, b})) continue;
        tuples += fmt::format("{}[\"{}\",\"{}\"]", tuples.empty() ? "" : ",", Name(a), Name(b));
      }
      items += fmt::format("{}{{\"name\": \"{}\", \"cost\": {}, \"Near\": [{}]}}",
                           a == 0 ? "" : ",", Name(a), cost[a], nears);
      rows += fmt::format("{}\"{}\": {{{}}}", a == 0 ? "" : ",", Name(a), row);
      if (big.contains(a)) bigs += fmt::format("{}\"{}\"", bigs.empty() ? "" : ",", Name(a));
    }
    return fmt::format(
        R"({{"Items": [{}], "gap": {{{}}}, "linked": [{}], "Big": [{}], "most": {}}})", items, rows,
        tuples, bigs, most);
  }

  bool Allows(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& column,
              std::int64_t top) const {
    std::int64_t total = most;
    for (std::size_t a = 0; a < x.size(); ++a) {
      if (x[a] >= 2) total += cost[a] * 2;
      if (big.contains(a) && x[a] < least) return false;
      if (x[a] > cost[a] && top == 2) return false;
      for (std::size_t b = 0; b < x.size(); ++b) {
        if (near.contains({a, b}) && a != b && x[a] == x[b] + 1) return false;
        if (a >= b) continue;
        if (cost[a] <= cost[b] && x[a] + gap[a][b] == x[b]) return false;
        if (linked.contains({a, b}) && gap[a][b] > 0 && x[a] > x[b]) return false;
      }
    }
    for (std::size_t a = 0; a < column.size(); ++a) {
      if (column[a] < static_cast<std::int64_t>(a)) return false;
      for (std::size_t b = a + 1; b < column.size(); ++b) {
        if (column[a] - column[b] == static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b)) {
          return false;
        }
      }
    }
    return total <= most + 4;
  }

  std::set<std::string> Solutions() const {
    std::set<std::string> found;
    std::vector<std::vector<std::int64_t>> domains;
    for (const std::int64_t each : cost) {
      std::vector<std::int64_t> numbers;
      for (std::int64_t number = 0; number <= limit - each; ++number) numbers.push_back(number);
      numbers.push_back(limit + 2);
      domains.push_back(numbers);
    }
    std::vector<std::int64_t> to_n, to_limit;
    for (std::int64_t number = 1; number <= n; ++number) to_n.push_back(number);
    for (std::int64_t number = 0; number <= limit; ++number) to_limit.push_back(number);
    for (std::int64_t row = 0; row < n; ++row) domains.push_back(to_n);
    domains.push_back(to_limit);
    std::vector<std::int64_t> values(domains.size());
    const std::function<void(std::size_t)> go = [&](std::size_t i) {
      if (i < domains.size()) {
        for (const std::int64_t number : domains[i]) {
          values[i] = number;
          go(i + 1);
        }
        return;
      }
      const auto rows = values.begin() + static_cast<std::ptrdiff_t>(cost.size());
      const std::vector<std::int64_t> x(values.begin(), rows), column(rows, values.end() - 1);
      if (!Allows(x, column, values.back())) return;
      std::string text;
      for (std::size_t a = 0; a < x.size(); ++a) text += fmt::format("x({})={} ", Name(a), x[a]);
      for (std::size_t row = 0; row < column.size(); ++row) {
        text += fmt::format("column({})={} ", row + 1, column[row]);
      }
      found.insert(text + fmt::format("top()={} ", values.back()));
    };
    go(0);
    return found;
  }
};

Drawn Draw(Random& random) {
  Drawn drawn;
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random.Below(static_cast<std::size_t>(most)));
  };
  drawn.n = below(4);
  drawn.limit = 1 + below(3);
  drawn.least = below(4) - 1;
  drawn.most = below(5) - 2;
  drawn.cost.resize(1 + static_cast<std::size_t>(below(3)));
  drawn.gap.assign(drawn.cost.size(), std::vector<std::int64_t>(drawn.cost.size()));
  for (std::size_t a = 0; a < drawn.cost.size(); ++a) {
    drawn.cost[a] = below(drawn.limit + 2);
    if (below(2) == 0) drawn.big.insert(a);
    for (std::size_t b = 0; b < drawn.cost.size(); ++b) {
      drawn.gap[a][b] = below(5) - 2;
      if (below(3) == 0) drawn.near.insert({a, b});
      if (a != b && below(2) == 0) drawn.linked.insert({a, b});
    }
  }
  return drawn;
}

TEST(Data, TheSolutionsAreThoseThatTryingAllFinds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Drawn drawn = Draw(random);
    Given given;
    given.sizes = {{"n", drawn.n}, {"limit", drawn.limit}, {"least", drawn.least}};
    given.data = drawn.Json();
    const auto instance = Loaded(kSpace, given);
    ASSERT_TRUE(instance);
    ASSERT_EQ(AllSolutions(instance), drawn.Solutions()) << given.data;
  }
}

TEST(Data, QueensAreCounted) {
  const std::string path = std::string(kSourceDir) + "/examples/spaces/queens.exh";
  dsl::DiagnosticSink sink;
  Given given;
  EXPECT_EQ(AllSolutions(Freeze(*LoadFile(path, sink, given))).size(), 92u);
  given.sizes = {{"n", 6}};
  EXPECT_EQ(AllSolutions(Freeze(*LoadFile(path, sink, given))).size(), 4u);
  given.data = R"({"n": 4})";
  given.sizes.clear();
  EXPECT_EQ(AllSolutions(Freeze(*LoadFile(path, sink, given))).size(), 2u);
  EXPECT_FALSE(sink.has_errors());
}

TEST(Data, ObjectsOfNumbersAreCalledByThem) {
  Given given;
  const auto instance = Loaded(
      "set Rows = -1 .. 1\nchoice integer f($r in Rows): 0 .. 3 end\n"
      "require forall $r in Rows: f($r) == $r * 2 + 1 || f($r) == 0 - $r\n",
      given);
  EXPECT_EQ(AllSolutions(instance),
            (std::set<std::string>{"f(-1)=1 f(0)=1 f(1)=3 ", "f(-1)=1 f(0)=0 f(1)=3 "}));
}

TEST(Data, PartsOfNumbersAreNumbers) {
  Given given;
  given.data = R"({"Odd": [1, "3"], "After": {"1": [2, 3], "2": [3]}})";
  const auto instance = Loaded(
      "set Rows = 1 .. 3\nextern set Odd subsetof Rows\n"
      "extern set After($row in Rows) subsetof Rows\n"
      "choice integer f($r in Rows): 1 .. 3 end\n"
      "require forall $o in Odd: f($o) == $o\n"
      "require forall $a in Rows: forall $b in After($a): f($a) <= f($b) && f($b) - f($a) <= $b - "
      "$a\n",
      given);
  EXPECT_EQ(AllSolutions(instance), (std::set<std::string>{"f(1)=1 f(2)=2 f(3)=3 "}));
}

TEST(Data, ListsByTheirObjectMakeObjects) {
  Given given;
  given.data = R"({"Jobs": ["a", "b"], "Parts": {"a": ["p", "q"], "b": ["q"]}})";
  const auto instance = Loaded(
      "extern set Jobs\nextern set Parts($job in Jobs)\n"
      "choice enum in_use($job in Jobs, $part in Parts($job)): value NO: value YES: end\n"
      "require forall $job in Jobs: forall $part in Parts($job): in_use($job, $part) is YES\n",
      given);
  EXPECT_EQ(AllSolutions(instance),
            (std::set<std::string>{"in_use(a,p)=YES in_use(a,q)=YES in_use(b,q)=YES "}));
}

TEST(Data, PairsAndQuotientsNeedNoBackbone) {
  Given given;
  given.data = R"({"Tasks": ["a", "b", "c"]})";
  const auto instance = Loaded(R"(
extern set Tasks
choice enum order($a in Tasks, $b in Tasks):
  antisymmetric:
    BEFORE -> AFTER
  value BEFORE:
  value AFTER:
end
require forall $a in Tasks: forall $b in Tasks: forall $c in Tasks:
  order($a, $b) is not BEFORE || order($b, $c) is not BEFORE || order($a, $c) is BEFORE
)",
                               given);
  EXPECT_EQ(AllSolutions(instance).size(), 6u);
  const auto classes = Loaded(R"(
extern set Tasks
choice enum same($a in Tasks, $b in Tasks): symmetric value NO: value YES: end
require forall $a in Tasks: forall $b in Tasks: forall $c in Tasks:
  same($a, $b) is YES && same($b, $c) is YES => same($a, $c) is YES
quotient Classes of $task in Tasks: is_class = / same is YES end
choice counter number(): forall $c in Classes: sum 1 when: true end
)",
                              given);
  EXPECT_EQ(AllSolutions(classes).size(), 5u);
}

// The block of docs/dsl.md that shows a data file.
TEST(Data, TheDataOfTheDocumentAreData) {
  std::ifstream in(std::string(kSourceDir) + "/docs/dsl.md");
  std::stringstream document;
  document << in.rdbuf();
  const std::string text = document.str();
  const std::size_t begin = text.find("```json\n") + 8;
  Given given;
  given.data = text.substr(begin, text.find("```", begin) - begin);
  const auto instance = Loaded(R"(
extern constant n
extern set Tasks
extern set Urgent subsetof Tasks
extern set Neighbours($task in Tasks) subsetof Tasks
extern constant time($task in Tasks)
extern constant distance($a in Tasks, $b in Tasks)
extern predicate heavy($task in Tasks)
extern predicate comes_after($a in Tasks, $b in Tasks)
choice integer start($task in Tasks): 0 .. n end
require forall $task in Urgent: start($task) == 0
require forall $a in Tasks: forall $b in Neighbours($a): start($b) >= start($a) + time($a)
require forall $a in Tasks: forall $b in Tasks where comes_after($a, $b):
  start($a) >= start($b) + distance($b, $a)
require forall $task in Tasks where heavy($task): start($task) <= 5
)",
                               given);
  EXPECT_EQ(AllSolutions(instance), (std::set<std::string>{"start(cut)=0 start(paint)=4 ",
                                                           "start(cut)=0 start(paint)=5 "}));
}

TEST(Data, AnObjectiveHasAnIntervalBelowACandidate) {
  Given given;
  given.data = R"({"Items": ["a", "b"], "worth": {"a": 3, "b": 4}, "price": -2})";
  const auto instance = Loaded(R"(
extern set Items
extern constant worth($item in Items)
extern constant price
choice enum place($item in Items): value HOME: value PACKED: end
choice integer boxes(): 1 .. 4 end
choice counter total(): forall $item in Items: sum worth($item) when: place($item) is PACKED end
maximize total() + boxes() * price
lower_bound us: total() / 2
)",
                               given);
  const runtime::SpaceObjective& objective = *instance->space().objective;
  EXPECT_TRUE(objective.maximize);
  EXPECT_EQ(objective.text, "total() + boxes() * price");
  const runtime::GroundedTerm term(*instance, objective.term, objective.text);
  Candidate candidate(instance);
  EXPECT_EQ(term.Over(candidate), (runtime::TermInterval{-8, 5}));
  const auto boxes = instance->FindDecision(instance->FindChoice("boxes"), {});
  ASSERT_EQ(candidate.Take(boxes->id, 2), runtime::Propagation::kFixpoint);
  EXPECT_EQ(term.Over(candidate), (runtime::TermInterval{-6, 1}));
  const auto place = instance->first_decision(instance->FindChoice("place"));
  ASSERT_EQ(candidate.Take(place, 1), runtime::Propagation::kFixpoint);
  ASSERT_EQ(candidate.Take(place + 1, 0), runtime::Propagation::kFixpoint);
  EXPECT_EQ(term.Over(candidate), (runtime::TermInterval{-3, -3}));
  EXPECT_TRUE(term.Over(candidate).IsOne());
  EXPECT_EQ(term.decision(), runtime::kNoDecision);
  const runtime::TimeBound& bound = *instance->space().lower_bound;
  EXPECT_EQ(bound.unit_ns, 1000);
  EXPECT_DOUBLE_EQ(runtime::GroundedTerm(*instance, bound.term, bound.text).LeastOver(candidate),
                   1.5);
}

TEST(Data, ObjectivesThatCannotBeCalculatedAreRefused) {
  EXPECT_THAT([] { Loaded("choice integer a(): 0 .. 4 end\nminimize 8 div a()\n", {}); },
              testing::ThrowsMessage<Error>(HasSubstr("'8 div a()': may divide by 0")));
}

TEST(Data, AModelForSolversAsksForTheBest) {
  const auto instance = Loaded(R"(
extern constant price = 3
choice integer a(): 1 .. 4 end
choice integer b(): 0 .. 99 end
choice enum kind(): value RED: value BLUE: end
choice counter few(): sum a() * price when: kind() is RED end
require a() + b() >= 7
minimize b() * 2 - few() + price
)",
                               {});
  const std::string model = ExportMiniZinc(*instance);
  EXPECT_THAT(model, HasSubstr("complete) minimize (((d_b*2) - n_few_0) + 3);"));
  EXPECT_THAT(model, HasSubstr("0..12: n_few_0 = "));
}

TEST(Data, IncludesComeFromTheGivenFiles) {
  const std::map<std::string, std::string> files = {
      {"a/parts/size.exh", "choice integer a(): 1 .. 4 end\n"}, {"a/my.exh", "not looked at"}};
  dsl::CompileOptions options;
  options.files = &files;
  dsl::DiagnosticSink sink;
  const auto loaded =
      LoadText("a/my.exh", "include \"parts/size.exh\"\nrequire a() >= 2\n", sink, {}, options);
  ASSERT_TRUE(loaded) << dsl::RenderText(sink);
  EXPECT_EQ(AllSolutions(Freeze(*loaded)).size(), 3u);
  dsl::DiagnosticSink other;
  // The file is on the disk, and is not read.
  EXPECT_FALSE(LoadText("tests/load/t.exh", "include \"plain.exh\"\n", other, {}, options));
  EXPECT_THAT(dsl::RenderText(other), HasSubstr("it is not among the files that are given"));
}

// ---- mistakes

constexpr const char* kShop = R"(
extern constant horizon
extern set Tasks
extern set Late subsetof Tasks
extern set After($task in Tasks) subsetof Tasks
extern constant time($task in Tasks)
extern constant gap($a in Tasks, $b in Tasks)
extern predicate heavy($task in Tasks)
extern predicate linked($a in Tasks, $b in Tasks)
extern predicate strict()
choice integer start($task in Tasks): 0 .. horizon end
)";

constexpr const char* kGood = R"({"horizon": 5, "Tasks": ["a", "b"], "Late": [], "After": {},
  "time": {"a": 1, "b": 2}, "gap": {"a": {"b": 1}, "b": {"a": 2}}, "heavy": ["a"],
  "linked": [["a", "b"]], "strict": true})";

std::string MistakeOf(const std::string& from, const std::string& to,
                      const std::map<std::string, std::int64_t, std::less<>>& sizes = {}) {
  Given given;
  given.sizes = sizes;
  given.data = kGood;
  given.data_name = "shop.json";
  const std::size_t at = given.data.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  given.data.replace(at, from.size(), to);
  dsl::DiagnosticSink sink;
  try {
    const auto loaded = LoadText("shop.exh", kShop, sink, given);
    if (!loaded) return dsl::RenderText(sink);
    Freeze(*loaded);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Data, MistakesAreSaidWithTheirPlace) {
  EXPECT_EQ(MistakeOf("5", "6"), "");
  EXPECT_EQ(MistakeOf("5", "\"x\""),
            "shop.json: horizon: a whole number from -2^31 to 2^31 is wanted, not \"x\"");
  EXPECT_THAT(MistakeOf("5", "2147483649"), HasSubstr("from -2^31 to 2^31 is wanted"));
  EXPECT_THAT(MistakeOf("5", "1.5"), HasSubstr("is wanted, not 1.5"));
  EXPECT_THAT(MistakeOf("\"horizon\": 5, ", ""),
              HasSubstr("shop.exh:2:17: error: constant 'horizon' is not given: say --size "
                        "horizon=NUMBER, or \"horizon\": NUMBER in shop.json [E0906]"));
  EXPECT_EQ(MistakeOf("\"horizon\": 5, ", "", {{"horizon", 4}}), "");
  EXPECT_THAT(MistakeOf("5", "5", {{"horizn", 4}}),
              HasSubstr("unknown size 'horizn'; did you mean 'horizon'?"));
  EXPECT_EQ(MistakeOf("\"horizon\": 5", "\"horizn\": 5"),
            "shop.json: unknown key 'horizn'; did you mean 'horizon'?");
  EXPECT_EQ(MistakeOf("\"horizon\": 5", "\"horizon\": 5, \"horizon\": 6"),
            "shop.json: the key 'horizon' stands twice in one object");
  EXPECT_THAT(MistakeOf("{\"horizon\"", "[\"horizon\""), HasSubstr("shop.json: it is no JSON: "));
  EXPECT_THAT(MistakeOf("\"Tasks\": [\"a\", \"b\"], ", ""),
              HasSubstr("shop.exh:3:12: error: the objects of set 'Tasks' are not given"));
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "[\"a\", \"a\"]"),
            "shop.json: Tasks[1]: two objects of Tasks are called 'a'");
  EXPECT_THAT(MistakeOf("[\"a\", \"b\"]", "[\"a\", \"b c\"]"),
              HasSubstr("shop.json: Tasks[1]: an object is called 'b c': a name has no blanks"));
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "[\"a\", 2]"),
            "shop.json: Tasks[1]: a name, or an object with a \"name\" is wanted, a text, not 2");
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "{}"), "shop.json: Tasks: a list is wanted, not {}");
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "[{\"name\": \"a\", \"tme\": 4}, \"b\"]"),
            "shop.json: Tasks[0]: unknown field 'tme'; did you mean 'time'?");
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "[{\"time\": 4}, \"b\"]"),
            "shop.json: Tasks[0]: an object without a \"name\"");
  EXPECT_EQ(MistakeOf("[\"a\", \"b\"]", "[{\"name\": \"a\", \"time\": 4}, \"b\"]"),
            "shop.json: time: it is given twice: here, and in Tasks[0].time");
  EXPECT_THAT(MistakeOf("\"Late\": []", "\"Late\": [\"aa\"]"),
              HasSubstr("shop.json: Late[0]: unknown object of Tasks 'aa'"));
  EXPECT_EQ(MistakeOf("\"Late\": []", "\"Late\": [\"a\", \"a\"]"),
            "shop.json: Late[1]: 'a' stands twice");
  EXPECT_THAT(MistakeOf("\"After\": {}", "\"After\": []"),
              HasSubstr("shop.json: After: an object is wanted"));
  EXPECT_THAT(MistakeOf("\"After\": {}", "\"After\": {\"x\": []}"),
              HasSubstr("shop.json: After.x: unknown object of Tasks 'x'"));
  EXPECT_THAT(MistakeOf("\"a\": 1, ", ""),
              HasSubstr("constant 'time' is not given for all objects: say \"time\": {\"a\": "
                        "NUMBER} in shop.json"));
  EXPECT_THAT(MistakeOf("{\"b\": 1}", "{}"),
              HasSubstr("say \"gap\": {\"a\": {\"b\": NUMBER}} in shop.json"));
  EXPECT_THAT(MistakeOf("{\"b\": 1}", "7"),
              HasSubstr("shop.json: gap.a: an object is wanted, numbers by the name of an object"));
  EXPECT_THAT(
      MistakeOf("\"heavy\": [\"a\"],", ""),
      HasSubstr("predicate 'heavy' is not given: say \"heavy\": [\"name\", …] in shop.json"));
  EXPECT_EQ(MistakeOf("[[\"a\", \"b\"]]", "[[\"a\"]]"),
            "shop.json: linked[0]: 'linked' takes 2 objects, and here 1 stands");
  EXPECT_EQ(MistakeOf("[[\"a\", \"b\"]]", "[[\"a\", \"b\", \"a\"]]"),
            "shop.json: linked[0]: 'linked' takes 2 objects");
  EXPECT_EQ(MistakeOf("[[\"a\", \"b\"]]", "[[\"a\", \"b\"], [\"a\", \"b\"]]"),
            "shop.json: linked[1]: it stands twice");
  EXPECT_EQ(MistakeOf("\"strict\": true", "\"strict\": 1"),
            "shop.json: strict: true or false is wanted, not 1");
}

TEST(Data, NumbersOfChoicesAreLookedAtWhenTheSpaceIsFrozen) {
  const auto message = [](const char* text) -> std::string {
    dsl::DiagnosticSink sink;
    try {
      Freeze(*LoadText("t.exh", text, sink));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("extern constant n = 5000\nchoice integer a(): 0 .. n end\n"),
            "t.exh:2: choice a: a choice from 0 to 5000: these are more than 4096 numbers");
  EXPECT_EQ(message("extern constant n = -1\nchoice integer a(): n .. 4 end\n"),
            "t.exh:2: choice a: a choice from -1 to 4: its numbers are 0 or more and fit 32 bits");
  EXPECT_THAT(message("extern constant n = 0\nchoice integer a(): 1 .. 4 div n end\n"),
              HasSubstr("divides by 0"));
  EXPECT_THAT(message("extern constant n = 0\nchoice integer a(): 1 .. n end\n"),
              HasSubstr("universe of a"));
}

}  // namespace
}  // namespace exh::load
