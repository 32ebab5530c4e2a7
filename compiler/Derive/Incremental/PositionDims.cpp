#include "compiler/Derive/Incremental/PositionDims.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

static unsigned symbolOf(const SymbolicShapes &shapes, StringRef name) {
  return llvm::find(shapes.names(), name) - shapes.names().begin();
}

PositionDims::PositionDims(func::FuncOp function, StringRef along)
    : shapes(function), alongSymbol(symbolOf(shapes, along)), alongName(along) {
  for (BlockArgument argument : function.getArguments()) {
    std::optional<unsigned> position = onlyDim(argument, alongSymbol);
    if (!position || *position == 0)
      continue;
    SizeExpr before = shapes.extent(argument, *position - 1);
    for (unsigned symbol = 0; symbol < shapes.names().size(); ++symbol)
      if (before == SizeExpr::symbol(symbol)) {
        rowSymbol = symbol;
        rowName = shapes.names()[symbol];
      }
    return;
  }
}

SmallVector<unsigned> PositionDims::find(Value tensor, unsigned symbol) {
  SmallVector<unsigned> found;
  for (auto [dim, extent] : llvm::enumerate(shapes.shape(tensor)))
    if (extent == SizeExpr::symbol(symbol))
      found.push_back(dim);
  return found;
}

std::optional<unsigned> PositionDims::onlyDim(Value tensor, unsigned symbol) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  SmallVector<unsigned> found = find(tensor, symbol);
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

IndexRoles PositionDims::roles(linalg::GenericOp op) {
  IndexRoles roles;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  // If several loops have that length, a reduction takes precedence: no position stands for all of its iterations.
  auto choose = [&](std::optional<unsigned> &role, unsigned loop) {
    if (!role || iterators[loop] == utils::IteratorType::reduction)
      role = loop;
  };
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      SizeExpr extent = shapes.extent(operand.get(), dim);
      if (extent == SizeExpr::symbol(alongSymbol))
        choose(roles.position, loop.getPosition());
      else if (rowSymbol && extent == SizeExpr::symbol(*rowSymbol))
        choose(roles.row, loop.getPosition());
    }
  setTimeStep(roles, op);
  return roles;
}

IndexRoles PositionDims::roles(attn::AttendOp op) {
  IndexRoles roles;
  for (auto [number, size] : llvm::enumerate(op.getOuterSizes())) {
    if (isPositionCount(size))
      roles.position = number;
    else if (rowSymbol && shapes.size(size) == SizeExpr::symbol(*rowSymbol))
      roles.row = number;
  }
  for (auto [number, size] : llvm::enumerate(op.getKeySizes()))
    if (isPositionCount(size))
      roles.key = number;
  setTimeStep(roles, op);
  return roles;
}

void PositionDims::setTimeStep(IndexRoles &roles, Operation *op) {
  if (scf::ForOp scan = roles.position ? scf::ForOp() : scanAround(op))
    roles.timeStep = scan.getInductionVar();
}

bool PositionDims::isAlongPositions(scf::ForOp loop) {
  return loop->hasAttr(model::scanAttrName) && isPositionCount(loop.getUpperBound());
}

scf::ForOp PositionDims::scanAround(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  while (loop && !isAlongPositions(loop))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

bool PositionDims::countsPositions(Value scalar) {
  if (scalar.getType().isIndex())
    return shapes.size(scalar).mentions(alongSymbol);
  Operation *op = scalar.getDefiningOp();
  return op && op->getNumRegions() == 0 && !isa<tensor::ExtractOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return !isa<RankedTensorType>(operand.getType()) && countsPositions(operand);
         });
}

bool PositionDims::isLastPosition(Value subscript) {
  subscript = BodyIndices::stripCasts(subscript);
  if (auto max = subscript.getDefiningOp<arith::MaxSIOp>(); max && getConstantIntValue(max.getRhs()) == 0)
    subscript = BodyIndices::stripCasts(max.getLhs());
  return subscript.getType().isIndex() && shapes.size(subscript) == SizeExpr::symbol(alongSymbol) - SizeExpr(1);
}

} // namespace attnc
