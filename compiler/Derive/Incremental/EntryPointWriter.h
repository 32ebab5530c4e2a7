//===- EntryPointWriter.h - common base of the writers of entry points derived from a function --------------------===//
//
// Shared by the writers of next, next_prefill and next_begin: creates the new function with its arguments, dimensions
// and sizes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"
#include "mlir/IR/IRMapping.h"

namespace attnc {

/// An argument or a result of an entry point.
struct Port {
  mlir::Type type;
  std::string name;
  llvm::SmallVector<std::string> shape; ///< as in model.shape
  bool isState = false;
};

/// Writes one function, derived from the function of `plan` (the old one), before it in the module.
class EntryPointWriter {
public:
  EntryPointWriter(IncrementalPlan &plan, const llvm::Twine &name)
      : plan(plan), analysis(plan.analysis), dims(plan.analysis.dims), old(plan.analysis.function), name(name.str()),
        builder(plan.analysis.function) {}

  /// Creates the function with an entry block, at which it leaves the builder. Its dimensions are those of `dimensions`
  /// that the arguments' shapes name, in this order.
  mlir::func::FuncOp create(llvm::ArrayRef<Port> arguments, llvm::ArrayRef<mlir::model::DimensionAttr> dimensions);
  /// Writes the return.
  void finish(llvm::ArrayRef<Port> results, mlir::ValueRange values);
  Port port(mlir::BlockArgument argument); ///< of an argument of the old function
  std::vector<mlir::model::DimensionAttr> oldDimensions();

  bool isKnown(const SizeExpr &size) const;
  /// The value of a size of the old function in this one; null if it is unknown here.
  mlir::Value size(const SizeExpr &size, mlir::Location at);
  /// Copies an op on scalars, if its operands are known here.
  void writeScalar(mlir::Operation &op);
  /// True if `values` has all operands of the op.
  bool isKnown(mlir::Operation &op);
  /// Index of a retained value in its per-iteration list, inside its loops: i for one loop, i * n + j for two nested
  /// ones, where n is the number of iterations of the inner loop.
  mlir::Value elementIndex(const RetainedValue &retained, mlir::Location at);
  /// Type and shape of the per-iteration list of a retained value; of the value itself if it is in no loop.
  static mlir::RankedTensorType listOf(const RetainedValue &retained, mlir::RankedTensorType element);
  static llvm::SmallVector<std::string> listShape(const RetainedValue &retained,
                                                  llvm::SmallVector<std::string> element);

  IncrementalPlan &plan;
  PositionAnalysis &analysis;
  PositionDims &dims;
  mlir::func::FuncOp old, result;
  std::string name;
  mlir::OpBuilder builder;
  mlir::IRMapping values;               ///< from the old function
  std::vector<mlir::Value> symbolSizes; ///< values in this function of the old one's symbols; null if unknown
};

} // namespace attnc
