//===- DeviceBlock.h - the threads of a block as fibres ---------------------------------------------------------===//
#pragma once

#include "tests/support/DeviceExecutor.h"
#include <string_view>

namespace attnc {

/// A host function that stands for an intrinsic of the device.
struct DeviceIntrinsic {
  std::string_view name; ///< "llvm.nvvm.bar.warp.sync"
  void *function;
};
const std::vector<DeviceIntrinsic> &deviceIntrinsics();

/// Runs `body(parameters)` on each of `threads` fibres, as block number `block`. Returns what went wrong, or nothing.
std::string runDeviceBlock(int64_t block, int64_t threads, Order order, void (*body)(const uint64_t *),
                           const uint64_t *parameters);

} // namespace attnc
