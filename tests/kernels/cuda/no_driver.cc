// SPDX-License-Identifier: MIT
//
// A library with one of the driver's functions, and with a compiler's version that is too old.
extern "C" {

int cuInit(unsigned int) {
  return 0;
}

int nvrtcVersion(int* major, int* minor) {
  *major = 11;
  *minor = 2;
  return 0;
}

}  // extern "C"
