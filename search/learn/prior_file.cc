// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/system/user_file.h"
#include "base/user_json.h"
#include "search/learn/prior.h"
#include "search/log/decisions.h"
#include "search/log/log_json.h"

namespace exh::search {
namespace {

/// A tree as [column, threshold, right child] of each node, or [value] of a leaf: short, as most of
/// the file are nodes.
Json TreeJson(const RegressionTree& tree) {
  Json nodes = Json::array();
  for (const RegressionTree::Node& node : tree.nodes()) {
    if (node.right == 0) {
      nodes.push_back(Json::array({std::round(static_cast<double>(node.value) * 1e5) / 1e5}));
    } else {
      nodes.push_back(Json::array({node.column, node.threshold, node.right}));
    }
  }
  return nodes;
}

/// Throws Json::exception, or Error when it is no tree over so many columns.
RegressionTree TreeOf(const Json& tree, std::size_t columns) {
  std::vector<RegressionTree::Node> nodes;
  for (const Json& one : tree) {
    RegressionTree::Node node;
    if (one.size() == 1) {
      node.value = one.at(0).get<float>();
    } else {
      node.column = one.at(0).get<std::uint32_t>();
      node.threshold = one.at(1).get<std::uint8_t>();
      node.right = one.at(2).get<std::uint32_t>();
      // Children come after their parents, so that every way ends.
      const bool is_node =
          node.column < columns && node.right > nodes.size() + 1 && node.right < tree.size();
      if (!is_node)
        throw Error(fmt::format("node {} of a tree has no such column or child", nodes.size()));
    }
    nodes.push_back(node);
  }
  if (nodes.empty() || nodes.back().right != 0) throw Error("a tree does not end in a leaf");
  return RegressionTree(std::move(nodes));
}

Prior PriorOf(const Json& file) {
  const int version = file.at("version").get<int>();
  if (version != Prior::kVersion) {
    throw Error(fmt::format("its version is {}, not {}; search learn makes a new one", version,
                            Prior::kVersion));
  }
  Prior prior;
  file.at("device").get_to(prior.device);
  prior.is_over_guess = file.value("over", "bound") == "guess";
  file.at("offset").get_to(prior.offset);
  file.at("deviation").get_to(prior.deviation);
  file.at("columns").get_to(prior.columns);
  for (const Json& source : file.at("made_of")) {
    prior.made_of.push_back({source.at("kernel").get<std::string>(),
                             source.at("conditions").get<std::string>(),
                             source.at("evaluations").get<std::size_t>()});
  }
  for (const Json& tree : file.at("trees")) {
    prior.trees.push_back(TreeOf(tree, prior.columns.size()));
  }
  return prior;
}

}  // namespace

std::string PriorText(const Prior& prior) {
  // A line for each tree: a person sees what the file is, and the rest is numbers.
  Json head = {{"version", Prior::kVersion},
               {"device", prior.device},
               {"over", prior.is_over_guess ? "guess" : "bound"},
               {"offset", prior.offset},
               {"deviation", prior.deviation},
               {"made_of", Json::array()},
               {"columns", prior.columns}};
  for (const PriorSource& source : prior.made_of) {
    head["made_of"].push_back({{"kernel", source.kernel},
                               {"conditions", source.conditions},
                               {"evaluations", source.evaluations}});
  }
  std::string text = head.dump(1);
  text.resize(text.find_last_of('}'));
  while (text.ends_with('\n')) text.pop_back();
  text += ",\n \"trees\": [";
  const char* separator = "\n";
  for (const RegressionTree& tree : prior.trees) {
    text += std::exchange(separator, ",\n") + TreeJson(tree).dump();
  }
  return text + "]\n}\n";
}

std::string PriorName(const Prior& prior) {
  return fmt::format("{} {}", prior.device, HashText(PriorText(prior)).substr(0, 8));
}

Prior ReadPrior(const std::string& file) {
  std::string error;
  const auto text = ReadFile(file, &error);
  if (!text) {
    throw UsageError(
        fmt::format("'{}' cannot be read: {}; search learn makes a prior", file, error));
  }
  try {
    return PriorOf(ParseUserJson<Json>(*text));
  } catch (const Json::exception& mistake) {
    throw UsageError(fmt::format("'{}' is no prior: {}; search learn makes one", file,
                                 JsonMistake(mistake.what())));
  } catch (const Error& mistake) {
    throw UsageError(fmt::format("'{}' is no prior that can be used: {}", file, mistake.what()));
  }
}

}  // namespace exh::search
