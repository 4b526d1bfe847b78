// SPDX-License-Identifier: MIT
//
// Names that users give (arrays, scalars, sizes, indices, kernels) as identifiers of texts that
// compilers read: C, C++, CUDA C++ and Python. All printers take them from here, so that a name is
// the same one in a kernel, in the function around it, in headers and in tuned.py.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// Names that are given away.
using Taken = std::set<std::string, std::less<>>;

/// Is it a word of C, C++ or Python, or a type or macro of their headers?
bool IsWord(std::string_view name);

/// Can no name be this one? Words of C, C++ and Python, types and macros of standard headers, what
/// only compilers may call something, and what begins with "exh", as what we print does. (Macros
/// are more than can be listed: what has three letters or more and no small one could be one.)
bool IsReserved(std::string_view name);

/// With an underscore for each character that no identifier has.
std::string AsIdentifier(std::string_view name);

/// `name`, numbered where it is taken: "m", "m_2". It is taken from now on.
std::string Numbered(std::string_view name, Taken& taken);

/// The one rule of renaming: AsIdentifier(), with an underscore behind what is reserved, and a
/// number behind what is taken. It is taken from now on.
std::string Identifier(std::string_view name, Taken& taken);

/// The same for what a function takes that is printed around kernels: what these call their own is
/// reserved as well.
std::string ArgumentName(std::string_view name, Taken& taken);

/// Identifiers of what a kernel takes. The same wherever they are printed.
struct ArgumentNames {
  explicit ArgumentNames(const Function& function);
  std::vector<std::string> arrays;   ///< By number.
  std::vector<std::string> scalars;  ///< Likewise.
};

}  // namespace exh::kernels::ir
