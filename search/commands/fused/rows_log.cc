// SPDX-License-Identifier: MIT
#include "search/commands/fused/rows_log.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/user_json.h"
#include "poly/isl/baseline.h"

namespace exh::search {

namespace fused = kernels::fused;
using nlohmann::json;

std::string HeaderLine(const std::string& operators, const fused::RowOptions& options,
                       const std::string& conditions) {
  return json{
      {"fused", 1},
      {"operators", fmt::format("{:016x}", Fnv1a64(operators))},
      {"isl_version", poly::IslVersion()},
      {"isl", options.isl},
      {"dependences", options.dependences == poly::DependenceKind::kValue ? "value" : "memory"},
      {"conditions", conditions},
      {"seed", options.seed},
      {"leaves", options.leaves},
      {"most_bytes", options.most_bytes}}
      .dump();
}

std::string ToLine(const LoggedOperator& logged) {
  const fused::OperatorRows& of = logged.rows;
  json rows = json::array();
  for (const fused::Row& row : of.rows) {
    json one = {{"name", row.name}, {"verdict", kernels::VerdictName(row.verdict)}};
    if (row.ns > 0) one["ns"] = row.ns;
    if (!row.of.empty()) one["of"] = row.of;
    if (!row.why.empty()) one["why"] = row.why;
    rows.push_back(std::move(one));
  }
  return json{{"line", logged.line},
              {"network", logged.network},
              {"place", logged.place},
              {"op", logged.op},
              {"refused", of.refused},
              {"bytes", of.bytes},
              {"floor_ns", of.floor_ns},
              {"influenced", of.is_influenced},
              {"vectors", of.has_vectors},
              {"transposes", of.transposes},
              {"scheduling",
               {{"seconds", of.cost.seconds},
                {"systems", of.cost.systems},
                {"infeasible", of.cost.infeasible},
                {"steps", of.cost.steps}}},
              {"rows", rows}}
      .dump();
}

std::optional<LoggedOperator> LoggedOf(const std::string& line) {
  const json text = TryUserJson(line);
  if (!text.is_object() || !text.contains("line")) return std::nullopt;
  try {
    LoggedOperator logged;
    logged.line = text.at("line");
    logged.network = text.at("network");
    logged.place = text.at("place");
    logged.op = text.at("op");
    fused::OperatorRows& rows = logged.rows;
    rows.refused = text.at("refused");
    rows.bytes = text.at("bytes");
    rows.floor_ns = text.at("floor_ns");
    rows.is_influenced = text.at("influenced");
    rows.has_vectors = text.at("vectors");
    rows.transposes = text.at("transposes");
    const json& scheduling = text.at("scheduling");
    rows.cost.seconds = scheduling.at("seconds");
    rows.cost.systems = scheduling.at("systems");
    rows.cost.infeasible = scheduling.at("infeasible");
    rows.cost.steps = scheduling.at("steps").get<decltype(rows.cost.steps)>();
    for (const json& one : text.at("rows")) {
      fused::Row row{
          .name = one.at("name"), .of = one.value("of", ""), .why = one.value("why", "")};
      const auto verdict = kernels::VerdictOf(one.at("verdict").get<std::string>());
      if (!verdict) return std::nullopt;
      row.verdict = *verdict;
      row.ns = one.value("ns", 0.0);
      rows.rows.push_back(std::move(row));
    }
    return logged;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace exh::search
