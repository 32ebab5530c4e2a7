//===- DeviceIntrinsics.h - models of device intrinsics -----------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attnc {

/// A host function that behaves like an intrinsic. `model` receives the operands of a call, 8 bytes each, and writes
/// its result; it runs on a thread of DeviceBlock::running().
struct DeviceIntrinsic {
  std::string_view name; ///< "llvm.nvvm.bar.warp.sync", or the name of a model of inline PTX (DeviceAssembly.h)
  void (*model)(const uint64_t *operands, void *result);
};
/// All models.
const std::vector<DeviceIntrinsic> &deviceIntrinsics();

} // namespace attnc
