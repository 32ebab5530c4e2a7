//===- FoldViews.cpp - attn-fold-views ----------------------------------------------------------------------------===//
//
// Folds views into their users: views become subscripts and indexing maps of the ops that read them. A transpose of a
// result of attention or of a contraction becomes the order in which the result is written.
//
// attn-fold-views-into-attention does this for operands and results of attention alone. It runs before derive, so that
// gradients refer to the viewed tensors: a gradient's formulas read the tensors whose gradient it computes, and no
// later pass may change them.
//
// Precondition: views are ops (attn-raise-views). Postcondition: no transpose or slice before a `tensor.extract`; no
// transpose before a linalg.generic; no slice before a pointwise op; no transpose after an attend that has no other
// user, nor after a contraction that has no other user and whose rows and columns it exchanges as a whole. Reshapes of
// whole tensors remain, because they are free.
//
//   %k = transpose (expand (slice %qkv [0, 0, 384] ...))        attend ... score (%b, %h, %i, %j) {
//   attend ... score (%b, %h, %i, %j) {                    →      %f = 384 + %h * 64 + %d
//     extract %k[%b, %h, %j, %d]                                  extract %qkv[%b, %j, %f]
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_FOLDVIEWSINTOATTENTIONPASS
#define GEN_PASS_DEF_FOLDVIEWSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

class ViewFolder {
public:
  ViewFolder(ModuleOp module, func::FuncOp function) : module(module), function(function), shapes(function) {}
  void run();
  void runOnAttention();

private:
  bool foldTransposes(linalg::GenericOp op);
  void dropUnitDims(linalg::GenericOp op);
  linalg::GenericOp readSlicesBySubscript(linalg::GenericOp op);
  void foldIntoExtract(tensor::ExtractOp extract);
  void simplify(tensor::ExtractOp extract);
  void foldIntoLayout(attn::AttendOp attend);
  void foldIntoLayout(linalg::GenericOp contraction);
  void foldLayouts();

  bool keepsChecks(Operation *view, ValueRange subscripts, ArrayRef<Value> unproved);
  SmallVector<Value> throughExpand(OpBuilder &builder, tensor::ExpandShapeOp op, ValueRange subscripts);
  SmallVector<Value> throughCollapse(OpBuilder &builder, tensor::CollapseShapeOp op, ValueRange subscripts);
  SmallVector<Value> throughSlice(OpBuilder &builder, tensor::ExtractSliceOp op, ValueRange subscripts);
  void record(Reason reason, Operation *what, Operation *into, Value tensor);

  ModuleOp module;
  func::FuncOp function;
  SymbolicShapes shapes;
};

} // namespace

void ViewFolder::record(Reason reason, Operation *what, Operation *into, Value tensor) {
  recordDecision(module, {true,
                          reason,
                          placeOf(what),
                          placeOf(into),
                          shapes.text(shapes.bytes(tensor)),
                          function.getName().str(),
                          false,
                          {}});
}

/// Returns the number of views before `value`, up to the last one that is not free.
static unsigned viewsToFold(Value value) {
  unsigned depth = 0, fold = 0;
  for (Operation *op = value.getDefiningOp(); isView(op); op = op->getOperand(0).getDefiningOp()) {
    ++depth;
    if (!isFreeView(op))
      fold = depth;
  }
  return fold;
}

//===-------------------------------------------- subscripts --------------------------------------------------===//

static Value add(OpBuilder &builder, Location location, Value a, Value b) {
  return arith::AddIOp::create(builder, location, a, b);
}

SmallVector<Value> ViewFolder::throughExpand(OpBuilder &builder, tensor::ExpandShapeOp op, ValueRange subscripts) {
  SmallVector<Value> result;
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Value flat;
    for (int64_t dim : group) {
      if (!flat) {
        flat = subscripts[dim];
        continue;
      }
      Value size = getValueOrCreateConstantIndexOp(builder, op.getLoc(), sizes[dim]);
      flat = add(builder, op.getLoc(), arith::MulIOp::create(builder, op.getLoc(), flat, size), subscripts[dim]);
    }
    result.push_back(flat ? flat : Value(arith::ConstantIndexOp::create(builder, op.getLoc(), 0)));
  }
  return result;
}

SmallVector<Value> ViewFolder::throughCollapse(OpBuilder &builder, tensor::CollapseShapeOp op, ValueRange subscripts) {
  SmallVector<Value> result(op.getSrcType().getRank());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  for (int64_t dim = 0; dim < op.getSrcType().getRank(); ++dim)
    if (groups.empty())
      result[dim] = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
  for (auto [position, group] : llvm::enumerate(groups)) {
    Value rest = subscripts[position];
    for (int64_t dim : llvm::reverse(ArrayRef(group).drop_front())) {
      Value size = shapes.materialise(builder, op.getLoc(), shapes.extent(op.getSrc(), dim));
      result[dim] = arith::RemSIOp::create(builder, op.getLoc(), rest, size);
      rest = arith::FloorDivSIOp::create(builder, op.getLoc(), rest, size);
    }
    result[group.front()] = rest;
  }
  return result;
}

SmallVector<Value> ViewFolder::throughSlice(OpBuilder &builder, tensor::ExtractSliceOp op, ValueRange subscripts) {
  SmallVector<Value> result;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    Value start = getValueOrCreateConstantIndexOp(builder, op.getLoc(), offset);
    result.push_back(dropped[dim] ? start : add(builder, op.getLoc(), start, subscripts[next++]));
  }
  return result;
}

/// True if the checks of subscripts that need one stay equally strict. A subscript is checked against the size of the
/// tensor that is read; the source of a view that narrows or splits that dimension has a larger size.
bool ViewFolder::keepsChecks(Operation *view, ValueRange subscripts, ArrayRef<Value> unproved) {
  auto isChecked = [&](int64_t dim) { return needsCheck(subscripts[dim], unproved); };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return llvm::all_of(expand.getReassociationIndices(), [&](const ReassociationIndices &group) {
      return group.size() == 1 || llvm::none_of(group, isChecked);
    });
  auto slice = dyn_cast<tensor::ExtractSliceOp>(view);
  if (!slice)
    return true;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t next = 0;
  for (int64_t dim = 0; dim < slice.getSourceType().getRank(); ++dim)
    if (!dropped[dim]) {
      bool isWhole = shapes.extent(slice.getSource(), dim) == shapes.extent(slice.getResult(), next);
      if (isChecked(next++) && !isWhole)
        return false;
    }
  return true;
}

void ViewFolder::foldIntoExtract(tensor::ExtractOp extract) {
  unsigned fold = viewsToFold(extract.getTensor());
  if (fold == 0)
    return;
  SmallVector<Value> subscripts(extract.getIndices()), unproved = unprovedSubscripts(extract);
  Value source = extract.getTensor();
  if (!keepsChecks(source.getDefiningOp(), subscripts, unproved))
    return;
  OpBuilder builder(extract);
  Operation *reader = extract->getParentOfType<attn::AttendOp>();
  if (!reader)
    reader = extract->getParentOfType<linalg::GenericOp>();
  if (reader && isRefused(reasonId(Reason::ViewFolded), source.getDefiningOp(), reader))
    return;
  if (reader)
    record(Reason::ViewFolded, source.getDefiningOp(), reader, source);
  for (unsigned i = 0; i < fold; ++i) {
    Operation *view = source.getDefiningOp();
    if (!keepsChecks(view, subscripts, unproved))
      break;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
      subscripts = throughExpand(builder, expand, subscripts);
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
      subscripts = throughCollapse(builder, collapse, subscripts);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view)) {
      subscripts = throughSlice(builder, slice, subscripts);
    } else if (auto transpose = dyn_cast<linalg::TransposeOp>(view)) {
      SmallVector<Value> permuted(subscripts.size());
      for (auto [position, from] : llvm::enumerate(transpose.getPermutation()))
        permuted[from] = subscripts[position];
      subscripts = permuted;
    }
    source = view->getOperand(0);
  }
  extract.getTensorMutable().assign(source);
  extract.getIndicesMutable().assign(subscripts);
  markUnproved(extract, unproved);
  extract->removeAttr(attn::provedAttrName); // the numbers of subscripts have changed
  simplify(extract);
}

void ViewFolder::simplify(tensor::ExtractOp extract) {
  OpBuilder builder(extract);
  LoopIndices indices = LoopIndices::around(extract);
  SubscriptReader reader(indices);
  SmallVector<AffineExpr> exprs;
  for (Value subscript : extract.getIndices())
    exprs.push_back(simplifySubscript(reader.read(subscript), indices.extents));
  SmallVector<Value> dims = indices.values;
  for (auto [number, value] : llvm::enumerate(dims))
    if (!value && llvm::any_of(exprs, [&](AffineExpr expr) { return expr.isFunctionOfDim(number); }))
      value = linalg::IndexOp::create(builder, extract.getLoc(), number);
  SmallVector<Value> subscripts;
  for (AffineExpr expr : exprs)
    subscripts.push_back(writeSubscript(builder, extract.getLoc(), expr, dims, reader.symbols()));
  extract.getIndicesMutable().assign(subscripts);
}

//===-------------------------------------------- indexing maps -----------------------------------------------===//

bool ViewFolder::foldTransposes(linalg::GenericOp op) {
  bool changed = false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto transpose = operand->get().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || isRefused(reasonId(Reason::ViewFolded), transpose, op))
      continue;
    AffineMap &map = maps[operand->getOperandNumber()];
    SmallVector<AffineExpr> results(map.getNumResults());
    for (auto [position, from] : llvm::enumerate(transpose.getPermutation()))
      results[from] = map.getResult(position);
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    record(Reason::ViewFolded, transpose, op, operand->get());
    operand->set(transpose.getInput());
    changed = true;
  }
  if (changed)
    op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return changed;
}

/// Drops the dimensions of size 1 along which an operand is broadcast.
void ViewFolder::dropUnitDims(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool changed = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    AffineMap &map = maps[operand->getOperandNumber()];
    auto isUnit = [&](int64_t dim) { return isa<AffineConstantExpr>(map.getResult(dim)) && type.getDimSize(dim) == 1; };
    if (!type || llvm::none_of(llvm::seq<int64_t>(0, type.getRank()), isUnit))
      continue;
    SmallVector<ReassociationIndices> groups;
    SmallVector<AffineExpr> results;
    ReassociationIndices leading;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!isUnit(dim)) {
        results.push_back(map.getResult(dim));
        groups.push_back(std::move(leading));
        leading.clear();
        groups.back().push_back(dim);
      } else if (groups.empty()) {
        leading.push_back(dim);
      } else {
        groups.back().push_back(dim);
      }
    }
    OpBuilder builder(op);
    operand->set(tensor::CollapseShapeOp::create(builder, op.getLoc(), operand->get(), groups));
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    changed = true;
  }
  if (changed)
    op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// True if all readers of `value` and of the views before it can read their elements by subscript.
static bool isReadBySubscriptAlone(Value value) {
  for (Operation *view = value.getDefiningOp(); isView(view); view = view->getOperand(0).getDefiningOp())
    for (OpOperand &use : view->getResult(0).getUses()) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      bool bySubscript = isView(use.getOwner()) || isa<tensor::ExtractOp, tensor::DimOp>(use.getOwner());
      if (!bySubscript && !(reader && isPointwise(reader) && reader.isDpsInput(&use)))
        return false;
    }
  return true;
}

/// Replaces slices that a pointwise op reads by subscripts, so that the slices are not materialised.
linalg::GenericOp ViewFolder::readSlicesBySubscript(linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::SmallBitVector replaced(op.getNumDpsInputs());
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (viewsToFold(operand->get()) != 0 && isReadBySubscriptAlone(operand->get()) &&
        !isRefused(reasonId(Reason::ViewFolded), operand->get().getDefiningOp(), op)) {
      replaced.set(operand->getOperandNumber());
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  if (replaced.none() || !isPointwise(op))
    return op;
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  OpBuilder builder(op);
  linalg::GenericOp rebuilt = rebuildGeneric(builder, op, inputs, op.getOutputs(), maps, op.getIteratorTypesArray());
  Block *body = rebuilt.getBody();
  builder.setInsertionPointToStart(body);
  for (int number = op.getNumDpsInputs() - 1; number >= 0; --number) {
    if (!replaced[number])
      continue;
    SmallVector<Value> dims, subscripts;
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      dims.push_back(linalg::IndexOp::create(builder, op.getLoc(), dim));
    for (AffineExpr expr : op.getIndexingMapsArray()[number].getResults())
      subscripts.push_back(writeSubscript(builder, op.getLoc(), expr, dims, {}));
    Value element = tensor::ExtractOp::create(builder, op.getLoc(), op.getInputs()[number], subscripts);
    body->getArgument(number).replaceAllUsesWith(element);
    body->eraseArgument(number);
  }
  op.replaceAllUsesWith(rebuilt.getResults());
  op.erase();
  return rebuilt;
}

//===-------------------------------------------- layout ------------------------------------------------------===//

void ViewFolder::foldIntoLayout(attn::AttendOp attend) {
  Value value = attend.getResultFor(attn::Statistic::Value);
  if (!value || !value.hasOneUse())
    return;
  auto transpose = dyn_cast<linalg::TransposeOp>(*value.getUsers().begin());
  if (!transpose || transpose.getInput() != value || isRefused(reasonId(Reason::LayoutFolded), attend, transpose))
    return;
  SmallVector<int64_t> before = llvm::to_vector(llvm::seq<int64_t>(0, attend.getNumOuter() + attend.getNumValues()));
  if (auto layout = attend.getValueLayout())
    before.assign(layout->begin(), layout->end());
  SmallVector<int64_t> after;
  for (int64_t from : transpose.getPermutation())
    after.push_back(before[from]);
  record(Reason::LayoutFolded, attend, transpose, value);
  attend.setValueLayout(after);
  value.setType(transpose.getResult()[0].getType());
  transpose.getResult()[0].replaceAllUsesWith(value);
  transpose.erase();
}

/// True if the result's loops are in the order batch, rows, columns.
static bool isInGroups(linalg::GenericOp op) {
  auto dims = matchContraction(op);
  if (!dims)
    return false;
  SmallVector<unsigned> wanted(dims->batch);
  wanted.append(dims->m);
  wanted.append(dims->n);
  return wanted == plainDims(op.getIndexingMapsArray().back());
}

/// Folds the transpose of a product into the contraction: it becomes the product of the exchanged factors. The gradient
/// of a matrix that was read transposed is such a product.
void ViewFolder::foldIntoLayout(linalg::GenericOp contraction) {
  auto product = contraction->getNumResults() == 1 ? contraction.getResult(0) : Value();
  if (!product || !product.hasOneUse() || !matchContraction(contraction))
    return;
  auto transpose = dyn_cast<linalg::TransposeOp>(*product.getUsers().begin());
  if (!transpose || transpose.getInput() != product || transpose->getBlock() != contraction->getBlock() ||
      isRefused(reasonId(Reason::LayoutFolded), contraction, transpose))
    return;
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  SmallVector<AffineExpr> order;
  for (int64_t from : transpose.getPermutation())
    order.push_back(maps.back().getResult(from));
  maps.back() = AffineMap::get(contraction.getNumLoops(), 0, order, contraction.getContext());
  OpBuilder builder(transpose);
  Location location = contraction.getLoc();
  Value zero = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
  Value start = linalg::FillOp::create(builder, location, zero, transpose.getInit()).getResult(0);
  linalg::GenericOp turned =
      rebuildGeneric(builder, contraction, contraction.getInputs(), start, maps, contraction.getIteratorTypesArray());
  if (!isInGroups(turned)) {
    turned.erase();
    start.getDefiningOp()->erase();
    return zero.getDefiningOp()->erase();
  }
  record(Reason::LayoutFolded, contraction, transpose, product);
  transpose.getResult()[0].replaceAllUsesWith(turned.getResult(0));
  transpose.erase();
  contraction.erase();
}

/// Folding erases ops that a walk would visit next, so the ops are gathered first.
void ViewFolder::foldLayouts() {
  SmallVector<attn::AttendOp> attends;
  function.walk([&](attn::AttendOp attend) { attends.push_back(attend); });
  llvm::for_each(attends, [&](attn::AttendOp attend) { foldIntoLayout(attend); });
}

void ViewFolder::runOnAttention() {
  foldLayouts();
  SmallVector<tensor::ExtractOp> extracts;
  function.walk(
      [&](attn::AttendOp attend) { attend.walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); }); });
  for (tensor::ExtractOp extract : extracts)
    foldIntoExtract(extract);
}

void ViewFolder::run() {
  foldLayouts();
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  llvm::for_each(generics, [&](linalg::GenericOp op) { foldIntoLayout(op); });
  generics.clear();
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  for (linalg::GenericOp op : generics) {
    dropUnitDims(op);
    while (foldTransposes(op)) {
    }
    readSlicesBySubscript(op);
  }
  SmallVector<tensor::ExtractOp> extracts;
  function.walk([&](tensor::ExtractOp extract) {
    if (!extract->getParentOfType<attn::AttendGradientOp>())
      extracts.push_back(extract);
  });
  for (tensor::ExtractOp extract : extracts)
    foldIntoExtract(extract);
}

namespace {

struct FoldViews : impl::FoldViewsPassBase<FoldViews> {
  void runOnOperation() override {
    // Gradients list all operands of the forward pass, used or not.
    RewritePatternSet operands(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(operands);
    FrozenRewritePatternSet patterns(std::move(operands));
    for (func::FuncOp function : hostFunctions(getOperation())) {
      if (failed(applyPatternsGreedily(function, patterns)))
        return signalPassFailure();
      ViewFolder(getOperation(), function).run();
    }
  }
};

struct FoldViewsIntoAttention : impl::FoldViewsIntoAttentionPassBase<FoldViewsIntoAttention> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation()))
      ViewFolder(getOperation(), function).runOnAttention();
  }
};

} // namespace

} // namespace attnc
