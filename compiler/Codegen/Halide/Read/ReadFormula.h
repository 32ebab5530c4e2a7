//===- ReadFormula.h - translation of scalar formulas to nodes of a Halide stage ----------------------------------===//
//
// Translates the regions of linalg and attn ops (`arith`, `math` and `tensor.extract` on scalars) to nodes (Stage.h). A
// derived class (StageReader of ReadStage.h) reads an op and supplies the nodes of the formula's arguments. A value
// that Halide does not support is declined: functions return null for it and for all ops that are read for the first
// time afterwards, and `why` has the first reason.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/Operations.h"
#include "compiler/Codegen/Halide/Stage.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::halide {

/// A stage under construction.
struct KernelStage {
  Stage stage;
  /// The source of each buffer of the stage: the number of a tensor operand of the kernel, or a greater number, which
  /// the derived class defines (StageReader: the number of operands plus s is the result of stage s).
  std::vector<unsigned> operands;
  std::vector<SizeExpr> arguments; ///< the value of each argument of the stage, over the kernel's symbols
  Operations operations;           ///< distinct operations of its calls
};

class FormulaReader {
public:
  explicit FormulaReader(mlir::func::FuncOp kernel) : kernel(kernel), sizes(kernel) {}
  virtual ~FormulaReader() = default;

protected:
  using MaybeNode = std::optional<unsigned>; ///< the number of a node of made.stage; null if declined

  /// Whether the op that computes the value may be read as a part of the formula: an op of the formula, or an op that
  /// computes a scalar before the loops. Other values are supported only if they are constants or sizes.
  virtual bool isInside(mlir::Value value) = 0;
  /// The node of an argument of the formula, or of an op that only the derived class supports. Null for other values,
  /// and for declined ones.
  virtual MaybeNode ownNode(mlir::Value value) = 0;
  /// The node of an element of a tensor that the kernel computes; the default declines. `subscripts` are nodes here and
  /// below, one for each dimension, outermost first.
  virtual MaybeNode loadIntermediate(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts);

  /// Sets `why` to the reason, unless there is an earlier one, and returns false.
  bool decline(const llvm::Twine &reason);
  /// The size as a constant or an argument of the stage, which is added if it is new; never null.
  std::optional<Size> sizeOf(const SizeExpr &size);
  /// The element type in formulas: f32, i32 (also of `index`) or bool. Null and declined for other types.
  std::optional<attn_dtype> elementOf(mlir::Type type);
  /// The element type in memory, including 16-bit types. Null and declined for other types.
  std::optional<attn_dtype> storedElementOf(mlir::Type type);

  // These add a node to the stage, or find an equal one, and return its number. The parameters are the members of Node.
  unsigned add(Op kind, attn_dtype element, llvm::ArrayRef<unsigned> operands, int64_t integer = 0, double number = 0);
  unsigned integer(int64_t value) { return add(Op::Integer, ATTN_I32, {}, value); }
  unsigned nodeOfSize(const Size &size); ///< of a size that sizeOf() returned
  unsigned indexOf(unsigned loop) { return add(Op::Index, ATTN_I32, {}, loop); }

  /// The node that computes a value; null if declined.
  MaybeNode nodeOf(mlir::Value value);
  /// The node of an element of a tensor; null if declined.
  MaybeNode loadNode(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts);
  /// The node of an affine expression whose dimension n is node dims[n]; null if declined. Symbols, rounding up, and
  /// divisors that are not positive constants are declined.
  MaybeNode affineNode(mlir::AffineExpr expression, llvm::ArrayRef<unsigned> dims);

  mlir::func::FuncOp kernel;
  KernelSizes sizes;
  KernelStage made; ///< the stage under construction
  std::string why;  ///< the first reason for declining; empty before
  /// Nodes of the values read so far, for one iteration of one region. A derived class that reads a region again, for
  /// another iteration, replaces the map first.
  llvm::DenseMap<mlir::Value, unsigned> nodes;

  /// The node of an element of the source number `operand` (KernelStage::operands), whose type and shape are `shape`.
  /// Adds the buffer to the stage if it is new.
  unsigned loadFrom(unsigned operand, const Buffer &shape, llvm::ArrayRef<unsigned> subscripts);

private:
  MaybeNode makeNode(mlir::Value value);
  MaybeNode constantNode(mlir::Type type, mlir::Attribute constant);
  MaybeNode elementNode(mlir::tensor::ExtractOp extract, llvm::SmallVector<unsigned> &subscripts);
  MaybeNode operationNode(mlir::Operation *operation);
  MaybeNode callNode(mlir::Operation *operation, attn_dtype element, llvm::ArrayRef<unsigned> operands);
  unsigned signedRemainder(unsigned number, unsigned divisor);
  MaybeNode compareIntegers(mlir::arith::CmpIPredicate predicate, llvm::ArrayRef<unsigned> of);
  unsigned compareSums(Op kind, unsigned a, unsigned b);
  unsigned compare(Op kind, unsigned a, unsigned b) { return add(kind, ATTN_BOOL, {a, b}); }
};

} // namespace attnc::halide
