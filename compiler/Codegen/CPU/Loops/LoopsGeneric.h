//===- LoopsGeneric.h - one linalg.generic of a loops kernel ----------------------------------------------------===//
//
// What the ways to emit one linalg.generic have in common: buffers, results and cost. The ways:
//
//   GenericEmission  (Loops.cpp)        one parallel loop in lanes, or a reduction
//   TurnedEmission   (LoopsTurned.cpp)  an operand is contiguous along another loop than the results: it is read in
//                                       L x L tiles, which are transposed in registers
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Nest/LoopNest.h"

namespace attnc {

class GenericKernel {
protected:
  GenericKernel(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const Target &target, mlir::ModuleOp code);

  mlir::Value constant(int64_t value);
  /// Collapsed shapes of arguments are views of their buffers.
  void bindViews(RegionVectoriser &vectoriser);
  /// Stores an element of result `result` where the kernel returns it, in the shape that `op` writes; what the kernel
  /// keeps to itself, such as the largest value beside its position, stays in registers.
  /// Evaluates all results at a point, then stores them: one of them may lie where an operand does.
  void storeResults(RegionVectoriser &vectoriser, llvm::ArrayRef<LaneIndex> at);
  void storeResult(RegionVectoriser &vectoriser, mlir::Value value, unsigned result, llvm::ArrayRef<LaneIndex> at);
  llvm::SmallVector<LaneIndex> subscriptsOfResult(unsigned result, llvm::ArrayRef<LaneIndex> at);
  KernelCost cost();

  mlir::linalg::GenericOp op;
  KernelFrame frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  llvm::SmallVector<SizeExpr> sizes; ///< of the loops
};

/// Loops of a pointwise op by which tiles are read: operands whose last dimension runs along `contiguous` are
/// transposed to have `lane`, the results' last, in the lanes.
struct TurnedLoops {
  unsigned lane, contiguous;
  llvm::SmallVector<unsigned> operands; ///< numbers of those that are transposed
};
std::optional<TurnedLoops> matchTurnedLoops(mlir::linalg::GenericOp op);
KernelCode emitTurned(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const TurnedLoops &turned,
                      const Target &target, mlir::ModuleOp code);

} // namespace attnc
