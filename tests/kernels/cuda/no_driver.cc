// SPDX-License-Identifier: MIT
//
// A library with one of the driver's functions, and with those of a compiler that is too old.
extern "C" {

int cuInit(unsigned int) {
  return 0;
}

int nvrtcVersion(int* major, int* minor) {
  *major = 11;
  *minor = 2;
  return 0;
}

int nvrtcCreateProgram() {
  return 1;
}
int nvrtcCompileProgram() {
  return 1;
}
int nvrtcGetCUBINSize() {
  return 1;
}
int nvrtcGetCUBIN() {
  return 1;
}
int nvrtcGetProgramLogSize() {
  return 1;
}
int nvrtcGetProgramLog() {
  return 1;
}
int nvrtcDestroyProgram() {
  return 1;
}

}  // extern "C"
