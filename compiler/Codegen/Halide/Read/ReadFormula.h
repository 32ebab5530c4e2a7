//===- ReadFormula.h - formulas of a kernel as nodes of a stage ------------------------------------------------===//
//
// What regions of linalg and attn ops hold, `arith`, `math` and `tensor.extract` on scalars, becomes nodes (Stage.h).
// Who reads an op derives, and says what the formula's own arguments are.
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

struct KernelStage {
  Stage stage;
  std::vector<unsigned> operands;  ///< of each buffer of the stage, which tensor operand of the kernel it is
  std::vector<SizeExpr> arguments; ///< of the stage
  Operations operations;           ///< that nodes are, of each kind one
};

class FormulaReader {
public:
  explicit FormulaReader(mlir::func::FuncOp kernel) : kernel(kernel), sizes(kernel) {}
  virtual ~FormulaReader() = default;

protected:
  using MaybeNode = std::optional<unsigned>;

  /// Whether a value is one of the formula's, so that it may change from one iteration to the next.
  virtual bool isInside(mlir::Value value) = 0;
  /// An argument of the formula, or what one of its operations gives that only who derives knows; nothing where it is
  /// neither, or where it has been declined.
  virtual MaybeNode ownNode(mlir::Value value) = 0;
  /// An element of a tensor that is no argument of the kernel; whoever reads none declines.
  virtual MaybeNode loadMade(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts);

  /// False; the first reason stays.
  bool decline(const llvm::Twine &reason);
  std::optional<Size> sizeOf(const SizeExpr &size);
  /// As formulas have it.
  std::optional<Element> elementOf(mlir::Type type);
  /// As memory has it, in 16 bits too.
  std::optional<Element> storedElementOf(mlir::Type type);

  unsigned add(Op kind, Element element, llvm::ArrayRef<unsigned> operands, int64_t integer = 0, double number = 0);
  unsigned integer(int64_t value) { return add(Op::Integer, Element::I32, {}, value); }
  unsigned nodeOfSize(const Size &size);
  unsigned indexOf(unsigned loop) { return add(Op::Index, Element::I32, {}, loop); }

  /// The node that computes a value; nothing where it is declined.
  MaybeNode nodeOf(mlir::Value value);
  /// An element of a tensor.
  MaybeNode loadNode(mlir::Value tensor, llvm::ArrayRef<unsigned> subscripts);
  /// An affine expression of these.
  MaybeNode affineNode(mlir::AffineExpr expression, llvm::ArrayRef<unsigned> dims);

  mlir::func::FuncOp kernel;
  KernelSizes sizes;
  KernelStage made;
  std::string why;
  llvm::DenseMap<mlir::Value, unsigned> nodes; ///< of the values that have been read

  /// An element of buffer `operand`, which has this shape.
  unsigned loadFrom(unsigned operand, const Buffer &shape, llvm::ArrayRef<unsigned> subscripts);

private:
  MaybeNode makeNode(mlir::Value value);
  MaybeNode constantNode(mlir::Type type, mlir::Attribute constant);
  MaybeNode elementNode(mlir::tensor::ExtractOp extract, llvm::SmallVector<unsigned> &subscripts);
  MaybeNode operationNode(mlir::Operation *operation);
  MaybeNode callNode(mlir::Operation *operation, Element element, llvm::ArrayRef<unsigned> operands);
  unsigned signedRemainder(unsigned number, unsigned divisor);
  MaybeNode compareIntegers(mlir::arith::CmpIPredicate predicate, llvm::ArrayRef<unsigned> of);
  unsigned compareSums(Op kind, unsigned a, unsigned b);
  unsigned compare(Op kind, unsigned a, unsigned b) { return add(kind, Element::Truth, {a, b}); }
};

} // namespace attnc::halide
