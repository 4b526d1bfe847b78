// SPDX-License-Identifier: MIT
#include "search/commands/parts/needs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "search/log/log_json.h"
#include "search/log/log_reader.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

constexpr std::array kLater = {
    LaterCommand{
        "export",
        "a record of a run as a program of one file (--format cu on a GPU, cc on a processor) or "
        "its header, all its results for other tuners (t4), the best of runs as a solution of "
        "FlashInfer Trace (flashinfer), or the decisions and constraints of a kernel or a space as "
        "a "
        "MiniZinc model"},
    LaterCommand{"import", "files of other tools as spaces and runs"},
    LaterCommand{"tune",
                 "searches many shapes: one after the other on each GPU, or as a job array of "
                 "Slurm"},
    LaterCommand{"install-kernel", "the best of runs as a library for C, C++, NumPy and PyTorch"},
    LaterCommand{"report",
                 "runs, or a fleet, as a page for a browser: one file that needs nothing else"},
    LaterCommand{"view", "the page of a run, or of a fleet, in a browser while it goes on"},
    LaterCommand{"why", "what each decision of the best of a run is worth, measured without it"},
    LaterCommand{"fused",
                 "fused operators as JSON (docs/fused.md): how fast they are by their schedules"},
    LaterCommand{"functional",
                 "functional programs, FILE.fun: what is inferred of them, how they run"},
    LaterCommand{"solve",
                 "solutions of a space without kernels: one or the best, all, how many there are, "
                 "some at random"},
    LaterCommand{
        "size", "how many implementations there are: counted, or estimated when they are too many"},
    LaterCommand{
        "stats",
        "nodes and dead ends of the search tree, level by level, in one or several orders"},
    LaterCommand{"dead-ends",
                 "share of random descents, without backing out, that meet a dead end"},
    LaterCommand{"order",
                 "find an order of choices with which few random descents meet a dead end"},
    LaterCommand{"learn",
                 "makes a prior of runs: what the cost model of a later search begins with"},
    LaterCommand{"replay-run",
                 "make the search tree of a run again from its log; measures nothing"},
    LaterCommand{"characterize",
                 "measures what a GPU or this processor can do at most, for lower bounds"},
    LaterCommand{"doctor", "checks the compiler, the folders and the machine"},
};

/// The first lines of a file, as far as anybody needs to look.
std::string Head(const fs::path& path) {
  constexpr std::size_t kBytes = 1 << 16;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text(kBytes, '\0');
  file.read(text.data(), kBytes);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// What the text says behind `key`, up to one of `ends`.
std::string Said(const std::string& text, std::string_view key, std::string_view ends) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size();
  return text.substr(begin, text.find_first_of(ends, begin) - begin);
}

/// The device of searches that name none.
std::string UsualDevice() {
  return ProblemOptions().device;
}

/// The header of a log; nothing: it is none, or damaged, which commands say that read it.
std::optional<RunRecord> HeaderOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return ParseLog(line + "\n").run;
}

/// The language of a run's device; empty: older programs did not say it.
std::string LanguageOf(const RunRecord& run) {
  const auto said = run.limits.find("language");
  if (said == run.limits.end()) return "";
  const Json text = Json::parse(said->second, nullptr, /*allow_exceptions=*/false);
  return text.is_string() ? text.get<std::string>() : "";
}

/// A log says in its first record what was searched and on which device; a list of decisions has a
/// line for the device.
std::string WhatARunNeeds(const std::string& word, std::span<const SubjectKind> kinds) {
  std::error_code ignored;
  const std::string name = word.substr(0, word.find('@'));
  const fs::path path =
      fs::is_directory(name, ignored) ? fs::path(name) / "log.jsonl" : fs::path(name);
  const std::string head = Head(path);
  std::string device;
  if (head.starts_with("{")) {
    const std::optional<RunRecord> run = HeaderOf(path);
    if (!run) return "";
    if (std::ranges::find(kinds, run->subject, &SubjectKind::name) == kinds.end()) {
      return fmt::format("{}, a run of the subject {}", word, run->subject);
    }
    if (kernels::FindBackend(LanguageOf(*run)) == nullptr) device = run->device;
  } else {
    device = Said("\n" + head, "\ndevice: ", "\n ");
  }
  if (device.empty() || device == UsualDevice()) return "";
  return fmt::format("{}, which is of the device {}", word, device);
}

/// Is it a file, and one of another language than that of kernels?
bool IsOfAnotherLanguage(const std::string& kernel) {
  const std::string ending = fs::path(kernel).extension();
  return !ending.empty() && ending != ".kernel";
}

/// The value of the option at `i`, which is `--name=value`, or has it in the next word.
std::string ValueOf(const std::vector<std::string>& words, std::size_t i) {
  const std::size_t equals = words[i].find('=');
  if (equals != std::string::npos) return words[i].substr(equals + 1);
  return i + 1 < words.size() ? words[i + 1] : "";
}

}  // namespace

std::span<const LaterCommand> LaterCommands() {
  return kLater;
}

std::string WhatNeedsTheWhole(const std::vector<std::string>& words,
                              std::span<const SubjectKind> kinds) {
  constexpr std::array kFlags = {"--simulate", "--plugin", "--spaces"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_alias = word == "deadends";  // Of dead-ends.
    if (is_alias || std::ranges::find(kLater, word, &LaterCommand::name) != kLater.end()) {
      return word;
    }
    const std::string option = word.substr(0, word.find('='));
    if (std::ranges::find(kFlags, option) != kFlags.end()) return option;
    if (option == "--device") {
      const std::string device = ValueOf(words, i);
      if (!device.empty() && device != UsualDevice()) return "--device " + device;
    }
    if (option == "--space" && IsSpaceOfUser(ValueOf(words, i))) {
      return ValueOf(words, i) + ", a space of a user,";
    }
    if (option == "--kernel" || (i == 0 && word == "list")) {
      const std::string kernel = ValueOf(words, i);
      if (IsOfAnotherLanguage(kernel)) return kernel + ", which is no .kernel,";
    }
    if (std::string needs = WhatARunNeeds(word, kinds); !needs.empty()) return needs;
  }
  return "";
}

void BecomeTheWhole(const std::vector<std::string>& words, const std::string& why) {
  const char* const whole = std::getenv(kWholeProgram);
  if (whole == nullptr) {
    throw UsageError(fmt::format(
        "this program searches kernels on a processor; {} needs the whole program, `search`", why));
  }
  std::vector<std::string> arguments = {whole, "--whole", why};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(whole, pointers.data());
  throw UsageError(fmt::format("{} needs the whole program, but '{}' cannot be run: {}", why, whole,
                               std::strerror(errno)));
}

}  // namespace exh::search
