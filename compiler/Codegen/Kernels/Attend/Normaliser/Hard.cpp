// p = 1 for the first of the largest scores. The sum is the number of keys with weight 1 since the maximum last
// increased: 0 or 1. The gradient is that of the softmax of the scores (straight-through).
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {
namespace {

class Hard : public Normaliser {
public:
  Order order() const override { return Order::Factor; }
  int64_t flopsPerScore() const override { return 4; }
  bool usesMaximum() const override { return true; }
  bool followsKeys() const override { return true; }
  bool keepsSlopes() const override { return true; }

  Value correction(const Code &code, Value before, Value largest) const override {
    LoopBuilder &loops = code.loops;
    Value rises = loops.compare(arith::CmpFPredicate::OGT, largest, before);
    return loops.choose(rises, loops.splat(0.0), loops.splat(1.0));
  }

  Weighed weigh(const Code &code, Value score, const Carriers &carriers) const override {
    LoopBuilder &loops = code.loops;
    Value zero = loops.splat(0.0);
    Value isBest = loops.both(loops.compare(arith::CmpFPredicate::OEQ, score, carriers.largest),
                              loops.compare(arith::CmpFPredicate::OEQ, carriers.sum, zero));
    Value isNan = loops.compare(arith::CmpFPredicate::UNO, score, score);
    Value weight = loops.choose(isNan, score, loops.choose(isBest, loops.splat(1.0), zero));
    return {weight, loops.addf(carriers.sum, weight)};
  }

  void weighRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    Values best = findBest(row);
    Value largest = loops.splat(best[0]);
    row.sweep({}, [&](Value place, ValueRange) {
      Value exponent = loops.mulf(loops.subf(row.load(row.weights, place), largest), loops.splat(log2e));
      row.store(row.code.exp2(exponent), row.slopes, place);
      row.store(loops.splat(best[2]), row.weights, place);
      return Values();
    });
    Value exists = loops.compare(arith::CmpIPredicate::slt, best[1], row.end);
    loops.when(exists, [&] { loops.storeScalar(loops.addf(best[2], loops.scalar(1)), row.weights, {best[1]}); });
  }

  Value differentiateRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    // Divided by their sum: the softmax.
    Value total = row.sweep({loops.splat(0.0)}, [&](Value place, ValueRange carried) {
      return Values{loops.addf(carried[0], row.load(row.slopes, place))};
    })[0];
    Value factor = loops.splat(row.code.inverse(row.code.sumOfLanes(total)));
    row.sweep({}, [&](Value place, ValueRange) {
      row.store(loops.mulf(row.load(row.slopes, place), factor), row.slopes, place);
      return Values();
    });
    row.centre(row.slopes);
    return {};
  }

private:
  /// The largest score, the offset of the first such score (the end if there is none), and NaN if the row has a NaN,
  /// otherwise 0.
  static Values findBest(const MaterialisedRow &row) {
    LoopBuilder &loops = row.code.loops;
    Value lowest = loops.scalar(-std::numeric_limits<float>::max()), zero = loops.scalar(0);
    Values start = {lowest, row.end, zero};
    return loops.loop(row.begin, row.end, loops.constant(1), start, [&](Value key, ValueRange carried) {
      Value score = loops.loadScalar(row.weights, {key});
      Value isFirst = loops.compare(arith::CmpIPredicate::eq, carried[1], row.end);
      Value isGreater = loops.compare(arith::CmpFPredicate::OGT, score, carried[0]);
      Value isEqual = loops.compare(arith::CmpFPredicate::OEQ, score, carried[0]);
      Value isBetter = loops.either(isGreater, loops.both(isFirst, isEqual));
      Value isNan = loops.compare(arith::CmpFPredicate::UNO, score, score);
      return Values{loops.choose(isBetter, score, carried[0]), loops.choose(isBetter, key, carried[1]),
                    loops.choose(isNan, score, carried[2])};
    });
  }
};

} // namespace

std::shared_ptr<const Normaliser> makeHard() { return std::make_shared<Hard>(); }

} // namespace attnc
