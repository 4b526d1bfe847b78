// SPDX-License-Identifier: MIT
#include "search/tune/shared/winner_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/build_stamp.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"
#include "search/log/run_folder.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using BoardJson = nlohmann::ordered_json;

constexpr const char* kBoard = "board";

/// Why a board cannot be used, from its first line; empty: it can.
std::string ProblemOf(const std::vector<ReadLine>& lines) {
  if (lines.empty() || lines.front().json.value("t", "") != kBoard) {
    return "it does not begin as a board does";
  }
  const BoardJson& head = lines.front().json;
  const int format =
      head.contains("format") && head["format"].is_number_integer() ? head["format"].get<int>() : 0;
  if (format == kFleetFormat) return "";
  return fmt::format("it is of format {} ({}), and this program reads format {}", format,
                     head.value("tool", "another program"), kFleetFormat);
}

BoardWinner FromJson(const BoardJson& json) {
  BoardWinner winner;
  json.at("kernel").get_to(winner.kernel);
  json.at("text").get_to(winner.text);
  for (const auto& [name, value] : json.at("sizes").items()) {
    winner.sizes.emplace_back(name, value.get<std::string>());
  }
  json.at("device").get_to(winner.device);
  json.at("stamp").get_to(winner.stamp);
  json.at("ns").get_to(winner.ns);
  json.at("at").get_to(winner.at);
  json.at("run").get_to(winner.run);
  json.at("path").get_to(winner.path);
  return winner;
}

std::string TextHash(const std::string& text) {
  return text.empty() ? "" : HashText(text);
}

/// How far sizes are apart: the sum of how often each doubles. Nothing: an option differs, or a
/// name.
std::optional<double> Distance(const SizeList& a, const SizeList& b) {
  if (a.size() != b.size()) return std::nullopt;
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first) return std::nullopt;
    if (a[i].second == b[i].second) continue;
    const auto x = ParseInteger(a[i].second), y = ParseInteger(b[i].second);
    if (!x || !y || *x < 1 || *y < 1) return std::nullopt;
    distance += std::abs(std::log2(static_cast<double>(*x) / static_cast<double>(*y)));
  }
  return distance;
}

}  // namespace

std::string DeviceKey(const std::string& name,
                      const std::map<std::string, std::string, std::less<>>& limits) {
  const auto model = limits.find("model");
  const bool has_model = model != limits.end() && model->second.size() > 2;
  return has_model ? fmt::format("{} {}", name, model->second.substr(1, model->second.size() - 2))
                   : name;
}

BoardWinner KeyOf(const TuneShape& shape, const std::string& device) {
  BoardWinner key;
  key.kernel = shape.kernel;
  key.text = TextHash(shape.text);
  key.device = device;
  key.stamp = kernels::BuildStamp();
  return key;
}

BoardWinner WinnerOf(const TuneShape& shape, const Log& log) {
  BoardWinner winner = KeyOf(shape, DeviceKey(log.run->device, log.run->limits));
  winner.sizes = shape.sizes;
  winner.ns = BestTimeOf(log).ns;
  winner.at = TimeStamp();
  winner.run = shape.name;
  for (const PathStep& step : log.Best()->path) {
    winner.path.push_back(
        fmt::format("{}={}", DecisionName(log, step.decision), ValueName(log, step)));
  }
  return winner;
}

WinnerBoard::WinnerBoard(const std::string& path) : file_(path) {
  if (!file_.is_new()) {
    if (const std::string problem = ProblemOf(ReadLines(path)); !problem.empty()) {
      throw UsageError(fmt::format("board '{}': {}", path, problem));
    }
    return;
  }
  file_.Append({{"t", kBoard},
                {"format", kFleetFormat},
                {"tool", fmt::format("search {}", kernels::BuildStamp())}});
}

nlohmann::ordered_json WinnerBoard::ToJson(const BoardWinner& winner) {
  BoardJson sizes = BoardJson::object();
  for (const auto& [name, value] : winner.sizes) sizes[name] = value;
  return {{"kernel", winner.kernel}, {"text", winner.text},   {"sizes", sizes},
          {"device", winner.device}, {"stamp", winner.stamp}, {"ns", winner.ns},
          {"at", winner.at},         {"run", winner.run},     {"path", winner.path}};
}

std::vector<BoardWinner> ReadBoards(const FleetFolder& folder, std::vector<std::string>& refused) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.boards(), error)) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<BoardWinner> all;
  for (const fs::path& path : paths) {
    const std::vector<ReadLine> lines = ReadLines(path.string());
    if (lines.empty()) continue;  // Its writer has only just begun.
    if (const std::string problem = ProblemOf(lines); !problem.empty()) {
      refused.push_back(fmt::format("board '{}': {}", path.string(), problem));
      continue;
    }
    for (std::size_t i = 1; i < lines.size(); ++i) {
      try {
        all.push_back(FromJson(lines[i].json));
      } catch (const nlohmann::json::exception&) {
        refused.push_back(
            fmt::format("board '{}': line {} is no winner", path.string(), lines[i].number));
      }
    }
  }
  return all;
}

std::vector<BoardWinner> Nearest(const std::vector<BoardWinner>& all, const TuneShape& shape,
                                 const std::string& device, std::size_t most) {
  const std::string text = TextHash(shape.text);
  std::map<std::string, std::pair<double, const BoardWinner*>> by_run;
  for (const BoardWinner& winner : all) {
    if (winner.kernel != shape.kernel || winner.text != text || winner.device != device ||
        winner.run == shape.name) {
      continue;
    }
    if (const auto distance = Distance(winner.sizes, shape.sizes)) {
      by_run[winner.run] = {*distance, &winner};
    }
  }
  std::vector<std::pair<double, const BoardWinner*>> sorted;
  for (const auto& [run, winner] : by_run) sorted.push_back(winner);
  std::ranges::stable_sort(sorted, {}, &std::pair<double, const BoardWinner*>::first);
  std::vector<BoardWinner> nearest;
  for (const auto& [distance, winner] : sorted) {
    if (nearest.size() < most) nearest.push_back(*winner);
  }
  return nearest;
}

std::string FirstText(const BoardWinner& winner) {
  std::string text = fmt::format("# What won {}: {}\n", winner.run, FormatTime(winner.ns));
  for (const std::string& step : winner.path) text += step + "\n";
  return text;
}

}  // namespace exh::search
