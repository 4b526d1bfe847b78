// SPDX-License-Identifier: MIT
//
// The words of the languages of GPUs. What a program does is printed by GpuStatements and
// printer.cc, once for all of them; a dialect is how it is spelled. The words here are those of
// CUDA C++. A dialect puts others in their place, and says what it has no word for: a program that
// needs that is refused before any of it is printed.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::codegen {

/// What a program may need that not every language has a word for.
namespace needs {
inline constexpr std::string_view kDoubles = "doubles", kShuffles = "shuffles among threads",
                                  kAtomics = "atomic operations on outputs",
                                  kVectorAtomics = "atomic operations on vectors",
                                  kLastBlock = "the fence before the ticket of a last block",
                                  kLookBack = "what blocks say to those behind them",
                                  kCacheHints = "accesses that say what caches keep",
                                  kClusters = "clusters of blocks",
                                  kAsyncCopies = "asynchronous copies",
                                  kBulkCopies = "bulk copies of tensors",
                                  kMatrixUnits = "steps of matrix units",
                                  kOverlap = "launches that overlap",
                                  kClock = "the clock of a kernel that gives up";
}  // namespace needs
using Needs = std::set<std::string_view>;

/// Several elements that are loaded or stored at once.
struct WideType {
  ir::Type element = ir::Type::kF32;
  std::uint32_t lanes = 1;
  friend auto operator<=>(const WideType&, const WideType&) = default;
};

/// A function that loads or stores them.
struct WideAccess {
  std::string name;  ///< "load4_cg"; those of other elements are overloads.
  WideType type;
  bool is_load = true;
  std::string suffix;  ///< Of the cache directive: "cg".
  friend auto operator<=>(const WideAccess&, const WideAccess&) = default;
};

class GpuWords {
 public:
  GpuWords();
  GpuWords(const GpuWords&) = delete;
  GpuWords& operator=(const GpuWords&) = delete;
  virtual ~GpuWords() = default;

  ir::Dialect dialect = ir::Dialect::kCuda;
  std::string_view name = "CUDA C++";
  Needs lacks;
  std::string function = "static __device__ __forceinline__ ";  ///< Before what kernels call.
  std::string restricted = "__restrict__";
  std::string thread = "threadIdx.x", block = "blockIdx.x";
  std::string barrier = "__syncthreads();";
  std::string global, shared;  ///< Before the type of what lies there.
  std::string byte = "unsigned char";
  std::string widen_byte;  ///< Defines what an i8 in memory is read by.

  /// Lines above all functions, which end with an empty one. `needs`: of the program.
  virtual std::string Head(const Needs& /*needs*/) const { return ""; }
  /// The line before the name of a kernel of so many threads, `blocks` of which a multiprocessor
  /// has at once.
  virtual std::string Kernel(std::uint32_t threads, std::uint32_t blocks) const;
  /// Declares the memory that threads of a block share: above all kernels, and in each.
  virtual std::string Shared(std::uint64_t bytes) const;
  /// The same where it begins at a multiple of so many bytes.
  virtual std::string SharedAt(std::uint64_t alignment) const;
  virtual std::string SharedOfKernel(std::uint64_t /*bytes*/) const { return ""; }

  std::string Element(ir::Type type) const { return std::string(ElementName(type, dialect)); }
  std::string Register(ir::Type type) const { return std::string(RegisterName(type, dialect)); }
  std::string Cast(std::string_view type, const std::string& text) const {
    return ir::CastTo(type, text, dialect);
  }
  /// "static_cast<unsigned>(i - 1)" and "56u": what compares an index that may be below 0.
  std::string Unsigned(bool is_large, const std::string& text) const {
    return Cast(ir::UnsignedName(is_large, dialect), text);
  }
  std::string UnsignedNumber(std::uint64_t number, bool is_large) const {
    return std::to_string(number) + "u" +
           std::string(is_large ? ir::LongSuffix(dialect) : std::string_view());
  }
  /// "float*", to global memory, or to what threads share.
  std::string Pointer(const std::string& type, MemSpace space = MemSpace::GLOBAL) const;
  virtual std::string CastPointer(const std::string& pointer_type, const std::string& text) const;
  /// What stands before the name of a pointer whose type follows from its value.
  virtual std::string Deduced(const std::string& text, const std::string& /*pointer_type*/) const {
    return text;
  }

  /// What the thread has whose index differs in one bit, in a block of so many threads.
  virtual std::string Shuffle(const std::string& value, std::uint32_t bit,
                              std::uint32_t threads) const;
  /// The element at a pointer, which other blocks may have written while this one runs. A load that
  /// compilers leave where it is. (They may move __ldcg, whose text says nothing of memory.)
  virtual std::string Fresh(const std::string& pointer) const { return "__ldcv(" + pointer + ")"; }

  /// Functions of blocks that look back: `exh_tell` and `exh_hear` write and read a word of a
  /// status, at once and past all caches that blocks do not share; among lanes of a warp, which
  /// all call it, `exh_ballot` is a bit for each lane and `exh_swap` what another lane has.
  virtual std::string LookBackFunctions() const;

  /// The name of the type, …
  virtual std::string Name(const WideType& type) const;
  /// … what stands behind the name of one to mean an element of it, …
  virtual std::string Member(const WideType& type, std::uint32_t lane) const;
  /// … and one that has these elements.
  virtual std::string Make(const WideType& type, const std::string& elements) const;
  virtual std::string Load(const WideAccess& access, const std::string& pointer) const;
  virtual std::string Store(const WideAccess& access, const std::string& pointer,
                            const std::string& value) const;
  /// Lines that define types and functions.
  virtual std::vector<std::string> Definitions(const std::set<WideAccess>& accesses) const;
};

/// Those of a dialect, which is none of a processor's. They live as long as the program.
const GpuWords& WordsOf(ir::Dialect dialect);
const GpuWords& HipWords();
const GpuWords& OpenClWords();

/// CUDA C++ of `exh_let_next_begin` and `exh_await_previous`, of launches that overlap.
std::string_view OverlapFunctions();
/// CUDA C++ of `exh_look`: a thread that looks at the clock behind the deadline exits.
std::string_view ClockFunctions();

}  // namespace exh::kernels::codegen
