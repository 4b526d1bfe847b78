// SPDX-License-Identifier: MIT
#include "kernels/cpu/protocol.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace exh::kernels::cpu {
namespace {

using nlohmann::json;

/// JSON has no infinity and no NaN: they travel as null.
json Number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}
double FromNumber(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

/// Every verdict a runner may answer.
std::optional<Verdict> VerdictOf(const std::string& name) {
  for (const Verdict verdict : {Verdict::kCorrect, Verdict::kWrong, Verdict::kCrash, Verdict::kSlow,
                                Verdict::kImpossible, Verdict::kBroken}) {
    if (VerdictName(verdict) == name) return verdict;
  }
  return std::nullopt;
}

}  // namespace

std::string ToJsonLine(const Measurement& m) {
  return json({{"verdict", VerdictName(m.verdict)},
               {"why", m.why},
               {"check_ms", m.check_ms},
               {"runtimes_ns", m.runtimes_ns},
               {"clocks_mhz", m.clocks_mhz},
               {"blocks_per_sm", m.blocks_per_sm},
               {"best_ns", m.best_ns},
               {"results", m.results},
               {"estimate_ns", m.estimate_ns},
               {"estimate_blocks", m.estimate_blocks},
               {"max_error", Number(m.max_error)},
               {"max_error_ratio", Number(m.max_error_ratio)}})
             .dump(-1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

std::optional<Measurement> ParseMeasurement(const std::string& line) {
  try {
    const json object = json::parse(line);
    const auto verdict = VerdictOf(object.at("verdict").get<std::string>());
    if (!verdict) return std::nullopt;
    Measurement m;
    m.verdict = *verdict;
    m.why = object.at("why").get<std::string>();
    m.check_ms = object.at("check_ms").get<double>();
    m.runtimes_ns = object.at("runtimes_ns").get<std::vector<double>>();
    m.clocks_mhz = object.at("clocks_mhz").get<std::vector<double>>();
    m.blocks_per_sm = object.at("blocks_per_sm").get<int>();
    m.best_ns = object.at("best_ns").get<double>();
    m.results = object.at("results").get<std::uint64_t>();
    m.estimate_ns = object.at("estimate_ns").get<double>();
    m.estimate_blocks = object.at("estimate_blocks").get<std::uint64_t>();
    m.max_error = FromNumber(object.at("max_error"));
    m.max_error_ratio = FromNumber(object.at("max_error_ratio"));
    return m;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace exh::kernels::cpu
