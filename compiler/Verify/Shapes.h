//===- Shapes.h - shape inference by symbolic execution of an entry point -----------------------------------------===//
//
// The verifier executes an entry point once, in program order, on shapes instead of tensors and on sizes instead of
// numbers, including the kernels that it calls. The planner instead derives sizes backward, from a value to the
// dimensions (compiler/Sizes/SizeAnalysis.h), kernel by kernel; the two share only the arithmetic of sizes.
//
// The execution also records where scores are computed. An `attn.attend` or its gradient, and a contraction, combine
// each position of one tensor (a query) with each position of another tensor (a key). The query index of an attend is
// its last outer index. A size that grows with the product of two such dimensions is of the order of all query–key
// pairs.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::verify {

/// The shapes of all tensors of one entry point.
class Shapes {
public:
  /// Executes `entry`. `symbols` are the names of its dimensions, then "workers"; sizes are over them.
  Shapes(mlir::func::FuncOp entry, llvm::ArrayRef<std::string> symbols);

  /// Bytes of a tensor of the entry point; null if the execution cannot derive them as a function of the symbols.
  std::optional<SizeExpr> bytes(mlir::Value tensor) const;
  /// True if a term of `size` grows with the product of two dimensions (SizeExpr::hasProductOf), of which one occurs in
  /// the number of queries and one in the number of keys of some scores of the entry point.
  bool growsAsAllPairs(const SizeExpr &size) const;
  /// The dimensions of queries and keys, as "seq x seq", separated by commas; empty if the entry point computes no
  /// scores, or none whose numbers of queries and of keys both depend on dimensions.
  std::string pairsText() const;

private:
  using Size = std::optional<SizeExpr>;
  using Shape = std::vector<Size>;
  /// Known shapes and numbers of one function during execution.
  struct Frame {
    llvm::DenseMap<mlir::Value, Shape> tensors;
    llvm::DenseMap<mlir::Value, Size> numbers;
  };

  std::vector<std::string> symbols;
  Frame entryFrame;
  std::vector<std::pair<unsigned, unsigned>> pairs; ///< symbols of queries and of keys

  void run(mlir::Block &block, Frame &frame);
  void run(mlir::Operation &op, Frame &frame);
  void runLoop(mlir::Operation &op, Frame &frame);
  void call(mlir::func::CallOp call, Frame &frame);
  void define(mlir::Value value, Shape shape, Frame &frame);
  Size number(mlir::OpFoldResult size, const Frame &frame) const;
  Size arithmetic(mlir::Operation &op, const Frame &frame) const;
  Shape numbers(llvm::ArrayRef<mlir::OpFoldResult> sizes, const Frame &frame) const;
  Shape shapeOfMove(mlir::Operation *op, const Frame &frame) const;
  /// The shape of a result; null for dimensions that its type determines.
  Shape shapeOf(mlir::OpResult result, const Frame &frame) const;
  Shape shapeOf(mlir::Value tensor, const Frame &frame) const { return frame.tensors.lookup(tensor); }
  void noteScores(mlir::Operation &op, const Frame &frame);
  void noteContraction(mlir::linalg::LinalgOp op, const Frame &frame);
  void notePairs(const Size &queries, const Size &keys);
};

} // namespace attnc::verify
