// SPDX-License-Identifier: MIT
//
// Characters of a decision vector.

/** The value that a character stands for; -1: it takes no part. */
export function valueOf(code) {
  if (code >= 48 && code <= 57) return code - 48; // 0-9
  if (code >= 65 && code <= 90) return code - 55; // A-Z
  if (code >= 97 && code <= 122) return code - 61; // a-z
  if (code === 43) return 62;
  return code === 47 ? 63 : -1;
}
