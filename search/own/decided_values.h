// SPDX-License-Identifier: MIT
//
// The decisions of an implementation as a program of a user gets them: by name as JSON, as
// variables of the environment, and in the place of `{name}` in a command.
//
//   tile(m)=4, layout=ROWS, n=512 (a size)
//     JSON          {"tile(m)": 4, "layout": "ROWS"} and sizes {"n": 512}
//     environment   EXH_TILE_M=4 EXH_LAYOUT=ROWS EXH_N=512
//     a command     ./bench --tile {tile(m)} {layout} {n}   ->   ./bench --tile 4 ROWS 512
//
// The text of an implementation, which logs and folders keep, is that environment: a shell can read
// it. A space may give the program other names and values than its own: `/// as: BLOCK_SIZE_X`
// above a choice, `/// as: "row major"` or `/// as: -1.5` above a value (exchange/exh_names.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/spec.h"
#include "kernels/recipes/recipe.h"
#include "runtime/candidate.h"

namespace exh::search {

class DecidedValues {
 public:
  using Sizes = std::map<std::string, std::int64_t, std::less<>>;

  /// Names of an instance of the space that `spec` says. Throws UsageError when two decisions, or a
  /// decision and a size, get one name.
  DecidedValues(const runtime::Instance& instance, const dsl::Spec& spec, Sizes sizes);

  /// The text of an implementation: a line for each size and decision, `EXH_TILE_M=4`.
  std::string TextOf(const runtime::Candidate& implementation) const;

  /// Of such a text: values by name, sizes not among them. Throws Error when it is none.
  nlohmann::ordered_json JsonOf(const std::string& text) const;
  nlohmann::ordered_json SizesJson() const;
  /// The lines of it, for an environment.
  std::vector<std::string> EnvironmentOf(const std::string& text) const;
  /// The command with what the text says in the places of its names, quoted for a shell where that
  /// is needed, and `folder` in the place of `{dir}`.
  std::string Filled(std::string_view command, const std::string& text,
                     const std::string& folder) const;
  /// Of such a text: what the preprocessor of C may call the decisions, "tile_m" of tile(m), with
  /// their values.
  std::vector<std::pair<std::string, std::string>> MacrosOf(const std::string& text) const;
  /// The wish for a decision by the name and the value that a program knows. `place`: of both, for
  /// messages. Throws UsageError when there is no such decision or value.
  kernels::Wish WishOf(const runtime::Instance& instance, const std::string& place,
                       const std::string& name, const nlohmann::ordered_json& value) const;
  /// Does the command name any decision?
  bool NamesAny(std::string_view command) const;
  /// The variables of decisions that the command does not name, if it names others.
  std::vector<std::string> LeftOut(std::string_view command) const;
  /// Throws UsageError where the command names what there is not. `option`: where it stands.
  void Check(std::string_view option, std::string_view command) const;

 private:
  struct Value {
    std::string text;  ///< Of commands and the environment.
    std::string json;
  };
  struct Decision {
    std::string name;      ///< "tile(m)"
    std::string variable;  ///< "EXH_TILE_M"
    runtime::DecisionId decision = -1;
    std::vector<Value> values;
  };

  const Decision* Find(std::string_view name) const;
  /// The index of the value of each decision, as the text has them.
  std::vector<std::size_t> IndicesOf(const std::string& text) const;
  void Name(Decision& decision);
  std::vector<std::string> Names() const;

  Sizes sizes_;
  std::vector<Decision> decisions_;
  std::map<std::string, std::string, std::less<>> owner_;  ///< Of a variable: the name.
};

}  // namespace exh::search
