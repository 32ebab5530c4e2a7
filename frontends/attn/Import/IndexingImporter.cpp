#include "frontends/attn/Import/IndexingImporter.h"

#include "dialects/Attn/AttentionName.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "frontends/attn/Import/Contractions.h"
#include "frontends/attn/Import/TensorImporter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;

namespace attnc {

using namespace typed;

namespace {

/// Finds the tensors that a body reads by plain indices, which become operands of its generic.
class OperandFinder {
public:
  OperandFinder(ArrayRef<const Index *> loops, MLIRContext *context) : loops(loops), context(context) {}

  struct Read {
    ExprRef base;
    unsigned step; ///< the dimension that is subscripted by a number of the time step; their number if there is none
    ExprRef place; ///< the index in that dimension; null if there is none
    AffineMap map; ///< of the other dimensions
    SmallVector<ExprRef> subscripts; ///< the Subscripts that read these elements
  };

  void visit(ExprRef expr) {
    if (!expr || !seen.insert(expr).second)
      return;
    if (auto *node = expr->as<Subscript>()) {
      if (auto map = plainMap(*node))
        return record(expr, *node, *map);
      for (ExprRef index : node->indices)
        visit(index);
    } else if (auto *node = expr->as<Elementwise>()) {
      for (ExprRef operand : node->operands)
        visit(operand);
    } else if (auto *node = expr->as<Cast>()) {
      visit(node->operand);
    }
  }

  /// True if the body is a slice of a tensor at the time step, such as [b, d] => x[b, t, d].
  bool isStepAlone(ExprRef body) const {
    return reads.size() == 1 && reads[0].place && reads[0].subscripts.front() == body && reads[0].map.isIdentity();
  }

  std::vector<Read> reads;

private:
  /// Returns the map of a subscript whose indices are different loops, each over all of its dimension, except that one
  /// may be a number of the time step. Null for other subscripts.
  std::optional<AffineMap> plainMap(const Subscript &node) {
    SmallVector<AffineExpr> read;
    std::set<size_t> used;
    unsigned step = stepSubscript(node);
    for (auto [dimension, index, extent] : llvm::enumerate(node.indices, node.base->type.shape)) {
      if (dimension == step)
        continue;
      auto *reference = index->as<IndexRef>();
      size_t loop = reference ? llvm::find(loops, reference->index) - loops.begin() : loops.size();
      if (loop == loops.size() || !used.insert(loop).second || loops[loop]->extent != extent)
        return std::nullopt;
      read.push_back(getAffineDimExpr(loop, context));
    }
    return AffineMap::get(loops.size(), 0, read, context);
  }

  /// Identifies the tensor that an expression names.
  static const void *originOf(ExprRef base) {
    if (auto *local = base->as<LocalRef>())
      return local->local;
    return base;
  }

  void record(ExprRef expr, const Subscript &node, AffineMap map) {
    unsigned step = stepSubscript(node);
    ExprRef place = step < node.indices.size() ? node.indices[step] : nullptr;
    for (Read &read : reads)
      if (originOf(read.base) == originOf(node.base) && read.map == map && read.step == step && read.place == place)
        return read.subscripts.push_back(expr);
    reads.push_back({node.base, step, place, map, {expr}});
  }

  ArrayRef<const Index *> loops;
  MLIRContext *context;
  std::set<ExprRef> seen;
};

} // namespace

Formula::Surroundings IndexingImporter::surroundings() {
  return {[this](const Dim &dim, Location at) { return scopes.size(dim, at); },
          [this](ExprRef expr) { return tensors.tensor(expr); },
          [this](const LoopCounter *loop) { return scopes.counter(loop); },
          [this](ExprRef base, unsigned dimension, ExprRef place) { return step(base, dimension, place); },
          [this](SourceRange range) { return types.location(range); }};
}

void IndexingImporter::coverLoops(ArrayRef<const Index *> loops, unsigned parallel, SmallVectorImpl<Value> &inputs,
                                  SmallVectorImpl<AffineMap> &maps, Location at) {
  llvm::SmallBitVector covered(loops.size());
  covered.set(0, parallel);
  for (AffineMap map : maps)
    for (AffineExpr dim : map.getResults())
      covered.set(cast<AffineDimExpr>(dim).getPosition());
  Shape shape;
  SmallVector<AffineExpr> read;
  for (size_t loop = 0; loop < loops.size(); ++loop)
    if (!covered.test(loop)) {
      shape.push_back(loops[loop]->extent);
      read.push_back(builder.getAffineDimExpr(loop));
    }
  if (shape.empty())
    return;
  inputs.push_back(scopes.empty(Element::F32, shape, at));
  maps.push_back(AffineMap::get(loops.size(), 0, read, builder.getContext()));
}

Value moveDimension(OpBuilder &builder, Value source, unsigned from, unsigned to, Location at) {
  if (from == to)
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> permutation;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (dimension != from)
      permutation.push_back(dimension);
  permutation.insert(permutation.begin() + to, from);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, source), moved;
  for (int64_t dimension : permutation)
    moved.push_back(sizes[dimension]);
  Value out = tensor::EmptyOp::create(builder, at, moved, type.getElementType());
  return linalg::TransposeOp::create(builder, at, source, out, permutation)->getResult(0);
}

Value IndexingImporter::step(ExprRef base, unsigned dimension, ExprRef place) {
  Value source = tensors.tensor(base);
  OpBuilder::InsertionGuard guard(builder);
  scopes.setInsertionPointOutside();
  Location at = types.location(base->range);
  tensors.computeSizes(place);
  Value list = moveDimension(builder, source, dimension, 0, at);
  auto type = cast<RankedTensorType>(list.getType());
  auto element = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  return model::ElementOp::create(builder, at, element, list, tensors.number(place));
}

/// Erases the indices that a body does not use.
static void dropUnused(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<linalg::IndexOp>(op) && op.use_empty())
      op.erase();
}

Value IndexingImporter::comprehension(const Expr &expr) {
  const Comprehension &node = std::get<Comprehension>(expr.node);
  Location at = types.location(expr.range);
  auto *reduction = node.body->as<IndexReduction>();
  ExprRef body = reduction ? reduction->body : node.body;
  ExprRef filter = reduction ? reduction->filter : nullptr;
  unsigned parallel = node.indices.size();
  Indices loops = node.indices;
  if (reduction)
    loops.insert(loops.end(), reduction->indices.begin(), reduction->indices.end());

  OperandFinder finder(loops, builder.getContext());
  finder.visit(body);
  finder.visit(filter);
  if (finder.isStepAlone(node.body))
    return step(finder.reads[0].base, finder.reads[0].step, finder.reads[0].place);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const OperandFinder::Read &read : finder.reads) {
    inputs.push_back(read.place ? step(read.base, read.step, read.place) : tensors.tensor(read.base));
    maps.push_back(read.map);
  }
  coverLoops(loops, parallel, inputs, maps, at);

  const Shape &shape = expr.type.shape;
  SmallVector<Value> start = reduction
                                 ? reductionStart(builder, scopes, reduction->combiner, body->type.element, shape, at)
                                 : SmallVector<Value>{scopes.empty(expr.type.element, shape, at)};
  AffineMap all = builder.getMultiDimIdentityMap(loops.size());
  maps.append(start.size(), AffineMap::get(loops.size(), 0, all.getResults().take_front(parallel), all.getContext()));
  SmallVector<utils::IteratorType> iterators(parallel, utils::IteratorType::parallel);
  iterators.append(loops.size() - parallel, utils::IteratorType::reduction);

  Formula::Surroundings around = surroundings();
  auto generic = linalg::GenericOp::create(builder, at, ValueRange(start).getTypes(), inputs, start, maps, iterators);
  OpBuilder::InsertionGuard guard(builder);
  Operation *owner = scopes.exchangeBody(generic);
  mlir::Block *block = builder.createBlock(&generic.getRegion());
  for (Value operand : generic->getOperands())
    block->addArgument(getElementTypeOrSelf(operand.getType()), operand.getLoc());
  Formula formula(builder, around);
  for (auto [loop, index] : llvm::enumerate(loops))
    formula.bind(index, linalg::IndexOp::create(builder, types.location(index->range), loop));
  for (auto [number, read] : llvm::enumerate(finder.reads))
    for (ExprRef subscript : read.subscripts)
      formula.bind(subscript, block->getArgument(number));
  Value value = formula.value(body);
  if (filter)
    value = arith::SelectOp::create(builder, at, formula.value(filter), value,
                                    identity(builder, at, reduction->combiner, body->type.element));
  if (reduction)
    yieldReduced(builder, reduction->combiner, body->type.element, value, block->getArguments().take_back(start.size()),
                 parallel, at);
  else
    linalg::YieldOp::create(builder, at, value);
  dropUnused(*block);
  scopes.exchangeBody(owner);
  return generic->getResults().back();
}

//===- attend -----------------------------------------------------------------------------------------------------===//

void IndexingImporter::attendRegion(Region &region, ExprRef body, ArrayRef<const Indices *> indices,
                                    const Local *weight, const Formula::Surroundings &around) {
  if (!body)
    return;
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  Formula formula(builder, around);
  if (weight)
    formula.bind(weight, block->addArgument(builder.getF32Type(), types.location(weight->range)));
  for (const Indices *group : indices)
    for (const Index *index : *group)
      formula.bind(index, block->addArgument(builder.getIndexType(), types.location(index->range)));
  attn::YieldOp::create(builder, types.location(body->range), formula.value(body));
}

static attn::Normaliser normaliserOf(Normaliser normaliser) {
  switch (normaliser) {
#define ATTN_NORMALISER(NAME, WORD, TRAITS)                                                                            \
  case Normaliser::NAME:                                                                                               \
    return attn::Normaliser::NAME;
#include "dialects/Attn/Normalisers.def"
  }
  llvm_unreachable("a normaliser");
}

void IndexingImporter::attend(const Expr &expr, ArrayRef<const Local *> yielded) {
  const Attend &node = std::get<Attend>(expr.node);
  Location at = types.location(expr.range);
  auto sizesOf = [&](const Indices &indices) {
    SmallVector<Value> sizes;
    for (const Index *index : indices)
      sizes.push_back(scopes.size(index->extent, types.location(index->range)));
    return sizes;
  };
  SmallVector<Value> outer = sizesOf(node.outer), keys = sizesOf(node.keys), values = sizesOf(node.values);
  SmallVector<mlir::Type> results;
  for (const Local *local : yielded)
    results.push_back(types.tensorType(local->type));
  SmallVector<StringRef> yields;
  for (Statistic statistic : node.yields)
    yields.push_back(textOf(statistic));
  SmallVector<int64_t> summed;
  for (const Index *index : node.summed)
    summed.push_back(llvm::find(node.outer, index) - node.outer.begin());
  llvm::sort(summed);
  auto op = attn::AttendOp::create(
      builder, at, results, outer, keys, values, normaliserOf(node.normaliser), builder.getStrArrayAttr(yields),
      DenseI64ArrayAttr(), node.normaliser == Normaliser::Entmax ? builder.getF64FloatAttr(node.alpha) : FloatAttr(),
      node.top ? builder.getI64IntegerAttr(node.top) : IntegerAttr(),
      summed.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(summed));
  attn::AttentionName name{node.module, {}};
  for (const Index *index : node.outer)
    name.indices.push_back(index->name);
  op->setLoc(attn::namedLocation(at, name));
  Formula::Surroundings around = surroundings();
  Operation *owner = scopes.exchangeBody(op);
  attendRegion(op.getScore(), node.score, {&node.outer, &node.keys}, nullptr, around);
  attendRegion(op.getMask(), node.mask, {&node.outer, &node.keys}, nullptr, around);
  attendRegion(op.getWeight(), node.weight, {&node.outer, &node.keys}, node.weightIn, around);
  attendRegion(op.getValue(), node.value, {&node.outer, &node.keys, &node.values}, nullptr, around);
  attendRegion(op.getSink(), node.sink, {&node.outer}, nullptr, around);
  scopes.exchangeBody(owner);
  for (auto [local, result] : llvm::zip_equal(yielded, op.getResults()))
    scopes.bind(local, result);
}

} // namespace attnc
