// SPDX-License-Identifier: MIT
//
// Expressions over sizes: extents, strides, tile levels and index maps, at given sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Sizes and options by name.
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// offset + sum of factor * index.
struct IndexMap {
  std::int64_t offset = 0;
  std::vector<std::pair<std::string, std::int64_t>> factors;  ///< No factor is 0, no index twice.

  bool is_plain_index() const {
    return offset == 0 && factors.size() == 1 && factors.front().second == 1;
  }
};

/// Is something read in the subscript, or cast, or summed up? Or are indices in it more than added
/// and multiplied by numbers? Then no index map says it, and it is computed. `is_read`: of names
/// alone.
bool IsComputed(const Expr& subscript, const std::function<bool(std::string_view)>& is_read,
                const std::function<bool(std::string_view)>& is_index);

class Numbers {
 public:
  Numbers(const Sizes& sizes, dsl::DiagnosticSink& sink) : sizes_(sizes), sink_(sink) {}

  /// The value of a whole-number expression over sizes. Nothing when something in it is wrong,
  /// which is reported: a name that is no size, a division by zero, a value beyond 2^63.
  std::optional<std::int64_t> Value(const Expr& expr);
  /// The same where names that `is_index` holds for are indices, of which only sums and multiples
  /// make sense.
  std::optional<IndexMap> Map(const Expr& expr,
                              const std::function<bool(std::string_view)>& is_index);

 private:
  std::optional<IndexMap> Call(const Expr& expr);
  std::optional<std::int64_t> Constant(std::string_view op, const Expr& expr,
                                       const std::vector<std::int64_t>& args);
  std::optional<std::int64_t> Checked(__int128 value, const Expr& expr);
  std::optional<IndexMap> Scaled(const IndexMap& map, std::int64_t factor, const Expr& expr);
  std::optional<IndexMap> Sum(const IndexMap& a, const IndexMap& b, const Expr& expr);

  const Sizes& sizes_;
  dsl::DiagnosticSink& sink_;
  const std::function<bool(std::string_view)>* is_index_ = nullptr;
};

}  // namespace exh::kernels::notation
