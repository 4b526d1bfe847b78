// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

namespace exh {

/// Opens /dev/null for each of the file descriptors 0, 1 and 2 that is closed, so that no file that
/// is opened later gets the number that output goes to. The first thing in a main.
void OpenStandardFiles();

/// From now on writing to stdout and stderr never fails: a full disk, a terminal that is gone and a
/// pipe that nobody reads do not end a run that writes a log. What could not be written is dropped,
/// and FinishOutput() tells. Replaces both streams; before anything is written to them.
void ForgiveOutput();

/// The file descriptor of a stream, also of those that ForgiveOutput() made.
int FileNumber(std::FILE* stream);

/// Writes what is left. Returns `code`, or 1 instead of 0 when not all of stdout could be written,
/// which stderr then says.
int FinishOutput(int code);

}  // namespace exh
