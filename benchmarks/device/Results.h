//===- Results.h - results file of a run on a device ------------------------------------------------------------===//
//
// A file with one JSON object a line, to which the programs of a run append one after the other:
//
//   {"what": "device", "name", "architecture", "processors", "memory_bytes", "driver"}    "13.1": CUDA version
//   {"what": "packed", "calls"}                                                     number of calls to check
//   {"what": "check", "name", "kinds", "result", "error", "limit", "image", "agrees"}   one for each result of a call;
//                                                                                   "why" for a failed call
//   {"what": "time", "case", "by", "seconds", "image"}                              a median; "image" only by attnc
//   {"what": "rate", "name", "value"}                                               operations or bytes per second
//   {"what": "missing", "name", "why"}                                              a failed measurement
//
// `by` is the measured implementation: attnc, flash, cudnn, flex, triton.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attnc::device {

/// Reads a file with one JSON value. Throws a std::runtime_error if the file can't be read or is not JSON.
nlohmann::json readJson(const std::string &path);
/// Reads a file with a JSON value in each line. Throws a std::runtime_error as readJson does.
std::vector<nlohmann::json> readLines(const std::string &path);
/// Appends a line to the file; does nothing if `path` is empty.
void append(const std::string &path, const nlohmann::json &line);

} // namespace attnc::device
