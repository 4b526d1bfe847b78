// SPDX-License-Identifier: MIT
//
// A checked `.exh` becomes a space in memory, without a C++ compiler. That goes for spaces of
// numbers alone: choices without arguments, universes that are listed, integer terms. Everything
// that asks a backbone (sets, code in quotes, externs, triggers) is refused with its place. The
// tables are those that `exhc build` would have written for the same text.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dsl/dsl.h"
#include "dsl/spec.h"
#include "runtime/host.h"
#include "runtime/instance.h"
#include "runtime/space.h"

namespace exh::load {

struct LoadedSpace {
  runtime::Space space;
  /// There are no objects that it could be asked for.
  std::shared_ptr<const runtime::Host> host;
};

/// `name`: what the space is called. Nothing when the space asks for a backbone; what of it does is
/// in `sink`. `spec` was compiled with the same sink.
std::optional<LoadedSpace> LoadSpace(const dsl::Spec& spec, const std::string& name,
                                     dsl::DiagnosticSink& sink);

/// The file at `path` with all that it includes: compiled, checked and loaded.
std::optional<LoadedSpace> LoadFile(const std::string& path, dsl::DiagnosticSink& sink);

/// The same for a text that is called `path` in messages: compiled, checked and loaded.
std::optional<LoadedSpace> LoadText(const std::string& path, std::string text,
                                    dsl::DiagnosticSink& sink);

/// Throws what runtime::Instance::Freeze throws.
std::shared_ptr<const runtime::Instance> Freeze(const LoadedSpace& loaded,
                                                const runtime::FreezeOptions& options = {});

}  // namespace exh::load
