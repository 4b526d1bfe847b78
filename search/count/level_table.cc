// SPDX-License-Identifier: MIT
#include "search/count/level_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace exh::search {
namespace {

/// The last level that counts: `depth`, or the first with more than `beyond` nodes. Going down one
/// level more each time costs a fraction more than once to the last, for it has most of the nodes.
std::vector<LevelCount> Levels(const runtime::Candidate& root, const ChoiceOrder& order,
                               const LevelRequest& request) {
  if (request.beyond == 0) {
    return CountLevels(root, order, request.depth, request.jobs, request.interrupted);
  }
  for (int depth = 1;; ++depth) {
    std::vector<LevelCount> levels =
        CountLevels(root, order, depth, request.jobs, request.interrupted);
    if (levels.empty() || levels.back().nodes > request.beyond || levels.back().nodes == 0) {
      return levels;
    }
  }
}

/// 100 * part / whole with a percent sign; "-" of nothing.
std::string Share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// The cells of one order in a line of the table.
std::string Cells(const std::string& nodes, const std::string& dead, const std::string& left,
                  const std::string& share, bool cut) {
  std::string text = fmt::format(" {:>14} {:>10}", nodes, dead);
  if (cut) text += fmt::format(" {:>14} {:>9}", left, share);
  return text;
}

/// A, B, C …
std::string Letter(std::size_t number) {
  return std::string(1, static_cast<char>('A' + number % 26));
}

nlohmann::ordered_json LevelsJson(const std::vector<LevelCount>& levels) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const LevelCount& level : levels) {
    json.push_back({{"nodes", level.nodes},
                    {"failed_values", level.dead_ends},
                    {"dead_ends", level.childless},
                    {"implementations", level.implementations},
                    {"cut", level.cut}});
  }
  if (!json.empty()) json.back()["dead_ends"] = nullptr;  // Their children were not looked at.
  return json;
}

}  // namespace

std::vector<OrderLevels> CountOrders(const runtime::Candidate& root,
                                     const std::vector<std::string>& orders,
                                     const LevelRequest& request, const Cut& cut) {
  std::vector<OrderLevels> counted;
  for (const std::string& name : orders) {
    const ChoiceOrder order = ChoiceOrder::Parse(name, root.instance());
    OrderLevels result{name, order.names(), Levels(root, order, request), {}};
    if (result.levels.empty()) return {};
    if (cut.bound) {
      const int depth = static_cast<int>(result.levels.size()) - 1;
      result.levels_left = CountLevels(root, order, depth, request.jobs, request.interrupted, cut);
      if (result.levels_left.empty()) return {};
    }
    counted.push_back(std::move(result));
  }
  return counted;
}

std::string LevelTable(const std::vector<OrderLevels>& orders) {
  std::string text, head = "depth";
  std::size_t depths = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const OrderLevels& order = orders[i];
    text += fmt::format("{}: {}\n", Letter(i), fmt::join(order.choices, ","));
    head += Cells(Letter(i), "dead ends", "after the cut", "left", !order.levels_left.empty());
    depths = std::max(depths, order.levels.size());
  }
  text += head + "\n";
  for (std::size_t depth = 0; depth < depths; ++depth) {
    std::string line = fmt::format("{:>5}", depth);
    for (const OrderLevels& order : orders) {
      const bool cut = !order.levels_left.empty();
      if (depth >= order.levels.size()) {
        line += Cells("", "", "", "", cut);
        continue;
      }
      const LevelCount& level = order.levels[depth];
      const std::uint64_t left = cut ? order.levels_left[depth].nodes : 0;
      const bool last = depth + 1 == order.levels.size();
      line +=
          Cells(fmt::format("{}", level.nodes), last ? "-" : Share(level.childless, level.nodes),
                fmt::format("{}", left), Share(left, level.nodes), cut);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += "  sum";
  for (const OrderLevels& order : orders) {
    const LevelCount all = Total(order.levels);
    const std::uint64_t left = Total(order.levels_left).nodes;
    const std::uint64_t known = all.nodes - order.levels.back().nodes;
    text += Cells(fmt::format("{}", all.nodes), Share(all.childless, known),
                  fmt::format("{}", left), Share(left, all.nodes), !order.levels_left.empty());
  }
  return text + "\n";
}

nlohmann::ordered_json LevelJson(const std::vector<OrderLevels>& orders) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const OrderLevels& order : orders) {
    nlohmann::ordered_json one;
    one["name"] = order.name;
    one["order"] = order.choices;
    one["levels"] = LevelsJson(order.levels);
    if (!order.levels_left.empty()) one["levels_left"] = LevelsJson(order.levels_left);
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace exh::search
