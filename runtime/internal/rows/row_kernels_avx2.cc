// SPDX-License-Identifier: MIT
//
// The kernels with AVX2. A block of 64 cells is two registers of 32 bytes. There is no look-up of a
// byte among 64: a shuffle reaches 16 entries, so larger tables are looked up in parts, and the
// higher bits of the index choose among them (LookUp).
#include "runtime/internal/rows/row_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define EXH_ROW_TARGET __attribute__((target("avx2,popcnt")))
#include "runtime/internal/rows/row_loop.h"

namespace exh::runtime::internal {
namespace {

struct Avx2Rows {
  // A block is two registers of 32 lanes.
  struct Block {
    __m256i low, high;
  };

  EXH_ROW_TARGET static Block Load(const std::uint8_t* row) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 32))};
  }

  EXH_ROW_TARGET static void Store(std::uint8_t* row, Block block) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row), block.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + 32), block.high);
  }

  EXH_ROW_TARGET static Block And(Block a, Block b) {
    return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
  }

  EXH_ROW_TARGET static Block And(Block a, __m256i b) {
    return {_mm256_and_si256(a.low, b), _mm256_and_si256(a.high, b)};
  }

  EXH_ROW_TARGET static std::uint64_t Equal(Block a, Block b) {
    const auto low =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.low, b.low)));
    const auto high =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.high, b.high)));
    return low | static_cast<std::uint64_t>(high) << 32;
  }

  EXH_ROW_TARGET static Block Zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }

  EXH_ROW_TARGET static __m256i Values(std::uint8_t values) {
    return _mm256_set1_epi8(static_cast<char>(values));
  }

  EXH_ROW_TARGET static std::uint64_t Count(std::uint64_t lanes) {
    return static_cast<std::uint64_t>(_mm_popcnt_u64(lanes));
  }

  EXH_ROW_TARGET static std::uint64_t Excluded(const std::uint8_t* row, std::uint8_t values) {
    return Equal(And(Load(row), Values(values)), Zero());
  }

  EXH_ROW_TARGET static std::uint64_t Certain(const std::uint8_t* row, std::uint8_t values) {
    return Equal(And(Load(row), Values(static_cast<std::uint8_t>(~values))), Zero());
  }

  EXH_ROW_TARGET static std::uint64_t Open(const std::uint8_t* row) {
    const Block block = Load(row);
    const __m256i one = _mm256_set1_epi8(1);
    const Block less = {_mm256_sub_epi8(block.low, one), _mm256_sub_epi8(block.high, one)};
    return ~Equal(And(block, less), Zero());
  }

  EXH_ROW_TARGET static std::uint64_t Keep(const std::uint8_t* row, std::uint8_t values,
                                           std::uint8_t* out) {
    const Block block = Load(row), kept = And(block, Values(values));
    Store(out, kept);
    return ~Equal(block, kept);
  }

  EXH_ROW_TARGET static std::uint64_t Intersect(const std::uint8_t* row, const std::uint8_t* other,
                                                std::uint8_t* out) {
    const Block block = Load(row), kept = And(block, Load(other));
    Store(out, kept);
    return ~Equal(block, kept);
  }

  EXH_ROW_TARGET static std::uint64_t Differ(const std::uint8_t* row, const std::uint8_t* other) {
    return ~Equal(Load(row), Load(other));
  }

  EXH_ROW_TARGET static __m256i Sixteen(const std::uint8_t* lut) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(lut)));
  }

  /// lut[index] for 32 lanes; a byte shuffle reaches 16 entries, the next bit of the index picks
  /// between two of them.
  EXH_ROW_TARGET static __m256i LookUp(const std::uint8_t* lut, int width, __m256i index) {
    const __m256i within = _mm256_and_si256(index, _mm256_set1_epi8(15));
    const __m256i first = _mm256_shuffle_epi8(Sixteen(lut), within);
    if (width == 16) return first;
    // Moved to the top bit of the byte, which is what a blend looks at.
    const __m256i bit4 = _mm256_slli_epi16(index, 3);
    const __m256i low =
        _mm256_blendv_epi8(first, _mm256_shuffle_epi8(Sixteen(lut + 16), within), bit4);
    if (width == 32) return low;
    const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(Sixteen(lut + 32), within),
                                            _mm256_shuffle_epi8(Sixteen(lut + 48), within), bit4);
    return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(index, 2));
  }

  EXH_ROW_TARGET static void Compose(const std::uint8_t* b, const std::uint8_t* c,
                                     const std::uint8_t* lut_b, const std::uint8_t* lut_c,
                                     int width_b, int width_c, std::uint64_t lanes,
                                     std::uint8_t* out_b, std::uint8_t* out_c,
                                     std::uint64_t* changed_b, std::uint64_t* changed_c) {
    if (width_b > 64 || width_c > 64) {
      PortableRowKernels()->compose(b, c, lut_b, lut_c, width_b, width_c, lanes, out_b, out_c,
                                    changed_b, changed_c);
      return;
    }
    const Block old_b = Load(b), old_c = Load(c);
    const Block new_b =
        And(old_b, Block{LookUp(lut_b, width_c, old_c.low), LookUp(lut_b, width_c, old_c.high)});
    const Block new_c =
        And(old_c, Block{LookUp(lut_c, width_b, new_b.low), LookUp(lut_c, width_b, new_b.high)});
    *changed_b = lanes & ~Equal(old_b, new_b);
    *changed_c = lanes & ~Equal(old_c, new_c);
    if (*changed_b != 0) Store(out_b, new_b);
    if (*changed_c != 0) Store(out_c, new_c);
  }
};

constexpr RowKernels kTable = TableOf<Avx2Rows, RowLoop>("avx2");

}  // namespace

const RowKernels* Avx2RowKernels() {
  return &kTable;
}

}  // namespace exh::runtime::internal

#else
namespace exh::runtime::internal {
const RowKernels* Avx2RowKernels() {
  return nullptr;
}
}  // namespace exh::runtime::internal
#endif
