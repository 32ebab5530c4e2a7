//===- MoveKernels.h - device kernels for copies and cache appends between model kernels --------------------------===//
//
// Between the kernels of a model, host code copies tensors, appends rows to caches, and checks that caches have room.
// Device memory is not accessible to the host, so each of these operations is a small kernel on a device. A kernel is
// emitted once for each variant that the program needs, with the ABI of DeviceFrame.h. Threads move 16 bytes at a time
// if elements are aligned to 16 bytes.
//
// Kernels that run before all others check the room of caches, and report it in the second word of the status
// (attn_device_phase). Appends read that word and write nothing if a cache is full, so the host does not have to wait.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <map>

namespace attnc {

/// A kernel phase outside of model kernels, and the number of its launch operands.
struct MovePhase {
  KernelPhase phase;
  int64_t buffers, sizes;
};

/// The variant of an append: all but its sizes.
struct AppendVariant {
  int64_t unit; ///< access size of rows in bytes: 1, 2, 4 or 16
  bool ring;    ///< ring cache: positions are modulo the capacity
  bool counts;  ///< the number of appended positions of each row is data
  bool isState; ///< the cache is a state of the caller and may be full; others have room for all lengths
  auto operator<=>(const AppendVariant &) const = default;
};

class MoveKernels {
public:
  explicit MoveKernels(mlir::ModuleOp code) : code(code) {}

  /// Buffers: to, from. Sizes: bytes.
  const KernelPhase &copy();
  /// Buffers: cache, rows, lengths, counts (if form.counts). Sizes: rows are [outer, positions, units], the cache is
  /// [outer, capacity, units]; then `stride` and `lengths`: row `outer` has length number outer / stride % lengths.
  const KernelPhase &append(const AppendVariant &form);
  /// Buffers: lengths, counts (if `counts`). Sizes: number of lengths, positions to append, capacity.
  const KernelPhase &checkRoom(bool ring, bool counts);

  /// All kernels emitted so far.
  std::vector<MovePhase> made() const;

private:
  const KernelPhase &make(const std::string &symbol, int64_t buffers, int64_t sizes, const SizeExpr &threads,
                          llvm::function_ref<void(class MoveFunction &)> body);

  mlir::ModuleOp code;
  std::map<std::string, MovePhase> phases;
};

} // namespace attnc
