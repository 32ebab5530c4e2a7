//===- Moves.h - what host code does with tensors between kernels ------------------------------------------------===//
//
// Copies, appends to caches, and looking at what kernels have computed. Where the tensors are memory of the host it
// does so itself; where they are a device's it launches kernels for it (GPU/Moves/MoveKernels.h), and asks the executor
// for the one word that the end of a loop hangs on (attn_device_code::fetch).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/Host/HostFunction.h"
#include <memory>

namespace attnc {

/// Rows [outer, positions, inner] go behind the positions that a cache [outer, capacity, inner] has. Values are
/// addresses and indices.
struct Append {
  mlir::Value cache, rows;
  mlir::Value lengths, counts; ///< i32; counts are null where all positions are appended
  mlir::Value outer, positions, capacity;
  mlir::Value units; ///< of `unit` bytes, in inner
  int64_t unit = 1;
  mlir::Value stride, rowCount; ///< of outer o, length number o / stride % rowCount counts
  bool ring = false;
  bool isState = false; ///< the caller's memory; others have room
};

/// Do `positions`, or as many as counts say, fit behind each of `rows` lengths?
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
  /// Whether all have room (i1): nothing is to run where not. Null where appends see to it.
  virtual mlir::Value checkRoom(llvm::ArrayRef<Room> rooms) = 0;
  /// The i32 at `word` (i64), or something other than 0 where there is no sense in going on.
  virtual mlir::Value fetch(mlir::Value word) = 0;
};

std::unique_ptr<Moves> movesOfHost(HostFunction &host);
/// Kernels that are needed are added to `kernels`. Launches have at most so many buffers and sizes.
std::unique_ptr<Moves> movesOfDevice(HostFunction &host, Launcher &launcher, MoveKernels &kernels);
inline constexpr size_t deviceMoveBuffers = 4, deviceMoveSizes = 6;
/// What an executor is handed to fetch a word.
inline constexpr llvm::StringLiteral fetchSymbol = "move$fetch";

} // namespace attnc
