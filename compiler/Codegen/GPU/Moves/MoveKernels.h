//===- MoveKernels.h - what lies between kernels, on a device ----------------------------------------------------===//
//
// Host code moves tensors between kernels: it copies them, appends rows to caches, and looks whether those have room.
// The memory of a device is not the host's, so there each of them is a small kernel, made once for each form that the
// program needs, with the ABI of DeviceFrame.h. Threads take 16 bytes at a time where elements begin at such places.
//
// Whether caches have room is found by kernels that run before all others and tell it in the second word of the status
// (attn_device_phase); appends look there and write nothing where a cache is full, so that nobody waits for an answer.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <map>

namespace attnc {

/// A phase that is no kernel's, and what its launch hands over.
struct MovePhase {
  KernelPhase phase;
  int64_t buffers, sizes;
};

/// What an append is, but for its sizes.
struct AppendForm {
  int64_t unit; ///< bytes of which rows are made: 1, 2, 4 or 16
  bool ring;    ///< positions lie modulo the capacity
  bool counts;  ///< how many positions of each row are appended is data
  bool isState; ///< the cache is the caller's and may be full; others have room for all lengths that there are
  auto operator<=>(const AppendForm &) const = default;
};

class MoveKernels {
public:
  explicit MoveKernels(mlir::ModuleOp code) : code(code) {}

  /// Buffers: to, from. Sizes: bytes.
  const KernelPhase &copy();
  /// Buffers: cache, rows, lengths, counts (where they count). Sizes: rows are [outer, positions, units], the cache is
  /// [outer, capacity, units]; then `stride` and `lengths`: of outer o, length number o / stride % lengths counts.
  const KernelPhase &append(const AppendForm &form);
  /// Buffers: lengths, counts (where they count). Sizes: how many lengths, the positions to be appended, the capacity.
  const KernelPhase &checkRoom(bool ring, bool counts);

  /// What was asked for.
  std::vector<MovePhase> made() const;

private:
  const KernelPhase &make(const std::string &symbol, int64_t buffers, int64_t sizes, const SizeExpr &threads,
                          llvm::function_ref<void(class MoveFunction &)> body);

  mlir::ModuleOp code;
  std::map<std::string, MovePhase> phases;
};

} // namespace attnc
