//===- DeviceCheck.h - the parts of device-check ----------------------------------------------------------------===//
//
// The program that scripts/gpu-check carries to a machine with a device. A folder is one that device-pack made.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc::device {

/// Says which device there is. 0 where there is one.
int describe(const std::string &results);

/// Runs every packed call, prints how far its results are from the oracle's, and answers 0 where all are within their
/// limits.
int check(const std::string &folder, const std::string &results);

/// Times the packed cases, and copies on the device.
int measure(const std::string &folder, const std::string &results);

/// Writes a page of what was found, with what is wanted (cases.json), to `folder`: of an "NVIDIA H200" it is h200.md.
/// Without results it says that there are none.
int report(const std::string &cases, const std::string &folder, const std::string &results);

} // namespace attnc::device
