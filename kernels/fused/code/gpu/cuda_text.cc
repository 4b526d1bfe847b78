// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/code.h"
#include "kernels/fused/code/gpu/tile_printer.h"
#include "kernels/ir/text/type_text.h"
#include "kernels/loops/loop_text.h"
#include "kernels/loops/threads.h"

namespace exh::kernels::fused {
namespace {

using Kind = NestNode::Kind;

constexpr std::int64_t kThreads = 256;  ///< Of a block without teams.

/// What blocks of their own do.
struct Task {
  const ProgramPart* part = nullptr;
  const NestNode* nest = nullptr;
  std::uint64_t grid = 1;     ///< Blocks.
  std::uint32_t threads = 1;  ///< Of a block.
  std::int64_t rounds = 1;    ///< Points of a thread, where there are no teams.
  std::uint64_t shared_bytes = 0;
  Team team;
  std::uint64_t tickets = 0;  ///< Where its tickets begin in the workspace.
  std::set<int> reads = {}, writes = {};
};

/// Tasks of which none needs what another does.
struct Kernel {
  std::string name;
  std::vector<Task> tasks;

  std::uint64_t grid() const {
    std::uint64_t blocks = 0;
    for (const Task& task : tasks) blocks += task.grid;
    return blocks;
  }
  std::uint32_t threads() const {
    std::uint32_t most = 1;
    for (const Task& task : tasks) most = std::max(most, task.threads);
    return most;
  }
  std::uint64_t shared_bytes() const {
    std::uint64_t most = 0;
    for (const Task& task : tasks) most = std::max(most, task.shared_bytes);
    return most;
  }
  /// May the task run beside those that it has? Blocks have as many threads, or use one of them.
  bool Takes(const Task& task) const {
    const auto meet = [](const std::set<int>& a, const std::set<int>& b) {
      return std::ranges::any_of(a, [&](int array) { return b.contains(array); });
    };
    return std::ranges::all_of(tasks, [&](const Task& other) {
      const bool fits = task.threads == 1 || other.threads == 1 || task.threads == other.threads;
      return fits && !meet(task.writes, other.writes) && !meet(task.writes, other.reads) &&
             !meet(task.reads, other.writes);
    });
  }
};

/// The parallel loops that a kernel begins with, and what is in them.
struct Chain {
  std::vector<const NestNode*> loops;
  const NestNode* body = nullptr;
};

Chain ChainOf(const NestNode& nest) {
  Chain chain{.loops = {}, .body = &nest};
  while (chain.body->is_loop() && chain.body->facts.is_parallel && chain.body->range.count) {
    chain.loops.push_back(chain.body);
    chain.body = &chain.body->body();
  }
  return chain;
}

class CudaPrinter final : public TilePrinter {
 public:
  CudaPrinter(const OperatorProgram& program, const std::set<int>* read)
      : TilePrinter(program, derived::Dialect::kCuda, "int", read) {}

  /// Decides which threads and blocks a task has.
  void Plan(Task& task) {
    SetPart(*task.part);
    const Chain chain = ChainOf(*task.nest);
    task.reads = ReadIn(*task.nest);
    task.writes = WrittenIn(*task.nest);
    task.team = Planned(chain.loops, *chain.body);
    if (task.team.size > 1) {
      task.threads = static_cast<std::uint32_t>(task.team.threads());
      task.grid = static_cast<std::uint64_t>(task.team.blocks() * task.team.splits);
      task.shared_bytes = SharedBytes(task.team);
    } else if (const TilePair pair = PairIn(chain.loops, *chain.body); pair.along != nullptr) {
      task.threads = kTileThreads;
      task.grid = static_cast<std::uint64_t>(PointsOf(Without(chain, pair)));
      task.shared_bytes = StagedBytes(pair, *chain.body);
    } else if (!chain.loops.empty()) {
      task.threads = kThreads;
      task.rounds = RoundsOf(task, chain);
      const std::int64_t of_block = kThreads * task.rounds;
      task.grid = static_cast<std::uint64_t>((ThreadsOf(chain) + of_block - 1) / of_block);
    }
  }

  void PrintKernel(const Kernel& kernel, const std::string& parameters,
                   const std::vector<std::string>& pointers, TeamSpace& space) {
    Open(fmt::format("extern \"C\" __global__ void {}({})", kernel.name, parameters));
    for (const std::string& pointer : pointers) Line(pointer);
    if (kernel.tasks.size() == 1) {
      set_block("blockIdx.x");
      PrintTask(kernel.tasks.front(), space);
      return Close();
    }
    set_block("exh_of_task");
    Line("int exh_of_task = blockIdx.x;");
    for (const Task& task : kernel.tasks) {
      Open(fmt::format("if (exh_of_task < {})", task.grid));
      if (task.threads == 1) Line("if (threadIdx.x > 0) return;");
      PrintTask(task, space);
      Line("return;");
      Close();
      Line(fmt::format("exh_of_task -= {};", task.grid));
    }
    Close();
  }

 private:
  void PrintTask(const Task& task, TeamSpace& space) {
    SetPart(*task.part);
    const Chain chain = ChainOf(*task.nest);
    if (task.team.size == 1) {
      const TilePair pair = PairIn(chain.loops, *chain.body);
      if (pair.along == nullptr) return PrintThreads(task, chain);
      Line(fmt::format("const int exh_own = {};", block()));
      PrintVariables(Without(chain, pair), "exh_own", /*width=*/1);
      return PrintTile(pair, *chain.body);
    }
    PrintPlace(task.team);
    PrintVariables(chain, "exh_point", /*width=*/1);
    PrintTeam(task.team, *chain.body, task.tickets, space);
  }

  static Chain Without(const Chain& chain, const TilePair& pair) {
    Chain others = chain;
    std::erase_if(others.loops,
                  [&](const NestNode* loop) { return loop == pair.along || loop == pair.across; });
    return others;
  }

  static std::int64_t PointsOf(const Chain& chain) {
    std::int64_t points = 1;
    for (const NestNode* loop : chain.loops) points *= *loop->range.count;
    return points;
  }

  int WidthOf(const Chain& chain) const {
    const NestNode& last = *chain.loops.back();
    return last.mapping.vector > 1 && CanBeWide(last) ? last.mapping.vector : 1;
  }
  /// With a thread for each point.
  std::int64_t ThreadsOf(const Chain& chain) const { return PointsOf(chain) / WidthOf(chain); }

  /// So many points of a thread that it reads 16 bytes at once. Memory takes longer to answer than
  /// all threads together have to wait for, if each has but one small element.
  std::int64_t RoundsOf(const Task& task, const Chain& chain) const {
    constexpr std::int64_t kBytes = 16, kMost = 4, kManyThreads = 1 << 18;
    if (loops::HasLoops(*chain.body)) return 1;
    std::int64_t smallest = kBytes;
    for (const int array : task.writes) {
      const std::uint32_t bytes = program().arrays[static_cast<std::size_t>(array)].element_bytes;
      smallest = std::min<std::int64_t>(smallest, bytes);
    }
    std::int64_t rounds = std::min(kMost, kBytes / (smallest * WidthOf(chain)));
    while (rounds > 1 && ThreadsOf(chain) < kManyThreads * rounds) rounds /= 2;
    return std::max<std::int64_t>(1, rounds);
  }

  /// A thread for each point, or for some.
  void PrintThreads(const Task& task, const Chain& chain) {
    if (chain.loops.empty()) return Print(*chain.body);
    const int width = WidthOf(chain);
    std::string first = fmt::format("{} * {} + threadIdx.x", block(), kThreads * task.rounds);
    const char* otherwise = "return";
    if (task.rounds > 1) {
      Line("#pragma unroll");
      Open(loops::ForText("int", "exh_round", 0, task.rounds));
      first += fmt::format(" + exh_round * {}", kThreads);
      otherwise = "continue";
    }
    Line(fmt::format("const int thread = {};", first));
    Line(fmt::format("if (thread >= {}) {};", ThreadsOf(chain), otherwise));
    PrintVariables(chain, "thread", width);
    for (const NestNode* loop : chain.loops) {
      if (!loop->range.end) continue;
      Line(
          fmt::format("if ({} >= {}) {};", loop->range.variable.name, *loop->range.end, otherwise));
    }
    width > 1 ? PrintWide(*chain.loops.back()) : Print(*chain.body);
    if (task.rounds > 1) Close();
  }

  /// The variables of the loops at a point; the last one goes by `width`.
  void PrintVariables(const Chain& chain, const std::string& point, int width) {
    std::int64_t within = 1;
    std::vector<std::string> lines;
    for (auto loop = chain.loops.rbegin(); loop != chain.loops.rend(); ++loop) {
      const int step = loop == chain.loops.rbegin() ? width : 1;
      const std::int64_t count = *(*loop)->range.count / step;
      const bool is_outermost = std::next(loop) == chain.loops.rend();
      lines.push_back(
          VariableLine(**loop, loops::DigitText(point, within, count, is_outermost), step));
      within *= count;
    }
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) Line(*line);
  }

  bool has_wide_accesses() const override { return true; }
};

/// What kernels are made of: each outermost piece that begins with parallel loops, and what is
/// between two of these.
std::vector<NestNode> PiecesOf(const NestNode& nest) {
  if (nest.kind != Kind::kBlock) return {nest};
  std::vector<NestNode> pieces;
  bool is_open = false;
  for (const NestNode& child : nest.children) {
    const bool is_parallel = !ChainOf(child).loops.empty();
    if (is_parallel || !is_open) pieces.push_back(NestNode::Block({}));
    if (is_parallel) {
      pieces.back() = child;
    } else {
      pieces.back().children.push_back(child);
    }
    is_open = !is_parallel;
  }
  return pieces;
}

std::vector<NestNode> PiecesOf(const std::vector<NestNode>& schedule, std::size_t part) {
  return PiecesOf(loops::ForThreads(schedule[part]));
}

double ExecutionsOf(const ProgramPart& part, const NestNode& nest) {
  double all = 0;
  for (const int statement : loops::StatementsIn(nest)) {
    double of_statement = 1;
    for (const auto& iterator :
         part.scop.statements[static_cast<std::size_t>(statement)].iterators) {
      of_statement *= static_cast<double>(iterator.extent);
    }
    all += of_statement;
  }
  return all;
}

}  // namespace

double StepsOnGpu(const OperatorProgram& program, const std::vector<NestNode>& nests) {
  constexpr double kMostThreads = 1 << 18;
  CudaPrinter planner(program, nullptr);
  double steps = 0;
  for (std::size_t part = 0; part < nests.size(); ++part) {
    for (const NestNode& piece : PiecesOf(nests, part)) {
      Task task{.part = &program.parts[part], .nest = &piece, .team = {}};
      planner.Plan(task);
      const Team& team = task.team;
      double threads = static_cast<double>(team.size * team.splits);
      for (const NestNode* loop : ChainOf(piece).loops) {
        threads *= static_cast<double>(*loop->range.count);
      }
      steps += ExecutionsOf(program.parts[part], piece) / std::min(threads, kMostThreads);
    }
  }
  return steps;
}

Source CudaText(const OperatorProgram& program, const std::vector<NestNode>& schedule) {
  std::vector<std::vector<NestNode>> pieces;
  for (std::size_t part = 0; part < schedule.size(); ++part) {
    pieces.push_back(PiecesOf(schedule, part));
  }
  CudaPrinter planner(program, nullptr);
  TeamSpace reserved;
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const NestNode& piece : pieces[i]) {
      Task task{.part = &program.parts[i], .nest = &piece, .team = {}};
      planner.Plan(task);
      if (task.team.splits > 1) {
        task.tickets =
            reserved.Take(static_cast<std::uint64_t>(task.team.blocks()) * sizeof(unsigned));
      }
      if (kernels.empty() || !kernels.back().Takes(task)) {
        kernels.push_back({fmt::format("exh_before_{}", kernels.size()), {}});
      }
      kernels.back().tasks.push_back(std::move(task));
    }
  }
  if (!kernels.empty()) kernels.back().name = kMainKernel;
  reserved.tickets = reserved.bytes;
  Launch launch;
  const auto array = [&](int index) -> const StatementTensor& {
    return program.arrays[static_cast<std::size_t>(index)];
  };
  const auto print = [&](CudaPrinter& out, const std::set<int>& temporaries) {
    std::string parameters;
    for (const int argument : ArgumentsOf(program)) {
      parameters +=
          fmt::format("{}{}{}* __restrict__ {}", parameters.empty() ? "" : ", ",
                      array(argument).is_result() ? "" : "const ",
                      ir::ElementName(array(argument).type), BodyPrinter::NameOf(argument));
    }
    TeamSpace space = reserved;
    std::vector<std::string> pointers;
    for (const int temporary : temporaries) {
      const std::string type(ir::ElementName(array(temporary).type));
      const auto bytes =
          static_cast<std::uint64_t>(array(temporary).elements()) * array(temporary).element_bytes;
      pointers.push_back(fmt::format("{}* const {} = reinterpret_cast<{}*>(exh_global + {});", type,
                                     BodyPrinter::NameOf(temporary), type, space.Take(bytes)));
    }
    // Not restricted: threads of a team hand each other what lies there
    // (kernels/codegen/print/gpu/printer.cc).
    if (space.bytes > 0) parameters += ", unsigned char* exh_global";
    for (const Kernel& kernel : kernels) out.PrintKernel(kernel, parameters, pointers, space);
    launch.workspace_bytes = space.bytes;
    launch.ticket_bytes = space.tickets;
  };
  CudaPrinter first(program, nullptr);
  print(first, {});
  CudaPrinter second(program, &first.read());
  print(second, {});
  CudaPrinter third(program, &first.read());
  print(third, second.kept());
  for (const Kernel& kernel : kernels) {
    if (kernel.name == kMainKernel) {
      launch.grid = kernel.grid();
      launch.threads = kernel.threads();
      launch.shared_bytes = kernel.shared_bytes();
    } else {
      launch.sides.push_back({kernel.name, /*is_before=*/true, kernel.grid(), kernel.threads(),
                              kernel.shared_bytes()});
    }
  }
  const bool has_teams =
      std::ranges::any_of(kernels, [](const Kernel& kernel) { return kernel.shared_bytes() > 0; });
  return {third.Prelude() + (has_teams ? "extern __shared__ float4 exh_shared[];\n" : "") +
              third.Take(),
          launch};
}

}  // namespace exh::kernels::fused
