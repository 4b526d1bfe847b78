// SPDX-License-Identifier: MIT
//
// Owners of isl's objects over its C interface. (isl/cpp.h, which isl brings along, has neither
// coefficients nor matrices.) isl counts references and marks each argument as taken or kept;
// Give() is for the first, get() for the second. No call of ours ends the process: isl is told to
// go on after an error, calls with a null object return null, and Take() turns that into an
// exception.
#pragma once

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/ctx.h>
#include <isl/flow.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/mat.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <string>
#include <utility>

#include "base/error.h"

namespace exh::poly {

/// isl could not do what it was asked for: out of memory, or out of the operations that it may
/// take.
class IslError : public Error {
 public:
  using Error::Error;
};

/// What an IslError says when isl may take no more operations.
inline constexpr const char* kOutOfOperations = "more operations than allowed";

/// The context of this thread, made at its first use and freed with the thread. isl's objects must
/// not leave the thread, nor outlive it: functions of poly/ take and return plain values.
isl_ctx* ThreadContext();

/// Throws IslError with what isl says of its last error, after `what`.
[[noreturn]] void ThrowIslError(const char* what);

/// How an object of type T is copied and freed.
template <class T>
struct OwnerTraits;

/// One reference to an isl object, or none.
template <class T>
class Owner {
 public:
  Owner() = default;
  explicit Owner(T* object) : object_(object) {}
  Owner(const Owner& other) : object_(other.copy()) {}
  Owner(Owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owner& operator=(Owner other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owner() {
    if (object_ != nullptr) OwnerTraits<T>::Free(object_);
  }

  /// For arguments that isl keeps (__isl_keep).
  T* get() const { return object_; }
  /// For arguments that isl takes (__isl_take), while the object is still needed here.
  T* copy() const { return object_ == nullptr ? nullptr : OwnerTraits<T>::Copy(object_); }
  /// For arguments that isl takes, when the object is not needed here any more.
  T* Give() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

/// Owns what isl returned. Throws IslError if that is null.
template <class T>
Owner<T> Take(T* object) {
  if (object == nullptr) ThrowIslError("isl");
  return Owner<T>(object);
}

/// What a predicate of isl says. Throws IslError if it failed.
inline bool IsTrue(isl_bool answer) {
  if (answer == isl_bool_error) ThrowIslError("isl");
  return answer == isl_bool_true;
}

/// Throws IslError if a call of isl failed.
inline void Require(isl_stat status) {
  if (status != isl_stat_ok) ThrowIslError("isl");
}

/// A text that isl allocated. Throws IslError if it is null.
std::string TakeText(char* text);

#define EXH_ISL_OWNER(type)                                                           \
  template <>                                                                         \
  struct OwnerTraits<isl_##type> {                                                    \
    static isl_##type* Copy(isl_##type* object) { return isl_##type##_copy(object); } \
    static void Free(isl_##type* object) { isl_##type##_free(object); }               \
  };
EXH_ISL_OWNER(aff)
EXH_ISL_OWNER(ast_build)
EXH_ISL_OWNER(ast_expr)
EXH_ISL_OWNER(ast_node)
EXH_ISL_OWNER(ast_node_list)
EXH_ISL_OWNER(basic_map)
EXH_ISL_OWNER(basic_set)
EXH_ISL_OWNER(id)
EXH_ISL_OWNER(map)
EXH_ISL_OWNER(mat)
EXH_ISL_OWNER(multi_aff)
EXH_ISL_OWNER(pw_multi_aff)
EXH_ISL_OWNER(schedule)
EXH_ISL_OWNER(schedule_constraints)
EXH_ISL_OWNER(set)
EXH_ISL_OWNER(space)
EXH_ISL_OWNER(union_access_info)
EXH_ISL_OWNER(union_flow)
EXH_ISL_OWNER(union_map)
EXH_ISL_OWNER(union_set)
EXH_ISL_OWNER(val)
#undef EXH_ISL_OWNER

}  // namespace exh::poly
