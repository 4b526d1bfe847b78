// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/task.h"

namespace exh::kernels {

/// Why a program that StandaloneCuda() writes cannot check itself; empty if it can.
std::string NoSelfTest(const Task& task);

/// A CUDA program of one file around an implementation, for people to read and take elsewhere. It
/// needs nothing but the toolkit and the C++17 standard library. In this order:
///   `about` as a comment, and how to build the file;
///   the kernel, in the text of `source`, which EmitSource() printed, with those beside it;
///   <kernel>_workspace_bytes() and <kernel>_launch(), which checks its arguments and launches all;
///   unless EXHAUST_NO_MAIN is defined or NoSelfTest() has a reason: a `main` that draws inputs,
///   checks the result against double precision, and times the kernel.
std::string StandaloneCuda(const Task& task, const Source& source, const std::string& about);

/// The header of such a program, for C and C++: what the launcher is given, and what it returns.
std::string StandaloneCudaHeader(const Task& task, const Source& source, const std::string& about);

}  // namespace exh::kernels
