//===- GenericReverse.h - reverse-mode rule of linalg.generic -----------------------------------------------------===//
//
// The rule emits a linalg.generic, or an attn.scatter_add, for each input and each load (tensor.extract in the body) of
// an active tensor (Reverse.h); for a strided load, one for each residue class (Residues.h). Its body is a copy of the
// forward body, followed by the adjoint, which computes cotangents from the result's back to the element's
// (dialects/Attn/ScalarDerivatives.h). GenericRule.cpp has the inputs and the reductions, LoadRule.cpp the loads, and
// GatherRule.cpp the loads with invertible subscripts.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/InverseRead.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "mlir/IR/IRMapping.h"
#include <functional>

namespace attnc {

/// Emits the terms that `op` contributes to the cotangents of the tensors that it reads, at the builder's insertion
/// point. The caller first adds each result that has a cotangent, then requests gradients.
class GenericReverse {
public:
  GenericReverse(mlir::OpBuilder &builder, mlir::linalg::GenericOp op) : builder(builder), op(op), at(op.getLoc()) {
    auto maps = op.getIndexingMapsArray();
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      addTensor(input, maps[number]);
  }

  /// Adds result `number` with its cotangent; `value` is the result, or its stored copy. For a product, a maximum or a
  /// minimum, emits the statistics that its adjoint reads. Fails with an error if the result is a reduction of another
  /// kind than a sum, product, maximum or minimum.
  mlir::LogicalResult addResult(unsigned number, mlir::Value value, mlir::Value cotangent);
  /// Emits the term for input number `input`, an f32 tensor of the shape of the input; null if the term is zero. Fails
  /// with an error if an op of the body has no derivative, or if the input is not read by a projected permutation.
  mlir::FailureOr<mlir::Value> inputGradient(unsigned input);
  /// Emits the term that `load`, a tensor.extract in the body, contributes to the cotangent of the tensor that it
  /// reads; null if the term is zero. Fails with an error if an op of the body has no derivative, or if the subscripts
  /// cannot be inverted and no operand has the extent of one of the loops.
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

  /// Access of an emitted body to the element of operand n of `tensors`, and to the index of the forward op's loop n.
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
