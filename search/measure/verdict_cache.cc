// SPDX-License-Identifier: MIT
#include "search/measure/verdict_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "base/system/descriptor.h"
#include "base/system/user_file.h"
#include "base/system/whole_file.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using nlohmann::json;

/// Programs have tens of megabytes: they are looked at where they lie.
std::string DigestOfFile(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || status.st_size <= 0) return "";
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (bytes == MAP_FAILED) return "";
  const std::string digest = CacheKey({static_cast<const char*>(bytes), size});
  ::munmap(bytes, size);
  return digest;
}

/// What a file holds beside its hash. The text is there by another hash than the one that the file
/// is called by: two texts that are confused by one are not by both.
json BodyOf(const std::string& context, std::string_view text, const KnownVerdict& known) {
  return {{"context", context},
          {"code", fmt::format("{:016x} of {}", Fnv1a64(text), text.size())},
          {"verdict", kernels::VerdictName(known.verdict)},
          {"why", known.why}};
}

std::string HashOf(const json& body) {
  return CacheKey(body.dump(-1, ' ', false, json::error_handler_t::replace));
}

bool IsKept(Verdict verdict) {
  return verdict == Verdict::kWrong || verdict == Verdict::kCompileError;
}

}  // namespace

VerdictCache::VerdictCache(std::string folder, std::string context)
    : folder_(std::move(folder)), context_(std::move(context)) {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
}

std::string VerdictCache::PathOf(std::string_view text) const {
  return fmt::format("{}/{}.json", folder_, CacheKey(fmt::format("{}\n{}", context_, text)));
}

std::optional<KnownVerdict> VerdictCache::Find(std::string_view text) const {
  std::string ignored;
  const auto file = ReadFile(PathOf(text), &ignored);
  if (!file) return std::nullopt;
  const json object = json::parse(*file, nullptr, /*allow_exceptions=*/false);
  try {
    const auto verdict = kernels::VerdictOf(object.at("verdict").get<std::string>());
    if (!verdict || !IsKept(*verdict)) return std::nullopt;
    KnownVerdict known{*verdict, object.at("why").get<std::string>()};
    json body = BodyOf(context_, text, known);
    const std::string hash = HashOf(body);
    body["xxh3"] = hash;
    if (object != body) return std::nullopt;
    return known;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void VerdictCache::Keep(std::string_view text, const KnownVerdict& known) const {
  if (!IsKept(known.verdict)) return;
  json body = BodyOf(context_, text, known);
  // What is not UTF-8 is written as it can be read again.
  body = json::parse(body.dump(-1, ' ', false, json::error_handler_t::replace));
  const std::string hash = HashOf(body);
  body["xxh3"] = hash;
  static_cast<void>(WriteWholeFile(PathOf(text), body.dump() + "\n"));
}

std::string VerdictContext(const RunRecord& run, const std::string& program) {
  return json({{"program", program},
               {"subject", run.subject},
               {"kernel", run.kernel},
               {"text", run.text},
               {"sizes", run.sizes},
               {"words", run.words},
               {"settings", run.settings},
               {"device", run.device},
               {"limits", run.limits},
               {"machine", run.machine}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string ProgramDigest(const std::vector<std::string>& plugins) {
  // The file that runs, also when another one has its name by now.
  std::string digest = DigestOfFile("/proc/self/exe");
  for (const std::string& plugin : plugins) {
    const std::string its = DigestOfFile(plugin);
    if (digest.empty() || its.empty()) return "";
    digest += " " + its;
  }
  return digest;
}

}  // namespace exh::search
