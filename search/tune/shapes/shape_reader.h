// SPDX-License-Identifier: MIT
//
// Files of shapes. Which format one has is seen from its name and its first lines:
//
//   shapes.jsonl   {"kernel": "matmul", "sizes": {"m": 512, "n": 512, "k": 512}, "type": "f16"}
//   *.csv          PyTorch's TunableOp: GemmTunableOp_float_TN,tn_1024_512_256[,solution,ms]
//   *.csv          aiter: a header with M, N and K, and a line a product
//
// A mistake does not end the reading: all of a file are named, each with its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/tune/shapes/tune_shape.h"

namespace exh::search {

/// What a file asks for, in its words, before anybody has looked for the kernels.
struct AskedShapes {
  std::vector<AskedShape> shapes;
  /// What is wrong, with its line.
  std::vector<std::pair<int, std::string>> mistakes;
};

/// One format each. `type`: of lines that say none.
AskedShapes ReadJsonLines(std::string_view text, const std::string& folder,
                          const std::string& type);
AskedShapes ReadTunableOp(std::string_view text);
AskedShapes ReadGemmTable(std::string_view text, const std::string& type);

/// What a file holds.
struct ShapeList {
  std::vector<TuneShape> shapes;      ///< Each once, in the order of the file.
  std::vector<std::string> mistakes;  ///< "shapes.jsonl:3: unknown kernel 'matmull' …".
  std::vector<std::string> notes;     ///< Lines that say what another one has said.
};

/// Reads and checks a file. `type`: as --type, of lines that say none. Throws UsageError when it
/// cannot be read, or is of no format that is known.
ShapeList ReadShapes(const std::string& path, const std::string& type);

}  // namespace exh::search
