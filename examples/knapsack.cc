// SPDX-License-Identifier: MIT
#include "examples/knapsack.h"

#include <algorithm>

#include "base/data_file.h"
#include "base/error.h"
#include "examples/all.h"
#include "spaces/knapsack.exh.h"

namespace exh::examples {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000;

/// The best that 15 can carry is worth 15.
constexpr const char* kFiveItems = R"({"items": [
  {"name": "axe", "weight": 12, "worth": 4}, {"name": "book", "weight": 2, "worth": 2},
  {"name": "cup", "weight": 1, "worth": 1}, {"name": "drum", "weight": 4, "worth": 10},
  {"name": "egg", "weight": 1, "worth": 2}
]})";

Knapsack ReadItems(const std::string& text) {
  const nlohmann::json json = ParseData(text);
  const DataValue file{json, ""};
  CheckKeys(file, {"items"});
  Knapsack knapsack;
  for (const DataValue& item : ListOf(At(file, "items"), 1, 10'000)) {
    CheckKeys(item, {"name", "weight", "worth"});
    std::string name = NameOf(At(item, "name"));
    if (std::ranges::find(knapsack.items, name, &Item::name_) != knapsack.items.end()) {
      throw Error("'" + item.place + ".name': there are two items '" + name + "'");
    }
    knapsack.items.push_back(
        {knapsack.items.size(), std::move(name),
         static_cast<std::uint32_t>(NumberOf(At(item, "weight"), 0, kLargest)),
         static_cast<std::uint32_t>(NumberOf(At(item, "worth"), 0, kLargest))});
  }
  return knapsack;
}

class KnapsackOfItems final : public Example {
 public:
  std::string_view name() const override { return "knapsack"; }
  std::string_view summary() const override {
    return "items that a knapsack can carry and that are worth enough together";
  }
  std::vector<Parameter> parameters() const override {
    return {{"capacity", 15, 0, kLargest, "what it can carry"},
            {"worth", 15, 0, kLargest, "what the items are worth together, at least"}};
  }
  std::string_view data() const override {
    return R"(items, {"items": [{"name": "axe", "weight": 12, "worth": 4}, …]}; without it five)";
  }
  const runtime::Space& space() const override { return spaces::knapsack::GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                const std::string* data) const override {
    Knapsack knapsack = ReadItems(data == nullptr ? kFiveItems : *data);
    knapsack.capacity = static_cast<std::uint32_t>(parameters.at("capacity"));
    knapsack.least_worth = static_cast<std::uint32_t>(parameters.at("worth"));
    return HostOf<spaces::knapsack::SpaceHost>(std::move(knapsack));
  }
};

}  // namespace

const Example& KnapsackExample() {
  static const KnapsackOfItems example;
  return example;
}

}  // namespace exh::examples
