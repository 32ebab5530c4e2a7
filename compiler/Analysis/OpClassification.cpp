#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/OpCost.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- views -------------------------------------------------------===//

bool isFreeView(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op);
}

bool isView(Operation *op) {
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(op))
    return slice.hasUnitStride();
  return isFreeView(op) || isa_and_present<linalg::TransposeOp>(op);
}

Value skipFreeViews(Value value) {
  while (isFreeView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value storageOf(Value value) {
  value = skipFreeViews(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (OpOperand *initial = loop.getTiedLoopInit(argument))
        return storageOf(initial->get());
  return value;
}

SmallVector<OpOperand *> usesThroughFreeViews(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    if (isFreeView(use.getOwner()))
      uses.append(usesThroughFreeViews(use.getOwner()->getResult(0)));
    else if (!isa<tensor::DimOp>(use.getOwner()))
      uses.push_back(&use);
  }
  return uses;
}

bool isParameter(Value value) { return isa_and_present<model::GetOp>(skipFreeViews(value).getDefiningOp()); }

UpdatedParameters::UpdatedParameters(ModuleOp module) {
  module.walk([&](model::SetOp set) {
    steps.insert(set->getParentOfType<func::FuncOp>());
    updated.insert(set.getParameterAttr().getAttr());
  });
}

bool UpdatedParameters::contains(Value value) const {
  auto get = dyn_cast_or_null<model::GetOp>(skipFreeViews(value).getDefiningOp());
  return get && steps.contains(get->getParentOfType<func::FuncOp>()) &&
         updated.contains(get.getParameterAttr().getAttr());
}

//===-------------------------------------------- generics ----------------------------------------------------===//

bool isPointwise(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return false;
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(true); }) &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) { return op.getMatchingIndexingMap(&init).isIdentity(); });
}

bool isElementFunction(linalg::GenericOp op) {
  return llvm::none_of(op.getBody()->without_terminator(), [](Operation &each) {
    return isa<linalg::IndexOp, tensor::ExtractOp, tensor::DimOp>(each) || each.getNumRegions() != 0;
  });
}

/// True if `value`, computed in the body, depends on elements, not only on indices and sizes.
static bool comesFromElements(Value value, Block *body) {
  if (value.getParentBlock() != body)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op || isa<tensor::ExtractOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return comesFromElements(operand, body); });
}

bool readsByData(linalg::GenericOp op) {
  return op.getBody()
      ->walk([&](tensor::ExtractOp extract) {
        bool byData = llvm::any_of(extract.getIndices(),
                                   [&](Value subscript) { return comesFromElements(subscript, op.getBody()); });
        return byData ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool onlyMoves(linalg::GenericOp op) {
  if (readsByData(op) || op.getNumResults() != 1 || !isPointwise(op))
    return false;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded))
    return argument.getOwner() == op.getBody() && argument.getArgNumber() < op.getNumDpsInputs();
  auto extract = yielded.getDefiningOp<tensor::ExtractOp>();
  return extract && extract->getBlock() == op.getBody();
}

bool readsNothing(linalg::GenericOp op) {
  auto isScalar = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0;
  };
  if (!llvm::all_of(op.getInputs(), isScalar))
    return false;
  return !op.getBody()
              ->walk([&](tensor::ExtractOp extract) {
                return isScalar(extract.getTensor()) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool isCheapFormula(linalg::GenericOp op) {
  constexpr int64_t load = 8;
  return readsNothing(op) && costOf(op.getRegion()).instructions < load;
}

bool startsFromZero(linalg::GenericOp op, unsigned result) {
  Value init = op.getDpsInits()[result];
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) || matchPattern(fill.getInputs()[0], m_Zero());
  return matchPattern(init, m_AnyZeroFloat());
}

std::optional<SmallVector<unsigned>> plainDims(AffineMap map) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(dims, dim.getPosition()))
      return std::nullopt;
    dims.push_back(dim.getPosition());
  }
  return dims;
}

/// True if the body is `out + a * b` of the two inputs.
static bool multipliesAndAdds(linalg::GenericOp op) {
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || llvm::range_size(op.getBody()->without_terminator()) != 2)
    return false;
  auto multiply = add.getLhs().getDefiningOp<arith::MulFOp>();
  Value sum = add.getRhs();
  if (!multiply) {
    multiply = add.getRhs().getDefiningOp<arith::MulFOp>();
    sum = add.getLhs();
  }
  if (!multiply || sum != op.getBody()->getArgument(2))
    return false;
  Value a = op.getBody()->getArgument(0), b = op.getBody()->getArgument(1);
  return (multiply.getLhs() == a && multiply.getRhs() == b) || (multiply.getLhs() == b && multiply.getRhs() == a);
}

std::optional<ContractionDims> matchContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !multipliesAndAdds(op) || !startsFromZero(op, 0))
    return std::nullopt;
  if (!llvm::all_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF32(); }))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto lhs = plainDims(maps[0]), rhs = plainDims(maps[1]), out = plainDims(maps[2]);
  if (!lhs || !rhs || !out)
    return std::nullopt;
  ContractionDims dims;
  SmallVector<unsigned> onlyLeft, onlyRight;
  for (unsigned dim : *out) {
    bool left = llvm::is_contained(*lhs, dim), right = llvm::is_contained(*rhs, dim);
    if (!left && !right)
      return std::nullopt;
    (left && right ? dims.batch : left ? onlyLeft : onlyRight).push_back(dim);
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (!llvm::is_contained(*out, dim)) {
      if (!llvm::is_contained(*lhs, dim) || !llvm::is_contained(*rhs, dim))
        return std::nullopt;
      dims.k.push_back(dim);
    }
  if ((onlyLeft.empty() && onlyRight.empty()) || llvm::is_contained(dims.batch, out->back()))
    return std::nullopt;
  // The columns are the loops of the result's last dimension. A vector operand is the matrix with a single row.
  bool swapped = onlyRight.empty() || (!onlyLeft.empty() && llvm::is_contained(onlyLeft, out->back()));
  dims.m = swapped ? onlyRight : onlyLeft;
  dims.n = swapped ? onlyLeft : onlyRight;
  if (swapped)
    std::swap(dims.lhs, dims.rhs);
  return dims;
}

/// Sets the element and the loops of `product` from the factor that is read by data. False if it is of another form.
static bool matchSelectedElement(Value factor, GroupedContraction &product) {
  product.element = factor.getDefiningOp<tensor::ExtractOp>();
  if (!product.element || product.element.getIndices().size() < 2)
    return false;
  ValueRange subscripts = product.element.getIndices();
  auto number = subscripts.front().getDefiningOp<arith::IndexCastOp>();
  auto selector = number ? dyn_cast<BlockArgument>(number.getIn()) : BlockArgument();
  if (!selector || selector.getOwner() != product.element->getBlock())
    return false;
  product.selector = selector.getArgNumber();
  for (Value subscript : subscripts.drop_front()) {
    auto loop = subscript.getDefiningOp<linalg::IndexOp>();
    if (!loop || llvm::is_contained(product.matrixLoops, loop.getDim()))
      return false;
    product.matrixLoops.push_back(loop.getDim());
  }
  return true;
}

/// Matches the body `out + left * matrices[selector, ..]`.
static std::optional<GroupedContraction> matchGroupedBody(linalg::GenericOp op) {
  Block &body = *op.getBody();
  Value sum = body.getArgument(2);
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != sum && add.getRhs() != sum))
    return std::nullopt;
  auto multiply = (add.getLhs() == sum ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return std::nullopt;
  for (auto [left, right] : {std::pair{multiply.getLhs(), multiply.getRhs()}, {multiply.getRhs(), multiply.getLhs()}}) {
    GroupedContraction product;
    auto element = dyn_cast<BlockArgument>(left);
    if (!element || element.getOwner() != &body || !matchSelectedElement(right, product))
      continue;
    product.left = element.getArgNumber();
    if (product.left + product.selector == 1) // the two inputs
      return product;
  }
  return std::nullopt;
}

std::optional<GroupedContraction> matchGroupedContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 || !startsFromZero(op, 0))
    return std::nullopt;
  std::optional<GroupedContraction> product = matchGroupedBody(op);
  if (!product || !getElementTypeOrSelf(op.getInputs()[product->left].getType()).isF32() ||
      !getElementTypeOrSelf(op.getInputs()[product->selector].getType()).isInteger(32) ||
      !getElementTypeOrSelf(product->element.getType()).isF32())
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto left = plainDims(maps[product->left]), selector = plainDims(maps[product->selector]), out = plainDims(maps[2]);
  if (!left || !selector || !out || out->empty())
    return std::nullopt;
  auto inMatrix = [&](unsigned loop) { return llvm::is_contained(product->matrixLoops, loop); };
  auto isRow = [&](unsigned loop) { return !inMatrix(loop); };
  auto isDepth = [&](unsigned loop) { return inMatrix(loop) && !llvm::is_contained(*out, loop); };
  ArrayRef<unsigned> matrix = product->matrixLoops;
  bool hasOneColumn = llvm::count_if(matrix, isDepth) + 1 == int64_t(matrix.size());
  if (!hasOneColumn || matrix.size() == 1 || (isDepth(matrix.front()) && isDepth(matrix.back())))
    return std::nullopt;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool inLeft = llvm::is_contained(*left, loop), inSelector = llvm::is_contained(*selector, loop);
    if ((isDepth(loop) && !inLeft) || (isRow(loop) && !inLeft && !inSelector))
      return std::nullopt;
    if (isRow(loop) && !llvm::is_contained(*out, loop))
      product->summedRows.push_back(loop);
  }
  if (isRow(out->back()) || !llvm::all_of(*selector, isRow) ||
      !llvm::all_of(*left, [&](unsigned loop) { return isRow(loop) || isDepth(loop); }))
    return std::nullopt;
  return product;
}

/// The read of a tensor outside of `body` at distinct arguments of `body`, which are the loops; null for other values.
static std::optional<GroupedOuterProduct::Operand> matchLoopRead(Value value, Block &body) {
  auto read = value.getDefiningOp<tensor::ExtractOp>();
  if (!read || body.getParent()->isAncestor(read.getTensor().getParentRegion()))
    return std::nullopt;
  GroupedOuterProduct::Operand operand{read.getTensor(), {}};
  for (Value subscript : read.getIndices()) {
    auto loop = dyn_cast<BlockArgument>(subscript);
    if (!loop || loop.getOwner() != &body || llvm::is_contained(operand.loops, loop.getArgNumber()))
      return std::nullopt;
    operand.loops.push_back(loop.getArgNumber());
  }
  return operand;
}

std::optional<GroupedOuterProduct> matchGroupedOuterProduct(attn::ScatterAddOp op) {
  Block &body = op.getBody().front();
  auto term = cast<attn::TermOp>(body.getTerminator());
  auto multiply = term.getValue().getDefiningOp<arith::MulFOp>();
  auto number = term.getSubscripts().empty() ? arith::IndexCastOp()
                                             : term.getSubscripts().front().getDefiningOp<arith::IndexCastOp>();
  if (!multiply || !multiply.getType().isF32() || !number || !number.getIn().getType().isInteger(32) ||
      term.getSubscripts().size() != 3)
    return std::nullopt;
  auto row = dyn_cast<BlockArgument>(term.getSubscripts()[1]),
       column = dyn_cast<BlockArgument>(term.getSubscripts()[2]);
  auto selector = matchLoopRead(number.getIn(), body);
  auto left = matchLoopRead(multiply.getLhs(), body), right = matchLoopRead(multiply.getRhs(), body);
  if (!row || row.getOwner() != &body || !column || column.getOwner() != &body || row == column || !selector || !left ||
      !right)
    return std::nullopt;
  if (llvm::is_contained(left->loops, column.getArgNumber()))
    std::swap(left, right);
  GroupedOuterProduct product{*left, *right, *selector, row.getArgNumber(), column.getArgNumber()};
  auto isIn = [](const GroupedOuterProduct::Operand &operand, unsigned loop) {
    return llvm::is_contained(operand.loops, loop);
  };
  for (unsigned loop = 0; loop < op.getSizes().size(); ++loop) {
    bool inLeft = isIn(*left, loop), inRight = isIn(*right, loop), inSelector = isIn(*selector, loop);
    bool isRow = loop == product.row, isColumn = loop == product.column;
    if (isRow || isColumn ? inLeft != isRow || inRight != isColumn || inSelector : !inLeft && !inRight && !inSelector)
      return std::nullopt;
  }
  return product;
}

linalg::GenericOp rebuildGeneric(OpBuilder &builder, linalg::GenericOp op, ValueRange inputs, ValueRange inits,
                                 ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators) {
  auto rebuilt = linalg::GenericOp::create(builder, op.getLoc(), TypeRange(inits), inputs, inits, maps, iterators);
  IRMapping mapping;
  op.getRegion().cloneInto(&rebuilt.getRegion(), mapping);
  return rebuilt;
}

} // namespace attnc
