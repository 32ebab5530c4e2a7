//===- DeviceCheck.h - commands of device-check -------------------------------------------------------------------===//
//
// The program device-check runs on a machine with a device; scripts/gpu-check packs it, with a folder that device-pack
// has filled (Pack.h). Except in report(), `folder` is this folder, and `results` is the file to which results are
// appended (Results.h); no results are recorded if `results` is empty. Each function returns the exit status of the
// program: 0 or 1. All throw a std::exception if a file cannot be read or written.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc::device {

/// Seed of the inputs and parameters of packed calls, which both machines draw.
constexpr uint64_t packedSeed = 0;

/// Prints and records the name and the properties of the device whose number is in the environment variable
/// ATTN_DEVICE (0 if unset). Returns 0 if there is such a device; otherwise prints the reason to standard error.
int describe(const std::string &results);

/// Prints the jobs, one a line: "check LIBRARY", "measure CASE" or "measure copies". The caller runs each job in its
/// own process, so that a crash or a hang does not affect the others. Returns 0.
int list(const std::string &folder);

/// Runs every packed call, or those of the library `only` (a LIBRARY of list()), and prints and records the difference
/// of each result and state from the oracle's. Returns 0 if all calls run and all differences are within their limits.
int check(const std::string &folder, const std::string &results, const std::string &only = "");

/// Times copies on the device and the packed cases, or only the case `only`, which may be "copies"; prints and records
/// the times. Returns 0 if no measurement failed.
int measure(const std::string &folder, const std::string &results, const std::string &only = "");

/// Writes a Markdown page with the goals of the file `cases` (cases.json) and the recorded results of the file
/// `results` to `folder`, and prints its path. The page is named after the device: h200.md for an "NVIDIA H200". If
/// `results` is empty, the page contains only the goals, and is h200.md. Returns 0.
int report(const std::string &cases, const std::string &folder, const std::string &results);

} // namespace attnc::device
