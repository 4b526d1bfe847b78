// SPDX-License-Identifier: MIT
//
// Formatting changes blanks and line breaks and nothing else, and once is enough.
#include "dsl/syntax/format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

std::string Formatted(const std::string& text) {
  FormatError error;
  const auto formatted = FormatText(text, &error);
  EXPECT_TRUE(formatted) << error.line << ":" << error.column << ": " << error.message;
  return formatted.value_or("");
}

TEST(Format, AMessyFile) {
  const std::string formatted = Formatted(R"exh(


//   a comment   
set  Jobs :
item_type="shop::Job"   id_type =
"shop::JobId" // why
      end
  /// Doc.
choice enum mode( $job  in Jobs ):
/// First.
 value A:requires forall $b in Jobs:
mode($b)is not A||"$b.x(\"q\")"
alias C=A|B :
      antisymmetric:
  A->B


end require lbl:forall $a < $b in Jobs where not(mode($a) is A):
mode($a)==mode($b) mode($a) is A&&mode($b) is A
/* two
   lines */ => true
let f($x in Jobs)=mode($x) is A
extern predicate good($x in Jobs)
define counter n():
base "1"
forall $a in Jobs:
sum "1" when:
mode($a) is A
end
)exh");
  EXPECT_EQ(formatted, R"exh(//   a comment
set Jobs:
  item_type = "shop::Job" id_type =
    "shop::JobId"  // why
end
/// Doc.
choice enum mode($job in Jobs):
  /// First.
  value A: requires forall $b in Jobs:
    mode($b) is not A || "$b.x(\"q\")"
  alias C = A | B:
  antisymmetric:
    A -> B

end
require lbl: forall $a < $b in Jobs where not (mode($a) is A):
  mode($a) == mode($b)  mode($a) is A && mode($b) is A
  /* two
   lines */ => true
let f($x in Jobs) = mode($x) is A
extern predicate good($x in Jobs)
define counter n():
  base "1"
  forall $a in Jobs:
    sum "1" when:
      mode($a) is A
end
)exh");
  EXPECT_EQ(Formatted(formatted), formatted);
}

TEST(Format, ACommentAboveEndStandsInItsBlock) {
  const std::string formatted = R"exh(set Jobs:
  item_type = "Job"
  // The last key.
end
choice enum mode():
  value A:
  // value B:

  /* value C: */  // why
end
choice integer size():
  "2"
  // Or more.
end
choice counter n():
  forall $a in Jobs:
    sum "1" when:
      mode() is A
  // No more.
end
choice enum other(): value A: /* B */ end
choice enum third():
  value A:
/* B */ end
// Outside.
require true
// At the end.
)exh";
  std::string messy;  // Whatever the indentation was.
  for (std::size_t at = 0; at < formatted.size(); ++at) {
    messy += formatted[at];
    if (formatted[at] == '\n') at = formatted.find_first_not_of(' ', at + 1) - 1;
  }
  EXPECT_EQ(Formatted(messy), formatted);
  EXPECT_EQ(Formatted(formatted), formatted);
}

TEST(Format, LongLinesBreakAtQuantifiersAndBeforeOr) {
  const std::string atom = "some_choice_with_a_name($first, $second) is VALUE";
  EXPECT_EQ(Formatted("require a: forall $first in Firsts: forall $second in Seconds: " + atom +
                      " || " + atom),
            "require a: forall $first in Firsts: forall $second in Seconds:\n  " + atom +
                "\n  || " + atom + "\n");
}

TEST(Format, SetsOfNumbersAndObjectivesStandAlone) {
  const std::string text = R"(extern constant n = -8
set Rows = 1 .. n - 1
extern set Tasks
extern set After($task in Tasks) subsetof Tasks
extern constant time($task in Tasks)
choice integer start($task in Tasks): 0 .. n - time($task) end
choice integer end_of():
  0 .. n
end
minimize (start($a) + 1) * -2
lower_bound us: end_of() / 4
)";
  FormatError error;
  EXPECT_EQ(FormatText(text, &error), text);
  EXPECT_EQ(
      FormatText("minimize   a()-b()  extern   set  Tasks set Rows=1..n require a()<4", &error),
      "minimize a() - b()\nextern set Tasks\nset Rows = 1 .. n\nrequire a() < 4\n");
}

TEST(Format, ALongListOfChoicesBreaksAfterCommas) {
  EXPECT_EQ(Formatted("require f() is A decide  first ,second,\nthird let f()=true"),
            "require f() is A\ndecide first, second,\n  third\nlet f() = true\n");
  const std::string name(30, 'x');
  const std::string formatted = "decide " + name + ", " + name + ",\n  " + name + ", last\n";
  EXPECT_EQ(Formatted("decide " + name + "," + name + "," + name + ",last"), formatted);
  EXPECT_EQ(Formatted(formatted), formatted);
}

TEST(Format, WhatHasNoWordsIsRefusedWithItsPlace) {
  const auto at = [](const std::string& text) {
    FormatError error;
    EXPECT_FALSE(FormatText(text, &error)) << text;
    return fmt::format("{}:{}: {}", error.line, error.column, error.message);
  };
  EXPECT_EQ(at("set A:\n  ?"), "2:3: invalid token: no word of the language starts with this byte");
  EXPECT_EQ(at("\n require \"a"), "2:10: unterminated code: expected '\"'");
  EXPECT_EQ(at("/* a"), "1:1: unterminated comment: expected '*/'");
  EXPECT_EQ(at("a $ b"), "1:3: invalid token '$': expected a name after it");
}

/// The text without blanks outside of words: an independent measure of "nothing else changed".
std::string WithoutBlanks(const std::string& text) {
  std::string rest;
  for (char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') rest += c;
  }
  return rest;
}

TEST(Format, EveryFileOfTheTreeAndMutationsOfItKeepTheirWords) {
  namespace fs = std::filesystem;
  int survived = 0;
  std::mt19937 random(7);
  for (const char* folder : {"kernels", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(kSourceDir) / folder)) {
      if (entry.path().extension() != ".exh") continue;
      SCOPED_TRACE(entry.path());
      const std::string original = ReadFile(entry.path().string());
      for (int round = 0; round < 20; ++round) {
        std::string text = original;
        for (int i = 0; i < 2 * round && !text.empty(); ++i) {
          const std::size_t at = random() % text.size();
          const std::size_t from = random() % text.size();
          switch (random() % 3) {
            case 0:
              text.erase(at, random() % 12);
              break;
            case 1:
              text.insert(at, text.substr(from, random() % 40));
              break;
            default:
              text.insert(at, 1, " \n\t:()|\"/*"[random() % 10]);
          }
        }
        FormatError error;
        const auto once = FormatText(text, &error);
        if (!once) {
          EXPECT_FALSE(error.message.starts_with("formatting")) << text;
          continue;
        }
        ++survived;
        EXPECT_EQ(WithoutBlanks(*once), WithoutBlanks(text));
        EXPECT_EQ(Formatted(*once), *once) << text;
      }
    }
  }
  EXPECT_GT(survived, 100);
}

}  // namespace
}  // namespace exh::dsl
