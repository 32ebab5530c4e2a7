// p = s / l with l the sum of the scores.
#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"

using namespace mlir;

namespace attnc {
namespace {

class Ratio : public Normaliser {
public:
  Order order() const override { return Order::Factor; }
  int64_t flopsPerScore() const override { return 1; }
  double droppedScore() const override { return 0; }

  Weighed weigh(const Code &code, Value score, const Carriers &carriers) const override {
    return {score, code.loops.addf(carriers.sum, score)};
  }

  /// NaN if the sum is infinite.
  Value factor(const Code &code, Value sum) const override {
    return code.loops.addf(code.inverse(sum), code.loops.mulf(sum, code.like(sum, 0)));
  }

  void weighRow(MaterialisedRow &row) const override {
    LoopBuilder &loops = row.code.loops;
    Values total = row.sweep({loops.splat(0.0)}, [&](Value place, ValueRange carried) {
      return Values{loops.addf(carried[0], row.load(row.weights, place))};
    });
    row.ofRow = factor(row.code, row.code.sumOfLanes(total[0]));
    row.sweep({}, [&](Value place, ValueRange) {
      row.store(loops.mulf(row.load(row.weights, place), loops.splat(row.ofRow)), row.weights, place);
      return Values();
    });
  }

  /// The sum of the weights is 1 up to rounding, which is the same factor for all of them.
  Value differentiateRow(MaterialisedRow &row) const override {
    row.subtract(row.meanCotangent(row.weights), [&](Value) { return row.code.loops.splat(row.ofRow); });
    return {};
  }
};

} // namespace

std::shared_ptr<const Normaliser> makeRatio() { return std::make_shared<Ratio>(); }

} // namespace attnc
