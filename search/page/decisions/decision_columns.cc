// SPDX-License-Identifier: MIT
#include "search/page/decisions/decision_columns.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string_view>

#include "search/log/decisions.h"
#include "search/log/log_text.h"

namespace exh::search {
namespace {

/// A decision in numbers: how often it was taken.
struct Taken {
  int decision = -1;
  std::size_t times = 0;
};

/// Decisions that were taken in some evaluation, most often taken first.
std::vector<Taken> TakenDecisions(const Log& log) {
  std::map<int, std::size_t> times;
  for (const EvalRecord& eval : log.evals) {
    for (const PathStep& step : eval.path) ++times[step.decision];
  }
  std::vector<Taken> taken;
  for (const auto& [decision, count] : times) {
    if (decision >= 0) taken.push_back({decision, count});
  }
  std::ranges::stable_sort(taken, std::greater<>(), &Taken::times);
  return taken;
}

/// Of some decisions. The vectors lie far apart in memory, and so each is looked at once for all of
/// them. `sizes` are those of the vectors.
std::vector<DecisionColumn> ColumnsOf(const Log& log, std::span<const std::size_t> sizes,
                                      std::span<const Taken> taken) {
  std::vector<DecisionColumn> columns(taken.size());
  for (DecisionColumn& column : columns) column.characters.resize(sizes.size(), '.');
  for (std::size_t number = 0; number < sizes.size(); ++number) {
    const std::string& vector = log.evals[number].vector;
    for (std::size_t t = 0; t < taken.size(); ++t) {
      const auto index = static_cast<std::size_t>(taken[t].decision);
      if (index < sizes[number]) columns[t].characters[number] = vector[index];
    }
  }
  for (std::size_t t = 0; t < taken.size(); ++t) {
    if (columns[t].characters.find(kFarValue) == std::string::npos) continue;
    const auto index = static_cast<std::size_t>(taken[t].decision);
    for (std::size_t number = 0; number < sizes.size(); ++number) {
      const bool has_it = index < sizes[number];
      columns[t].values.push_back(has_it ? VectorValue(log.evals[number].vector, index) : -1);
    }
  }
  return columns;
}

/// From this evaluation on.
void WriteColumn(const DecisionColumn& column, std::size_t first, ScriptJson& json) {
  if (column.values.empty()) {
    const std::string_view piece = std::string_view(column.characters).substr(first);
    json.Column(ScriptString(piece, piece.size()));
    return;
  }
  ScriptJson values;
  values.Open('[');
  for (const int value : std::span(column.values).subspan(first)) values.Integer(value);
  values.Close();
  json.Column(values.Take());
}

void WriteDecision(const Log& log, const Taken& taken, const DecisionColumn& column,
                   ScriptJson& json) {
  const auto index = static_cast<std::size_t>(taken.decision);
  const bool is_known = index < log.choices.size() && log.choices[index].index == taken.decision;
  json.Open('{');
  json.Key("name").Text(DecisionName(log, taken.decision));
  json.Key("choice").Text(is_known ? log.choices[index].name : "");
  json.Key("values").Texts(is_known ? log.choices[index].domain : std::vector<std::string>());
  if (is_known && !log.choices[index].ranges.empty()) {
    json.Key("ranges").Open('[');
    for (const LoggedRange& range : log.choices[index].ranges) {
      json.Open('[');
      json.Integer(range.first);
      json.Integer(range.last);
      json.Close();
    }
    json.Close();
  }
  json.Key("taken").Integer(static_cast<std::int64_t>(taken.times));
  json.Key("column");
  WriteColumn(column, 0, json);
  json.Close();
}

}  // namespace

bool DecisionColumn::IsSameEverywhere() const {
  return values.empty() ? characters.find_first_not_of(characters.front()) == std::string::npos
                        : std::ranges::all_of(values, [&](int v) { return v == values.front(); });
}

void WriteDecisions(const Log& log, std::size_t most, ScriptJson& json) {
  std::size_t num_left_out = 0;
  std::vector<std::size_t> sizes;
  for (const EvalRecord& eval : log.evals) sizes.push_back(VectorSize(eval.vector));
  const std::size_t begin = json.size();
  json.Key("decisions").Open('[');
  const std::vector<Taken> taken = TakenDecisions(log);
  constexpr std::size_t kBytesAtOnce = 64 << 20;
  const std::size_t at_once = std::max<std::size_t>(1, kBytesAtOnce / (sizes.size() + 1));
  for (std::size_t first = 0; first < taken.size(); first += at_once) {
    const auto some = std::span(taken).subspan(first, std::min(at_once, taken.size() - first));
    const std::vector<DecisionColumn> columns = ColumnsOf(log, sizes, some);
    for (std::size_t t = 0; t < some.size(); ++t) {
      if (columns[t].IsSameEverywhere()) continue;
      if (json.size() - begin + columns[t].num_bytes() > most) {
        ++num_left_out;
        continue;
      }
      WriteDecision(log, some[t], columns[t], json);
    }
  }
  json.Close();
  json.Key("decisionsLeftOut").Integer(static_cast<std::int64_t>(num_left_out));
}

void GrowingDecisions::Append(Growing& growing, char character, int value, std::size_t count) {
  DecisionColumn& column = growing.column;
  if (count == 0) {
    growing.character = character;
    growing.value = value;
  }
  if (!growing.differs) {
    if (growing.value == value) return;
    growing.differs = true;
    if (growing.character == kFarValue) {
      column.values.assign(count, growing.value);
    } else {
      column.characters.assign(count, growing.character);
    }
  }
  if (column.values.empty() && character == kFarValue) {
    for (const char c : column.characters) {
      column.values.push_back(internal::kValueOfDigit[static_cast<unsigned char>(c)]);
    }
    column.characters = {};
  }
  if (column.values.empty()) {
    column.characters += character;
  } else {
    column.values.push_back(value);
  }
}

void GrowingDecisions::Add(const EvalRecord& eval) {
  // More are no space of ours: a log may say anything.
  constexpr std::size_t kMostDecisions = std::size_t{1} << 17;
  const std::size_t size = std::min(VectorSize(eval.vector), kMostDecisions);
  if (all_.size() < size) all_.resize(size);  // What came late took no part before.
  std::size_t decision = 0;
  const auto append = [&](char character, int value) {
    if (all_[decision].place != Place::kLeftOut) Append(all_[decision], character, value, count_);
    ++decision;
  };
  ForEachVectorValue(eval.vector, [&](std::size_t at, int value) {
    if (at >= size) return;
    while (decision < at) append('.', -1);
    append(eval.vector[at], value);
  });
  while (decision < all_.size()) append('.', -1);
  for (const PathStep& step : eval.path) {
    const auto taken = static_cast<std::size_t>(step.decision);
    if (step.decision >= 0 && taken < all_.size()) ++all_[taken].taken;
  }
  ++count_;
  constexpr std::size_t kNowAndThen = 256;
  if (count_ % kNowAndThen == 0) LeaveOut();
}

void GrowingDecisions::LeaveOut() {
  std::size_t bytes = 0;
  for (const Growing& one : all_) bytes += one.column.num_bytes();
  if (bytes <= most_bytes_) return;
  std::vector<std::size_t> order;
  for (std::size_t decision = 0; decision < all_.size(); ++decision) {
    if (all_[decision].place == Place::kWaiting) order.push_back(decision);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t decision) { return all_[decision].taken; });
  for (const std::size_t decision : order) {
    if (bytes <= most_bytes_ / 2) return;
    Growing& one = all_[decision];
    bytes -= one.column.num_bytes();
    one.column = {};
    one.place = Place::kLeftOut;
  }
}

void GrowingDecisions::Show(const Log& log) {
  std::vector<std::size_t> shown;
  for (std::size_t decision = 0; decision < all_.size(); ++decision) {
    const Growing& one = all_[decision];
    if (one.place == Place::kWaiting && one.taken > 0 && one.differs) shown.push_back(decision);
  }
  std::ranges::stable_sort(shown, std::greater<>(),
                           [&](std::size_t decision) { return all_[decision].taken; });
  for (const std::size_t decision : shown) {
    if (shown_.size() == most_shown_) return;
    const bool is_known = decision < log.choices.size() && log.choices[decision].index >= 0;
    if (!is_known) continue;
    all_[decision].place = Place::kShown;
    shown_.push_back(decision);
  }
}

void GrowingDecisions::WriteNew(const Log& log, std::size_t first_shown, ScriptJson& json) const {
  json.Key("decisions").Open('[');
  for (const std::size_t decision : std::span(shown_).subspan(first_shown)) {
    const Growing& one = all_[decision];
    WriteDecision(log, {static_cast<int>(decision), one.taken}, one.column, json);
  }
  json.Close();
  const auto is_left_out = [](const Growing& one) {
    return one.place == Place::kLeftOut || (one.place == Place::kWaiting && one.differs);
  };
  const auto count = std::ranges::count_if(
      all_, [&](const Growing& one) { return one.taken > 0 && is_left_out(one); });
  json.Key("decisionsLeftOut").Integer(count);
}

void GrowingDecisions::WritePieces(std::size_t num_shown, std::size_t first,
                                   ScriptJson& json) const {
  json.Key("pieces").Open('[');
  for (const std::size_t decision : std::span(shown_).first(num_shown)) {
    WriteColumn(all_[decision].column, first, json);
  }
  json.Close();
}

}  // namespace exh::search
