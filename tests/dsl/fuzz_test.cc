// SPDX-License-Identifier: MIT
//
// Whatever the bytes: no crash, no exception, an end, and an error unless there is a Spec.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "dsl/parse.h"
#include "dsl/print.h"
#include "tests/dsl/verify.h"

namespace exh::dsl {
namespace {

void CompileAnything(const std::string& text, std::uint32_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  DiagnosticSink sink;
  const auto spec = CompileText("fuzz/main.exh", text, {}, sink);
  EXPECT_EQ(spec.has_value(), !sink.has_errors()) << text;
  RenderText(sink);
  RenderJson(sink);
}

int Below(std::mt19937& random, std::size_t n) {
  return std::uniform_int_distribution<int>(0, static_cast<int>(n) - 1)(random);
}

TEST(Fuzz, RandomBytes) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::string text(static_cast<std::size_t>(Below(random, 400)), ' ');
    for (char& c : text) c = static_cast<char>(Below(random, 256));
    CompileAnything(text, seed);
  }
}

TEST(Fuzz, RandomWords) {
  const std::vector<std::string> words = {"set",
                                          "quotient",
                                          "define",
                                          "enum",
                                          "counter",
                                          "integer",
                                          "require",
                                          "trigger",
                                          "when",
                                          "end",
                                          "value",
                                          "alias",
                                          "forall",
                                          "$a",
                                          "$b",
                                          "in",
                                          "Ax",
                                          "Bx",
                                          "f",
                                          "g",
                                          "A",
                                          "B",
                                          "(",
                                          ")",
                                          ":",
                                          ",",
                                          "=",
                                          "==",
                                          "/",
                                          "||",
                                          "&&",
                                          "|",
                                          "is",
                                          "not",
                                          "\"$a\"",
                                          "\"",
                                          "/*",
                                          "*/",
                                          "///x\n",
                                          "//",
                                          "\n",
                                          "choice",
                                          "type",
                                          "adds",
                                          "host",
                                          "half",
                                          "internal",
                                          "sum",
                                          "mul",
                                          "base",
                                          "requires",
                                          "symmetric",
                                          "antisymmetric",
                                          "->",
                                          "item_type",
                                          "reverse",
                                          "true",
                                          "subsetof",
                                          "disjoint",
                                          "of",
                                          "include \"x\"\n",
                                          "!"};
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    for (int i = Below(random, 120); i > 0; --i) {
      text += words[static_cast<std::size_t>(Below(random, words.size()))] + " ";
    }
    CompileAnything(text, seed);
  }
}

std::string Mutated(std::string text, std::mt19937& random) {
  for (int i = Below(random, 6); i >= 0 && !text.empty(); --i) {
    const auto at = static_cast<std::size_t>(Below(random, text.size()));
    const auto length = std::min(text.size() - at, static_cast<std::size_t>(Below(random, 30)));
    switch (Below(random, 5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(Below(random, 128));
        break;
      case 3:
        text.insert(at, 1, "\"$:|/*()\n"[Below(random, 9)]);
        break;
      default: {
        const auto from = static_cast<std::size_t>(Below(random, text.size()));
        text.insert(at, text.substr(from, length));
      }
    }
  }
  return text;
}

TEST(Fuzz, MutatedFiles) {
  const std::string folder = std::string(EXH_SOURCE_DIR) + "/tests/dsl/";
  std::string valid = ReadFile(folder + "valid/every_construct.exh");
  valid.replace(valid.find("include \"parts/sets.exh\""), 24,
                ReadFile(folder + "valid/parts/sets.exh"));
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    CompileAnything(Mutated(valid, random), seed);
  }
}

TEST(Fuzz, WhatParsesAlsoPrintsAndParsesAgain) {
  const std::string valid =
      ReadFile(std::string(EXH_SOURCE_DIR) + "/tests/dsl/valid/parts/sets.exh");
  int survived = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    DiagnosticSink sink;
    sink.sources().AddInMemory("a.exh", Mutated(valid, random));
    std::string error;
    const ast::File file = Parse(*sink.sources().Open("a.exh", {}, &error), {}, sink);
    if (sink.has_errors()) continue;
    ++survived;
    sink.sources().AddInMemory("b.exh", Print(file));
    EXPECT_TRUE(file == Parse(*sink.sources().Open("b.exh", {}, &error), {}, sink)) << seed;
  }
  EXPECT_GT(survived, 10);
}

TEST(Fuzz, LongInputsOfOneKindTakeLinearTime) {
  const auto repeat = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  CompileAnything("require " + repeat("forall $a in Ax: ", 3000), 0);
  CompileAnything("require true" + repeat(" || true", 20000), 0);
  CompileAnything("require " + repeat("true ", 20000), 0);
  CompileAnything(repeat("(", 20000), 0);
  CompileAnything(repeat("\"", 20001), 0);
  CompileAnything(repeat("/*", 20000), 0);
  CompileAnything(repeat("*/ ", 20000), 0);
  CompileAnything(repeat("set ", 5000), 0);
  CompileAnything(repeat("\xc3", 20000), 0);
  CompileAnything(repeat("///\n", 20000) + repeat("///x\n", 20000), 0);
  CompileAnything("set " + repeat("A", 50000) + "b: end " + repeat("$", 50000), 0);
}

}  // namespace
}  // namespace exh::dsl
