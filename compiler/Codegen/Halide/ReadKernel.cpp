#include "compiler/Codegen/Halide/ReadKernel.h"
#include "compiler/Codegen/Fold.h"
#include "compiler/Codegen/Halide/ReadFormula.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attnc::halide {

namespace {

class Reader : public FormulaReader {
public:
  Reader(func::FuncOp kernel, linalg::GenericOp op) : FormulaReader(kernel), op(op) {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      indices.push_back(indexOf(loop));
  }

  std::optional<KernelStage> run(std::string &reason) {
    if (readLoops() && readValues())
      return std::move(made);
    reason = why;
    return std::nullopt;
  }

private:
  bool isInside(Value value) override { return value.getParentBlock() == op.getBody(); }

  MaybeNode ownNode(Value value) override {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
      return operandNode(op->getOpOperand(argument.getArgNumber()));
    if (auto index = value.getDefiningOp<linalg::IndexOp>())
      return indices[index.getDim()];
    return std::nullopt;
  }

  bool readLoops() {
    for (auto [size, iterator] : llvm::zip(loopSizes(op, sizes), op.getIteratorTypesArray())) {
      if (size.isConstant() && size.constant() == 0)
        return decline("one of its loops runs over nothing");
      made.stage.loops.push_back({*sizeOf(size), iterator == utils::IteratorType::reduction});
    }
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!written.isProjectedPermutation())
      return decline("its result is written at computed subscripts");
    for (AffineExpr each : written.getResults())
      made.stage.result.push_back(cast<AffineDimExpr>(each).getPosition());
    for (auto [number, loop] : llvm::enumerate(made.stage.loops))
      if (!loop.reduces && !llvm::is_contained(made.stage.result, number))
        return decline("a loop that is not summed over is none of its result's");
    return true;
  }

  bool readValues() {
    std::optional<Element> element = elementOf(getElementTypeOrSelf(op.getResult(0).getType()));
    if (!element)
      return false;
    made.stage.element = *element;
    if (op.getNumReductionLoops() == 0) {
      if (!op.getRegionOutputArgs()[0].use_empty())
        return decline("it reads what its result held before");
      MaybeNode value = nodeOf(op.getBody()->getTerminator()->getOperand(0));
      made.stage.value = value.value_or(0);
      return value.has_value();
    }
    auto fold = matchFold(op, 0);
    if (!fold || *element != Element::F32)
      return decline("it is no sum, product or extremum of f32");
    constexpr Fold folds[] = {Fold::Add, Fold::Mul, Fold::Max, Fold::Min};
    made.stage.fold = folds[static_cast<int>(fold->kind)];
    MaybeNode value = nodeOf(fold->term), start = startNode();
    if (!value || !start)
      return false;
    made.stage.value = *value;
    made.stage.start = *start;
    // Halide does not repeat what is the same each time.
    for (unsigned loop = 0; loop < made.stage.loops.size(); ++loop)
      if (made.stage.loops[loop].reduces && !dependsOn(made.stage, *value, loop))
        return decline("it sums over a loop that its terms don't depend on");
    return true;
  }

  MaybeNode startNode() {
    Value init = op.getDpsInits()[0];
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      return nodeOf(fill.getInputs()[0]);
    SmallVector<unsigned> at;
    for (unsigned loop : made.stage.result)
      at.push_back(indices[loop]);
    return loadNode(init, at);
  }

  /// What an operand has at the iteration.
  MaybeNode operandNode(OpOperand &operand) {
    SmallVector<unsigned> subscripts;
    for (AffineExpr each : op.getMatchingIndexingMap(&operand).getResults()) {
      MaybeNode node = affineNode(each, indices);
      if (!node)
        return std::nullopt;
      subscripts.push_back(*node);
    }
    return isa<RankedTensorType>(operand.get().getType()) ? loadNode(operand.get(), subscripts) : nodeOf(operand.get());
  }

  linalg::GenericOp op;
  SmallVector<unsigned> indices; ///< nodes of the loops
};

} // namespace

std::optional<KernelStage> readKernel(func::FuncOp kernel, std::string &reason) {
  KernelKind kind = *kernelKindOf(kernel);
  SmallVector<Value> results = computedResults(kernel);
  auto op = results.size() == 1 ? results[0].getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if ((kind != KernelKind::Loops && kind != KernelKind::Gemm) || !op || op.getNumResults() != 1) {
    reason = "it is more than one computation with one result";
    return std::nullopt;
  }
  if (results[0].getType() != kernel.getResultTypes()[0]) {
    reason = "its result is stored in fewer than 32 bits";
    return std::nullopt;
  }
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), packedAttrName)) {
      reason = "a weight arrives packed";
      return std::nullopt;
    }
  for (linalg::GenericOp each : kernel.getOps<linalg::GenericOp>())
    if (each != op) {
      reason = "it is more than one computation with one result";
      return std::nullopt;
    }
  return Reader(kernel, op).run(reason);
}

} // namespace attnc::halide
