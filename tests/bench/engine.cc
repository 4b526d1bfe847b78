// SPDX-License-Identifier: MIT
//
// The engine beside its peers, on the same instances in one run: [--json FILE] [--seconds S]
//
// Random descents to complete implementations, lowerings included, on one core: ours; Gecode on the
// exported instance, same order of decisions; an engine of the published kind (tests/maps).
// Where there are no counters also other tasks: Gecode depth first, and clasp, which learns
// clauses. Then sizes, times of single steps, growth with the number of statements, what exhc
// makes, and the spaces that users search beside the paper's.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/export_minizinc.h"
#include "runtime/internal/rows/propagator.h"
#include "runtime/internal/rows/row_kernels.h"
#include "runtime/packed_node.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/descend/value_set.h"
#include "search/subject/problem.h"
#include "tests/bench/parts/engine_kernels.h"
#include "tests/bench/parts/measure_descents.h"
#include "tests/bench/parts/measure_spaces.h"
#include "tests/maps/measure.h"
#include "tests/support/dimacs.h"
#include "tests/support/minizinc.h"
#include "tests/support/order_space.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

using nlohmann::ordered_json;
using runtime::Candidate;
using runtime::DecisionId;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Pairs in random orders, a snapshot a step: the descents of the order-only peers.
Rate MeasureOrder(const Candidate& root, double seconds) {
  std::mt19937_64 random(1);
  std::vector<DecisionId> pairs(root.instance().num_decisions());
  std::iota(pairs.begin(), pairs.end(), 0u);
  Candidate state = root, snapshot = root;
  Rate rate;
  std::uint64_t decisions = 0, dead_ends = 0;
  const std::uint64_t events = runtime::internal::EventsOfThread();
  const auto start = Clock::now();
  while (Since(start) < seconds) {
    state = root;
    std::shuffle(pairs.begin(), pairs.end(), random);
    bool alive = true;
    for (const DecisionId pair : pairs) {
      while (alive && state.IsOpen(pair)) {
        const runtime::Bits values = state.domain(pair);
        runtime::Bits value = values;
        for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0;
             --skip) {
          value &= value - 1;
        }
        value &= ~value + 1;
        snapshot = state;
        ++decisions;
        if (state.Restrict(pair, value) == runtime::Propagation::kFixpoint) continue;
        ++dead_ends;
        state = snapshot;
        alive = state.Restrict(pair, values & ~value) == runtime::Propagation::kFixpoint;
      }
      if (!alive) break;
    }
    ++(alive ? rate.implementations : rate.given_up);
  }
  const double n = static_cast<double>(std::max<std::uint64_t>(1, rate.implementations));
  rate.per_second = static_cast<double>(rate.implementations) / Since(start);
  rate.decisions = static_cast<double>(decisions) / n;
  rate.dead_ends = static_cast<double>(dead_ends) / n;
  rate.events = static_cast<double>(runtime::internal::EventsOfThread() - events) / n;
  rate.constrained = static_cast<double>(pairs.size());
  return rate;
}

ordered_json Json(const Rate& rate) {
  return {{"descents_per_second", rate.per_second},
          {"decisions", rate.decisions},
          {"decisions_constrained", rate.constrained},
          {"dead_ends", rate.dead_ends},
          {"events", rate.events},
          {"given_up", rate.given_up}};
}

/// Without restarts it does something else: its next solution differs from the last one at the end.
GecodeRate MeasurePeer(const Candidate& root, const search::ChoiceOrder& order,
                       std::uint64_t solutions, bool restarts = true) {
  runtime::MiniZincOptions options;
  options.order = order.Decisions(root.instance());
  options.value_choice = "indomain_random";
  options.gecode_tables = true;
  return MeasureGecode(ExportMiniZinc(root.instance(), options), solutions, 120, 1, restarts);
}

/// Of a thread that has done nothing but a descent.
std::size_t ScratchBytes(const Candidate& root, const search::ChoiceOrder& order) {
  std::size_t bytes = 0;
  std::thread([&] {
    Random random(1);
    search::Descender(order).Run(root, random, [](const search::DeadEnd&) {});
    bytes = runtime::internal::ScratchBytesOfThread();
  }).join();
  return bytes;
}

/// Times of single steps along descents, in microseconds, and bytes of what is stored.
ordered_json MeasureSteps(const Candidate& root, const search::ChoiceOrder& order) {
  Random random(2);
  std::vector<double> restrict_us, unpack_us;
  std::size_t packed_bytes = 0;
  Candidate state = root, child = root;
  for (int descent = 0; descent < 300; ++descent) {
    state = root;
    for (int depth = 0;; ++depth) {
      const auto decision = order.Next(state);
      if (!decision) break;
      const int value = search::DrawValue(state, *decision, random);
      child = state;
      const auto start = Clock::now();
      const auto result = child.Take(*decision, value);
      restrict_us.push_back(Since(start) * 1e6);
      if (result == runtime::Propagation::kDeadEnd) break;
      state = child;
      if (depth != 10) continue;
      const runtime::PackedNode node(state);
      packed_bytes = std::max(packed_bytes, node.num_bytes());
      const auto unpack_start = Clock::now();
      if (!(node.Unpack(root.shared_instance()).state() == state.state())) std::abort();
      unpack_us.push_back(Since(unpack_start) * 1e6);
    }
  }
  constexpr int kCopies = 20000;
  std::vector<double> copy_us;
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < kCopies; ++i) {
      child = state;
      asm volatile("" : : "r"(child.state().bytes()) : "memory");
    }
    copy_us.push_back(Since(start) * 1e6 / kCopies);
  }
  const double total = std::accumulate(restrict_us.begin(), restrict_us.end(), 0.0);
  return {{"state_bytes", state.state().num_bytes()},
          {"state_and_scratch_bytes", state.state().num_bytes() + ScratchBytes(root, order)},
          {"packed_node_bytes", packed_bytes},
          {"copy_us_median", Median(copy_us)},
          {"decision_us_median", Median(restrict_us)},
          {"decision_us_mean", total / static_cast<double>(restrict_us.size())},
          {"unpack_us_median", Median(unpack_us)}};
}

std::string ProgramFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

/// Seconds of a command; negative when it failed.
double Run(const std::string& command) {
  const auto start = Clock::now();
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Since(start) : -1;
}

ordered_json MeasureCompiler() {
  namespace fs = std::filesystem;
  const fs::path root = kSourceDir;
  const fs::path folder = fs::temp_directory_path() / ("exh-bench-" + std::to_string(::getpid()));
  fs::create_directories(folder / "spaces");
  const std::string out = (folder / "spaces" / "linalg.exh").string();
  const double build = Run(ProgramFolder() + "/exhc build --root " + root.string() + " --out " +
                           out + " " + (root / "kernels/spaces/linalg.exh").string());
  std::size_t lines = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder / "spaces")) {
    std::ifstream in(file.path());
    lines += static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  const char* compiler = std::getenv("CXX") != nullptr ? std::getenv("CXX") : "c++";
  const double compile = Run(std::string(compiler) + " -std=c++20 -O2 -I" + root.string() + " -I" +
                             folder.string() + " -c " + out + ".cc -o " + out + ".o");
  fs::remove_all(folder);
  return {{"exhc_seconds", build}, {"compile_seconds", compile}, {"lines", lines}};
}

/// Least squares of log(y) over log(x).
double FittedExponent(const std::vector<std::pair<double, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    sx += std::log(x);
    sy += std::log(y);
    sxx += std::log(x) * std::log(x);
    sxy += std::log(x) * std::log(y);
  }
  const double n = static_cast<double>(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void Print(const char* what, const char* format, double value, const char* wanted) {
  std::printf("  %-52s ", what);
  std::printf(format, value);
  std::printf("   %s\n", wanted);
  std::fflush(stdout);
}

void PrintPeers(ordered_json& json, const Rate& ours, const GecodeRate& gecode,
                const maps::Measured& published) {
  const auto wanted = [](double at_least) {
    static char text[64];
    std::snprintf(text, sizeof text, "(wanted %g)", at_least);
    return static_cast<const char*>(text);
  };
  json["ours"] = Json(ours);
  if (gecode.error.empty()) {
    json["gecode"] = {{"descents_per_second", gecode.descents_per_second},
                      {"solutions", gecode.solutions},
                      {"seconds", gecode.seconds}};
    json["ours_over_gecode"] = ours.per_second / gecode.descents_per_second;
    Print("Gecode, descents/s", "%10.2f", gecode.descents_per_second, "");
    Print("ours over Gecode", "%10.0f", ours.per_second / gecode.descents_per_second, wanted(50));
  } else {
    json["gecode"] = {{"error", gecode.error}};
    std::printf("  Gecode: %s\n", gecode.error.c_str());
  }
  json["maps"] = {{"descents_per_second", published.descents_per_second},
                  {"dead_ends", published.dead_ends_per_descent},
                  {"events", published.events_per_descent},
                  {"descents", published.descents}};
  json["ours_over_maps"] = ours.per_second / published.descents_per_second;
  Print("engine of the published kind (hash maps), descents/s", "%10.2f",
        published.descents_per_second, "");
  Print("ours over the published kind", "%10.0f", ours.per_second / published.descents_per_second,
        wanted(50));
}

/// Other solvers and other tasks on the same instance. A restart is most of what Gecode does: it
/// propagates the root anew for every solution, while we copy a state. As a depth-first search it
/// gives solutions that hardly differ; a solver that learns clauses gives different ones, each
/// from the root with values at random.
void PrintOtherTasks(ordered_json& json, const Candidate& root, const Rate& ours) {
  std::printf(
      "  Of the ratio to Gecode restarts are the larger part: it propagates the root again for "
      "each\n"
      "  solution, we copy a state. Other tasks on the same instance:\n");
  const search::ChoiceOrder order = search::ChoiceOrder::Default(root.instance());
  const GecodeRate depth_first = MeasurePeer(root, order, 2000, /*restarts=*/false);
  if (depth_first.error.empty()) {
    Print("Gecode, one depth-first search, solutions/s", "%10.1f", depth_first.descents_per_second,
          "(neighbours, no random descents)");
    json["gecode_depth_first"] = {{"solutions_per_second", depth_first.descents_per_second},
                                  {"solutions", depth_first.solutions}};
  } else {
    std::printf("  Gecode, depth first: %s\n", depth_first.error.c_str());
    json["gecode_depth_first"] = {{"error", depth_first.error}};
  }
  if (const std::string missing = MissingClasp(); !missing.empty()) {
    std::printf("  a solver that learns clauses: %s\n", missing.c_str());
    json["clasp"] = {{"error", missing}};
    return;
  }
  const ClaspRate clasp = MeasureClasp(ToDimacs(MakeGroundForm(root.instance())), 1000, 120);
  if (clasp.solutions < 2) {
    std::printf("  clasp: %s\n", clasp.error.c_str());
    json["clasp"] = {{"error", clasp.error}};
    return;
  }
  Print("clasp (learns clauses), solutions/s", "%10.1f", clasp.solutions_per_second,
        "(different ones, values at random)");
  Print("  first solution after, s", "%10.2f", clasp.start_seconds, "");
  Print("ours over clasp", "%10.0f", ours.per_second / clasp.solutions_per_second, "");
  json["clasp"] = {{"solutions_per_second", clasp.solutions_per_second},
                   {"solutions", clasp.solutions},
                   {"start_seconds", clasp.start_seconds},
                   {"ours_over_clasp", ours.per_second / clasp.solutions_per_second}};
}

ordered_json BenchOrder(double seconds) {
  ordered_json json;
  const TestSpace test = OrderSpace(9, 50);
  const Candidate root(runtime::Instance::Freeze(test.space, test.host));
  std::printf("order alone, 59 statements, %u decisions\n", root.instance().num_decisions());
  const Rate ours = MeasureOrder(root, seconds);
  Print("ours, descents/s", "%10.0f", ours.per_second, "(wanted 10000)");
  Print("  decisions taken a descent", "%10.1f", ours.decisions, "");
  Print("  events a descent", "%10.0f", ours.events, "");
  const GecodeRate gecode = MeasurePeer(root, search::ChoiceOrder::Default(root.instance()), 100);
  const maps::Measured by_hand = maps::MeasureHandWrittenOrder(9, 50, seconds);
  const maps::Measured published = maps::MeasureOrder(9, 50, seconds);
  PrintPeers(json, ours, gecode, published);
  PrintOtherTasks(json, root, ours);
  json["maps"]["over_hand_written"] = published.descents_per_second / by_hand.descents_per_second;
  Print("the published kind over the same by hand", "%10.2f",
        published.descents_per_second / by_hand.descents_per_second, "(wanted 0.8 to 1.2)");
  return json;
}

ordered_json BenchMatmul(double seconds) {
  ordered_json json;
  search::ProblemOptions options;
  options.kernel = "matmul";
  options.space = "paper";
  options.size = "m=1024,n=1024,k=1024,inner_tile=4";
  options.device = "k4000";
  const auto freeze_start = Clock::now();
  const search::Problem problem = search::MakeProblem(options);
  const double freeze = Since(freeze_start);
  const Candidate root = problem.root();
  const search::ChoiceOrder order = search::ChoiceOrder::Default(root.instance());
  std::printf("matmul 1024x1024x1024, the paper's tiling, %zu statements with what lowerings add\n",
              problem.task.function->statements.size());
  json["statements"] = problem.task.function->statements.size();
  json["decisions"] = root.instance().num_decisions();
  json["freeze_seconds"] = freeze;
  Print("decisions", "%10.0f", root.instance().num_decisions(), "");
  Print("freeze, s", "%10.2f", freeze, "");
  Rate ours;
  for (const runtime::internal::RowKernels* kernels : runtime::internal::SupportedRowKernels()) {
    runtime::internal::UseRowKernels(*kernels);
    ours = MeasureDescents(root, order, seconds);
    Print(("ours, descents/s, " + std::string(kernels->name)).c_str(), "%10.0f", ours.per_second,
          "(wanted 3000)");
    json["by_kernels"][std::string(kernels->name)] = ours.per_second;
  }
  Print("  decisions taken a descent", "%10.1f", ours.decisions, "");
  Print("  decisions constrained beyond the root", "%10.0f", ours.constrained, "");
  Print("  events a descent", "%10.0f", ours.events, "");
  Print("  dead ends a descent", "%10.2f", ours.dead_ends, "");
  const GecodeRate gecode = MeasurePeer(root, order, 20);
  const maps::Measured published = maps::MeasureMatmul(1024, order.names(), 1000, 4 * seconds);
  PrintPeers(json, ours, gecode, published);
  json["steps"] = MeasureSteps(root, order);
  const ordered_json& steps = json["steps"];
  Print("bytes of a state", "%10.0f", steps["state_bytes"], "(wanted 16384)");
  Print("  with scratch", "%10.0f", steps["state_and_scratch_bytes"], "(wanted 28672)");
  Print("bytes of a packed node", "%10.0f", steps["packed_node_bytes"], "(wanted 1536)");
  Print("copy of a state, median us", "%10.3f", steps["copy_us_median"], "(wanted 0.5)");
  Print("a decision and its propagation, median us", "%10.2f", steps["decision_us_median"],
        "(wanted 5)");
  Print("  mean us", "%10.2f", steps["decision_us_mean"], "");
  Print("unpacking a node, median us", "%10.1f", steps["unpack_us_median"], "");
  return json;
}

ordered_json BenchGrowth(double seconds) {
  std::printf("growth with the number of statements\n");
  ordered_json json;
  std::vector<std::pair<double, double>> descents, events;
  search::ProblemOptions device;
  device.device = "k4000";
  for (const GrowthKernel& growth : GrowthKernels()) {
    const kernels::Task task =
        kernels::MakeTask(*growth.kernel, growth.sizes, search::FindDevice(device), /*paper=*/true);
    const Candidate root(task.instance);
    const Rate rate = MeasureDescents(root, search::ChoiceOrder::Default(root.instance()), seconds);
    const double statements = static_cast<double>(task.function->statements.size());
    const double ns_per_event = 1e9 / rate.per_second / rate.events;
    std::printf(
        "  %-20s %4.0f statements %6u decisions %8.1f descents/s %8.0f events %6.0f ns each "
        "%6.1f dead ends\n",
        growth.name.c_str(), statements, root.instance().num_decisions(), rate.per_second,
        rate.events, ns_per_event, rate.dead_ends);
    std::fflush(stdout);
    json["points"].push_back({{"name", growth.name},
                              {"statements", statements},
                              {"decisions", root.instance().num_decisions()},
                              {"descents_per_second", rate.per_second},
                              {"events", rate.events},
                              {"ns_per_event", ns_per_event},
                              {"dead_ends", rate.dead_ends}});
    if (rate.implementations == 0) continue;
    descents.emplace_back(statements, 1 / rate.per_second);
    events.emplace_back(statements, ns_per_event);
  }
  json["exponent"] = FittedExponent(descents);
  json["exponent_of_events"] = FittedExponent(events);
  Print("time of a descent grows with statements to the power", "%10.2f", json["exponent"], "");
  Print("time of an event grows with statements to the power", "%10.2f", json["exponent_of_events"],
        "");
  return json;
}

int Main(int argc, char** argv) {
  std::string json_file;
  double seconds = 3;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--json") json_file = argv[i + 1];
    if (option == "--seconds") seconds = std::atof(argv[i + 1]);
  }
  ordered_json json;
  json["matmul"] = BenchMatmul(seconds);
  json["order"] = BenchOrder(seconds);
  json["growth"] = BenchGrowth(seconds);
  std::printf("exhc build kernels/spaces/linalg.exh\n");
  json["exhc"] = MeasureCompiler();
  Print("exhc, s", "%10.3f", json["exhc"]["exhc_seconds"], "(wanted 1)");
  Print("compiling what it makes, s", "%10.1f", json["exhc"]["compile_seconds"], "(wanted 60)");
  Print("lines of what it makes", "%10.0f", json["exhc"]["lines"], "(wanted 10000)");
  if (!json_file.empty()) std::ofstream(json_file) << json.dump(2) << "\n";
  MeasureSpaces(seconds);
  return 0;
}

}  // namespace
}  // namespace exh::tests

int main(int argc, char** argv) {
  return exh::tests::Main(argc, argv);
}
