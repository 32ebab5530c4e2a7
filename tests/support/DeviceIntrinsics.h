//===- DeviceIntrinsics.h - models of device intrinsics -----------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attnc {

/// `model` receives the operands of a call, 8 bytes each, and writes its result.
struct DeviceIntrinsic {
  std::string_view name; ///< "llvm.nvvm.bar.warp.sync"
  void (*model)(const uint64_t *operands, void *result);
};
const std::vector<DeviceIntrinsic> &deviceIntrinsics();

} // namespace attnc
