// SPDX-License-Identifier: MIT
//
// What the search tree costs, on matmul 1024 for an H200, on one core: [--rollouts N]
//
// Selections by TAG and their rollouts, with made-up times and a made-up bound; then the memory per
// node, and how long it takes to make the candidate of a node again: from the root by its path, as
// the tree does, and from a packed node. Then descents near implementations, and what it costs the
// cost model to learn and to guess: [--space paper] [--order CHOICES].
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/system/standard_streams.h"
#include "runtime/packed_node.h"
#include "search/descend/patient_descent.h"
#include "search/descend/rollout.h"
#include "search/learn/cost_model.h"
#include "search/log/decisions.h"
#include "search/log/event_log.h"
#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "search/subject/candidate_bound.h"
#include "search/subject/problem.h"
#include "search/tree/tree_search.h"

namespace exh::search {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Microseconds per call.
struct Cost {
  double sum = 0;
  int calls = 0;
  void Add(Clock::time_point start) {
    sum += Since(start);
    ++calls;
  }
  double mean() const { return calls == 0 ? 0 : sum / calls; }
};

/// The first quarter of the decisions makes the difference.
double TimeOf(const std::string& vector) {
  const auto what = static_cast<double>(Fnv1a64(vector.substr(0, vector.size() / 4)) % 1000);
  return 1e5 + 100 * what + static_cast<double>(Fnv1a64(vector) % 100);
}

void Measure(const Problem& problem, const BoundFunction& bound, int rollouts) {
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const std::string path = fmt::format("/tmp/exh_bench_tree_{}.jsonl", ::getpid());
  EventLog log(path);
  TreeSearch search(root, order, bound, MakePolicy("tag", {}), {}, 1, log);
  Cost selection, rollout, backup;
  double best = 1e9;
  int empty = 0, lost = 0, dead_ends = 0;
  std::size_t longest = 0;
  std::vector<Path> paths;
  for (int number = 0; number < rollouts; ++number) {
    auto start = Clock::now();
    const auto selected = search.Select();
    selection.Add(start);
    if (!selected) break;
    paths.push_back(selected->path);
    longest = std::max(longest, selected->path.size());
    start = Clock::now();
    BoundGuide guide(bound, selected->cut, 8);
    Random random = search.RandomOf(*selected);
    const PatientDescent descent =
        DescendPatiently(search.CandidateOf(*selected), order, kRolloutPatience, random, guide,
                         [&](const DeadEnd&) { ++dead_ends; });
    rollout.Add(start);
    if (descent.result != DescentResult::kImplementation) {
      const bool is_empty = descent.result == DescentResult::kExhausted;
      ++(is_empty ? empty : lost);
      search.BackUp(*selected, is_empty ? Backup::Kind::kEmpty : Backup::Kind::kLost);
      continue;
    }
    EvalRecord record;
    record.vector = VectorText(descent.descender.candidate());
    record.verdict = kernels::Verdict::kCorrect;
    record.best_ns = TimeOf(record.vector);
    const std::uint64_t code = Fnv1a64(record.vector);
    start = Clock::now();
    if (search.Claim(code, *selected)) search.BackUp(*selected, code, record);
    backup.Add(start);
    if (record.best_ns >= best) continue;
    BestRecord news;
    news.ns = best = record.best_ns;
    search.SetBest(news);
  }
  const Tree& tree = search.tree();
  fmt::print("{}: {} rollouts ({} empty, {} lost), {} dead ends, {} cut\n",
             bound ? "with a bound" : "no bound", rollout.calls, empty, lost, dead_ends,
             tree.num_cut());
  fmt::print("  select {:.0f} us, roll out {:.0f} us, back up {:.0f} us\n", selection.mean(),
             rollout.mean(), backup.mean());
  fmt::print("  {} nodes, {} edges, longest path {}, {:.0f} bytes a node\n", tree.num_nodes(),
             tree.num_edges(), longest,
             static_cast<double>(tree.num_bytes()) / static_cast<double>(tree.num_nodes()));
  auto start = Clock::now();
  const std::string digest = tree.Digest();
  fmt::print("  digest {} in {:.0f} ms\n", digest, Since(start) / 1e3);

  const CandidateSpace space(root, order, bound);
  Cost replay, unpack;
  double steps = 0, bytes = 0;
  for (std::size_t index = paths.size() / 2; index < paths.size(); index += 7) {
    start = Clock::now();
    const runtime::Candidate candidate = space.CandidateOf(paths[index]);
    replay.Add(start);
    steps += static_cast<double>(paths[index].size());
    const runtime::PackedNode packed(candidate);
    bytes += static_cast<double>(packed.num_bytes());
    start = Clock::now();
    const runtime::Candidate again = packed.Unpack(root.shared_instance());
    unpack.Add(start);
  }
  fmt::print(
      "  a candidate again: by {:.1f} steps of its path {:.0f} us, from {:.0f} packed bytes "
      "{:.0f} us\n",
      steps / replay.calls, replay.mean(), bytes / unpack.calls, unpack.mean());
  std::filesystem::remove(path);
}

/// The same without a tree.
void MeasureRandom(const Problem& problem, int descents) {
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  Random random(1);
  Guide uniform;
  int lost = 0, dead_ends = 0;
  Cost cost;
  for (int number = 0; number < descents; ++number) {
    const auto start = Clock::now();
    const PatientDescent descent = DescendPatiently(root, order, Patience(), random, uniform,
                                                    [&](const DeadEnd&) { ++dead_ends; });
    cost.Add(start);
    if (descent.result != DescentResult::kImplementation) ++lost;
  }
  fmt::print("random: {} descents ({} lost), {} dead ends, {:.0f} us each\n", descents, lost,
             dead_ends, cost.mean());
}

/// Descents near the fastest of some random ones, and the model that chooses between them.
void MeasureNear(const Problem& problem, const SearchBound& bound, const std::string& choices,
                 int descents) {
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = choices.empty() ? ChoiceOrder::ForRepair(root.instance())
                                            : ChoiceOrder::Parse(choices, root.instance());
  Random random(1);
  LocalSearch local(root);
  CostModel model(root.instance(), bound.amounts.count, 1, nullptr, bound.amounts.guess);
  std::vector<double> amounts(bound.amounts.count);
  const BoundFunction none;
  Cost near_cost, text, count, learn, guess;
  int lost = 0;
  const auto add = [&](const PatientDescent& descent) {
    auto start = Clock::now();
    const std::string vector = VectorText(descent.descender.candidate());
    text.Add(start);
    start = Clock::now();
    bound.amounts.fill(descent.descender.candidate(), amounts);
    count.Add(start);
    start = Clock::now();
    model.Ask(vector, amounts, amounts[0]);
    guess.Add(start);
    const double ns = TimeOf(vector);
    start = Clock::now();
    model.Add(vector, amounts, amounts[0], descent.descender.path(), {}, ns);
    learn.Add(start);
    local.Add(descent.descender.candidate(), descent.descender.path(), ns);
  };
  for (int number = 0; number < descents; ++number) {
    const auto near =
        number < 64 ? std::nullopt : local.Draw(local.DrawStructure(random).value(), random);
    const auto start = Clock::now();
    Guide uniform;
    std::optional<NearGuide> guide;
    if (near) guide.emplace(*near, none, 0);
    const PatientDescent descent =
        DescendPatiently(root, order, near ? kLocalPatience : Patience(), random,
                         near ? static_cast<Guide&>(*guide) : uniform, [](const DeadEnd&) {});
    if (near) near_cost.Add(start);
    if (descent.result == DescentResult::kImplementation) {
      add(descent);
    } else {
      ++lost;
    }
  }
  fmt::print("near: {} descents ({} lost), {:.0f} us each\n", near_cost.calls, lost,
             near_cost.mean());
  // Walks that go to every neighbour that they find.
  Cost look;
  Walker walker(root, order);
  const Trades trades(root.instance());
  Guide uniform;
  const Descender::OnDeadEnd nothing = [](const DeadEnd&) {};
  while (!walker.Begin(uniform, random, nothing)) {
  }
  for (int number = 0; number < descents; ++number) {
    const Neighbourhood around =
        LocalSearch::Around(walker.candidate(), walker.path(), trades, random);
    NearGuide guide(around, none, 0);
    const auto start = Clock::now();
    const bool found = walker.Look(around, guide, random, nothing);
    look.Add(start);
    if (found) walker.Go();
  }
  fmt::print("  a step of a walk {:.0f} us\n", look.mean());
  fmt::print(
      "  the model learns in {:.0f} us and guesses in {:.0f} us; a vector as text {:.0f} us, {} "
      "amounts {:.1f} us\n",
      learn.mean(), guess.mean(), text.mean(), bound.amounts.count, count.mean());
}

int Main(int argc, char** argv) {
  int rollouts = 2000;
  std::string choices;
  ProblemOptions options;
  for (int index = 1; index + 1 < argc; index += 2) {
    if (std::string_view(argv[index]) == "--rollouts") rollouts = std::atoi(argv[index + 1]);
    if (std::string_view(argv[index]) == "--space") options.space = argv[index + 1];
    if (std::string_view(argv[index]) == "--order") choices = argv[index + 1];
  }
  options.kernel = "matmul";
  options.size = "m=1024,n=1024,k=1024";
  options.device = "h200";
  const Problem problem = MakeProblem(options);
  MeasureNear(problem, MakeSearchBound(problem, models::CacheState::kWarm), choices, rollouts);
  MeasureRandom(problem, rollouts);
  Measure(problem, {}, rollouts);
  // A bound that looks at as many decisions as a model would, and cuts some of what is decided
  // late.
  const BoundFunction bound = [](const runtime::Candidate& candidate) {
    double ns = 9e4;
    for (runtime::DecisionId id = 0; id < candidate.instance().num_decisions(); id += 8) {
      if (candidate.IsConstrained(id)) ns += candidate.FirstValue(id) == 0 ? 100 : 0;
    }
    return ns;
  };
  Measure(problem, bound, rollouts);
  return 0;
}

}  // namespace
}  // namespace exh::search

int main(int argc, char** argv) {
  exh::OpenStandardFiles();
  return exh::search::Main(argc, argv);
}
