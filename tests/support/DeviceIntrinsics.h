//===- DeviceIntrinsics.h - host functions that model device intrinsics -------------------------------------------===//
//
// DeviceExecutor replaces calls of NVVM intrinsics, and inline PTX, by calls of these functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attnc {

/// A host function that behaves like an intrinsic.
struct DeviceIntrinsic {
  std::string_view name; ///< "llvm.nvvm.bar.warp.sync", or the name of a model of inline PTX (DeviceAssembly.h)
  /// Executes the intrinsic for the running thread of DeviceBlock::running(). `operands` has 8 bytes for each operand
  /// of the call. The function writes the result, in its own size, to `result`; an intrinsic without a result writes
  /// none.
  void (*model)(const uint64_t *operands, void *result);
};
/// All supported intrinsics.
const std::vector<DeviceIntrinsic> &deviceIntrinsics();

} // namespace attnc
