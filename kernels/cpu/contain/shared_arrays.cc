// SPDX-License-Identifier: MIT
#include "kernels/cpu/contain/shared_arrays.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace exh::kernels::cpu {
namespace {

constexpr std::uint64_t kPage = 4096, kLargePage = 2ULL << 20;
/// Words of it begin where the page does, whatever the elements are: a NaN in every type of float,
/// in each second half for those of two bytes, so that a sum that reads it shows.
constexpr std::uint32_t kPattern = 0x7FC5A5A5;

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
constexpr int kCollapse = 25;  // MADV_COLLAPSE: since Linux 6.1, and not in every header.

/// What the pattern has at an address: zones begin and end with any byte of a word.
std::byte PatternAt(const std::byte* address) {
  const auto shift = reinterpret_cast<std::uintptr_t>(address) % sizeof kPattern * 8;
  return static_cast<std::byte>(kPattern >> shift);
}

/// The first byte of a zone that is not the pattern's; the end when all are.
const std::byte* FirstTouched(std::span<const std::byte> zone) {
  const std::byte* at = zone.data();
  const std::byte* const end = at + zone.size();
  while (at != end && *at == PatternAt(at)) ++at;
  return at;
}

std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

// ---- Layout -----------------------------------------------------------------------------------

SharedLayout::SharedLayout(std::span<const SharedShape> shapes)
    : shapes_(shapes.begin(), shapes.end()) {
  std::uint64_t guard = kGuardBytes;
  for (const SharedShape& shape : shapes_) {
    const std::uint64_t bytes = shape.bytes();
    // What is large enough for a large page begins on one, in its file and in memory.
    const std::uint64_t unit = bytes >= kLargePage ? kLargePage : kPage;
    std::uint64_t& file = shape.is_output ? output_bytes_ : input_bytes_;
    Place place;
    place.data = RoundUp(file + kPage, unit);
    place.open = place.data - kPage;
    place.open_bytes = kPage + RoundUp(bytes, kPage) + kPage;
    file = place.open + place.open_bytes;
    guard = std::max(guard, RoundUp(bytes, kPage));
    place.address = RoundUp(address_bytes_ + guard + kPage, unit) - kPage;
    address_bytes_ = place.address + place.open_bytes;
    // The next array is as far from this one as this one is long.
    guard = std::max(kGuardBytes, RoundUp(bytes, kPage));
    places_.push_back(place);
  }
  address_bytes_ = RoundUp(address_bytes_ + guard, kLargePage);
  // The sets of inputs follow each other.
  input_bytes_ = RoundUp(input_bytes_, kLargePage);
}

std::uint64_t SharedLayout::array_bytes() const {
  std::uint64_t bytes = 0;
  for (const SharedShape& shape : shapes_) bytes += shape.bytes();
  return bytes;
}

// ---- Memory -----------------------------------------------------------------------------------

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      fd_(std::exchange(other.fd_, -1)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

bool SharedMemory::Allocate(std::uint64_t bytes) {
  bytes_ = std::max(bytes, kPage);
  const int flags = MAP_SHARED | (fd_ >= 0 ? 0 : MAP_ANONYMOUS);
  void* const map = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, fd_, 0);
  if (map == MAP_FAILED) return false;
  data_ = static_cast<char*>(map);
  return true;
}

bool SharedMemory::AllocateFile(const char* name, std::uint64_t bytes) {
  fd_ = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::uint64_t size = std::max(bytes, kPage);
  return fd_ >= 0 && ::ftruncate(fd_, static_cast<off_t>(size)) == 0 && Allocate(size);
}

bool SharedMemory::Seal(bool forbid_writing) const {
  const int size = F_SEAL_SHRINK | F_SEAL_GROW;
  // Kernels before 5.1 do not know the seal: there a candidate is kept from it by its mapping.
  if (forbid_writing && ::fcntl(fd_, F_ADD_SEALS, size | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0) {
    return true;
  }
  return ::fcntl(fd_, F_ADD_SEALS, size | F_SEAL_SEAL) == 0;
}

// ---- The side that checks ---------------------------------------------------------------------

SharedArrays::SharedArrays(std::span<const SharedShape> shapes, std::size_t num_problems)
    : layout_(shapes) {
  if (!inputs_.AllocateFile("inputs", layout_.input_bytes() * num_problems) ||
      !outputs_.AllocateFile("outputs", layout_.output_bytes()) || !inputs_.Seal(true) ||
      !outputs_.Seal(false)) {
    error_ = fmt::format("no shared memory for the arrays: {}", std::strerror(errno));
    return;
  }
  for (std::size_t array = 0; array < layout_.places().size(); ++array) {
    if (layout_.shapes()[array].is_output) {
      DrawGuards(outputs_.data(), array);
      continue;
    }
    for (std::size_t problem = 0; problem < num_problems; ++problem) {
      DrawGuards(inputs_.data() + problem * layout_.input_bytes(), array);
    }
  }
}

std::span<std::byte> SharedArrays::input(std::size_t problem, std::size_t array) {
  char* const file = inputs_.data() + problem * layout_.input_bytes();
  return {reinterpret_cast<std::byte*>(file + layout_.places()[array].data),
          layout_.shapes()[array].bytes()};
}

std::span<std::byte> SharedArrays::output(std::size_t array) {
  return {reinterpret_cast<std::byte*>(outputs_.data() + layout_.places()[array].data),
          layout_.shapes()[array].bytes()};
}

void SharedArrays::UseLargePages(std::size_t problem) {
  for (std::size_t array = 0; array < layout_.places().size(); ++array) {
    const std::span<std::byte> values =
        layout_.shapes()[array].is_output ? output(array) : input(problem, array);
    const std::uint64_t bytes = values.size() / kLargePage * kLargePage;
    // Where it is refused, pages stay small: nothing else changes.
    if (bytes > 0) ::madvise(values.data(), bytes, kCollapse);
  }
}

std::span<std::byte> SharedArrays::Before(char* file, const SharedLayout::Place& place) {
  return {reinterpret_cast<std::byte*>(file + place.open), kPage};
}

std::span<std::byte> SharedArrays::Behind(char* file, std::size_t array) const {
  const SharedLayout::Place& place = layout_.places()[array];
  return {reinterpret_cast<std::byte*>(file + place.data) + layout_.shapes()[array].bytes(),
          reinterpret_cast<std::byte*>(file + place.open + place.open_bytes)};
}

void SharedArrays::DrawGuards(char* file, std::size_t array) {
  const auto fill = [](std::span<std::byte> zone) {
    for (std::byte& byte : zone) byte = PatternAt(&byte);
  };
  fill(Before(file, layout_.places()[array]));
  fill(Behind(file, array));
}

void SharedArrays::RestoreGuards() {
  for (std::size_t array = 0; array < layout_.places().size(); ++array) {
    if (layout_.shapes()[array].is_output) DrawGuards(outputs_.data(), array);
  }
}

std::string SharedArrays::CheckGuards(std::size_t array) const {
  const SharedShape& shape = layout_.shapes()[array];
  const std::int64_t element = ir::BytesOf(shape.type);
  const std::span<std::byte> before = Before(outputs_.data(), layout_.places()[array]);
  const std::byte* const data = before.data() + before.size();
  const std::byte* const low = FirstTouched(before);
  // A byte of element -1 is as far away as its last one, or farther.
  if (low != data) return fmt::format("element {}", -((data - low + element - 1) / element));
  const std::span<std::byte> behind = Behind(outputs_.data(), array);
  const std::byte* const high = FirstTouched(behind);
  if (high == behind.data() + behind.size()) return "";
  return fmt::format("element {} of {}", (high - data) / element, shape.elements);
}

// ---- The side that runs -----------------------------------------------------------------------

MappedArrays::MappedArrays(const SharedLayout& layout, int inputs_fd, int outputs_fd)
    : layout_(layout), inputs_fd_(inputs_fd) {
  // Addresses only: nothing is there until an array is put into a part of them.
  void* const reserved = ::mmap(nullptr, layout.address_bytes() + kLargePage, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    error_ = fmt::format("no addresses for the arrays: {}", std::strerror(errno));
    return;
  }
  base_ = reinterpret_cast<char*>(RoundUp(reinterpret_cast<std::uint64_t>(reserved), kLargePage));
  // All pages at once: one by one, as they are touched, they make a first run of large arrays take
  // a hundred times as long as the next one.
  for (std::size_t array = 0; array < layout.places().size(); ++array) {
    const SharedLayout::Place& place = layout.places()[array];
    pointers_.push_back(base_ + place.address + (place.data - place.open));
    if (!layout.shapes()[array].is_output) continue;
    void* const map =
        ::mmap(base_ + place.address, place.open_bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED | MAP_POPULATE, outputs_fd, static_cast<off_t>(place.open));
    if (map == MAP_FAILED) error_ = fmt::format("an output: {}", std::strerror(errno));
  }
  if (!UseProblem(0)) error_ = fmt::format("the inputs: {}", std::strerror(errno));
}

bool MappedArrays::UseProblem(std::uint64_t problem) {
  for (std::size_t array = 0; array < layout_.places().size(); ++array) {
    if (layout_.shapes()[array].is_output) continue;
    const SharedLayout::Place& place = layout_.places()[array];
    const std::uint64_t offset = problem * layout_.input_bytes() + place.open;
    void* const map =
        ::mmap(base_ + place.address, place.open_bytes, PROT_READ,
               MAP_SHARED | MAP_FIXED | MAP_POPULATE, inputs_fd_, static_cast<off_t>(offset));
    if (map == MAP_FAILED) return false;
  }
  return true;
}

}  // namespace exh::kernels::cpu
