// SPDX-License-Identifier: MIT
#include "kernels/fused/run/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/code/transform.h"
#include "kernels/fused/lower.h"
#include "poly/isl/owners.h"

namespace exh::kernels::fused {
namespace {

bool HasVectors(const NestNode& node) {
  return node.vector > 1 || std::ranges::any_of(node.children, HasVectors);
}

/// A way to run an operator, in words and as a program.
struct Way {
  std::string name, of, why;
  Verdict verdict = Verdict::kBroken;  ///< Where there is no program, for the reason `why`.
  Source source;
};

class Ways {
 public:
  Ways(const Schedules& schedules, const RowOptions& options, const RowMachine& machine)
      : schedules_(schedules), options_(options), machine_(machine) {}

  std::vector<Way> All(OperatorRows& result) {
    for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
      if (std::ranges::find(options_.isl, setting.name) == options_.isl.end()) continue;
      const ProgramSchedule schedule = schedules_.ByIsl(setting);
      Add(schedule.way, schedule, false, "");
    }
    const ProgramSchedule influenced = Influenced(result);
    Add("no vectors", influenced, false, "");
    result.has_vectors = std::ranges::any_of(Add("influenced", influenced, true, ""), HasVectors);
    for (const ProgramSchedule& leaf : schedules_.Leaves(options_.leaves)) {
      Add("leaf", leaf, true, leaf.way);
    }
    return std::move(ways_);
  }

 private:
  /// Algorithm 1's schedule; isl's where that one would leave a machine of many threads idle.
  ProgramSchedule Influenced(OperatorRows& result) const {
    ProgramSchedule influenced = schedules_.Influenced();
    result.cost = influenced.cost;
    result.is_influenced = std::ranges::none_of(influenced.leaves, &std::string::empty);
    if (!influenced.why.empty()) return influenced;
    const auto steps = [&](const ProgramSchedule& schedule) {
      return machine_.Steps(schedules_.program(), NestsOf(schedules_, schedule, true));
    };
    const double own = steps(influenced);
    if (own == 0) return influenced;
    const ProgramSchedule by_isl = schedules_.ByIsl(poly::IslSettings().front());
    if (!by_isl.why.empty()) return influenced;
    constexpr double kIdle = 2;
    if (own <= kIdle * steps(by_isl)) return influenced;
    result.is_influenced = false;
    return by_isl;
  }

  std::vector<NestNode> Add(const std::string& name, const ProgramSchedule& schedule, bool vectors,
                            const std::string& of) {
    Way way{.name = name,
            .of = of,
            .why = schedule.why,
            .verdict = schedule.in_time ? Verdict::kBroken : Verdict::kTimeout,
            .source = {}};
    std::vector<NestNode> nests;
    if (schedule.why.empty()) {
      nests = NestsOf(schedules_, schedule, vectors);
      way.source = machine_.Text(schedules_.program(), nests);
    }
    ways_.push_back(way);
    if (schedule.why.empty() && machine_.has_patches()) AddPatched(name, of, nests);
    return nests;
  }

  /// The same with patches, as some of those that are searched.
  void AddPatched(const std::string& name, const std::string& of,
                  const std::vector<NestNode>& nests) {
    for (const auto& [size, what] :
         {std::pair(PatchSize::kWarps, "patches"), std::pair(PatchSize::kTiles, "tiles")}) {
      std::vector<NestNode> patched = nests;
      bool has_any = false;
      for (NestNode& nest : patched) {
        std::optional<NestNode> with = WithPatches(nest, size);
        has_any |= with.has_value();
        if (with) nest = std::move(*with);
      }
      if (!has_any) continue;
      ways_.push_back({.name = "leaf",
                       .of = fmt::format("{}, {}", of.empty() ? name : of, what),
                       .why = {},
                       .source = machine_.Text(schedules_.program(), patched)});
    }
  }

  const Schedules& schedules_;
  const RowOptions& options_;
  const RowMachine& machine_;
  std::vector<Way> ways_;
};

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
    const Schedules schedules(program, options_.dependences, options_.isl_patience);
    const std::vector<Way> ways = Ways(schedules, options_, machine_).All(result);
    if (result.bytes > options_.most_bytes) {
      result.refused = "it moves more bytes than are allowed";
      return result;
    }
    const OperatorProblem data(graph, program, options_.seed, options_.reference_bytes);
    result.refused = machine_.Begin(data.View());
    if (!result.refused.empty()) return result;
    const std::map<std::string, Row> measured = RowsOf(ways, machine_);
    Row best{.name = "searched", .of = {}, .why = {}};
    std::string failures;  // Of ways, the first of each kind.
    for (const Way& way : ways) {
      Row row{.name = {}, .of = {}, .verdict = way.verdict, .why = way.why};
      if (way.why.empty()) row = measured.at(way.source.text);
      if (row.why.empty() && row.verdict == Verdict::kBroken) row.why = "the machine says no more";
      row.name = way.name;
      row.of = way.of;
      if (row.verdict == Verdict::kCorrect && (best.ns == 0 || row.ns < best.ns)) {
        const std::string of = way.of.empty() ? way.name : way.of;
        best = {"searched", of, row.verdict, row.ns, ""};
      }
      if (row.verdict != Verdict::kCorrect && failures.find(row.why) == std::string::npos) {
        failures += fmt::format("{}{}: {} {}", failures.empty() ? "" : "; ", row.name,
                                VerdictName(row.verdict), row.why);
      }
      if (way.name != "leaf" || row.verdict != Verdict::kCorrect) result.rows.push_back(row);
    }
    if (best.verdict != Verdict::kCorrect) best.why = "no way ran: " + failures;
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
