// SPDX-License-Identifier: MIT
#include "search/tune/shared/fleet_priors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/system/process.h"
#include "search/learn/prior.h"
#include "search/log/run_folder.h"
#include "search/tune/line_file.h"
#include "search/tune/shape_run.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// Implementations of all runs together: so many are learned from in a minute.
constexpr std::size_t kMostImplementations = 24000;
constexpr std::size_t kMostOfARun = 1500;  ///< As `learn` has it by itself.
constexpr double kPatience = 600;          ///< Seconds.

/// "matmul-cpu_AMD_EPYC": what priors of a kernel on a device are called.
std::string StemOf(const BoardWinner& of) {
  std::string stem = of.kernel;
  if (!of.text.empty()) stem += "-" + of.text;
  stem += "-" + of.device;
  for (char& c : stem) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return stem;
}

/// The runs that ended, each once, in the order in which they did, where so far nothing else is
/// said of the kernel and the device.
std::vector<std::string> EndedRuns(const std::vector<BoardWinner>& all, const BoardWinner& like) {
  std::vector<std::string> runs;
  std::set<std::string> seen;
  for (const BoardWinner& winner : all) {
    const bool is_alike = winner.kernel == like.kernel && winner.text == like.text &&
                          winner.device == like.device && winner.stamp == like.stamp;
    if (is_alike && seen.insert(winner.run).second) runs.push_back(winner.run);
  }
  return runs;
}

/// At most so many, evenly.
std::vector<std::string> Evenly(const std::vector<std::string>& all, std::size_t most) {
  std::vector<std::string> some;
  const std::size_t count = std::min(most, all.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

std::string FleetPriors::For(const TuneShape& shape, const std::string& device,
                             const std::vector<BoardWinner>& all, std::string& problem) {
  const BoardWinner like = KeyOf(shape, device);
  const std::vector<std::string> runs = EndedRuns(all, like);
  const std::string stem = folder_.priors() + "/" + StemOf(like);
  const auto file_of = [&](std::size_t ended) { return fmt::format("{}.{}.json", stem, ended); };
  std::size_t level = kLeast;
  if (runs.size() < level) return "";
  while (2 * level <= runs.size()) level *= 2;
  if (!Exists(file_of(level))) {
    const std::unique_lock lock(learning_, std::try_to_lock);
    if (lock.owns_lock() && !failed_.contains(file_of(level))) {
      try {
        std::vector<std::string> folders;
        for (const std::string& run : Evenly(runs, kMostRuns)) {
          folders.push_back(folder_.path() + "/" + run);
        }
        Learn(folders, file_of(level));
      } catch (const Error& error) {
        failed_.insert(file_of(level));
        problem = error.what();
      }
    }
  }
  for (; level >= kLeast; level /= 2) {
    if (Exists(file_of(level))) return file_of(level);
  }
  return "";
}

void FleetPriors::Learn(const std::vector<std::string>& runs, const std::string& file) const {
  MakeFolder(folder_.priors());
  const std::string lock_path = file + ".lock";
  const Descriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock.valid()) throw Error(fmt::format("{}: it cannot be written", lock_path));
  if (!LockFile(lock, /*shared=*/false) || Exists(file)) return;  // Another process learns it.
  const std::string aside = file + ".part";
  ProcessRequest request;
  request.argv = program_;
  request.argv.insert(request.argv.end(), {"learn", "--out=" + aside, "--no-check", "--or-usual"});
  const std::size_t most = std::min(kMostOfARun, kMostImplementations / runs.size());
  request.argv.push_back(fmt::format("--most={}", most));
  request.argv.insert(request.argv.end(), runs.begin(), runs.end());
  request.timeout_s = kPatience;
  request.stop = stop_;
  const ProcessResult result = RunProcess(request);
  std::error_code error;
  if (result.status == ProcessResult::Status::kStopped || IsStopped(stop_)) {
    fs::remove(aside, error);
    return;  // Nobody waits for it any more.
  }
  std::string why = result.ok() ? "" : WhyFailed(result);
  try {
    if (why.empty()) ReadPrior(aside);
  } catch (const Error& mistake) {
    why = mistake.what();
  }
  if (why.empty()) {
    fs::rename(aside, file, error);
    if (error) why = error.message();
  }
  fs::remove(lock_path, error);  // Who opened it before sees that the prior is there.
  if (!why.empty()) {
    fs::remove(aside, error);
    throw Error(
        fmt::format("no prior was learned of {} shapes that have ended ({}): searches begin "
                    "with what there is",
                    runs.size(), why));
  }
}

std::string PriorCalled(const FleetFolder& folder, const std::string& name) {
  if (name.empty()) return "";
  std::error_code error;
  for (fs::directory_iterator file(folder.priors(), error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() != ".json") continue;
    try {
      if (PriorName(ReadPrior(file->path().string())) == name) return file->path().string();
    } catch (const Error&) {
      continue;
    }
  }
  return "";
}

}  // namespace exh::search
