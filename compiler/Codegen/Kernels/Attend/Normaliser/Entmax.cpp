// p = x^e with x = max(z - tau, 0), z = (alpha - 1)(s - m), e = 1 / (alpha - 1), and tau such that they sum to 1
// (Peters, Niculae, Martins: Sparse sequence-to-sequence models, ACL 2019).
//
// f(tau) = sum of x^e - 1 is decreasing and convex, and its root is in [-1, 0]. Newton iterations from -1 on,
//
//   tau' = tau + f / (e g),   g = sum of x^(e-1),
//
// increase up to the root and never exceed it. Because f_k / f_(k-1) + g_k / g_(k-1) <= 1, each iteration divides f g
// by at least 4: for n keys, 12 + log2 n iterations bring f below 2^-22, and fewer than ten suffice in practice. The
// factor corrects rounding errors of the sum.
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace attnc {
namespace {

class Entmax : public Normaliser {
public:
  explicit Entmax(double alpha) : alpha(alpha), exponent(1 / (alpha - 1)) {}

  Order order() const override { return Order::AllScores; }
  /// Eight iterations of four operations, the powers and their sum.
  int64_t flopsPerScore() const override { return 40; }
  bool usesMaximum() const override { return true; }

  Values weighMaterialised(const MaterialisedScores &scores, ValueRange largest) const override {
    LoopBuilder &loops = scores.code.loops;
    scores.sweep({}, [&](Value score, int64_t vector, Values &) {
      return loops.mulf(loops.subf(score, largest[vector]), loops.splat(alpha - 1));
    });
    Values thresholds = findThresholds(scores), zeros(scores.vectors, loops.splat(0.0));
    Values sums = scores.sweep(zeros, [&](Value z, int64_t vector, Values &carried) {
      Value weight = powers(scores.code, above(loops, z, thresholds[vector])).second;
      carried[vector] = loops.addf(carried[vector], weight);
      return weight;
    });
    for (Value &sum : sums)
      sum = scores.code.inverse(scores.total(sum));
    return sums;
  }

  void weighRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    Value lowest = loops.splat(-std::numeric_limits<float>::max());
    Value largest = row.sweep({lowest}, [&](Value place, ValueRange carried) {
      return Values{loops.maxKeepingFirst(carried[0], row.load(row.weights, place))};
    })[0];
    Value most = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::MAXNUMF, largest,
                                             arith::FastMathFlags::nnan);
    Value factor = weighMaterialised(row.scores(), loops.splat(most))[0];
    row.sweep({}, [&](Value place, ValueRange) {
      row.store(loops.mulf(row.load(row.weights, place), factor), row.weights, place);
      return Values();
    });
  }

  bool keepsSlopes() const override { return true; }

  /// q = p^(2 - alpha) where p > 0.
  Value differentiateRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    row.sweep({}, [&](Value place, ValueRange) {
      Value weight = row.load(row.weights, place), zero = loops.splat(0.0);
      Value isOut = loops.compare(arith::CmpFPredicate::OLE, weight, zero);
      row.store(loops.choose(isOut, zero, slope(row.code, weight)), row.slopes, place);
      return Values();
    });
    row.centre(row.slopes);
    return {};
  }

private:
  /// max(z - tau, 0); a NaN stays.
  static Value above(LoopBuilder &loops, Value z, Value tau) {
    return loops.maxKeepingFirst(loops.subf(z, tau), loops.splat(0.0));
  }

  Values findThresholds(const MaterialisedScores &scores) const {
    LoopBuilder &loops = scores.code.loops;
    Values start(scores.vectors, loops.splat(-1.0));
    start.push_back(loops.boolean(true));
    SmallVector<Type> types = llvm::to_vector(ValueRange(start).getTypes());
    Value zero = loops.constant(0), most = loops.constant(mostSteps), one = loops.constant(1);
    Values found = loops.loop(zero, most, one, start, [&](Value, ValueRange carried) {
      return loops.select(
          carried.back(), types, [&] { return step(scores, carried.drop_back()); }, [&] { return Values(carried); });
    });
    found.pop_back();
    return found;
  }

  /// The next thresholds, and whether any has changed.
  Values step(const MaterialisedScores &scores, ValueRange thresholds) const {
    LoopBuilder &loops = scores.code.loops;
    Values zeros(2 * scores.vectors, loops.splat(0.0));
    Values sums = scores.sweep(zeros, [&](Value z, int64_t vector, Values &carried) {
      auto [slope, power] = powers(scores.code, above(loops, z, thresholds[vector]));
      carried[2 * vector] = loops.addf(carried[2 * vector], power);
      carried[2 * vector + 1] = loops.addf(carried[2 * vector + 1], slope);
      return Value();
    });
    Values next;
    Value anyMoves;
    for (auto [vector, before] : llvm::enumerate(thresholds)) {
      Value excess = loops.subf(scores.total(sums[2 * vector]), loops.splat(1.0));
      Value slope = loops.mulf(scores.total(sums[2 * vector + 1]), loops.splat(exponent));
      Value after = loops.addf(before, loops.divf(excess, slope));
      Value moves = loops.both(loops.compare(arith::CmpFPredicate::OGT, excess, loops.splat(negligible)),
                               loops.compare(arith::CmpFPredicate::OGT, after, before));
      next.push_back(loops.choose(moves, after, before));
      anyMoves = anyMoves ? loops.either(anyMoves, moves) : moves;
    }
    next.push_back(vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::OR, anyMoves));
    return next;
  }

  /// x^(e-1) and x^e for 0 <= x <= 1, by multiplication if e is a small integer.
  std::pair<Value, Value> powers(const Code &code, Value x) const {
    LoopBuilder &loops = code.loops;
    Value zero = loops.splat(0.0), slope = x;
    if (exponent == 1) {
      Value isIn = loops.compare(arith::CmpFPredicate::OGT, x, zero);
      return {loops.choose(isIn, loops.splat(1.0), zero), x};
    }
    if (exponent == std::floor(exponent) && exponent <= mostFactors) {
      for (int64_t factor = 2; factor < exponent; ++factor)
        slope = loops.mulf(slope, x);
    } else {
      slope = power(code, x, exponent - 1);
    }
    return {slope, loops.mulf(slope, x)};
  }

  /// x^y of 0 <= x <= 1.
  static Value power(const Code &code, Value x, double y) {
    LoopBuilder &loops = code.loops;
    Value logarithm = math::Log2Op::create(loops.builder, loops.location, x), zero = loops.splat(0.0);
    Value isZero = loops.compare(arith::CmpFPredicate::OEQ, x, zero);
    return loops.choose(isZero, zero, code.exp2(loops.mulf(logarithm, loops.splat(y))));
  }

  /// p^(2 - alpha), p > 0.
  Value slope(const Code &code, Value weight) const {
    LoopBuilder &loops = code.loops;
    if (alpha == 2)
      return loops.splat(1.0);
    if (alpha == 1.5)
      return math::SqrtOp::create(loops.builder, loops.location, weight);
    // A weight exceeds 1 at most by rounding, and exp2 requires an exponent of at most 0.
    Value one = loops.splat(1.0);
    return power(code, loops.choose(loops.compare(arith::CmpFPredicate::OGT, weight, one), one, weight), 2 - alpha);
  }

  static constexpr int64_t mostSteps = 44; ///< enough for 2^32 keys
  static constexpr double negligible = 0x1p-22;
  static constexpr double mostFactors = 6;
  double alpha, exponent;
};

} // namespace

std::shared_ptr<const Normaliser> makeEntmax(double alpha) { return std::make_shared<Entmax>(alpha); }

} // namespace attnc
