// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "functional/functional.h"
#include "runtime/instance.h"

namespace exh::functional {

/// What is said of a program, as a person reads it; empty when nothing is.
std::string MessagesOf(const std::string& text, const Given& given = {});

/// The `.exh` of a program without mistakes, comments left out and blanks folded.
std::string ConstraintsOf(const std::string& text, const Given& given = {});

/// The frozen space of a program without mistakes.
std::shared_ptr<const runtime::Instance> FrozenProgram(const std::string& text,
                                                       const Given& given = {});

/// All digits of the number of its solutions.
std::string CountOf(const std::string& text, const Given& given = {});

/// A file of the tree.
std::string FileText(const std::string& path);

}  // namespace exh::functional
