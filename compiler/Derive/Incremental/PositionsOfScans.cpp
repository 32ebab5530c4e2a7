// Transfer functions of scans along the positions, and of per-iteration lists.
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Derive/Incremental/PositionAnalysis.h"

using namespace mlir;

namespace attnc {

bool PositionAnalysis::dependsOnTimeStep(Operation *op, Value number) {
  scf::ForOp scan = dims.scanAround(op);
  return scan && dependsOn(number, scan.getInductionVar());
}

LogicalResult PositionAnalysis::checkCarried(scf::ForOp scan, unsigned number) {
  Value argument = scan.getRegionIterArg(number);
  if (dims.positionDim(argument))
    return mixes(scan, "would be stored for all positions in each time step: this scan carries a tensor of positions");
  if (fact(scan.getInits()[number]).along != PositionFact::Along::Nothing)
    return mixes(scan, "is not a time step of this scan, which starts from a value of a position");
  return success();
}

/// A carried value depends on all time steps up to its own, so no fixpoint is needed.
LogicalResult PositionAnalysis::scanRule(scf::ForOp scan) {
  if (scan->getAttrOfType<StringAttr>(model::scanAttrName) == model::scansBackward)
    return mixes(scan, "depends on later ones: this scan runs backward");
  if (dims.scanAround(scan))
    return mixes(scan, "would be computed for all positions in each time step: these scans are nested");
  SmallVector<bool> isStacked;
  for (unsigned number = 0; number < scan.getNumRegionIterArgs(); ++number) {
    Value argument = scan.getRegionIterArg(number);
    isStacked.push_back(listWriter(scan, number, dims.shapes) != nullptr && dims.positionDim(argument) == 0);
    if (!isStacked.back() && failed(checkCarried(scan, number)))
      return failure();
    setFact(argument, isStacked.back() ? PositionFact{}
                                       : PositionFact{.along = PositionFact::Along::TimeStep,
                                                      .reach = Reach::causal(),
                                                      .perRow = dims.hasRows() && !dims.rowDim(argument)});
    if (failed(checkRows(scan, argument)))
      return failure();
  }
  if (failed(analyse(*scan.getBody())))
    return failure();
  Operation *end = scan.getBody()->getTerminator();
  for (Value next : end->getOperands())
    if (failed(checkEnd(end, next)))
      return failure();
  for (auto [number, result] : llvm::enumerate(scan.getResults())) {
    if (isStacked[number]) {
      setFact(result, fact(scan.getYieldedValues()[number]));
      continue;
    }
    PositionFact last = fact(scan.getRegionIterArg(number));
    last.along = PositionFact::Along::End;
    setFact(result, last);
    carriedResults.insert(cast<OpResult>(result));
  }
  return success();
}

/// The cause of the error at a list of values that depend on the row, but have no dimension of rows.
std::string PositionAnalysis::rowsOfList() const {
  return "has one list for all rows of `" + dims.rowName + "`, whose lengths may differ; expected a dimension `" +
         dims.rowName + "` in its elements";
}

/// Elements at other time steps than the current one are formulas (ElementFormulas.h).
LogicalResult PositionAnalysis::rule(model::ElementOp op) {
  PositionFact source = fact(op.getList());
  if (dims.positionDim(op.getList()) == 0) {
    scf::ForOp scan = dims.scanAround(op);
    if (!scan || op.getPlace() != scan.getInductionVar())
      return mixes(op, "may depend on any: this is not known to read only its own");
    source.along = PositionFact::Along::TimeStep;
  }
  if (source.perRow)
    return mixes(op, rowsOfList());
  setFact(op.getResult(), source);
  return success();
}

LogicalResult PositionAnalysis::rule(model::WithElementOp op) {
  PositionFact element = fact(op.getElement()), list = fact(op.getList());
  if (element.perRow || list.perRow)
    return mixes(op, rowsOfList());
  if (failed(checkEnd(op, op.getElement())))
    return failure();
  scf::ForOp scan = dims.scanAround(op);
  if (!scan || dims.positionDim(op.getList()) != 0) {
    setFact(op.getResult(), element.join(list));
    return success();
  }
  if (op.getPlace() != scan.getInductionVar())
    return mixes(op, "is not the time step that this writes");
  element.along = PositionFact::Along::Positions;
  element.reach = element.reach.join(Reach::pointwise());
  setFact(op.getResult(), element);
  return success();
}

} // namespace attnc
