//===- EntryPointWriter.h - common base of the writers of entry points derived from a function --------------------===//
//
// The writers of next, next_prefill and next_begin (Incremental.h) share this base. It creates the new function with
// its arguments and dimensions, and maps sizes and scalars of the function f, the "old function", to the new one.
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

/// Writes one function, derived from the function of `plan`, before that function in the module.
class EntryPointWriter {
public:
  /// `name` is the name of the new function; `plan` must outlive the writer.
  EntryPointWriter(IncrementalPlan &plan, const llvm::Twine &name)
      : plan(plan), analysis(plan.analysis), dims(plan.analysis.dims), old(plan.analysis.function), name(name.str()),
        builder(plan.analysis.function) {}

  /// Creates the function with an entry block, in which it leaves the builder. The function's dimensions are those of
  /// `dimensions` that the arguments' shapes name, in this order.
  mlir::func::FuncOp create(llvm::ArrayRef<Port> arguments, llvm::ArrayRef<mlir::model::DimensionAttr> dimensions);
  /// Writes the return of `values`; `results` has their names and shapes, in the same order.
  void finish(llvm::ArrayRef<Port> results, mlir::ValueRange values);
  /// The type, name and shape of an argument of the old function.
  Port port(mlir::BlockArgument argument);
  /// The dimensions of the old function (`model.dimensions`).
  std::vector<mlir::model::DimensionAttr> oldDimensions();

  /// True if the dimensions of the new function determine a size of the old function.
  bool isKnown(const SizeExpr &size) const;
  /// Emits the value, an `index` of the new function, of a size of the old function; null if it is unknown here.
  mlir::Value size(const SizeExpr &size, mlir::Location at);
  /// Emits the value of `op`, an op of the old function on scalars: the size that a tensor.dim reads, or a clone of any
  /// other op. Does nothing if the size, or an operand, is unknown here.
  void writeScalar(mlir::Operation &op);
  /// True if `values` has all values that `op` and the ops in its regions use from outside of it.
  bool isKnown(mlir::Operation &op);
  /// Index of a retained value in its per-iteration list: i for one loop around it, i * n + j for two nested loops,
  /// where n is the number of iterations of the inner loop. The builder must be in these loops. Null without loops.
  mlir::Value elementIndex(const RetainedValue &retained, mlir::Location at);
  /// Type and shape of the per-iteration list of a retained value, whose type and shape here are `element`. The same as
  /// `element` if the value is in no loop.
  static mlir::RankedTensorType listOf(const RetainedValue &retained, mlir::RankedTensorType element);
  static llvm::SmallVector<std::string> listShape(const RetainedValue &retained,
                                                  llvm::SmallVector<std::string> element);

  IncrementalPlan &plan;
  PositionAnalysis &analysis;
  PositionDims &dims;
  mlir::func::FuncOp old, result; ///< f; the new function, null before create()
  std::string name;
  mlir::OpBuilder builder;
  mlir::IRMapping values;               ///< from values of the old function to those of the new one
  std::vector<mlir::Value> symbolSizes; ///< by symbol of the old function (SymbolicShapes): an `index` here, or null
};

} // namespace attnc
