//===- StageWriter.h - a function made from another one, with its sizes -------------------------------------------===//
//
// What the writers of next and next_begin share: the new function with its arguments, dimensions and sizes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"
#include "mlir/IR/IRMapping.h"

namespace attnc {

/// An argument or a result of an entry point.
struct Port {
  mlir::Type type;
  std::string name;
  llvm::SmallVector<std::string> shape; ///< as model.shape says it
  bool isState = false;
};

class StageWriter {
protected:
  StageWriter(IncrementalPlan &plan, const llvm::Twine &name)
      : plan(plan), analysis(plan.analysis), old(plan.analysis.function), name(name.str()),
        builder(plan.analysis.function) {}

  /// The function with an entry block, where the builder is left. Dimensions are those of `dimensions` that the shapes
  /// of the arguments name, in this order.
  mlir::func::FuncOp create(llvm::ArrayRef<Port> arguments, llvm::ArrayRef<mlir::model::DimensionAttr> dimensions);
  /// Ends the function.
  void finish(llvm::ArrayRef<Port> results, mlir::ValueRange values);
  Port port(mlir::BlockArgument argument);
  std::vector<mlir::model::DimensionAttr> oldDimensions();

  /// Where `value`, of the old function, has its sizes in this one; null where this function does not know them.
  mlir::Value size(const SizeExpr &size, mlir::Location at);
  /// Copies an op that computes scalars, if this function knows what it needs.
  void writeScalar(mlir::Operation &op);
  bool isKnown(mlir::Operation &op);
  /// The place of a kept value in its list, in the innermost of its loops.
  mlir::Value place(const KeptValue &kept, mlir::Location at);
  static mlir::RankedTensorType listOf(const KeptValue &kept, mlir::RankedTensorType element);
  static llvm::SmallVector<std::string> listShape(const KeptValue &kept, llvm::SmallVector<std::string> element);

  IncrementalPlan &plan;
  PositionAnalysis &analysis;
  mlir::func::FuncOp old, made;
  std::string name;
  mlir::OpBuilder builder;
  mlir::IRMapping values;               ///< from the old function
  std::vector<mlir::Value> symbolSizes; ///< of the old function's symbols, in this one
};

} // namespace attnc
