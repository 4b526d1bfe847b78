// SPDX-License-Identifier: MIT
#include "search/own/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/spelling.h"
#include "base/user_json.h"

namespace exh::search {
namespace {

using Json = nlohmann::json;
using kernels::Measurement;
using kernels::Verdict;

constexpr std::size_t kShown = 200;  // Bytes of a text of theirs in a message.
constexpr std::size_t kMostTimes = 10000;

struct Unit {
  const char* key;
  double ns;
};
constexpr std::array kUnits = {Unit{"runtimes_ns", 1}, Unit{"time_ns", 1}, Unit{"time_us", 1e3},
                               Unit{"time_ms", 1e6}, Unit{"time_s", 1e9}};

/// What a program may say of an implementation. The others are ours alone.
constexpr std::array kSaid = {Verdict::kCorrect,        Verdict::kWrong,  Verdict::kCompileError,
                              Verdict::kCompileTimeout, Verdict::kSpills, Verdict::kCrash,
                              Verdict::kTimeout,        Verdict::kSlow,   Verdict::kUnchecked};

/// What is wrong with a time; empty: nothing.
std::string ProblemOf(double ns) {
  constexpr double kYear = 3.2e16;
  if (std::isfinite(ns) && ns > 0 && ns < kYear) return "";
  return fmt::format("a time of {} ns, which is none", ns);
}

/// The times of an object, or why they are none.
std::string ReadTimes(const Json& json, std::vector<double>& times) {
  for (const Unit& unit : kUnits) {
    const auto found = json.find(unit.key);
    if (found == json.end() || found->is_null()) continue;
    if (!times.empty()) return "times in two units: one is enough";
    const Json list = found->is_array() ? *found : Json::array({*found});
    if (list.size() > kMostTimes) return fmt::format("more than {} times", kMostTimes);
    for (const Json& one : list) {
      if (!one.is_number()) {
        return fmt::format("\"{}\": {}, which is no number", unit.key,
                           Shortened(one.dump(-1, ' ', false, Json::error_handler_t::replace), 40));
      }
      const double ns = one.get<double>() * unit.ns;
      if (std::string problem = ProblemOf(ns); !problem.empty()) return problem;
      times.push_back(ns);
    }
  }
  return "";
}

std::vector<std::string> LegalVerdicts() {
  std::vector<std::string> names;
  for (const Verdict verdict : kSaid) names.emplace_back(kernels::VerdictName(verdict));
  return names;
}

double NumberOr(const Json& json, const char* key, double usual) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : usual;
}

std::string TextOr(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Measurement Unchecked(Measurement measurement, bool trust_times) {
  measurement.verdict = trust_times ? Verdict::kCorrect : Verdict::kUnchecked;
  if (!trust_times && measurement.why.empty()) {
    measurement.why =
        "the program gives a time and no verdict: \"verdict\": \"correct\" after a check of its "
        "result, or --trust-times, which believes it";
  }
  return measurement;
}

Measurement ReadObject(const Json& json, bool trust_times) {
  Measurement measurement;
  measurement.why = TextOr(json, "why");
  if (measurement.why.empty()) measurement.why = TextOr(json, "error");
  measurement.compile_ms = NumberOr(json, "compile_ms", 0);
  measurement.check_ms = NumberOr(json, "check_ms", 0);
  measurement.max_error = NumberOr(json, "max_error", 0);
  measurement.max_error_ratio = NumberOr(json, "error_ratio", 0);
  if (std::string problem = ReadTimes(json, measurement.runtimes_ns); !problem.empty()) {
    return NoAnswer("the program answered with " + problem);
  }
  if (!measurement.runtimes_ns.empty()) {
    measurement.best_ns = *std::ranges::min_element(measurement.runtimes_ns);
  }
  const auto said = json.find("verdict");
  if (said == json.end() || said->is_null()) {
    if (measurement.runtimes_ns.empty()) {
      return NoAnswer(
          "the program answered without a verdict and without a time; right is {\"verdict\": "
          "\"correct\", \"time_ms\": 1.23}");
    }
    return Unchecked(std::move(measurement), trust_times);
  }
  const std::string name = said->is_string() ? said->get<std::string>() : said->dump();
  const auto verdict = kernels::VerdictOf(name);
  if (!verdict || std::ranges::find(kSaid, *verdict) == kSaid.end()) {
    return NoAnswer("the program answered with an " +
                    UnknownName("unknown verdict", Shortened(name, kShown), LegalVerdicts())
                        .substr(sizeof("unknown ") - 1));
  }
  measurement.verdict = *verdict;
  if (*verdict == Verdict::kUnchecked) return Unchecked(std::move(measurement), trust_times);
  if (*verdict != Verdict::kCorrect) return measurement;
  if (measurement.runtimes_ns.empty()) {
    return NoAnswer("the program says 'correct', and no time: \"time_ms\": 1.23");
  }
  if (measurement.max_error_ratio > 1) {
    measurement.verdict = Verdict::kWrong;
    measurement.why = fmt::format(
        "the program says 'correct', and an error of {:.3g} times what "
        "is tolerable",
        measurement.max_error_ratio);
  }
  return measurement;
}

}  // namespace

Measurement NoAnswer(std::string why) {
  Measurement none;
  none.verdict = Verdict::kBroken;
  none.why = std::move(why);
  return none;
}

Measurement ReadAnswer(std::string_view text, bool trust_times) {
  const Json json = TryUserJson<Json>(text);
  if (!json.is_object()) {
    return NoAnswer(fmt::format("the program answered with what is no JSON object: {}",
                                Shortened(text, kShown)));
  }
  Measurement measurement = ReadObject(json, trust_times);
  measurement.why = Shortened(measurement.why, 2000);
  return measurement;
}

Measurement ReadLastLine(std::string_view output, bool trust_times) {
  std::string_view line;
  for (std::string_view rest = Trim(output); !rest.empty();) {
    const std::size_t end = rest.rfind('\n');
    line = Trim(end == std::string_view::npos ? rest : rest.substr(end + 1));
    break;
  }
  if (line.starts_with('{')) return ReadAnswer(line, trust_times);
  std::istringstream words{std::string(line)};
  std::string key, word;
  words >> key;
  while (!key.empty() && (key.back() == ':' || key.back() == '=')) key.pop_back();
  const auto unit = std::ranges::find_if(kUnits, [&](const Unit& one) { return key == one.key; });
  Json times = Json::array();
  while (words >> word) {
    const auto number = ParseReal(word);
    if (!number) break;
    times.push_back(*number);
  }
  if (unit == kUnits.end() || times.empty()) {
    return NoAnswer(line.empty()
                        ? "the program printed nothing; its last line is to be 'time_ms 1.23', or "
                          "{\"verdict\": \"correct\", \"time_ms\": 1.23}"
                        : fmt::format("the last line of the program is to be 'time_ms 1.23', or "
                                      "{{\"verdict\": \"correct\", \"time_ms\": 1.23}}; it is: {}",
                                      Shortened(line, kShown)));
  }
  return ReadObject(Json{{unit->key, times}}, trust_times);
}

}  // namespace exh::search
