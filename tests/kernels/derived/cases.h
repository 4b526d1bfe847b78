// SPDX-License-Identifier: MIT
//
// Backbones whose texts are tried: those of the library with every option, and some that no kernel
// of the library is like. And what each of them computes, point by point and without any idea.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/elements.h"
#include "kernels/ir/function.h"
#include "kernels/library/kernel.h"

namespace exh::kernels::derived::testing {

struct Case {
  std::string name;
  ir::Function function;
  std::unique_ptr<Kernel> kernel;  ///< Null: of no library.
  Parameters sizes;
};

/// A backbone of no library.
Case Built(const std::string& name, const std::function<void(ir::Builder&)>& build);

std::vector<Case> LibraryCases();
std::vector<Case> OtherCases();
/// Both.
std::vector<Case> AllCases();
/// With scans.
std::vector<Case> ScanCases();
/// With other types than f32, casts, indices, or loads that leave their arrays.
std::vector<Case> TypedCases();

/// Arrays of a function, inputs drawn at random, floats from [-1, 1], and outputs as wrong as can
/// be; and its scalars.
struct Data {
  explicit Data(const ir::Function& function);
  std::vector<void*> pointers();
  std::vector<Elements> arrays;
  std::vector<double> scalars;
};

/// A value with the squares of its errors and the number of its roundings (error_squares.h).
struct Exact {
  double value = 0, squares = 0, count = 0;
  double slack = 0;  ///< What an output may be off besides.
  /// A guess if there is an operation in it that the rules do not know.
  double tolerance() const;
};

/// Every element of every output, by array.
std::map<int, std::vector<Exact>> ExactResults(const ir::Function& function, const Data& data);

}  // namespace exh::kernels::derived::testing
