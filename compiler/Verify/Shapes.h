//===- Shapes.h - shape inference by symbolic execution of an entry point -----------------------------------------===//
//
// Executes an entry point once, in program order, on shapes instead of tensors and on sizes instead of numbers,
// including the kernels that it calls. The planner instead derives sizes backward, from a value to the dimensions
// (compiler/Sizes/SizeAnalysis.h), kernel by kernel; the two share only the arithmetic of sizes.
//
// It also records where scores are computed: in an `attn.attend` or its gradient, and in a contraction, which combines
// each position of one tensor (a query) with each position of another (a key). Sizes that grow with the product of the
// two are of the order of all pairs.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::verify {

class Shapes {
public:
  /// `symbols` are the entry point's dimensions, then "workers".
  Shapes(mlir::func::FuncOp entry, llvm::ArrayRef<std::string> symbols);

  /// Bytes of a tensor of the entry point; null if they are no function of the symbols.
  std::optional<SizeExpr> bytes(mlir::Value tensor) const;
  /// Whether a size is of the order of queries times keys, of any scores.
  bool growsAsAllPairs(const SizeExpr &size) const;
  /// The pair, as "seq x seq"; empty without scores.
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
