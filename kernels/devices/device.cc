// SPDX-License-Identifier: MIT
#include "kernels/devices/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/spelling.h"
#include "base/system/user_file.h"
#include "base/user_json.h"
#include "kernels/devices/backend.h"
#include "kernels/ir/target.h"

namespace exh::kernels {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Reads and writes one field of a device.
struct Field {
  /// False: the value is of a wrong type or out of range.
  std::function<bool(ir::Device&, const json&)> read;
  std::function<json(const ir::Device&)> write;
  std::string expects;
  /// Need not stand in a file, and is not written when it is empty.
  bool may_miss = false;
};

template <typename T>
Field Number(T ir::Device::*member, T least) {
  return {[=](ir::Device& device, const json& value) {
            if (!value.is_number_integer() || value < least) return false;
            if (value.get<std::uint64_t>() > std::numeric_limits<T>::max()) return false;
            device.*member = value.get<T>();
            return true;
          },
          [=](const ir::Device& device) { return json(device.*member); },
          fmt::format("a whole number of at least {}", least)};
}

template <typename T>
Field Any(T ir::Device::*member, std::string expects) {
  return {[=](ir::Device& device, const json& value) {
            try {
              device.*member = value.get<T>();
              return true;
            } catch (const json::exception&) {
              return false;
            }
          },
          [=](const ir::Device& device) { return json(device.*member); }, std::move(expects)};
}

Field VectorSizeField() {
  Field field = Any(&ir::Device::vector_sizes, "a list of powers of two from 2 to 64");
  field.read = [](ir::Device& device, const json& value) {
    if (!value.is_array()) return false;
    device.vector_sizes.clear();
    for (const json& size : value) {
      if (!size.is_number_unsigned() || size < 2 || size > 64) return false;
      const auto lanes = size.get<std::uint32_t>();
      if ((lanes & (lanes - 1)) != 0) return false;
      device.vector_sizes.push_back(lanes);
    }
    std::sort(device.vector_sizes.begin(), device.vector_sizes.end());
    return true;
  };
  return field;
}

Field WaysAcrossField() {
  Field field = Any(&ir::Device::across_blocks,
                    fmt::format("a list of some of {}", fmt::join(ir::kWaysAcross, ", ")));
  field.read = [read = field.read](ir::Device& device, const json& value) {
    return read(device, value) && std::ranges::all_of(device.across_blocks, [](const auto& way) {
             return std::ranges::find(ir::kWaysAcross, way) != ir::kWaysAcross.end();
           });
  };
  return field;
}

Field MayMiss(Field field) {
  field.may_miss = true;
  return field;
}

Field LanguageField() {
  std::vector<std::string> languages;
  for (const Backend* backend : AllBackends()) {
    languages.push_back(fmt::format("\"{}\"", backend->language()));
  }
  Field field = Any(&ir::Device::language, fmt::format("one of {}", fmt::join(languages, ", ")));
  field.read = [](ir::Device& device, const json& value) {
    if (!value.is_string() || FindBackend(value.get<std::string>()) == nullptr) return false;
    device.language = value.get<std::string>();
    return true;
  };
  return field;
}

constexpr const char* kUnits = "tensor_units";
constexpr const char* kBulkCopies = "bulk_copies";

/// In the order in which DeviceToJson prints them.
const std::vector<std::pair<std::string, Field>>& Fields() {
  using D = ir::Device;
  static const std::vector<std::pair<std::string, Field>> fields = {
      {"name", Any(&D::name, "a name")},
      {"language", LanguageField()},
      {"architecture", Any(&D::architecture, "a name like \"sm_90\", or an empty one")},
      {"model", MayMiss(Any(&D::model, "a name, or an empty one"))},
      {"runs", Any(&D::runs, "true or false")},
      {"max_threads", Number<std::uint32_t>(&D::max_threads, 1)},
      {"max_thread_dims", Number<std::uint32_t>(&D::max_thread_dims, 1)},
      {"max_block_dims", Number<std::uint32_t>(&D::max_block_dims, 0)},
      {"max_unroll", Number<std::uint32_t>(&D::max_unroll, 1)},
      {"max_code", Number<std::uint32_t>(&D::max_code, 0)},
      {"max_registers", Number<std::uint32_t>(&D::max_registers, 0)},
      {"block_registers", Number<std::uint32_t>(&D::block_registers, 0)},
      {"vector_sizes", VectorSizeField()},
      {"vector_arithmetic", Any(&D::vector_arithmetic, "true or false")},
      {"shared_bytes", Number<std::uint32_t>(&D::shared_bytes, 0)},
      {"global_bytes", Number<std::uint64_t>(&D::global_bytes, 0)},
      {"cache_flags", Any(&D::cache_flags, "a list of names of the choice 'cache'")},
      {"skews", MayMiss(Any(&D::skews, "a list of names of the choice 'skew'"))},
      {"across_blocks", MayMiss(WaysAcrossField())},
      {"max_cluster", MayMiss(Number<std::uint32_t>(&D::max_cluster, 1))},
      {"max_stages", MayMiss(Number<std::uint32_t>(&D::max_stages, 1))},
      {"async_copies", MayMiss(Any(&D::async_copies, "true or false"))},
      {"windows", MayMiss(Any(&D::windows, "true or false"))},
      {"resident_blocks", MayMiss(Number<std::uint32_t>(&D::resident_blocks, 1))},
      {kUnits, MayMiss(Any(&D::tensor_units, "a list of names of the choice 'unit'"))},
      {"matrix_reads", MayMiss(Any(&D::matrix_reads, "true or false"))},
      {kBulkCopies, MayMiss(Any(&D::bulk_copies, "true or false"))},
      {"multiprocessors", MayMiss(Number<std::uint32_t>(&D::multiprocessors, 0))},
      {"deterministic", MayMiss(Any(&D::deterministic, "true or false"))},
      {"threads", Number<std::uint32_t>(&D::threads, 1)},
  };
  return fields;
}

DeviceResult Error(std::string text) {
  return {std::nullopt, std::move(text)};
}

/// A device that is put together field by field. Every member returns what is wrong, or nothing.
class Reader {
 public:
  explicit Reader(int gpu) : gpu_(gpu) {}

  std::string Set(const std::string& key, const json& value) {
    std::vector<std::string> names;
    for (const auto& [name, field] : Fields()) {
      names.push_back(name);
      if (name != key) continue;
      if (value == "detect") return Detect(key, field);
      if (field.read(device_, value)) return "";
      return fmt::format("'{}' must be {}, got {}", key, field.expects, value.dump());
    }
    return UnknownName("field of a device", key, names);
  }

  ir::Device Take() { return std::move(device_); }
  /// Why this machine says nothing; empty: it was not asked, or did.
  const std::string& missing() const { return missing_; }

 private:
  std::string Detect(const std::string& key, const Field& field) {
    const Backend& backend = BackendOf(device_);
    if (!backend.Detects(key)) {
      return fmt::format("'{}' cannot be detected: give {}", key, field.expects);
    }
    if (!found_) {
      DeviceResult found = backend.Detect(gpu_);
      if (!found.device) return missing_ = found.error;
      found_ = std::move(found.device);
    }
    field.read(device_, field.write(*found_));
    return "";
  }

  int gpu_;
  ir::Device device_;
  std::optional<ir::Device> found_;  ///< What this machine says, once it was asked.
  std::string missing_;
};

/// The value of a field on the command line. A bare word is a string: threads=detect.
json ParseOverride(const std::string& text) {
  json value = TryUserJson(text);
  return value.is_discarded() ? json(text) : value;
}

DeviceResult Read(const std::string& file, const json& object,
                  const std::map<std::string, std::string>& overrides, int gpu) {
  if (!object.is_object()) return Error(file + ": expected a JSON object");
  Reader reader(gpu);
  const auto set = [&](const std::string& key) {
    if (const auto given = overrides.find(key); given != overrides.end()) {
      const std::string why = reader.Set(key, ParseOverride(given->second));
      return why.empty() ? why : "device option " + key + "=" + given->second + ": " + why;
    }
    const std::string why = reader.Set(key, object.at(key));
    return why.empty() ? why : file + ": " + why;
  };
  // The language comes first: it says what can be detected.
  constexpr const char* kLanguage = "language";
  std::vector<std::string> keys;
  if (object.contains(kLanguage)) keys.emplace_back(kLanguage);
  for (const auto& [key, value] : object.items()) {
    if (key != kLanguage) keys.push_back(key);
  }
  for (const auto& [key, text] : overrides) {
    if (!object.contains(key)) keys.push_back(key);
  }
  for (const std::string& key : keys) {
    const std::string why = set(key);
    if (!reader.missing().empty()) return Error(reader.missing());  // No mistake of the file.
    if (!why.empty()) return Error(why);
  }
  for (const auto& [name, field] : Fields()) {
    if (!field.may_miss && std::ranges::find(keys, name) == keys.end()) {
      return Error(file + ": '" + name + "' is missing");
    }
  }
  ir::Device device = reader.Take();
  const auto refused = [&](const char* field, const std::string& why) {
    return Error(overrides.contains(field) ? fmt::format("device option {}: {}", field, why)
                                           : fmt::format("{}: '{}': {}", file, field, why));
  };
  const Backend& backend = BackendOf(device);
  if (const std::string why = backend.ProblemOfUnits(device); !why.empty()) {
    return refused(kUnits, why);
  }
  if (const std::string why = backend.ProblemOfBulkCopies(device); !why.empty()) {
    return refused(kBulkCopies, why);
  }
  return {std::move(device), ""};
}

/// What people call devices, with the names that they have here; some of these look more like those
/// of others.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"gpu", "cuda"},      {"nvidia", "cuda"},   {"gpu0", "cuda"},          {"cuda:0", "cuda"},
    {"processor", "cpu"}, {"x86", "cpu"},       {"host", "cpu"},           {"hopper", "h200"},
    {"hip", "hip-text"},  {"rocm", "hip-text"}, {"opencl", "opencl-text"},
};

std::string UnknownDevice(const std::string& name, const std::vector<std::string>& names) {
  std::string plain = name;
  std::ranges::transform(plain, plain.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  for (const auto& [other, device] : kOtherNames) {
    if (plain != other || std::ranges::find(names, device) == names.end()) continue;
    return fmt::format("unknown device '{}'; did you mean '{}'?", name, device);
  }
  return UnknownName("device", name, names);
}

/// The file of a device, or a line that says why there is none.
struct File {
  std::string path;
  json object = json::object();
  std::string error;
};

File FindFile(const std::string& folder, const std::string& name) {
  File found;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) {
    found.error = fmt::format("cannot list devices in {}: {}", folder, error.message());
    return found;
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  std::string unreadable;
  for (const fs::path& file : files) {
    std::string why;
    json object = TryUserJson(ReadFile(file.string(), &why).value_or(""));
    const bool named = object.is_object() && object.contains("name") && object["name"].is_string();
    if (named && object["name"] == name) return {file.string(), std::move(object), ""};
    if (named) names.push_back(object["name"].get<std::string>());
    if (!named) unreadable += fmt::format("; {} is not a device", file.string());
  }
  found.error = names.empty() ? fmt::format("no device in {}{}", folder, unreadable)
                              : UnknownDevice(name, names) + unreadable;
  return found;
}

}  // namespace

std::string DeviceFolderOf(const std::string& program, const std::string& sources) {
  std::error_code error;
  const fs::path prefix = fs::path(program).parent_path().parent_path();
  const fs::path installed = prefix / "share/exhaust/devices", built = prefix / "devices";
  if (fs::is_directory(installed, error)) return installed.string();
  return fs::is_directory(sources, error) || !fs::is_directory(built, error) ? sources
                                                                             : built.string();
}

std::string DeviceFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return DeviceFolderOf(error ? "" : program.string(), EXH_DEVICE_FOLDER);
}

DeviceResult LoadDevice(const std::string& name,
                        const std::map<std::string, std::string>& overrides, int gpu) {
  return LoadDeviceFrom(DeviceFolder(), name, overrides, gpu);
}

DeviceResult LoadDeviceFrom(const std::string& folder, const std::string& name,
                            const std::map<std::string, std::string>& overrides, int gpu) {
  const File file = FindFile(folder, name);
  if (!file.error.empty()) return Error(file.error);
  return Read(file.path, file.object, overrides, gpu);
}

std::map<std::string, std::string> RecordedLimits(const std::string& name) {
  std::map<std::string, std::string> limits;
  const File file = FindFile(DeviceFolder(), name);
  for (const auto& [field, value] : file.object.items()) {
    if (value != "detect") limits[field] = value.dump();
  }
  return limits;
}

std::string DeviceToJson(const ir::Device& device) {
  nlohmann::ordered_json object;
  const ir::Device plain;  // What a field that may be missing is then.
  for (const auto& [name, field] : Fields()) {
    json value = field.write(device);
    if (!field.may_miss || value != field.write(plain)) object[name] = std::move(value);
  }
  return object.dump(2) + "\n";
}

std::vector<GpuHere> GpusFor(const std::string& name) {
  const auto limits = RecordedLimits(name);
  const auto found = limits.find("language");
  if (found == limits.end()) return {};
  // It stands there as JSON text, with its quotes.
  const std::string word = found->second.substr(1, found->second.size() - 2);
  const Backend* const backend = FindBackend(word);
  return backend == nullptr ? std::vector<GpuHere>() : backend->Gpus();
}

}  // namespace exh::kernels
