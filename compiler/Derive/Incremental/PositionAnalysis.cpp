#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

PositionFact PositionFact::join(const PositionFact &other) const {
  return {std::max(along, other.along), reach.join(other.reach), fromArguments || other.fromArguments,
          perRow || other.perRow};
}

//===-------------------------------------------- indices -----------------------------------------------------===//

Value BodyIndices::stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// The number of an attend's index among outer, key and value indices.
static std::optional<unsigned> attendIndex(Value value, Operation *owner) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != owner || !argument.getType().isIndex())
    return std::nullopt;
  bool isWeight = argument.getOwner()->getParent() == &cast<attn::AttendOp>(owner).getWeight();
  return argument.getArgNumber() - (isWeight ? 1 : 0);
}

bool BodyIndices::isLoop(Value value, std::optional<unsigned> loop) const {
  value = stripCasts(value);
  if (!loop)
    return false;
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index->getParentOp() == owner && index.getDim() == *loop;
  return isa<attn::AttendOp>(owner) && attendIndex(value, owner) == loop;
}

bool BodyIndices::isKey(Value value) const {
  auto attend = dyn_cast<attn::AttendOp>(owner);
  return attend && roles.key && attendIndex(stripCasts(value), owner) == attend.getNumOuter() + *roles.key;
}

std::optional<BodyIndices::Linear> BodyIndices::read(Value value) const {
  value = stripCasts(value);
  if (isPosition(value))
    return Linear{1, 0, 0};
  if (isKey(value))
    return Linear{0, 1, 0};
  if (auto constant = getConstantIntValue(value))
    return Linear{0, 0, *constant};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Linear> a = read(op->getOperand(0)), b = read(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  return Linear{a->position + sign * b->position, a->key + sign * b->key, a->constant + sign * b->constant};
}

//===-------------------------------------------- dimensions --------------------------------------------------===//

static unsigned symbolOf(const SymbolicShapes &shapes, StringRef name) {
  return llvm::find(shapes.names(), name) - shapes.names().begin();
}

PositionAnalysis::PositionAnalysis(func::FuncOp function, StringRef along)
    : function(function), shapes(function), alongSymbol(symbolOf(shapes, along)), alongName(along) {
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

SmallVector<unsigned> PositionAnalysis::dims(Value tensor, unsigned symbol) {
  SmallVector<unsigned> found;
  for (auto [dim, extent] : llvm::enumerate(shapes.shape(tensor)))
    if (extent == SizeExpr::symbol(symbol))
      found.push_back(dim);
  return found;
}

std::optional<unsigned> PositionAnalysis::onlyDim(Value tensor, unsigned symbol) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  SmallVector<unsigned> found = dims(tensor, symbol);
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

std::optional<unsigned> PositionAnalysis::rowDim(Value tensor) {
  return rowSymbol ? onlyDim(tensor, *rowSymbol) : std::nullopt;
}

LogicalResult PositionAnalysis::mixes(Operation *op, const Twine &why) {
  return op->emitError() << "position i along `" << alongName << "` " << why;
}

/// Checks that positions are one dimension, and that no other size depends on them.
LogicalResult PositionAnalysis::checkDims(Operation *op, Value tensor) {
  if (dims(tensor, alongSymbol).size() > 1)
    return mixes(op, "would be computed for all pairs of positions: this tensor has two such dimensions; inside of "
                     "`attend` the pairs are not stored");
  for (const SizeExpr &extent : shapes.shape(tensor))
    if (extent.mentions(alongSymbol) && !(extent == SizeExpr::symbol(alongSymbol)))
      return mixes(op, "is not an index of this tensor, which has " + shapes.text(extent) + " elements along one");
  return success();
}

void PositionAnalysis::setFact(Value value, PositionFact fact) {
  if (positionDim(value))
    fact.along = std::max(fact.along, PositionFact::Along::Positions);
  if (cached.contains(value) && hasRows() && !rowDim(value))
    fact.perRow = true;
  facts[value] = fact;
}

void PositionAnalysis::cache(Value value, Reach reach) {
  auto [entry, isNew] = cached.insert({value, reach});
  changed |= isNew;
  entry->second = entry->second.join(reach);
}

//===-------------------------------------------- ops ---------------------------------------------------------===//

LogicalResult PositionAnalysis::run() {
  do {
    changed = false;
    for (BlockArgument argument : function.getArguments()) {
      if (failed(checkDims(function, argument)))
        return failure();
      bool hasPositions = positionDim(argument).has_value();
      // The positions of a call differ between rows, even of arguments that all rows of f share.
      setFact(argument, {.reach = hasPositions ? Reach::pointwise() : Reach::nothing(),
                         .fromArguments = !hasPositions,
                         .perRow = hasPositions && hasRows() && !rowDim(argument)});
    }
    if (failed(analyse(function.front())))
      return failure();
  } while (changed);
  return success();
}

LogicalResult PositionAnalysis::analyse(Block &block) {
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) && failed(analyse(op)))
      return failure();
  return success();
}

LogicalResult PositionAnalysis::analyse(Operation &op) {
  for (Value result : op.getResults())
    if (isa<RankedTensorType>(result.getType()) && failed(checkDims(&op, result)))
      return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<linalg::GenericOp, attn::AttendOp, linalg::FillOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::ConcatOp>([&](auto each) { return rule(each); })
      .Case([&](scf::ForOp loop) { return loopRule(loop); })
      .Case<tensor::EmptyOp, model::GetOp>([&](Operation *result) {
        setFact(result->getResult(0), {});
        return success();
      })
      .Case<linalg::TransposeOp, tensor::CastOp>([&](Operation *view) {
        setFact(view->getResult(0), fact(view->getOperand(0)));
        return success();
      })
      .Default([&](Operation *other) {
        return mixes(other, "may depend on others: the effect of " + other->getName().getStringRef() + " is unknown");
      });
}

} // namespace attnc
