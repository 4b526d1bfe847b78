// SPDX-License-Identifier: MIT
#include "poly/isl/owners.h"

#include <isl/options.h>

#include <cstdlib>
#include <memory>

namespace exh::poly {

isl_ctx* ThreadContext() {
  struct Free {
    void operator()(isl_ctx* context) const { isl_ctx_free(context); }
  };
  thread_local const std::unique_ptr<isl_ctx, Free> context = [] {
    std::unique_ptr<isl_ctx, Free> made(isl_ctx_alloc());
    if (made == nullptr) throw IslError("isl: out of memory");
    isl_options_set_on_error(made.get(), ISL_ON_ERROR_CONTINUE);
    return made;
  }();
  return context.get();
}

void ThrowIslError(const char* what) {
  isl_ctx* context = ThreadContext();
  const char* message = isl_ctx_last_error_msg(context);
  std::string text = std::string(what) + ": ";
  if (isl_ctx_last_error(context) == isl_error_quota) {
    text += kOutOfOperations;
  } else {
    text += message == nullptr ? "out of memory" : message;
  }
  isl_ctx_reset_error(context);
  throw IslError(text);
}

std::string TakeText(char* text) {
  if (text == nullptr) ThrowIslError("isl");
  std::string result = text;
  std::free(text);
  return result;
}

}  // namespace exh::poly
