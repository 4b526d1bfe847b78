// SPDX-License-Identifier: MIT
//
// The host of a space that is loaded: it answers out of data. What stands for code in the tables of
// such a space is numbered by the loader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsl/known/known_term.h"
#include "dsl/spec.h"
#include "load/space_data.h"
#include "runtime/host.h"
#include "runtime/space.h"

namespace exh::load {

/// What the host is asked for with a number of code. Its terms are known before the search.
struct DataCode {
  enum class Kind : std::uint8_t {
    kExternal,    ///< An extern, asked for the objects of its own scope.
    kTerm,        ///< `left`.
    kComparison,  ///< `left op right`.
    kUniverse,    ///< The numbers of `spans`.
  };
  Kind kind = Kind::kExternal;
  int external = -1;
  dsl::Term left, right;
  dsl::CompareOp op = dsl::CompareOp::kEq;
  std::vector<dsl::TermSpan> spans;
  std::vector<int> roots;  ///< Of the variables in scope: the root of the set of each.
  std::string place;       ///< For messages: "my.exh:3: choice start".
};

class DataHost final : public runtime::Host {
 public:
  DataHost(SpaceData data, std::vector<DataCode> codes)
      : data_(std::move(data)), codes_(std::move(codes)) {}

  int Size(int root_set) const override;
  std::string Name(int root_set, runtime::Object object) const override;
  std::vector<Member> Members(int set) const override;
  bool Test(runtime::CodeId code, std::span<const runtime::Object> scope) const override;
  std::vector<std::uint32_t> Numbers(runtime::CodeId code,
                                     std::span<const runtime::Object> scope) const override;
  std::int64_t Integer(runtime::CodeId code, std::span<const runtime::Object> scope) const override;
  /// There are no triggers.
  std::vector<Planned> Plan(int trigger, std::span<const runtime::Object> scope) const override;

 private:
  /// Throws HostError where it divides by 0 or is too large.
  std::int64_t Value(const DataCode& code, const dsl::Term& term,
                     std::span<const runtime::Object> scope) const;
  dsl::KnownValue ValueIn(const DataCode& code, const dsl::Term& term,
                          std::span<const runtime::Object> scope) const;

  SpaceData data_;
  std::vector<DataCode> codes_;
};

}  // namespace exh::load
