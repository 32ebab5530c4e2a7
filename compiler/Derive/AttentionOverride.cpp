#include "compiler/Derive/AttentionOverride.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Derive/AttentionMaps.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

static bool isDerived(func::FuncOp function) {
  return llvm::any_of(ArrayRef<StringRef>{model::gradientAttrName, model::minimizeAttrName, model::incrementalAttrName,
                                          model::attentionAttrName, model::decodeAttrName},
                      [&](StringRef name) { return function->hasAttr(name); });
}

LogicalResult addEntriesOfStudy(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || !function->hasAttr(model::entryAttrName))
    return module.emitError("there is no entry point '" + entry + "' whose attention can be studied");
  if (isDerived(function))
    return function.emitError("entry point '" + entry +
                              "' is derived from another one; study the attention of that one");
  bool hasAttention = function.walk([](attn::AttendOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasAttention)
    return function.emitError("entry point '" + entry + "' has no attention");
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other != function && other->hasAttr(model::entryAttrName))
      other.erase();
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  for (auto [suffix, attribute] :
       {std::pair(".weights", model::attentionAttrName), {".given", attentionOverrideAttrName}}) {
    auto copy = cast<func::FuncOp>(builder.clone(*function));
    copy.setName((entry + suffix).str());
    copy->setAttr(attribute, builder.getUnitAttr());
    if (attribute == model::attentionAttrName)
      copy->setAttr(masksMarkedAttrName, builder.getUnitAttr());
  }
  return success();
}

namespace {

/// The loops around an attend, outermost first, and the index of the current iteration's element in a per-iteration
/// list.
struct EnclosingLoops {
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> elementIndices;
};

} // namespace

static FailureOr<EnclosingLoops> enclosingLoops(attn::AttendOp op) {
  EnclosingLoops around;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
    around.loops.insert(around.loops.begin(), loop);
  for (scf::ForOp loop : around.loops) {
    if (!hasCanonicalInductionVariable(loop))
      return loop.emitError("does not count from 0 in steps of 1: its attention weights have no positions");
    around.elementIndices.push_back(iterationIndex(loop));
  }
  return around;
}

/// Adds an input of the shape of `weights`, preceded by a dimension for each loop. It precedes the key of random draws.
static BlockArgument addOverride(func::FuncOp function, Value weights, const EnclosingLoops &around,
                                 const std::string &name) {
  Builder builder(function.getContext());
  SymbolicShapes shapes(function);
  SmallVector<int64_t> sizes;
  SmallVector<Attribute> words;
  for (scf::ForOp loop : around.loops) {
    sizes.push_back(getConstantIntValue(loop.getUpperBound()).value_or(ShapedType::kDynamic));
    words.push_back(builder.getStringAttr(shapes.text(shapes.size(loop.getUpperBound()))));
  }
  auto type = cast<RankedTensorType>(weights.getType());
  llvm::append_range(sizes, type.getShape());
  for (const SizeExpr &extent : shapes.shape(weights))
    words.push_back(builder.getStringAttr(shapes.text(extent)));
  unsigned position = 0;
  while (position < function.getNumArguments() && !function.getArgAttr(position, model::keyAttrName))
    ++position;
  (void)function.insertArgument(
      position, RankedTensorType::get(sizes, type.getElementType()),
      builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                 builder.getNamedAttr(model::shapeAttrName, builder.getArrayAttr(words))}),
      weights.getLoc());
  return function.getArgument(position);
}

/// `given` where it is a number, else `weights`.
static Value applyOverride(OpBuilder &builder, Value weights, Value given, const EnclosingLoops &around) {
  auto type = cast<RankedTensorType>(weights.getType());
  Location loc = weights.getLoc();
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, weights);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
    SmallVector<Value> subscripts(around.elementIndices);
    for (int64_t d = 0; d < type.getRank(); ++d)
      subscripts.push_back(linalg::IndexOp::create(inner, loc, d));
    Value other = tensor::ExtractOp::create(inner, loc, given, subscripts);
    Value isNone = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::UNO, other, other);
    Value chosen = arith::SelectOp::create(inner, loc, isNone, elements[0], other);
    linalg::YieldOp::create(inner, loc, chosen);
  };
  return linalg::GenericOp::create(builder, loc, type, weights, empty, {identity, identity}, iterators, body)
      .getResult(0);
}

/// The value of `op` summed with other weights: attention without normalisation, whose scores are the weights.
static Value sumWith(OpBuilder &builder, attn::AttendOp op, Value weights) {
  attn::AttendOp sum = attn::createAttendLike(builder, op, {attn::Statistic::Value});
  sum.setNormaliser(attn::Normaliser::None);
  sum.removeAlphaAttr();
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping maskCopies, valueCopies;
  op.getMask().cloneInto(&sum.getMask(), maskCopies);
  op.getValue().cloneInto(&sum.getValue(), valueCopies);
  Block &score = sum.getScore().emplaceBlock();
  int64_t indices = op.getNumOuter() + op.getNumKeys();
  score.addArguments(SmallVector<Type>(indices, builder.getIndexType()), SmallVector<Location>(indices, op.getLoc()));
  OpBuilder body = OpBuilder::atBlockBegin(&score);
  Value element = tensor::ExtractOp::create(body, op.getLoc(), weights, score.getArguments());
  attn::YieldOp::create(body, op.getLoc(), element);
  return sum.getResult(0);
}

LogicalResult deriveAttentionOverride(func::FuncOp function) {
  SmallVector<attn::AttendOp> attends;
  function.walk([&](attn::AttendOp op) { attends.push_back(op); });
  if (attends.empty())
    return function.emitError("there is no attention whose weights could be overridden");
  for (auto [number, op] : llvm::enumerate(attends)) {
    FailureOr<EnclosingLoops> around = enclosingLoops(op);
    if (failed(around))
      return failure();
    SmallVector<OpOperand *> readers;
    if (Value weights = op.getResultFor(attn::Statistic::Weights))
      for (OpOperand &use : weights.getUses())
        readers.push_back(&use);
    Value own = attentionWeights(op);
    BlockArgument given = addOverride(function, own, *around, number ? "given" + std::to_string(number + 1) : "given");
    OpBuilder builder(op);
    builder.setInsertionPointAfter(own.getDefiningOp());
    Value weights = applyOverride(builder, own, given, *around);
    if (Value value = op.getResultFor(attn::Statistic::Value))
      value.replaceAllUsesWith(sumWith(builder, op, weights));
    for (OpOperand *use : readers)
      use->set(weights);
  }
  function->removeAttr(attentionOverrideAttrName);
  return success();
}

} // namespace attnc
