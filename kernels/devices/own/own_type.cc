// SPDX-License-Identifier: MIT
#include "kernels/devices/own/own_type.h"

#include <cmath>
#include <cstring>

namespace exh::kernels {
namespace {

/// The bits of a whole number, as C casts it.
std::uint64_t BitsOf(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p64) return ~std::uint64_t{0};
  if (value >= 0x1p63) return static_cast<std::uint64_t>(value);
  if (value < -0x1p63) return std::uint64_t{1} << 63;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

}  // namespace

std::optional<OwnType> OwnType::OfWord(std::string_view word) {
  for (const OwnType& type :
       {OwnType("u8", ir::Type::kI8, 1), OwnType("i16", ir::Type::kI8, 2),
        OwnType("u16", ir::Type::kI8, 2), OwnType("u64", ir::Type::kI64, 1)}) {
    if (type.word() == word) return type;
  }
  const auto ours = ir::TypeOfWord(word);
  return ours ? std::optional<OwnType>(*ours) : std::nullopt;
}

std::vector<std::string> OwnType::Words() {
  std::vector<std::string> words;
  for (const ir::TypeInfo& info : ir::AllTypes()) words.emplace_back(info.word);
  for (const char* word : {"u8", "i16", "u16", "u64"}) words.emplace_back(word);
  return words;
}

bool OwnType::is_signed() const {
  return is_ours() ? ir::InfoOf(cell_).is_signed : word_.front() == 'i';
}

void OwnType::Write(void* element, double value) const {
  if (is_ours()) return ir::WriteElement(cell_, element, value);
  const std::uint64_t bits = BitsOf(value);
  std::memcpy(element, &bits, bytes());
}

std::string OwnType::TextOf(const void* element) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, bytes());
  if (!is_signed()) return std::to_string(bits);
  const unsigned unused = 64 - 8 * bytes();
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace exh::kernels
