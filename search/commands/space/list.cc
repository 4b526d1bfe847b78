// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.h"
#include "kernels/derived/expression.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "search/commands/command.h"
#include "search/commands/parts/parts.h"

namespace exh::search {
namespace {

using kernels::Kernel;
using kernels::derived::Expression;
namespace ir = kernels::ir;

void PrintSizes(const Kernel& kernel, const kernels::Parameters* sizes, std::size_t width) {
  for (const kernels::Parameter& parameter : kernel.parameters()) {
    const std::string now =
        sizes == nullptr ? "" : " = " + parameter.Text(sizes->at(parameter.name));
    const std::string values = parameter.words.empty()
                                   ? parameter.RangeText()
                                   : fmt::format("one of {}", fmt::join(parameter.words, " "));
    fmt::print("  {:<{}} {} (default {}, {})\n", parameter.name + now, width, parameter.what,
               parameter.Text(parameter.default_value), values);
  }
}

int List() {
  std::size_t name_width = 0, parameter_width = 0;
  for (const auto& kernel : kernels::AllKernels()) {
    name_width = std::max(name_width, kernel->name().size());
    for (const kernels::Parameter& parameter : kernel->parameters()) {
      parameter_width = std::max(parameter_width, parameter.name.size());
    }
  }
  for (const auto& kernel : kernels::AllKernels()) {
    const kernels::KernelOrigin& origin = *kernels::FindOrigin(*kernel);
    fmt::print("{:<{}} {}\n", kernel->name(), name_width, kernel->summary());
    if (!origin.file.empty()) {
      fmt::print("  from the plugin {}, space {}\n", origin.file,
                 kernels::SpaceOf(*kernel).space().name);
    }
    PrintSizes(*kernel, nullptr, parameter_width);
  }
  return 0;
}

std::string Bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string Names(const Expression& expression, const std::vector<int>& axes) {
  std::vector<std::string> names;
  for (const int axis : axes) names.push_back(expression.axis(axis).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What is read, with the array's name for what a load reads.
std::string Operands(const ir::Function& function, const Expression& expression,
                     const Expression::Node& node) {
  if (node.op == ir::Op::kLoad) return function.array(node.array).name;
  if (node.op == ir::Op::kIndex) return Names(expression, node.axes);
  std::vector<std::string> names;
  for (const Expression::Input& input : node.inputs) {
    names.push_back(!input.is_number()     ? expression.node(input.node).name
                    : input.scalar.empty() ? fmt::format("{}", input.number)
                                           : input.scalar);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (node.op == ir::Op::kStore) text += " to " + function.array(node.array).name;
  return text;
}

/// One kernel at given sizes: what was understood of it.
int Describe(const ProblemOptions& options) {
  const Kernel& kernel = FindKernel(options);
  const kernels::Parameters sizes = ParseSizes(kernel, options);
  ir::Function function;
  const kernels::BuiltBackbone built = kernels::BuildBackbone(kernel, sizes, false, function);
  const Expression expression = kernels::derived::ExpressionOf(function);
  fmt::print("{} {}\n\nsizes\n", kernel.name(), kernel.summary());
  std::size_t width = 0;
  for (const kernels::Parameter& size : kernel.parameters()) {
    width = std::max(width, (size.name + " = " + size.Text(sizes.at(size.name))).size());
  }
  PrintSizes(kernel, &sizes, width);

  fmt::print("\narrays\n");
  std::uint64_t read = 0, written = 0;
  for (const ir::Array& array : function.arrays) {
    const bool is_input = array.role == ir::ArrayRole::kInput;
    (is_input ? read : written) += array.bytes();
    fmt::print("  {:<6} {}: {} x {}, {}", is_input ? "input" : "output", array.name,
               ir::WordOf(array.type), array.elements, Bytes(array.bytes()));
    if (array.alignment != ir::kDefaultAlignment) fmt::print(", aligned to {}", array.alignment);
    fmt::print("\n");
  }
  for (const ir::Scalar& scalar : function.scalars) {
    const ir::Number& value = scalar.value;
    fmt::print(
        "  scalar {}: {} = {}\n", scalar.name, ir::WordOf(scalar.type),
        value.is_whole() ? fmt::format("{}", value.whole()) : fmt::format("{}", double{value}));
  }
  fmt::print("\naxes\n");
  for (const Expression::Axis& axis : expression.axes) {
    fmt::print("  {}: {} steps\n", axis.name, axis.total);
  }
  fmt::print("\nloops: each of these instructions has a nest of its own over its axes\n");
  for (const Expression::Node& node : expression.nodes) {
    std::string nest = Names(expression, node.axes);
    if (node.is_reduction()) {
      nest +=
          fmt::format("{}reduces {}", nest.empty() ? "" : "; ", Names(expression, node.reduced));
    }
    if (node.is_scan()) nest += fmt::format("; scans {}", Names(expression, {node.along}));
    fmt::print("  {:<12} [{}] of {}", node.name, nest, Operands(function, expression, node));
    // Of other arrays, and of what conversions make.
    fmt::print("{}\n",
               node.type == ir::Type::kF32 ? "" : fmt::format(": {}", ir::WordOf(node.type)));
  }
  fmt::print("\n{:.4g} operations, {} read, {} written\n", kernel.Flops(sizes), Bytes(read),
             Bytes(written));
  for (const std::string& note : built.notes) fmt::print("note: {}\n", note);
  return 0;
}

int PrintText(const ProblemOptions& options) {
  const Kernel& kernel = FindKernel(options);
  if (kernel.text().empty()) {
    throw UsageError(fmt::format("{} is written in C++, and has no text", kernel.name()));
  }
  fmt::print("{}", kernel.text());
  return 0;
}

}  // namespace

void AddListCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const list = app.add_subcommand(
      "list", "kernels and their sizes; with a kernel: what was understood of it");
  const auto options = std::make_shared<ProblemOptions>();
  list->add_option(
      "kernel", options->kernel,
      "a kernel, or a FILE.kernel; or a file of another language, such as a .json of a "
      "fused operator or a .fun");
  list->add_option("--compute", options->compute, "a computation in its place");
  AddTypeOption(*list, *options);
  list->add_option("--size", options->size, "its sizes and options: m=512,n=512,relu=1");
  const auto spaces = std::make_shared<bool>(false);
  const auto text = std::make_shared<bool>(false);
  list->add_flag("--text", *text, "the kernel's text: of a file of another language, as a kernel");
  list->add_flag("--spaces", *spaces, "the spaces without kernels, which `search solve` takes");
  list->callback([&invocation, options, spaces, text] {
    const bool is_all = options->kernel.empty() && options->compute.empty();
    invocation.run = [options, is_all, spaces, text] {
      if (*text) return PrintText(*options);
      if (*spaces) return PartsOfProgram().list_spaces();
      return is_all ? List() : Describe(*options);
    };
  });
}

}  // namespace exh::search
