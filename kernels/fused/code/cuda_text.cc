// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/code/transform.h"
#include "kernels/ir/type_text.h"

namespace exh::kernels::fused {
namespace {

using Kind = poly::LoopNode::Kind;

constexpr std::int64_t kThreads = 256;   ///< Of a block.
constexpr std::uint64_t kAligned = 256;  ///< Temporaries begin at multiples of it.

struct Kernel {
  const Part* part = nullptr;
  const NestNode* nest = nullptr;
  std::string name;
  std::uint64_t grid = 1;
  std::uint32_t threads = 1;
};

class CudaPrinter final : public BodyPrinter {
 public:
  CudaPrinter(const Program& program, const std::set<int>* read)
      : BodyPrinter(program, derived::Dialect::kCuda, "int", read) {}

  /// Sets what a launch of the kernel needs.
  void PrintKernel(Kernel& kernel, const std::string& parameters,
                   const std::vector<std::string>& pointers) {
    SetPart(*kernel.part);
    Open(fmt::format("extern \"C\" __global__ void {}({})", kernel.name, parameters));
    for (const std::string& pointer : pointers) Line(pointer);
    std::vector<const NestNode*> chain;
    const NestNode* rest = kernel.nest;
    while (rest->is_loop() && rest->is_parallel && rest->node.extent) {
      chain.push_back(rest);
      rest = &rest->children.front();
    }
    const bool is_wide = !chain.empty() && chain.back()->vector > 1 && CanBeWide(*chain.back());
    std::int64_t threads = 1;
    std::vector<std::string> lines;
    for (auto loop = chain.rbegin(); loop != chain.rend(); ++loop) {
      const int step = loop == chain.rbegin() && is_wide ? (*loop)->vector : 1;
      const std::int64_t extent = *(*loop)->node.extent / step;
      std::string value = threads == 1 ? "thread" : fmt::format("thread / {}", threads);
      if (std::next(loop) != chain.rend()) value += fmt::format(" % {}", extent);
      if (step > 1) value = fmt::format("({}) * {}", value, step);
      lines.push_back(fmt::format("const int {} = {};", (*loop)->node.variable, value));
      threads *= extent;
    }
    if (!chain.empty()) {
      Line(fmt::format("const int thread = blockIdx.x * {} + threadIdx.x;", kThreads));
      Line(fmt::format("if (thread >= {}) return;", threads));
      kernel.threads = kThreads;
      kernel.grid = static_cast<std::uint64_t>((threads + kThreads - 1) / kThreads);
    }
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) Line(*line);
    if (is_wide) {
      PrintWide(*chain.back());
    } else {
      Print(*rest);
    }
    Close();
  }

 private:
  bool has_wide_accesses() const override { return true; }
};

std::vector<Kernel> KernelsOf(const Program& program, const std::vector<NestNode>& nests) {
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < nests.size(); ++i) {
    const bool is_block = nests[i].kind == Kind::kBlock;
    for (std::size_t j = 0; j < (is_block ? nests[i].children.size() : 1); ++j) {
      kernels.push_back({&program.parts[i], is_block ? &nests[i].children[j] : &nests[i],
                         fmt::format("exh_before_{}", kernels.size())});
    }
  }
  if (!kernels.empty()) kernels.back().name = kMainKernel;
  return kernels;
}

}  // namespace

Source CudaText(const Program& program, const std::vector<NestNode>& schedule) {
  std::vector<NestNode> nests;
  for (const NestNode& nest : schedule) nests.push_back(ForThreads(nest));
  std::vector<Kernel> kernels = KernelsOf(program, nests);
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
    std::vector<std::string> pointers;
    launch.workspace_bytes = 0;
    for (const int temporary : temporaries) {
      const std::string type(ir::ElementName(array(temporary).type));
      pointers.push_back(
          fmt::format("{}* const __restrict__ {} = reinterpret_cast<{}*>(exh_global + {});", type,
                      BodyPrinter::NameOf(temporary), type, launch.workspace_bytes));
      const auto bytes =
          static_cast<std::uint64_t>(array(temporary).elements()) * array(temporary).element_bytes;
      launch.workspace_bytes += (bytes + kAligned - 1) / kAligned * kAligned;
    }
    if (!temporaries.empty()) parameters += ", unsigned char* __restrict__ exh_global";
    for (Kernel& kernel : kernels) out.PrintKernel(kernel, parameters, pointers);
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
    } else {
      launch.sides.push_back({kernel.name, /*is_before=*/true, kernel.grid, kernel.threads});
    }
  }
  const std::string text = third.Take();
  return {ir::HalfFunctions(text, ir::Language::kCuda) + IslFunctions(text) + VectorTypesOf(text) +
              text,
          launch};
}

}  // namespace exh::kernels::fused
