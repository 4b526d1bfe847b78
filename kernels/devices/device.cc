// SPDX-License-Identifier: MIT
#include "kernels/devices/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/spelling.h"

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
  /// Value for "detect"; empty: the field cannot be detected.
  std::function<json()> detect;
};

template <typename T>
Field Number(T ir::Device::*member, T least, std::function<json()> detect = nullptr) {
  return {[=](ir::Device& device, const json& value) {
            if (!value.is_number_integer() || value < least) return false;
            if (value.get<std::uint64_t>() > std::numeric_limits<T>::max()) return false;
            device.*member = value.get<T>();
            return true;
          },
          [=](const ir::Device& device) { return json(device.*member); },
          fmt::format("a whole number of at least {}", least), std::move(detect)};
}

template <typename T>
Field Any(T ir::Device::*member, std::string expects, std::function<json()> detect = nullptr) {
  return {[=](ir::Device& device, const json& value) {
            try {
              device.*member = value.get<T>();
              return true;
            } catch (const json::exception&) {
              return false;
            }
          },
          [=](const ir::Device& device) { return json(device.*member); }, std::move(expects),
          std::move(detect)};
}

json VectorSizes() {
  json sizes = json::array();
  for (std::uint32_t size = 2; size <= DetectVectorFloats(); size *= 2) sizes.push_back(size);
  return sizes;
}

Field VectorSizeField() {
  Field field = Any(&ir::Device::vector_sizes, "a list of powers of two from 2 to 64", VectorSizes);
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

Field LanguageField() {
  Field field = Any(&ir::Device::language, "\"c++\" or \"cuda\"");
  field.read = [](ir::Device& device, const json& value) {
    if (value != "c++" && value != "cuda") return false;
    device.language = value.get<std::string>();
    return true;
  };
  return field;
}

/// In the order in which DeviceToJson prints them.
const std::vector<std::pair<std::string, Field>>& Fields() {
  using D = ir::Device;
  static const std::vector<std::pair<std::string, Field>> fields = {
      {"name", Any(&D::name, "a name")},
      {"language", LanguageField()},
      {"architecture", Any(&D::architecture, "a name like \"sm_90\", or an empty one")},
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
      // Half of L2: the other half is left to what streams through.
      {"shared_bytes",
       Number<std::uint32_t>(&D::shared_bytes, 0, [] { return json(DetectL2Bytes() / 2); })},
      {"global_bytes", Number<std::uint64_t>(&D::global_bytes, 0)},
      {"cache_flags", Any(&D::cache_flags, "a list of names of the choice 'cache'")},
      {"threads", Number<std::uint32_t>(&D::threads, 1, [] { return json(DetectCores()); })},
  };
  return fields;
}

/// Empty, or what is wrong with the field.
std::string SetField(ir::Device& device, const std::string& key, json value) {
  std::vector<std::string> names;
  for (const auto& [name, field] : Fields()) {
    names.push_back(name);
    if (name != key) continue;
    if (value == "detect") {
      if (!field.detect) return fmt::format("'{}' cannot be detected: give {}", key, field.expects);
      value = field.detect();
    }
    if (field.read(device, value)) return "";
    return fmt::format("'{}' must be {}, got {}", key, field.expects, value.dump());
  }
  return UnknownName("field of a device", key, names);
}

DeviceResult Error(std::string text) {
  return {std::nullopt, std::move(text)};
}

DeviceResult Read(const std::string& file, const json& object,
                  const std::map<std::string, std::string>& overrides) {
  if (!object.is_object()) return Error(file + ": expected a JSON object");
  ir::Device device;
  std::vector<std::string> seen;
  for (const auto& [key, value] : object.items()) {
    seen.push_back(key);
    if (overrides.count(key) > 0) continue;  // Not even looked at: it may be wrong here.
    const std::string why = SetField(device, key, value);
    if (!why.empty()) return Error(file + ": " + why);
  }
  for (const auto& [name, field] : Fields()) {
    const bool given = std::find(seen.begin(), seen.end(), name) != seen.end();
    if (!given && overrides.count(name) == 0) return Error(file + ": '" + name + "' is missing");
  }
  for (const auto& [key, text] : overrides) {
    json value = json::parse(text, nullptr, false);
    if (value.is_discarded()) value = text;  // A bare word is a string: threads=detect.
    const std::string why = SetField(device, key, value);
    if (!why.empty()) return Error("device option " + key + "=" + text + ": " + why);
  }
  return {std::move(device), ""};
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
                        const std::map<std::string, std::string>& overrides) {
  return LoadDeviceFrom(DeviceFolder(), name, overrides);
}

DeviceResult LoadDeviceFrom(const std::string& folder, const std::string& name,
                            const std::map<std::string, std::string>& overrides) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) return Error(fmt::format("cannot list devices in {}: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  std::string unreadable;
  for (const fs::path& file : files) {
    const json object = json::parse(std::ifstream(file), nullptr, false);
    const bool named = object.is_object() && object.contains("name") && object["name"].is_string();
    if (named && object["name"] == name) return Read(file.string(), object, overrides);
    if (named) names.push_back(object["name"].get<std::string>());
    if (!named) unreadable += fmt::format("; {} is not a device", file.string());
  }
  if (names.empty()) return Error(fmt::format("no device in {}{}", folder, unreadable));
  return Error(UnknownName("device", name, names) + unreadable);
}

std::string DeviceToJson(const ir::Device& device) {
  nlohmann::ordered_json object;
  for (const auto& [name, field] : Fields()) object[name] = field.write(device);
  return object.dump(2) + "\n";
}

}  // namespace exh::kernels
