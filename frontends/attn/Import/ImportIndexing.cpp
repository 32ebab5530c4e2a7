// Index notation and attend.

#include "frontends/attn/Import/Importer.h"

#include "dialects/Attn/AttentionName.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;

namespace attnc {

using namespace typed;

namespace {

/// The tensors that a body reads by plain indices, which become operands of its generic.
class OperandFinder {
public:
  OperandFinder(ArrayRef<const Index *> loops, MLIRContext *context) : loops(loops), context(context) {}

  struct Read {
    ExprRef base;
    unsigned step; ///< the dimension that the step of a scan picks from; behind the last one where there is none
    ExprRef place; ///< in that
    AffineMap map; ///< of the other dimensions
    SmallVector<ExprRef> subscripts; ///< that read it so
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

  /// Is the body, as [b, d] => x[b, t, d], nothing but what a step has of a tensor?
  bool isStepAlone(ExprRef body) const {
    return reads.size() == 1 && reads[0].place && reads[0].subscripts.front() == body && reads[0].map.isIdentity();
  }

  std::vector<Read> reads;

private:
  /// The map of a subscript whose indices are different loops, each over all of its dimension; but one may be made of
  /// the step.
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

  /// Where a tensor comes from, whatever expression names it.
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

Formula::Surroundings Importer::surroundings() {
  return {[this](const Dim &dim, Location at) { return size(dim, at); }, [this](ExprRef expr) { return tensor(expr); },
          [this](const LoopCounter *loop) { return counter(loop); },
          [this](ExprRef base, unsigned dimension, ExprRef place) { return step(base, dimension, place); },
          [this](SourceRange range) { return location(range); }};
}

/// Loops that no operand speaks of get one that is nothing but their sizes.
void Importer::coverLoops(ArrayRef<const Index *> loops, unsigned parallel, SmallVectorImpl<Value> &inputs,
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
  inputs.push_back(empty(Element::F32, shape, at));
  maps.push_back(AffineMap::get(loops.size(), 0, read, builder.getContext()));
}

Value Importer::comprehension(const Expr &expr) {
  const Comprehension &node = std::get<Comprehension>(expr.node);
  Location at = location(expr.range);
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
    inputs.push_back(read.place ? step(read.base, read.step, read.place) : tensor(read.base));
    maps.push_back(read.map);
  }
  coverLoops(loops, parallel, inputs, maps, at);

  const Shape &shape = expr.type.shape;
  SmallVector<Value> start = reduction ? reductionStart(reduction->combiner, body->type.element, shape, at)
                                       : SmallVector<Value>{empty(expr.type.element, shape, at)};
  SmallVector<AffineExpr> outer;
  for (unsigned i = 0; i < parallel; ++i)
    outer.push_back(builder.getAffineDimExpr(i));
  maps.append(start.size(), AffineMap::get(loops.size(), 0, outer, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(parallel, utils::IteratorType::parallel);
  iterators.append(loops.size() - parallel, utils::IteratorType::reduction);

  Formula::Surroundings around = surroundings();
  auto generic = linalg::GenericOp::create(builder, at, ValueRange(start).getTypes(), inputs, start, maps, iterators);
  OpBuilder::InsertionGuard guard(builder);
  Operation *owner = std::exchange(bodyOwner, generic);
  mlir::Block *block = builder.createBlock(&generic.getRegion());
  for (Value operand : generic->getOperands())
    block->addArgument(getElementTypeOrSelf(operand.getType()), operand.getLoc());
  Formula formula(builder, around);
  for (auto [loop, index] : llvm::enumerate(loops))
    formula.bind(index, linalg::IndexOp::create(builder, location(index->range), loop));
  for (auto [number, read] : llvm::enumerate(finder.reads))
    for (ExprRef subscript : read.subscripts)
      formula.bind(subscript, block->getArgument(number));
  Value value = formula.value(body);
  if (filter)
    value = arith::SelectOp::create(builder, at, formula.value(filter), value,
                                    identity(builder, at, reduction->combiner, body->type.element));
  if (reduction)
    yieldReduced(reduction->combiner, body->type.element, value, block->getArguments().take_back(start.size()),
                 parallel, at);
  else
    linalg::YieldOp::create(builder, at, value);
  dropUnused(*block);
  bodyOwner = owner;
  return generic->getResults().back();
}

/// Indices are made before it is known which of them a body speaks of.
void Importer::dropUnused(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<linalg::IndexOp>(op) && op.use_empty())
      op.erase();
}

//===- attend -----------------------------------------------------------------------------------------------------===//

void Importer::attendRegion(Region &region, ExprRef body, ArrayRef<const Indices *> indices, const Local *weight,
                            const Formula::Surroundings &around) {
  if (!body)
    return;
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  Formula formula(builder, around);
  if (weight)
    formula.bind(weight, block->addArgument(builder.getF32Type(), location(weight->range)));
  for (const Indices *group : indices)
    for (const Index *index : *group)
      formula.bind(index, block->addArgument(builder.getIndexType(), location(index->range)));
  attn::YieldOp::create(builder, location(body->range), formula.value(body));
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

void Importer::attend(const Expr &expr, ArrayRef<const Local *> yielded) {
  const Attend &node = std::get<Attend>(expr.node);
  Location at = location(expr.range);
  auto sizesOf = [&](const Indices &indices) {
    SmallVector<Value> sizes;
    for (const Index *index : indices)
      sizes.push_back(size(index->extent, location(index->range)));
    return sizes;
  };
  SmallVector<Value> outer = sizesOf(node.outer), keys = sizesOf(node.keys), values = sizesOf(node.values);
  SmallVector<mlir::Type> types;
  for (const Local *local : yielded)
    types.push_back(tensorType(local->type));
  SmallVector<StringRef> yields;
  for (Statistic statistic : node.yields)
    yields.push_back(textOf(statistic));
  SmallVector<int64_t> summed;
  for (const Index *index : node.summed)
    summed.push_back(llvm::find(node.outer, index) - node.outer.begin());
  llvm::sort(summed);
  auto op = attn::AttendOp::create(
      builder, at, types, outer, keys, values, normaliserOf(node.normaliser), builder.getStrArrayAttr(yields),
      DenseI64ArrayAttr(), node.normaliser == Normaliser::Entmax ? builder.getF64FloatAttr(node.alpha) : FloatAttr(),
      node.top ? builder.getI64IntegerAttr(node.top) : IntegerAttr(),
      summed.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(summed));
  attn::AttentionName name{node.module, {}};
  for (const Index *index : node.outer)
    name.indices.push_back(index->name);
  op->setLoc(attn::namedLocation(at, name));
  Formula::Surroundings around = surroundings();
  Operation *owner = std::exchange(bodyOwner, op);
  attendRegion(op.getScore(), node.score, {&node.outer, &node.keys}, nullptr, around);
  attendRegion(op.getMask(), node.mask, {&node.outer, &node.keys}, nullptr, around);
  attendRegion(op.getWeight(), node.weight, {&node.outer, &node.keys}, node.weightIn, around);
  attendRegion(op.getValue(), node.value, {&node.outer, &node.keys, &node.values}, nullptr, around);
  attendRegion(op.getSink(), node.sink, {&node.outer}, nullptr, around);
  bodyOwner = owner;
  for (auto [local, result] : llvm::zip_equal(yielded, op.getResults()))
    locals[local] = result;
}

} // namespace attnc
