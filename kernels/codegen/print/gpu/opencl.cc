// SPDX-License-Identifier: MIT
//
// OpenCL C is C99 with types of vectors and with spaces of addresses: pointers say where they point
// to, and nothing is deduced. From version 1.2 on everything here is part of the language but
// doubles and shuffles, which are extensions that the text asks for where it uses them. Blocks
// cannot wait for each other before version 2.0, and floats have no atomic operations: who divides
// a reduction makes one value of it in a second launch.
#include "kernels/codegen/print/gpu/words.h"

namespace exh::kernels::codegen {
namespace {

class OpenCl final : public GpuWords {
 public:
  OpenCl() {
    dialect = ir::Dialect::kOpenCl;
    name = "OpenCL C";
    lacks = {needs::kAtomics,    needs::kVectorAtomics, needs::kLastBlock,   needs::kLookBack,
             needs::kCacheHints, needs::kAsyncCopies,   needs::kMatrixUnits, needs::kOverlap,
             needs::kClock,      needs::kClusters};
    function = "static inline ";
    restricted = "restrict";
    thread = "(int)get_local_id(0)";
    block = "(int)get_group_id(0)";
    barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
    global = "__global ";
    shared = "__local ";
    byte = "uchar";
    widen_byte = "static inline int exh_from_i8(char x) { return x; }";
  }

  std::string Head(const Needs& asked) const override {
    std::string text;
    if (asked.contains(needs::kDoubles)) text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    if (!asked.contains(needs::kShuffles)) return text;
    return text +
           "#ifndef cl_khr_subgroup_shuffle\n#error \"cl_khr_subgroup_shuffle is needed\"\n"
           "#endif\n";
  }
  std::string Kernel(std::uint32_t threads, std::uint32_t /*blocks*/) const override {
    return "__kernel __attribute__((reqd_work_group_size(" + std::to_string(threads) +
           ", 1, 1))) void";
  }
  std::string Shared(std::uint64_t /*bytes*/) const override { return ""; }
  std::string SharedOfKernel(std::uint64_t bytes) const override {
    return "__local float4 exh_shared[" + std::to_string((bytes + 15) / 16) + "];";
  }
  std::string CastPointer(const std::string& pointer_type, const std::string& text) const override {
    return Cast(pointer_type, text);
  }
  std::string Deduced(const std::string& /*text*/, const std::string& pointer_type) const override {
    return pointer_type + " const";
  }
  std::string Shuffle(const std::string& value, std::uint32_t bit,
                      std::uint32_t /*threads*/) const override {
    return "sub_group_shuffle_xor(" + value + ", " + std::to_string(bit) + "u)";
  }
  std::string Fresh(const std::string& pointer) const override { return "*(" + pointer + ")"; }

  std::string Name(const WideType& type) const override {
    return Element(type.element) + std::to_string(type.lanes);
  }
  std::string Member(const WideType& /*type*/, std::uint32_t lane) const override {
    return std::string(".s") + "0123456789abcdef"[lane];
  }
  std::string Make(const WideType& type, const std::string& elements) const override {
    return "(" + Name(type) + ")(" + elements + ")";
  }
  std::string Load(const WideAccess& access, const std::string& pointer) const override {
    return "vload" + std::to_string(access.type.lanes) + "(0, " + pointer + ")";
  }
  std::string Store(const WideAccess& access, const std::string& pointer,
                    const std::string& value) const override {
    return "vstore" + std::to_string(access.type.lanes) + "(" + value + ", 0, " + pointer + ")";
  }
  std::vector<std::string> Definitions(const std::set<WideAccess>& /*accesses*/) const override {
    return {};
  }
};

}  // namespace

const GpuWords& OpenClWords() {
  static const OpenCl words;
  return words;
}

}  // namespace exh::kernels::codegen
