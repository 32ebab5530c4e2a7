//===- GenericReverse.h - reverse-mode rule of linalg.generic -----------------------------------------------------===//
//
// For each tensor with a gradient the rule emits a generic (or a scatter) whose body is the forward body followed by
// its adjoint (dialects/Attn/ScalarDerivatives.h). GenericRule.cpp handles operands and reductions, LoadRule.cpp loads
// by subscripts, and GatherRule.cpp loads with invertible subscripts.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/InverseRead.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "mlir/IR/IRMapping.h"
#include <functional>

namespace attnc {

class GenericReverse {
public:
  GenericReverse(mlir::OpBuilder &builder, mlir::linalg::GenericOp op) : builder(builder), op(op), at(op.getLoc()) {
    auto maps = op.getIndexingMapsArray();
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      addTensor(input, maps[number]);
  }

  /// Adds result `number`, whose forward value is `value`, with its cotangent. All results must be added before a
  /// gradient is requested. Fails with an error if the op has no derivative.
  mlir::LogicalResult addResult(unsigned number, mlir::Value value, mlir::Value cotangent);
  /// Emits the gradient of input number `input`; null if it is zero. Both functions fail with an error if an op of the
  /// body has no derivative.
  mlir::FailureOr<mlir::Value> inputGradient(unsigned input);
  /// Emits the term of `load`, an op of the body, of the gradient of the tensor that it reads; null if it is zero.
  mlir::FailureOr<mlir::Value> loadGradient(mlir::tensor::ExtractOp load);

private:
  /// A result with a cotangent: its combiner and term, and the numbers in `tensors` of the operands that its adjoint
  /// reads.
  struct Result {
    unsigned number = 0;
    std::optional<mlir::attn::Combine> combine; ///< null for a map
    mlir::Value term;                           ///< the value that the body yields or combines
    unsigned cotangent = 0;
    unsigned value = 0;                      ///< of a maximum or minimum
    unsigned ties = 0;                       ///< of a maximum or minimum: number of terms equal to it
    unsigned zeros = 0, productOfOthers = 0; ///< of a product: number of zero terms; product of the other terms
  };

  /// Access of a body to operand n of `tensors` and to loop index n.
  struct Reader {
    mlir::OpBuilder &builder;
    mlir::Location at;
    std::function<mlir::Value(unsigned)> tensor;
    std::function<mlir::Value(unsigned)> index;

    template <typename Op, typename... Values> mlir::Value make(Values... values) const {
      return Op::create(builder, at, values...);
    }
    mlir::Value number(double value) const { return make<mlir::arith::ConstantOp>(builder.getF32FloatAttr(value)); }
  };
  class Gather;

  using Summand = llvm::function_ref<mlir::Value(const Reader &, mlir::Value term, mlir::Value value)>;
  unsigned addStatistic(const Result &result, double start, bool isProduct, Summand summand);
  unsigned addTensor(mlir::Value tensor, mlir::AffineMap map);
  std::optional<llvm::SmallVector<unsigned>> loopDimensions(mlir::tensor::ExtractOp load, SymbolicShapes &shapes);
  mlir::FailureOr<mlir::Value> selectGradient(mlir::tensor::ExtractOp load, llvm::ArrayRef<unsigned> loopDims);
  mlir::FailureOr<mlir::Value> gatherGradient(mlir::tensor::ExtractOp load, const InverseRead &inverse);
  mlir::FailureOr<mlir::Value> scatterGradient(mlir::tensor::ExtractOp load);
  void copyForward(const Reader &reader, mlir::IRMapping &copies, llvm::SmallVectorImpl<mlir::Operation *> &ops);
  mlir::Value seed(const Reader &reader, const Result &result, mlir::Value term);
  /// Emits a copy of the body followed by its adjoint; returns the cotangents. Values that `copies` maps are not
  /// copied.
  mlir::FailureOr<mlir::attn::Cotangents> reverseBody(const Reader &reader, mlir::IRMapping &copies);
  std::optional<std::pair<mlir::Value, unsigned>> dimensionOf(unsigned loop);
  mlir::Value loopSize(unsigned loop);
  /// Reader for the body of a generic over `tensors` with arguments `v`.
  Reader makeReader(mlir::OpBuilder &inner, mlir::ValueRange v) {
    return {inner, at, [v](unsigned n) { return v[n]; },
            [&inner, at = at](unsigned n) { return mlir::linalg::IndexOp::create(inner, at, n).getResult(); }};
  }
  mlir::AffineMap resultMap(unsigned number) { return op.getMatchingIndexingMap(op.getDpsInitOperand(number)); }

  mlir::OpBuilder &builder;
  mlir::linalg::GenericOp op;
  mlir::Location at;
  llvm::SmallVector<mlir::Value> tensors; ///< the inputs, then cotangents and statistics
  llvm::SmallVector<mlir::AffineMap> tensorMaps;
  llvm::SmallVector<Result> results;
};

} // namespace attnc
