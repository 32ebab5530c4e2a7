// p = exp(s - m) / l with m the largest score and l the sum of these exponentials: to base two, because scores are
// scaled. A sink is a score before the first key, without a value.
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Softmax : public Normaliser {
public:
  Order order() const override { return Order::Factor; }
  /// Maximum, difference, exponential and sum.
  int64_t flopsPerScore() const override { return 4; }
  double scoreScale() const override { return log2e; }
  bool usesMaximum() const override { return true; }
  bool hasTiledGradient() const override { return true; }

  Carriers start(const Code &code, Value sink) const override {
    Carriers empty = Normaliser::start(code, {});
    if (!sink)
      return empty;
    Value largest = code.loops.maxKeepingFirst(empty.largest, sink);
    return {largest, code.exp2(code.loops.subf(sink, largest))};
  }

  Value correction(const Code &code, Value before, Value largest) const override {
    return code.exp2(code.loops.subf(before, largest));
  }

  Weighed weigh(const Code &code, Value score, const Carriers &carriers) const override {
    Value weight = code.exp2(code.loops.subf(score, carriers.largest));
    return {weight, code.loops.addf(carriers.sum, weight)};
  }

  /// Weights below 2^-100 are 0.
  Value logWeight(const Code &code, Value score, Value, const Carriers &carriers) const override {
    return code.loops.maxKeepingFirst(code.loops.splat(-128.0), code.loops.subf(score, carriers.largest));
  }

  Value logCorrection(const Code &code, Value before, Value largest) const override {
    return code.loops.maxKeepingFirst(code.loops.splat(-128.0), code.loops.subf(before, largest));
  }

  Value lse(const Code &code, const Carriers &carriers) const override {
    LoopBuilder &loops = code.loops;
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, carriers.sum, code.like(carriers.sum, 0));
    Value lse = math::Log2Op::create(loops.builder, loops.location, carriers.sum);
    lse = loops.mulf(loops.addf(lse, carriers.largest), code.like(lse, 1 / log2e));
    return loops.choose(isEmpty, code.like(lse, -infinity), lse);
  }

  void weighRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    // With -inf, of a row without keys, scores of dropped keys would become NaN.
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, row.lse, loops.scalar(-infinity));
    row.ofRow = loops.choose(isEmpty, loops.scalar(0), loops.mulf(row.lse, loops.scalar(-log2e)));
    row.sweep({}, [&](Value place, ValueRange) {
      Value exponent = loops.fma(row.load(row.weights, place), loops.splat(log2e), loops.splat(row.ofRow));
      row.store(row.code.exp2(exponent), row.weights, place);
      return Values();
    });
  }

  /// With a sink the weights of the keys do not sum to 1, and the mean includes the sink, with 0. Without a sink they
  /// sum to 1 up to rounding, which is the same factor for all of them.
  Value differentiateRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    Value mean = row.sink ? row.sumCotangents(row.weights).weighted : row.meanCotangent(row.weights);
    if (row.ofLse)
      mean = loops.subf(mean, row.ofLse);
    row.subtract(mean, [&](Value place) { return row.load(row.weights, place); });
    return row.sink ? sinkCotangent(row, mean) : Value();
  }

private:
  static Value sinkCotangent(const MaterialisedRow &row, Value mean) {
    LoopBuilder &loops = row.code.loops;
    Value exponent = loops.fma(row.sink, loops.splat(log2e), loops.splat(row.ofRow));
    Value weight = row.code.exp2(exponent);
    Value none = loops.splat(0.0), splatMean = loops.splat(mean);
    return loops.mulf(weight, loops.subf(none, splatMean));
  }
};

} // namespace

std::shared_ptr<const Normaliser> makeSoftmax() { return std::make_shared<Softmax>(); }

} // namespace attnc
