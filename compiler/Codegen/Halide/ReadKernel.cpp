#include "compiler/Codegen/Halide/ReadKernel.h"
#include "compiler/Codegen/DataSubscripts.h"
#include "compiler/Codegen/Fold.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc::halide {

namespace {

class Reader {
public:
  Reader(func::FuncOp kernel, linalg::GenericOp op) : kernel(kernel), op(op), sizes(kernel) {}

  std::optional<KernelStage> run(std::string &reason) {
    if (readLoops() && readValues())
      return std::move(made);
    reason = why;
    return std::nullopt;
  }

private:
  bool decline(const llvm::Twine &reason) {
    if (why.empty())
      why = reason.str();
    return false;
  }

  std::optional<Size> sizeOf(const SizeExpr &size) {
    if (size.isConstant())
      return Size{size.constant(), 0, 0};
    auto found = llvm::find(made.arguments, size);
    unsigned number = found - made.arguments.begin();
    if (found == made.arguments.end())
      made.arguments.push_back(size);
    return Size{0, 1, number};
  }

  std::optional<Element> elementOf(Type type) {
    if (type.isF32())
      return Element::F32;
    if (type.isInteger(32) || type.isIndex())
      return Element::I32;
    if (type.isInteger(1))
      return Element::Truth;
    decline("it computes with elements of another type than f32, i32 and bool");
    return std::nullopt;
  }

  unsigned add(Op kind, Element element, ArrayRef<unsigned> operands, int64_t integer = 0, double number = 0) {
    return made.stage.add({kind, element, {operands.begin(), operands.end()}, number, integer});
  }
  unsigned integer(int64_t value) { return add(Op::Integer, Element::I32, {}, value); }

  bool readLoops() {
    for (auto [size, iterator] : llvm::zip(loopSizes(op, sizes), op.getIteratorTypesArray())) {
      if (size.isConstant() && size.constant() == 0)
        return decline("one of its loops runs over nothing");
      made.stage.loops.push_back({*sizeOf(size), iterator == utils::IteratorType::reduction});
    }
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!written.isProjectedPermutation())
      return decline("its result is written at computed subscripts");
    for (AffineExpr each : written.getResults())
      made.stage.result.push_back(cast<AffineDimExpr>(each).getPosition());
    for (auto [number, loop] : llvm::enumerate(made.stage.loops))
      if (!loop.reduces && !llvm::is_contained(made.stage.result, number))
        return decline("a loop that is not summed over is none of its result's");
    return true;
  }

  bool readValues() {
    std::optional<Element> element = elementOf(getElementTypeOrSelf(op.getResult(0).getType()));
    if (!element)
      return false;
    made.stage.element = *element;
    if (op.getNumReductionLoops() == 0) {
      if (!op.getRegionOutputArgs()[0].use_empty())
        return decline("it reads what its result held before");
      std::optional<unsigned> value = nodeOf(op.getBody()->getTerminator()->getOperand(0));
      made.stage.value = value.value_or(0);
      return value.has_value();
    }
    auto fold = matchFold(op, 0);
    if (!fold || *element != Element::F32)
      return decline("it is no sum, product or extremum of f32");
    constexpr Fold folds[] = {Fold::Add, Fold::Mul, Fold::Max, Fold::Min};
    made.stage.fold = folds[static_cast<int>(fold->kind)];
    std::optional<unsigned> value = nodeOf(fold->term), start = startNode();
    if (!value || !start)
      return false;
    made.stage.value = *value;
    made.stage.start = *start;
    // Halide does not repeat what is the same each time.
    for (unsigned loop = 0; loop < made.stage.loops.size(); ++loop)
      if (made.stage.loops[loop].reduces && !dependsOn(made.stage, *value, loop))
        return decline("it sums over a loop that its terms don't depend on");
    return true;
  }

  std::optional<unsigned> startNode() {
    Value init = op.getDpsInits()[0];
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      return nodeOf(fill.getInputs()[0]);
    SmallVector<unsigned> at;
    for (unsigned loop : made.stage.result)
      at.push_back(add(Op::Index, Element::I32, {}, loop));
    return loadNode(init, at);
  }

  //===---------------------------------------- formulas ----------------------------------------------------------===//

  std::optional<unsigned> nodeOf(Value value) {
    if (auto known = nodes.find(value); known != nodes.end())
      return known->second;
    std::optional<unsigned> node = makeNode(value);
    if (node)
      nodes[value] = *node;
    return node;
  }

  std::optional<unsigned> makeNode(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
      return operandNode(op->getOpOperand(argument.getArgNumber()));
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return constantNode(constant);
    bool isOutside = value.getParentBlock() != op.getBody();
    if (value.getType().isIndex() && (isOutside || value.getDefiningOp<tensor::DimOp>())) {
      std::optional<SizeExpr> size = sizes.tryValueOf(value);
      if (!size)
        return decline("it uses a size that is computed in it"), std::nullopt;
      Size made = *sizeOf(*size);
      return made.isConstant() ? integer(made.number) : add(Op::Argument, Element::I32, {}, made.argument);
    }
    if (isOutside || !value.getDefiningOp())
      return decline("it uses a number from outside of its loops"), std::nullopt;
    return operationNode(value.getDefiningOp());
  }

  std::optional<unsigned> constantNode(arith::ConstantOp constant) {
    std::optional<Element> element = elementOf(constant.getType());
    if (!element)
      return std::nullopt;
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return add(Op::Number, Element::F32, {}, 0, number.getValueAsDouble());
    APInt value = cast<IntegerAttr>(constant.getValue()).getValue();
    return add(Op::Integer, *element, {}, *element == Element::Truth ? value.getZExtValue() : value.getSExtValue());
  }

  /// What an operand has at the iteration.
  std::optional<unsigned> operandNode(OpOperand &operand) {
    SmallVector<unsigned> subscripts;
    for (AffineExpr each : op.getMatchingIndexingMap(&operand).getResults()) {
      std::optional<unsigned> node = affineNode(each);
      if (!node)
        return std::nullopt;
      subscripts.push_back(*node);
    }
    return isa<RankedTensorType>(operand.get().getType()) ? loadNode(operand.get(), subscripts) : nodeOf(operand.get());
  }

  std::optional<unsigned> affineNode(AffineExpr expression) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      return add(Op::Index, Element::I32, {}, dim.getPosition());
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return integer(constant.getValue());
    auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
    if (!binary || (binary.getKind() != AffineExprKind::Add && binary.getKind() != AffineExprKind::Mul))
      return decline("an operand is read at subscripts with quotients"), std::nullopt;
    auto left = affineNode(binary.getLHS()), right = affineNode(binary.getRHS());
    if (!left || !right)
      return std::nullopt;
    return add(binary.getKind() == AffineExprKind::Add ? Op::Add : Op::Mul, Element::I32, {*left, *right});
  }

  std::optional<unsigned> loadNode(Value tensor, ArrayRef<unsigned> subscripts) {
    BlockArgument argument = argumentOf(tensor);
    if (!argument)
      return decline("it reads a tensor in another shape than it is stored in"), std::nullopt;
    auto type = cast<RankedTensorType>(argument.getType());
    if (isNarrow(type.getElementType()))
      return decline("an operand is stored in fewer than 32 bits"), std::nullopt;
    std::optional<Element> element = elementOf(type.getElementType());
    if (!element)
      return std::nullopt;
    unsigned operand = 0;
    for (unsigned before = 0; before < argument.getArgNumber(); ++before)
      operand += isa<RankedTensorType>(kernel.getArgumentTypes()[before]);
    auto found = llvm::find(made.operands, operand);
    unsigned buffer = found - made.operands.begin();
    if (found == made.operands.end()) {
      made.operands.push_back(operand);
      Buffer shape{*element, {}};
      for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
        shape.shape.push_back(*sizeOf(sizes.dimension(argument, dimension)));
      made.stage.buffers.push_back(shape);
    }
    return add(Op::Load, *element, subscripts, buffer);
  }

  std::optional<unsigned> elementNode(tensor::ExtractOp extract, SmallVector<unsigned> &subscripts) {
    BlockArgument tensor = argumentOf(extract.getTensor());
    for (auto [number, subscript] : llvm::enumerate(extract.getIndices()))
      if (tensor && comesFromData(subscript)) {
        Size size = *sizeOf(sizes.dimension(tensor, number));
        unsigned limit = size.isConstant() ? integer(size.number) : add(Op::Argument, Element::I32, {}, size.argument);
        subscripts[number] = add(Op::Checked, Element::I32, {subscripts[number], limit});
      }
    return loadNode(extract.getTensor(), subscripts);
  }

  std::optional<unsigned> operationNode(Operation *operation) {
    if (auto index = dyn_cast<linalg::IndexOp>(operation))
      return add(Op::Index, Element::I32, {}, index.getDim());
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
    if (isa<attn::StopOp>(operation))
      return operands[0];
    std::optional<Element> element = elementOf(operation->getResult(0).getType());
    if (!element)
      return std::nullopt;
    if (isa<arith::IndexCastOp>(operation))
      return operands[0];
    if (auto compare = dyn_cast<arith::CmpIOp>(operation))
      return compareIntegers(compare.getPredicate(), operands);
    std::optional<Op> kind = kindOf(operation);
    bool wraps =
        *element == Element::I32 && !operation->getResult(0).getType().isIndex() && !isa<arith::SelectOp>(operation);
    if (!kind || wraps)
      return callNode(operation, *element, operands);
    bool divides = *kind == Op::FloorDivide || *kind == Op::Remainder;
    if (const Node &divisor = made.stage.nodes[operands.back()];
        divides && (divisor.op != Op::Integer || divisor.integer <= 0))
      return decline("it divides an index by what is no positive number"), std::nullopt;
    if (isa<arith::RemSIOp>(operation))
      return signedRemainder(operands[0], operands[1]);
    Node node{*kind, *element, {operands.begin(), operands.end()}};
    if (*element == Element::F32 && canBeCalled(operation))
      node.operation = numberOf(made.operations, operation);
    return made.stage.add(node);
  }

  std::optional<unsigned> callNode(Operation *operation, Element element, ArrayRef<unsigned> operands) {
    if (!canBeCalled(operation))
      return decline("it computes " + operation->getName().getStringRef()), std::nullopt;
    Node node{Op::Call, element, {operands.begin(), operands.end()}};
    node.operation = numberOf(made.operations, operation);
    return made.stage.add(node);
  }

  /// With the sign of what is divided.
  unsigned signedRemainder(unsigned number, unsigned divisor) {
    unsigned remainder = add(Op::Remainder, Element::I32, {number, divisor}), zero = integer(0);
    unsigned isBelow = compareSums(Op::Less, number, zero), isSome = compare(Op::NotEqual, remainder, zero);
    unsigned below = add(Op::Sub, Element::I32, {remainder, divisor});
    return add(Op::Select, Element::I32, {add(Op::And, Element::Truth, {isBelow, isSome}), below, remainder});
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

  std::optional<unsigned> compareIntegers(arith::CmpIPredicate predicate, ArrayRef<unsigned> of) {
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
      return decline("it compares numbers without sign"), std::nullopt;
    }
  }

  /// What is compared moves to the left: i + di >= 1, where it was i >= 1 - di, is about the sum that is read at.
  unsigned compareSums(Op kind, unsigned a, unsigned b) {
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

  unsigned compare(Op kind, unsigned a, unsigned b) { return add(kind, Element::Truth, {a, b}); }

  func::FuncOp kernel;
  linalg::GenericOp op;
  KernelSizes sizes;
  KernelStage made;
  std::string why;
  llvm::DenseMap<Value, unsigned> nodes;
};

} // namespace

std::optional<KernelStage> readKernel(func::FuncOp kernel, std::string &reason) {
  KernelKind kind = *kernelKindOf(kernel);
  SmallVector<Value> results = computedResults(kernel);
  auto op = results.size() == 1 ? results[0].getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if ((kind != KernelKind::Loops && kind != KernelKind::Gemm) || !op || op.getNumResults() != 1) {
    reason = "it is more than one computation with one result";
    return std::nullopt;
  }
  if (results[0].getType() != kernel.getResultTypes()[0]) {
    reason = "its result is stored in fewer than 32 bits";
    return std::nullopt;
  }
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), packedAttrName)) {
      reason = "a weight arrives packed";
      return std::nullopt;
    }
  for (linalg::GenericOp each : kernel.getOps<linalg::GenericOp>())
    if (each != op) {
      reason = "it is more than one computation with one result";
      return std::nullopt;
    }
  return Reader(kernel, op).run(reason);
}

} // namespace attnc::halide
