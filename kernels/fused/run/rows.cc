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
#include "kernels/loops/patches.h"
#include "poly/isl/owners.h"

namespace exh::kernels::fused {
namespace {

bool HasVectors(const NestNode& node) {
  return node.mapping.vector > 1 || std::ranges::any_of(node.children, HasVectors);
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
    for (const auto& [size, what] : {std::pair(loops::PatchSize::kWarps, "patches"),
                                     std::pair(loops::PatchSize::kTiles, "tiles")}) {
      std::vector<NestNode> patched = nests;
      bool has_any = false;
      for (NestNode& nest : patched) {
        std::optional<NestNode> with = loops::WithPatches(nest, size);
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

/// Programs of an operator: every text once, for different ways often come to the same. Nothing is
/// timed while anything compiles.
class Contest {
 public:
  /// `least_ns`: nothing is faster.
  Contest(const std::vector<Way>& ways, RowMachine& machine, double least_ns)
      : machine_(machine), least_ns_(least_ns) {
    std::vector<const Source*> sources;
    for (const Way& way : ways) {
      if (way.why.empty() && entries_.try_emplace(way.source.text).second) {
        sources.push_back(&way.source);
      }
    }
    std::vector<Compiled> compiled(sources.size());
    RunInParallel(sources.size(), machine.jobs(), [&](std::size_t i) {
      compiled[i] = machine.Compile(*sources[i]);
      return true;
    });
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Entry& entry = entries_.at(sources[i]->text);
      entry.compiled = std::move(compiled[i]);
      entry.row.verdict = entry.compiled.verdict;
      entry.row.why = entry.compiled.why;
      if (entry.row.verdict == Verdict::kCorrect) Take(machine.Run(entry.compiled, false), entry);
    }
  }
  ~Contest() {
    for (const auto& [text, entry] : entries_) {
      if (entry.compiled.verdict == Verdict::kCorrect) machine_.Discard(entry.compiled);
    }
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// By what was seen by now.
  const Row& Seen(const Way& way) const { return entries_.at(way.source.text).row; }
  /// Looked at with all care, unless that was done.
  const Row& Confirmed(const Way& way) {
    Entry& entry = entries_.at(way.source.text);
    if (entry.row.verdict != Verdict::kCorrect || entry.is_confirmed) return entry.row;
    entry.is_confirmed = true;
    const double first_ns = entry.row.ns;
    Take(machine_.Run(entry.compiled, true), entry);
    Row& row = entry.row;
    if (row.verdict != Verdict::kCorrect) return row;
    const double most_ns = std::max(first_ns, row.ns), least = std::min(first_ns, row.ns);
    if (most_ns < least_ns_) {
      row.verdict = Verdict::kImpossible;
      row.why = fmt::format("{:.4g} ns, twice, and what it must move takes {:.4g} ns", most_ns,
                            least_ns_);
      row.ns = 0;
    } else {
      // What took less than it can was an accident.
      row.ns = least < least_ns_ ? most_ns : least;
    }
    return row;
  }

 private:
  struct Entry {
    Compiled compiled;
    Row row;
    bool is_confirmed = false;
  };

  static void Take(const Measurement& measurement, Entry& entry) {
    entry.row.verdict = measurement.verdict;
    entry.row.why = measurement.why;
    entry.row.ns = measurement.verdict == Verdict::kCorrect ? measurement.best_ns : 0;
  }

  RowMachine& machine_;
  const double least_ns_;
  std::map<std::string, Entry> entries_;
};

/// The fastest of all ways that stands up to every check.
Row Fastest(const std::vector<Way>& ways, Contest& contest) {
  const auto of = [](const Way& way) { return way.of.empty() ? way.name : way.of; };
  while (true) {
    const Way* best = nullptr;
    for (const Way& way : ways) {
      if (!way.why.empty() || contest.Seen(way).verdict != Verdict::kCorrect) continue;
      if (best == nullptr || contest.Seen(way).ns < contest.Seen(*best).ns) best = &way;
    }
    if (best == nullptr) break;
    const double seen_ns = contest.Seen(*best).ns;
    const Row& row = contest.Confirmed(*best);
    // A longer look may make it slower than another one.
    if (row.verdict != Verdict::kCorrect || row.ns > seen_ns) continue;
    return {"searched", of(*best), row.verdict, row.ns, ""};
  }
  // None is right: what became of the first one stands for all.
  Row none{.name = "searched", .of = {}, .why = "there is no way to run it"};
  if (ways.empty()) return none;
  const Way& first = ways.front();
  none.verdict = first.why.empty() ? contest.Seen(first).verdict : first.verdict;
  none.why = fmt::format("none of {} ways is right; {}: {}", ways.size(), of(first),
                         first.why.empty() ? contest.Seen(first).why : first.why);
  return none;
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
    const OperatorProgram program = ProgramOf(StatementsOf(graph));
    result.bytes = CompulsoryBytes(program);
    const Schedules schedules(program, options_.dependences, options_.isl_patience);
    const std::vector<Way> ways = Ways(schedules, options_, machine_).All(result);
    if (result.bytes > options_.most_bytes) {
      result.refused = "it moves more bytes than are allowed";
      return result;
    }
    result.refused = machine_.Begin(graph, program, options_.seed, options_.reference_bytes);
    if (!result.refused.empty()) return result;
    Contest contest(ways, machine_, options_.least_ns ? options_.least_ns(result.bytes) : 0);
    const Row best = Fastest(ways, contest);
    for (const Way& way : ways) {
      Row row{.name = {}, .of = {}, .verdict = way.verdict, .why = way.why};
      if (way.why.empty()) row = way.name == "leaf" ? contest.Seen(way) : contest.Confirmed(way);
      if (row.why.empty() && row.verdict != Verdict::kCorrect) row.why = "the machine says no more";
      row.name = way.name;
      row.of = way.of;
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
