//===- DeviceAssembly.h - recogniser of inline PTX in device code -------------------------------------------------===//
//
// Emitters write inline PTX for instructions without an adequate LLVM intrinsic. recogniseAssembly() maps each of these
// texts to the name of a host function that models the instruction (DeviceIntrinsics.h) and the numbers in the text.
// DeviceExecutor rejects code with any other text.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The model that executes a text.
struct AssemblyCall {
  std::string model;             ///< name of the DeviceIntrinsic
  std::vector<uint64_t> numbers; ///< numbers in the text, which the model receives before the operands
};
/// Recognises inline PTX. `results` is the number of its results, and `operands` the number of its operands; the first
/// `results` operands are the old values of the results. Null if the text is unknown.
std::optional<AssemblyCall> recogniseAssembly(const std::string &text, size_t results, size_t operands);

} // namespace attnc
