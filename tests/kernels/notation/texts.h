// SPDX-License-Identifier: MIT
//
// What the tests of this folder do with a kernel's text.
#pragma once

#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/ir/function.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation::testing {

/// Makes `text` the first file of the sink, and puts there all that is wrong with it at these
/// sizes; sizes that are not given have their defaults.
void CheckKernel(const std::string& path, const std::string& text, dsl::DiagnosticSink& sink,
                 const Sizes& sizes = {});

/// The kernel as it is written; a failed check when its syntax is wrong.
Kernel Parsed(const std::string& text);

/// Its backbone; a failed check when there is any mistake.
ir::Function BackboneOf(const std::string& text, const Sizes& sizes = {}, bool paper = false);

/// One line an instruction, in the order of the backbone:
///   load_a(m, k) = a[8 m + k]
///   mad(m, n, k: k) = mad(load_a*, load_b*) from init
///   relu(m, n) = max(0, mad)
///   store_c(m, n) = mad -> c[4 m + n]
/// Axes that are reduced stand behind the colon, `*` behind what may go through a temporary array.
/// A load that may leave its array says where it reads: `load_x(i) = x[i + -1] if i + -1 in 8`. A
/// gather begins with what is added to its place: `gather_x(i) = load_index + x[8 i]`.
std::string OutlineOf(const ir::Function& function);

/// The types of all instructions: "load_a: f16, mad: f32, store_c: f16"; of what compares, with
/// what it compares: "less: bool of f32".
std::string TypesOf(const ir::Function& function);

/// The sizes that each level of an axis of an instruction may have: "1 2 4 | 2 4" of "mad.m".
std::string LevelsOf(const ir::Function& function, const std::string& axis);

}  // namespace exh::kernels::notation::testing
