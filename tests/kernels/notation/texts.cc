// SPDX-License-Identifier: MIT
#include "tests/kernels/notation/texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/ops.h"
#include "kernels/notation/lower/lower.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/parse.h"

namespace exh::kernels::notation::testing {
namespace {

std::uint32_t Open(const std::string& path, const std::string& text, dsl::DiagnosticSink& sink) {
  sink.sources().AddInMemory(path, text);
  std::string error;
  const auto file = sink.sources().Open(path, std::nullopt, &error);
  EXPECT_TRUE(file.has_value()) << error;
  return file.value_or(0);
}

void Understand(const std::string& path, const std::string& text, const Sizes& sizes,
                ir::Builder& builder, dsl::DiagnosticSink& sink) {
  const Kernel kernel = ParseKernel(Open(path, text, sink), sink);
  if (sink.has_errors()) return;
  const auto resolution = Resolve(kernel, sizes, sink);
  EXPECT_NE(resolution.has_value(), sink.has_errors()) << "nothing, and no reason";
  if (!resolution) return;
  const bool is_good = Lower(kernel, *resolution, builder, sink);
  EXPECT_NE(is_good, sink.has_errors()) << "nothing, and no reason";
}

std::string AxisName(const ir::LogicalDim& logical) {
  return logical.name.substr(logical.name.find('.') + 1);
}

std::string AxesOf(const ir::Function& function, const ir::Instruction& inst) {
  std::vector<std::string> all, reduced;
  for (const ir::LogicalDim& logical : function.logical_dims) {
    if (function.dim(logical.dims.front()).inst != inst.id) continue;
    all.push_back(AxisName(logical));
    if (function.dim(logical.dims.front()).is_reduction) reduced.push_back(AxisName(logical));
  }
  std::string text = fmt::format("{}", fmt::join(all, ", "));
  if (!reduced.empty()) text += fmt::format(": {}", fmt::join(reduced, ", "));
  return text;
}

std::string OperandText(const ir::Function& function, const ir::Operand& operand) {
  switch (operand.kind) {
    case ir::Operand::Kind::kLiteral:
      return fmt::format("{}", double{operand.literal});
    case ir::Operand::Kind::kScalar:
      return operand.scalar;
    case ir::Operand::Kind::kComm:
      break;
  }
  const ir::Communication& comm = function.comm(operand.comm);
  return function.inst(comm.producer).name() + (comm.may_lower ? "*" : "");
}

std::string SumText(const ir::Function& function, const std::vector<ir::AccessAxis>& access,
                    std::int64_t offset) {
  std::vector<std::string> terms;
  for (const ir::AccessAxis& axis : access) {
    const std::string name = AxisName(function.logical(axis.logical));
    terms.push_back(axis.stride == 1 ? name : fmt::format("{} {}", axis.stride, name));
  }
  if (offset != 0) terms.push_back(fmt::format("{}", offset));
  return fmt::format("{}", fmt::join(terms, " + "));
}

std::string AccessText(const ir::Function& function, const ir::Instruction& inst) {
  std::string text = fmt::format("{}[{}]", function.array(inst.array).name,
                                 SumText(function, inst.access, inst.offset));
  for (const ir::AccessGuard& guard : inst.guards) {
    text += fmt::format(" if {} in {}", SumText(function, guard.axes, guard.offset), guard.extent);
    if (double{inst.outside} != 0) text += fmt::format(" else {}", double{inst.outside});
  }
  return text;
}

}  // namespace

void CheckKernel(const std::string& path, const std::string& text, dsl::DiagnosticSink& sink,
                 const Sizes& sizes) {
  ir::Function function;
  ir::Builder builder(function);
  Understand(path, text, sizes, builder, sink);
}

Kernel Parsed(const std::string& text) {
  dsl::DiagnosticSink sink;
  Kernel kernel = ParseKernel(Open("a.kernel", text, sink), sink);
  EXPECT_EQ(dsl::RenderText(sink), "") << text;
  return kernel;
}

ir::Function BackboneOf(const std::string& text, const Sizes& sizes, bool paper) {
  dsl::DiagnosticSink sink;
  ir::Function function;
  ir::Builder builder(function, paper);
  Understand("a.kernel", text, sizes, builder, sink);
  EXPECT_EQ(dsl::RenderText(sink), "") << text;
  return function;
}

std::string OutlineOf(const ir::Function& function) {
  std::string text;
  for (const ir::Instruction& inst : function.insts) {
    text += fmt::format("{}({}) = ", inst.name(), AxesOf(function, inst));
    std::vector<std::string> operands;
    for (const ir::Operand& operand : inst.operands) {
      operands.push_back(OperandText(function, operand));
    }
    if (inst.op == ir::Op::kLoad) {
      text += AccessText(function, inst);
    } else if (inst.op == ir::Op::kGather) {
      text += fmt::format("{} + {}", operands.front(), AccessText(function, inst));
    } else if (inst.op == ir::Op::kIndex) {
      text += SumText(function, inst.access, inst.offset);
    } else if (inst.op == ir::Op::kStore) {
      text += fmt::format("{} -> {}", fmt::join(operands, ", "), AccessText(function, inst));
    } else {
      text += fmt::format("{}({})", ir::InfoOf(inst.op).word, fmt::join(operands, ", "));
    }
    if (inst.is_reduction()) {
      text += " from " + function.inst(function.comm(inst.init).producer).name();
    }
    text += "\n";
  }
  return text;
}

std::string TypesOf(const ir::Function& function) {
  std::vector<std::string> texts;
  for (const ir::Instruction& inst : function.insts) {
    texts.push_back(fmt::format("{}: {}", inst.name(), ir::WordOf(inst.type)));
    if (ir::InfoOf(inst.op).compares()) {
      texts.back() += fmt::format(" of {}", ir::WordOf(inst.computes));
    }
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string LevelsOf(const ir::Function& function, const std::string& axis) {
  const auto logical = std::ranges::find(function.logical_dims, axis, &ir::LogicalDim::name);
  if (logical == function.logical_dims.end()) return "no such axis";
  std::vector<std::string> levels;
  for (const ir::DimId dim : logical->dims) {
    levels.push_back(fmt::format("{}", fmt::join(function.dim(dim).sizes, " ")));
  }
  return fmt::format("{}", fmt::join(levels, " | "));
}

}  // namespace exh::kernels::notation::testing
