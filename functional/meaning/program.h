// SPDX-License-Identifier: MIT
//
// Program: what a functional program means. Functions are unfolded where they are applied, names
// are resolved, every value has a type and lies in some memory. A value is a node; what *writes*
// memory (it reaches a user function) is used in one place only, what does not is a view and may be
// shared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/source_range.h"
#include "functional/terms/terms.h"

namespace exh::functional {

struct DataType;
using TypePtr = std::shared_ptr<const DataType>;

struct DataType {
  enum class Kind : std::uint8_t { kScalar, kVector, kArray, kTuple };
  Kind kind = Kind::kScalar;
  std::string scalar;          ///< kScalar, kVector.
  Term length;                 ///< kArray, kVector.
  std::vector<TypePtr> items;  ///< kArray: of the elements; kTuple.
};

/// `[[float]8]n`.
std::string TextOf(const DataType& type, const Terms& terms);
/// What it takes, in bytes.
Term BytesOf(const DataType& type, Terms& terms);

enum class MemorySpace : std::uint8_t { kGlobal, kLocal, kPrivate };
const char* WordOf(MemorySpace space);

/// Where a value lies: the components of tuples may lie in several places.
struct Spaces {
  MemorySpace space = MemorySpace::kGlobal;
  std::vector<Spaces> items;  ///< Of a tuple.

  bool Has(MemorySpace which) const;
  /// The one in which all of it lies.
  std::optional<MemorySpace> Only() const;
};

struct Node;
using NodePtr = std::shared_ptr<Node>;

struct Node {
  enum class Kind : std::uint8_t {
    kInput,     ///< `name`.
    kConstant,  ///< A number in a calculation, or an array of equal ones.
    kVariable,  ///< The parameter of a map or reduction, or what a let binds.
    kItem,      ///< A component of a tuple: `item`.
    kTuple,
    kMap,     ///< inputs[0] by element; `variables[0]`, `body`.
    kReduce,  ///< inputs: initial value, array; `variables`: of the result so far, of the element.
    kLet,     ///< `variables[0]` is inputs[0] in `body`.
    kUser,    ///< A user function `name` of the inputs: it writes its result.
    kView,    ///< `name` of inputs[0]: the same numbers in another order or shape.
  };
  Kind kind = Kind::kView;
  std::string name;  ///< Of a map: how it is called in the tree of maps.
  int item = 0;
  /// kConstant, and what `pad` puts around an array: the number, a whole one or a real.
  std::optional<Term> number;
  double real = 0;
  /// kView: of slide the size and the step, of pad how many elements come before and after, of
  /// reorder the stride.
  std::vector<Term> arguments;
  /// kMap: which map it is. -1: open; otherwise the code of how it runs (docs/lift.md).
  int code = -1;
  TypePtr type;
  Spaces spaces;
  bool writes = false;
  std::vector<NodePtr> inputs;
  std::vector<NodePtr> variables;
  NodePtr body;
  dsl::SourceRange range;
};

/// What must hold of the parameters, and why.
struct ProgramRequirement {
  std::string label;  ///< `split_kappa`; not unique.
  Term left, right;
  std::string op;   ///< `<=`, `==`, …; `%`: the right one divides the left one.
  std::string why;  ///< `split(kappa, …) of 64`.
  dsl::SourceRange range;
  dsl::SourceRange
      call;  ///< The outermost call that it comes from; equal to `range` if it is none.
};

struct ProgramParameter {
  std::string name;
  /// Ascending, distinct. Without `param … in` empty until infer/universes.h has found them.
  std::vector<std::int64_t> values;
  bool is_inferred = false;
  dsl::SourceRange range;
};

struct ProgramKernel {
  std::string name;
  NodePtr result;
  dsl::SourceRange range;
};

struct Limit {
  std::string word;
  std::int64_t number = 0;
  dsl::SourceRange range;
};

/// Words of `limit`.
inline constexpr std::array<const char*, 4> kLimits = {"threads", "buffer", "local", "private"};

/// Values of all parameters, by name.
using Assignment = std::map<std::string, std::int64_t>;

struct Program {
  Terms terms;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<ProgramParameter> parameters;
  std::vector<Limit> limits;
  std::vector<ProgramKernel> kernels;
  std::vector<ProgramRequirement> requirements;
};

/// The inputs that some kernel reads and no kernel is, by name.
std::map<std::string, const Node*> InputsOf(const Program& program);

}  // namespace exh::functional
