//===- Results.h - what a run on a device found -----------------------------------------------------------------===//
//
// A file with one object of JSON a line, which the programs of a run append to, one after the other:
//
//   {"what": "device", "name", "architecture", "processors", "memory_bytes", "driver"}    "13.1": the CUDA it knows
//   {"what": "packed", "calls"}                                                     how many have to be checked
//   {"what": "check", "name", "kinds", "result", "error", "limit", "image", "agrees"}   one a result of a call; of one
//                                                                                   that failed: "why"
//   {"what": "time", "case", "by", "seconds", "image"}                              a median; the image by attnc alone
//   {"what": "rate", "name", "value"}                                               operations or bytes a second
//   {"what": "missing", "name", "why"}                                              and nothing was measured
//
// Whoever measures says so in `by`: attnc, flash, cudnn, flex, triton.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attnc::device {

/// Throws a std::runtime_error where the file can't be read or is no JSON.
nlohmann::json readJson(const std::string &path);
std::vector<nlohmann::json> readLines(const std::string &path);
/// Empty: nowhere.
void append(const std::string &path, const nlohmann::json &line);

} // namespace attnc::device
