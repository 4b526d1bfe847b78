// SPDX-License-Identifier: MIT
//
// A driver that shows two GPUs, of which the second does not answer. With EXH_FAKE_CUDA=no-device
// in the environment it does not start; with =dumb it cannot even say why.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int kNoDevice = 100, kInvalid = 1;

bool Wants(std::string_view fault) {
  const char* const wanted = std::getenv("EXH_FAKE_CUDA");
  return wanted != nullptr && wanted == fault;
}

}  // namespace

extern "C" {

int cuInit(unsigned int) {
  return Wants("no-device") || Wants("dumb") ? kNoDevice : 0;
}

int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}

int cuGetErrorName(int, const char** name) {
  if (Wants("dumb")) return kInvalid;
  *name = "CUDA_ERROR_NO_DEVICE";
  return 0;
}

int cuGetErrorString(int, const char** text) {
  *text = "no CUDA-capable device is detected";
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 10 + ordinal;
  return 0;
}

int cuDeviceGetName(char* name, int length, int device) {
  if (device != 10) return kInvalid;
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{3} << 30;
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 16:
      *value = 4;
      return 0;
    case 75:
      *value = 9;
      return 0;
    case 76:
      *value = 0;
      return 0;
    default:
      return kInvalid;
  }
}

}  // extern "C"
