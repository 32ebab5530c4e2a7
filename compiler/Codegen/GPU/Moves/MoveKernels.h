//===- MoveKernels.h - device kernels for copies and cache appends between model kernels --------------------------===//
//
// Between the kernels of a model, host code copies tensors, appends rows to caches, and checks that caches have room.
// Device memory is not accessible to the host, so each of these operations is a small kernel on a device. A kernel is
// emitted once for each variant that the program needs, with the ABI of DeviceFrame.h. A thread of a copy moves 16
// bytes, in one access if both tensors are aligned to 16 bytes; a thread of an append moves one unit.
//
// Kernels that run before all others check the room of caches. If one has no room, they write ATTN_FULL to the second
// i32 of the status (attn/model.h). Appends to states read that word and write nothing if it is set, so the host does
// not have to wait.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <map>

namespace attnc {

/// A kernel phase outside of model kernels, and its numbers of buffers and sizes.
struct MovePhase {
  KernelPhase phase;
  int64_t buffers, sizes;
};

/// The variant of an append: all that its code depends on.
struct AppendVariant {
  int64_t unit; ///< bytes of an access, in which rows of the cache are counted: 1, 2, 4 or 16
  bool ring;    ///< ring cache: positions are modulo the capacity
  bool counts;  ///< a buffer has the number of appended positions of each row; otherwise all positions are appended
  bool isState; ///< the cache is a state of the caller and may be full; others have room for all lengths
  bool isStep;  ///< sizes have the number of the rows' first position among those of the call, and their number
  auto operator<=>(const AppendVariant &) const = default;
};

class MoveKernels {
public:
  explicit MoveKernels(mlir::ModuleOp code) : code(code) {} ///< `code`: the device's module

  // Each of these functions emits a kernel at its first call, and returns the same one at later calls. Its buffers and
  // sizes are listed in order; lengths and counts are arrays of i32.

  /// Buffers: to, from. Sizes: bytes.
  const KernelPhase &copy();
  /// Buffers: cache, rows, lengths, counts (if form.counts). Sizes: outer, positions, capacity, units, stride,
  /// numLengths, then step and steps (if form.isStep). Rows are [outer][positions][units], the cache is
  /// [outer][capacity][units], in units of form.unit bytes. Outer index `o` has length and count number
  /// o / stride % numLengths. Positions from the length on are written.
  const KernelPhase &append(const AppendVariant &form);
  /// Reports lengths that leave no room (a ring always has room), negative ones, and counts not in 0..positions.
  /// Buffers: lengths, counts (if `counts`). Sizes: number of lengths, positions to append, capacity.
  const KernelPhase &checkRoom(bool ring, bool counts);

  /// All kernels emitted so far, by name.
  std::vector<MovePhase> made() const;

private:
  const KernelPhase &make(const std::string &symbol, int64_t buffers, int64_t sizes, const SizeExpr &threads,
                          llvm::function_ref<void(class MoveFunction &)> body);

  mlir::ModuleOp code;
  std::map<std::string, MovePhase> phases;
};

} // namespace attnc
