//===- Results.h - results file of a run on a device --------------------------------------------------------------===//
//
// A file with one JSON object on each line, to which the programs of a run append one after the other:
//
//   {"what": "device", "name", "architecture", "processors", "memory_bytes", "driver"}    "13.1": CUDA version
//   {"what": "packed", "calls"}                                                     number of calls to check
//   {"what": "check", "name", "kinds", "result", "error", "limit", "image", "agrees"}   one for each result of a call
//   {"what": "check", "name", "kinds", "agrees", "why"}                             a failed call
//   {"what": "time", "case", "by", "seconds", "image"}                              a median; "image" only by attnc
//   {"what": "rate", "name", "value"}                                               operations or bytes per second
//   {"what": "missing", "name", "why"}                                              a failed measurement or check
//
// `by` is the measured implementation: attnc, flash, cudnn, flex, triton. `seconds` is the time of one launch; for the
// case "compile" (Pack.h), it is the time of one compile, and there is no image. An `error` may be "infinite".
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attnc::device {

/// Reads a file with one JSON value. Throws a std::runtime_error if the file cannot be read, and an
/// nlohmann::json::exception (also a std::exception) if it is not JSON.
nlohmann::json readJson(const std::string &path);
/// Reads a file with a JSON value on each line; empty lines are skipped. Throws as readJson() does.
std::vector<nlohmann::json> readLines(const std::string &path);
/// Appends `line` and a line break to the file, which is created if necessary; does nothing if `path` is empty. Throws
/// a std::runtime_error if the file cannot be written.
void append(const std::string &path, const nlohmann::json &line);

} // namespace attnc::device
