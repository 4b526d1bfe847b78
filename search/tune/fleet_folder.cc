// SPDX-License-Identifier: MIT
#include "search/tune/fleet_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/system/user_file.h"
#include "base/user_json.h"
#include "kernels/build_stamp.h"
#include "search/log/run_folder.h"
#include "search/tune/line_file.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using FleetJson = nlohmann::ordered_json;

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The texts of kernels stand in files of their own, which name their content.
FleetJson ToJson(const TuneShape& shape) {
  FleetJson sizes = FleetJson::object();
  for (const auto& [name, value] : shape.sizes) sizes[name] = value;
  FleetJson json = {{"name", shape.name}, {"kernel", shape.kernel}};
  if (!shape.text.empty()) json["file"] = KernelFileName(shape);
  json["sizes"] = sizes;
  return json;
}

/// A name that a folder of a fleet may have; others come of no program of ours.
void CheckName(const std::string& name) {
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos) {
    throw Error(fmt::format("'{}' is no name of a shape", name));
  }
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "an unknown host";
}

}  // namespace

FleetFolder::FleetFolder(std::string path) : path_(WithoutSlash(std::move(path))) {}

std::string FleetFolder::KernelFileOf(const TuneShape& shape) const {
  return Tune("kernels/" + KernelFileName(shape));
}
std::string FleetFolder::FirstOf(const TuneShape& shape, std::size_t number) const {
  return Tune(fmt::format("first/{}.{}.txt", shape.name, number));
}
std::string FleetFolder::BoardOf(const std::string& element) const {
  return boards() + "/" + element + ".jsonl";
}
std::string FleetFolder::JournalOf(const std::string& element) const {
  return journals() + "/" + element + ".jsonl";
}

bool FleetFolder::Exists() const {
  std::error_code ignored;
  return fs::exists(Tune("fleet.json"), ignored);
}

bool IsFleet(const std::string& path) {
  return FleetFolder(path).Exists();
}

void FleetFolder::Read(FleetOptions& options, std::vector<TuneShape>& shapes) const {
  if (!Exists()) {
    throw UsageError(
        fmt::format("'{}' is no fleet: search tune SHAPES --out {} makes one of a file of shapes",
                    path_, path_));
  }
  const std::string file = Tune("fleet.json");
  try {
    const FleetJson json = ParseUserJson<FleetJson>(ReadUserFile(file));
    if (const int format = json.at("format").get<int>(); format != kFleetFormat) {
      throw Error(fmt::format("it is of format {} ({}), and this program reads format {}", format,
                              json.value("tool", "another program"), kFleetFormat));
    }
    json.at("device").get_to(options.device);
    json.at("budgets").get_to(options.budgets);
    json.at("words").get_to(options.words);
    json.at("shapes_per_element").get_to(options.shapes_per_element);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("{}: {}; give another --out", file, error.what()));
  }
  std::map<std::string, std::string> texts;
  for (const ReadLine& line : ReadLines(Tune("shapes.jsonl"))) {
    try {
      TuneShape shape;
      line.json.at("name").get_to(shape.name);
      CheckName(shape.name);
      line.json.at("kernel").get_to(shape.kernel);
      for (const auto& [name, value] : line.json.at("sizes").items()) {
        shape.sizes.emplace_back(name, value.get<std::string>());
      }
      if (line.json.contains("file")) {
        const auto kernel = line.json.at("file").get<std::string>();
        CheckName(kernel);
        std::string& text = texts[kernel];
        if (text.empty()) text = ReadUserFile(Tune("kernels/" + kernel));
        shape.text = text;
        shape.is_own = kernel.ends_with(".own");
      }
      shapes.push_back(std::move(shape));
    } catch (const std::exception& error) {
      throw UsageError(fmt::format("{}:{}: {}", Tune("shapes.jsonl"), line.number, error.what()));
    }
  }
}

void FleetFolder::Make() const {
  std::error_code error;
  const bool is_other = fs::is_directory(path_, error) && !fs::is_empty(path_, error) && !error &&
                        !fs::is_directory(path_ + "/tune", error);
  if (is_other) {
    throw UsageError(fmt::format(
        "'{}' is not empty, and no fleet: shapes have a folder of their own; give another --out",
        path_));
  }
  for (const char* const folder : {"kernels", "journal", "output", "first"}) {
    MakeFolder(Tune(folder));
  }
  MakeFolder(boards());
}

void FleetFolder::Write(const FleetOptions& options, const std::vector<TuneShape>& shapes) const {
  Make();
  std::string lines;
  for (const TuneShape& shape : shapes) {
    if (!shape.text.empty()) WriteFile(KernelFileOf(shape), shape.text);
    lines += ToJson(shape).dump() + "\n";
  }
  // The options come last: with them it is a fleet.
  WriteFile(Tune("shapes.jsonl"), lines);
  const FleetJson json = {
      {"format", kFleetFormat},   {"tool", fmt::format("search {}", kernels::BuildStamp())},
      {"device", options.device}, {"budgets", options.budgets},
      {"words", options.words},   {"shapes_per_element", options.shapes_per_element}};
  WriteFile(Tune("fleet.json"), json.dump(2) + "\n");
}

FleetLock::FleetLock(const FleetFolder& folder, const std::string& who, bool shared) {
  const std::string path = folder.lock();
  file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.valid()) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  if (!LockFile(file_, shared)) {
    std::string ignored;
    const std::string has = ReadFile(path, &ignored).value_or("");
    throw UsageError(fmt::format(
        "'{}' is in use by {}: wait for it, or end it; search tune --status {} says how far it is",
        folder.path(), has.empty() ? "another process" : has, folder.path()));
  }
  // For people alone: where it cannot be written the lock still holds.
  const std::string text =
      fmt::format("process {} on {} since {}, {}", ::getpid(), HostName(), TimeStamp(), who);
  if (::ftruncate(file_.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(file_.get(), text.data(), text.size(), 0);
  }
}

}  // namespace exh::search
