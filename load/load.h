// SPDX-License-Identifier: MIT
//
// A checked `.exh` becomes a space in memory, without a C++ compiler. Its objects and numbers are
// in the file itself (`set Rows = 1 .. n`), in sizes, and in a data file (`extern set`, `extern
// constant`, `extern predicate`). What asks a backbone (code in quotes, sets with keys, triggers)
// is refused with its place. The tables are those that `exhc build` would have written for the same
// text, but for what stands for code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "dsl/spec.h"
#include "load/space_data.h"
#include "runtime/host.h"
#include "runtime/instance.h"
#include "runtime/space.h"

namespace exh::load {

struct LoadedSpace {
  runtime::Space space;
  /// Answers out of the data that were given.
  std::shared_ptr<const runtime::Host> host;
  /// Those of dsl::Spec::terms, for runtime::GroundedTerm: constants are numbers.
  std::vector<runtime::Term> terms = {};
};

/// `name`: what the space is called. Nothing when the space asks for a backbone, or for what is not
/// given; that is in `sink`. `spec` was compiled with the same sink. Throws UsageError for sizes
/// and data that do not fit the space.
std::optional<LoadedSpace> LoadSpace(const dsl::Spec& spec, const std::string& name,
                                     dsl::DiagnosticSink& sink, const Given& given = {});

/// The file at `path` with all that it includes: compiled, checked and loaded.
std::optional<LoadedSpace> LoadFile(const std::string& path, dsl::DiagnosticSink& sink,
                                    const Given& given = {},
                                    const dsl::CompileOptions& options = {});

/// The same for a text that is called `path` in messages. With `options.files` what it includes
/// comes out of these, and nothing is read from the disk.
std::optional<LoadedSpace> LoadText(const std::string& path, std::string text,
                                    dsl::DiagnosticSink& sink, const Given& given = {},
                                    const dsl::CompileOptions& options = {});

/// Throws what runtime::Instance::Freeze throws.
std::shared_ptr<const runtime::Instance> Freeze(const LoadedSpace& loaded,
                                                const runtime::FreezeOptions& options = {});

}  // namespace exh::load
