// SPDX-License-Identifier: MIT
#include "kernels/cuda/cubin_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/cpu/compile.h"

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The text without `//` comments and without the space around lines.
std::string Essence(const std::string& source) {
  std::string out;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    std::string line = source.substr(begin, end - begin);
    line = line.substr(0, line.find("//"));
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t last = line.find_last_not_of(' ');
    if (first != std::string::npos) out += line.substr(first, last - first + 1) + "\n";
    begin = end + 1;
  }
  return out;
}

/// Writes a file that is there whole or not at all.
bool WriteWhole(const fs::path& path, const std::string& text) {
  static std::atomic<unsigned> counter{0};
  const fs::path own = fmt::format("{}.{}.{}", path.string(), ::getpid(), counter++);
  std::error_code error;
  {
    std::ofstream file(own, std::ios::binary);
    file << text;
    file.close();
    if (file) fs::rename(own, path, error);
    if (file && !error) return true;
  }
  fs::remove(own, error);
  return false;
}

}  // namespace

CubinCache::CubinCache(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!folder_.empty()) fs::create_directories(folder_, ignored);
}

std::string CubinCache::DefaultFolder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/exhaust/cubin";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/exhaust/cubin" : "";
}

std::string CubinCache::Key(const std::string& source, const std::string& architecture,
                            const std::string& compiler) {
  return cpu::HashText(architecture + '\n' + compiler + '\n' + Essence(source));
}

std::optional<CachedCubin> CubinCache::Find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path facts = fs::path(folder_) / (key + ".json");
  const json object = json::parse(std::ifstream(facts), nullptr, false);
  if (object.is_discarded() || !object.is_object()) return std::nullopt;
  try {
    CachedCubin entry;
    object.at("log").get_to(entry.log);
    object.at("registers").get_to(entry.resources.registers);
    object.at("spill_bytes").get_to(entry.resources.spill_bytes);
    object.at("shared_bytes").get_to(entry.resources.shared_bytes);
    std::error_code error;
    if (object.at("compiles").get<bool>()) {
      const fs::path cubin = fs::path(folder_) / (key + ".cubin");
      const bool whole = fs::file_size(cubin, error) == object.at("bytes").get<std::uintmax_t>();
      if (error || !whole) return std::nullopt;
      entry.path = cubin.string();
    }
    fs::last_write_time(facts, fs::file_time_type::clock::now(), error);  // It was of use.
    return entry;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string CubinCache::Keep(const std::string& key, const CachedCubin& entry) const {
  if (folder_.empty()) return entry.path;
  std::error_code error;
  std::uintmax_t bytes = 0;
  std::string kept = entry.path;
  if (!entry.path.empty()) {
    std::ifstream file(entry.path, std::ios::binary);
    const std::string cubin{std::istreambuf_iterator<char>(file), {}};
    const fs::path path = fs::path(folder_) / (key + ".cubin");
    if (cubin.empty() || !WriteWhole(path, cubin)) return entry.path;
    bytes = cubin.size();
    kept = path.string();
  }
  const json object = {{"compiles", !entry.path.empty()},
                       {"bytes", bytes},
                       {"log", entry.log},
                       {"registers", entry.resources.registers},
                       {"spill_bytes", entry.resources.spill_bytes},
                       {"shared_bytes", entry.resources.shared_bytes}};
  const bool written = WriteWhole(fs::path(folder_) / (key + ".json"),
                                  object.dump(-1, ' ', false, json::error_handler_t::replace));
  return written ? kept : entry.path;
}

void CubinCache::Trim(std::uintmax_t bytes) const {
  struct Entry {
    fs::file_time_type used;
    std::string key;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  if (folder_.empty()) return;
  for (const auto& file : fs::directory_iterator(folder_, error)) {
    if (file.path().extension() != ".json") continue;
    const std::string key = file.path().stem().string();
    const auto used = fs::last_write_time(file.path(), error);
    const auto size = fs::file_size(fs::path(folder_) / (key + ".cubin"), error);
    entries.push_back({used, key, error ? 0 : size});
    total += entries.back().bytes;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= bytes) return;
    fs::remove(fs::path(folder_) / (entry.key + ".json"), error);
    fs::remove(fs::path(folder_) / (entry.key + ".cubin"), error);
    total -= entry.bytes;
  }
}

}  // namespace exh::kernels::cuda
