//===- MoveKernels.h - device kernels for copies and cache appends between model kernels --------------------------===//
//
// Between the kernels of a model, host code copies tensors, appends rows to caches of keys and values, and checks that
// the caches have room (Host/Moves.h). The host cannot access device memory, so on a device each of these operations is
// a small kernel. A kernel is emitted once for each variant that the program needs, with the ABI of DeviceFrame.h. A
// thread of a copy moves 16 bytes: in one access if both tensors are aligned to 16 bytes, in four if to 4 bytes,
// otherwise, and at the end, byte by byte. A thread of an append moves one unit: 1 to 16 bytes of one position.
//
// Checks of room are launched before all other kernels of a call. If a cache has no room, or a length or count is
// invalid, the check writes ATTN_FULL to the second i32 of the status (attn/model.h). Appends to states read that i32,
// and write nothing unless it is ATTN_OK, so the host does not wait for the check.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <map>

namespace attnc {

/// A kernel phase outside of model kernels, and the numbers of buffers and sizes that its function has as arguments.
struct MovePhase {
  KernelPhase phase;
  int64_t buffers, sizes;
};

/// The variant of an append: all that its code depends on.
struct AppendVariant {
  int64_t unit; ///< bytes of the access of a thread: 1, 2, 4 or 16; cache and rows are aligned to it
  bool ring;    ///< ring cache: position p is stored at p mod capacity, and only the last `capacity` positions are kept
  bool counts;  ///< a buffer has the number of positions to append for each length; otherwise all are appended
  bool isState; ///< the cache is a state of the caller, which checkRoom() checks first; otherwise, unless it is a ring,
                ///< lengths that exceed the capacity less the count, or are negative, are clamped
  bool isStep;  ///< the rows are some of the positions that the call appends: see `step` and `steps` of append()
  auto operator<=>(const AppendVariant &) const = default;
};

/// The kernels for moves of one program.
class MoveKernels {
public:
  explicit MoveKernels(mlir::ModuleOp code) : code(code) {} ///< `code`: the device's module

  // Each of these functions appends a kernel to `code` at its first call for a variant, and returns the same phase at
  // later calls. The phase belongs to this object. The comments list the buffers of the kernel, in device memory, and
  // its sizes, both in order. Lengths and counts are arrays of i32.

  /// Copies bytes. Buffers: to, from, of any alignment; they do not overlap. Sizes: number of bytes.
  const KernelPhase &copy();
  /// Appends rows to a cache. Buffers: cache, rows, lengths, counts (if form.counts). Sizes: outer, positions,
  /// capacity, units, stride, numLengths, then step and steps (if form.isStep). Rows are [outer][positions][units], the
  /// cache is [outer][capacity][units], in units of form.unit bytes. Outer index `o` has length and count number o /
  /// stride % numLengths. Position p of the rows is written to position length + p of the cache, if p is less than the
  /// count. With form.isStep, the rows start at number `step` of the `steps` positions of the call: position p is
  /// written to length + step + p, if step + p is less than the count. AppendVariant has the rules
  /// for form.ring, form.isState and invalid lengths. The lengths are not changed.
  const KernelPhase &append(const AppendVariant &form);
  /// Writes ATTN_FULL if a length is negative, a count is not in 0..positions, or, unless `ring`, the sum of length and
  /// count exceeds the capacity; without `counts`, every count is the number of positions. Buffers: lengths, counts (if
  /// `counts`). Sizes: number of lengths, positions to append, capacity.
  const KernelPhase &checkRoom(bool ring, bool counts);

  /// All kernels emitted so far, in the order of their names.
  std::vector<MovePhase> made() const;

private:
  const KernelPhase &make(const std::string &symbol, int64_t buffers, int64_t sizes, const SizeExpr &threads,
                          llvm::function_ref<void(class MoveFunction &)> body);

  mlir::ModuleOp code;
  std::map<std::string, MovePhase> phases;
};

} // namespace attnc
