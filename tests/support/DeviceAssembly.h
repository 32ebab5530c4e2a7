//===- DeviceAssembly.h - recogniser of inline PTX in device code -------------------------------------------------===//
//
// Emitters write inline PTX for instructions without an adequate LLVM intrinsic. The table in DeviceAssembly.cpp maps
// each of these texts to the name of a model (DeviceIntrinsics.h) and the numbers in the text; other texts are
// rejected.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct AssemblyCall {
  std::string model;             ///< name of the DeviceIntrinsic
  std::vector<uint64_t> numbers; ///< numbers in the text, which the model receives before the operands
};
/// Recognises `text` with `results` results, which are also the first of its `operands`; null if it is unknown.
std::optional<AssemblyCall> recogniseAssembly(const std::string &text, size_t results, size_t operands);

} // namespace attnc
