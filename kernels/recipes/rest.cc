// SPDX-License-Identifier: MIT
#include "kernels/recipes/rest.h"

#include <string>
#include <utility>
#include <vector>

namespace exh::kernels {

void AppendRest(bool is_wide, Recipe& recipe) {
  const auto want = [&](const char* choice, std::vector<std::string> values) {
    recipe.wishes.push_back({choice, std::move(values)});
  };
  want("dim_kind", {"LOOP", "UNROLL"});
  want("dim_mapping", {"MERGE_MAP", "UNROLL_MAP", "THREAD_MAP"});
  want("mem_space", {"SHARED", "GLOBAL"});
  want("order", {"BEFORE", "OUTER", "AFTER", "INNER"});
  want("vec", is_wide ? std::vector<std::string>{"16", "8", "4", "2", "1"}
                      : std::vector<std::string>{"1"});
  want("skew", {"PLAIN"});
  want("advance", {"ON_TIME"});
  want("cache", {"CACHE_DEFAULT", "CACHE_GLOBAL"});
  want("transfer", {"REGISTERS"});
  want("stages", {"1"});
  want("min_blocks", {"1"});
  want("patch", {"1"});
  want("raster", {"1"});
  want("block_schedule", {"DYNAMIC"});
}

}  // namespace exh::kernels
