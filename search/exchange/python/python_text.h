// SPDX-License-Identifier: MIT
//
// Expressions of Python, as the values and restrictions of tuning problems are written. They are
// read and calculated here: nothing is handed to an interpreter. What is known:
//
//   numbers, texts, True and False, names
//   + - * / // % **, comparisons also in chains, in, not in, and, or, not
//   [1, 2], (1, 2), [2**i for i in range(5) if i != 3], sizes[0], range(…), list(…), min(…),
//   max(…), abs(…), len(…)
//
// Everything else is refused with its place in the text. References of operators (exchange/torch)
// are read with kReference, and never calculated. They may have more:
//
//   a.b, f(a, b=c) of whatever f, a[b, c:d:e, ...], a @ b, a & b, a | b, ~a, None, {"a": b}
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/exchange/python/python_value.h"

namespace exh::search {

struct PythonNode {
  enum class Kind {
    kValue,       ///< A number, a text, a Boolean.
    kName,        ///< `word`; `variable` once it is bound.
    kNegate,      ///< `-part`.
    kNot,         ///< `not part`.
    kCalculate,   ///< Two parts; `word` is the operator.
    kCompare,     ///< Two parts or more; `operators` stand between them.
    kAnd,         ///< Two parts or more.
    kOr,          ///< The same.
    kCall,        ///< `word(parts)`.
    kList,        ///< `[parts]`.
    kListOfEach,  ///< `[part 0 for word in part 1 if part 2]`; part 2 may be absent.
    kElement,     ///< `part 0[parts]`; one part behind the first, but in references.
    // Of references alone.
    kNothing,  ///< `None`, `...` (`word` is that), and what is left out in a slice.
    kMember,   ///< `part.word`.
    kApply,    ///< `part 0(parts)`; `operators` has the name of each part, "" where it has none.
    kSlice,    ///< `part 0 : part 1 : part 2`, within those brackets.
  };
  Kind kind = Kind::kValue;
  PythonValue value;
  std::string word;
  int variable = -1;  ///< Index in the list of names that it was bound to.
  std::vector<std::string> operators;
  std::vector<PythonNode> parts;
  std::size_t begin = 0, end = 0;  ///< Where it stands in the text.
};

enum class PythonWords { kTuning, kReference };

/// Throws UsageError, "column 7: '!' is not understood: …", with the column of the text.
PythonNode ParsePython(const std::string& text, PythonWords words = PythonWords::kTuning);

/// Says of each name which of `names` it is. Throws UsageError for one that is none of them.
void BindNames(PythonNode& node, const std::vector<std::string>& names);

/// Calculates what was bound; `values` are those of the names, in their order, and the same
/// afterwards. Throws PythonError.
PythonValue Evaluate(const PythonNode& node, std::vector<PythonValue>& values);

/// The names that a bound expression asks for, ascending.
std::vector<int> VariablesOf(const PythonNode& node);

}  // namespace exh::search
