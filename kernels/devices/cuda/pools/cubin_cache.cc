// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/pools/cubin_cache.h"
#include "base/hash.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/system/cache_folder.h"
#include "base/system/whole_file.h"
#include "kernels/cpu/compile.h"
#include "kernels/devices/cuda/process/resources_json.h"

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kKeyLength = 32;
constexpr std::size_t kMaxLog = 16384;  ///< What a person reads of it is less.
/// A file of an entry that is not whole after this time never will be.
constexpr std::chrono::hours kHalfDone{1};
constexpr std::chrono::minutes kTrimmed{10};  ///< Between two looks at all of it.

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Where the comment that begins here ends; `begin` when none does.
std::size_t EndOfComment(const std::string& source, std::size_t begin) {
  if (source.compare(begin, 2, "/*") == 0) {
    const std::size_t end = source.find("*/", begin + 2);
    return end == source.npos ? source.size() : end + 2;
  }
  if (source.compare(begin, 2, "//") != 0) return begin;
  return std::min(source.find('\n', begin), source.size());
}

/// Where the literal that begins here ends, at the latest with its line.
std::size_t EndOfLiteral(const std::string& source, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < source.size() && source[end] != source[begin] && source[end] != '\n') ++end;
  return std::min(end + 1, source.size());
}

/// The text without comments, empty lines and the space around lines. Two texts that differ have
/// the same only if they mean the same; raw strings, and lines that go on in the next one, are
/// beyond it: a text with one, or with any backslash, is left as it is.
std::string Essence(const std::string& source) {
  if (source.find("R\"") != source.npos || source.find('\\') != source.npos) return source;
  std::string out;
  out.reserve(source.size());
  const auto end_line = [&out] {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    if (!out.empty() && out.back() != '\n') out += '\n';
  };
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (c == '\n') {
      end_line();
      ++at;
    } else if (c == ' ' && (out.empty() || out.back() == '\n')) {
      ++at;
    } else if (c == '"' || (c == '\'' && at > 0 && std::isalnum(source[at - 1] & 0x7F) == 0)) {
      const std::size_t end = EndOfLiteral(source, at);
      out.append(source, at, end - at);
      at = end;
    } else if (const std::size_t end = EndOfComment(source, at); end != at) {
      if (!out.empty() && out.back() != '\n') out += ' ';
      at = end;
    } else {
      out += c;
      ++at;
    }
  }
  end_line();
  return out;
}

}  // namespace

CubinCache::CubinCache(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!folder_.empty()) fs::create_directories(folder_, ignored);
}

std::string CubinCache::DefaultFolder() {
  return CacheFolder("cubin");
}

std::string CubinCache::Key(const std::string& source, const std::string& architecture,
                            std::span<const std::string> options, const std::string& compiler) {
  std::string text = architecture + '\n' + compiler + '\n';
  for (const std::string& option : options) text += option + '\n';
  return CacheKey(text + '\n' + Essence(source));
}

std::optional<CachedCubin> CubinCache::Find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path facts = fs::path(folder_) / (key + ".json");
  const json object = json::parse(ReadFile(facts), nullptr, false);
  try {
    CachedCubin entry;
    object.at("log").get_to(entry.log);
    object.at("resources").get_to(entry.resources);
    if (object.at("compiles").get<bool>()) {
      const fs::path cubin = fs::path(folder_) / (key + ".cubin");
      // A file that was cut off, or that the disk has lost (a crash leaves zeros), is no hit.
      if (object.at("digest") != CacheKey(ReadFile(cubin))) return std::nullopt;
      entry.path = cubin.string();
    }
    std::error_code ignored;
    fs::last_write_time(facts, fs::file_time_type::clock::now(), ignored);  // It was of use.
    return entry;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string CubinCache::Keep(const std::string& key, const CachedCubin& entry) const {
  if (folder_.empty()) return entry.path;
  json facts = {{"compiles", !entry.path.empty()},
                {"log", entry.log.substr(0, kMaxLog)},
                {"resources", entry.resources}};
  std::string kept;
  if (!entry.path.empty()) {
    const std::string cubin = ReadFile(entry.path);
    const fs::path path = fs::path(folder_) / (key + ".cubin");
    if (cubin.empty() || WriteWholeFile(path, cubin) != 0) return entry.path;
    facts["digest"] = CacheKey(cubin);
    kept = path.string();
  }
  const int error = WriteWholeFile(fs::path(folder_) / (key + ".json"),
                                   facts.dump(-1, ' ', false, json::error_handler_t::replace));
  return error == 0 ? kept : entry.path;
}

void CubinCache::Trim(std::uintmax_t bytes) const {
  if (folder_.empty()) return;
  struct Entry {
    fs::file_time_type used = fs::file_time_type::min();
    std::uintmax_t bytes = 0;
    std::vector<fs::path> files;
    bool whole = false;
  };
  std::map<std::string, Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator file(folder_, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    const std::string key = name.substr(0, name.find('.'));
    if (key.size() != kKeyLength || name.size() == kKeyLength) continue;  // Not ours.
    std::error_code gone;
    const auto used = file->last_write_time(gone);
    const std::uintmax_t size = gone ? 0 : file->file_size(gone);
    if (gone) continue;
    Entry& entry = entries[key];
    entry.used = std::max(entry.used, used);
    entry.bytes += size;
    entry.files.push_back(file->path());
    entry.whole |= name == key + ".json";
    total += size;
  }
  std::vector<const Entry*> oldest_first;
  for (const auto& [key, entry] : entries) oldest_first.push_back(&entry);
  std::ranges::sort(oldest_first, {}, &Entry::used);
  const auto long_ago = fs::file_time_type::clock::now() - kHalfDone;
  for (const Entry* entry : oldest_first) {
    const bool is_left_over = !entry->whole && entry->used < long_ago;
    if (total <= bytes && !is_left_over) continue;
    for (const fs::path& file : entry->files) fs::remove(file, error);
    total -= entry->bytes;
  }
}

void CubinCache::TrimIfDue(std::uintmax_t bytes) const {
  if (folder_.empty()) return;
  const fs::path mark = fs::path(folder_) / "trimmed";
  std::error_code none;
  const auto last = fs::last_write_time(mark, none);
  if (!none && fs::file_time_type::clock::now() - last < kTrimmed) return;
  static_cast<void>(WriteWholeFile(mark.string(), ""));
  Trim(bytes);
}

}  // namespace exh::kernels::cuda
