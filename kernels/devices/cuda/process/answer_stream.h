// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::kernels::cuda {

/// The standard output of a process that answers in lines, taken away from everybody else: what a
/// library prints goes to the standard error and garbles no answer. One per process.
class AnswerStream {
 public:
  AnswerStream();

  /// Writes all of a line that ends with a newline. False: nobody reads any more.
  bool Write(const std::string& line) const;

 private:
  int fd_;
};

}  // namespace exh::kernels::cuda
