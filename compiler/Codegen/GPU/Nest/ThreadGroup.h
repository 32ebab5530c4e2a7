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
// shared memory, synchronises, and each thread adds them in order. The order of additions depends on sizes alone.
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
  ThreadGroup(Kind kind, ThreadPosition position, mlir::OpBuilder &builder, mlir::Location location);

  /// Groups per block, and threads per group.
  int64_t perBlock() const { return kind == Kind::Warp ? position.threads / warpThreads : 1; }
  int64_t size() const { return kind == Kind::Warp ? warpThreads : position.threads; }

  mlir::Value number; ///< index: of this group among those of the launch
  mlir::Value rank;   ///< index: of this thread in its group
  /// Whether reductions of that kind and type are supported.
  static bool canCombine(const SweepReduction &reduction);

  /// Calls `body` for the points of [0, end) that belong to this thread; `body` returns one term for each reduction.
  /// Returns the reductions over all threads, as scalars. `end` is a multiple of `lanes`.
  llvm::SmallVector<mlir::Value> sweep(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  /// The two halves of a sweep. `accumulate` adds this thread's terms to `carried`, one vector of lanes for each
  /// reduction; `combine` reduces them over lanes and threads to one scalar each.
  llvm::SmallVector<mlir::Value> accumulate(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                            mlir::ValueRange carried,
                                            llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  llvm::SmallVector<mlir::Value> neutral(int64_t lanes, llvm::ArrayRef<SweepReduction> reductions);
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange partial);

  /// Reduces over `count` neighbouring threads of a warp, a power of two. All of them obtain the same result, except
  /// that the sign of a zero maximum may differ.
  mlir::Value combineNeighbours(const SweepReduction &reduction, mlir::Value value, int64_t count);
  /// Broadcasts scalar `value` of thread `rank` of the warp.
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
