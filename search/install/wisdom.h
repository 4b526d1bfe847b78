// SPDX-License-Identifier: MIT
//
// wisdom.jsonl: what a tuned library is written from, a unit a line, with how fast it was and what
// it was compared with. It grows by later runs. Everything else in the library follows from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/package/unit.h"
#include "search/report/logged_program.h"

namespace exh::search {

/// `v` of a line of wisdom.jsonl. Others are refused by name.
inline constexpr int kWisdomVersion = 1;

/// What a unit was compared with, in the finals of its run.
struct Rival {
  std::string name;  ///< "eigen".
  double ns = 0;
  bool is_tied = false;  ///< Which of both is faster the finals do not say.
};

/// Null: there is none.
const Rival* FastestOf(const std::vector<Rival>& rivals);

struct Wisdom {
  kernels::package::Unit unit;
  double ns = 0;
  std::vector<Rival> compared;
  std::string tool, started, conditions;  ///< Of the run.
  Machine machine;                        ///< Likewise; empty: the log does not say it.
  std::uint64_t seed = 0, record = 0;
  std::string decisions;  ///< A file for `search replay`.
};

/// Of a record of a run. Throws UsageError when its device has no tuned libraries.
Wisdom WisdomOf(const LoggedProgram& program, const std::string& name);

/// The text of wisdom.jsonl.
std::string WriteWisdom(const std::vector<Wisdom>& all);

/// Reads such a text; `path` is for messages. Throws UsageError: a line that is none, or of another
/// version.
std::vector<Wisdom> ReadWisdom(std::string_view text, const std::string& path);

/// Are they the same kernel at the same sizes on the same device?
bool IsSamePlace(const Wisdom& a, const Wisdom& b);

/// "matmul m=64,n=48,k=32 on NVIDIA H200 (sm_90)".
std::string PlaceText(const kernels::package::Unit& unit);

/// Adds `found`, or puts it in the place of a slower one. Returns what was done, in words. Throws
/// UsageError when it cannot stand beside the others: another kind of device, another kernel of the
/// same name, other arrays.
std::string Merge(const Wisdom& found, std::vector<Wisdom>& all);

}  // namespace exh::search
