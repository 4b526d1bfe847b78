// SPDX-License-Identifier: MIT
#include "search/learn/traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "search/learn/levels.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

/// Where an amount is as large as the bound: below, it is smaller.
constexpr double kMiddle = 128;

std::uint8_t ToByte(double number) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(number, 0.0, kLargestByte)));
}

/// As LevelOf(), against a bound.
std::uint8_t RelativeLevel(double amount, double bound) {
  if (amount <= 0 || bound <= 0) return 0;
  return std::max<std::uint8_t>(1, ToByte(kMiddle + 8 * std::log2(amount / bound)));
}

}  // namespace

Traits::Traits(const runtime::Instance& instance, const AmountsFunction& amounts)
    : kinds_(amounts.kinds) {
  EXH_CHECK(kinds_.empty() || kinds_.size() == amounts.count);
  EXH_CHECK(amounts.names.empty() || amounts.names.size() == kinds_.size());
  const std::vector<runtime::Choice>& choices = instance.space().choices;
  value_of_.resize(instance.num_decisions());
  for (int number = 0; number < static_cast<int>(choices.size()); ++number) {
    const runtime::Choice& choice = choices[static_cast<std::size_t>(number)];
    if (choice.kind == runtime::ChoiceKind::kCounter) continue;
    const auto begin = instance.first_decision(number), end = instance.end_decision(number);
    if (begin == end || instance.IsDerived(begin)) continue;
    const bool has_numbers = choice.kind == runtime::ChoiceKind::kInteger;
    bool is_long = false;
    for (auto decision = begin; decision < end; ++decision) {
      is_long = is_long || instance.IsLong(decision);
    }
    std::map<std::string, std::uint16_t> known;
    for (runtime::DecisionId decision = begin; decision < end; ++decision) {
      value_of_[decision] = static_cast<std::uint32_t>(values_.size());
      const std::span<const std::uint32_t> universe = instance.universe(decision);
      const std::size_t count = has_numbers ? universe.size() : choice.values.size();
      for (std::size_t value = 0; value < count; ++value) {
        levels_.push_back(has_numbers ? LevelOf(universe[value]) : 0);
        values_.push_back(0);
        if (is_long) continue;
        const std::string name =
            has_numbers ? fmt::format("{}", universe[value]) : choice.values[value];
        const auto next = static_cast<std::uint16_t>(known.size());
        values_.back() = known.try_emplace(name, next).first->second;
      }
    }
    std::vector<std::string> names(known.size());
    for (const auto& [name, value] : known) names[value] = name;
    Choice columns{.first_value = static_cast<std::uint32_t>(names_.size()),
                   .num_values = static_cast<std::uint32_t>(known.size()),
                   .end = static_cast<std::uint32_t>(end)};
    for (const std::string& name : names) names_.push_back(fmt::format("{}={}", choice.name, name));
    for (const std::string& name : names) names_.push_back(fmt::format("{}#{}", choice.name, name));
    if (has_numbers) {
      columns.mean = static_cast<std::uint32_t>(names_.size());
      names_.push_back(choice.name + " mean");
      names_.push_back(choice.name + " most");
    }
    begin_.push_back(static_cast<std::uint32_t>(begin));
    choices_.push_back(columns);
  }
  first_kind_ = static_cast<std::uint32_t>(names_.size());
  for (const std::uint16_t kind : kinds_) num_kinds_ = std::max(num_kinds_, kind + 1u);
  std::vector<std::string> called(num_kinds_);
  for (std::size_t amount = 0; amount < amounts.names.size(); ++amount) {
    called[kinds_[amount]] = amounts.names[amount];
  }
  for (std::uint32_t kind = 0; kind < num_kinds_; ++kind) {
    if (called[kind].empty()) called[kind] = fmt::format("amount {}", kind);
    names_.push_back(called[kind]);
    names_.push_back(called[kind] + " of bound");
  }
}

void Traits::Fill(std::string_view vector, std::span<const double> amounts, double bound_ns,
                  std::span<std::uint8_t> row) const {
  EXH_CHECK(row.size() == names_.size() && VectorSize(vector) == value_of_.size());
  std::ranges::fill(row, std::uint8_t{0});
  for (std::size_t index = 0; index < choices_.size(); ++index) {
    const Choice& choice = choices_[index];
    const auto counts = row.subspan(choice.first_value + choice.num_values, choice.num_values);
    std::uint32_t decided = 0, sum = 0;
    std::uint8_t most = 0;
    // Counts of the many pairs of `order` do not fit: what is beyond a byte is as good as a byte.
    for (std::uint32_t decision = begin_[index]; decision < choice.end; ++decision) {
      const int value = VectorValue(vector, decision);
      if (value < 0) continue;
      const std::size_t place = value_of_[decision] + static_cast<std::size_t>(value);
      ++decided;
      sum += levels_[place];
      most = std::max(most, levels_[place]);
      if (counts.empty()) continue;
      std::uint8_t& count = counts[values_[place]];
      if (count < kLargestByte) ++count;
    }
    if (decided == 0) continue;
    for (std::uint32_t value = 0; value < choice.num_values; ++value) {
      row[choice.first_value + value] = ToByte(kLargestByte * counts[value] / decided);
    }
    if (choice.mean == kNone) continue;
    row[choice.mean] = ToByte(static_cast<double>(sum) / decided);
    row[choice.mean + 1] = most;
  }
  thread_local std::vector<double> sums;
  sums.assign(num_kinds_, 0);
  for (std::size_t amount = 0; amount < kinds_.size(); ++amount) {
    sums[kinds_[amount]] += amounts[amount];
  }
  for (std::uint32_t kind = 0; kind < num_kinds_; ++kind) {
    row[first_kind_ + 2 * kind] = LevelOf(sums[kind]);
    row[first_kind_ + 2 * kind + 1] = RelativeLevel(sums[kind], bound_ns);
  }
}

}  // namespace exh::search
