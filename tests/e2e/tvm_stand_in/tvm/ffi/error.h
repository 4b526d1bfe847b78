// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace tvm::ffi {

/// Throws at the end of the statement that it stands in.
class StandInThrower {
 public:
  explicit StandInThrower(const char* kind) { text_ << kind << ": "; }
  ~StandInThrower() noexcept(false) { throw std::runtime_error(text_.str()); }
  template <typename T>
  StandInThrower& operator<<(const T& part) {
    text_ << part;
    return *this;
  }

 private:
  std::ostringstream text_;
};

}  // namespace tvm::ffi

#define TVM_FFI_THROW(kind) ::tvm::ffi::StandInThrower(#kind)
