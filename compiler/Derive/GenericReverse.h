//===- GenericReverse.h - the reverse of one linalg.generic ---------------------------------------------------===//
//
// For each tensor that has a gradient, what is emitted is a generic (or a scatter) whose body is the forward's followed
// by its reverse (dialects/Attn/ScalarDerivatives.h). GenericRule.cpp has operands and reductions, LoadRule.cpp what is
// loaded by subscripts, GatherRule.cpp such loads whose subscripts can be turned round.
//
//===------------------------------------------------------------------------------------------------------------===//
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

  /// Says that result `number` has a cotangent; `value` is the result. Fails with an error where there is no reverse.
  mlir::LogicalResult addResult(unsigned number, mlir::Value value, mlir::Value cotangent);
  /// The gradient of an input, or null where it is zero.
  mlir::FailureOr<mlir::Value> ofInput(unsigned input);
  /// The gradient of the tensor that `load` loads from, or null.
  mlir::FailureOr<mlir::Value> ofLoad(mlir::tensor::ExtractOp load);

private:
  /// One result that has a cotangent: how a body makes it from what it was before and a term, and where the tensors
  /// that its reverse reads stand in `tensors`.
  struct Result {
    unsigned number = 0;
    std::optional<mlir::attn::Combine> combine; ///< nothing for a map
    mlir::Value term;                           ///< what the body yields, or combines
    unsigned cotangent = 0;
    unsigned value = 0;                    ///< of a maximum or minimum
    unsigned ties = 0;                     ///< how many terms equal it
    unsigned zeros = 0, productOfRest = 0; ///< of a product: how many terms are zero; the product of the others
  };

  /// What a body reads: operand n of `tensors`, loop index n.
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

  using Piece = llvm::function_ref<mlir::Value(const Reader &, mlir::Value term, mlir::Value value)>;
  unsigned addStatistic(const Result &result, double start, bool isProduct, Piece piece);
  unsigned addTensor(mlir::Value tensor, mlir::AffineMap map);
  std::optional<llvm::SmallVector<unsigned>> placesOfLoops(mlir::tensor::ExtractOp load, SymbolicShapes &shapes);
  mlir::FailureOr<mlir::Value> ofSelected(mlir::tensor::ExtractOp load, llvm::ArrayRef<unsigned> places);
  mlir::FailureOr<mlir::Value> ofGathered(mlir::tensor::ExtractOp load, const InverseRead &inverse);
  mlir::FailureOr<mlir::Value> ofScattered(mlir::tensor::ExtractOp load);
  void copyForward(const Reader &reader, mlir::IRMapping &copies, llvm::SmallVectorImpl<mlir::Operation *> &ops);
  mlir::Value seed(const Reader &reader, const Result &result, mlir::Value term);
  /// The cotangents of what the body computes, behind a copy of it; what `copies` has already is not copied.
  mlir::FailureOr<mlir::attn::Cotangents> reverseBody(const Reader &reader, mlir::IRMapping &copies);
  std::optional<std::pair<mlir::Value, unsigned>> dimensionOf(unsigned loop);
  mlir::Value loopSize(unsigned loop);
  /// In the body of a generic over `tensors`, whose arguments are `v`.
  Reader readerOf(mlir::OpBuilder &inner, mlir::ValueRange v) {
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
