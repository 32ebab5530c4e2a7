//===- DeviceAssembly.h - PTX text within the code of a device ----------------------------------------------------===//
//
// What LLVM has no intrinsic for, or none that fits, emitters write as text. The texts that they write are known here,
// each as the name of a model and the numbers in it; nothing else is.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct AssemblyCall {
  std::string model;             ///< as DeviceIntrinsic::name
  std::vector<uint64_t> numbers; ///< in front of the operands
};
/// `text` with `results` results, which are the first of its `operands` as well.
std::optional<AssemblyCall> recogniseAssembly(const std::string &text, size_t results, size_t operands);

} // namespace attnc
