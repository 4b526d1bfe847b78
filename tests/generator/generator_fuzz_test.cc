// SPDX-License-Identifier: MIT
//
// Every mutation of a golden space that is still a space generates the same bytes twice.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/dsl.h"
#include "tests/generator/golden_files.h"

namespace exh::tests {
namespace {

/// Whether `text` is a space.
bool GenerateTwice(std::string_view text) {
  dsl::DiagnosticSink sink;
  // Beside a golden that exists, so that their includes are found.
  const auto spec =
      dsl::CompileText(GoldenFolder("include") + "/fuzz.exh", std::string(text), {}, sink);
  EXPECT_EQ(spec.has_value(), !sink.has_errors()) << text;
  if (!spec) return false;
  generator::Options options;
  options.space = "fuzz";
  options.prefix = "fuzz.exh";
  const generator::Generated once = generator::Generate(*spec, options);
  const generator::Generated again = generator::Generate(*spec, options);
  EXPECT_EQ(once.files.empty(), !once.refusals.empty()) << text;
  EXPECT_EQ(once.files.size(), again.files.size());
  for (std::size_t i = 0; i < once.files.size() && i < again.files.size(); ++i) {
    EXPECT_TRUE(once.files[i].text == again.files[i].text) << text;
  }
  return true;
}

}  // namespace

/// The entry that a coverage-guided fuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return GenerateTwice(std::string_view(reinterpret_cast<const char*>(data), size)) ? 0 : -1;
}

namespace {

/// The words of a space that a mutation exchanges: most results are spaces again.
const std::vector<std::vector<std::string>> kExchanges = {
    {" is not ", " is "},
    {" == ", " != "},
    {" <= ", " < ", " >= ", " > "},
    {" || ", " "},
    {"half counter", "counter", "internal counter"},
    {" sum ", " mul "},
    {"$a", "$b", "$c"},
    {"symmetric\n", "\n"}};

std::string Mutated(std::string text, std::mt19937& random) {
  for (std::uint32_t i = random() % 4 + 1; i > 0; --i) {
    const auto& words = kExchanges[random() % kExchanges.size()];
    const std::string& from = words[random() % words.size()];
    const std::size_t at = text.find(from, random() % text.size());
    if (at != std::string::npos) text.replace(at, from.size(), words[random() % words.size()]);
  }
  return text;
}

TEST(GeneratorFuzz, MutatedGoldensGenerateTheSameTwice) {
  int spaces = 0;
  for (const std::string& feature : GoldenFeatures()) {
    const std::string text = ReadFile(GoldenFolder(feature) + "/space.exh");
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(feature + ", seed " + std::to_string(seed));
      std::mt19937 random(seed);
      const std::string mutated = Mutated(text, random);
      spaces += LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(mutated.data()),
                                       mutated.size()) == 0;
    }
  }
  EXPECT_GT(spaces, 200);
}

}  // namespace
}  // namespace exh::tests
