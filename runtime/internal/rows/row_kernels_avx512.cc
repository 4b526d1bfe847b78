// SPDX-License-Identifier: MIT
//
// The kernels with AVX-512. A block of 64 cells is one register, comparisons yield masks of lanes,
// and one permutation looks up 64 bytes in a table of 64 (VBMI).
#include "runtime/internal/rows/row_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define EXH_ROW_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")))
#include "runtime/internal/rows/row_loop.h"

namespace exh::runtime::internal {
namespace {

struct Avx512Rows {
  // A block is one register.
  EXH_ROW_TARGET static __m512i Load(const std::uint8_t* row) { return _mm512_loadu_si512(row); }

  EXH_ROW_TARGET static __m512i Values(std::uint8_t values) {
    return _mm512_set1_epi8(static_cast<char>(values));
  }

  EXH_ROW_TARGET static std::uint64_t Count(std::uint64_t lanes) {
    return static_cast<std::uint64_t>(_mm_popcnt_u64(lanes));
  }

  EXH_ROW_TARGET static std::uint64_t Excluded(const std::uint8_t* row, std::uint8_t values) {
    return _mm512_testn_epi8_mask(Load(row), Values(values));
  }

  EXH_ROW_TARGET static std::uint64_t Certain(const std::uint8_t* row, std::uint8_t values) {
    return _mm512_testn_epi8_mask(Load(row), Values(static_cast<std::uint8_t>(~values)));
  }

  EXH_ROW_TARGET static std::uint64_t Open(const std::uint8_t* row) {
    const __m512i block = Load(row);
    return _mm512_test_epi8_mask(block, _mm512_sub_epi8(block, _mm512_set1_epi8(1)));
  }

  EXH_ROW_TARGET static std::uint64_t Keep(const std::uint8_t* row, std::uint8_t values,
                                           std::uint8_t* out) {
    const __m512i block = Load(row), kept = _mm512_and_si512(block, Values(values));
    _mm512_storeu_si512(out, kept);
    return _mm512_cmpneq_epi8_mask(block, kept);
  }

  EXH_ROW_TARGET static std::uint64_t Intersect(const std::uint8_t* row, const std::uint8_t* other,
                                                std::uint8_t* out) {
    const __m512i block = Load(row), kept = _mm512_and_si512(block, Load(other));
    _mm512_storeu_si512(out, kept);
    return _mm512_cmpneq_epi8_mask(block, kept);
  }

  EXH_ROW_TARGET static std::uint64_t Differ(const std::uint8_t* row, const std::uint8_t* other) {
    return _mm512_cmpneq_epi8_mask(Load(row), Load(other));
  }

  /// lut[index] for 64 lanes. (The masked form: g++ 12 warns about the inside of the other.)
  EXH_ROW_TARGET static __m512i LookUp(const std::uint8_t* lut, int width, __m512i index) {
    if (width == 32) {
      const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lut));
      return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, index, _mm512_castsi256_si512(half));
    }
    if (width == 16) {
      const __m128i quarter = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lut));
      return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, index, _mm512_castsi128_si512(quarter));
    }
    return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, index, Load(lut));
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
    const __m512i old_b = Load(b), old_c = Load(c);
    const __m512i new_b = _mm512_and_si512(old_b, LookUp(lut_b, width_c, old_c));
    const __m512i new_c = _mm512_and_si512(old_c, LookUp(lut_c, width_b, new_b));
    *changed_b = _mm512_mask_cmpneq_epi8_mask(lanes, old_b, new_b);
    *changed_c = _mm512_mask_cmpneq_epi8_mask(lanes, old_c, new_c);
    if (*changed_b != 0) _mm512_storeu_si512(out_b, new_b);
    if (*changed_c != 0) _mm512_storeu_si512(out_c, new_c);
  }
};

constexpr RowKernels kTable = TableOf<Avx512Rows, RowLoop>("avx512");

}  // namespace

const RowKernels* Avx512RowKernels() {
  return &kTable;
}

}  // namespace exh::runtime::internal

#else
namespace exh::runtime::internal {
const RowKernels* Avx512RowKernels() {
  return nullptr;
}
}  // namespace exh::runtime::internal
#endif
