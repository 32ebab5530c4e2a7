//===- Shapes.h - the sizes of an entry point's tensors, found by running it on shapes ----------------------------===//
//
// Runs an entry point once from its first op to its last, on shapes in place of tensors and on sizes in place of
// numbers, and goes into each kernel where it is called. What the compiler plans with follows sizes backward, from a
// value to the dimensions (compiler/Sizes/SizeAnalysis.h), and looks at kernels one by one; the two have only the
// arithmetic of sizes in common.
//
// On the way it sees where scores are made: in an `attn.attend` or its gradient, and in a contraction, which gives each
// position of one tensor (a query) a number with each position of another (a key). What grows as the product of the two
// is of the order of all pairs.
//
//===------------------------------------------------------------------------------------------------------------===//
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

  /// Bytes of a tensor of the entry point; nothing where they are no function of the symbols.
  std::optional<SizeExpr> bytes(mlir::Value tensor) const;
  /// Is a size of the order of queries times keys, of any scores that were made?
  bool isOfAllPairs(const SizeExpr &size) const;
  /// Such a pair, as "seq x seq"; empty where no scores are made.
  std::string pairsText() const;

private:
  using Size = std::optional<SizeExpr>;
  using Shape = std::vector<Size>;
  /// What is known of the values of one function while it runs.
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
  /// The shape of a result; dimensions that its type has may be left open.
  Shape shapeOf(mlir::OpResult result, const Frame &frame) const;
  Shape shapeOf(mlir::Value tensor, const Frame &frame) const { return frame.tensors.lookup(tensor); }
  void noteScores(mlir::Operation &op, const Frame &frame);
  void noteContraction(mlir::linalg::LinalgOp op, const Frame &frame);
  void notePairs(const Size &queries, const Size &keys);
};

} // namespace attnc::verify
