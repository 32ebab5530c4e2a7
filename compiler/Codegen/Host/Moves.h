//===- Moves.h - host operations on tensors between kernels -------------------------------------------------------===//
//
// Between kernels, the code of an entry point (HostCode.h) copies tensors, appends rows to caches, checks that caches
// have room, and reads the word that ends a loop early. If tensors are in host memory, host code performs these
// operations itself. If tensors are in device memory, host code launches kernels (GPU/Moves/MoveKernels.h) and requests
// the word from the executor (attn_device_code::fetch).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/Host/HostFunction.h"
#include <memory>

namespace attnc {

/// The table of a paged cache: i32 [rows of the batch][entries], the blocks of each row. The address is null if the
/// cache is not paged; the numbers are index.
struct BlockTable {
  mlir::Value address, entries;
  mlir::Value blocks; ///< number of blocks of the cache
};

/// An append to a cache of keys or values. The tensor `rows` is [outer][positions][inner], the cache is
/// [outer][capacity][inner]. Each index of `outer` belongs to one of `rowCount` rows of the batch, which has a length:
/// the number of positions that the cache holds for it. The new positions are written from the length on. The append
/// does not change the lengths. Values are addresses (!llvm.ptr) or, for numbers, index.
struct Append {
  mlir::Value cache, rows;     ///< addresses
  mlir::Value lengths, counts; ///< addresses of arrays of i32, [rowCount]; `counts` has the number of positions to
                               ///< append for each row of the batch, from 0 to all (of a state, checkRoom() ensures
                               ///< this), and is null if all are appended
  mlir::Value outer, positions, capacity; ///< extents of the dimensions
  /// If one call appends its positions in several steps: `rows` starts at position number `step` of the call's `steps`
  /// positions, which `counts` counts. Null if `rows` has all positions of the call.
  mlir::Value step, steps;
  mlir::Value units; ///< extent of `inner` in units of `unit` bytes: an element, or 16 bytes that divide `inner`
  int64_t unit = 1;
  /// A paged cache has blocks of `capacity` positions in the place of the rows of the batch. Position p of row b is
  /// stored in block number table[b][p / capacity], at position p mod capacity.
  BlockTable table;
  mlir::Value stride, rowCount; ///< outer index o belongs to row o / stride % rowCount of the batch
  bool ring = false;            ///< ring cache: position p is stored at p mod capacity, and only the last `capacity`
                                ///< positions are written
  bool isState = false;         ///< the cache is the caller's memory, which may be full; requires checkRoom(). Else it
                                ///< is in the arena, and invalid lengths are clamped unless it is a ring
};

/// A check that a cache of `capacity` positions has room for the positions that a call appends. It holds if each length
/// is not negative, each count is in 0..positions, and, unless the cache is a ring, the sum of length and count is at
/// most `capacity`, or, in a paged cache with blocks of `capacity` positions, that times the entries of a row.
struct Room {
  mlir::Value lengths, counts; ///< addresses of arrays of i32, [rows]; `counts` null: every count is `positions`
  mlir::Value rows, positions, capacity; ///< index: number of rows of the batch; positions that the call appends
  bool ring = false;
  BlockTable table;
};

/// Emits these operations at the insertion point of a host function.
class Moves {
public:
  virtual ~Moves() = default;
  /// Copies `bytes` bytes (index) between addresses; the memory does not overlap.
  virtual void copy(mlir::Value to, mlir::Value from, mlir::Value bytes) = 0;
  /// Appends to a cache. On a device, nothing is written to a state if a check of the call has failed.
  virtual void append(const Append &append) = 0;
  /// Emits the checks of all caches, before any kernel of a call. In host memory the result (i1) is true if all hold;
  /// if it is false, the caller executes no kernel. On a device the result is null: if a check fails, its kernel writes
  /// ATTN_FULL to the status, and later appends to states then write nothing (MoveKernels.h).
  virtual mlir::Value checkRoom(llvm::ArrayRef<Room> rooms) = 0;
  /// Emits the check (i1) that all blocks of paged caches exist: the entries of their tables for all positions up to
  /// the last one of the call. Requires that checkRoom() is true. Null if no cache is paged; devices have no paged
  /// caches (DeviceEntries.h).
  virtual mlir::Value checkBlocks(llvm::ArrayRef<Room> rooms) = 0;
  /// Emits a read of the i32 at the address `word` of a tensor; the result is an i64, sign-extended. On a device, the
  /// executor waits for the kernels launched before, and the result is also nonzero if a kernel or the device has
  /// failed, so that a loop ends.
  virtual mlir::Value fetch(mlir::Value word) = 0;
};

/// Creates moves in host memory. `host` outlives them.
std::unique_ptr<Moves> movesOfHost(HostFunction &host);
/// Creates moves that launch kernels on a device, and emits an array on the stack of `host`. The moves add the kernels
/// to `kernels` as needed. `launcher` has room for deviceMoveBuffers buffers and deviceMoveSizes sizes. The arguments
/// outlive the moves.
std::unique_ptr<Moves> movesOfDevice(HostFunction &host, Launcher &launcher, MoveKernels &kernels);
inline constexpr size_t deviceMoveBuffers = 4, deviceMoveSizes = 8;
/// Symbol of the stub that host code passes to the executor to request a fetch (DeviceStubs.h).
inline constexpr llvm::StringLiteral fetchSymbol = "move$fetch";

} // namespace attnc
