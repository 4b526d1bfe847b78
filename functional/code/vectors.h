// SPDX-License-Identifier: MIT
//
// Vectors: what the four lanes of a map with code 2 read and write.
//
// The lanes are lowered twice. The first time each access notes its address. Lanes take the same
// way through a function, so the first access of one lane belongs to the first of the others, and
// so on. Their addresses are equal, which is one access for all lanes, or side by side and aligned,
// which is a vector, or neither, and then the map cannot be vectorised. The second time accesses
// are spelled so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "functional/code/storage.h"

namespace exh::functional {

class Vectors {
 public:
  static constexpr std::int64_t kLanes = 4;

  /// `name` begins the names of what is loaded.
  explicit Vectors(std::string name) : name_(std::move(name)) {}

  /// The accesses of this lane follow.
  void BeginLane(std::int64_t lane);
  /// After the first time. Empty: they can be vectors; otherwise why not.
  std::string Plan();

  /// A scalar in memory that other threads see, as C++; it is read where `conditions` hold.
  std::string Read(const Place& place, const std::vector<Condition>& conditions);
  /// After the accesses that `value` is made of.
  void Write(const Place& place, const std::string& value);

  /// The statements. `guards`: conditions of writing; `owners`: more of them where what is replaced
  /// is read as well.
  std::vector<std::string> Text(const std::vector<std::string>& guards,
                                const std::vector<std::string>& owners) const;

 private:
  struct Access {
    std::string name;
    Condition condition;
    MemorySpace space = MemorySpace::kGlobal;
    Index address;
  };
  using Lanes = std::array<Access, kLanes>;
  static bool AreSame(const Lanes& lanes);
  static bool AreSideBySide(const Lanes& lanes);
  static std::string VectorOf(const Access& access, const char* type);
  std::string NameOf(std::size_t read) const;

  std::string name_;
  bool is_planned_ = false;
  std::size_t lane_ = 0, read_ = 0;
  std::vector<Lanes> reads_;
  std::vector<std::size_t> loads_;  ///< By read, the first one of the same vector.
  std::vector<Lanes> writes_;       ///< One at most: registers are not among them.
  std::array<std::string, kLanes> values_;
  std::vector<std::string> to_registers_;
};

}  // namespace exh::functional
