// p_k = sigma(s_k) r_k, where r_k is the rest of a stick of length 1 after the keys before k:
// r_(k+1) = (1 - sigma(s_k)) r_k.
// The carried sum is r.
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"

using namespace mlir;

namespace attnc {
namespace {

class StickBreaking : public Normaliser {
public:
  Order order() const override { return Order::AtOnce; }
  int64_t flopsPerScore() const override { return 8; }
  bool followsKeys() const override { return true; }
  bool keepsSlopes() const override { return true; }

  Carriers start(const Code &code, Value sink) const override {
    return {Normaliser::start(code, sink).largest, code.loops.splat(1.0)};
  }

  Weighed weigh(const Code &code, Value score, const Carriers &carriers) const override {
    auto [taken, left] = shares(code, score);
    return {code.loops.mulf(taken, carriers.sum), code.loops.mulf(left, carriers.sum)};
  }

  /// The fractions sigma(s) are computed in vectors, the products over earlier keys one by one.
  void weighRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    row.sweep({}, [&](Value place, ValueRange) {
      auto [taken, left] = shares(row.code, row.load(row.weights, place));
      row.store(taken, row.slopes, place);
      row.store(left, row.weights, place);
      return Values();
    });
    loops.loop(row.begin, row.end, loops.constant(1), {loops.scalar(1)}, [&](Value key, ValueRange carried) {
      Value taken = loops.loadScalar(row.slopes, {key}), left = loops.loadScalar(row.weights, {key});
      loops.storeScalar(loops.mulf(taken, carried[0]), row.weights, {key});
      return Values{loops.mulf(left, carried[0])};
    });
  }

  /// ds_k = p_k dp_k - sigma(s_k) sum of p_j dp_j over j >= k, from the last key on.
  Value differentiateRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    Value last = loops.add(loops.add(row.begin, row.end), -1);
    loops.loop(row.begin, row.end, loops.constant(1), {loops.scalar(0)}, [&](Value iteration, ValueRange carried) {
      Value key = loops.sub(last, iteration);
      Value weight = loops.loadScalar(row.weights, {key}), taken = loops.loadScalar(row.slopes, {key});
      Value weighted = loops.mulf(weight, loops.loadScalar(row.cotangents, {key}));
      Value behind = loops.addf(carried[0], weighted);
      loops.storeScalar(loops.subf(weighted, loops.mulf(taken, behind)), row.cotangents, {key});
      return Values{behind};
    });
    return {};
  }

private:
  /// sigma(s) and 1 - sigma(s), both without cancellation: with t = exp(-|s|) they are 1 / (1 + t) and t / (1 + t).
  static std::pair<Value, Value> shares(const Code &code, Value score) {
    LoopBuilder &loops = code.loops;
    Value zero = loops.splat(0.0), one = loops.splat(1.0);
    Value isPositive = loops.compare(arith::CmpFPredicate::OGE, score, zero);
    Value negative = loops.choose(isPositive, loops.subf(zero, score), score);
    Value t = code.exp2(loops.mulf(negative, loops.splat(log2e)));
    Value larger = loops.divf(one, loops.addf(one, t)), smaller = loops.mulf(t, larger);
    return {loops.choose(isPositive, larger, smaller), loops.choose(isPositive, smaller, larger)};
  }
};

} // namespace

std::shared_ptr<const Normaliser> makeStickBreaking() { return std::make_shared<StickBreaking>(); }

} // namespace attnc
