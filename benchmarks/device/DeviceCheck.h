//===- DeviceCheck.h - the parts of device-check ----------------------------------------------------------------===//
//
// The program that scripts/gpu-check carries to a machine with a device. A folder is one that device-pack made.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc::device {

/// Of the inputs and parameters of packed calls, which both machines draw from it.
constexpr uint64_t packedSeed = 0;

/// Says which device there is. 0 where there is one.
int describe(const std::string &results);

/// Prints what there is to be done, one a line: "check LIBRARY" or "measure CASE", and "measure copies". Each is run in
/// a process of its own, so that one that dies or hangs is no matter of the others.
int list(const std::string &folder);

/// Runs every packed call, or those of library `only`, prints how far its results are from the oracle's, and answers 0
/// where all are within their limits.
int check(const std::string &folder, const std::string &results, const std::string &only = "");

/// Times the packed cases, and copies on the device; or what `only` names.
int measure(const std::string &folder, const std::string &results, const std::string &only = "");

/// Writes a page of what was found, with what is wanted (cases.json), to `folder`: of an "NVIDIA H200" it is h200.md.
/// Without results it says that there are none.
int report(const std::string &cases, const std::string &folder, const std::string &results);

} // namespace attnc::device
