// SPDX-License-Identifier: MIT
//
// Dead ends by requirement: how often each was met, and after how many decisions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

class DeadEndsByLabel {
 public:
  DeadEndsByLabel() = default;
  /// All of a log.
  explicit DeadEndsByLabel(const Log& log);

  void Add(const DeadRecord& dead);
  std::set<std::string> labels() const;
  /// The member "deadEnds". `log` has the choices.
  void Write(const Log& log, ScriptJson& json) const;

 private:
  /// Those of one requirement.
  struct DeadEnds {
    std::map<int, std::int64_t> by_depth;
    std::int64_t count = 0;
    PathStep example;
  };
  std::map<std::string, DeadEnds> by_label_;
};

}  // namespace exh::search
