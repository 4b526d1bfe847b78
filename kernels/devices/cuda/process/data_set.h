// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/problem_file.h"
#include "kernels/devices/cuda/driver/gpu.h"

namespace exh::kernels::cuda {

/// The arrays of a problem in device memory, with the reference of every output. Results are
/// checked where they are: nothing but the verdict is copied back.
class DataSet {
 public:
  /// `programs`: the device programs. `copies`: how many sets of arrays, for launches that must not
  /// find their inputs in L2.
  DataSet(const Gpu& gpu, const cpu::Problem& problem, const Module& programs, std::size_t copies);

  std::size_t copies() const { return copies_.size(); }
  /// What a kernel is called with: arrays, scalars, then `scratch`, as pointers to the arguments.
  std::vector<void*> Arguments(std::size_t copy, CUdeviceptr* scratch);
  /// The arrays: by copy, by array.
  const std::vector<std::vector<CUdeviceptr>>& addresses() const { return addresses_; }
  /// Fills the outputs of a copy with what is wrong, when everything before is done: floats with
  /// NaN, bools with bytes that are neither 0 nor 1, integers with a number that their reference
  /// does not have (or has least often).
  void PoisonOutputs(std::size_t copy = 0) const;

  /// Something of an array, by its number.
  struct Place {
    std::size_t array = 0;
    bool is_outside = false;
    std::uint64_t at = 0;     ///< Its index; outside a byte, as OutOfBoundsText() takes it.
    std::uint64_t count = 0;  ///< How many elements are wrong.
  };
  struct Verdict {
    std::string why;  ///< Empty: every element is right and nothing else was written.
    /// An input or a guard zone has changed, and who knows what else: this set is of no use any
    /// more.
    bool is_spoilt = false;
    double max_error = 0, max_ratio = 0;
    /// What `why` is about, where it is a wrong element, or what was written outside an array.
    std::optional<Place> place;
  };
  /// Errors up to this are none in what follows: what a program's instructions lose by design.
  void Forgive(double error) { forgiven_ = error; }
  /// Compares the outputs of a copy with their reference, and looks at all its inputs and guard
  /// zones.
  Verdict Check(std::size_t copy = 0) const { return Check(copy, true); }
  /// The same without what the outputs hold: for what was not run whole.
  Verdict CheckUntouched(std::size_t copy = 0) const { return Check(copy, false); }

  /// Hashes that can be taken before they are asked for.
  static constexpr std::size_t kHashes = 256;
  /// Enqueues a hash of the outputs of a copy, as number `slot`. Outputs are the same, bit by bit,
  /// where their hashes are.
  void TakeHash(std::size_t copy, std::size_t slot) const;
  /// The first `count` of them, when everything is done.
  std::vector<std::uint64_t> Hashes(std::size_t count) const;

 private:
  /// Of an output.
  struct Reference {
    CUfunction check = nullptr;
    unsigned char poison = 0;  ///< Every byte of what the output is filled with.
    DeviceBuffer values, tolerance;
    double rms_limit = 1;
  };
  struct Array {
    std::string name;
    bool is_output = false;
    ir::Type type = ir::Type::kF32;
    std::size_t elements = 0;
    Reference reference;  ///< Empty for inputs.
  };
  /// A scalar as kernels take it: in the type that its own is computed in.
  using Scalar = std::array<std::byte, sizeof(double)>;

  Verdict Check(std::size_t copy, bool has_results) const;
  void AddReference(const cpu::ProblemArray& from, const Module& programs, Reference& to) const;
  void CheckGuards(const DeviceBuffer& buffer) const;
  std::string WrongText(std::size_t copy, std::size_t number, std::uint64_t first,
                        std::uint64_t wrong) const;
  void AddHash(std::size_t copy, std::size_t number, std::size_t slot) const;
  std::uint64_t HashOf(std::size_t copy, std::size_t number) const;

  const Gpu& gpu_;
  CUfunction guard_, hash_;
  std::vector<Array> arrays_;
  std::vector<Scalar> scalars_;
  std::vector<std::vector<DeviceBuffer>> copies_;    ///< By copy, by array.
  std::vector<std::vector<CUdeviceptr>> addresses_;  ///< Of them.
  std::vector<std::uint64_t> input_hashes_;          ///< By array; of no use for outputs.
  DeviceBuffer result_, hashes_;
  double forgiven_ = 0;
};

/// `width`: bytes of an element. `guard`: the first byte that changed; those before the data count
/// from 0, those behind its end from kGuardBytes.
std::string OutOfBoundsText(const std::string& name, std::uint64_t width, std::uint64_t guard);

/// Copies of arrays of `bytes` in all that make a launch miss an L2 of `l2_bytes`.
std::size_t CopiesForColdL2(std::size_t bytes, std::size_t l2_bytes);

}  // namespace exh::kernels::cuda
