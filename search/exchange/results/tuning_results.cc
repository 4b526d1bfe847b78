// SPDX-License-Identifier: MIT
#include "search/exchange/results/tuning_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/spelling.h"
#include "base/user_json.h"
#include "search/exchange/results/time_stamp.h"

namespace exh::search {
namespace {

using kernels::Verdict;

constexpr double kNsOfMs = 1e6;
/// Times are written to the picosecond: so what is read again is written alike.
constexpr double kPicosOfMs = 1e9, kPicosOfNs = 1e3;
/// What stands for a time that there is none of, in old caches.
constexpr double kNoTime = 1e19;

constexpr const char* kVerdict = "verdict";
constexpr const char* kWhy = "why";

double MsOf(double ns) {
  return std::round(ns * kPicosOfNs) / kPicosOfMs;
}
double NsOf(double time, double unit_ns) {
  return std::round(time * (unit_ns * kPicosOfNs)) / kPicosOfNs;
}

Verdict VerdictOfInvalidity(std::string_view word, const std::string& where) {
  if (word == "correct") return Verdict::kCorrect;
  if (word == "correctness") return Verdict::kWrong;
  if (word == "compile") return Verdict::kCompileError;
  if (word == "runtime") return Verdict::kCrash;
  if (word == "timeout") return Verdict::kTimeout;
  if (word == "constraints") return Verdict::kRefused;
  throw UsageError(fmt::format(
      "{}: {}", where,
      UnknownName("invalidity", word,
                  {"correct", "correctness", "compile", "runtime", "timeout", "constraints"})));
}

const Json* Find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

double NumberIn(const Json& object, const char* key, const std::string& where) {
  const Json* const number = Find(object, key);
  if (number == nullptr) return 0;
  if (!number->is_number() || !std::isfinite(number->get<double>())) {
    throw UsageError(fmt::format("{}: '{}' is no number", where, key));
  }
  return number->get<double>();
}

std::vector<double> NumbersIn(const Json& object, const char* key, double unit_ns,
                              const std::string& where) {
  std::vector<double> numbers;
  const Json* const list = Find(object, key);
  if (list == nullptr) return numbers;
  if (!list->is_array()) throw UsageError(fmt::format("{}: '{}' is no list", where, key));
  for (const Json& number : *list) {
    if (!number.is_number()) {
      throw UsageError(fmt::format("{}: '{}' holds {}, which is no number", where, key,
                                   Shortened(number.dump(), 40)));
    }
    numbers.push_back(NsOf(number.get<double>(), unit_ns));
  }
  return numbers;
}

std::optional<std::int64_t> TimeStampIn(const Json& object) {
  const Json* const text = Find(object, "timestamp");
  if (text == nullptr || !text->is_string()) return std::nullopt;
  return ParseTimeStamp(text->get_ref<const std::string&>());
}

double UnitOf(const Json& json) {
  const Json* const metadata = Find(json, "metadata");
  const Json* const unit =
      metadata != nullptr && metadata->is_object() ? Find(*metadata, "timeunit") : nullptr;
  if (unit == nullptr) return kNsOfMs;
  const std::string word = unit->is_string() ? unit->get<std::string>() : unit->dump();
  if (word == "nanoseconds") return 1;
  if (word == "microseconds") return 1e3;
  if (word == "milliseconds") return kNsOfMs;
  if (word == "seconds") return 1e9;
  throw UsageError(
      UnknownName("timeunit", word, {"nanoseconds", "microseconds", "milliseconds", "seconds"}));
}

/// A unit of a measurement; one that is not known is that of the file.
double UnitOfMeasurement(const Json& measurement, double usual_ns) {
  const Json* const unit = Find(measurement, "unit");
  if (unit == nullptr || !unit->is_string()) return usual_ns;
  const std::string& word = unit->get_ref<const std::string&>();
  if (word == "ns" || word == "nanoseconds") return 1;
  if (word == "us" || word == "microseconds") return 1e3;
  if (word == "ms" || word == "milliseconds") return kNsOfMs;
  if (word == "s" || word == "seconds") return 1e9;
  return usual_ns;
}

/// What a search learns of: the time, whatever else the tuner was after.
void ReadMeasurements(const Json& json, double unit_ns, const std::string& where,
                      TuningResult& result) {
  const Json* const measurements = Find(json, "measurements");
  if (measurements == nullptr) return;
  if (!measurements->is_array()) throw UsageError(where + ": 'measurements' is no list");
  for (const Json& one : *measurements) {
    if (!one.is_object()) throw UsageError(where + ": a measurement is no object");
    const Json *const name = Find(one, "name"), *const value = Find(one, "value");
    if (name == nullptr || value == nullptr) continue;
    if (*name == "time" && value->is_number()) {
      const double time = value->get<double>();
      if (time > 0 && time < kNoTime) result.ns = NsOf(time, UnitOfMeasurement(one, unit_ns));
    } else if (*name == kVerdict && value->is_string()) {
      const auto verdict = kernels::VerdictOf(value->get<std::string>());
      if (verdict) result.verdict = *verdict;
    } else if (*name == kWhy && value->is_string()) {
      result.why = value->get<std::string>();
    }
  }
}

TuningResult ResultOf(const Json& json, double unit_ns, const std::string& where) {
  if (!json.is_object()) throw UsageError(where + " is no object");
  TuningResult result;
  const Json *const configuration = Find(json, "configuration"), *const times = Find(json, "times"),
                    *const invalidity = Find(json, "invalidity");
  if (configuration == nullptr || !configuration->is_object()) {
    throw UsageError(where + " has no 'configuration', an object");
  }
  if (times == nullptr || !times->is_object()) {
    throw UsageError(where + " has no 'times', an object");
  }
  if (invalidity == nullptr || !invalidity->is_string()) {
    throw UsageError(where + " has no 'invalidity', a text");
  }
  result.configuration = *configuration;
  result.micros = TimeStampIn(json);
  result.verdict = VerdictOfInvalidity(invalidity->get_ref<const std::string&>(), where);
  const double to_ms = unit_ns / kNsOfMs;
  // Files of Kernel Tuner have the one, the schema the other.
  const char* const compile =
      Find(*times, "compilation_time") != nullptr ? "compilation_time" : "compilation";
  result.compile_ms = NumberIn(*times, compile, where) * to_ms;
  result.check_ms = NumberIn(*times, "validation", where) * to_ms;
  result.search_ms =
      (NumberIn(*times, "framework", where) + NumberIn(*times, "search_algorithm", where)) * to_ms;
  result.runtimes_ns = NumbersIn(*times, "runtimes", unit_ns, where);
  ReadMeasurements(json, unit_ns, where, result);
  return result;
}

/// Of a cache: numbers that are times, and words in place of them.
TuningResult CachedResultOf(const Json& json, const std::vector<std::string>& names,
                            const std::string& where) {
  if (!json.is_object()) throw UsageError(where + " is no object");
  TuningResult result;
  for (const std::string& name : names) {
    const auto value = json.find(name);
    if (value == json.end()) throw UsageError(fmt::format("{} has no '{}'", where, name));
    result.configuration[name] = *value;
  }
  result.micros = TimeStampIn(json);
  result.compile_ms = NumberIn(json, "compile_time", where);
  result.check_ms = NumberIn(json, "verification_time", where);
  result.search_ms =
      NumberIn(json, "framework_time", where) + NumberIn(json, "strategy_time", where);
  const Json* const time = Find(json, "time");
  if (time == nullptr) throw UsageError(where + " has no 'time'");
  if (time->is_number() && time->get<double>() < kNoTime) {
    result.ns = NsOf(time->get<double>(), kNsOfMs);
    result.runtimes_ns = NumbersIn(json, "times", kNsOfMs, where);
    return result;
  }
  result.why = time->is_string() ? time->get<std::string>() : "it has no time";
  const bool does_not_compile = result.why.find("Compilation") != std::string::npos;
  result.verdict = does_not_compile                ? Verdict::kCompileError
                   : result.why == "InvalidConfig" ? Verdict::kRefused
                                                   : Verdict::kCrash;
  return result;
}

TuningResults CacheOf(const Json& json) {
  TuningResults results;
  TuningProblem problem;
  std::vector<std::string> names;
  const Json* const parameters = Find(json, "tune_params");
  if (parameters == nullptr || !parameters->is_object()) {
    throw UsageError("the cache has no 'tune_params', an object");
  }
  for (const auto& [name, values] : parameters->items()) {
    TuningParameter parameter;
    parameter.name = name;
    const PythonValue list = PythonValueOf(values);
    if (!list.is_list() || list.list().empty()) {
      throw UsageError(fmt::format("'{}' of 'tune_params' is no list of values", name));
    }
    for (const PythonValue& value : list.list()) {
      const bool is_there = std::ranges::any_of(
          parameter.values, [&](const PythonValue& other) { return AreSame(value, other); });
      if (!is_there) parameter.values.push_back(value);
    }
    problem.parameters.push_back(std::move(parameter));
    names.push_back(name);
  }
  if (const Json* const name = Find(json, "kernel_name"); name != nullptr && name->is_string()) {
    problem.name = name->get<std::string>();
  }
  if (const Json* const name = Find(json, "device_name"); name != nullptr && name->is_string()) {
    results.device = name->get<std::string>();
  }
  const Json& cache = json.at("cache");
  if (!cache.is_object()) throw UsageError("'cache' is no object");
  for (const auto& [key, entry] : cache.items()) {
    results.results.push_back(
        CachedResultOf(entry, names, fmt::format("entry '{}' of the cache", key)));
  }
  results.space = std::move(problem);
  return results;
}

Json MeasurementOf(const char* name, Json value, const char* unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

}  // namespace

std::string_view InvalidityOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCorrect:
      return "correct";
    case Verdict::kCompileError:
    case Verdict::kCompileTimeout:
    case Verdict::kSpills:
    case Verdict::kRefused:
    case Verdict::kInternal:
      return "compile";
    case Verdict::kCrash:
    case Verdict::kBroken:
    case Verdict::kStopped:
      return "runtime";
    case Verdict::kTimeout:
    case Verdict::kSlow:
    case Verdict::kIdle:
      return "timeout";
    default:  // Wrong, or nobody knows that it is right.
      return "correctness";
  }
}

TuningResults ParseTuningResults(std::string_view text) {
  Json json;
  try {
    json = ParseUserJson<Json>(text);
  } catch (const Error& error) {
    // A cache that is still written to lacks its end.
    json = TryUserJson<Json>(std::string(text.substr(0, text.find_last_not_of(" \t\r\n,") + 1)) +
                             "}}");
    if (!json.is_object() || !json.contains("cache")) throw UsageError(error.what());
  }
  if (!json.is_object()) throw UsageError("it is no object of results");
  if (json.contains("cache")) return CacheOf(json);
  const Json* const list = Find(json, "results");
  if (list == nullptr || !list->is_array()) {
    throw UsageError(
        "it has neither a list 'results' (T4) nor an object 'cache' (of Kernel Tuner)");
  }
  TuningResults results;
  const double unit_ns = UnitOf(json);
  if (const Json* const metadata = Find(json, "metadata");
      metadata != nullptr && metadata->is_object()) {
    const Json* const device = Find(*metadata, "device");
    if (device != nullptr && device->is_string()) results.device = device->get<std::string>();
    results.started = TimeStampIn(*metadata);
  }
  for (const Json& one : *list) {
    results.results.push_back(
        ResultOf(one, unit_ns, fmt::format("result {}", results.results.size() + 1)));
  }
  return results;
}

std::string TuningResultsJson(const TuningResults& results) {
  Json json;
  json["schema_version"] = "1.0.0";
  json["metadata"] = {{"autotuner", "Exhaust"}, {"timeunit", "milliseconds"}};
  if (!results.device.empty()) json["metadata"]["device"] = results.device;
  if (results.started) json["metadata"]["timestamp"] = TimeStampText(*results.started);
  Json& list = json["results"] = Json::array();
  for (const TuningResult& result : results.results) {
    const bool is_correct = result.verdict == Verdict::kCorrect;
    const std::string_view invalidity = InvalidityOf(result.verdict);
    Json one;
    if (result.micros) one["timestamp"] = TimeStampText(*result.micros);
    one["configuration"] = result.configuration;
    Json runtimes = Json::array();
    for (const double ns : result.runtimes_ns) runtimes.push_back(MsOf(ns));
    one["times"] = {{"compilation_time", result.compile_ms},
                    {"runtimes", std::move(runtimes)},
                    {"framework", result.search_ms},
                    {"search_algorithm", 0},
                    {"validation", result.check_ms}};
    one["invalidity"] = invalidity;
    one["correctness"] = is_correct ? 1 : 0;
    Json measurements = Json::array();
    if (result.ns > 0) measurements.push_back(MeasurementOf("time", MsOf(result.ns), "ms"));
    if (VerdictOfInvalidity(invalidity, "") != result.verdict) {
      measurements.push_back(MeasurementOf(kVerdict, kernels::VerdictName(result.verdict), ""));
    }
    if (!result.why.empty()) measurements.push_back(MeasurementOf(kWhy, result.why, ""));
    one["measurements"] = std::move(measurements);
    one["objectives"] = {"time"};
    list.push_back(std::move(one));
  }
  return json.dump(1) + "\n";
}

}  // namespace exh::search
