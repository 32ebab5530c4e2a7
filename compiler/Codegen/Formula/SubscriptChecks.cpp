#include "compiler/Codegen/Formula/SubscriptChecks.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

using CheckedLoads = DenseSet<Operation *>;

/// Checks the loads whose subscripts depend on nothing unbound; returns whether others are left.
static bool checkAvailable(RegionVectoriser &point, Region &formula, CheckedLoads &checked) {
  bool leavesAny = false;
  formula.walk([&](tensor::ExtractOp op) {
    if (!readsByData(op) || checked.contains(op))
      return;
    if (!llvm::all_of(op.getIndices(), [&](Value subscript) { return point.isAvailable(subscript); })) {
      leavesAny = true;
      return;
    }
    checked.insert(op);
    for (unsigned number = 0; number < op.getIndices().size(); ++number)
      point.clampedSubscript(op, number);
  });
  return leavesAny;
}

/// The others are checked in loops over the arguments that they depend on.
static void checkAll(RegionVectoriser &point, Region &formula, ValueRange sizes, CheckedLoads &checked) {
  if (!checkAvailable(point, formula, checked))
    return;
  const LaneArithmetic &lanes = point.getLanes();
  OpBuilder &b = lanes.builder;
  OpBuilder::InsertionGuard guard(b);
  RegionVectoriser inside = point;
  for (auto [index, size] : llvm::zip(formula.getArguments().take_back(sizes.size()), sizes)) {
    auto loop = scf::ForOp::create(b, lanes.location, lanes.uniform(0).base, size, lanes.uniform(1).base);
    inside.bindIndex(index, loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  if (!checkAvailable(inside, formula, checked))
    return;
  for (auto reduce : formula.getOps<attn::ReduceOp>()) {
    SmallVector<Value> extents;
    for (Value size : reduce.getSizes())
      extents.push_back(inside.evaluateIndex(size).base);
    checkAll(inside, reduce.getBody(), extents, checked);
  }
}

void emitSubscriptChecks(RegionVectoriser &point, Region &formula, ValueRange sizes) {
  CheckedLoads checked;
  checkAll(point, formula, sizes, checked);
}

} // namespace attnc
