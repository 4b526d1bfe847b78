// SPDX-License-Identifier: MIT
#include "search/commands/space/list_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "examples/example.h"

namespace exh::search {

int ListSpaces() {
  std::size_t name_width = 0, size_width = 0;
  for (const examples::Example* const example : examples::AllExamples()) {
    name_width = std::max(name_width, example->name().size());
    for (const examples::Parameter& size : example->parameters()) {
      size_width = std::max(size_width, size.name.size());
    }
  }
  for (const examples::Example* const example : examples::AllExamples()) {
    fmt::print("{:<{}} {}\n", example->name(), name_width, example->summary());
    for (const examples::Parameter& size : example->parameters()) {
      fmt::print("  {:<{}} {} (default {}, {} to {})\n", size.name, size_width, size.what,
                 size.default_value, size.min, size.max);
    }
    if (!example->data().empty()) fmt::print("  --data: {}\n", example->data());
  }
  return 0;
}

}  // namespace exh::search
