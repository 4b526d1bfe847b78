// SPDX-License-Identifier: MIT
//
// The backbone of fused.exh: the loops of all schedules that an operator may run by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::kernels::fused {

struct MappedOperator {
  std::size_t id = 0;
  std::string name_ = "op";
  const std::string& name() const { return name_; }
};

/// A loop of a schedule. Loops in it come right behind it.
struct MappedLoop {
  std::size_t id = 0;
  std::size_t leaf = 0;  ///< The schedule.
  std::string name_;     ///< "s0_c1": of schedule 0, the first that counts row 1; "s0_c1_2".
  std::size_t end = 0;   ///< Behind the last loop in it.
  bool is_parallel = false;
  std::vector<std::uint32_t> tiles = {1}, widths = {1};
  const std::string& name() const { return name_; }
};

/// Names in lower case are what fused.exh asks for.
struct Mappings {
  std::vector<MappedOperator> operators = {{}};
  std::vector<std::string> leaves;  ///< Their names.
  std::vector<MappedLoop> loops;

  std::vector<std::uint32_t> leaf_numbers() const {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      numbers.push_back(static_cast<std::uint32_t>(i));
    }
    return numbers;
  }
  std::vector<MappedLoop> inner(const MappedLoop& outer) const {
    return {loops.begin() + static_cast<std::ptrdiff_t>(outer.id) + 1,
            loops.begin() + static_cast<std::ptrdiff_t>(outer.end)};
  }
  const MappedLoop* if_inner(const MappedLoop& outer, const MappedLoop& loop) const {
    return loop.id > outer.id && loop.id < outer.end ? &loops[loop.id] : nullptr;
  }
};

}  // namespace exh::kernels::fused
