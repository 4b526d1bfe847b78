// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/units/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tests/cuda_shim/memory.h"

namespace exh_shim {
namespace {

constexpr unsigned kGroup = 128, kWarp = 32, kMostDepth = 32;

int BytesOf(Factor factor) {
  return factor == Factor::kF16 || factor == Factor::kBf16 ? 2 : 1;
}

double HalfOf(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -size : size;
}

/// The largest of its patterns is no number, and none is infinite.
double E4M3Of(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  const double size = (bits & 127) == 127 ? std::nan("")
                      : exponent == 0     ? std::ldexp(fraction, -9)
                                          : std::ldexp(8 + fraction, exponent - 10);
  return (bits >> 7 & 1) != 0 ? -size : size;
}

double ValueOf(unsigned short bits, Factor factor) {
  switch (factor) {
    case Factor::kBf16: {
      const std::uint32_t word = std::uint32_t{bits} << 16;
      float value = 0;
      std::memcpy(&value, &word, sizeof value);
      return value;
    }
    case Factor::kF16:
      return HalfOf(bits);
    case Factor::kI8:
      return static_cast<signed char>(bits);
    case Factor::kF8e4m3:
      return E4M3Of(bits);
    case Factor::kF8e5m2:
      return HalfOf(static_cast<unsigned>(bits) << 8);
  }
  return 0;
}

/// A sum is four bytes: an int of integers, a float of all others.
double SumAt(const void* place, Factor factor) {
  if (factor == Factor::kI8) {
    int value = 0;
    std::memcpy(&value, place, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}
void SetSum(void* place, Factor factor, double sum) {
  if (factor == Factor::kI8) {
    const int value = static_cast<int>(sum);
    std::memcpy(place, &value, sizeof value);
    return;
  }
  const auto value = static_cast<float>(sum);
  std::memcpy(place, &value, sizeof value);
}

/// A matrix descriptor: bits 0 to 13, 16 to 29 and 32 to 45 count 16 bytes; the last two say the
/// swizzle.
struct Matrix {
  std::int64_t start, leading, stride;
  unsigned mode;

  explicit Matrix(unsigned long long bits)
      : start(static_cast<std::int64_t>(bits & 0x3fff) * 16),
        leading(static_cast<std::int64_t>(bits >> 16 & 0x3fff) * 16),
        stride(static_cast<std::int64_t>(bits >> 32 & 0x3fff) * 16),
        mode(static_cast<unsigned>(bits >> 62)) {}

  /// Bytes of a row of the swizzle; 0: none that is known here.
  std::int64_t width() const { return mode == 1 ? 128 : mode == 2 ? 64 : 0; }

  /// Where the element is: `across`, its row or column of the product, and its step of the sum.
  std::int64_t Place(unsigned across, unsigned step, bool is_across, int bytes) const {
    const std::int64_t row = is_across ? step : across, column = is_across ? across : step;
    const std::int64_t in_row = width() / bytes;  // Elements.
    std::int64_t place = start + row / 8 * stride + row % 8 * width();
    place += column / in_row * leading + column % in_row * bytes;
    // Bits 4 and up change by bits 7 and up: three of them, or two.
    const std::int64_t change = place >> 7 & (mode == 1 ? 7 : 3);
    return place ^ change << 4;
  }
  bool BeginsRow() const {
    const std::int64_t tile = 8 * width();
    return start % tile < width();
  }
};

}  // namespace

void Groups::BeginBlock(unsigned threads) {
  threads_.assign(threads, {});
  issued_.assign((threads + kGroup - 1) / kGroup, {});
}

std::string Groups::EndBlock() const {
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t].pending.empty()) {
      return fmt::format("thread {} has ended, and has not waited for a step of its group", t);
    }
    if (threads_[t].issued != issued_[t / kGroup].size()) {
      return fmt::format("thread {} has taken part in {} of {} steps of its group", t,
                         threads_[t].issued, issued_[t / kGroup].size());
    }
  }
  return "";
}

bool Groups::Fail(unsigned thread, int line, const std::string& why) {
  error_ = fmt::format("line {}: thread {} {}", line, thread, why);
  return false;
}

bool Groups::Issue(const StepInPlace& step, unsigned thread, bool is_late, Memory& memory) {
  Thread& own = threads_[thread];
  if (!own.has_begun) {
    return Fail(thread, step.line, "multiplies in place, and nothing orders its registers before");
  }
  if (threads_.size() < (thread / kGroup + 1) * kGroup) {
    return Fail(thread, step.line, "multiplies in place, and its group has not all threads");
  }
  std::vector<Issued>& all = issued_[thread / kGroup];
  if (own.issued == all.size()) {
    all.push_back({step.line, step.first, step.second});
  }
  const Issued& first = all[own.issued++];
  if (first.line != step.line || first.first != step.first || first.second != step.second) {
    return Fail(thread, step.line, "multiplies other matrices than its group");
  }
  if (BytesOf(step.factor) == 1 && (step.first_across || step.second_across)) {
    return Fail(thread, step.line, "multiplies bytes in rows that go across the sum");
  }
  for (const unsigned long long bits : {step.first, step.second}) {
    const Matrix matrix(bits);
    if (matrix.width() == 0) return Fail(thread, step.line, "describes no swizzle");
    if (!matrix.BeginsRow()) {
      return Fail(thread, step.line, "describes a matrix that begins within rows of a swizzle");
    }
  }
  Step issued = {step, {}, own.batches, memory.num_bulk_copies()};
  if (is_late) {
    // It may read right now.
    if (!Look(issued, thread, memory)) return false;
    issued.sums.assign(step.sums, step.sums + step.num_sums);
  } else if (!Do(issued, step.sums, thread, memory)) {
    return false;
  }
  if (is_late || memory.is_ordered()) own.pending.push_back(std::move(issued));
  return true;
}

bool Groups::Await(int left, unsigned thread, Memory& memory) {
  Thread& own = threads_[thread];
  const auto is_awaited = [&](const Step& step) { return step.batch < own.batches - left; };
  for (const Step& step : own.pending) {
    if (!is_awaited(step)) continue;
    const bool is_right =
        step.sums.empty() ? Look(step, thread, memory) : Do(step, step.sums.data(), thread, memory);
    if (!is_right) return false;
  }
  std::erase_if(own.pending, is_awaited);
  return true;
}

bool Groups::Look(const Step& step, unsigned thread, Memory& memory) {
  std::vector<std::uint32_t> nowhere(step.what.num_sums);
  std::vector<void*> places;
  for (std::uint32_t& sum : nowhere) places.push_back(&sum);
  return Do(step, places.data(), thread, memory);
}

bool Groups::Do(const Step& issued, void* const* sums, unsigned thread, Memory& memory) {
  const StepInPlace& step = issued.what;
  const Matrix first(step.first), second(step.second);
  const unsigned lane = thread % kWarp, warp = thread % kGroup / kWarp;
  const unsigned columns = 2 * step.num_sums;
  const int bytes = BytesOf(step.factor);
  const unsigned depth = 32 / static_cast<unsigned>(bytes);
  double rows[2][kMostDepth];
  const auto take = [&](const Matrix& matrix, unsigned across, unsigned k, bool is_across,
                        double& value) {
    unsigned short bits = 0;
    const std::int64_t place = matrix.Place(across, k, is_across, bytes);
    if (!memory.TakeInPlace(place, bytes, bits, issued.copies, thread)) return false;
    value = ValueOf(bits, step.factor);
    return true;
  };
  for (unsigned h = 0; h < 2; ++h) {
    for (unsigned k = 0; k < depth; ++k) {
      if (!take(first, 16 * warp + lane / 4 + 8 * h, k, step.first_across, rows[h][k]))
        return false;
    }
  }
  // As the PTX ISA has it: "wgmma.m64nNk16" and "wgmma.m64nNk32", of D.
  for (unsigned n = 0; n < columns; n += 8) {
    for (unsigned b = 0; b < 2; ++b) {
      double column[kMostDepth];
      for (unsigned k = 0; k < depth; ++k) {
        if (!take(second, n + lane % 4 * 2 + b, k, step.second_across, column[k])) return false;
      }
      for (unsigned h = 0; h < 2; ++h) {
        void* const sum = sums[n / 2 + 2 * h + b];
        double total = step.begins ? 0 : SumAt(sum, step.factor);
        for (unsigned k = 0; k < depth; ++k) total = std::fma(rows[h][k], column[k], total);
        SetSum(sum, step.factor, total);
      }
    }
  }
  return true;
}

}  // namespace exh_shim
