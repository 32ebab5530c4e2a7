#include "compiler/Derive/AttentionMaps.h"
#include "compiler/Analysis/LoopIterations.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include <limits>

using namespace mlir;

namespace attnc {

Value attentionWeights(attn::AttendOp op) {
  if (Value weights = op.getResultFor(attn::Statistic::Weights))
    return weights;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  attn::AttendOp made = attn::createAttendLike(builder, op, {attn::Statistic::Weights});
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions()))
    if (&from != &op.getValue()) {
      IRMapping copies;
      from.cloneInto(&to, copies);
    }
  return made.getResult(0);
}

/// 1 for each unmasked pair, 0 for masked ones: weights that are not normalised, of scores 1.
static Value unmaskedPairs(OpBuilder &builder, attn::AttendOp op) {
  attn::AttendOp unmasked = attn::createAttendLike(builder, op, {attn::Statistic::Weights});
  unmasked.setNormaliser(attn::Normaliser::None);
  unmasked.removeAlphaAttr();
  unmasked->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping copies;
  op.getMask().cloneInto(&unmasked.getMask(), copies);
  Block &score = unmasked.getScore().emplaceBlock();
  int64_t indices = op.getNumOuter() + op.getNumKeys();
  score.addArguments(SmallVector<Type>(indices, builder.getIndexType()), SmallVector<Location>(indices, op.getLoc()));
  OpBuilder body = OpBuilder::atBlockBegin(&score);
  Value one = arith::ConstantOp::create(body, op.getLoc(), body.getF32FloatAttr(1));
  attn::YieldOp::create(body, op.getLoc(), one);
  return unmasked.getResult(0);
}

/// `weights` of `op`, with -inf for masked pairs.
static Value withMasksMarked(attn::AttendOp op, Value weights) {
  if (op.getMask().empty())
    return weights;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(weights.getDefiningOp());
  Value unmasked = unmaskedPairs(builder, op);
  auto type = cast<RankedTensorType>(weights.getType());
  Location loc = op.getLoc();
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty =
      tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, weights), type.getElementType());
  auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
    Value one = arith::ConstantOp::create(inner, loc, inner.getF32FloatAttr(1));
    Value none = arith::ConstantOp::create(inner, loc, inner.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    Value isUnmasked = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ, elements[1], one);
    Value chosen = arith::SelectOp::create(inner, loc, isUnmasked, elements[0], none);
    linalg::YieldOp::create(inner, loc, chosen);
  };
  return linalg::GenericOp::create(builder, loc, type, ValueRange{weights, unmasked}, empty,
                                   {identity, identity, identity}, iterators, body)
      .getResult(0);
}

Value iterationIndex(scf::ForOp loop) {
  Value iteration = loop.getInductionVar();
  auto scan = loop->getAttrOfType<StringAttr>(model::scanAttrName);
  if (!scan || scan != model::scansBackward)
    return iteration;
  OpBuilder start = OpBuilder::atBlockBegin(loop.getBody());
  return elementIndex(IterationOrder::Descending, start, loop);
}

/// A per-iteration list of `value` over the loop around it. Replaces the loop, and updates values of `results` that are
/// results of it.
static FailureOr<Value> perIterationList(Value value, MutableArrayRef<Value> results) {
  auto loop = value.getDefiningOp()->getParentOfType<scf::ForOp>();
  if (!hasCanonicalInductionVariable(loop))
    return loop.emitError("does not count from 0 in steps of 1: its attention maps have no positions");
  SmallVector<std::pair<Value *, unsigned>> replaced;
  for (Value &each : results)
    if (each.getDefiningOp() == loop)
      replaced.emplace_back(&each, cast<OpResult>(each).getResultNumber());
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  scf::ForOp wider = addIterationLists(loop, value, shapes, iterationIndex(loop));
  for (auto [each, number] : replaced)
    *each = wider.getResult(number);
  return FailureOr<Value>(wider.getResults().back());
}

/// Sets the function's results to `values`, with shapes in terms of its dimensions.
static void setResults(func::FuncOp function, ArrayRef<Value> values) {
  Builder builder(function.getContext());
  SymbolicShapes shapes(function);
  SmallVector<Attribute> attributes;
  for (auto [number, value] : llvm::enumerate(values)) {
    SmallVector<Attribute> shape;
    for (const SizeExpr &extent : shapes.shape(value))
      shape.push_back(builder.getStringAttr(shapes.text(extent)));
    std::string name = number ? "weights" + std::to_string(number + 1) : "weights";
    attributes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                   builder.getNamedAttr(model::shapeAttrName, builder.getArrayAttr(shape))}));
  }
  function.getBody().front().getTerminator()->setOperands(values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(values).getTypes()));
  function.setAllResultAttrs(attributes);
}

LogicalResult deriveAttentionMaps(func::FuncOp function) {
  SmallVector<attn::AttendOp> attends;
  function.walk([&](attn::AttendOp op) { attends.push_back(op); });
  if (attends.empty())
    return function.emitError("the function of `attention` has no attention");
  SmallVector<Value> maps;
  for (attn::AttendOp op : attends) {
    FailureOr<Value> map = attentionWeights(op);
    if (function->hasAttr(masksMarkedAttrName))
      map = withMasksMarked(op, *map);
    while (succeeded(map) && map->getDefiningOp()->getParentOfType<scf::ForOp>())
      map = perIterationList(*map, maps);
    if (failed(map))
      return failure();
    maps.push_back(*map);
  }
  setResults(function, maps);
  function->removeAttr(model::attentionAttrName);
  function->removeAttr(masksMarkedAttrName);
  return success();
}

} // namespace attnc
