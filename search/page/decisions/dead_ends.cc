// SPDX-License-Identifier: MIT
#include "search/page/decisions/dead_ends.h"

#include "search/log/log_text.h"

namespace exh::search {
namespace {

/// The depth of the one with this index, if they stood in their order.
int DepthAt(const std::map<int, std::int64_t>& by_depth, std::int64_t index) {
  for (const auto& [depth, count] : by_depth) {
    if (index < count) return depth;
    index -= count;
  }
  return by_depth.rbegin()->first;
}

}  // namespace

DeadEndsByLabel::DeadEndsByLabel(const Log& log) {
  for (const DeadRecord& dead : log.deads) Add(dead);
}

void DeadEndsByLabel::Add(const DeadRecord& dead) {
  DeadEnds& ends = by_label_[dead.label];
  if (ends.count == 0) ends.example = dead.step;
  ++ends.by_depth[dead.depth];
  ++ends.count;
}

std::set<std::string> DeadEndsByLabel::labels() const {
  std::set<std::string> labels;
  for (const auto& [label, ends] : by_label_) labels.insert(label);
  return labels;
}

void DeadEndsByLabel::Write(const Log& log, ScriptJson& json) const {
  json.Key("deadEnds").Open('[');
  for (const auto& [label, ends] : by_label_) {
    json.Open('{');
    json.Key("label").Text(label);
    json.Key("count").Integer(ends.count);
    json.Key("least").Integer(ends.by_depth.begin()->first);
    json.Key("median").Integer(DepthAt(ends.by_depth, ends.count / 2));
    json.Key("most").Integer(ends.by_depth.rbegin()->first);
    json.Key("example").Text(DecisionName(log, ends.example.decision));
    json.Key("value").Text(ends.example.value < 0 ? "" : ValueName(log, ends.example));
    json.Close();
  }
  json.Close();
}

}  // namespace exh::search
