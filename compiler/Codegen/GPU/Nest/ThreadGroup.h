//===- ThreadGroup.h - threads of a block that work on one thing together ---------------------------------------===//
//
// A group is a warp or the whole block. Its threads take points of a sweep in turns, `lanes` neighbours at a time, so
// that neighbouring threads read neighbouring memory:
//
//   thread 0   points 0..3   128..131  ...          4 lanes, a warp of 32 threads
//   thread 1   points 4..7   132..135  ...
//
// and then combine what each of them found. Every thread has the same bits then: a warp folds by a tree of exchanges
// and takes the first thread's; a block writes a partial result a warp to shared memory, waits, and each thread folds
// them in order. The order of additions depends on sizes alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace attnc {

class ThreadGroup {
public:
  enum class Kind { Warp, Block };
  ThreadGroup(Kind kind, ThreadPlace place, mlir::OpBuilder &builder, mlir::Location location);

  /// Groups of a block, and threads of a group.
  int64_t perBlock() const { return kind == Kind::Warp ? place.threads / warpThreads : 1; }
  int64_t size() const { return kind == Kind::Warp ? warpThreads : place.threads; }

  mlir::Value number; ///< index: of this group among those of the launch
  mlir::Value rank;   ///< index: of this thread in its group
  /// Whether a sum of that kind can be combined.
  static bool canCombine(const SweepReduction &reduction);

  /// Calls `body` for the points of [0, end) that are this thread's, a multiple of `lanes` where those are more than
  /// one; it gives a term for each reduction. Returns the folded terms of all threads, scalars.
  llvm::SmallVector<mlir::Value> sweep(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  /// The parts of a sweep: a partial result of each reduction in lanes, carried on from `carried`; then one scalar of
  /// all threads.
  llvm::SmallVector<mlir::Value> accumulate(mlir::Value end, int64_t lanes, llvm::ArrayRef<SweepReduction> reductions,
                                            mlir::ValueRange carried,
                                            llvm::function_ref<llvm::SmallVector<mlir::Value>(const LanePoint &)> body);
  llvm::SmallVector<mlir::Value> neutral(int64_t lanes, llvm::ArrayRef<SweepReduction> reductions);
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange partial);

  /// The folded scalars of `count` neighbouring threads of a warp, a power of two; each has the same result, but that
  /// the greater of two zeros may be either.
  mlir::Value combineNeighbours(const SweepReduction &reduction, mlir::Value value, int64_t count);
  /// What thread number `rank` of this one's warp has for `value`, a scalar.
  mlir::Value valueOf(int32_t rank, mlir::Value value);
  /// What the group's threads wrote before is seen by all of them behind.
  void wait();
  /// Emits `then` for one thread of the group.
  void first(llvm::function_ref<void()> then);

private:
  mlir::Value constant(int64_t value);
  mlir::Value exchange(mlir::NVVM::ShflKind how, mlir::Value value, int32_t with);
  mlir::Value combineInWarp(const SweepReduction &reduction, mlir::Value value);
  llvm::SmallVector<mlir::Value> combineWarps(llvm::ArrayRef<SweepReduction> reductions, mlir::ValueRange ofWarps);

  Kind kind;
  ThreadPlace place;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t numPartials = 0;
};

} // namespace attnc
