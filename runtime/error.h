// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace exh {

/// The base of every exception of the project: the environment (files, hosts, devices) did not keep
/// its side of a contract. Never an expected outcome, never a bug of ours.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace exh
