//===- Moves.h - host operations on tensors between kernels -------------------------------------------------------===//
//
// Copies, appends to caches, and fetches of words. Host code performs them if tensors are in host memory. If tensors
// are in device memory, host code launches kernels (GPU/Moves/MoveKernels.h), and the executor fetches the word that
// ends a loop early (attn_device_code::fetch).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/Host/HostFunction.h"
#include <memory>

namespace attnc {

/// An append of rows [outer][positions][inner] to a cache [outer][capacity][inner], from the current length of each row
/// on. Values are addresses (!llvm.ptr) and index.
struct Append {
  mlir::Value cache, rows;
  mlir::Value lengths, counts; ///< addresses of arrays of i32, [rowCount]; counts null if all positions are appended
  mlir::Value outer, positions, capacity;
  mlir::Value step, steps; ///< the rows are position `step` of `steps`; null if they are all positions of the call
  mlir::Value units;       ///< number of units in inner, of `unit` bytes each
  int64_t unit = 1;
  mlir::Value stride, rowCount; ///< outer index o has length and count number o / stride % rowCount
  bool ring = false;            ///< positions are modulo the capacity, and only the last `capacity` ones are written
  bool isState = false;         ///< the caller's memory, which may be full
};

/// A check that `positions`, or the numbers in `counts`, fit after each of `rows` lengths in a cache of `capacity`
/// positions, that lengths are not negative, and that counts are in 0..positions. A ring cache always has room.
struct Room {
  mlir::Value lengths, counts;
  mlir::Value rows, positions, capacity;
  bool ring = false;
};

/// Emits these operations into a host function.
class Moves {
public:
  virtual ~Moves() = default;
  virtual void copy(mlir::Value to, mlir::Value from, mlir::Value bytes) = 0;
  virtual void append(const Append &append) = 0;
  /// Emits the check that all caches have room (i1); if it is false, the caller lets no kernel run. Null on a device:
  /// its check sets the status, and its appends read it (MoveKernels.h).
  virtual mlir::Value checkRoom(llvm::ArrayRef<Room> rooms) = 0;
  /// Emits a read of the i32 at the address `word`; the result is an i64. On a device it is also nonzero if a kernel or
  /// the device has failed, so that a loop ends.
  virtual mlir::Value fetch(mlir::Value word) = 0;
};

std::unique_ptr<Moves> movesOfHost(HostFunction &host);
/// Creates moves that launch kernels, which they add to `kernels` as needed. `launcher` has room for deviceMoveBuffers
/// buffers and deviceMoveSizes sizes.
std::unique_ptr<Moves> movesOfDevice(HostFunction &host, Launcher &launcher, MoveKernels &kernels);
inline constexpr size_t deviceMoveBuffers = 4, deviceMoveSizes = 8;
/// Symbol of the function that an executor receives to fetch a word.
inline constexpr llvm::StringLiteral fetchSymbol = "move$fetch";

} // namespace attnc
