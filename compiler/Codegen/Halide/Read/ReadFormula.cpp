#include "compiler/Codegen/Halide/Read/ReadFormula.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc::halide {

bool FormulaReader::decline(const llvm::Twine &reason) {
  if (why.empty())
    why = reason.str();
  return false;
}

std::optional<Size> FormulaReader::sizeOf(const SizeExpr &size) {
  if (size.isConstant())
    return Size{size.constant(), 0, 0};
  auto found = llvm::find(made.arguments, size);
  unsigned number = found - made.arguments.begin();
  if (found == made.arguments.end())
    made.arguments.push_back(size);
  return Size{0, 1, number};
}

std::optional<attn_dtype> FormulaReader::elementOf(Type type) {
  if (type.isF32())
    return ATTN_F32;
  if (type.isInteger(32) || type.isIndex())
    return ATTN_I32;
  if (type.isInteger(1))
    return ATTN_BOOL;
  decline("it computes with elements of another type than f32, i32 and bool");
  return std::nullopt;
}

std::optional<attn_dtype> FormulaReader::storedElementOf(Type type) {
  return isNarrow(type) ? elementTypeOf(type) : elementOf(type);
}

unsigned FormulaReader::nodeOfSize(const Size &size) {
  return size.isConstant() ? integer(size.number) : add(Op::Argument, ATTN_I32, {}, size.argument);
}

unsigned FormulaReader::add(Op kind, attn_dtype element, ArrayRef<unsigned> operands, int64_t integer, double number) {
  return made.stage.add({kind, element, {operands.begin(), operands.end()}, number, integer});
}

//===------------------------------------------ values ------------------------------------------------------------===//

FormulaReader::MaybeNode FormulaReader::nodeOf(Value value) {
  if (auto known = nodes.find(value); known != nodes.end())
    return known->second;
  std::optional<unsigned> node = makeNode(value);
  if (node)
    nodes[value] = *node;
  return node;
}

FormulaReader::MaybeNode FormulaReader::makeNode(Value value) {
  if (MaybeNode own = ownNode(value); own || !why.empty())
    return own;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return constantNode(constant.getType(), constant.getValue());
  bool isOutside = !isInside(value);
  if (value.getType().isIndex() && (isOutside || value.getDefiningOp<tensor::DimOp>())) {
    std::optional<SizeExpr> size = sizes.tryValueOf(value);
    if (!size)
      return decline("it uses a size that is computed in it"), std::nullopt;
    // Sizes of calls with small dimensions must fit in 32 bits, with room for arithmetic on them.
    constexpr int64_t most = 1 << 30;
    int64_t ofNothing = size->evaluate(std::vector<int64_t>(sizes.numSymbols(), 0));
    if (ofNothing < -most || ofNothing > most)
      return decline("its subscripts may exceed 32 bits"), std::nullopt;
    return nodeOfSize(*sizeOf(*size));
  }
  if (isOutside || !value.getDefiningOp())
    return decline("it uses a number computed outside of its loops"), std::nullopt;
  return operationNode(value.getDefiningOp());
}

FormulaReader::MaybeNode FormulaReader::constantNode(Type type, Attribute constant) {
  std::optional<attn_dtype> element = elementOf(type);
  if (!element)
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(constant))
    return add(Op::Number, ATTN_F32, {}, 0, number.getValueAsDouble());
  APInt value = cast<IntegerAttr>(constant).getValue();
  return add(Op::Integer, *element, {}, *element == ATTN_BOOL ? value.getZExtValue() : value.getSExtValue());
}

/// The op of a quotient or remainder, rounded down; only positive divisors are supported.
static std::optional<Op> affineKind(AffineBinaryOpExpr expression) {
  auto divisor = dyn_cast<AffineConstantExpr>(expression.getRHS());
  bool divides = divisor && divisor.getValue() > 0;
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return Op::Add;
  case AffineExprKind::Mul:
    return Op::Mul;
  case AffineExprKind::FloorDiv:
    return divides ? std::optional(Op::FloorDivide) : std::nullopt;
  case AffineExprKind::Mod:
    return divides ? std::optional(Op::Remainder) : std::nullopt;
  default:
    return std::nullopt;
  }
}

FormulaReader::MaybeNode FormulaReader::affineNode(AffineExpr expression, ArrayRef<unsigned> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return integer(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  std::optional<Op> kind = binary ? affineKind(binary) : std::nullopt;
  if (!kind)
    return decline("an operand is read at subscripts with quotients"), std::nullopt;
  auto left = affineNode(binary.getLHS(), dims), right = affineNode(binary.getRHS(), dims);
  if (!left || !right)
    return std::nullopt;
  return add(*kind, ATTN_I32, {*left, *right});
}

FormulaReader::MaybeNode FormulaReader::loadIntermediate(Value, ArrayRef<unsigned>) {
  return decline("it reads a tensor in another shape than its stored one"), std::nullopt;
}

unsigned FormulaReader::loadFrom(unsigned operand, const Buffer &shape, ArrayRef<unsigned> subscripts) {
  auto found = llvm::find(made.operands, operand);
  unsigned buffer = found - made.operands.begin();
  if (found == made.operands.end()) {
    made.operands.push_back(operand);
    made.stage.buffers.push_back(shape);
  }
  return add(Op::Load, widened(shape.element), subscripts, buffer);
}

FormulaReader::MaybeNode FormulaReader::loadNode(Value tensor, ArrayRef<unsigned> subscripts) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return nodeOf(fill.getInputs()[0]);
  DenseElementsAttr same;
  if (matchPattern(tensor, m_Constant(&same)) && same.isSplat())
    return constantNode(same.getElementType(), same.getSplatValue<Attribute>());
  BlockArgument argument = argumentOf(tensor);
  if (!argument)
    return loadIntermediate(tensor, subscripts);
  auto type = cast<RankedTensorType>(argument.getType());
  std::optional<attn_dtype> element = storedElementOf(type.getElementType());
  if (!element)
    return std::nullopt;
  unsigned operand = 0;
  for (unsigned before = 0; before < argument.getArgNumber(); ++before)
    operand += isa<RankedTensorType>(kernel.getArgumentTypes()[before]);
  Buffer shape{*element, {}};
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    shape.shape.push_back(*sizeOf(sizes.dimension(argument, dimension)));
  return loadFrom(operand, shape, subscripts);
}

FormulaReader::MaybeNode FormulaReader::elementNode(tensor::ExtractOp extract, SmallVector<unsigned> &subscripts) {
  Value tensor = extract.getTensor();
  bool isKnown = argumentOf(tensor) || tensor.getDefiningOp<linalg::GenericOp>();
  for (unsigned number = 0; number < extract.getIndices().size(); ++number)
    if (needsCheck(extract, number)) {
      if (!isKnown)
        return decline("it reads a tensor in another shape than its stored one"), std::nullopt;
      unsigned limit = nodeOfSize(*sizeOf(sizes.dimension(tensor, number)));
      subscripts[number] = add(Op::Checked, ATTN_I32, {subscripts[number], limit});
    }
  return loadNode(tensor, subscripts);
}

static std::optional<Op> kindOf(Operation *operation) {
  return llvm::TypeSwitch<Operation *, std::optional<Op>>(operation)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Op::Add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return Op::Sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Op::Mul; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([](auto) { return Op::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>([](auto) { return Op::Min; })
      .Case<arith::FloorDivSIOp>([](auto) { return Op::FloorDivide; })
      .Case<arith::RemSIOp>([](auto) { return Op::Remainder; })
      .Case<arith::DivFOp>([](auto) { return Op::Divide; })
      .Case<arith::NegFOp>([](auto) { return Op::Negate; })
      .Case<math::AbsFOp>([](auto) { return Op::Absolute; })
      .Case<math::SqrtOp>([](auto) { return Op::SquareRoot; })
      .Case<math::FloorOp>([](auto) { return Op::Floor; })
      .Case<math::CeilOp>([](auto) { return Op::Ceil; })
      .Case<arith::AndIOp>([](auto) { return Op::And; })
      .Case<arith::OrIOp>([](auto) { return Op::Or; })
      .Case<arith::XOrIOp>([](auto) { return Op::ExclusiveOr; })
      .Case<arith::SelectOp>([](auto) { return Op::Select; })
      .Case<arith::SIToFPOp>([](auto) { return Op::ToF32; })
      .Default(std::nullopt);
}

/// The result of the map as an expression, with its symbols as further dimensions.
static AffineExpr applied(AffineMap map) {
  AffineExpr result = map.getResult(0);
  SmallVector<AffineExpr> symbols;
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
    symbols.push_back(getAffineDimExpr(map.getNumDims() + symbol, map.getContext()));
  return result.replaceSymbols(symbols);
}

FormulaReader::MaybeNode FormulaReader::operationNode(Operation *operation) {
  SmallVector<unsigned> operands;
  for (Value operand : operation->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      continue;
    std::optional<unsigned> node = nodeOf(operand);
    if (!node)
      return std::nullopt;
    operands.push_back(*node);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(operation))
    return elementNode(extract, operands);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(operation))
    return affineNode(applied(apply.getAffineMap()), operands);
  if (isa<attn::StopOp>(operation))
    return operands[0];
  std::optional<attn_dtype> element = elementOf(operation->getResult(0).getType());
  if (!element)
    return std::nullopt;
  if (isa<arith::IndexCastOp>(operation))
    return operands[0];
  if (auto compare = dyn_cast<arith::CmpIOp>(operation))
    return compareIntegers(compare.getPredicate(), operands);
  std::optional<Op> kind = kindOf(operation);
  bool wraps = *element == ATTN_I32 && !operation->getResult(0).getType().isIndex() && !isa<arith::SelectOp>(operation);
  if (!kind || wraps)
    return callNode(operation, *element, operands);
  bool divides = *kind == Op::FloorDivide || *kind == Op::Remainder;
  if (const Node &divisor = made.stage.nodes[operands.back()];
      divides && (divisor.op != Op::Integer || divisor.integer <= 0))
    return decline("it divides an index by a value that is not a positive number"), std::nullopt;
  if (isa<arith::RemSIOp>(operation))
    return signedRemainder(operands[0], operands[1]);
  Node node{*kind, *element, {operands.begin(), operands.end()}};
  if (*element == ATTN_F32 && canBeCalled(operation))
    node.operation = numberOf(made.operations, operation);
  return made.stage.add(node);
}

FormulaReader::MaybeNode FormulaReader::callNode(Operation *operation, attn_dtype element,
                                                 ArrayRef<unsigned> operands) {
  if (!canBeCalled(operation))
    return decline("it computes " + operation->getName().getStringRef()), std::nullopt;
  Node node{Op::Call, element, {operands.begin(), operands.end()}};
  node.operation = numberOf(made.operations, operation);
  return made.stage.add(node);
}

/// Remainder with the sign of the dividend.
unsigned FormulaReader::signedRemainder(unsigned number, unsigned divisor) {
  unsigned remainder = add(Op::Remainder, ATTN_I32, {number, divisor}), zero = integer(0);
  unsigned isBelow = compareSums(Op::Less, number, zero), isSome = compare(Op::NotEqual, remainder, zero);
  unsigned below = add(Op::Sub, ATTN_I32, {remainder, divisor});
  return add(Op::Select, ATTN_I32, {add(Op::And, ATTN_BOOL, {isBelow, isSome}), below, remainder});
}

FormulaReader::MaybeNode FormulaReader::compareIntegers(arith::CmpIPredicate predicate, ArrayRef<unsigned> of) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return compareSums(Op::Equal, of[0], of[1]);
  case Predicate::ne:
    return compareSums(Op::NotEqual, of[0], of[1]);
  case Predicate::slt:
    return compareSums(Op::Less, of[0], of[1]);
  case Predicate::sle:
    return compareSums(Op::LessEqual, of[0], of[1]);
  case Predicate::sgt:
    return compareSums(Op::Less, of[1], of[0]);
  case Predicate::sge:
    return compareSums(Op::LessEqual, of[1], of[0]);
  default:
    return decline("it compares unsigned numbers"), std::nullopt;
  }
}

/// Compares the difference of both sides with a constant: i >= 1 - di becomes i + di >= 1, which is about the
/// subscript.
unsigned FormulaReader::compareSums(Op kind, unsigned a, unsigned b) {
  Stage &stage = made.stage;
  auto left = affineOf(stage, a), right = affineOf(stage, b);
  if (!left || !right)
    return compare(kind, a, b);
  for (auto [factor, other] : llvm::zip(left->factors, right->factors))
    factor -= other;
  Affine bound{std::vector<int64_t>(stage.loops.size(), 0), right->constant - left->constant};
  left->constant = 0;
  auto leading = llvm::find_if(left->factors, [](int64_t factor) { return factor != 0; });
  if (leading == left->factors.end() || *leading > 0)
    return compare(kind, halide::nodeOf(stage, *left), halide::nodeOf(stage, bound));
  for (int64_t &factor : left->factors)
    factor = -factor;
  bound.constant = -bound.constant;
  return compare(kind, halide::nodeOf(stage, bound), halide::nodeOf(stage, *left));
}

} // namespace attnc::halide
