#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Nest/LoopNest.h"

using namespace mlir;

namespace attnc {

/// Above this many instructions a map is stored rather than recomputed.
static constexpr int64_t recomputeLimit = 12;

RowPlan::RowPlan(func::FuncOp kernel) : kernel(kernel) {
  verdict_ = classify();
  if (!verdict_)
    return;
  number();
  chooseStored();
}

RowRole RowPlan::role(linalg::GenericOp op) const {
  if (op.getNumReductionLoops())
    return RowRole::Reduction;
  return op.getNumLoops() == rows ? RowRole::Scalar : RowRole::Map;
}

Verdict RowPlan::classify() {
  unsigned loops = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      ops.push_back(generic);
      loops = std::max(loops, generic.getNumLoops());
    } else if (!isa<func::ReturnOp, linalg::FillOp, tensor::EmptyOp, tensor::DimOp>(op) &&
               !isa<arith::ArithDialect>(op.getDialect())) {
      return Verdict::no("its rows contain " + op.getName().getStringRef().str());
    }
  }
  if (loops == 0)
    return Verdict::no("it has no row");
  rows = loops - 1;
  for (linalg::GenericOp op : ops)
    if (Verdict verdict = classify(op); !verdict)
      return verdict;
  for (Value result : computedResults(kernel))
    if (!result.getDefiningOp<linalg::GenericOp>())
      return Verdict::no("it returns a value that none of its operations computes");
  return Verdict::yes();
}

Verdict RowPlan::classify(linalg::GenericOp op) {
  if (Verdict verdict = canVectorise(op.getRegion()); !verdict)
    return verdict;
  unsigned loops = op.getNumLoops(), reductions = op.getNumReductionLoops();
  bool rowShaped = loops == rows || loops == rows + 1;
  bool lastOnly = reductions == 0 || (reductions == 1 && loops == rows + 1 &&
                                      op.getIteratorTypesArray().back() == utils::IteratorType::reduction);
  if (!rowShaped || !lastOnly)
    return Verdict::no("an operation has other loops than the rows");
  unsigned written = reductions ? rows : loops;
  AffineMap inOrder = AffineMap::getMultiDimIdentityMap(loops, op.getContext()).getMajorSubMap(written);
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != inOrder)
      return Verdict::no("a result is not written row by row");
  return Verdict::yes();
}

/// All tensors that `op` reads, as operands or by tensor.extract.
static SmallVector<Value> readTensors(linalg::GenericOp op) {
  SmallVector<Value> tensors(op->getOperands());
  op.getRegion().walk([&](tensor::ExtractOp extract) { tensors.push_back(extract.getTensor()); });
  return tensors;
}

void RowPlan::number() {
  for (linalg::GenericOp op : ops) {
    unsigned sweep = 0;
    for (Value tensor : readTensors(op))
      if (auto producer = tensor.getDefiningOp<linalg::GenericOp>())
        sweep = std::max(sweep, sweepOf(producer) + (role(producer) == RowRole::Reduction));
    sweepNumbers[op] = sweep;
    if (role(op) != RowRole::Scalar)
      sweeps = std::max(sweeps, sweep + 1);
  }
}

/// Instructions of an element of `op`'s results, including the maps that are recomputed for it.
int64_t RowPlan::costOf(linalg::GenericOp op) const {
  int64_t cost = attnc::costOf(op.getRegion()).instructions;
  for (Value tensor : readTensors(op))
    if (auto producer = tensor.getDefiningOp<linalg::GenericOp>(); producer && role(producer) == RowRole::Map)
      cost += costOf(producer);
  return cost;
}

/// Whether a reduction or a stored map of a later sweep reads `value`, itself or through other maps.
bool RowPlan::isReadAfter(Value value, unsigned sweep) const {
  for (linalg::GenericOp reader : ops) {
    if (!llvm::is_contained(readTensors(reader), value))
      continue;
    if (sweepOf(reader) > sweep && role(reader) != RowRole::Scalar)
      return true;
    if (role(reader) == RowRole::Map)
      for (Value result : reader->getResults())
        if (isReadAfter(result, sweep))
          return true;
  }
  return false;
}

void RowPlan::chooseStored() {
  for (auto [number, value] : llvm::enumerate(computedResults(kernel))) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (role(op) != RowRole::Map) {
      scalarResults.emplace_back(number, value);
      continue;
    }
    bool isRounded = kernel.front().getTerminator()->getOperand(number) != value;
    storedMaps.push_back({value, sweepOf(op), unsigned(number), isRounded});
  }
  auto isStored = [&](Value value) {
    return llvm::any_of(storedMaps, [&](const Stored &each) { return each.map == value && !each.isRounded; });
  };
  for (linalg::GenericOp op : ops) {
    if (role(op) != RowRole::Map || costOf(op) <= recomputeLimit)
      continue;
    for (Value value : op->getResults())
      if (!isStored(value) && isReadAfter(value, sweepOf(op)))
        storedMaps.push_back({value, sweepOf(op), std::nullopt});
  }
}

/// x[i, j, .., anything], where i, j, .. are the loops over rows.
static bool readsOwnRow(tensor::ExtractOp extract, unsigned rows) {
  for (unsigned row = 0; row < rows; ++row) {
    auto index = extract.getIndices()[row].getDefiningOp<linalg::IndexOp>();
    if (!index || index.getDim() != row)
      return false;
  }
  return true;
}

bool RowPlan::mayRunInPlace(Value argument, unsigned result) const {
  Value returned = computedResults(kernel)[result];
  auto writer = returned.getDefiningOp<linalg::GenericOp>();
  if (role(writer) != RowRole::Map || argument.getType() != returned.getType())
    return false;
  for (linalg::GenericOp op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == argument &&
          (!op.getMatchingIndexingMap(&operand).isIdentity() || op.getNumLoops() != rows + 1))
        return false;
    // A scalar reads an element of its own row before the sweep that writes it.
    bool isBefore = role(op) == RowRole::Scalar && sweepOf(op) <= sweepOf(writer);
    WalkResult found = op.getRegion().walk([&](tensor::ExtractOp extract) {
      bool isOther = extract.getTensor() == argument && !(isBefore && readsOwnRow(extract, rows));
      return isOther ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return false;
  }
  // Later sweeps than the one that writes would read overwritten elements.
  return sweepOf(writer) + 1 == sweeps && !isReadAfter(argument, sweepOf(writer));
}

} // namespace attnc
