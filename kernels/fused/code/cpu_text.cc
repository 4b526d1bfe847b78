// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/code/code.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::fused {
namespace {

class CpuPrinter final : public BodyPrinter {
 public:
  CpuPrinter(const OperatorProgram& program, const std::set<int>* read)
      : BodyPrinter(program, derived::Dialect::kCpp, "long", read) {}

  void PrintPart(const ProgramPart& part, const NestNode& nest) {
    SetPart(part);
    Print(nest);
  }

 private:
  void BeforeLoop(const NestNode& loop) override {
    if (loop.mapping.has_threads) {
      Line(loop.mapping.vector > 1 ? "#pragma omp parallel for simd num_threads(threads)"
                                   : "#pragma omp parallel for num_threads(threads)");
    } else if (loop.mapping.vector > 1) {
      Line(loop.mapping.lanes > 0 ? fmt::format("#pragma omp simd simdlen({})", loop.mapping.lanes)
                                  : "#pragma omp simd");
    }
  }
};

std::string ElementName(const OperatorProgram& program, int array) {
  return std::string(ir::ElementName(program.arrays[static_cast<std::size_t>(array)].type));
}

}  // namespace

Source CpuText(const OperatorProgram& program, const std::vector<NestNode>& nests) {
  const auto print = [&](CpuPrinter& out) {
    out.Open("static void Run(void* const* arrays, int threads)");
    const std::vector<int> arguments = ArgumentsOf(program);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const int array = arguments[i];
      const std::string type =
          (program.list.tensor(array).is_result() ? "" : "const ") + ElementName(program, array);
      out.Line(fmt::format("{}* const __restrict__ {} = static_cast<{}*>(arrays[{}]);", type,
                           BodyPrinter::NameOf(array), type, i));
    }
    for (std::size_t i = 0; i < nests.size(); ++i) out.PrintPart(program.parts[i], nests[i]);
    out.Close();
  };
  CpuPrinter first(program, nullptr);
  print(first);
  CpuPrinter second(program, &first.read());
  print(second);
  std::string temporaries;
  for (const int array : second.kept()) {
    const std::string type = ElementName(program, array);
    temporaries += fmt::format("static {}* const __restrict__ {} = new {}[{}];\n", type,
                               BodyPrinter::NameOf(array), type,
                               program.arrays[static_cast<std::size_t>(array)].elements());
  }
  return second.Prelude() + temporaries + second.Take() +
         "extern \"C\" void exh_run(void* const* arrays, const double*, int threads) "
         "{ Run(arrays, threads); }\n";
}

Source Text(const OperatorProgram& program, const std::vector<NestNode>& nests,
            ir::Dialect dialect) {
  return dialect == ir::Dialect::kCpp ? CpuText(program, nests) : CudaText(program, nests);
}

double Steps(const OperatorProgram& program, const std::vector<NestNode>& nests,
             ir::Dialect dialect) {
  return dialect == ir::Dialect::kCpp ? 0 : StepsOnGpu(program, nests);
}

bool HasPatches(ir::Dialect dialect) {
  return dialect != ir::Dialect::kCpp;
}

}  // namespace exh::kernels::fused
