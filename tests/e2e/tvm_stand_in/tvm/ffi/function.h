// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "tvm/ffi/container/tensor.h"

namespace tvm::ffi {

template <typename T>
T StandInValue(const StandInArgument& argument) {
  if constexpr (std::is_same_v<T, TensorView>) {
    return TensorView(argument);
  } else {
    return static_cast<T>(argument.number);
  }
}

/// What it throws, in words; empty: nothing.
template <typename... Args, std::size_t... Is>
std::string StandInCall(void (*function)(Args...), const StandInArgument* arguments, int count,
                        std::index_sequence<Is...> /*positions*/) {
  if (count != static_cast<int>(sizeof...(Args))) return "another number of arguments";
  try {
    function(StandInValue<std::decay_t<Args>>(arguments[Is])...);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

template <typename... Args>
std::string StandInCall(void (*function)(Args...), const StandInArgument* arguments, int count) {
  return StandInCall(function, arguments, count, std::index_sequence_for<Args...>());
}

}  // namespace tvm::ffi

#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function)                                   \
  extern "C" const char* stand_in_##name(const StandInArgument* arguments, int count) { \
    static std::string said;                                                            \
    said = ::tvm::ffi::StandInCall(&function, arguments, count);                        \
    return said.c_str();                                                                \
  }
