// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

namespace exh::kernels::cuda {

/// A shared object that is looked for when the program runs, never linked: the same binary works on
/// machines that do not have it. It stays loaded until the process ends.
class Library {
 public:
  /// The first of `names` that can be loaded, by the rules of dlopen.
  static Library Open(std::span<const std::string> names);

  bool is_open() const { return handle_ != nullptr; }
  /// The name that it was found by.
  const std::string& name() const { return name_; }
  /// Address of a symbol; null when there is none.
  void* Find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace exh::kernels::cuda
