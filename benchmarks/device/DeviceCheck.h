//===- DeviceCheck.h - commands of device-check -----------------------------------------------------------------===//
//
// The program device-check runs on a machine with a device; scripts/gpu-check packs it, with a folder that device-pack
// has filled (Pack.h). `folder` is this folder, `results` the file to which results are appended (Results.h). Each
// function returns the exit status of the program.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc::device {

/// Seed of the inputs and parameters of packed calls, which both machines draw.
constexpr uint64_t packedSeed = 0;

/// Prints and records the device. Returns 0 if there is one.
int describe(const std::string &results);

/// Prints the jobs, one a line: "check LIBRARY", "measure CASE" or "measure copies". Each job runs in its own process,
/// so that a crash or a hang does not affect the others.
int list(const std::string &folder);

/// Runs every packed call, or those of library `only`, and prints the difference of each result from the oracle's.
/// Returns 0 if all differences are within their limits.
int check(const std::string &folder, const std::string &results, const std::string &only = "");

/// Times the packed cases, and copies, on the device, or only the case `only`, which may be "copies".
int measure(const std::string &folder, const std::string &results, const std::string &only = "");

/// Writes a page with the results and the goals (cases.json) to `folder`, named after the device: h200.md for an
/// "NVIDIA H200". Without results, the page contains only the goals.
int report(const std::string &cases, const std::string &folder, const std::string &results);

} // namespace attnc::device
