//===- ThreadGroup.h - cooperative sweep and reduction by a warp or a block ---------------------------------------===//
//
// A thread group is a warp or the whole block. The points of a sweep are distributed cyclically over its threads,
// `lanes` neighbouring points at a time, so that accesses coalesce:
//
//   thread 0   points 0..3   128..131  ...          4 lanes, a warp of 32 threads
//   thread 1   points 4..7   132..135  ...
//
// The partial results of the threads are then reduced, and every thread obtains the same bits. A warp reduces by a
// butterfly of shuffles and broadcasts the result of its first thread. A block writes one partial result per warp to
// shared memory, synchronises, and each thread reduces them in order. The order depends on sizes alone. All threads of
// a group therefore execute its reductions and broadcasts together.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace attnc {

class ThreadGroup {
public:
  enum class Kind { Warp, Block };
  /// The group of the executing thread. A phase has at most one group of kind Block that reduces.
  ThreadGroup(Kind kind, ThreadPosition position, mlir::OpBuilder &builder, mlir::Location location);

  /// Groups per block, and threads per group.
  int64_t perBlock() const { return kind == Kind::Warp ? position.threads / warpThreads : 1; }
  int64_t size() const { return kind == Kind::Warp ? warpThreads : position.threads; }

  mlir::Value number; ///< index: of this group among those of the launch
  mlir::Value rank;   ///< index: of this thread in its group
  /// Whether the element type is supported: f32, i32 or i1, of any kind of reduction.
  static bool canCombine(const SweepReduction &reduction);

  /// Calls `body` for the points of [0, end) that belong to this thread; `body` returns one term for each reduction, a
  /// vector of `lanes` or a scalar that counts in every lane. Returns the reductions over all threads, as scalars.
  /// `end` (index) is a multiple of `lanes`.
  llvm::SmallVector<mlir::Value> sweep(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  /// The parts of a sweep. `neutral` returns the neutral element of each reduction, `accumulate` reduces this thread's
  /// terms onto `carried`, and `combine` reduces the result over lanes and threads to one scalar each. The values
  /// between them are one vector of lanes for each reduction, or one scalar if `lanes` is 1.
  llvm::SmallVector<mlir::Value> accumulate(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                            mlir::ValueRange carried,
                                            llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  llvm::SmallVector<mlir::Value> neutral(int64_t lanes, llvm::ArrayRef<SweepReduction> reductions);
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange partial);

  /// Reduces a scalar over `count` neighbouring threads of a warp, from a multiple of `count` on; `count` is a power of
  /// two. All of them obtain the same result, except that the sign of a zero maximum may differ.
  mlir::Value combineNeighbours(const SweepReduction &reduction, mlir::Value value, int64_t count);
  /// Broadcasts scalar `value` of thread `rank` of a warp to the warp, for groups of either kind.
  mlir::Value broadcast(int32_t rank, mlir::Value value);
  /// Synchronises the group: writes before it are visible to all its threads afterwards.
  void sync();
  /// Emits `then` for the first thread of the group alone.
  void onFirstThread(llvm::function_ref<void()> then);

private:
  mlir::Value constant(int64_t value);
  mlir::Value shuffle(mlir::NVVM::ShflKind how, mlir::Value value, int32_t with);
  mlir::Value combineInWarp(const SweepReduction &reduction, mlir::Value value);
  llvm::SmallVector<mlir::Value> combineWarps(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange warpValues);

  Kind kind;
  ThreadPosition position;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t numPartials = 0;
};

} // namespace attnc
