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

/// Something would take more memory than it may.
class TooLarge : public Error {
 public:
  using Error::Error;
};

/// Whoever waited for something that takes long asked for its end.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// There is no code for an implementation that a space allows. The text is the reason. A search
/// drops the implementation and goes on.
class Refused : public Error {
 public:
  using Error::Error;
};

/// The command line (or a file that a person wrote) asks for something that does not exist or makes
/// no sense: one line, exit code 2. Any other Error is the environment's: exit code 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace exh
