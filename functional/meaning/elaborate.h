// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/program.h"
#include "functional/syntax/ast.h"

namespace exh::functional {

/// Values for sizes, limits and parameters by name, instead of those of the text.
using Given = std::map<std::string, std::int64_t>;

/// What the statements mean. Nothing when there is a mistake, which is in `sink` then.
std::unique_ptr<Program> Elaborate(const File& file, const Given& given, dsl::DiagnosticSink& sink);

}  // namespace exh::functional
