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

/// An append of rows [outer, positions, inner] after the current positions of a cache [outer, capacity, inner]. Values
/// are addresses and indices.
struct Append {
  mlir::Value cache, rows;
  mlir::Value lengths, counts; ///< i32; counts are null if all positions are appended
  mlir::Value outer, positions, capacity;
  mlir::Value units; ///< number of units in inner, of `unit` bytes each
  int64_t unit = 1;
  mlir::Value stride, rowCount; ///< row `outer` uses length number outer / stride % rowCount
  bool ring = false;
  bool isState = false; ///< the caller's memory, which may be full
};

/// A check that `positions`, or the numbers in `counts`, fit after each of `rows` lengths.
struct Room {
  mlir::Value lengths, counts;
  mlir::Value rows, positions, capacity;
  bool ring = false;
};

class Moves {
public:
  virtual ~Moves() = default;
  virtual void copy(mlir::Value to, mlir::Value from, mlir::Value bytes) = 0;
  virtual void append(const Append &append) = 0;
  /// Emits the check that all caches have room (i1); if it is false, no kernel may run. Null if appends check it
  /// themselves.
  virtual mlir::Value checkRoom(llvm::ArrayRef<Room> rooms) = 0;
  /// Emits a read of the i32 at `word` (i64). The result is also nonzero if an error makes further work useless.
  virtual mlir::Value fetch(mlir::Value word) = 0;
};

std::unique_ptr<Moves> movesOfHost(HostFunction &host);
/// Creates moves that add kernels to `kernels` as needed, with at most deviceMoveBuffers buffers and deviceMoveSizes
/// sizes.
std::unique_ptr<Moves> movesOfDevice(HostFunction &host, Launcher &launcher, MoveKernels &kernels);
inline constexpr size_t deviceMoveBuffers = 4, deviceMoveSizes = 6;
/// Symbol of the function that an executor receives to fetch a word.
inline constexpr llvm::StringLiteral fetchSymbol = "move$fetch";

} // namespace attnc
