#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds transpose.c with the values that the search decided, into the folder that it gives.
exec "${CC:-cc}" -O2 -march=native -o "$EXH_DIR/transpose" -DN="$EXH_N" -DROWS="$EXH_TILE_ROWS" -DCOLUMNS="$EXH_TILE_COLUMNS" \
  -DINNER_ROWS=$([ "$EXH_INNER" = ROWS ] && echo 1 || echo 0) "$(dirname "$0")/transpose.c"
