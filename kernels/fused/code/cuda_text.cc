// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/code.h"
#include "kernels/fused/code/team_printer.h"
#include "kernels/fused/code/transform.h"
#include "kernels/ir/type_text.h"

namespace exh::kernels::fused {
namespace {

using Kind = poly::LoopNode::Kind;

constexpr std::int64_t kThreads = 256;  ///< Of a block without teams.

struct Kernel {
  const Part* part = nullptr;
  const NestNode* nest = nullptr;
  std::string name;
  std::uint64_t grid = 1;
  std::uint32_t threads = 1;
  std::uint64_t shared_bytes = 0;
  Team team;
  std::uint64_t tickets = 0;  ///< Where its tickets begin in the workspace.
};

/// The parallel loops that a kernel begins with, and what is in them.
struct Chain {
  std::vector<const NestNode*> loops;
  const NestNode* body = nullptr;
};

Chain ChainOf(const NestNode& nest) {
  Chain chain{.loops = {}, .body = &nest};
  while (chain.body->is_loop() && chain.body->is_parallel && chain.body->node.extent) {
    chain.loops.push_back(chain.body);
    chain.body = &chain.body->children.front();
  }
  return chain;
}

class CudaPrinter final : public TeamPrinter {
 public:
  CudaPrinter(const Program& program, const std::set<int>* read)
      : TeamPrinter(program, derived::Dialect::kCuda, "int", read) {}

  /// Which threads share its points.
  Team TeamOf(const Kernel& kernel) {
    SetPart(*kernel.part);
    const Chain chain = ChainOf(*kernel.nest);
    return Planned(chain.loops, *chain.body);
  }

  /// Sets what a launch of the kernel needs.
  void PrintKernel(Kernel& kernel, const std::string& parameters,
                   const std::vector<std::string>& pointers, TeamSpace& space) {
    SetPart(*kernel.part);
    Open(fmt::format("extern \"C\" __global__ void {}({})", kernel.name, parameters));
    for (const std::string& pointer : pointers) Line(pointer);
    const Chain chain = ChainOf(*kernel.nest);
    if (kernel.team.size > 1) {
      kernel.threads = static_cast<std::uint32_t>(kernel.team.threads());
      kernel.grid = static_cast<std::uint64_t>(kernel.team.blocks() * kernel.team.splits);
      kernel.shared_bytes = SharedBytes(kernel.team);
      PrintPlace(kernel.team);
      PrintVariables(chain, "exh_point", /*width=*/1);
      PrintTeam(kernel.team, *chain.body, kernel.tickets, space);
    } else {
      PrintThreads(kernel, chain);
    }
    Close();
  }

 private:
  /// A thread for each point.
  void PrintThreads(Kernel& kernel, const Chain& chain) {
    if (chain.loops.empty()) return Print(*chain.body);
    const NestNode& last = *chain.loops.back();
    const bool is_wide = last.vector > 1 && CanBeWide(last);
    const int width = is_wide ? last.vector : 1;
    std::int64_t threads = 1;
    for (const NestNode* loop : chain.loops) threads *= *loop->node.extent;
    threads /= width;
    Line(fmt::format("const int thread = blockIdx.x * {} + threadIdx.x;", kThreads));
    Line(fmt::format("if (thread >= {}) return;", threads));
    kernel.threads = kThreads;
    kernel.grid = static_cast<std::uint64_t>((threads + kThreads - 1) / kThreads);
    PrintVariables(chain, "thread", width);
    is_wide ? PrintWide(last) : Print(*chain.body);
  }

  /// The variables of the loops at a point; the last one goes by `width`.
  void PrintVariables(const Chain& chain, const std::string& point, int width) {
    std::int64_t within = 1;
    std::vector<std::string> lines;
    for (auto loop = chain.loops.rbegin(); loop != chain.loops.rend(); ++loop) {
      const int step = loop == chain.loops.rbegin() ? width : 1;
      const std::int64_t extent = *(*loop)->node.extent / step;
      std::string value = within == 1 ? point : fmt::format("{} / {}", point, within);
      if (std::next(loop) != chain.loops.rend()) value += fmt::format(" % {}", extent);
      if (step > 1) value = fmt::format("({}) * {}", value, step);
      lines.push_back(fmt::format("const int {} = {};", (*loop)->node.variable, value));
      within *= extent;
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
    if (is_parallel || !is_open) pieces.push_back({.kind = Kind::kBlock, .node = {}, .children = {}});
    if (is_parallel) {
      pieces.back() = child;
    } else {
      pieces.back().children.push_back(child);
    }
    is_open = !is_parallel;
  }
  return pieces;
}

}  // namespace

Source CudaText(const Program& program, const std::vector<NestNode>& schedule) {
  std::vector<NestNode> nests;
  for (const NestNode& nest : schedule) nests.push_back(ForThreads(nest));
  std::vector<std::vector<NestNode>> pieces;
  for (const NestNode& nest : nests) pieces.push_back(PiecesOf(nest));
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const NestNode& piece : pieces[i]) {
      const std::string name = fmt::format("exh_before_{}", kernels.size());
      kernels.push_back({.part = &program.parts[i], .nest = &piece, .name = name, .team = {}});
    }
  }
  if (!kernels.empty()) kernels.back().name = kMainKernel;
  CudaPrinter planner(program, nullptr);
  TeamSpace reserved;
  for (Kernel& kernel : kernels) {
    kernel.team = planner.TeamOf(kernel);
    if (kernel.team.splits == 1) continue;
    kernel.tickets =
        reserved.Take(static_cast<std::uint64_t>(kernel.team.blocks()) * sizeof(unsigned));
  }
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
      pointers.push_back(
          fmt::format("{}* const __restrict__ {} = reinterpret_cast<{}*>(exh_global + {});", type,
                      BodyPrinter::NameOf(temporary), type, space.Take(bytes)));
    }
    if (space.bytes > 0) parameters += ", unsigned char* __restrict__ exh_global";
    for (Kernel& kernel : kernels) out.PrintKernel(kernel, parameters, pointers, space);
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
      launch.grid = kernel.grid;
      launch.threads = kernel.threads;
      launch.shared_bytes = kernel.shared_bytes;
    } else {
      launch.sides.push_back({kernel.name, /*is_before=*/true, kernel.grid, kernel.threads,
                              kernel.shared_bytes});
    }
  }
  const std::string text = third.Take();
  const bool has_teams =
      std::ranges::any_of(kernels, [](const Kernel& kernel) { return kernel.team.size > 1; });
  return {ir::HalfFunctions(text, ir::Language::kCuda) + IslFunctions(text) + VectorTypesOf(text) +
              (has_teams ? "extern __shared__ float4 exh_shared[];\n" : "") + text,
          launch};
}

}  // namespace exh::kernels::fused
