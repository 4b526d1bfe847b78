// SPDX-License-Identifier: MIT
//
// How a kernel of a user is launched, as a file of JSON (docs/own.md, "From a CUDA file"). What
// stands there of the parameters are terms of the space, in the language of spaces: they are
// compiled with it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/dsl.h"
#include "kernels/devices/own/own_kernel.h"

namespace exh::search {

struct LaunchFile {
  /// A number of `terms`.
  using TermNumber = std::size_t;

  struct Argument {
    kernels::OwnArgument is;         ///< But for its `elements`.
    std::optional<TermNumber> term;  ///< Elements of an array; the value of a scalar …
    std::optional<double> real;      ///< … unless it is this.
  };

  std::vector<dsl::TermText> terms;              ///< Called by their place: "launch.json: grid[0]".
  std::vector<TermNumber> grid, block, cluster;  ///< Up to three each; the others are 1.
  std::optional<TermNumber> shared;
  std::vector<Argument> arguments;
  std::vector<Argument> constants;  ///< Arrays.
  std::vector<std::pair<std::string, TermNumber>> defines;
  std::vector<std::string> options;
  nlohmann::ordered_json defaults;  ///< Values by name.
  double tolerance = 1e-4;
};

/// `path` is what messages call the text; `type` is what the type "type" stands for. Throws
/// UsageError with the place of what is wrong, and what would be right.
LaunchFile ParseLaunchFile(const std::string& text, const std::string& path,
                           const std::string& type);

}  // namespace exh::search
