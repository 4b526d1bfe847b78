// SPDX-License-Identifier: MIT
#include "kernels/fused/run/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/run/problem.h"
#include "poly/isl/owners.h"

namespace exh::kernels::fused {
namespace {

bool HasVectors(const NestNode& node) {
  return node.vector > 1 || std::ranges::any_of(node.children, HasVectors);
}

/// A way to run an operator, in words and as a program.
struct Way {
  std::string name, of, why;
  Source source;
};

std::vector<Way> WaysOf(const Schedules& schedules, const RowOptions& options,
                        const RowMachine& machine, OperatorRows& result) {
  const Program& program = schedules.program();
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, const ProgramSchedule& schedule, bool vectors,
                       const std::string& of) {
    Way way{.name = name, .of = of, .why = schedule.why, .source = {}};
    if (schedule.why.empty()) {
      const std::vector<NestNode> nests = NestsOf(schedules, schedule, vectors);
      if (name == "influenced") result.has_vectors = std::ranges::any_of(nests, HasVectors);
      way.source = machine.Text(program, nests);
    }
    ways.push_back(std::move(way));
  };
  for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
    if (std::ranges::find(options.isl, setting.name) == options.isl.end()) continue;
    const ProgramSchedule schedule = schedules.ByIsl(setting);
    add(schedule.way, schedule, false, "");
  }
  const ProgramSchedule influenced = schedules.Influenced();
  result.cost = influenced.cost;
  result.is_influenced = std::ranges::none_of(influenced.leaves, &std::string::empty);
  add("no vectors", influenced, false, "");
  add("influenced", influenced, true, "");
  for (const ProgramSchedule& leaf : schedules.Leaves(options.leaves)) {
    add("leaf", leaf, true, leaf.way);
  }
  return ways;
}

/// Every program once: different ways often come to the same. Nothing is timed while anything
/// compiles.
std::map<std::string, Row> RowsOf(const std::vector<Way>& ways, RowMachine& machine) {
  std::map<std::string, Row> rows;
  std::vector<const Source*> sources;
  for (const Way& way : ways) {
    if (way.why.empty() && rows.try_emplace(way.source.text).second) sources.push_back(&way.source);
  }
  std::vector<Compiled> compiled(sources.size());
  RunInParallel(sources.size(), machine.jobs(), [&](std::size_t i) {
    compiled[i] = machine.Compile(*sources[i]);
    return true;
  });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Row& row = rows[sources[i]->text];
    row.verdict = compiled[i].verdict;
    row.why = compiled[i].why;
    if (compiled[i].verdict != Verdict::kCorrect) continue;
    const Measurement measurement = machine.Run(compiled[i]);
    row.verdict = measurement.verdict;
    row.why = measurement.why;
    row.ns = measurement.verdict == Verdict::kCorrect ? measurement.best_ns : 0;
    machine.Discard(compiled[i]);
  }
  return rows;
}

}  // namespace

const Row* OperatorRows::Find(const std::string& name) const {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

RowRunner::RowRunner(RowMachine& machine, RowOptions options)
    : machine_(machine), options_(std::move(options)) {}

OperatorRows RowRunner::Run(const Graph& graph) {
  OperatorRows result;
  result.transposes = std::ranges::any_of(
      graph.operations, [](const Operation& of) { return of.kind == Kind::kTranspose; });
  try {
    const Program program = ProgramOf(StatementsOf(graph));
    result.bytes = CompulsoryBytes(program);
    const Schedules schedules(program, options_.dependences);
    const std::vector<Way> ways = WaysOf(schedules, options_, machine_, result);
    if (result.bytes > options_.most_bytes) {
      result.refused = "it moves more bytes than are allowed";
      return result;
    }
    const OperatorProblem data(graph, program, options_.seed, kMostReferenceBytes);
    result.refused = machine_.Begin(data.View());
    if (!result.refused.empty()) return result;
    const std::map<std::string, Row> measured = RowsOf(ways, machine_);
    Row best{.name = "searched", .of = {}, .why = {}};
    for (const Way& way : ways) {
      Row row{.name = {}, .of = {}, .why = way.why};
      if (way.why.empty()) row = measured.at(way.source.text);
      row.name = way.name;
      row.of = way.of;
      if (row.verdict == Verdict::kCorrect && (best.ns == 0 || row.ns < best.ns)) {
        const std::string of = way.of.empty() ? way.name : way.of;
        best = {"searched", of, row.verdict, row.ns, ""};
      }
      if (way.name != "leaf" || row.verdict != Verdict::kCorrect) result.rows.push_back(row);
    }
    result.rows.push_back(best);
    result.floor_ns = machine_.CopyNs(result.bytes);
  } catch (const TooLarge& error) {
    result.refused = error.what();
  } catch (const poly::IslError& error) {
    result.refused = error.what();
  }
  return result;
}

}  // namespace exh::kernels::fused
