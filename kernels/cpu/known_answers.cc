// SPDX-License-Identifier: MIT
#include "kernels/cpu/known_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/system/cache_folder.h"
#include "base/system/whole_file.h"

namespace exh::kernels {
namespace {

using Json = nlohmann::json;
using Outcome = KnownAnswer::Outcome;

constexpr std::array<const char*, 3> kOutcomes = {"right", "wrong", "unknown"};

std::string FileOf(const std::string& key) {
  const std::string folder = CacheFolder("known-answers");
  return folder.empty() ? "" : folder + "/" + CacheKey(key) + ".json";
}

Json BodyOf(const KnownAnswers& known) {
  Json answers = Json::array();
  for (const KnownAnswer& answer : known.answers) {
    answers.push_back({{"what", answer.what},
                       {"mark", answer.mark},
                       {"avoided", answer.is_avoided},
                       {"outcome", kOutcomes[static_cast<std::size_t>(answer.outcome)]},
                       {"why", answer.why},
                       {"options", answer.options}});
  }
  return {{"compiler", known.compiler}, {"answers", answers}, {"trouble", known.trouble}};
}

KnownAnswer AnswerOf(const Json& json) {
  KnownAnswer answer;
  answer.what = json.at("what").get<std::string>();
  answer.mark = json.at("mark").get<std::string>();
  answer.is_avoided = json.at("avoided").get<bool>();
  const auto outcome = std::ranges::find(kOutcomes, json.at("outcome").get<std::string>());
  if (outcome != kOutcomes.end()) {
    answer.outcome = static_cast<Outcome>(std::distance(kOutcomes.begin(), outcome));
  }
  answer.why = json.at("why").get<std::string>();
  answer.options = json.at("options").get<std::vector<std::string>>();
  return answer;
}

/// What is wrong with an answer, and what is done about it.
std::string TextOf(const KnownAnswer& answer) {
  if (answer.outcome == Outcome::kUnknown) {
    return fmt::format("whether {} are compiled rightly is not known: {}", answer.what, answer.why);
  }
  const std::string wrong = fmt::format("{} are compiled wrongly ({})", answer.what, answer.why);
  if (answer.is_avoided) return wrong + ": no text has them in this form";
  if (answer.options.empty()) {
    return wrong + ", and no option mends that: what comes out wrong is found by the check";
  }
  return fmt::format("{}: {} compiled with {} besides", wrong,
                     answer.mark.empty() ? "everything is" : "texts that have them are",
                     fmt::join(answer.options, " "));
}

}  // namespace

std::vector<std::string> KnownAnswers::OptionsFor(std::string_view text) const {
  std::vector<std::string> options;
  for (const KnownAnswer& answer : answers) {
    if (text.find(answer.mark) == text.npos) continue;
    for (const std::string& option : answer.options) {
      if (std::ranges::find(options, option) == options.end()) options.push_back(option);
    }
  }
  return options;
}

std::vector<std::string> KnownAnswers::Notes() const {
  std::vector<std::string> notes;
  if (!trouble.empty()) {
    notes.push_back(fmt::format("the compiler was not asked for known answers: {}", trouble));
  }
  for (const KnownAnswer& answer : answers) {
    // What is avoided does no harm, and a person need not read of it each time.
    if (answer.outcome != Outcome::kWrong || answer.is_avoided) continue;
    notes.push_back(fmt::format("{}: {}", compiler, TextOf(answer)));
  }
  return notes;
}

std::vector<std::string> KnownAnswers::Report() const {
  if (!trouble.empty()) return {fmt::format("{}: not asked: {}", compiler, trouble)};
  const auto right = std::ranges::count(answers, Outcome::kRight, &KnownAnswer::outcome);
  std::vector<std::string> lines = {
      fmt::format("{}: {} of {} right", compiler, right, answers.size())};
  for (const KnownAnswer& answer : answers) {
    if (answer.outcome != Outcome::kRight) lines.push_back(TextOf(answer));
  }
  return lines;
}

KnownAnswers AskForKnownAnswers(const std::string& compiler, std::span<const KnownText> texts,
                                std::span<const std::vector<std::string>> remedies,
                                const TryKnownText& attempt) {
  KnownAnswers known;
  known.compiler = compiler;
  for (const KnownText& text : texts) {
    const KnownTry plain = attempt(text, {});
    KnownAnswer answer{text.what, text.mark, text.is_avoided, plain.outcome, plain.why, {}};
    if (plain.outcome == Outcome::kWrong && !text.is_avoided) {
      for (const std::vector<std::string>& remedy : remedies) {
        if (attempt(text, remedy).outcome != Outcome::kRight) continue;
        answer.options = remedy;
        break;
      }
    }
    known.answers.push_back(std::move(answer));
  }
  return known;
}

std::string ToJson(const KnownAnswers& answers) {
  Json json = BodyOf(answers);
  const std::string digest = CacheKey(json.dump());
  json["digest"] = digest;
  return json.dump();
}

std::optional<KnownAnswers> ParseKnownAnswers(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  try {
    KnownAnswers known;
    known.compiler = json.at("compiler").get<std::string>();
    known.trouble = json.at("trouble").get<std::string>();
    for (const Json& answer : json.at("answers")) known.answers.push_back(AnswerOf(answer));
    if (json.at("digest").get<std::string>() != CacheKey(BodyOf(known).dump())) return std::nullopt;
    return known;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<KnownAnswers> FindKnownAnswers(const std::string& key) {
  const std::string path = FileOf(key);
  if (path.empty()) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return ParseKnownAnswers(text);
}

void KeepKnownAnswers(const std::string& key, const KnownAnswers& answers) {
  const std::string path = FileOf(key);
  if (path.empty() || !answers.trouble.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  static_cast<void>(WriteWholeFile(path, ToJson(answers) + "\n"));
}

std::string DigestOf(std::span<const KnownText> texts) {
  std::string all;
  for (const KnownText& text : texts)
    all += text.what + '\0' + text.mark + '\0' + text.source + '\0';
  return CacheKey(all);
}

}  // namespace exh::kernels
