// SPDX-License-Identifier: MIT
//
// Devices are data: kernels/devices/*.json. A field whose value is "detect" is asked of this
// machine (Backend::Detect); every field may also be given outright, in the file or on the command
// line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/device.h"

namespace exh::kernels {

/// Either a device or one line for the user, which names what is wrong and the nearest legal name.
struct DeviceResult {
  std::optional<ir::Device> device;
  std::string error;
};

/// One of several devices of a kind in this machine, as --gpus picks them.
struct GpuHere {
  int number = 0;
  std::string model;
};

/// Those that the device called `name` may be one of; empty: it is none of several, or none is
/// here.
std::vector<GpuHere> GpusFor(const std::string& name);

/// The device called `name` ("cpu") in DeviceFolder(). `overrides`: field to JSON text,
/// "max_threads" -> "64". `gpu`: of which GPU a field is detected.
DeviceResult LoadDevice(const std::string& name,
                        const std::map<std::string, std::string>& overrides = {}, int gpu = 0);

/// PREFIX/share/exhaust/devices for a program that is installed in PREFIX/bin, otherwise the source
/// tree's folder, and where that is gone the copy in the program's build folder. `rates/` in it
/// says how fast the devices are (models/device_rates.h).
std::string DeviceFolder();

/// The same for a program at that path, whose sources had their devices in `sources`.
std::string DeviceFolderOf(const std::string& program, const std::string& sources);

/// LoadDevice() from a folder of JSON files.
DeviceResult LoadDeviceFrom(const std::string& folder, const std::string& name,
                            const std::map<std::string, std::string>& overrides = {}, int gpu = 0);

/// What the file of a device says outright, as JSON text by field: nothing that is asked of the
/// machine. Empty when there is no such device.
std::map<std::string, std::string> RecordedLimits(const std::string& name);

/// The resolved device as JSON text that LoadDevice would read back to the same device.
std::string DeviceToJson(const ir::Device& device);

}  // namespace exh::kernels
