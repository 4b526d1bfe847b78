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
#include "tests/support/tree.h"

namespace exh::fuzz {
namespace {

std::string InTree(const std::string& path) {
  return std::string(kSourceDir) + "/" + path;
}

std::vector<std::string> Dictionary() {
  return ReadDictionary(InTree("tests/fuzz/exh.dict"));
}

std::vector<std::string> KernelDictionary() {
  return ReadDictionary(InTree("tests/fuzz/kernel.dict"));
}

std::string Repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

/// Whether every word in quotes in the grammar is in the dictionary, and there are more than
/// `least`.
void ExpectTheWordsOf(const std::string& grammar, const std::vector<std::string>& dictionary,
                      int least) {
  const std::string text = ReadText(InTree(grammar));
  const std::regex rule("\n[A-Z_]+ *: *'([^'\\\\]+)' *;");
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), rule), end; it != end; ++it) {
    EXPECT_NE(std::find(dictionary.begin(), dictionary.end(), (*it)[1]), dictionary.end())
        << (*it)[1];
    ++found;
  }
  EXPECT_GT(found, least);
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
  Feed(300, RandomBytes, Kernel);
}

TEST(Fuzz, RandomWords) {
  const std::vector<std::string> words = Dictionary();
  const auto make = [&words](std::mt19937& random) { return RandomWords(words, random); };
  Feed(1000, make, Check);
  EXPECT_GT(Feed(300, make, Format), 10);
  const std::vector<std::string> kernel_words = KernelDictionary();
  Feed(
      300, [&](std::mt19937& random) { return RandomWords(kernel_words, random); }, Kernel);
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

TEST(Fuzz, MutatedKernels) {
  int built = 0;
  for (const char* folder : {"kernels", "tests"}) {
    for (const std::string& file : KernelFiles(folder)) {
      const std::string text = ReadText(file);
      Kernel(text);
      Feed(
          40, [&](std::mt19937& random) { return Mutated(text, random); }, Kernel);
      built += Feed(
          40, [&](std::mt19937& random) { return ExchangedInKernel(text, random); }, Kernel);
    }
  }
  EXPECT_GT(built, 50);
}

std::vector<std::string> FunctionalDictionary() {
  return ReadDictionary(InTree("tests/fuzz/functional.dict"));
}

constexpr const char* kPrograms[] = {"examples/conv_space/conv.fun",
                                     "tests/fuzz/every_pattern.fun"};

TEST(Fuzz, EveryBeginningOfAProgramIsRead) {
  for (const char* const file : kPrograms) {
    const std::string text = ReadText(InTree(file));
    EXPECT_TRUE(Functional(text)) << file;
    // All of the short one; of the long one with steps, for each has to be unfolded.
    const std::size_t step = text.size() > 3000 ? 13 : 1;
    for (std::size_t size = 0; size < text.size(); size += step) Functional(text.substr(0, size));
  }
}

TEST(Fuzz, MutatedPrograms) {
  int programs = 0;
  for (const char* const file : kPrograms) {
    const std::string text = ReadText(InTree(file));
    programs += Feed(
        300, [&](std::mt19937& random) { return Mutated(text, random); }, Functional);
    programs += Feed(
        100, [&](std::mt19937& random) { return Exchanged(text, random); }, Functional);
  }
  EXPECT_GT(programs, 20);
  Feed(300, RandomBytes, Functional);
  const std::vector<std::string> words = FunctionalDictionary();
  Feed(
      1000, [&](std::mt19937& random) { return RandomWords(words, random); }, Functional);
}

TEST(Fuzz, LongProgramsOfOneKindTakeLinearTime) {
  const std::string head = "size n = 4\ninput x: [float]n\nkernel k = ";
  for (const char* piece :
       {"(", "-", "map(id, ", "x -> ", "let a = ", "1 + ", "join(", "((a, b) -> "}) {
    Functional(head + Repeated(piece, 20000) + "x");
    Functional(head + Repeated(piece, 150) + "x");
  }
  for (const char* piece : {" + x", " |> map(id)", "(x)", ", x", ")", " * n", "@a"}) {
    Functional(head + "x" + Repeated(piece, 20000));
    Functional(head + "map(e -> e" + Repeated(piece, 150) + ", x)");
  }
  for (const char* piece : {"\n", "size n = 3\n", "param a\n", "\xc3", "[", "kernel ", "// a\n"}) {
    Functional(Repeated(piece, 5000));
  }
  Functional("size n = 4\nparam a in 1" + Repeated(" | 2", 5000) + "\n");
}

TEST(Fuzz, LongInputsOfOneKindTakeLinearTime) {
  Check("require " + Repeated("forall $a in Ax: ", 3000));
  Check("require true" + Repeated(" || true", 20000));
  Check("require " + Repeated("true ", 20000));
  Check("require " + Repeated("not ", 20000) + "true");
  Check("require true" + Repeated(" => true", 20000));
  Check("require true" + Repeated(" && not true", 20000));
  Check(Repeated("(", 20000));
  Check(Repeated("\"", 20001));
  Check(Repeated("/*", 20000));
  Check(Repeated("*/ ", 20000));
  Check(Repeated("set ", 5000));
  Check(Repeated("\xc3", 20000));
  Check(Repeated("///\n", 20000) + Repeated("///x\n", 20000));
  Check("set " + Repeated("A", 50000) + "b: end " + Repeated("$", 50000));
}

TEST(Fuzz, LongKernelsOfOneKindTakeLinearTime) {
  const std::string head = "kernel a\nsize n = 4\ninput x: f32[n]\noutput y: f32[n]\ny[n] = ";
  for (const char* piece : {"-", "not ", "(", "sum(k) ", "max(1, ", "x[", "1 ? "}) {
    Kernel(head + Repeated(piece, 20000) + "x[n]\nend\n");
    Kernel(head + Repeated(piece, 90) + "x[n]\nend\n");
  }
  for (const char* piece : {" + x[n]", " * 2", " or zz", " ? 1 : 2", ")", "[n]", ", n", " 1"}) {
    Kernel(head + "x[n]" + Repeated(piece, 20000) + "\nend\n");
    Kernel(head + "x[n]" + Repeated(piece, 400) + "\nend\n");
  }
  for (const char* piece : {"\n", ";", "//\n", "///\n", "\xc3", "size n = 3\n", "size ]\n"}) {
    Kernel(Repeated(piece, 5000));
    Kernel("kernel a\n" + Repeated(piece, 5000) + "end\n");
  }
  Kernel("kernel a\nsize n" + Repeated(", n", 3000) + "\nend\n");
  Kernel("kernel a\ninput x: f32[1" + Repeated(", 1", 3000) + "]\nend\n");
}

/// A fuzzer finds its way sooner when it knows the words; new ones are not forgotten.
TEST(Fuzz, TheDictionaryHasTheWordsOfTheGrammar) {
  ExpectTheWordsOf("dsl/Exh.g4", Dictionary(), 30);
  ExpectTheWordsOf("kernels/notation/syntax/Kernel.g4", KernelDictionary(), 30);
  ExpectTheWordsOf("functional/syntax/Fun.g4", FunctionalDictionary(), 30);
}

TEST(Fuzz, EntriesTellWhatTheyAreAbout) {
  EXPECT_TRUE(Check("require a: true || false"));
  EXPECT_FALSE(Check("require a"));
  EXPECT_TRUE(Generate(ReadText(InTree("tests/generator/golden/alias/space.exh"))));
  EXPECT_FALSE(Generate("require forall"));
  EXPECT_TRUE(Format("require   a : true"));
  EXPECT_FALSE(Format("\"open"));
  EXPECT_TRUE(Kernel(ReadText(InTree("kernels/library/texts/matmul.kernel"))));
  EXPECT_FALSE(Kernel("kernel a\nend"));
  EXPECT_FALSE(Functional("input x: [float]4"));
}

TEST(FuzzDeathTest, ABrokenPromiseAbortsAndShowsTheText) {
  Promise(true, "nothing", "");
  EXPECT_DEATH(Promise(false, "the same bytes twice", "require a"),
               "broken: the same bytes twice, for:\nrequire a");
}

}  // namespace
}  // namespace exh::fuzz
