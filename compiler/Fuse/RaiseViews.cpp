//===- RaiseViews.cpp - attn-raise-views --------------------------------------------------------------------------===//
//
// Rewrites a linalg.generic that only moves elements, as index notation produces it, to view ops.
//
// Precondition: none. Postcondition: a generic whose body is one element of one tensor and that uses each index once is
// a chain of those among extract_slice, expand_shape, transpose and collapse_shape that it requires.
//
//   [b, s, m] => y[b, m / 64, s, m % 64]           transpose [0, 2, 1, 3], collapse [[0], [1], [2, 3]]
//   [b, h, s, d] => x[b, s, 384 + h * 64 + d]      slice [.., 384:768], expand [.., 6, 64], transpose [0, 2, 1, 3]
//
// A per-iteration list of one element, which a loop of one iteration leaves behind, becomes an expand_shape of that
// element.
//
// Each subscript is parsed as a mixed-radix number whose digits are indices of the result or parts of them: the index m
// above has the digits m / 64 and m % 64.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_RAISEVIEWSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// A digit of the result's index `dim`: (d floordiv below) mod extent.
struct Digit {
  unsigned dim;
  int64_t below = 1;                     ///< product of the extents of the lower digits of `dim`
  int64_t extent = ShapedType::kDynamic; ///< dynamic: a whole dynamic index
  bool operator==(const Digit &other) const { return dim == other.dim && below == other.below; }
};

struct Term {
  int64_t factor;
  Digit digit;
};

/// A subscript as a number: an offset plus digits from the highest to the lowest.
struct Number {
  AffineExpr offset;
  SmallVector<Digit> digits;
  int64_t span = 1; ///< product of the digits' extents; dynamic for a whole dynamic index
};

class Rearrangement {
public:
  explicit Rearrangement(linalg::GenericOp op) : op(op), indices{{}, op.getStaticLoopRanges()}, reader(indices) {
    indices.values.resize(indices.extents.size());
  }
  /// Matches the source and a number for each of its dimensions; false if the op does more than move elements.
  bool match();
  Value build(OpBuilder &builder, SymbolicShapes &shapes);

private:
  bool readSource(SmallVectorImpl<AffineExpr> &subscripts);
  bool readNumber(AffineExpr expr, Number &number);
  std::optional<Digit> readDigit(AffineExpr expr);
  bool digitsCoverResult();
  Value slice(OpBuilder &builder, SymbolicShapes &shapes);
  Value expand(OpBuilder &builder, SymbolicShapes &shapes, Value value);
  OpFoldResult loopExtent(OpBuilder &builder, SymbolicShapes &shapes, const Digit &digit);

  linalg::GenericOp op;
  LoopIndices indices;
  SubscriptReader reader;
  Value source;
  SmallVector<Number> numbers;
};

} // namespace

bool Rearrangement::readSource(SmallVectorImpl<AffineExpr> &subscripts) {
  if (op.getNumResults() != 1 || !isPointwise(op))
    return false;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded)) {
    if (argument.getOwner() != op.getBody() || argument.getArgNumber() >= op.getNumDpsInputs())
      return false;
    source = op.getInputs()[argument.getArgNumber()];
    llvm::append_range(subscripts, op.getIndexingMapsArray()[argument.getArgNumber()].getResults());
    return isa<RankedTensorType>(source.getType());
  }
  auto extract = yielded.getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != op.getBody())
    return false;
  source = extract.getTensor();
  for (Value subscript : extract.getIndices())
    subscripts.push_back(simplifySubscript(reader.read(subscript), indices.extents));
  // A data-dependent subscript is a symbol inside the body.
  return llvm::none_of(reader.symbols(), [&](Value symbol) { return symbol.getParentBlock() == op.getBody(); });
}

bool Rearrangement::match() {
  SmallVector<AffineExpr> subscripts;
  if (!readSource(subscripts))
    return false;
  for (AffineExpr expr : subscripts)
    if (!readNumber(expr, numbers.emplace_back()))
      return false;
  return digitsCoverResult();
}

std::optional<Digit> Rearrangement::readDigit(AffineExpr expr) {
  auto whole = [&](AffineExpr dim) { return indices.extents[cast<AffineDimExpr>(dim).getPosition()]; };
  if (isa<AffineDimExpr>(expr))
    return Digit{cast<AffineDimExpr>(expr).getPosition(), 1, whole(expr)};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto by = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
  if (!by)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::FloorDiv) {
    auto inner = readDigit(binary.getLHS());
    if (!inner || ShapedType::isDynamic(inner->extent) || inner->extent % by.getValue() != 0)
      return std::nullopt;
    return Digit{inner->dim, inner->below * by.getValue(), inner->extent / by.getValue()};
  }
  if (binary.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto inner = readDigit(binary.getLHS());
  if (!inner || ShapedType::isDynamic(inner->extent) || inner->extent % by.getValue() != 0)
    return std::nullopt;
  return Digit{inner->dim, inner->below, by.getValue()};
}

bool Rearrangement::readNumber(AffineExpr expr, Number &number) {
  number.offset = getAffineConstantExpr(0, expr.getContext());
  SmallVector<Term> terms;
  std::function<bool(AffineExpr, int64_t)> collect = [&](AffineExpr part, int64_t factor) {
    if (part.isSymbolicOrConstant()) {
      number.offset = number.offset + part * factor;
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (binary && binary.getKind() == AffineExprKind::Add)
      return collect(binary.getLHS(), factor) && collect(binary.getRHS(), factor);
    if (binary && binary.getKind() == AffineExprKind::Mul) {
      auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
      return constant && collect(binary.getLHS(), factor * constant.getValue());
    }
    auto digit = readDigit(part);
    if (digit)
      terms.push_back({factor, *digit});
    return digit.has_value();
  };
  if (!collect(expr, 1))
    return false;
  llvm::sort(terms, [](const Term &a, const Term &b) { return a.factor > b.factor; });
  for (const Term &term : llvm::reverse(terms)) {
    // The weight of each digit is the product of the lower digits' extents.
    if (ShapedType::isDynamic(number.span) || term.factor != number.span)
      return false;
    number.span = ShapedType::isDynamic(term.digit.extent) ? ShapedType::kDynamic : number.span * term.digit.extent;
    if (ShapedType::isDynamic(number.span) && terms.size() > 1)
      return false;
    number.digits.insert(number.digits.begin(), term.digit);
  }
  return true;
}

/// True if the digits cover every index of the result exactly once.
bool Rearrangement::digitsCoverResult() {
  for (auto [dim, extent] : llvm::enumerate(indices.extents)) {
    SmallVector<Digit> digits;
    for (const Number &number : numbers)
      for (const Digit &digit : number.digits)
        if (digit.dim == dim)
          digits.push_back(digit);
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.below < b.below; });
    int64_t covered = 1;
    for (const Digit &digit : digits) {
      if (digit.below != covered)
        return false;
      // A digit of dynamic extent is the whole index, so the index has no other digit.
      covered = ShapedType::isDynamic(digit.extent) ? ShapedType::kDynamic : covered * digit.extent;
    }
    if (digits.empty() || covered != extent)
      return false;
  }
  return true;
}

OpFoldResult Rearrangement::loopExtent(OpBuilder &builder, SymbolicShapes &shapes, const Digit &digit) {
  if (!ShapedType::isDynamic(digit.extent))
    return builder.getIndexAttr(digit.extent);
  return shapes.materialise(builder, op.getLoc(), shapes.extent(op.getResult(0), digit.dim));
}

Value Rearrangement::slice(OpBuilder &builder, SymbolicShapes &shapes) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> kept;
  bool needed = false;
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(number.offset))
      offsets.push_back(builder.getIndexAttr(constant.getValue()));
    else
      offsets.push_back(writeSubscript(builder, op.getLoc(), number.offset, {}, reader.symbols()));
    bool isDynamic = ShapedType::isDynamic(number.span);
    sizes.push_back(isDynamic ? loopExtent(builder, shapes, number.digits[0]) : builder.getIndexAttr(number.span));
    SizeExpr span = isDynamic ? shapes.extent(op.getResult(0), number.digits[0].dim) : SizeExpr(number.span);
    needed |= number.digits.empty() || !isConstantIntValue(offsets.back(), 0) || !(span == shapes.extent(source, dim));
    if (!number.digits.empty())
      kept.push_back(number.span);
  }
  if (!needed)
    return source;
  auto sliced = RankedTensorType::get(kept, type.getElementType());
  return tensor::ExtractSliceOp::create(builder, op.getLoc(), sliced, source, offsets, sizes, strides);
}

Value Rearrangement::expand(OpBuilder &builder, SymbolicShapes &shapes, Value value) {
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> extents;
  for (const Number &number : numbers) {
    if (number.digits.empty())
      continue;
    ReassociationIndices &group = reassociation.emplace_back();
    for (const Digit &digit : number.digits) {
      group.push_back(sizes.size());
      sizes.push_back(loopExtent(builder, shapes, digit));
      extents.push_back(digit.extent);
    }
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (static_cast<int64_t>(sizes.size()) == type.getRank())
    return value;
  return tensor::ExpandShapeOp::create(builder, op.getLoc(), RankedTensorType::get(extents, type.getElementType()),
                                       value, reassociation, sizes);
}

Value Rearrangement::build(OpBuilder &builder, SymbolicShapes &shapes) {
  Value value = expand(builder, shapes, slice(builder, shapes));
  // Digits in the order of the source, then in the order of the result.
  SmallVector<Digit> digits;
  for (const Number &number : numbers)
    digits.append(number.digits);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, digits.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(digits[a].dim, -digits[a].below) < std::pair(digits[b].dim, -digits[b].below);
  });
  if (!llvm::is_sorted(order)) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t position : order)
      sizes.push_back(loopExtent(builder, shapes, digits[position]));
    auto elementType = cast<RankedTensorType>(value.getType()).getElementType();
    Value empty = tensor::EmptyOp::create(builder, op.getLoc(), sizes, elementType);
    value = linalg::TransposeOp::create(builder, op.getLoc(), value, empty, order).getResult()[0];
  }
  SmallVector<ReassociationIndices> groups(indices.extents.size());
  for (auto [position, digit] : llvm::enumerate(order))
    groups[digits[digit].dim].push_back(position);
  if (digits.size() != groups.size())
    value = tensor::CollapseShapeOp::create(builder, op.getLoc(), value, groups);
  if (value.getType() != op.getResult(0).getType())
    value = tensor::CastOp::create(builder, op.getLoc(), op.getResult(0).getType(), value);
  return value;
}

/// Returns the only element as a list if the list has one element, otherwise null.
static Value listOfOne(model::WithElementOp list) {
  RankedTensorType type = list.getList().getType();
  if (type.getDimSize(0) != 1)
    return nullptr;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  if (!groups.empty())
    groups.front().insert(groups.front().begin(), 0);
  OpBuilder builder(list);
  return tensor::ExpandShapeOp::create(builder, list.getLoc(), type, list.getElement(), groups);
}

namespace {

struct RaiseViews : impl::RaiseViewsPassBase<RaiseViews> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      function.walk([](model::WithElementOp list) {
        if (Value one = listOfOne(list)) {
          list.replaceAllUsesWith(one);
          list.erase();
        }
      });
      SymbolicShapes shapes(function);
      SmallVector<linalg::GenericOp> generics;
      function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
      for (linalg::GenericOp op : generics) {
        Rearrangement rearrangement(op);
        if (!rearrangement.match())
          continue;
        OpBuilder builder(op);
        op.getResult(0).replaceAllUsesWith(rearrangement.build(builder, shapes));
        op.erase();
      }
    }
  }
};

} // namespace

} // namespace attnc
