// SPDX-License-Identifier: MIT
#include "kernels/fused/run/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/cpu/run.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/run/problem.h"
#include "poly/isl/owners.h"

namespace exh::kernels::fused {
namespace {

/// A double and its error and tolerance for each element of each tensor.
constexpr std::size_t kReferenceBytes = std::size_t{6} << 30;

bool HasVectors(const NestNode& node) {
  return node.vector > 1 || std::ranges::any_of(node.children, HasVectors);
}

/// A way to run an operator, in words and as text.
struct Way {
  std::string name, of, text, why;
};

std::vector<Way> WaysOf(const Schedules& schedules, const RowOptions& options,
                        OperatorRows& result) {
  const Program& program = schedules.program();
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, const ProgramSchedule& schedule, bool vectors,
                       const std::string& of) {
    Way way{.name = name, .of = of, .text = {}, .why = schedule.why};
    if (schedule.why.empty()) {
      const std::vector<NestNode> nests = NestsOf(schedules, schedule, vectors);
      if (name == "influenced") result.has_vectors = std::ranges::any_of(nests, HasVectors);
      way.text = CpuText(program, nests).text;
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

}  // namespace

cpu::CompilerOptions CompilerIn(const std::string& folder, const StopToken* stop) {
  cpu::CompilerOptions options;
  options.directory = folder;
  options.keep_source = false;
  options.stop = stop;
  return options;
}

struct RowRunner::Measured {
  cpu::ProblemSet* problems = nullptr;
  std::map<std::string, Row> by_text;
};

const Row* OperatorRows::Find(const std::string& name) const {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

RowRunner::RowRunner(std::vector<std::string> command, const RowOptions& options,
                     const StopToken* stop)
    : command_(std::move(command)),
      options_(options),
      stop_(stop),
      compiler_(CompilerIn(scratch_.path(), stop)) {}

Row RowRunner::Measure(const std::string& name, const std::string& text, Measured& measured) {
  const auto known = measured.by_text.find(text);
  if (known != measured.by_text.end()) {
    Row row = known->second;
    row.name = name;
    return row;
  }
  Row row{.name = name, .of = {}, .why = {}};
  const Compiled compiled = compiler_.Compile(text, cpu::Compiler::Patience::kAllTime);
  row.verdict = compiled.verdict;
  row.why = compiled.why;
  if (compiled.verdict == Verdict::kCorrect) {
    cpu::RunRequest request;
    request.library = compiled.library;
    request.threads = options_.threads;
    request.batches_ms = options_.batches_ms;
    const Measurement measurement = cpu::RunCandidate(request, *measured.problems, command_, stop_);
    row.verdict = measurement.verdict;
    row.why = measurement.why;
    row.ns = measurement.verdict == Verdict::kCorrect ? measurement.best_ns : 0;
    compiler_.Discard(compiled);
  }
  measured.by_text.emplace(text, row);
  return row;
}

double RowRunner::CopyNs(std::uint64_t bytes) {
  const std::uint64_t count = std::max<std::uint64_t>(1, bytes / 2 / sizeof(float));
  const auto known = copies_.find(count);
  if (known != copies_.end()) return known->second;
  const ir::Elements input(ir::Type::kF32, count);
  const std::vector<double> zeros(count, 0);
  cpu::Problem problem;
  problem.arrays.push_back(
      {.name = "x", .values = input.bytes(), .reference = {}, .tolerance = {}});
  problem.arrays.push_back(
      {.name = "y", .is_output = true, .values = {}, .reference = zeros, .tolerance = zeros});
  cpu::ProblemSet problems(problem, 1);
  double ns = 0;
  if (problems.error().empty() && problems.Add(problem, "").empty()) {
    Measured measured{.problems = &problems, .by_text = {}};
    const Row row = Measure(
        "copy",
        fmt::format(
            "extern \"C\" void exh_run(void* const* arrays, const double*, int threads) {{\n"
            "  const float* __restrict__ x = static_cast<const float*>(arrays[0]);\n"
            "  float* __restrict__ y = static_cast<float*>(arrays[1]);\n"
            "{}  for (long i = 0; i < {}; ++i) y[i] = x[i];\n}}\n",
            count < 1 << 15 ? "" : "#pragma omp parallel for simd num_threads(threads)\n", count),
        measured);
    ns = row.ns;
  }
  return copies_[count] = ns;
}

OperatorRows RowRunner::Run(const Graph& graph) {
  OperatorRows result;
  result.transposes = std::ranges::any_of(
      graph.operations, [](const Operation& of) { return of.kind == Kind::kTranspose; });
  try {
    const Program program = ProgramOf(StatementsOf(graph));
    result.bytes = CompulsoryBytes(program);
    const Schedules schedules(program, options_.dependences);
    const std::vector<Way> ways = WaysOf(schedules, options_, result);
    if (result.bytes > options_.most_bytes) {
      result.refused = "it moves more bytes than are allowed";
      return result;
    }
    const OperatorProblem data(graph, program, options_.seed, kReferenceBytes);
    const cpu::Problem view = data.View();
    cpu::ProblemSet problems(view, 1);
    std::string error = problems.error();
    if (error.empty()) error = problems.Add(view, "");
    if (!error.empty()) {
      result.refused = error;
      return result;
    }
    Measured measured{.problems = &problems, .by_text = {}};
    Row best{.name = "searched", .of = {}, .why = {}};
    for (const Way& way : ways) {
      Row row{.name = way.name, .of = {}, .why = way.why};
      if (way.why.empty()) row = Measure(way.name, way.text, measured);
      row.of = way.of;
      if (row.verdict == Verdict::kCorrect && (best.ns == 0 || row.ns < best.ns)) {
        const std::string of = way.of.empty() ? way.name : way.of;
        best = {"searched", of, row.verdict, row.ns, ""};
      }
      if (way.name != "leaf" || row.verdict != Verdict::kCorrect) result.rows.push_back(row);
    }
    result.rows.push_back(best);
    result.floor_ns = CopyNs(result.bytes);
  } catch (const TooLarge& error) {
    result.refused = error.what();
  } catch (const poly::IslError& error) {
    result.refused = error.what();
  }
  return result;
}

}  // namespace exh::kernels::fused
