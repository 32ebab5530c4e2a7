//===- ThreadGroup.h - cooperative sweep and reduction by a warp or a block ---------------------------------------===//
//
// A thread group is a warp or the whole block. A sweep evaluates reductions over points 0 .. end - 1, such as the
// elements of a row. The points are distributed cyclically over the threads of the group, `lanes` neighbouring points
// at a time, so that accesses coalesce:
//
//   thread 0   points 0..3   128..131  ...          4 lanes, a warp of 32 threads
//   thread 1   points 4..7   132..135  ...
//
// The partial results of the threads are then reduced, and every thread obtains the same bits. A warp reduces by a
// butterfly of shuffles and broadcasts the result of its first thread. A block writes one partial result per warp to
// shared memory, synchronises, and each thread reduces them in order. The order of a reduction depends on sizes alone.
// All threads of a group must execute its reductions, broadcasts and synchronisations together, not in divergent
// branches.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace attnc {

/// The group that contains the executing thread. The members emit its code at the insertion point of the builder.
class ThreadGroup {
public:
  enum class Kind { Warp, Block };
  /// Emits the numbers of the group and of the thread. `position` is that of the phase's frame; `builder` outlives the
  /// group. A phase has at most one group of kind Block that reduces.
  ThreadGroup(Kind kind, ThreadPosition position, mlir::OpBuilder &builder, mlir::Location location);

  /// Groups per block, and threads per group.
  int64_t perBlock() const { return kind == Kind::Warp ? position.threads / warpThreads : 1; }
  int64_t size() const { return kind == Kind::Warp ? warpThreads : position.threads; }

  mlir::Value number; ///< index: number of this group among all groups of its kind in the launch
  mlir::Value rank;   ///< index: number of this thread in its group
  /// Whether the reduction's element type is supported: f32, i32 or i1. All kinds of reductions are supported.
  static bool canCombine(const SweepReduction &reduction);

  /// Emits a loop over the points of [0, end) that belong to this thread. `body` is called once, with `lanes`
  /// neighbouring points, to emit its code; it returns one term for each reduction: a vector of `lanes` elements, or a
  /// scalar, which stands for the same value in every lane. Returns the reductions over all points, as scalars that
  /// all threads of the group share. `end` (index) is a multiple of `lanes`. If a block executes the same reduction
  /// repeatedly, in a loop, the caller synchronises between the iterations. Without reductions, as for stores alone,
  /// the result is empty, and the threads are not synchronised.
  llvm::SmallVector<mlir::Value> sweep(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  /// The parts of a sweep. `neutral` returns the neutral element of each reduction, `accumulate` reduces this thread's
  /// terms onto `carried` and returns the result, and `combine` reduces the values `partial` of accumulate over lanes
  /// and threads to one scalar each. The values between these functions are one vector of `lanes` elements for each
  /// reduction, or one scalar if `lanes` is 1.
  llvm::SmallVector<mlir::Value> accumulate(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                            mlir::ValueRange carried,
                                            llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  llvm::SmallVector<mlir::Value> neutral(int64_t lanes, llvm::ArrayRef<SweepReduction> reductions);
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange partial);

  /// Reduces the scalar `value` over `count` neighbouring threads of a warp, the first of which has a multiple of
  /// `count` as its number; `count` is a power of two up to 32. These threads obtain the same result, except that the
  /// sign of a zero maximum may differ. The whole warp executes it, in groups of either kind.
  mlir::Value combineNeighbours(const SweepReduction &reduction, mlir::Value value, int64_t count);
  /// Broadcasts the scalar `value` (f32, i32 or i1) of lane `rank` of each warp to all lanes of the warp, in groups of
  /// either kind.
  mlir::Value broadcast(int32_t rank, mlir::Value value);
  /// Emits a barrier of the group: memory writes before the barrier are visible to all its threads afterwards.
  void sync();
  /// Emits a branch that the first thread of the group executes alone; `then` emits its code.
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
