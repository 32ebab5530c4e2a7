#include "compiler/Raise/ElementExpr.h"
#include "compiler/Analysis/Fold.h"
#include "compiler/Analysis/OpClassification.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

using Expr = ElementExprs::Expr;

//===-------------------------------------------- making ------------------------------------------------------===//

Expr ElementExprs::make(ElementExpr expr) { return &all.emplace_back(std::move(expr)); }

Expr ElementExprs::scalar(Operation *op, ArrayRef<Expr> operands) {
  return make({.kind = ElementExpr::Kind::Scalar, .op = op, .operands = SmallVector<Expr>(operands)});
}

Expr ElementExprs::element(Value tensor, ArrayRef<AffineExpr> subscripts) {
  std::vector<const void *> places;
  for (AffineExpr subscript : subscripts)
    places.push_back(subscript.getAsOpaquePointer());
  Expr &known = elements[{tensor.getAsOpaquePointer(), places}];
  if (!known)
    known =
        make({.kind = ElementExpr::Kind::Element, .tensor = tensor, .subscripts = SmallVector<AffineExpr>(subscripts)});
  return known;
}

unsigned ElementExprs::addVariable(linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (auto place = map.getResultPosition(getAffineDimExpr(loop, op.getContext()))) {
      extents.push_back({operand.get(), *place});
      return extents.size() - 1;
    }
  }
  llvm_unreachable("each loop of a linalg.generic is a dimension of an operand");
}

AffineExpr ElementExprs::variable(unsigned number) const {
  return getAffineDimExpr(number, extents[number].first.getContext());
}

ElementExprs::Root ElementExprs::root(linalg::GenericOp op) {
  Root root;
  Scope scope{op, {}, Scope::Known()};
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    root.loops.push_back(addVariable(op, loop));
    scope.loops.push_back(variable(root.loops.back()));
  }
  if (op.getNumReductionLoops() == 0)
    root.term = valueIn(scope, op.getBody()->getTerminator()->getOperand(0));
  else if (auto fold = matchFold(op, 0))
    root.term = valueIn(scope, fold->term);
  return root;
}

//===-------------------------------------------- bodies ------------------------------------------------------===//

static bool isInside(linalg::GenericOp op, Value value) { return op.getRegion().isAncestor(value.getParentRegion()); }

/// Affine index arithmetic on the loops; null if it is not affine, or contains sizes or data.
std::optional<AffineExpr> ElementExprs::indexIn(const Scope &scope, Value value) {
  if (auto constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, value.getContext());
  Operation *op = value.getDefiningOp();
  if (!op || !isInside(scope.op, value))
    return std::nullopt;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return scope.loops[index.getDim()];
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp>(op))
    return std::nullopt;
  auto lhs = indexIn(scope, op->getOperand(0)), rhs = indexIn(scope, op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  if (isa<arith::SubIOp>(op))
    return *lhs - *rhs;
  if (isa<arith::MulIOp>(op) && (lhs->isSymbolicOrConstant() || rhs->isSymbolicOrConstant()))
    return *lhs * *rhs;
  if (auto divisor = dyn_cast<AffineConstantExpr>(*rhs); isa<arith::FloorDivSIOp>(op) && divisor.getValue() > 0)
    return lhs->floorDiv(divisor.getValue());
  return std::nullopt;
}

Expr ElementExprs::valueIn(const Scope &scope, Value value) {
  if (Expr known = scope.known.lookup(value))
    return known;
  return scope.known[value] = read(scope, value);
}

Expr ElementExprs::read(const Scope &scope, Value value) {
  linalg::GenericOp generic = scope.op;
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == generic.getBody()) {
    if (argument.getArgNumber() >= generic.getNumDpsInputs())
      return make({.kind = ElementExpr::Kind::Opaque});
    OpOperand *operand = generic.getDpsInputOperand(argument.getArgNumber());
    if (!isa<RankedTensorType>(operand->get().getType()))
      return make({.kind = ElementExpr::Kind::Outside, .tensor = operand->get()});
    AffineMap map = generic.getMatchingIndexingMap(operand);
    SmallVector<AffineExpr> subscripts;
    for (AffineExpr result : map.getResults())
      subscripts.push_back(result.replaceDims(scope.loops));
    return element(operand->get(), subscripts);
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_if_present<linalg::IndexOp>(op))
    return make({.kind = ElementExpr::Kind::Index, .subscripts = {scope.loops[index.getDim()]}});
  if (op && op->hasTrait<OpTrait::ConstantLike>())
    return scalar(op, {});
  if (!op || !isInside(generic, value))
    return make({.kind = ElementExpr::Kind::Outside, .tensor = value});
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<AffineExpr> subscripts;
    for (Value subscript : extract.getIndices()) {
      auto index = indexIn(scope, subscript);
      if (!index)
        return make({.kind = ElementExpr::Kind::Opaque});
      subscripts.push_back(*index);
    }
    return element(extract.getTensor(), subscripts);
  }
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isPure(op))
    return make({.kind = ElementExpr::Kind::Opaque});
  SmallVector<Expr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(valueIn(scope, operand));
  return scalar(op, operands);
}

//===-------------------------------------------- expansion ---------------------------------------------------===//

/// Whether the initial value of the out argument is the identity of the combiner.
static bool startsFromNeutral(linalg::GenericOp op, unsigned result, attn::Combine combine) {
  auto fill = op.getDpsInitOperand(result)->get().getDefiningOp<linalg::FillOp>();
  FloatAttr start;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&start)))
    return false;
  APFloat value = start.getValue();
  switch (combine) {
  case attn::Combine::Add:
    return value.isZero();
  case attn::Combine::Mul:
    return value.isExactlyValue(1.0);
  case attn::Combine::Max:
    return value.isInfinity() && value.isNegative();
  case attn::Combine::Min:
    return value.isInfinity() && !value.isNegative();
  }
  llvm_unreachable("four ways to combine");
}

/// The element of a generic's result at `subscripts`; null where it is not a formula of its operands' elements.
Expr ElementExprs::produced(linalg::GenericOp op, unsigned result, ArrayRef<AffineExpr> subscripts) {
  auto placed = plainDims(op.getMatchingIndexingMap(op.getDpsInitOperand(result)));
  bool reduces = op.getNumReductionLoops() != 0;
  if (!placed || (!reduces && placed->size() != op.getNumLoops()))
    return nullptr;
  std::optional<FoldMatch> fold = reduces ? matchFold(op, result) : std::nullopt;
  if (reduces && (!fold || !startsFromNeutral(op, result, fold->kind)))
    return nullptr;
  Scope scope{op, SmallVector<AffineExpr>(op.getNumLoops()), Scope::Known()};
  for (auto [place, loop] : llvm::enumerate(*placed))
    scope.loops[loop] = subscripts[place];
  SmallVector<unsigned> reduced;
  for (auto [number, loop] : llvm::enumerate(scope.loops))
    if (!loop) {
      reduced.push_back(addVariable(op, number));
      loop = variable(reduced.back());
    }
  if (!reduces)
    return valueIn(scope, op.getBody()->getTerminator()->getOperand(result));
  if (reduced.size() != op.getNumReductionLoops())
    return nullptr;
  return make({.kind = ElementExpr::Kind::Reduce,
               .op = op,
               .operands = {valueIn(scope, fold->term)},
               .combine = fold->kind,
               .variables = reduced});
}

Expr ElementExprs::expand(Expr expr) {
  if (expr->kind != ElementExpr::Kind::Element)
    return expr;
  auto [known, isNew] = expansions.try_emplace(expr, expr);
  if (!isNew)
    return known->second;
  Operation *producer = expr->tensor.getDefiningOp();
  Expr found = nullptr;
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(producer)) {
    found = produced(generic, cast<OpResult>(expr->tensor).getResultNumber(), expr->subscripts);
  } else if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(producer)) {
    SmallVector<AffineExpr> subscripts(expr->subscripts.size());
    for (auto [place, from] : llvm::enumerate(transpose.getPermutation()))
      subscripts[from] = expr->subscripts[place];
    found = element(transpose.getInput(), subscripts);
  } else if (auto fill = dyn_cast_if_present<linalg::FillOp>(producer)) {
    Operation *constant = fill.getInputs()[0].getDefiningOp();
    found = constant && constant->hasTrait<OpTrait::ConstantLike>()
                ? scalar(constant, {})
                : make({.kind = ElementExpr::Kind::Outside, .tensor = fill.getInputs()[0]});
  }
  return found ? expansions[expr] = found : expr;
}

Expr ElementExprs::open(Expr expr) {
  for (Expr next = expand(expr); next != expr; next = expand(expr))
    expr = next;
  return expr;
}

Expr ElementExprs::valueAt(linalg::GenericOp op, ArrayRef<AffineExpr> loops, Value value) {
  Scope scope{op, SmallVector<AffineExpr>(loops), Scope::Known()};
  for (auto [number, loop] : llvm::enumerate(scope.loops))
    if (!loop)
      loop = variable(addVariable(op, number));
  return valueIn(scope, value);
}

//===-------------------------------------------- questions ---------------------------------------------------===//

bool ElementExprs::contains(Expr expr, llvm::function_ref<bool(Expr)> found) {
  llvm::DenseSet<Expr> seen;
  SmallVector<Expr> pending = {expr};
  while (!pending.empty()) {
    Expr whole = open(pending.pop_back_val());
    if (!seen.insert(whole).second)
      continue;
    if (found(whole))
      return true;
    llvm::append_range(pending, whole->operands);
  }
  return false;
}

const ElementExprs::Variables &ElementExprs::uses(Expr expr) {
  if (auto known = usesCache.find(expr); known != usesCache.end())
    return known->second;
  Variables found;
  for (AffineExpr subscript : expr->subscripts)
    subscript.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        found.set(dim.getPosition());
    });
  for (Expr operand : expr->operands)
    found |= uses(operand);
  for (unsigned bound : expr->variables)
    found.reset(bound);
  return usesCache[expr] = found;
}

bool ElementExprs::dependsOn(Expr expr, ArrayRef<unsigned> variables) {
  const Variables &used = uses(expr);
  return llvm::any_of(variables, [&](unsigned variable) { return used.test(variable); });
}

bool ElementExprs::isFunctionOf(Expr expr, ArrayRef<unsigned> variables) {
  static constexpr unsigned most = 64;
  SmallVector<Expr> pending = {expr};
  for (unsigned visited = 0; !pending.empty(); ++visited) {
    Expr part = pending.pop_back_val();
    if (!dependsOn(part, variables))
      continue;
    Expr made = expand(part);
    if ((made == part && part->operands.empty()) || visited == most)
      return true;
    if (made == part)
      llvm::append_range(pending, part->operands);
    else
      pending.push_back(made);
  }
  return false;
}

bool ElementExprs::sameExtent(unsigned a, unsigned b) const {
  auto sizeOf = [&](unsigned variable) { return shapes.extent(extents[variable].first, extents[variable].second); };
  return sizeOf(a) == sizeOf(b);
}

bool ElementExprs::equal(Expr a, Expr b, ArrayRef<std::pair<unsigned, unsigned>> renamed) {
  unsigned left = 2048; // comparisons: operands that commute are tried both ways
  return equalWithin(a, b, renamed, left);
}

bool ElementExprs::equalWithin(Expr a, Expr b, ArrayRef<std::pair<unsigned, unsigned>> renamed, unsigned &left) {
  if (left == 0)
    return false;
  --left;
  using Kind = ElementExpr::Kind;
  auto sameSubscripts = [&] {
    return llvm::equal(a->subscripts, b->subscripts, [&](AffineExpr x, AffineExpr y) {
      SmallVector<AffineExpr> dims;
      for (unsigned number = 0; number < count(); ++number)
        dims.push_back(variable(number));
      for (auto [from, to] : renamed)
        dims[from] = variable(to);
      return x.replaceDims(dims) == y;
    });
  };
  if (a->kind == Kind::Element && b->kind == Kind::Element && a->tensor == b->tensor && sameSubscripts())
    return true;
  if (a->kind == Kind::Element || b->kind == Kind::Element) {
    Expr openA = open(a), openB = open(b);
    bool isLeaf = openA->kind == Kind::Element || openB->kind == Kind::Element;
    if (openA == a && openB == b)
      return false;
    if (isLeaf && (openA->kind != openB->kind))
      return false;
    return equalWithin(openA, openB, renamed, left);
  }
  if (a->kind != b->kind || a->kind == Kind::Opaque || a->tensor != b->tensor || !sameSubscripts() ||
      a->operands.size() != b->operands.size())
    return false;
  SmallVector<std::pair<unsigned, unsigned>> inner(renamed);
  if (a->kind == Kind::Reduce) {
    if (a->combine != b->combine || a->variables.size() != b->variables.size())
      return false;
    for (auto [x, y] : llvm::zip_equal(a->variables, b->variables)) {
      if (!sameExtent(x, y))
        return false;
      inner.push_back({x, y});
    }
  } else if (a->op && (a->op->getName() != b->op->getName() ||
                       a->op->getDiscardableAttrDictionary() != b->op->getDiscardableAttrDictionary() ||
                       a->op->getPropertiesAsAttribute() != b->op->getPropertiesAsAttribute())) {
    return false;
  }
  auto inOrder = [&](Expr x, Expr y, size_t first) {
    return equalWithin(x->operands[0], y->operands[first], inner, left) &&
           equalWithin(x->operands[1], y->operands[1 - first], inner, left);
  };
  if (a->operands.size() == 2 && a->op && a->op->hasTrait<OpTrait::IsCommutative>())
    return inOrder(a, b, 0) || inOrder(a, b, 1);
  return llvm::equal(a->operands, b->operands, [&](Expr x, Expr y) { return equalWithin(x, y, inner, left); });
}

} // namespace attnc
