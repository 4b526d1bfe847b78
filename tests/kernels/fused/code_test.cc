// SPDX-License-Identifier: MIT
//
// Programs of schedules, for processors and GPUs, compared with the reference. Those of GPUs run on
// the CPU, thread by thread (tests/cuda_shim).
#include "kernels/fused/code/code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/run/problem.h"
#include "kernels/loops/patches.h"
#include "tests/cuda_shim/shim_source.h"
#include "tests/kernels/fused/operator_files.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/fused/program_run.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::fused {
namespace {

using testing::GraphOf;
using testing::OperatorJson;

/// An operator under one schedule.
struct Case {
  std::string name;
  const Graph* graph = nullptr;
  const OperatorProgram* program = nullptr;
  Source cpu, cuda;
};

/// Operators in every way that schedules are found in.
class Cases {
 public:
  void Add(const std::string& name, Graph graph) {
    graphs_.push_back(std::make_unique<Graph>(std::move(graph)));
    programs_.push_back(
        std::make_unique<OperatorProgram>(ProgramOf(StatementsOf(*graphs_.back()))));
    const OperatorProgram& program = *programs_.back();
    const Schedules schedules(program, poly::DependenceKind::kValue);
    std::vector<ProgramSchedule> all = {schedules.Influenced(), schedules.Original(),
                                        schedules.ByIsl(poly::IslSettings().front())};
    for (ProgramSchedule& leaf : schedules.Leaves(3)) all.push_back(std::move(leaf));
    for (const ProgramSchedule& schedule : all) {
      ASSERT_EQ(schedule.why, "");
      const std::vector<NestNode> nests = NestsOf(schedules, schedule, /*has_vectors=*/true);
      cases_.push_back({name + ", " + schedule.way, graphs_.back().get(), &program,
                        CpuText(program, nests), CudaText(program, nests)});
      for (const loops::PatchSize size : {loops::PatchSize::kWarps, loops::PatchSize::kTiles}) {
        std::vector<NestNode> patched;
        bool has_patches = false;
        for (const NestNode& nest : nests) {
          std::optional<NestNode> with = loops::WithPatches(nest, size);
          has_patches |= with.has_value();
          patched.push_back(with ? std::move(*with) : nest);
        }
        if (!has_patches) continue;
        ++num_patched_;
        cases_.push_back({name + ", " + schedule.way + ", patches", graphs_.back().get(), &program,
                          CpuText(program, patched), CudaText(program, patched)});
      }
    }
  }
  const std::vector<Case>& all() const { return cases_; }
  int num_patched() const { return num_patched_; }

 private:
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<OperatorProgram>> programs_;
  std::vector<Case> cases_;
  int num_patched_ = 0;
};

const Cases& AllCases() {
  static const Cases* const cases = [] {
    auto* all = new Cases;
    for (auto& [name, graph] : testing::AllOperators()) all->Add(name, std::move(graph));
    all->Add("transpose", GraphOf(OperatorJson(
                              {"x: float32 [3, 8, 12]"},
                              {{"Transpose", {"x"}, "t: float32 [3, 12, 8]", {{"perm", {0, 2, 1}}}},
                               {"Exp", {"t"}, "y: float32 [3, 12, 8]"}},
                              {"y"})));
    all->Add("softmax",
             GraphOf(OperatorJson(
                 {"x: float16 [6, 16]"},
                 {{"Cast", {"x"}, "c: float32 [6, 16]", {{"dst_type", "float32"}}},
                  {"ReduceMax", {"c"}, "m: float32 [6, 1]", {{"axis", 1}, {"keep_dims", true}}},
                  {"Sub", {"c", "m"}, "d: float32 [6, 16]"},
                  {"Exp", {"d"}, "e: float32 [6, 16]"},
                  {"ReduceSum", {"e"}, "s: float32 [6, 1]", {{"axis", 1}, {"keep_dims", true}}},
                  {"RealDiv", {"e", "s"}, "y: float32 [6, 16]"}},
                 {"y"})));
    all->Add("columns",
             GraphOf(OperatorJson({"x: float16 [10, 8]", "b: float16 [8]"},
                                  {{"Add", {"x", "b"}, "y: float16 [10, 8]"},
                                   {"ReduceSum", {"y"}, "s: float16 [8]", {{"axis", 0}}}},
                                  {"y", "s"})));
    all->Add("quantized",
             GraphOf(OperatorJson(
                 {"x: float8_e4m3fn [10, 8]", "b: float8_e4m3fn [8]"},
                 {{"Add", {"x", "b"}, "y: float8_e4m3fn [10, 8]"},
                  {"Cast", {"y"}, "z: float8_e5m2 [10, 8]", {{"dst_type", "float8_e5m2"}}}},
                 {"y", "z"})));
    // isl makes loops of a single step of it that begin at a choice, `c < d ? 0 : 1`.
    all->Add("blocks",
             GraphOf(OperatorJson({"x: float32 [4, 8, 4, 8]"},
                                  {{"Reshape", {"x"}, "y: float32 [32, 32]", {{"shape", {32, 32}}}},
                                   {"ReduceSum", {"y"}, "s: float32 [32]", {{"axis", 0}}}},
                                  {"s"})));
    // Many executions: threads.
    all->Add("large", GraphOf(OperatorJson({"x: float32 [64, 1024]"},
                                           {{"Mul", {"x", "x"}, "y: float32 [64, 1024]"},
                                            {"ReduceSum", {"y"}, "s: float32 [64]", {{"axis", 1}}}},
                                           {"y", "s"})));
    // Neighbours along one loop where it reads, along two others where it writes.
    all->Add(
        "both ways",
        GraphOf(OperatorJson({"x: float16 [2, 40, 70]", "b: float32 [70]"},
                             {{"Cast", {"x"}, "c: float32 [2, 40, 70]", {{"dst_type", "float32"}}},
                              {"Add", {"c", "b"}, "y: float32 [2, 40, 70]"},
                              {"Transpose", {"y"}, "t: float32 [2, 70, 40]", {{"perm", {0, 2, 1}}}},
                              {"Exp", {"t"}, "z: float32 [2, 70, 40]"}},
                             {"y", "z"})));
    // So many points that a thread has several.
    all->Add("many", GraphOf(OperatorJson(
                         {"x: float16 [1, 700, 760]"},
                         {{"Transpose", {"x"}, "t: float16 [1, 760, 700]", {{"perm", {0, 2, 1}}}},
                          {"Neg", {"t"}, "y: float16 [1, 760, 700]"}},
                         {"y"})));
    // Integers that wrap, and are the extremes of their type.
    all->Add("wrapping",
             GraphOf(OperatorJson({"x: int32 [6, 40]", "z: int32 [40]"},
                                  {{"Add", {"x", "1: int32"}, "a: int32 [6, 40]"},
                                   {"Less", {"x", "a"}, "l: bool [6, 40]"},
                                   {"Abs", {"x"}, "b: int32 [6, 40]"},
                                   {"Mul", {"b", "z"}, "m: int32 [6, 40]"},
                                   {"Neg", {"m"}, "n: int32 [6, 40]"},
                                   {"ReduceSum", {"n"}, "s: int32 [6]", {{"axis", 1}}},
                                   {"ReduceProd", {"x"}, "p: int32 [40]", {{"axis", 0}}},
                                   {"ReduceMax", {"m"}, "e: int32 [6]", {{"axis", 1}}}},
                                  {"l", "b", "n", "s", "p", "e"})));
    // A NaN wins, in pairs and along rows, of threads, teams and blocks.
    all->Add("extremes",
             GraphOf(OperatorJson({"x: float32 [40, 700]", "z: float32 [700]"},
                                  {{"Maximum", {"x", "0: float32"}, "a: float32 [40, 700]"},
                                   {"Minimum", {"0.5: float32", "x"}, "b: float32 [40, 700]"},
                                   {"Maximum", {"z", "x"}, "c: float32 [40, 700]"},
                                   {"ReduceMax", {"x"}, "d: float32 [40]", {{"axis", 1}}},
                                   {"ReduceMin", {"c"}, "e: float32 [700]", {{"axis", 0}}},
                                   {"ReduceMax", {"b"}, "f: float32 [1]", {{"axis", {0, 1}}}}},
                                  {"a", "b", "c", "d", "e", "f"})));
    // Roots of negative numbers alone: OpenVINO lost them in every one of these.
    const std::string of = ": float32 [2, 8]";
    all->Add("no numbers",
             GraphOf(OperatorJson({"x" + of},
                                  {{"Mul", {"x", "x"}, "q" + of},
                                   {"Sub", {"-0.5: float32", "q"}, "m" + of},
                                   {"Sqrt", {"m"}, "r" + of},
                                   {"Maximum", {"r", "0: float32"}, "a" + of},
                                   {"Maximum", {"0: float32", "r"}, "b" + of},
                                   {"Minimum", {"r", "0: float32"}, "g" + of},
                                   {"Minimum", {"0: float32", "r"}, "h" + of},
                                   {"Add", {"x", "r"}, "c" + of},
                                   {"ReduceMax", {"c"}, "d: float32 [2]", {{"axis", 1}}},
                                   {"ReduceMin", {"c"}, "e: float32 [2]", {{"axis", 1}}}},
                                  {"a", "b", "g", "h", "d", "e"})));
    // Few results of much: teams of threads, and several blocks for each result.
    all->Add("total",
             GraphOf(OperatorJson({"x: float32 [48, 1200]"},
                                  {{"Exp", {"x"}, "e: float32 [48, 1200]"},
                                   {"ReduceSum", {"e"}, "s: float32 [1]", {{"axis", {0, 1}}}},
                                   {"Sqrt", {"s"}, "y: float32 [1]"}},
                                  {"y"})));
    all->Add("tall", GraphOf(OperatorJson(
                         {"x: float16 [3000, 40]"},
                         {{"Cast", {"x"}, "c: float32 [3000, 40]", {{"dst_type", "float32"}}},
                          {"ReduceMax", {"c"}, "m: float32 [40]", {{"axis", 0}}},
                          {"Neg", {"m"}, "y: float32 [40]"}},
                         {"c", "y"})));
    all->Add("normalized",
             GraphOf(OperatorJson(
                 {"x: float32 [9, 600]"},
                 {{"ReduceSum", {"x"}, "s: float32 [9, 1]", {{"axis", 1}, {"keep_dims", true}}},
                  {"RealDiv", {"x", "s"}, "y: float32 [9, 600]"},
                  {"ReduceMax", {"y"}, "m: float32 [9, 1]", {{"axis", 1}, {"keep_dims", true}}},
                  {"Sub", {"y", "m"}, "z: float32 [9, 600]"}},
                 {"z"})));
    return all;
  }();
  return *cases;
}

TEST(FusedCode, ProgramsOfProcessorsComputeWhatTheReferenceDoes) {
  std::vector<testing::CpuProgram> programs;
  for (const Case& of : AllCases().all()) {
    programs.push_back({of.name, of.graph, of.program, of.cpu.text});
  }
  testing::ExpectRight(programs);
}

TEST(FusedCode, ProgramsOfGpusComputeWhatTheReferenceDoes) {
  const std::vector<Case>& cases = AllCases().all();
  const auto facts = [&](const Case& of) {
    std::vector<exh_shim::ArrayFacts> arrays;
    for (const int index : ArgumentsOf(*of.program)) {
      const StatementTensor& tensor = of.program->list.tensor(index);
      arrays.push_back({tensor.name, static_cast<std::uint64_t>(tensor.elements()),
                        tensor.is_result(), tensor.element_bytes});
    }
    return arrays;
  };
  const kernels::testing::CompiledTexts texts(
      cases.size(),
      [&](std::size_t i) {
        return exh_shim::ShimSource({cases[i].cuda.text, cases[i].cuda.gpu->launch},
                                    facts(cases[i]), 0, i);
      },
      exh_shim::kPrologue, exh_shim::CompilerFlags());
  std::map<const OperatorProgram*, testing::AllProblems> all_problems;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto run =
        reinterpret_cast<exh_shim::RunFunction>(texts.Find(i, "exh_shim_run_" + std::to_string(i)));
    ASSERT_NE(run, nullptr) << texts.CompilerError(i) << cases[i].cuda.text;
    const testing::AllProblems& problems =
        all_problems.try_emplace(cases[i].program, *cases[i].graph, *cases[i].program)
            .first->second;
    for (const int order : {0, 1, 77}) {
      EXPECT_EQ(problems.Compared([&](const std::vector<void*>& arrays, const cpu::Problem& view) {
        std::vector<std::vector<unsigned char>> written;
        std::vector<unsigned char*> counts;
        for (const cpu::ProblemArray& array : view.arrays) {
          written.emplace_back(array.elements(), 0);
        }
        for (auto& of_array : written) counts.push_back(of_array.data());
        char error[512] = "";
        run(arrays.data(), nullptr, counts.data(), error, sizeof(error), order);
        return std::string(error);
      }),
                "")
          << cases[i].name << ", order " << order << "\n"
          << cases[i].cuda.text;
    }
  }
}

TEST(FusedCode, FewResultsOfMuchHaveTeamsAndSeveralBlocks) {
  int teams = 0, shared = 0;
  std::set<std::string> with_teams;
  for (const Case& of : AllCases().all()) {
    if (of.cuda.text.find("exh_member") != std::string::npos) ++teams;
    if (of.cuda.gpu->launch.ticket_bytes > 0) {
      ++shared;
      with_teams.insert(of.name.substr(0, of.name.find(',')));
    }
  }
  EXPECT_GT(teams, 20);
  EXPECT_GT(shared, 5);
  EXPECT_TRUE(with_teams.contains("total"));
  EXPECT_TRUE(with_teams.contains("tall"));
  EXPECT_GT(AllCases().num_patched(), 5);
  EXPECT_TRUE(std::ranges::any_of(AllCases().all(), [](const Case& of) {
    return of.cuda.text.find("exh_round") != std::string::npos;
  }));
  EXPECT_TRUE(std::ranges::any_of(AllCases().all(), [](const Case& of) {
    return of.cuda.text.find("exh_tile_0") != std::string::npos;
  }));
}

Source CudaOf(const nlohmann::json& text, bool has_vectors) {
  const OperatorProgram program = ProgramOf(StatementsOf(GraphOf(text)));
  const Schedules schedules(program, poly::DependenceKind::kValue);
  return CudaText(program, NestsOf(schedules, schedules.Influenced(), has_vectors));
}

bool Has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(FusedCode, WideAccessesAreOnlyWhereTheyAreAligned) {
  const auto add = [](const char* shape) {
    const std::string of = std::string(": float32 ") + shape;
    return OperatorJson({"x" + of}, {{"Exp", {"x"}, "y" + of}}, {"y"});
  };
  EXPECT_TRUE(Has(CudaOf(add("[6, 8]"), true).text, "exh_float4"));
  EXPECT_FALSE(Has(CudaOf(add("[6, 8]"), false).text, "exh_float4"));
  EXPECT_TRUE(Has(CudaOf(add("[5, 2]"), true).text, "exh_float2"));
  EXPECT_FALSE(Has(CudaOf(add("[3, 7]"), true).text, "exh_float"));
}

// Whatever order a schedule has, sums that know nothing of each other have a thread each.
TEST(FusedCode, IndependentLoopsAreThreads) {
  const OperatorProgram program = ProgramOf(StatementsOf(
      GraphOf(OperatorJson({"x: float32 [64, 300]"},
                           {{"ReduceSum", {"x"}, "s: float32 [300]", {{"axis", 0}}}}, {"s"}))));
  const Schedules schedules(program, poly::DependenceKind::kValue);
  std::vector<ProgramSchedule> all = schedules.Leaves(40);
  all.push_back(schedules.Influenced());
  bool takes_rows_first = false;
  for (const ProgramSchedule& schedule : all) {
    const std::vector<NestNode> nests = NestsOf(schedules, schedule, true);
    for (const NestNode& nest : nests) {
      for (const NestNode* loop : loops::LoopsOf(nest)) {
        takes_rows_first =
            takes_rows_first || (!loop->facts.is_parallel && !loop->children.empty() &&
                                 loop->children.front().is_loop());
      }
    }
    const Launch launch = CudaText(program, nests).gpu->launch;
    std::vector<std::uint64_t> threads = {launch.grid * launch.threads};
    for (const SideLaunch& side : launch.sides) threads.push_back(side.grid * side.threads);
    // Without what begins and ends, which may be vectors of 4.
    EXPECT_GE(*std::ranges::max_element(threads), 300u) << CudaText(program, nests).text;
  }
  EXPECT_TRUE(takes_rows_first) << "no schedule was of interest";
}

TEST(FusedCode, TemporariesThatStayInRegistersHaveNoMemory) {
  // The sum is read in the same iteration of the rows, in one leaf of the tree.
  const OperatorProgram program = ProgramOf(StatementsOf(GraphOf(
      OperatorJson({"x: float32 [32, 15]"},
                   {{"ReduceSum", {"x"}, "s: float32 [32, 1]", {{"axis", 1}, {"keep_dims", true}}},
                    {"Sub", {"x", "s"}, "y: float32 [32, 15]"}},
                   {"y"}))));
  const Schedules schedules(program, poly::DependenceKind::kValue);
  std::vector<ProgramSchedule> all = schedules.Leaves(40);
  all.push_back(schedules.Influenced());
  int without = 0;
  for (const ProgramSchedule& schedule : all) {
    const Source source = CudaText(program, NestsOf(schedules, schedule, true));
    const bool has_memory = Has(source.text, "exh_global");
    EXPECT_EQ(has_memory, source.gpu->launch.workspace_bytes > 0) << source.text;
    // What goes from one kernel to the next goes through memory.
    EXPECT_TRUE(source.gpu->launch.sides.empty() || has_memory) << source.text;
    without += has_memory ? 0 : 1;
  }
  EXPECT_GT(without, 0);
}

TEST(FusedCode, ArgumentsAreInputsThatAreReadAndOutputs) {
  const OperatorProgram program = ProgramOf(StatementsOf(GraphOf(OperatorJson(
      {"unused: float32 [4]", "x: float32 [4]"}, {{"Exp", {"x"}, "y: float32 [4]"}}, {"y"}))));
  std::vector<std::string> names;
  for (const int array : ArgumentsOf(program)) names.push_back(program.list.tensor(array).name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(CompulsoryBytes(program), 32u);
}

/// A printer with a text of indices alone.
class Indices : public BodyPrinter {
 public:
  using BodyPrinter::BodyPrinter, BodyPrinter::TextOf;
};

TEST(FusedCode, IslsFunctionsAreThereWhereTheyAreCalled) {
  const OperatorProgram program;
  Indices out(program, derived::Dialect::kCpp, "long", nullptr);
  const ir::Index i(ir::IndexVariable::Of(0, "i", 4)), j(ir::IndexVariable::Of(1, "j", 4));
  EXPECT_EQ(out.TextOf(i + 1), "i + 1");
  EXPECT_EQ(out.Prelude(), "");
  EXPECT_EQ(out.TextOf(ir::Condition(ir::Index::Max(i, j).Div(2), ir::Relation::kLess, 2)),
            "(max(i, j)) / 2 < 2");
  EXPECT_TRUE(Has(out.Prelude(), "define max"));
  EXPECT_FALSE(Has(out.Prelude(), "define min"));
}

}  // namespace
}  // namespace exh::kernels::fused
