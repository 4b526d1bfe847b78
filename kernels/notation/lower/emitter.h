// SPDX-License-Identifier: MIT
//
// What writes single instructions of a kernel's text: with the axes that their operands have, under
// names that no other has. What an expression is made of, lower.cc knows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/ir/builder.h"
#include "kernels/notation/lower/affine_index.h"
#include "kernels/notation/lower/axis_tiles.h"
#include "kernels/notation/lower/operand.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

class Emitter {
 protected:
  Emitter(const Kernel& kernel, const ResolvedKernel& resolution, ir::Builder& builder,
          dsl::DiagnosticSink& sink);

  ir::AxisRef Axis(const Index* index);
  std::vector<ir::AxisRef> Axes(const Scope& scope);
  /// How far a step of an index moves something that it moves by `stride`, and begins at `offset`.
  std::int64_t WayAlong(const Index* index, std::int64_t stride, std::int64_t& offset) const;
  /// The name, with a number where it is taken.
  std::string Unique(const std::string& name);

  /// `type`: of the value, where a copy casts.
  TextOperand Emit(const std::string& name, ir::Op op, const Scope& axes,
                   const std::vector<TextOperand>& operands,
                   std::optional<ir::Type> type = std::nullopt);
  /// As an instruction, of a literal as well.
  TextOperand Cast(const TextOperand& operand, ir::Type type, const std::string& name = "cast");
  /// What a cast in the text says.
  TextOperand As(TextOperand operand, ir::Type type, const std::string& name);
  /// So that it converts to the type without losing anything.
  TextOperand Widening(const TextOperand& operand, ir::Type type);
  /// The operator over the axes of its operands; numbers are folded. `name`: of the instruction;
  /// empty: as the operator is called.
  TextOperand Apply(ir::Op op, const std::vector<TextOperand>& operands, const Scope& scope,
                    std::string name = "");
  /// Of a quotient without what is behind its point.
  TextOperand Remainder(const TextOperand& a, const TextOperand& b, const Scope& scope);
  TextOperand Not(const TextOperand& operand, const Scope& scope);
  TextOperand IndexValue(const AffineIndex& value);

  const Kernel& kernel_;
  const ResolvedKernel& resolution_;
  ir::Builder& builder_;
  dsl::DiagnosticSink& sink_;
  Numbers numbers_;
  std::map<int, bool> runs_down_;  ///< By axis that is scanned: from its end?
  int reductions_ = 0;             ///< In the whole kernel.
  int depth_ = 0;                  ///< Of reductions around.
  int subscripts_ = 0;             ///< That are computed, around.
  /// What the subscripts of this statement are made of: each is computed once.
  std::map<OperandKey, TextOperand> known_;

 private:
  void Agree(ir::Op op, ir::Type common, std::vector<TextOperand>& operands);
  std::string NameOf(ir::Op op, const std::vector<TextOperand>& operands) const;

  const AxisTiles tiles_;
  std::vector<std::optional<ir::AxisRef>> axes_;
  std::set<std::string> axis_names_, inst_names_;
};

}  // namespace exh::kernels::notation
