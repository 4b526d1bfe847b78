// SPDX-License-Identifier: MIT
//
// The door: a functional program as text in, what it means and what must hold of its parameters
// out.
//
//   DiagnosticSink sink;
//   const auto program = ReadFile("conv.fun", {{"channels", 128}}, sink);
//   std::cerr << RenderText(sink);
//   if (program) std::cout << ExhText(*program, sink.sources());
#pragma once

#include <memory>
#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/infer/exh_text.h"
#include "functional/meaning/elaborate.h"
#include "functional/meaning/program.h"

namespace exh::functional {

/// The program with the values of its parameters, and all requirements on them. `given`: sizes,
/// limits and parameters by name. Nothing when there is a mistake, which is in `sink`.
std::unique_ptr<Program> ReadFile(const std::string& path, const Given& given,
                                  dsl::DiagnosticSink& sink);

/// The same for a text that is called `path` in messages.
std::unique_ptr<Program> ReadText(const std::string& path, std::string text, const Given& given,
                                  dsl::DiagnosticSink& sink);

}  // namespace exh::functional
