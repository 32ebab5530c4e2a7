//===- Pack.h - what is carried to a machine with a device ------------------------------------------------------===//
//
// A folder with all that device-check needs:
//
//   models/NAME.so                    a model of --target cuda, linked
//   checks.json                       calls: a library and its entry point, the kinds of its kernels, the limit of each
//                                     result (c u sqrt(K), as `attnc run --check` has it)
//   checks/NAME.ENTRY.safetensors     operands ("input x") and what the oracle makes of them ("result y")
//   checks/NAME.weights.safetensors   parameters
//   cases.json                        what is timed: benchmarks/device/cases.json, with the libraries
//   packed.jsonl                      what was measured while packing (Results.h)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc::device {

/// Fills `folder` by the table in file `cases`, whose models are below `root`; of the checks only those of models whose
/// path contains `only`. A check has `entries`, or all of its model's but those of `without`, such as have sums that
/// cancel by more than a limit of rounding covers. Throws a std::runtime_error where something can't be compiled,
/// interpreted or written.
void pack(const std::string &cases, const std::string &root, const std::string &folder, const std::string &only = "");

} // namespace attnc::device
