// SPDX-License-Identifier: MIT
//
// The entries of the fuzzers on seeded inputs. A broken promise aborts and prints the input.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "tests/fuzz/entries.h"
#include "tests/fuzz/mutations.h"

namespace exh::fuzz {
namespace {

std::string InTree(const std::string& path) {
  return std::string(EXH_SOURCE_DIR) + "/" + path;
}

std::vector<std::string> Dictionary() {
  return ReadDictionary(InTree("tests/fuzz/exh.dict"));
}

/// Calls `entry` with `count` inputs; returns how many it found to be what it is about.
template <typename Make, typename Entry>
int Feed(int count, const Make& make, const Entry& entry) {
  int good = 0;
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    good += entry(make(random));
  }
  return good;
}

TEST(Fuzz, RandomBytes) {
  Feed(300, RandomBytes, Check);
  Feed(300, RandomBytes, Format);
}

TEST(Fuzz, RandomWords) {
  const std::vector<std::string> words = Dictionary();
  const auto make = [&words](std::mt19937& random) { return RandomWords(words, random); };
  Feed(1000, make, Check);
  EXPECT_GT(Feed(300, make, Format), 10);
}

TEST(Fuzz, MutatedFilesAreChecked) {
  std::string valid = ReadText(InTree("tests/dsl/valid/every_construct.exh"));
  const std::string include = "include \"parts/sets.exh\"";
  valid.replace(valid.find(include), include.size(),
                ReadText(InTree("tests/dsl/valid/parts/sets.exh")));
  EXPECT_TRUE(Check(valid));
  Feed(
      300, [&](std::mt19937& random) { return Mutated(valid, random); }, Check);
  EXPECT_GT(Feed(
                100, [&](std::mt19937& random) { return Exchanged(valid, random); }, Check),
            10);
}

TEST(Fuzz, MutatedGoldensAreGenerated) {
  int spaces = 0;
  for (const std::string& file : SpaceFiles("tests/generator/golden")) {
    const std::string text = ReadText(file);
    spaces += Feed(
        40, [&](std::mt19937& random) { return Exchanged(text, random); }, Generate);
  }
  EXPECT_GT(spaces, 200);
}

TEST(Fuzz, MutatedFilesOfTheTreeAreFormatted) {
  int formatted = 0;
  for (const char* folder : {"kernels", "tests"}) {
    for (const std::string& file : SpaceFiles(folder)) {
      const std::string text = ReadText(file);
      Format(text);
      formatted += Feed(
          20, [&](std::mt19937& random) { return Mutated(text, random); }, Format);
    }
  }
  EXPECT_GT(formatted, 100);
}

TEST(Fuzz, LongInputsOfOneKindTakeLinearTime) {
  const auto repeat = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  Check("require " + repeat("forall $a in Ax: ", 3000));
  Check("require true" + repeat(" || true", 20000));
  Check("require " + repeat("true ", 20000));
  Check("require " + repeat("not ", 20000) + "true");
  Check("require true" + repeat(" => true", 20000));
  Check("require true" + repeat(" && not true", 20000));
  Check(repeat("(", 20000));
  Check(repeat("\"", 20001));
  Check(repeat("/*", 20000));
  Check(repeat("*/ ", 20000));
  Check(repeat("set ", 5000));
  Check(repeat("\xc3", 20000));
  Check(repeat("///\n", 20000) + repeat("///x\n", 20000));
  Check("set " + repeat("A", 50000) + "b: end " + repeat("$", 50000));
}

/// A fuzzer finds its way sooner when it knows the words; new ones are not forgotten.
TEST(Fuzz, TheDictionaryHasTheWordsOfTheGrammar) {
  const std::vector<std::string> words = Dictionary();
  const std::string grammar = ReadText(InTree("dsl/Exh.g4"));
  const std::regex rule("\n[A-Z_]+ *: *'([^'\\\\]+)' *;");
  int found = 0;
  for (std::sregex_iterator it(grammar.begin(), grammar.end(), rule), end; it != end; ++it) {
    EXPECT_NE(std::find(words.begin(), words.end(), (*it)[1]), words.end()) << (*it)[1];
    ++found;
  }
  EXPECT_GT(found, 30);
}

TEST(Fuzz, EntriesTellWhatTheyAreAbout) {
  EXPECT_TRUE(Check("require a: true || false"));
  EXPECT_FALSE(Check("require a"));
  EXPECT_TRUE(Generate(ReadText(InTree("tests/generator/golden/alias/space.exh"))));
  EXPECT_FALSE(Generate("require forall"));
  EXPECT_TRUE(Format("require   a : true"));
  EXPECT_FALSE(Format("\"open"));
}

TEST(FuzzDeathTest, ABrokenPromiseAbortsAndShowsTheText) {
  Promise(true, "nothing", "");
  EXPECT_DEATH(Promise(false, "the same bytes twice", "require a"),
               "broken: the same bytes twice, for:\nrequire a");
}

}  // namespace
}  // namespace exh::fuzz
