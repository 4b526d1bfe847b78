// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/ir/function.h"
#include "kernels/ir/names/identifiers.h"

namespace exh::kernels::derived {

/// Identifiers of a derived text. Everything has its name in the backbone, as far as that is free
/// (kernels/ir/names/identifiers.h): arrays and scalars come first, then axes, then nodes.
class SourceNames {
 public:
  /// `reserved`: names that the text has already.
  SourceNames(const ir::Function& function, const Expression& expression,
              const std::vector<std::string>& reserved);

  const std::string& array(ir::ArrayId id) const { return arrays_[id.index()]; }
  const std::string& scalar(std::size_t i) const { return scalars_[i]; }
  /// Of the scalar with this name in the backbone, which there must be.
  const std::string& scalar(std::string_view name) const;
  /// For the text, which has it from here on.
  const std::string& axis(int i) const {
    read_[static_cast<std::size_t>(i)] = true;
    return axes_[static_cast<std::size_t>(i)];
  }
  /// Has the text the name of this axis?
  bool HasAxis(int i) const { return read_[static_cast<std::size_t>(i)]; }
  const std::string& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  /// A name like `wanted` that nothing else has or will get from here.
  std::string Unique(const std::string& wanted);

 private:
  const ir::Function& function_;
  ir::Taken taken_;
  std::vector<std::string> arrays_, scalars_, axes_, nodes_;
  mutable std::vector<bool> read_;  ///< By axis.
};

/// `m * 512 + 3`: the offset and the steps of the axes. Those of a single iteration are left out,
/// here and below.
std::string AffineText(const Expression& expression, const SourceNames& names,
                       const ir::Affine<int>& affine);

/// Is that a name, or a number that is not negative?
bool IsAtom(const Expression& expression, const ir::Affine<int>& affine);

/// The element that a load or store is of.
std::string AccessText(const Expression& expression, const SourceNames& names,
                       const Expression::Node& node);

/// The number of the element of a load with an index, of which `index` is the text, without a sign:
/// what is below 0 is far beyond the last one.
std::string ElementText(const Expression& expression, const SourceNames& names,
                        const Expression::Node& load, const std::string& index);

/// When do its guards say that a load is inside of its array? Empty: always.
std::string GuardText(const Expression& expression, const SourceNames& names,
                      const Expression::Node& load);

/// The number of a point of these axes, the last one innermost: "m * 512 + n".
std::string PointText(const Expression& expression, const SourceNames& names,
                      const std::vector<int>& axes);

}  // namespace exh::kernels::derived
