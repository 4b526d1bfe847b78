// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace exh::kernels::cpu {
namespace {

using nlohmann::json;

constexpr char kMagic[] = "EXHPROB1";
constexpr std::size_t kStart = 16;  // Magic and length.

std::size_t Aligned(std::size_t offset) {
  return (offset + 63) / 64 * 64;
}

/// The header for data that starts at `offset`. Offsets are numbers in the header, so its length
/// depends on them: the caller leaves room first.
json Header(const Problem& problem, std::size_t offset) {
  json arrays = json::array();
  const auto place = [&](std::size_t bytes) {
    const std::size_t here = offset;
    offset = Aligned(offset + bytes);
    return here;
  };
  for (const ProblemArray& array : problem.arrays) {
    json entry = {{"name", array.name},
                  {"role", array.is_output ? "output" : "input"},
                  {"type", ir::WordOf(array.type)},
                  {"elements", array.elements()}};
    if (array.is_output) {
      entry["reference"] = place(array.reference.size_bytes());
      entry["tolerance"] = place(array.tolerance.size_bytes());
      entry["rms_limit"] = array.rms_limit;
      if (!array.whole.empty()) entry["whole"] = place(array.whole.size_bytes());
    } else {
      entry["values"] = place(array.values.size_bytes());
    }
    arrays.push_back(std::move(entry));
  }
  json scalars = json::array();
  for (const ProblemScalar& scalar : problem.scalars) {
    scalars.push_back(
        {{"type", ir::WordOf(scalar.type)}, {"cell", scalar.value.Cell(scalar.type)}});
  }
  return {{"scalars", std::move(scalars)}, {"arrays", std::move(arrays)}};
}

void Put(std::ofstream& file, const void* data, std::size_t bytes) {
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  static constexpr char kZeros[64] = {};
  file.write(kZeros, static_cast<std::streamsize>(Aligned(bytes) - bytes));
}

}  // namespace

std::string WriteProblemFile(const std::string& path, const Problem& problem) {
  // Room for the header: no offset needs more digits than the largest number.
  const std::size_t room = Header(problem, SIZE_MAX / 2).dump().size();
  const std::size_t data = Aligned(kStart + room);
  std::string header = Header(problem, data).dump();
  header.resize(data - kStart, ' ');
  const std::uint64_t length = header.size();

  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(kMagic, 8);
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header;
  for (const ProblemArray& array : problem.arrays) {
    if (array.is_output) {
      Put(file, array.reference.data(), array.reference.size_bytes());
      Put(file, array.tolerance.data(), array.tolerance.size_bytes());
      if (!array.whole.empty()) Put(file, array.whole.data(), array.whole.size_bytes());
    } else {
      Put(file, array.values.data(), array.values.size_bytes());
    }
  }
  file.close();
  if (file) return "";
  const std::string why = errno == 0 ? "write error" : std::strerror(errno);
  std::remove(path.c_str());
  return fmt::format("cannot write {}: {}", path, why);
}

MappedProblem::MappedProblem(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error_ = fmt::format("cannot open {}: {}", path, std::strerror(errno));
    return;
  }
  struct stat info {};
  if (::fstat(fd, &info) == 0 && info.st_size > 0) {
    size_ = static_cast<std::size_t>(info.st_size);
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) data_ = mapped;
  }
  ::close(fd);
  if (data_ == nullptr) {
    error_ = fmt::format("cannot map {}", path);
    return;
  }
  try {
    Parse(path);
  } catch (const json::exception& e) {
    error_ = fmt::format("{}: {}", path, e.what());
  }
}

void MappedProblem::Parse(const std::string& path) {
  const char* bytes = static_cast<const char*>(data_);
  std::uint64_t length = 0;
  if (size_ >= kStart) std::memcpy(&length, bytes + 8, sizeof length);
  if (size_ < kStart || std::memcmp(bytes, kMagic, 8) != 0 || length > size_ - kStart) {
    error_ = fmt::format("{} is no problem file", path);
    return;
  }
  const json header = json::parse(bytes + kStart, bytes + kStart + length);
  const auto type_of = [&](const json& entry) {
    const auto word = entry.at("type").get<std::string>();
    const std::optional<ir::Type> type = ir::TypeOfWord(word);
    if (!type) error_ = fmt::format("{} has elements of type '{}', which nobody knows", path, word);
    return type.value_or(ir::Type::kF32);
  };
  for (const json& entry : header.at("scalars")) {
    const ir::Type type = type_of(entry);
    problem_.scalars.push_back(
        {type, ir::Number::OfCell(type, entry.at("cell").get<std::uint64_t>())});
  }
  for (const json& entry : header.at("arrays")) {
    ProblemArray array;
    array.name = entry.at("name").get<std::string>();
    array.is_output = entry.at("role").get<std::string>() == "output";
    array.type = type_of(entry);
    const auto elements = entry.at("elements").get<std::size_t>();
    const auto at = [&]<typename T>(const char* key, std::size_t element_bytes,
                                    std::span<const T>& span) {
      const auto offset = entry.at(key).get<std::size_t>();
      if (offset > size_ || elements > (size_ - offset) / element_bytes) {
        error_ = fmt::format("{} is cut off in array {}", path, array.name);
        return;
      }
      span = {reinterpret_cast<const T*>(bytes + offset), elements * element_bytes / sizeof(T)};
    };
    if (array.is_output) {
      at("reference", sizeof(double), array.reference);
      at("tolerance", sizeof(double), array.tolerance);
      if (entry.contains("whole")) at("whole", sizeof(std::int64_t), array.whole);
      array.rms_limit = entry.at("rms_limit").get<double>();
    } else {
      at("values", ir::BytesOf(array.type), array.values);
    }
    problem_.arrays.push_back(std::move(array));
  }
}

MappedProblem::~MappedProblem() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace exh::kernels::cpu
